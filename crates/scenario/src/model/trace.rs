//! What a scenario says of a link as it was measured.

use crate::recordings::samples::Samples;
use crate::recordings::stamps::Stamps;
use faircast_proto::limits;
use faircast_proto::limits::from;
use faircast_proto::time::{Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A link as it was measured. Files are named by their paths, relative to the scenario's; their content takes the
/// places of their names when the scenario is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Trace")]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum TraceEntry {
    /// When it could send: a file of Mahimahi.
    Mahimahi(MahimahiTrace),
    /// When it could send, and its delay: a pair of files of LeoCC.
    Leocc(LeoccTrace),
    /// Round-trip or one-way times: a CSV file of LENS.
    Lens(LensTrace),
    /// Any of rate, delay, loss and whether it was up: a CSV file.
    Csv(CsvTrace),
}

/// When a link could send, as Mahimahi's files have it: milliseconds at which 1504 bytes may go, and from the last on
/// all over again. The rate is theirs in the mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MahimahiTrace {
    /// A file with a whole number of milliseconds in every line, none before the one above it.
    pub file: Stamps,
}

/// When a link could send, and its delay, as LeoCC's pairs of files have it; each begins anew by itself. Packets keep
/// their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<LeoccTrace>)]
pub struct LeoccTrace {
    /// When it could send, as in a file of Mahimahi.
    pub bw: Stamps,
    /// A file with a whole number of milliseconds in every line, the one-way delay of one interval after the other.
    pub delay: Samples,
    /// How long each delay holds. Default "10 ms".
    #[serde(default = "ten_ms")]
    pub interval: Duration,
}

/// Round-trip times measured by IRTT, as LENS has them in CSV files: columns timestamp (ns), rtt, uplink, downlink
/// (ms). The rate of the link must be given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<LensTrace>)]
pub struct LensTrace {
    /// The file.
    pub file: Samples,
    /// Which column is the delay. Default "rtt": half of it.
    #[serde(default)]
    pub column: LensColumn,
    /// A longer time between two lines is a hole, and refused. Default "1 s".
    #[serde(default = "one_second")]
    pub longest_gap: Duration,
}

/// Which column of a file of LENS is the delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LensColumn {
    /// Half the round-trip time.
    #[default]
    Rtt,
    /// The time on the way up; half the round-trip time where clocks make it negative.
    Uplink,
    /// The time on the way down, likewise.
    Downlink,
}

/// What a link was like, moment by moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CsvTrace {
    /// A CSV file with the columns time, rate, delay, loss, up, as `changes` takes it, of any length.
    pub file: Samples,
}

limits! { LeoccTrace {
    interval: from(Duration::from_millis(1)),
} }

limits! { LensTrace {
    longest_gap: from(Duration::from_millis(1)),
} }

fn ten_ms() -> Duration {
    Duration::from_millis(10)
}

fn one_second() -> Duration {
    Duration::from_secs(1)
}

impl TraceEntry {
    /// When the link can send, if the trace says that.
    pub(crate) fn stamps(&self) -> Option<&Stamps> {
        match self {
            TraceEntry::Mahimahi(trace) => Some(&trace.file),
            TraceEntry::Leocc(trace) => Some(&trace.bw),
            TraceEntry::Lens(_) | TraceEntry::Csv(_) => None,
        }
    }

    /// What it is like at which time, if the trace says that.
    pub(crate) fn samples(&self) -> Option<&Samples> {
        match self {
            TraceEntry::Mahimahi(_) => None,
            TraceEntry::Leocc(trace) => Some(&trace.delay),
            TraceEntry::Lens(trace) => Some(&trace.file),
            TraceEntry::Csv(trace) => Some(&trace.file),
        }
    }

    /// The rate that follows from when it can send, if that is said.
    pub(crate) fn mean_rate(&self) -> Option<Rate> {
        self.stamps().map(|stamps| stamps.0.mean_rate())
    }
}
