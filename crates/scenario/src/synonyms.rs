//! What others call the things that have another name here: who writes it is told ours.

/// Names that are used elsewhere, by ns-2, ns-3, Mininet, `tc` and papers, and the names here, the likeliest first.
const SYNONYMS: &[(&[&str], &[&str])] = &[
    (
        &["cc", "congestion_control", "congestion", "algorithm", "algo", "flavour", "flavor", "tcp"],
        &["variant", "scheme", "kind", "rate_rule", "control"],
    ),
    (
        &["bandwidth", "bw", "capacity", "speed", "throughput", "datarate", "data_rate", "bitrate"],
        &["rate", "bottleneck"],
    ),
    (&["latency", "lag", "propagation", "propagation_delay", "prop_delay", "distance"], &["delay", "bottleneck"]),
    (&["buffer", "size", "buffer_size", "queue_size", "limit_pkts", "qlen", "length", "capacity"], &["limit", "queue"]),
    (&["buffer", "aqm", "qdisc"], &["queue"]),
    (&["qdisc", "type", "discipline", "model", "protocol"], &["kind", "scheme"]),
    (&["protocol", "type", "name"], &["scheme"]),
    (&["udp", "constant"], &["cbr"]),
    (&["droptail", "fifo", "pfifo", "bfifo", "tail-drop"], &["drop-tail"]),
    (&["window", "max_window", "rwnd", "maxcwnd", "window_"], &["wnd"]),
    (&["icwnd", "initial_window", "iw", "initcwnd"], &["initial_cwnd"]),
    (&["packet_size", "segment_size", "packetsize"], &["mss", "packet_size"]),
    (&["delack", "delayed_acks", "delay_ack"], &["delayed_ack"]),
    (&["min_rto", "minrto", "minrto_"], &["rto_min"]),
    (&["start_time", "starts", "begin"], &["start"]),
    (&["stop_time", "stops", "end"], &["stop"]),
    (&["source", "src", "sender", "server"], &["source", "from"]),
    (&["destination", "dst", "dest", "sink"], &["to"]),
    (&["loss_rate", "plr", "per", "error_rate", "drop_rate"], &["loss", "p"]),
    (&["time", "t", "when", "moment"], &["at"]),
    (&["time", "length", "sim_time", "simulation_time", "until"], &["duration"]),
    (&["jitter", "overhead_"], &["send_jitter"]),
    (&["members", "clients", "sinks"], &["receivers", "nodes"]),
    (&["n", "number", "flows", "instances"], &["count"]),
];

/// The name here for one that is used elsewhere, if it is among those that are legal.
pub(crate) fn ours<'a>(name: &str, legal: &[&'a str]) -> Option<&'a str> {
    let name = name.to_lowercase().replace('-', "_");
    let named = |others: &[&str]| others.iter().any(|other| other.replace('-', "_") == name);
    let own = SYNONYMS.iter().filter(|(others, _)| named(others)).flat_map(|(_, own)| own.iter());
    own.filter_map(|own| legal.iter().find(|legal| *legal == own)).next().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_legal_is_proposed_and_nothing_else() {
        assert_eq!(ours("cc", &["kind", "mss", "variant"]), Some("variant"));
        assert_eq!(ours("Congestion-Control", &["scheme", "source"]), Some("scheme"));
        assert_eq!(ours("bandwidth", &["delay", "rate"]), Some("rate"));
        assert_eq!(ours("buffer", &["kind", "limit"]), Some("limit"));
        assert_eq!(ours("buffer", &["delay", "queue", "rate"]), Some("queue"));
        assert_eq!(ours("udp", &["tcp", "cbr", "on-off"]), Some("cbr"));
        assert_eq!(ours("latency", &["bottleneck", "kind", "left"]), Some("bottleneck"));
        assert_eq!(ours("type", &["kind", "variant"]), Some("kind"));
        assert_eq!(ours("time", &["at", "size", "pair"]), Some("at"));
        assert_eq!(ours("time", &["duration", "name"]), Some("duration"));
        assert_eq!(ours("latency", &["kind", "left"]), None);
        assert_eq!(ours("colour", &["rate"]), None);
    }
}
