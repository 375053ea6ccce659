//! Files over the loopback interface: processes that send, receive, are killed and start again.

use crate::place::{Place, Running, until};
use faircast_proto::packet::Ecn;
use faircast_wire::groups::Groups;
use faircast_wire::network::{Batch, Network as _};
use faircast_wire::sockets::{Options, Sockets};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Bytes of a symbol with packets of 1280 B.
const SYMBOL: u64 = 1144;

fn receive(place: &Place, folder: &str, how: &str) -> Running {
    place.run(&format!("receive {folder} --from GROUP --interface lo {how}"))
}

/// Bytes that a partial file has.
fn partial(place: &Place, folder: &str) -> u64 {
    let work = fs::read_dir(place.path(folder).join(".faircast")).into_iter().flatten().flatten();
    let parts = work.map(|entry| entry.path().join("1.part"));
    parts.map(|part| fs::read(part).unwrap_or_default().iter().filter(|byte| **byte != 0).count() as u64).sum()
}

fn is_listening(folder: &Path) -> bool {
    folder.join(".faircast/counter").exists()
}

#[test]
fn a_receiver_that_is_killed_goes_on_where_it_was() {
    let place = Place::new("killed", [80, 1]);
    let (bytes, small) = (place.file("film", 1_500_000), place.file("more/small", 3));
    let receivers = ["one", "two"].map(|folder| receive(&place, folder, "--open"));
    until("both listen", || ["one", "two"].iter().all(|folder| is_listening(&place.path(folder))));
    let send = "send film more --to GROUP --interface lo --open --max-rate 3Mbit/s --receivers 2 --patience 100";
    let sender = place.run(send);
    until("a part has come", || partial(&place, "two") > 300_000);
    let [one, two] = receivers;
    two.kill();
    let there = partial(&place, "two") / SYMBOL;
    let two = receive(&place, "two", "--open");
    let ends = [sender, one, two].map(Running::end);
    for (code, value, said) in &ends {
        assert_eq!(*code, 0, "{value} {said}");
    }
    for folder in ["one", "two"] {
        assert_eq!(fs::read(place.path(folder).join("film")).unwrap(), bytes);
        assert_eq!(fs::read(place.path(folder).join("more/small")).unwrap(), small);
    }
    // What was on the disk does not come again; of that at most 64 symbols were in no journal yet.
    let symbols = 1_500_000_u64.div_ceil(SYMBOL) + 1;
    let received = ends[2].1["received"].as_u64().unwrap();
    assert!(received <= symbols - there + 65 && received > 0, "{received} of {symbols}, {there} were there");
    assert_eq!(ends[1].1["received"], symbols, "nobody receives anything twice");
}

#[test]
fn a_sender_that_is_killed_is_followed_and_what_strangers_send_is_counted() {
    let place = Place::new("keys", [80, 2]);
    let bytes = place.file("film", 1_500_000);
    place.keys(2);
    let keyed = |number| receive(&place, &format!("r{number}"), &format!("--keys keys/receiver-{number}.key"));
    let receivers = [1, 2].map(keyed);
    until("both listen", || ["r1", "r2"].iter().all(|folder| is_listening(&place.path(folder))));
    let send = "send film --to GROUP --interface lo --keys keys/sender.key --max-rate 3Mbit/s --patience 100";
    let sender = place.run(send);
    until("a part has come", || partial(&place, "r1") > 300_000 && partial(&place, "r2") > 300_000);
    // Somebody without keys changes a bit of what he has recorded.
    let groups = Groups::new(place.group.parse().unwrap(), 1).unwrap();
    let options = Options { interface: Some("lo".to_owned()), ..Options::default() };
    let mut stranger = Sockets::open(groups, options).unwrap();
    stranger.join(0).unwrap();
    let mut batch = Batch::default();
    until("packets are recorded", || {
        stranger.receive(&mut |arrival| {
            let pushed = batch.push((groups.first(), Ecn::NotCapable), |into| {
                into.extend_from_slice(arrival.bytes);
                *into.last_mut().unwrap() ^= 1;
                Ok::<(), ()>(())
            });
            pushed.unwrap();
        });
        batch.len() >= 20
    });
    stranger.send(&batch).unwrap();
    sender.kill();
    let (code, value, said) = place.run(send).end();
    assert_eq!((code, value["complete"].as_u64(), value["forged"].as_u64()), (0, Some(2), Some(0)), "{value} {said}");
    for (receiver, number) in receivers.into_iter().zip([1, 2]) {
        let (code, value, said) = receiver.end();
        assert_eq!(code, 0, "{value} {said}");
        assert!(value["forged"].as_u64() >= Some(20), "{value}");
        assert_eq!(fs::read(place.path(&format!("r{number}/film"))).unwrap(), bytes);
    }
}

