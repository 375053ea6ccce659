//! Players by hand: when the picture appears, what is skipped, when it stops and goes on, to the nanosecond.

use super::{Config, Kind, Media, Piece, Player, Repair, Sent, Shown};
use crate::playout::MediaRate;
use crate::time::{Duration, Instant, Rate};

const S: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;

fn config(kind: Kind) -> Config {
    Config {
        kind,
        // Two packets of 1000 B a second.
        media_rate: Some(MediaRate::One(Rate(16_000))),
        segment: Duration::from_secs(1),
        start: None,
        buffer: None,
        wait: None,
        length: None,
        fec: 0.0,
        repair: None,
    }
}

/// A source of a rate with its one receiver, which joins at time zero.
struct Scene {
    media: Media,
    player: Player,
    shown: Vec<Shown>,
}

impl Scene {
    fn new(config: &Config, layers: usize) -> Scene {
        let mut media = Media::new(config, layers, 1000);
        media.begin(Instant::ZERO);
        let mut player = Player::new(7, layers);
        player.join(Instant::ZERO);
        Scene { media, player, shown: Vec::new() }
    }

    /// The source sends packet `position` of a segment of `packets`, and it comes at the same moment.
    fn piece(&mut self, at: u64, segment: u32, position: u32, packets: u32) {
        let piece = self.send(at, segment, position, packets);
        self.come(at, piece, 0);
    }

    fn send(&mut self, at: u64, segment: u32, position: u32, packets: u32) -> Piece {
        let piece = Piece { segment, position };
        self.media.send(Instant(at), Sent { piece, packets, quality: 1 })
    }

    fn come(&mut self, at: u64, piece: Piece, layer: usize) {
        self.player.arrive(Instant(at), piece, layer, &self.media, &mut self.shown);
    }

    /// A whole segment of two packets comes, the last of them at this moment.
    fn segment(&mut self, at: u64, segment: u32) {
        self.piece(at - 1, segment, 0, 2);
        self.piece(at, segment, 1, 2);
    }

    fn end(&mut self, at: u64, done: Option<u32>) {
        self.media.end(Instant(at), done);
        self.player.end(Instant(at), &self.media, &mut self.shown);
    }

    fn stop(&mut self, at: u64) -> Vec<(u64, u32, u8, u64)> {
        self.player.stop(Instant(at), &self.media, &mut self.shown);
        self.rows()
    }

    /// When each segment was due, its number, how many layers were shown, how long the picture stood still.
    fn rows(&self) -> Vec<(u64, u32, u8, u64)> {
        assert!(self.shown.iter().all(|shown| shown.player == 7));
        self.shown.iter().map(|shown| (shown.due.0, shown.segment, shown.layers, shown.stall.0)).collect()
    }

    /// How much was there in a row when each segment was shown.
    fn buffers(&self) -> Vec<u64> {
        self.shown.iter().map(|shown| shown.buffer.0).collect()
    }
}

/// d_i = P + i L: P is when the second of two segments in a row is complete.
#[test]
fn live_media_go_by_deadlines_from_the_moment_at_which_enough_was_there() {
    let mut scene = Scene::new(&config(Kind::Live), 1);
    scene.segment(S + 3, 0);
    assert!(scene.player.started().is_none());
    scene.segment(2 * S + 17, 1);
    assert_eq!(scene.player.started(), Some(Instant(2 * S + 17)));
    // Due at 4 000 000 017 ns: just in time.
    scene.segment(4 * S + 17, 2);
    // Due a second later: a nanosecond too late.
    scene.segment(5 * S + 18, 3);
    scene.segment(5 * S + 19, 4);
    let wanted = [
        (2 * S + 17, 0, 1, 0),
        (3 * S + 17, 1, 1, 0),
        (4 * S + 17, 2, 1, 0),
        (5 * S + 17, 3, 0, S),
        (6 * S + 17, 4, 1, 0),
    ];
    assert_eq!(scene.stop(7 * S), wanted);
    assert_eq!(scene.player.stopped(), Some(Instant(7 * S)));
    // Of segment 3 one packet had come a nanosecond before, and the source had not sent the other.
    let skipped = scene.shown[3];
    assert_eq!((skipped.missing, skipped.enough, skipped.sent), (1, 2, None));
    assert_eq!(scene.shown[4].sent, Some(Instant(5 * S + 19)));
    assert_eq!((scene.shown[4].media_bps, scene.shown[4].quality), (16_000.0, 1));
    assert_eq!((skipped.media_bps, skipped.quality), (0.0, 0));
    assert_eq!(scene.buffers(), [2 * S, S, S, 0, S]);
}

