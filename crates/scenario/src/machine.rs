//! How much memory this process may still take: what is free, and what limits leave of it.

use std::fs::read_to_string;
use std::path::Path;
use std::sync::Mutex;

/// What one of `jobs` runs that go on at the same time may take, bytes.
///
/// It is the same for all runs that overlap: what the first of them found, divided by `jobs`. So which of them starts
/// when does not decide which is let in.
pub struct Share<'a> {
    ledger: &'a Mutex<Ledger>,
    /// Memory, bytes.
    pub bytes: f64,
}

/// Runs that go on, and what was free when there were none.
struct Ledger {
    running: u32,
    free: f64,
}

static LEDGER: Mutex<Ledger> = Mutex::new(Ledger { running: 0, free: 0.0 });

impl Share<'static> {
    /// The share of a run that begins now; it counts as running until this is dropped.
    pub fn take(jobs: u32) -> Share<'static> {
        let mut ledger = LEDGER.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if ledger.running == 0 {
            ledger.free = free();
        }
        ledger.running += 1;
        Share { ledger: &LEDGER, bytes: ledger.free / f64::from(jobs.max(1)) }
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.ledger.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).running -= 1;
    }
}

/// Bytes that this process may still take: the least of what Linux says is available (elsewhere 8 GB), what the
/// limits of
/// the process leave (`ulimit -v`, `ulimit -d`) and what its control groups leave.
fn free() -> f64 {
    let file = |path: &str| read_to_string(path).unwrap_or_default();
    let available = kibibytes(&file("/proc/meminfo"), "MemAvailable:").unwrap_or(8e9);
    let limits = of_process(&file("/proc/self/limits"), &file("/proc/self/status"));
    available.min(limits).min(of_groups(&file("/proc/self/cgroup"), Path::new("/sys/fs/cgroup")))
}

/// What the limits of a process leave, after `/proc/self/limits` and `/proc/self/status`.
fn of_process(limits: &str, status: &str) -> f64 {
    let left = |limit: &str, used: &str| {
        let line = limits.lines().find_map(|line| line.strip_prefix(limit))?;
        let most = line.split_whitespace().next()?.parse::<f64>().ok()?;
        Some((most - kibibytes(status, used).unwrap_or(0.0)).max(0.0))
    };
    let space = left("Max address space", "VmSize:").unwrap_or(f64::INFINITY);
    space.min(left("Max data size", "VmData:").unwrap_or(f64::INFINITY))
}

/// What the control groups of a process leave, those above its own included, after `/proc/self/cgroup`. What the files
/// that it has read take is given back when memory is short, and counts as free.
fn of_groups(own: &str, root: &Path) -> f64 {
    let left = own.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':');
        let (_, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
        let (root, most, used, cached) = match controllers {
            "" => (root.to_owned(), "memory.max", "memory.current", "inactive_file "),
            list if list.split(',').any(|name| name == "memory") => {
                (root.join("memory"), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ")
            }
            _ => return None,
        };
        let number = |path: &Path| read_to_string(path).ok()?.trim().parse::<f64>().ok();
        let group = root.join(path.trim_start_matches('/'));
        let left = |group: &Path| {
            let most = number(&group.join(most))?;
            let stat = read_to_string(group.join("memory.stat")).unwrap_or_default();
            let cached = stat.lines().find_map(|line| line.strip_prefix(cached)?.trim().parse::<f64>().ok());
            Some((most - number(&group.join(used))? + cached.unwrap_or(0.0)).max(0.0))
        };
        group.ancestors().take_while(|group| group.starts_with(&root)).filter_map(left).reduce(f64::min)
    });
    left.fold(f64::INFINITY, f64::min)
}

/// Bytes that a line such as `MemAvailable:  24000 kB` says.
fn kibibytes(text: &str, key: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? * 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: &str = "Limit                     Soft Limit           Hard Limit           Units     \n\
                          Max data size             unlimited            unlimited            bytes     \n\
                          Max address space         1073741824           unlimited            bytes     \n";

    #[test]
    fn limits_of_the_process_leave_what_it_has_not_taken() {
        let status = "VmSize:\t  524288 kB\nVmData:\t   1024 kB\n";
        assert_eq!(of_process(LIMITS, status), 536_870_912.0);
        let data = LIMITS
            .replace("unlimited            unlimited            bytes     \nMax a", "2097152  2097152  bytes\nMax a");
        assert_eq!(of_process(&data, status), 1_048_576.0);
        assert_eq!(of_process("", status), f64::INFINITY);
        assert_eq!(of_process(LIMITS, "VmSize:\t 2000000 kB\n"), 0.0);
    }

    #[test]
    fn the_tightest_control_group_counts() {
        let root = std::env::temp_dir().join(format!("faircast-groups-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("it has one")).expect("temporary files can be made");
            std::fs::write(path, text).expect("temporary files can be written");
        };
        write("a/memory.max", "5000\n");
        write("a/memory.current", "3000\n");
        write("a/memory.stat", "anon 1\ninactive_file 500\n");
        write("a/b/memory.max", "max\n");
        write("memory/c/memory.limit_in_bytes", "900\n");
        write("memory/c/memory.usage_in_bytes", "200\n");
        write("full/memory.max", "100\n");
        write("full/memory.current", "300\n");
        let own = ["0::/a/b\n", "4:cpu,memory:/c\n0::/a\n", "1:cpu:/a\n", "0::/full\n"];
        let left = own.map(|own| of_groups(own, &root));
        std::fs::remove_dir_all(&root).expect("they can be removed");
        assert_eq!(left, [2500.0, 700.0, f64::INFINITY, 0.0]);
    }

    #[test]
    fn runs_that_overlap_have_equal_shares() {
        let first = Share::take(2);
        let second = Share::take(2);
        assert_eq!(first.bytes, second.bytes);
        assert!(first.bytes > 0.0);
    }
}