#[test]
fn keys_of_another_session_open_nothing() {
    let place = Place::new("others", [80, 3]);
    place.file("film", 50_000);
    for folder in ["keys", "others"] {
        assert_eq!(place.run(&format!("keys {folder} --receivers 1")).end().0, 0);
    }
    let receiver = receive(&place, "r", "--keys others/receiver-1.key --patience 12");
    until("it listens", || is_listening(&place.path("r")));
    let listens = |verb: &str| place.run(&format!("{verb} --from GROUP --interface lo --keys others/receiver-1.key"));
    let others = [listens("stream --patience 12"), listens("probe --for 12")];
    let send = "send film --to GROUP --interface lo --keys keys/sender.key --max-rate 1Mbit/s --patience";
    let (code, value, said) = place.run(&format!("{send} 3")).end();
    assert_eq!(code, 1, "{value} {said}");
    assert_eq!(value["receivers"], serde_json::json!([]));
    // It sends as long as they wait, whenever they have begun.
    let _sender = place.run(&format!("{send} 100"));
    for process in others.into_iter().chain([receiver]) {
        let (code, _, said) = process.lines();
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("packets that came: they have other keys, or none (--open)"), "{said}");
    }
}

#[test]
fn a_probe_says_who_limits_and_changes_nothing() {
    let place = Place::new("probe", [80, 9]);
    place.file("film", 1_000_000);
    place.keys(2);
    let receiver = receive(&place, "r", "--keys keys/receiver-1.key");
    until("it listens", || is_listening(&place.path("r")));
    // The film takes 8 s at least.
    let probe = place.run("probe --from GROUP --interface lo --keys keys/receiver-2.key --for 12");
    let send = "send film --to GROUP --interface lo --keys keys/sender.key --max-rate 1Mbit/s --receivers 1";
    let (code, sent, said) = place.run(send).end();
    assert_eq!((code, &sent["forged"], &sent["refused"]), (0, &0.into(), &0.into()), "{sent} {said}");
    assert_eq!(sent["receivers"].as_array().unwrap().len(), 1, "{sent}");
    assert_eq!((&sent["limiting"]["id"], sent["limiting"]["rtt_s"].is_f64()), (&1.into(), true), "{sent}");
    assert_eq!(receiver.end().1["id"], 1);
    let (code, lines, said) = probe.lines();
    // A second that a busy host does not let it have has no line.
    assert!(code == 0 && lines.len() <= 12, "{said}");
    let last = lines.iter().rfind(|line| line["received_bps"].as_f64() > Some(1e5)).expect("something comes");
    assert_eq!((&last["limiting"], last["rate_bps"].is_f64(), &last["rtt_s"]), (&1.into(), true, &().into()), "{last}");
    assert!(last["max_rtt_s"].is_f64() && last["loss_event_rate"].is_f64(), "{last}");
}