/// s_i = max(s_(i-1) + L, C_i), where C_i is when segment i is complete.
#[test]
fn a_file_waits_for_what_is_not_there() {
    let one = Some(Duration::from_secs(1));
    let mut scene = Scene::new(&Config { start: one, ..config(Kind::File) }, 1);
    let complete = [S / 2, S + 7, 3 * S + 5, 3 * S + 6, 7 * S + 1];
    let mut wanted = Vec::new();
    let mut free = 0;
    for (segment, &at) in (0..).zip(&complete) {
        scene.segment(at, segment);
        let due = if segment == 0 { at } else { free };
        let shown = due.max(at);
        wanted.push((due, segment, 1, shown - due));
        free = shown + S;
    }
    assert_eq!(free, 8 * S + 1);
    // Behind the last one it waits until the end of the run.
    wanted.push((8 * S + 1, 5, 0, S - 1));
    assert_eq!(scene.stop(9 * S), wanted);
    assert_eq!(wanted[2], (2 * S + S / 2, 2, 1, S / 2 + 5));
    assert_eq!(wanted[4].3, 7 * S + 1 - (5 * S + 5));
}

#[test]
fn what_is_missing_after_a_stall_is_what_was_missing_before_it() {
    let one = Some(Duration::from_secs(1));
    let mut scene = Scene::new(&Config { start: one, fec: 0.5, ..config(Kind::File) }, 1);
    let pieces = |scene: &mut Scene, at: u64, segment: u32, positions: std::ops::Range<u32>| {
        positions.for_each(|position| scene.piece(at, segment, position, 6));
    };
    // Four of six are enough: of segment 1 one is there when it is due at 2 s, of segment 2 nothing at 6 s.
    pieces(&mut scene, S, 0, 0..4);
    pieces(&mut scene, S + 1, 1, 0..1);
    pieces(&mut scene, 5 * S, 1, 1..4);
    pieces(&mut scene, 7 * S, 2, 0..2);
    // At the end of the run it stands still, too.
    pieces(&mut scene, 7 * S, 2, 2..4);
    pieces(&mut scene, 7 * S, 3, 0..3);
    assert_eq!(scene.stop(9 * S)[1..], [(2 * S, 1, 1, 3 * S), (6 * S, 2, 1, S), (8 * S, 3, 0, S)]);
    let lacks: Vec<[u32; 2]> = scene.shown.iter().map(|shown| [shown.missing, shown.enough]).collect();
    assert_eq!(lacks, [[0, 4], [3, 4], [4, 4], [1, 4]]);
    // The source had sent four of the first by 1 s, and of the others fewer when they were due.
    assert_eq!([0, 1, 2, 3].map(|row| scene.shown[row].sent), [Some(Instant(S)), None, None, None]);
}

#[test]
fn nothing_stands_still_for_a_segment_that_the_source_did_not_finish() {
    let one = Some(Duration::from_secs(1));
    let mut scene = Scene::new(&Config { start: one, ..config(Kind::File) }, 1);
    scene.segment(S, 0);
    // Segment 1 is waited for from 2 s on; the source stops in the middle of it.
    scene.piece(3 * S, 1, 0, 2);
    let mut other = Scene { media: scene.media.clone(), player: scene.player.clone(), shown: scene.shown.clone() };
    scene.end(4 * S, Some(1));
    assert_eq!(scene.stop(99 * S), [(S, 0, 1, 0)]);
    assert_eq!(scene.player.stopped(), Some(Instant(2 * S)));
    // If it has sent all of it, that is waited for.
    other.end(4 * S, Some(2));
    assert_eq!(other.stop(99 * S)[1..], [(2 * S, 1, 0, 97 * S)]);
}

