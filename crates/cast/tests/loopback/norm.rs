//! `--format norm` over the loopback interface: our two ends, and what is refused.

use crate::place::{Place, Running};
use std::fs;

fn receive(place: &Place, folder: &str, how: &str) -> Running {
    place.run(&format!("receive {folder} --from GROUP --interface lo --open --format norm {how}"))
}

fn send(place: &Place, how: &str) -> Running {
    place.run(&format!("send {how} --to GROUP --interface lo --open --format norm --max-rate 20Mbit/s"))
}

#[test]
fn a_folder_goes_to_two_receivers() {
    let place = Place::new("two", [79, 1]);
    let (film, small) = (place.file("films/film", 800_000), place.file("films/more/small", 3));
    place.file("films/empty", 0);
    let receivers = [receive(&place, "one", ""), receive(&place, "two", "--source 127.0.0.1")];
    let sender = send(&place, "films --receivers 2 --patience 100");
    let (code, value, said) = sender.end();
    assert_eq!(code, 0, "{value} {said}");
    assert_eq!((&value["files"], &value["complete"]), (&3.into(), &2.into()), "{value}");
    for (folder, receiver) in ["one", "two"].into_iter().zip(receivers) {
        let (code, value, said) = receiver.end();
        assert_eq!((code, &value["named"]), (0, &3.into()), "{value} {said}");
        let read = |name: &str| fs::read(place.folder.join(folder).join("films").join(name)).unwrap();
        assert_eq!((read("film"), read("more/small"), read("empty")), (film.clone(), small.clone(), Vec::new()));
        assert_eq!(fs::read_dir(place.folder.join(folder).join(".faircast/pieces")).unwrap().count(), 0);
    }
}

#[test]
fn what_has_the_name_already_stays() {
    let place = Place::new("stays", [79, 2]);
    place.file("film", 50_000);
    place.file("in/film", 7);
    let receiver = receive(&place, "in", "");
    assert_eq!(send(&place, "film").end().0, 0);
    let (code, value, said) = receiver.end();
    assert_eq!((code, &value["refused"]), (1, &1.into()), "{value}");
    assert!(said.contains("film is there with other content and stays; --replace replaces it"), "{said}");
    assert_eq!(fs::metadata(place.folder.join("in/film")).unwrap().len(), 7);
}

/// The folder has a file where the name of one that is offered has a folder.
#[test]
fn a_name_that_cannot_be_had_does_not_keep_others_from_theirs() {
    let place = Place::new("below", [79, 5]);
    place.file("offered/film/1", 5000);
    let last = place.file("offered/last", 5000);
    place.file("in/offered/film", 7);
    let receiver = receive(&place, "in", "");
    assert_eq!(send(&place, "offered").end().0, 0);
    let (code, value, said) = receiver.end();
    assert_eq!((code, &value["named"], &value["refused"]), (1, &1.into(), &1.into()), "{value} {said}");
    assert!(said.contains("\"offered/film/1\" is not kept: "), "{said}");
    assert!(said.contains("should be a folder and is something else"), "{said}");
    assert_eq!(fs::read(place.folder.join("in/offered/last")).unwrap(), last);
    assert_eq!(fs::metadata(place.folder.join("in/offered/film")).unwrap().len(), 7);
}

#[test]
fn nobody_is_waited_for_longer_than_the_patience() {
    let place = Place::new("patience", [79, 3]);
    place.file("film", 1000);
    let (code, value, _) = send(&place, "film --patience 0.5").end();
    assert_eq!((code, &value["complete"]), (1, &0.into()), "{value}");
    let error = value["error"].as_str().unwrap();
    assert!(error.starts_with("incomplete, nobody who lacks something was heard for 0.5 s: "), "{error}");
    let (code, value, _) = receive(&place, "in", "--patience 0.5").end();
    assert_eq!((code, &value["error"]), (1, &"incomplete: nothing has come for 0.5 s".into()));
}

#[test]
fn what_norm_has_not_is_refused() {
    let place = Place::new("refused", [79, 4]);
    place.file("film", 1000);
    let keys = "legal is --open without --keys";
    let name = "x".repeat(220);
    place.file(&name, 1);
    let send = "send film --to GROUP --interface lo --format norm";
    let long = format!("send {name} --to GROUP --interface lo --format norm --open --max-rate 9Mbit/s");
    let names = "--format norm: standard formats have no keys;";
    for (line, sentence) in [
        (format!("{send} --max-rate 9Mbit/s"), format!("{names} --open is not given, {keys}")),
        (format!("{send} --max-rate 9Mbit/s --keys k"), format!("{names} --keys is given, {keys}")),
        (
            format!("{send} --max-rate 9Mbit/s --open --scheme pgmcc"),
            "--scheme \"pgmcc\" given with --format norm; legal is tfmcc, which is NORM's".to_owned(),
        ),
        (
            format!("{send} --max-rate 9Mbit/s --open --set granularity=1ms"),
            "--set \"granularity=1ms\" given with --format norm, which has no parameters; legal is none".to_owned(),
        ),
        (
            format!("{send} --max-rate 9Mbit/s --open --results there"),
            "--results \"there\" given with --format norm, which has no tables; legal is none".to_owned(),
        ),
        (format!("{send} --max-rate 9Mbit/s --open --to 10.0.0.1:5"), "--to is given twice".to_owned()),
        (format!("{send} --max-rate much --open"), "--max-rate: ".to_owned()),
        (
            format!("{send} --max-rate 9Mbit/s --open --receivers 10001"),
            "--receivers 10001 given with --format norm; legal is at most 10000".to_owned(),
        ),
        (
            "receive in --from 10.0.0.1:5 --open --format norm".to_owned(),
            "--from 10.0.0.1:5: 10.0.0.1 is no multicast address".to_owned(),
        ),
        ("receive in --from GROUP --open --format norm --interface no0".to_owned(), "no0".to_owned()),
        (format!("{long} --packet-size 256"), "is longer than a packet takes, 196 bytes".to_owned()),
    ] {
        let (code, value, said) = place.run(&line).end();
        assert_eq!(code, 2, "{line}: {value} {said}");
        assert!(said.contains(&sentence), "{line}: {said}");
    }
}
