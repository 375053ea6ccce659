//! What receivers saw of the media that they play.

use super::declared::{Declared, Row, float, integer, name, table};
use super::subjects::Subjects;
use faircast_proto::playout::Shown;
use faircast_sim::playout::{Playback, Viewer};
use faircast_tables::table::Table;

/// A segment that was due at a receiver, and whose it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaybackOf {
    pub(crate) shown: Shown,
    flow: u32,
    member: u32,
}

/// What was seen in a run: segments in the order of time, and who saw them.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) segments: Vec<PlaybackOf>,
    pub(crate) viewers: Vec<Viewer>,
}

impl Seen {
    /// All of it, with names; `flow_of` says of each receiver which flow's it is.
    pub(crate) fn of(playback: Option<Playback>, subjects: &Subjects, flow_of: impl Fn(usize) -> usize) -> Seen {
        let Some(Playback { shown, viewers }) = playback else { return Seen::default() };
        let of = |shown: Shown| {
            let receiver = shown.player as usize;
            let member = subjects.member(receiver).expect("members of sessions play") as u32;
            PlaybackOf { shown, flow: flow_of(receiver) as u32, member }
        };
        Seen { segments: shown.into_iter().map(of).collect(), viewers }
    }
}

impl Row for PlaybackOf {
    const TABLE: &'static str = "playback";
    const RECORD: usize = size_of::<Shown>();

    fn columns() -> Vec<Declared<Self>> {
        vec![
            float("t_s", "when the segment was due: when the picture needed it", |row| row.shown.due.as_secs_f64()),
            name("session", "of which session", |of| &of.flows, |row| row.flow),
            name("receiver", "at which receiver", |of| &of.members, |row| row.member),
            integer("segment", "its number, from 0", |row| i64::from(row.shown.segment)),
            integer("layers", "layers of it that were shown; 0 if it was skipped or never came", |row| {
                i64::from(row.shown.layers)
            }),
            integer(
                "quality",
                "its quality: layers, or which of the rates of adaptive media, from 1; 0 of none",
                |row| i64::from(row.shown.quality),
            ),
            float("media_bps", "rate of what was shown of it, without error correction", |row| row.shown.media_bps),
            float("stall_s", "how long the picture stood still, from `t_s` on", |row| row.shown.stall.as_secs_f64()),
            float(
                "buffer_s",
                "media that were there in a row when it was shown, this segment included; 0 if it was skipped",
                |row| row.shown.buffer.as_secs_f64(),
            ),
            integer("missing_pkts", "packets of the lowest layer that had not come when it was due", |row| {
                i64::from(row.shown.missing)
            }),
            integer("enough_pkts", "packets of the lowest layer that are enough, as far as is known", |row| {
                i64::from(row.shown.enough)
            }),
            float("sent_s", "when the source had sent these; NaN if it had not at `t_s`", |row| {
                row.shown.sent.map_or(f64::NAN, |sent| sent.as_secs_f64())
            }),
        ]
    }
}

/// All segments in the order of time.
pub(super) fn playback(seen: &Seen, subjects: &Subjects) -> Table {
    table(&seen.segments, subjects)
}