#[test]
fn after_a_stall_a_file_waits_for_as_much_as_its_buffer() {
    let [start, buffer] = [1, 3].map(|s| Some(Duration::from_secs(s)));
    let mut scene = Scene::new(&Config { start, buffer, ..config(Kind::File) }, 1);
    scene.segment(S, 0);
    for (at, segment) in [(4 * S, 1), (5 * S, 3), (6 * S, 2)] {
        scene.segment(at, segment);
    }
    // From 2 s on it stands still, until segments 1 to 3 are there.
    let mut other = Scene { media: scene.media.clone(), player: scene.player.clone(), shown: scene.shown.clone() };
    assert_eq!(scene.stop(6 * S), [(S, 0, 1, 0), (2 * S, 1, 1, 4 * S)]);
    // When it goes on all three are there.
    assert_eq!(scene.buffers(), [S, 3 * S]);
    // It stands still again at 9 s. The last two segments are fewer than it would wait for.
    other.segment(12 * S, 4);
    let mut left = Scene { media: other.media.clone(), player: other.player.clone(), shown: other.shown.clone() };
    other.segment(13 * S, 5);
    other.end(14 * S, Some(6));
    assert_eq!(other.stop(99 * S)[4..], [(9 * S, 4, 1, 5 * S), (15 * S, 5, 1, 0)]);
    // Who leaves when it would begin to stand still has seen no stall.
    assert_eq!(left.stop(13 * S)[4..], [(9 * S, 4, 0, 4 * S)]);
    let mut leaves = Scene::new(&Config { start, buffer, ..config(Kind::File) }, 1);
    leaves.segment(S, 0);
    assert_eq!(leaves.stop(2 * S), [(S, 0, 1, 0)]);
}

#[test]
fn the_last_segments_of_a_file_may_be_fewer_than_it_waits_for() {
    let three = Some(Duration::from_secs(3));
    for (known, ends) in [(Some(Duration::from_secs(2)), false), (None, true)] {
        let mut scene = Scene::new(&Config { start: three, length: known, ..config(Kind::File) }, 1);
        scene.segment(S, 0);
        scene.segment(2 * S, 1);
        let begins = if ends { 5 * S } else { 2 * S };
        if ends {
            scene.end(5 * S, Some(2));
        }
        assert_eq!(scene.stop(99 * S), [(begins, 0, 1, 0), (begins + S, 1, 1, 0)]);
        assert_eq!(scene.player.stopped(), Some(Instant(begins + 2 * S)), "nothing stands still behind the end");
    }
}

#[test]
fn a_receiver_that_joins_late_begins_with_the_first_segment_that_it_has_whole() {
    let mut scene = Scene::new(&config(Kind::Live), 1);
    scene.player = Player::new(7, 1);
    let early = scene.send(0, 4, 0, 2);
    scene.come(1, early, 0);
    scene.player.join(Instant(5 * S));
    scene.piece(5 * S + 1, 4, 1, 2);
    scene.segment(6 * S, 5);
    assert!(scene.player.started().is_none(), "segment 4 was heard in part");
    scene.segment(7 * S, 6);
    assert_eq!(scene.player.joined(), Some(Instant(5 * S)));
    // It leaves in the middle of a segment that is shown.
    assert_eq!(scene.stop(8 * S + 1), [(7 * S, 5, 1, 0), (8 * S, 6, 1, 0)]);
    scene.segment(9 * S, 7);
    assert_eq!(scene.rows().len(), 2, "it has left");
}

#[test]
fn what_is_skipped_last_counts_until_the_receiver_leaves() {
    let mut scene = Scene::new(&config(Kind::Live), 1);
    scene.segment(S, 0);
    scene.segment(2 * S, 1);
    scene.piece(5 * S, 4, 0, 2);
    let mut other = Scene { media: scene.media.clone(), player: scene.player.clone(), shown: scene.shown.clone() };
    assert_eq!(scene.stop(5 * S + 1)[1..], [(3 * S, 1, 1, 0), (4 * S, 2, 0, S), (5 * S, 3, 0, 1)]);
    assert_eq!(other.stop(5 * S).len(), 3, "nothing stands still for no time");
}

#[test]
fn media_that_are_never_complete_never_begin() {
    let mut scene = Scene::new(&config(Kind::Live), 1);
    for segment in 0..500 {
        scene.piece(u64::from(segment) * S, segment, segment % 2, 2);
        // Of every third all comes: never two in a row.
        if segment % 3 == 0 {
            scene.piece(u64::from(segment) * S + 1, segment, 1 - segment % 2, 2);
        }
    }
    assert_eq!(scene.stop(501 * S), []);
    assert_eq!((scene.player.started(), scene.player.stopped()), (None, Some(Instant(501 * S))));
}

