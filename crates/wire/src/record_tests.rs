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
    let mut record = Record::new(&session, "video", Some((7, "receiver-7")), (Instant::ZERO, Instant::ZERO));
    for (first, moment) in moments.iter().enumerate() {
        let seated = |host| seat(&cloud, host, Duration::ZERO);
        let [(mut clock, mut port), (mut of_member, mut its_port)] = [0, 1].map(seated);
        if first == 0 {
            member.begin(&mut of_member, &mut its_port);
            source.begin(&mut clock, &mut port);
        }
        let until = Instant::from_secs_f64(*moment);
        run(&mut [(&mut source, clock, port), (&mut member, of_member, its_port)], until);
        look(until, &mut record, &mut member);
    }
}

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
