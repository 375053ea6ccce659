//! What is written down of a session on hosts, in virtual time.

use crate::content::Content;
use crate::driver::Driver;
use crate::event_log::EventLog;
use crate::record::{Part as Written, Record};
use crate::session::Session;
use crate::testing::{Cloud, Turns as _, run, seat};
use faircast_proto::endpoint::Event;
use faircast_proto::time::{Duration, Instant};
use faircast_tables::table::{Table, Values};
use serde_json::json;
use std::cell::RefCell;
use std::rc::Rc;

/// Keeps events.
struct Kept(EventLog);

impl Content for Kept {
    fn event(&mut self, now: Instant, event: &Event) {
        self.0.note(now, event);
    }
}

fn kept() -> Kept {
    let mut log = EventLog::default();
    log.want();
    Kept(log)
}

fn numbers(table: &Table, column: &str) -> Vec<f64> {
    match table.get(column) {
        Some(Values::Float(values)) => values.clone(),
        Some(Values::Integer(values)) => values.iter().map(|value| *value as f64).collect(),
        other => panic!("{column}: {other:?}"),
    }
}

fn words(table: &Table, column: &str) -> Vec<String> {
    let Some(Values::Words(words)) = table.get(column) else { panic!("{column}") };
    words.codes.iter().map(|code| words.dictionary[*code as usize].clone()).collect()
}

/// A member of a session of layers and its source, a second or more after the other; `look` is called at these moments.
fn layers_at(moments: &[f64], mut look: impl FnMut(Instant, &mut Record, &mut Member)) {
    layers_and_source_at(moments, |now, (record, _), (member, _)| look(now, record, member));
}

/// The same with the record of the source, too.
fn layers_and_source_at(
    moments: &[f64],
    mut look: impl FnMut(Instant, (&mut Record, &mut Record), (&mut Member, &mut Source)),
) {
    let table = json!({
        "scheme": "layered-cbr", "rates": ["80 kbit/s", "160 kbit/s"], "max_rate": "1 Mbit/s", "level": 1,
        "climb": [{ "after": "1.5 s", "level": 2 }], "jitter": 0.0,
    });
    let session = Session::read(table).unwrap();
    let groups = session.groups("239.1.1.1:5000".parse().unwrap()).unwrap();
    let cloud = Cloud::new(2, (0..2).map_while(|number| groups.socket(number)).collect());
    let cloud = Rc::new(RefCell::new(cloud));
    let mut source = session.source(9, groups, ()).unwrap();
    let mut member = session.member(7, groups, None, kept()).unwrap();
    let record = |own| Record::new(&session, "video", own, (Instant::ZERO, Instant::ZERO));
    let (mut of_member, mut of_source) = (record(Some((7, "receiver-7"))), record(None));
    for (first, moment) in moments.iter().enumerate() {
        let seated = |host| seat(&cloud, host, Duration::ZERO);
        let [(mut clock, mut port), (mut its_clock, mut its_port)] = [0, 1].map(seated);
        if first == 0 {
            member.begin(&mut its_clock, &mut its_port);
            source.begin(&mut clock, &mut port);
        }
        let until = Instant::from_secs_f64(*moment);
        run(&mut [(&mut source, clock, port), (&mut member, its_clock, its_port)], until);
        look(until, (&mut of_member, &mut of_source), (&mut member, &mut source));
    }
}

type Source = Driver<crate::session::SourceEndpoint, ()>;
type Member = Driver<faircast_proto::registry::SchemeReceiver, Kept>;

fn part_of(now: Instant, record: &mut Record, member: &mut Member) -> Written {
    let mut log = std::mem::take(&mut member.content_mut().0);
    let part = record.look(now, member, &mut log, 5.0).expect("it is over");
    member.content_mut().0 = log;
    part
}

fn only(part: &Written, table: &str, column: &str) -> f64 {
    let table = part.tables.iter().find(|of| of.name == table).expect("there is such a table");
    let numbers = numbers(table, column);
    assert_eq!(numbers.len(), 1, "{column}");
    numbers[0]
}

#[test]
fn layers_are_held_for_parts_of_intervals_and_joined_once() {
    let mut parts = Vec::new();
    layers_at(&[1.0, 2.0, 3.0], |now, record, member| parts.push(part_of(now, record, member)));
    let of = |column: &str| -> Vec<f64> { parts.iter().map(|part| only(part, "receivers", column)).collect() };
    assert_eq!((of("level"), of("joins"), of("leaves")), (vec![1.0, 2.0, 2.0], vec![1.0, 1.0, 0.0], vec![0.0; 3]));
    let mean = of("mean_level");
    assert!((mean[1] - 1.5).abs() < 1e-6 && mean[2] == 2.0, "{mean:?}");
    let events = parts[1].tables.iter().find(|table| table.name == "events").unwrap();
    assert_eq!(
        (words(events, "event"), words(events, "receiver")),
        (vec!["layer-added".into()], vec!["receiver-7".into()])
    );
    assert!((numbers(events, "t_s")[0] - 1.5).abs() < 1e-6 && numbers(events, "layer") == [1.0], "{events:?}");
    assert_eq!(parts.iter().map(|part| only(part, "flows", "sending_bps")).collect::<Vec<_>>(), [5.0; 3]);
}