#[test]
fn of_many_live_segments_that_are_repaired_at_once_the_first_is_shown_first() {
    let repair = Some(Repair { after: Duration::from_millis(300), most: 1.0 });
    let mut scene = Scene::new(&Config { repair, start: Some(Duration::from_secs(3)), ..config(Kind::Live) }, 1);
    // What comes after nine seconds says that nine segments are over; the receiver was there for the first.
    for segment in 0..9 {
        let piece = scene.send(u64::from(segment) * S, segment, 0, 2);
        if segment == 0 {
            scene.come(0, piece, 0);
        }
    }
    scene.piece(9 * S, 9, 0, 2);
    let at = 9300 * MS;
    assert_eq!(scene.stop(at + S)[..2], [(at, 0, 1, 0), (at + S, 1, 1, 0)]);
    assert_eq!(scene.player.started(), Some(Instant(at)));
}

#[test]
fn with_error_correction_any_packets_are_enough() {
    let mut scene = Scene::new(&Config { fec: 0.5, ..config(Kind::Live) }, 1);
    // Three for two; a packet that comes twice counts once.
    for (at, segment, position) in [(1, 0, 2), (2, 0, 2), (3, 0, 0), (4, 1, 1), (5, 1, 1), (6, 1, 2)] {
        scene.piece(at, segment, position, 3);
    }
    assert_eq!(scene.player.started(), Some(Instant(6)));
    let config = config(Kind::Live);
    let enough = |fec: f64, packets: u32| Config { fec, ..config.clone() }.enough(packets);
    assert_eq!([enough(0.1, 11), enough(0.1, 12), enough(0.25, 5), enough(0.0, 7)], [10, 11, 4, 7]);
    // 16 kbit/s with a tenth more: 2.2 packets a second.
    assert_eq!([0.0, 0.1, 0.5].map(|fec| Config { fec, ..config.clone() }.packets(Rate(16_000), 1000)), [2, 3, 3]);
    // Fifty and a tenth more are 55, of which arithmetic makes a little more.
    assert_eq!(Config { fec: 0.1, ..config }.packets(Rate(400_000), 1000), 55);
}

#[test]
fn what_is_missing_comes_by_repair_when_the_segment_is_over() {
    let repair = |most| Some(Repair { after: Duration::from_millis(300), most });
    let mut scene = Scene::new(&Config { repair: repair(0.5), ..config(Kind::File) }, 1);
    scene.piece(0, 0, 0, 2);
    scene.piece(S, 1, 0, 2);
    // Segment 0 is over at 1 s and whole at 1.3 s, segment 1 at 2.3 s.
    scene.piece(2 * S, 2, 0, 2);
    // Segment 3 is lost altogether, more than half of it.
    scene.piece(4 * S, 4, 0, 2);
    assert_eq!(scene.player.started(), Some(Instant(2300 * MS)));
    scene.piece(6 * S, 5, 0, 2);
    // Segment 2 is due at 4.3 s, when it comes; segment 3 never does.
    let rows = scene.stop(7 * S);
    let at = 2300 * MS;
    assert_eq!(rows, [(at, 0, 1, 0), (at + S, 1, 1, 0), (at + 2 * S, 2, 1, 0), (at + 3 * S, 3, 0, 7 * S - at - 3 * S)]);
    assert_eq!([0, 1, 2].map(|row| scene.shown[row].missing), [0, 0, 0], "what was repaired is there");
    // With all of it allowed segment 3 comes as well, and at the end of the source the last one.
    let mut scene = Scene::new(&Config { repair: repair(1.0), ..config(Kind::File) }, 1);
    for (at, segment) in [(0, 0), (S, 1), (2 * S, 2)] {
        scene.piece(at, segment, 0, 2);
    }
    scene.send(3 * S, 3, 0, 2);
    scene.end(4 * S, Some(4));
    let rows = scene.stop(99 * S);
    assert_eq!(rows[3], (at + 3 * S, 3, 1, 0));
    assert_eq!((rows.len(), scene.player.stopped()), (4, Some(Instant(at + 4 * S))));
}