#[test]
fn a_probe_that_reports_has_a_round_trip_time_and_one_that_hears_nothing_says_so() {
    let place = Place::new("reports", [80, 10]);
    place.file("film", 400_000);
    place.keys(1);
    let (code, _, said) = place.run("probe --from GROUP --interface lo --keys keys/receiver-1.key --report").end();
    assert!(code == 2 && said.contains("legal is --report with --open"), "{said}");
    let sender = place.run("send film --to GROUP --interface lo --open --max-rate 1Mbit/s --patience 15");
    let silent = place.run("probe --from GROUP --interface lo --open --for 10");
    let (code, lines, said) = place.run("probe --from GROUP --interface lo --open --report --for 10").lines();
    assert_eq!(code, 0, "{said}");
    let (code, unheard, said) = silent.lines();
    assert!(code == 0 && unheard.iter().all(|line| line["rtt_s"].is_null()), "nobody answers it: {unheard:?} {said}");
    assert!(lines.iter().any(|line| line["rtt_s"].as_f64().is_some_and(|rtt| rtt < 1.0)), "{lines:?}");
    assert!(lines.iter().any(|line| line["limiting"].as_u64() > Some(0)), "it limits itself: {lines:?}");
    let (code, sent, _) = sender.end();
    assert_eq!((code, sent["complete"].as_u64()), (1, Some(0)), "{sent}");
    let (code, lines, said) = place.run("probe --from GROUP --interface lo --open --for 1.2").lines();
    assert_eq!((code, lines.len(), &lines[1]["exit_code"]), (1, 2, &1.into()), "{said}");
    assert_eq!(lines[1]["error"], "no packets of the session have come in 1.2 s");
}

