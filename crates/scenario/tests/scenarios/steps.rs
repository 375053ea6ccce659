//! Runs in steps: whatever the steps, the tables are those of a run in one piece.

use crate::support::{go, numbers, scenario, table};
use faircast_proto::time::Duration;
use faircast_scenario::run::{Control, Failure, RunOutput};
use faircast_scenario::steps::Progress;
use faircast_scenario::tables::Values;
use faircast_scenario::{Steps, run};

const TRAFFIC: &str = "format = 1\nname = \"x\"\nduration = \"4 s\"\nwarmup = \"1 s\"\nENGINE\n\
                       [topology]\nkind = \"dumbbell\"\nleft = 2\nright = 3\n\
                       [links.bottleneck]\nrate = \"2 Mbit/s\"\nqueue = { kind = \"red\" }\n\
                       agent = { kind = \"layer-blocking\", reads = \"drops\" }\n\
                       [flows.bulk]\nkind = \"tcp\"\ncount = 2\n\
                       [sessions.film]\nscheme = \"layer-blocking\"\nsource = \"left-0\"\n\
                       receivers = { nodes = [\"right-0\", \"right-1\", \"right-2\"] }\n\
                       [probes]\nqueues = [\"bottleneck\"]\npackets = [\"bottleneck\"]\ntrace = true\n";

const END: Duration = Duration::from_secs(4);

fn text(calendar: &str) -> String {
    TRAFFIC.replace("ENGINE", &format!("engine = {{ calendar = \"{calendar}\" }}"))
}

fn begun(text: &str) -> Steps {
    Steps::new(&scenario(text), 1, f64::INFINITY, &Control::default()).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// Everything that a run gave, numbers by their bits.
fn whole(output: &RunOutput) -> String {
    let mut told = format!(
        "{} {} {} {} {:?}\n",
        output.interrupted, output.simulated_s, output.packet_hops, output.events, output.trace
    );
    for table in &output.tables {
        told += &format!("{}\n", table.name);
        for column in &table.columns {
            let values = match &column.values {
                Values::Float(values) => {
                    format!("{:?}", values.iter().map(|value| value.to_bits()).collect::<Vec<_>>())
                }
                other => format!("{other:?}"),
            };
            told += &format!("{} {values}\n", column.name);
        }
    }
    told
}

#[test]
fn however_long_the_steps_are_the_tables_are_the_same() {
    for calendar in ["wheel", "heap"] {
        let text = text(calendar);
        let at_once = whole(&go(&text));
        for events in [1, 63, 64, 65, 10_007, u64::MAX] {
            let mut steps = begun(&text);
            let mut number = 1;
            while steps.advance(END, events).expect("no queue fails") == Progress::Paused {
                number += 1;
            }
            assert_eq!(number, steps.events() / events + 1, "{calendar} {events}");
            assert_eq!(steps.now(), steps.end());
            assert!(whole(&steps.finish()) == at_once, "{calendar} {events}");
        }
        // By time; a run that is over stays as it is.
        let mut steps = begun(&text);
        for millis in (0..=5000).step_by(37) {
            let now = steps.advance(Duration::from_millis(millis), u64::MAX).expect("no queue fails");
            // The events of its last look may be those before the end.
            assert!(if now == Progress::Done { millis > 3500 } else { millis < 4000 }, "{millis}");
            assert!(steps.now().0 > millis * 1_000_000 || millis >= 4000, "{millis}");
            assert!(steps.now().0 < (millis + 500) * 1_000_000, "{millis}");
        }
        assert!(whole(&steps.finish()) == at_once, "{calendar}");
    }
}

/// A run that somebody cancels, wherever that finds it, gives what one gives that is given up after as many events.
#[test]
fn given_up_half_way_it_gives_what_a_cancelled_run_gives() {
    let text = text("wheel").replace("\"4 s\"", "\"20000 s\"").replace("packets = [\"bottleneck\"]\n", "");
    let (scenario, control) = (scenario(&text), Control::default());
    let cancelled = std::thread::scope(|scope| {
        let running = scope.spawn(|| run(&scenario, 1, &control, 1));
        while control.progress() < 1e-3 && !running.is_finished() {
            std::hint::spin_loop();
        }
        control.cancel();
        running.join().expect("it does not panic").expect("something has happened")
    });
    let mut steps = begun(&text);
    // A machine that is busy elsewhere may let it come to its end, which is no event.
    let events = cancelled.events + u64::from(!cancelled.interrupted);
    steps.advance(Duration(u64::MAX), events).expect("no queue fails");
    assert!(whole(&steps.finish()) == whole(&cancelled), "after {} events", cancelled.events);
}

#[test]
fn what_has_happened_by_then_is_what_happened_in_the_whole_run() {
    let text = text("wheel");
    let mut steps = begun(&text);
    assert_eq!(steps.advance(Duration::from_secs(2), u64::MAX), Ok(Progress::Paused));
    let (events, hops) = (steps.events(), steps.packet_hops());
    let part = steps.finish();
    assert!(part.interrupted && (2.0..2.5).contains(&part.simulated_s), "{}", part.simulated_s);
    assert_eq!((part.events, part.packet_hops), (events, hops));
    let all = go(&text);
    for (name, column) in [("queues", "t_s"), ("queues", "average_pkts"), ("packets", "t_s")] {
        let [some, all] = [&part, &all].map(|output| numbers(table(output, name), column));
        assert!(!some.is_empty() && some.len() < all.len() && all.starts_with(some), "{name}.{column}");
    }
}

#[test]
fn what_has_not_begun_can_be_given_up() {
    let output = begun(&text("wheel")).finish();
    assert!(output.interrupted);
    assert_eq!((output.simulated_s, output.events, output.packet_hops), (0.0, 0, 0));
    assert_eq!(table(&output, "flows").rows(), 0);
}

#[test]
fn memory_is_what_is_given() {
    let begin = |memory: f64| Steps::new(&scenario(&text("wheel")), 1, memory, &Control::default());
    let Err(Failure::Problems(problems)) = begin(1e5) else { panic!("it takes more than 100 KB") };
    assert!(problems[0].message.contains("100.0 KB are free for it"), "{problems:?}");
    assert!(begin(1e9).is_ok());
    let control = Control::default();
    control.cancel();
    assert_eq!(Steps::new(&scenario(&text("wheel")), 1, 1e9, &control).err(), Some(Failure::Cancelled));
}
