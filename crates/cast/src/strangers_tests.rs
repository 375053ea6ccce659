//! Receivers whose keys are not those of the session, in virtual time: what they are told, and that those who have the
//! keys go on as if there were none.

use crate::ending::Ending;
use crate::testing::ends::{files, into_folder};
use crate::testing::{Folder, agreed, begin, bytes, cloud, go_on};
use faircast_wire::testing::Turns;
use std::fs;
use std::time::Duration;

/// Sends a file to a receiver of the session, at host 1, and lets one with other keys listen at host 2, which loses
/// this part of all packets. What it is told within 40 s, and how it ends that has waited in vain then.
fn beside_a_stranger(options: &str, loss: f64) -> (Vec<String>, Result<String, Ending>) {
    let [folder, others] = ["rightful", "others"].map(|whose| Folder::new(&format!("{whose}-{loss}")));
    let (of_sender, of_receivers) = folder.keys(1);
    let (_, of_others) = others.keys(2);
    let agreed = agreed(&format!("--keys k {options}"), "4Mbit/s");
    let cloud = cloud(&agreed, 3, 7);
    cloud.borrow_mut().hosts[2].loss = loss;
    let (path, content) = (folder.path().join("film"), bytes(1_000_000, 1));
    fs::write(&path, &content).unwrap();
    let mut sender = files(&agreed, 9, Some(&of_sender), &[path]);
    let mut receiver = into_folder(&agreed, 1, Some(&of_receivers[0]), &folder.path().join("own"));
    let mut stranger = into_folder(&agreed, 2, Some(&of_others[1]), &folder.path().join("other"));
    stranger.patience = Duration::from_secs(39);
    let mut ends: [(&mut dyn Turns, usize); 3] = [(&mut receiver, 1), (&mut stranger, 2), (&mut sender, 0)];
    begin(&cloud, &mut ends);
    go_on(&cloud, 40.0, &mut ends);
    assert!(receiver.is_over && receiver.said.is_empty(), "{options}, {loss}: {:?}", receiver.said);
    assert!(fs::read(folder.path().join("own/film")).unwrap() == content, "{options}, {loss}");
    let known: Vec<u64> = sender.driver().content().offer.roster().receivers().map(|(id, _)| id).collect();
    assert_eq!(known, [u64::from(of_receivers[0].id())], "{options}, {loss}");
    assert_eq!(fs::read_dir(folder.path().join("other")).unwrap().count(), 1, "its own work alone");
    assert_eq!(sender.driver().counters().forged, 0, "{options}, {loss}: the stranger says nothing");
    assert_eq!(receiver.of().forged(), 0, "{options}, {loss}");
    assert_eq!(stranger.of().driver.content().heard, None, "{options}, {loss}");
    assert!(stranger.gives_up, "{options}, {loss}: nothing came for it");
    let end = stranger.of().silence(Duration::from_secs(5));
    (stranger.said, end)
}

#[test]
fn who_has_other_keys_is_told_also_where_nine_packets_of_ten_are_lost_and_in_several_groups() {
    let layers = "--set rates=[\"300kbit/s\",\"300kbit/s\",\"600kbit/s\"]";
    let sessions = "--scheme smcc --set join=direct --set base_rate=100kbit/s --set layers=4";
    for options in ["--scheme tfmcc", "--scheme pgmcc", sessions, &format!("--scheme layer-blocking {layers}")] {
        for loss in [0.0, 0.9] {
            let (said, end) = beside_a_stranger(options, loss);
            let [sentence] = &said[..] else { panic!("{options}, {loss}: {said:?}") };
            assert!(sentence.starts_with("packets come that receiver.key does not open: "), "{sentence}");
            let Err(Ending::Input(sentence)) = end else { panic!("{options}, {loss}: {end:?}") };
            assert!(sentence.starts_with("receiver.key opens none of the "), "{sentence}");
        }
    }
}

#[test]
fn who_hears_nothing_has_no_wrong_keys() {
    let (said, end) = beside_a_stranger("--scheme tfmcc", 1.0);
    assert_eq!((&said[..], end), (&[][..], Ok("nothing has come for 5 s".to_owned())));
}