#[test]
fn bad_input_is_one_sentence_and_exit_2() {
    let place = Place::new("bad", [80, 4]);
    place.file("film", 10);
    place.file("odd/two\nlines", 10);
    place.keys(1);
    let taken = std::net::UdpSocket::bind(("0.0.0.0", 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let lo = "--max-rate 1Mbit/s --interface lo";
    for (line, says) in [
        (format!("send film --to 127.0.0.1:5000 --open {lo}"), "127.0.0.1 is no multicast address"),
        ("send film --to GROUP --open --max-rate 1Mbit/s --interface nope".to_owned(), "there is no interface nope"),
        ("send film --to GROUP --open --interface lo".to_owned(), "--max-rate RATE is missing"),
        (format!("send film --to GROUP {lo}"), "neither is given"),
        (format!("send none --to GROUP --open {lo}"), "cannot read none: it is not there"),
        (format!("send film --to GROUP --keys keys/receiver-1.key {lo}"), "keys of a receiver, no sender's"),
        (
            format!("send film --to GROUP --keys keys/sender.key --scheme rlm --set rates=[\"100kbit/s\"] {lo}"),
            "--open",
        ),
        (format!("send film --to GROUP --open --set paket=1 {lo}"), "paket: unknown; legal are"),
        (
            format!("send film --to GROUP --open --set ecn=false --set granularity=0 {lo}"),
            "--set \"granularity=0\" given; ",
        ),
        (
            format!("send film --to GROUP --open --set packet_size=512B {lo}"),
            "--set packet_size given; legal is to give it by --packet-size",
        ),
        (
            format!("send film --to GROUP --open --scheme smcc --set tfmcc.packet_size=512B {lo}"),
            "--set tfmcc.packet_size given; legal is to give it by --packet-size",
        ),
        (format!("send film --to GROUP --open --set granularity.x=1 {lo}"), "before the dot has no keys"),
        (format!("send film --to GROUP --open --set scheme=cbr {lo}"), "legal is to give it by --scheme"),
        (format!("send film --to GROUP --open --set max_rate=1bit/s {lo}"), "legal is to give it by --max-rate"),
        (format!("send film --to GROUP --open --set application.rate=1bit/s {lo}"), "files are all that is"),
        (format!("send odd --to GROUP --open {lo}"), "odd/two\\nlines cannot be sent"),
        (format!("receive r --from 239.255.80.9:{port} --open --interface lo"), "in use"),
        ("keys keys --receivers 1".to_owned(), "is there already"),
        ("listen".to_owned(), "there is no verb"),
    ] {
        let (code, value, said) = place.run(&line).end();
        assert_eq!((code, value["exit_code"].as_u64()), (2, Some(2)), "{line}: {said}");
        assert!(said.contains(says) && said.trim_end().lines().count() == 1, "{line}: {said}");
    }
}

#[test]
fn an_output_that_is_full_is_said_and_one_that_is_closed_ends_a_probe() {
    let place = Place::new("output", [80, 11]);
    for verb in ["keys keys --receivers 1", "keys --help"] {
        let full = fs::File::create("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_faircast"));
        command.args(verb.split_whitespace()).current_dir(&place.folder).stdout(full);
        let Output { status, stderr, .. } = command.output().unwrap();
        let said = String::from_utf8(stderr).unwrap();
        assert!(status.code() == Some(3) && said.contains("to standard output: No space left"), "{verb}: {said}");
    }
    let mut probe = place.run("probe --from GROUP --interface lo --open");
    drop(probe.child().stdout.take());
    until("nobody reads", || probe.child().try_wait().unwrap().is_some());
    assert_eq!(probe.child().wait().unwrap().code(), Some(0));
}

#[test]
fn words_that_are_no_text_make_no_other_folder() {
    use std::os::unix::ffi::OsStrExt as _;
    let place = Place::new("words", [80, 5]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_faircast"));
    command.arg("receive").arg(std::ffi::OsStr::from_bytes(b"d\xff")).current_dir(&place.folder);
    command.args(["--from", &place.group, "--interface", "lo", "--open", "--patience", "0.1"]);
    let Output { status, stderr, .. } = command.output().unwrap();
    assert_eq!(status.code(), Some(2), "{stderr:?}");
    assert!(String::from_utf8(stderr).unwrap().contains("legal are words in UTF-8"));
    assert_eq!(fs::read_dir(&place.folder).unwrap().count(), 0);
}

#[test]
fn a_disk_that_does_not_take_the_folder_is_exit_3() {
    let place = Place::new("disk", [80, 6]);
    let (code, _, said) = place.run("receive /proc/none --from GROUP --interface lo --open --patience 0.1").end();
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("cannot make /proc/none"), "{said}");
}

/// A disk of 16 kB of the test's own, in a namespace of mounts, which ends with its process.
#[test]
fn keys_that_a_full_disk_cuts_off_leave_nothing() {
    let place = Place::new("full-keys", [80, 12]);
    let program = env!("CARGO_BIN_EXE_faircast");
    let script =
        format!("mount -t tmpfs -o size=16k none . && cd $PWD && {program} keys k --receivers 50; echo $? $(ls k)");
    let done = Command::new("unshare").args(["-rm", "sh", "-c", &script]).current_dir(&place.folder).output();
    let Some(done) = done.ok().filter(|done| !String::from_utf8_lossy(&done.stderr).contains("unshare")) else {
        return eprintln!("left out: no namespace of mounts is to be had here");
    };
    let (out, said) = (String::from_utf8(done.stdout).unwrap(), String::from_utf8(done.stderr).unwrap());
    assert_eq!(out, "3\n", "{said}");
    assert!(said.contains("the disk is full; make room and start again") && said.lines().count() == 1, "{said}");
}

#[test]
fn nobody_has_to_read_what_it_says() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_faircast"));
    let mut child = command.arg("listen").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

#[test]
fn an_interrupt_before_the_first_packet_is_one() {
    let place = Place::new("hashing", [80, 8]);
    // Takes longer to read than any test.
    fs::File::create(place.path("film")).unwrap().set_len(1 << 42).unwrap();
    let mut sender = place.run("send film --to GROUP --interface lo --open --max-rate 1Mbit/s");
    let id = sender.child().id();
    let is_reading = || {
        let open = fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten().flatten();
        open.filter_map(|entry| fs::read_link(entry.path()).ok()).any(|path| path.ends_with("film"))
    };
    until("it reads", is_reading);
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(id as i32), nix::sys::signal::Signal::SIGTERM).unwrap();
    let (code, value, said) = sender.end();
    assert_eq!((code, value["exit_code"].as_u64()), (130, Some(130)), "{said}");
}

/// The records of a journal, but for those that were cut off.
fn journal(path: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(path.join("session.journal")).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line.splitn(3, ' ').nth(2)?).ok()).collect()
}