/// 80 and 160 kbit/s by packets of 1000 B, of which the member holds the second from 1.5 s on, 20 ms away.
#[test]
fn groups_have_what_was_sent_to_them_what_came_and_how_long_somebody_was_in_them() {
    let [mut sent, mut came] = [Vec::new(), Vec::new()];
    layers_and_source_at(&[1.0, 2.0, 3.0], |now, (of_member, of_source), (member, source)| {
        let of = |part: Written| part.tables.into_iter().find(|of| of.name == "layers").expect("of layers");
        came.push(of(part_of(now, of_member, member)));
        sent.push(of(of_source.look(now, source, &mut EventLog::default(), f64::NAN).expect("it is over")));
    });
    let names = |table: &Table| table.columns.iter().map(|column| column.name.to_string()).collect::<Vec<_>>();
    let both = ["t_s", "session", "group", "layer"];
    assert_eq!(names(&sent[0]), [&both[..], &["rate_bps", "sent_pkts", "sent_bytes"]].concat());
    assert_eq!(names(&came[0]), [&both[..], &["members", "received_bps", "received_pkts"]].concat());
    let of = |tables: &[Table], column| tables.iter().map(|table| numbers(table, column)).collect::<Vec<_>>();
    // The first packets go at once, so a second may have one more.
    for sent in of(&sent, "sent_pkts") {
        assert!((10.0..=11.0).contains(&sent[0]) && (20.0..=21.0).contains(&sent[1]), "{sent:?}");
    }
    let (pkts, bps) = (of(&sent, "sent_pkts"), of(&sent, "rate_bps"));
    assert!(pkts.iter().zip(&bps).all(|(pkts, bps)| (0..2).all(|group| bps[group] == 8000.0 * pkts[group])));
    let members = of(&came, "members");
    assert_eq!((&members[0], &members[2]), (&vec![1.0, 0.0], &vec![1.0, 1.0]));
    assert!(members[1][0] == 1.0 && (members[1][1] - 0.5).abs() < 1e-9, "{members:?}");
    let received = of(&came, "received_bps");
    assert!(received[0][1].is_nan(), "nobody was in it: {received:?}");
    // In the half of a second 10 packets come, and one more or less at its ends.
    assert!((received[1][1] - 160e3).abs() <= 16e3 && (received[2][1] - 160e3).abs() <= 8e3, "{received:?}");
    assert_eq!(of(&came, "layer")[0], [0.0, 1.0]);
    assert!(of(&came, "received_pkts")[2][1] >= 19.0);
}

#[test]
fn a_host_that_stood_still_has_one_row_for_all_of_it() {
    let mut parts = Vec::new();
    layers_at(&[1.0, 4.25, 5.0], |now, record, member| {
        parts.push(part_of(now, record, member));
        assert!(record.next() > now, "the next interval ends later");
    });
    let of = |table: &str, column: &str| -> Vec<f64> { parts.iter().map(|part| only(part, table, column)).collect() };
    assert_eq!((of("host", "t_s"), of("host", "measured_s")), (vec![1.0, 4.0, 5.0], vec![1.0, 3.25, 0.75]));
    assert_eq!(of("host", "late_s"), [0.0, 0.25, 0.0]);
    // Rates are those of the time that was measured: 240 kbit/s with both layers, 80 kbit/s before.
    let rates = of("receivers", "rate_bps");
    assert!((rates[2] - 240e3).abs() < 25e3 && (150e3..240e3).contains(&rates[1]), "{rates:?}");
    let taken = of("host", "taken_pkts");
    assert!(taken.iter().all(|taken| *taken > 0.0), "{taken:?}");
}

#[test]
fn behind_a_late_look_no_moment_is_an_interval() {
    let mut parts = Vec::new();
    layers_at(&[1.0, 4.75, 6.0], |now, record, member| {
        parts.push(part_of(now, record, member));
        assert!(record.next().since(now) >= Duration::from_millis(500), "{now:?}");
    });
    let of = |column: &str| -> Vec<f64> { parts.iter().map(|part| only(part, "host", column)).collect() };
    assert_eq!((of("t_s"), of("measured_s")), (vec![1.0, 4.0, 6.0], vec![1.0, 3.75, 1.25]));
}

#[test]
fn another_endpoint_has_counted_nothing_yet() {
    let mut rates = Vec::new();
    layers_at(&[1.0, 1.4, 2.0], |now, record, member| match now {
        Instant(1_400_000_000) => record.renew(now),
        _ => rates.push(only(&part_of(now, record, member), "host", "measured_s")),
    });
    assert!((rates[1] - 0.6).abs() < 1e-9, "{rates:?}");
}

#[test]
fn what_is_left_at_the_end_are_events_alone() {
    layers_at(&[1.0, 1.7], |now, record, member| match now {
        Instant(1_700_000_000) => {
            let mut log = std::mem::take(&mut member.content_mut().0);
            let rest = record.rest(now, member, &mut log);
            let rows: Vec<_> = rest.tables.iter().filter(|of| of.rows() > 0).map(|of| (of.name, of.rows())).collect();
            assert_eq!((rows, rest.t_s), (vec![("events", 1)], 1.7));
        }
        _ => drop(part_of(now, record, member)),
    });
}
