//! Flows over one bottleneck, for tests of its queue.

/// `flows` over a bottleneck of `rate` with a round-trip time of 2·`delay` + 4 ms.
pub fn dumbbell(rate: &str, delay: &str, queue: &str, seconds: u32, flows: &str) -> String {
    format!(
        "format = 1\nname = \"x\"\nduration = \"{seconds} s\"\nwarmup = \"{} s\"\n[topology]\nkind = \"dumbbell\"\n\
         left = 40\nright = 40\n[links.\"access-*\"]\ndelay = \"1 ms\"\nrate = \"1 Gbit/s\"\n\
         [links.bottleneck]\nrate = \"{rate}\"\ndelay = \"{delay}\"\nqueue = {queue}\n{flows}\
         [probes]\nqueues = [\"bottleneck\"]\nqueue_interval = \"10 ms\"\n",
        seconds / 3
    )
}

/// So many TCPs with packets of 1000 bytes, out of step.
pub fn tcps(count: u32, variant: &str) -> String {
    format!(
        "[flows.web]\nkind = \"tcp\"\nvariant = \"{variant}\"\ncount = {count}\nmss = \"960 B\"\nhdr = \"40 B\"\n\
         start_jitter = \"1 s\"\nsend_jitter = \"1 ms\"\n"
    )
}