#[test]
fn both_ends_write_down_what_they_see_and_go_on_after_a_kill() {
    let place = Place::new("results", [80, 14]);
    place.file("film", 900_000);
    let receiver = receive(&place, "r", "--open --results seen/r");
    until("it listens", || is_listening(&place.path("r")));
    let send = "send film --to GROUP --interface lo --open --max-rate 1Mbit/s --patience 100 --results seen/s";
    let sender = place.run(send);
    until("there are intervals", || journal(&place.path("seen/s")).len() > 3);
    sender.kill();
    let lines = journal(&place.path("seen/s")).len();
    // A folder of somebody else's is none of this command's.
    let (code, value, said) = place.run(&send.replace("seen/s", "r")).end();
    assert!(code == 2 && said.contains("--results \"r\" given; it holds something else"), "{value} {said}");
    let (code, value, said) = place.run(&send.replace("1Mbit/s", "2Mbit/s")).end();
    assert!(code == 2 && said.contains("it holds another session"), "{value} {said}");
    let (code, value, said) = place.run(send).end();
    assert_eq!(code, 0, "{value} {said}");
    assert_eq!(receiver.end().0, 0);
    let [of_sender, of_receiver] = ["seen/s", "seen/r"].map(|folder| journal(&place.path(folder)));
    let again: Vec<usize> = (0..of_sender.len()).filter(|at| of_sender[*at]["again_s"].is_f64()).collect();
    assert_eq!((again, of_sender[0]["kind"].as_str()), (vec![lines], Some("session")));
    let times: Vec<f64> = of_sender.iter().filter_map(|record| record["t_s"].as_f64()).collect();
    assert!(times.is_sorted(), "the clock goes on: {times:?}");
    assert_eq!(of_sender.last().map(|last| last["ended"].clone()), Some("done".into()));
    assert_eq!(of_receiver.last().map(|last| last["ended"].clone()), Some("done".into()));
    assert_eq!((&of_receiver[0]["session"]["max_rate"], of_receiver[0]["who"].is_string()), (&().into(), true));
    // What the sender sent in all its intervals is what it says at its end, but for those since the last one.
    let column = |records: &[serde_json::Value], table: &str, name: &str| -> f64 {
        let columns = records[0]["columns"][table].as_array().unwrap();
        let place = columns.iter().position(|column| column[0] == name).unwrap();
        let rows = records.iter().filter_map(|record| record["tables"][table][place].as_array());
        rows.flatten().filter_map(serde_json::Value::as_f64).sum()
    };
    let since_again: Vec<_> = std::iter::once(&of_sender[0]).chain(&of_sender[lines..]).cloned().collect();
    let (sent, all) = (column(&since_again, "flows", "sent_pkts"), value["packets"].as_f64().unwrap());
    assert!(sent > 0.5 * all && sent <= all, "{sent} of {all}");
    assert!(column(&of_receiver, "receivers", "rate_bps") > 0.0, "{of_receiver:?}");
    let kinds = |records: &[serde_json::Value]| -> String {
        records.iter().map(|record| record["tables"]["events"].to_string()).collect()
    };
    let name = of_receiver[0]["who"].as_str().unwrap();
    assert!(kinds(&of_sender).contains("limiting-receiver") && kinds(&of_sender).contains(name));
    assert!(kinds(&of_receiver).contains("limiting-receiver"), "it hears who limits");
}

#[test]
fn a_disk_that_is_full_ends_what_is_written_down_and_not_the_session() {
    let place = Place::new("full-results", [80, 15]);
    let bytes = place.file("film", 300_000);
    let receiver = receive(&place, "r", "--open");
    until("it listens", || is_listening(&place.path("r")));
    // No file of the sender's may become longer than this: its journal's first record fits, some intervals do not.
    let line = "ulimit -f 8; trap '' XFSZ; exec PROGRAM send film --to GROUP --interface lo --open \
                --max-rate 400kbit/s --results seen --patience 100 --json";
    let line = line.replace("PROGRAM", env!("CARGO_BIN_EXE_faircast")).replace("GROUP", &place.group);
    let mut shell = Command::new("bash");
    shell.args(["-c", &line]).current_dir(&place.folder);
    let (code, value, said) = Running::begin(&mut shell).end();
    assert_eq!((code, &value["complete"]), (0, &1.into()), "{value} {said}");
    assert_eq!(said.matches("the session goes on").count(), 1, "{said}");
    assert_eq!(receiver.end().0, 0);
    assert_eq!(fs::read(place.path("r/film")).unwrap(), bytes);
    let text = fs::read_to_string(place.path("seen/session.journal")).unwrap();
    assert!(text.len() <= 8192 && journal(&place.path("seen")).len() == text.lines().count() - 1, "{}", text.len());
}
