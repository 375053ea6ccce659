//! Files in virtual time, of which for five seconds nine packets of ten are lost, and the reports of it as well: is the
//! rate back a minute later, and do all have the files as they were?

use crate::testing::ends::{Receiving, files, into_folder};
use crate::testing::{Folder, agreed, begin, bytes, cloud, go_on};
use faircast_deliver::store::Store;
use faircast_proto::time::Rate;
use faircast_wire::testing::{Cloud, Turns};
use std::cell::RefCell;
use std::fs;
use std::rc::Rc;

/// The spike, seconds: it begins when the start is over.
const SPIKE: (f64, f64) = (20.0, 25.0);
/// "A minute later".
const BACK: f64 = 85.0;
const LINK: Rate = Rate(1_000_000);

/// What a file is named, and what it is to be.
type File = (&'static str, Vec<u8>);

/// How a spike was lived through.
struct Lived {
    /// Bytes of symbols that had come at each receiver, before the spike in 10 s, and from a minute after it in 10 s.
    before: [u64; 2],
    back: [u64; 2],
    /// When both had said that they have everything, seconds; none if they have not within the time.
    over_s: Option<f64>,
    /// Whether the files are as they were at both.
    is_whole: bool,
}

fn losses(cloud: &Rc<RefCell<Cloud>>, loss: f64) {
    cloud.borrow_mut().hosts.iter_mut().for_each(|host| host.loss = loss);
}

fn symbols(receivers: &[Receiving<'_, Store>; 2]) -> [u64; 2] {
    receivers.each_ref().map(|receiver| receiver.of().driver.content().symbols)
}

/// Sends files to two receivers by these options, at `max_rate` and over a link of the first host if there is one, for
/// so many seconds at most.
fn through_a_spike(
    name: &str,
    (options, max_rate, link): (&str, &str, Option<Rate>),
    offered: &[File],
    most_s: f64,
    is_keyed: bool,
) -> Lived {
    let folder = Folder::new(&format!("spike-{name}"));
    let keys = is_keyed.then(|| folder.keys(2));
    let how = if is_keyed { "--keys k" } else { "--open" };
    let agreed = agreed(&format!("{how} {options}"), max_rate);
    let cloud = cloud(&agreed, 3, 5);
    cloud.borrow_mut().rate = link;
    let paths = offered.iter().map(|(name, content)| {
        fs::write(folder.path().join(name), content).unwrap();
        folder.path().join(name)
    });
    let mut sender = files(&agreed, 9, keys.as_ref().map(|(sender, _)| sender), &paths.collect::<Vec<_>>());
    let mut receivers = [0, 1].map(|of| {
        let own = keys.as_ref().map(|(_, receivers)| &receivers[of]);
        into_folder(&agreed, 1 + of as u64, own, &folder.path().join(format!("r{of}")))
    });
    let [one, two] = &mut receivers;
    begin(&cloud, &mut [(one, 1), (two, 2), (&mut sender, 0)]);
    let mut until = |receivers: &mut [Receiving<'_, Store>; 2], until_s: f64| {
        let [one, two] = receivers;
        let mut ends: [(&mut dyn Turns, usize); 3] = [(one, 1), (two, 2), (&mut sender, 0)];
        go_on(&cloud, until_s, &mut ends);
        symbols(receivers)
    };
    let came = |from: [u64; 2], to: [u64; 2]| [to[0] - from[0], to[1] - from[1]];
    let early = until(&mut receivers, SPIKE.0 - 10.0);
    let before = came(early, until(&mut receivers, SPIKE.0));
    losses(&cloud, 0.9);
    until(&mut receivers, SPIKE.1);
    losses(&cloud, 0.0);
    let later = until(&mut receivers, BACK);
    let back = came(later, until(&mut receivers, BACK + 10.0));
    let mut now_s = BACK + 10.0;
    while now_s < most_s && receivers.iter().any(|receiver| !receiver.is_over) {
        now_s += 1.0;
        until(&mut receivers, now_s);
    }
    let has = |of: usize, (name, content): &File| {
        fs::read(folder.path().join(format!("r{of}/{name}"))).ok().as_ref() == Some(content)
    };
    let is_whole = (0..2).all(|of| offered.iter().all(|file| has(of, file)));
    let is_over = receivers.iter().all(|receiver| receiver.is_over);
    Lived { before, back, over_s: is_over.then_some(now_s), is_whole }
}

/// A minute later each receiver gets at least nine tenths of what it got before the spike: the link bounds the rate
/// then as before, and a tenth is what ten seconds of it differ by.
#[test]
fn a_rate_is_back_a_minute_after_a_spike_and_files_come_whole() {
    for (scheme, is_keyed) in [("tfmcc", false), ("tfmcc", true), ("omcc", true), ("pgmcc", false)] {
        let offered = [("film", bytes(12_500_000, 1)), ("small", bytes(5, 2))];
        let way = (&*format!("--scheme {scheme}"), "2Mbit/s", Some(LINK));
        let lived = through_a_spike(&format!("{scheme}-{is_keyed}"), way, &offered, 200.0, is_keyed);
        let Lived { before, back, over_s, is_whole } = &lived;
        println!("{scheme}, keys {is_keyed}: symbols {before:?} before, {back:?} a minute later, over at {over_s:?} s");
        assert!(before.iter().zip(back).all(|(before, back)| 10 * back >= 9 * before), "{scheme}");
        assert!(*is_whole && over_s.is_some(), "{scheme}");
    }
}

/// Layers whose groups go round by themselves, with keys: of the higher ones nothing is asked for.
#[test]
fn the_carousel_of_layers_brings_files_whole_through_a_spike() {
    let rates = "--set rates=[\"300kbit/s\",\"300kbit/s\",\"600kbit/s\"]";
    for (scheme, options) in [
        ("layered-cbr", format!("--scheme layered-cbr {rates} --set level=3")),
        ("layer-blocking", format!("--scheme layer-blocking {rates}")),
    ] {
        let offered = [("film", bytes(6_000_000, 1)), ("small", bytes(5, 2))];
        let lived = through_a_spike(scheme, (&options, "4Mbit/s", None), &offered, 400.0, true);
        let Lived { before, back, over_s, is_whole } = lived;
        println!("{scheme}: symbols {before:?} before, {back:?} a minute later, over at {over_s:?} s");
        assert!(is_whole && over_s.is_some(), "{scheme}: {over_s:?}");
    }
}