#[test]
fn layers_at_rates_of_their_own_are_played_as_they_are_sent() {
    let config = Config { media_rate: None, start: Some(Duration::from_secs(1)), ..config(Kind::Live) };
    let mut scene = Scene::new(&config, 3);
    scene.media.begin(Instant(10));
    let send = |scene: &mut Scene, at: u64, layer: u8, comes: bool| {
        let piece = scene.media.send_in(Instant(at), layer);
        if comes {
            scene.come(at + 5, piece, layer.into());
        }
        piece
    };
    // All of segment 0 in all layers but the middle one, where the second packet is lost.
    for (at, layer, comes) in [(10, 0, true), (11, 1, true), (12, 2, true), (S / 2, 1, false)] {
        assert_eq!(send(&mut scene, at, layer, comes).segment, 0);
    }
    // It is over at 1 000 000 010 ns, and its last packet comes later.
    let last = scene.media.send_in(Instant(S + 9), 0);
    assert_eq!(last, Piece { segment: 0, position: 1 });
    scene.player.arrive(Instant(S + 12), Piece { segment: 0, position: 0 }, 0, &scene.media, &mut scene.shown);
    assert!(scene.player.started().is_none());
    scene.come(S + 14, last, 0);
    assert_eq!(scene.player.started(), Some(Instant(S + 14)));
    assert_eq!(send(&mut scene, S + 10, 0, true), Piece { segment: 1, position: 0 });
    assert_eq!(scene.player.started(), Some(Instant(S + 14)));
    send(&mut scene, S + 20, 1, true);
    send(&mut scene, S + 21, 2, false);
    // Segment 1 has all of two layers, which is known when it is over; segment 2 nothing at all.
    send(&mut scene, 3 * S + 10, 0, true);
    let rows = scene.stop(3 * S + 15);
    assert_eq!(rows, [(S + 14, 0, 1, 0), (2 * S + 14, 1, 2, 0), (3 * S + 14, 2, 0, 1)]);
    assert_eq!([scene.shown[0].media_bps, scene.shown[1].media_bps], [16_000.0, 16_000.0]);
    assert_eq!((scene.shown[1].quality, scene.shown[2].enough), (2, 0));
}

#[test]
fn a_segment_is_complete_only_when_it_is_known_what_it_has() {
    let config = Config { media_rate: None, start: Some(Duration::from_secs(1)), ..config(Kind::Live) };
    let mut scene = Scene::new(&config, 1);
    let piece = scene.media.send_in(Instant(5), 0);
    scene.come(6, piece, 0);
    // Seen at 1.7 s, as of the moment at which the segment was over.
    let piece = scene.media.send_in(Instant(1700 * MS), 0);
    scene.come(1700 * MS, piece, 0);
    assert_eq!(scene.player.started(), Some(Instant(S)));
    // The source ends in the middle of segment 2: there is none.
    scene.media.send_in(Instant(2100 * MS), 0);
    scene.end(2200 * MS, None);
    assert_eq!(scene.media.segments(), Some(2));
    assert_eq!(scene.stop(9 * S), [(S, 0, 1, 0), (2 * S, 1, 1, 0)]);
    assert_eq!(scene.player.stopped(), Some(Instant(3 * S)));
}

#[test]
fn what_is_illegal_is_said() {
    let second = Some(Duration::from_secs(1));
    let ladder = |rates: &[u64]| Some(MediaRate::Ladder(rates.iter().map(|&bps| Rate(bps)).collect()));
    for (config, field, said) in [
        (Config { segment: Duration::ZERO, ..config(Kind::Live) }, "segment", "legal is 0.01 s or more"),
        (Config { fec: -0.1, ..config(Kind::Live) }, "fec", "legal is 0 to 10"),
        (Config { buffer: second, ..config(Kind::Live) }, "buffer", "given for live media"),
        (Config { wait: second, ..config(Kind::File) }, "wait", "given for a file"),
        (Config { media_rate: ladder(&[]), ..config(Kind::File) }, "media_rate", "it is empty"),
        (Config { media_rate: ladder(&[0, 1]), ..config(Kind::File) }, "media_rate[0]", "0 bit/s given"),
        (
            Config { media_rate: ladder(&[1000, 3000, 3000]), ..config(Kind::File) },
            "media_rate[2]",
            "3000 bit/s given after 3000 bit/s; legal are rates that rise",
        ),
        (
            Config { media_rate: Some(MediaRate::One(Rate(0))), ..config(Kind::File) },
            "media_rate",
            "0 bit/s given; legal is above",
        ),
        (
            Config { media_rate: ladder(&[1 << 40]), ..config(Kind::File) },
            "segment",
            "a segment would have 137438954 packets; legal are 16777216",
        ),
        (
            Config { repair: Some(Repair { after: Duration::ZERO, most: 0.0 }), ..config(Kind::File) },
            "repair.most",
            "legal is above 0",
        ),
    ] {
        let wrong = config.check(1000);
        assert_eq!(wrong.len(), 1, "{wrong:?} {field}");
        assert!(wrong[0].0 == field && wrong[0].1.contains(said), "{wrong:?} {field} {said}");
    }
}
