//! `--format norm` over the loopback interface: our two ends, and what is refused.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

/// A folder of a test's own, and its group.
struct Place {
    folder: PathBuf,
    group: String,
}

impl Place {
    fn new(name: &str, number: u8) -> Place {
        let folder = std::env::temp_dir().join(format!("faircast-norm-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        // Another port for each process that runs the tests.
        let port = 20_000 + std::process::id() % 20_000;
        Place { folder, group: format!("239.255.79.{number}:{port}") }
    }

    fn file(&self, name: &str, length: u64) -> Vec<u8> {
        let bytes: Vec<u8> = (0..length).map(|at| ((at * 2_654_435_761) >> 7) as u8).collect();
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &bytes).unwrap();
        bytes
    }

    fn run(&self, line: &str) -> Child {
        let words = line.replace("GROUP", &self.group);
        let mut command = Command::new(env!("CARGO_BIN_EXE_faircast"));
        command.args(words.split_whitespace()).args(["--json"]).current_dir(&self.folder);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn receive(&self, folder: &str, how: &str) -> Child {
        self.run(&format!("receive {folder} --from GROUP --interface lo --open --format norm {how}"))
    }

    fn send(&self, how: &str) -> Child {
        self.run(&format!("send {how} --to GROUP --interface lo --open --format norm --max-rate 20Mbit/s"))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn end(child: Child) -> (i32, serde_json::Value, String) {
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let said = String::from_utf8(stderr).unwrap();
    (status.code().unwrap_or(-1), serde_json::from_slice(&stdout).unwrap_or_default(), said)
}

#[test]
fn a_folder_goes_to_two_receivers() {
    let place = Place::new("two", 1);
    let (film, small) = (place.file("films/film", 800_000), place.file("films/more/small", 3));
    place.file("films/empty", 0);
    let receivers = [place.receive("one", ""), place.receive("two", "--source 127.0.0.1")];
    let sender = place.send("films --receivers 2 --patience 100");
    let (code, value, said) = end(sender);
    assert_eq!(code, 0, "{value} {said}");
    assert_eq!((&value["files"], &value["complete"]), (&3.into(), &2.into()), "{value}");
    for (folder, receiver) in ["one", "two"].into_iter().zip(receivers) {
        let (code, value, said) = end(receiver);
        assert_eq!((code, &value["named"]), (0, &3.into()), "{value} {said}");
        let read = |name: &str| fs::read(place.folder.join(folder).join("films").join(name)).unwrap();
        assert_eq!((read("film"), read("more/small"), read("empty")), (film.clone(), small.clone(), Vec::new()));
        assert_eq!(fs::read_dir(place.folder.join(folder).join(".faircast/pieces")).unwrap().count(), 0);
    }
}

#[test]
fn what_has_the_name_already_stays() {
    let place = Place::new("stays", 2);
    place.file("film", 50_000);
    place.file("in/film", 7);
    let receiver = place.receive("in", "");
    assert_eq!(end(place.send("film")).0, 0);
    let (code, value, said) = end(receiver);
    assert_eq!((code, &value["refused"]), (1, &1.into()), "{value}");
    assert!(said.contains("film is there with other content and stays; --replace replaces it"), "{said}");
    assert_eq!(fs::metadata(place.folder.join("in/film")).unwrap().len(), 7);
}

/// The folder has a file where the name of one that is offered has a folder.
#[test]
fn a_name_that_cannot_be_had_does_not_keep_others_from_theirs() {
    let place = Place::new("below", 5);
    place.file("offered/film/1", 5000);
    let last = place.file("offered/last", 5000);
    place.file("in/offered/film", 7);
    let receiver = place.receive("in", "");
    assert_eq!(end(place.send("offered")).0, 0);
    let (code, value, said) = end(receiver);
    assert_eq!((code, &value["named"], &value["refused"]), (1, &1.into(), &1.into()), "{value} {said}");
    assert!(said.contains("\"offered/film/1\" is not kept: "), "{said}");
    assert!(said.contains("should be a folder and is something else"), "{said}");
    assert_eq!(fs::read(place.folder.join("in/offered/last")).unwrap(), last);
    assert_eq!(fs::metadata(place.folder.join("in/offered/film")).unwrap().len(), 7);
}

#[test]
fn nobody_is_waited_for_longer_than_the_patience() {
    let place = Place::new("patience", 3);
    place.file("film", 1000);
    let (code, value, _) = end(place.send("film --patience 0.5"));
    assert_eq!((code, &value["complete"]), (1, &0.into()), "{value}");
    let error = value["error"].as_str().unwrap();
    assert!(error.starts_with("incomplete, nobody who lacks something was heard for 0.5 s: "), "{error}");
    let (code, value, _) = end(place.receive("in", "--patience 0.5"));
    assert_eq!((code, &value["error"]), (1, &"incomplete: nothing has come for 0.5 s".into()));
}

#[test]
fn what_norm_has_not_is_refused() {
    let place = Place::new("refused", 4);
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
        let (code, value, said) = end(place.run(&line));
        assert_eq!(code, 2, "{line}: {value} {said}");
        assert!(said.contains(&sentence), "{line}: {said}");
    }
}
