//! `faircast stream` over the loopback interface: processes with pipes, some of which are killed, closed or full.

use crate::place::{Place, until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// A process that ends with the test, and all that it has written so far.
struct Streaming {
    child: Child,
    output: Arc<Mutex<Vec<u8>>>,
    readers: Vec<JoinHandle<()>>,
    said: Arc<Mutex<Vec<u8>>>,
}

/// What it writes is read.
fn stream(place: &Place, how: &str) -> Streaming {
    writes(place, how, Stdio::piped())
}

fn writes(place: &Place, how: &str, to: Stdio) -> Streaming {
    let mut command = place.command(&format!("stream {how} --interface lo --json"));
    let mut child = command.stdin(Stdio::piped()).stdout(to).stderr(Stdio::piped()).spawn().unwrap();
    let (output, said) = (Arc::default(), Arc::default());
    let out = child.stdout.take().map(|from| collected(from, &output));
    let readers = out.into_iter().chain(child.stderr.take().map(|from| collected(from, &said))).collect();
    Streaming { child, output, readers, said }
}

fn receive(place: &Place, how: &str) -> Streaming {
    stream(place, &format!("--from GROUP {how}"))
}

/// What comes is collected until nothing more does.
fn collected(mut from: impl std::io::Read + Send + 'static, into: &Arc<Mutex<Vec<u8>>>) -> JoinHandle<()> {
    let into = Arc::clone(into);
    std::thread::spawn(move || {
        let mut bytes = [0; 1 << 16];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            into.lock().unwrap().extend_from_slice(&bytes[..count]);
        }
    })
}

impl Streaming {
    /// How many bytes have come out.
    fn len(&self) -> usize {
        self.output.lock().unwrap().len()
    }

    fn input(&mut self) -> ChildStdin {
        self.child.stdin.take().unwrap()
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id() as i32), signal).unwrap();
    }

    /// How it ends, what it says at its end, and what has come out.
    fn end(mut self) -> (i32, Value, Vec<u8>) {
        drop(self.child.stdin.take());
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        self.readers.drain(..).for_each(|reader| reader.join().unwrap());
        let said = String::from_utf8(self.said.lock().unwrap().clone()).unwrap();
        let last = said.lines().last().unwrap_or_default();
        (code, serde_json::from_str(last).unwrap_or_default(), std::mem::take(&mut self.output.lock().unwrap()))
    }

    fn kill(mut self) -> Vec<u8> {
        self.child.kill().unwrap();
        self.end().2
    }
}

impl Drop for Streaming {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn bytes(length: usize) -> Vec<u8> {
    let mut state = 88_172_645_463_325_252_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// Writes for as long as somebody takes it, a piece every few milliseconds; ends with the input.
fn poured(mut into: ChildStdin, content: Vec<u8>, piece: usize) -> JoinHandle<()> {
    std::thread::spawn(move || {
        for part in content.chunks(piece) {
            if into.write_all(part).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    })
}

#[test]
fn what_goes_in_comes_out_at_two_receivers() {
    for (number, keyed) in [(1, false), (2, true)] {
        let place = Place::new("whole", [82, number]);
        place.keys(2);
        let how = |of: &str| if keyed { format!("--keys keys/{of}.key") } else { "--open".to_owned() };
        let receivers = ["receiver-1", "receiver-2"].map(|of| receive(&place, &how(of)));
        let to = format!("--to GROUP --max-rate 20Mbit/s --receivers 2 {}", how("sender"));
        let (content, mut sender) = (bytes(1_500_000), stream(&place, &to));
        poured(sender.input(), content.clone(), 1 << 16).join().unwrap();
        let (code, sent, _) = sender.end();
        assert_eq!((code, &sent["bytes"], &sent["complete"]), (0, &1_500_000.into(), &2.into()), "{sent}");
        for receiver in receivers {
            let (code, value, output) = receiver.end();
            assert_eq!((code, &value["lost"], &value["is_over"]), (0, &0.into(), &true.into()), "{value}");
            assert!(output == content);
        }
    }
}

#[test]
fn a_receiver_that_is_killed_joins_again_at_the_present() {
    let place = Place::new("killed", [82, 3]);
    place.keys(2);
    let [one, two] = [1, 2].map(|of| receive(&place, &format!("--keys keys/receiver-{of}.key")));
    let mut sender = stream(&place, "--to GROUP --max-rate 20Mbit/s --receivers 2 --delay 1 --keys keys/sender.key");
    let content = bytes(1_000_000);
    let input = poured(sender.input(), content.clone(), 1000);
    until("a part has come", || two.len() > 200_000 && one.len() > 200_000);
    let before = two.kill();
    assert!(content.starts_with(&before));
    let two = receive(&place, "--keys keys/receiver-2.key");
    input.join().unwrap();
    let (code, sent, _) = sender.end();
    assert_eq!(code, 0, "{sent}");
    let (code, value, output) = one.end();
    assert!(code == 0 && output == content, "{value}");
    let (code, value, output) = two.end();
    let from = value["from"].as_u64().unwrap() as usize;
    assert!(code == 0 && from >= before.len() && output == content[from..], "{} were there: {value}", before.len());
}

#[test]
fn a_sender_that_is_killed_is_followed_and_that_is_said() {
    let place = Place::new("followed", [82, 4]);
    place.keys(1);
    let to = "--to GROUP --max-rate 20Mbit/s --keys keys/sender.key";
    let receiver = receive(&place, "--keys keys/receiver-1.key");
    let (first, second) = (bytes(600_000), bytes(200_000).into_iter().map(|byte| byte ^ 85).collect::<Vec<_>>());
    let mut sender = stream(&place, to);
    let input = poured(sender.input(), first.clone(), 1000);
    until("a part has come", || receiver.len() > 50_000);
    sender.kill();
    input.join().unwrap();
    let mut sender = stream(&place, to);
    sender.input().write_all(&second).unwrap();
    let (code, sent, _) = sender.end();
    assert_eq!(code, 0, "{sent}");
    let (code, value, output) = receiver.end();
    assert_eq!((code, &value["restarts"]), (1, &1.into()), "{value}");
    assert!(output.ends_with(&second) && first.starts_with(&output[..50_000]));
}

#[test]
fn an_output_that_is_closed_or_full_is_said_to_the_sender() {
    let place = Place::new("outputs", [82, 5]);
    let mut sender = stream(&place, "--to GROUP --max-rate 20Mbit/s --open --receivers 3 --patience 3");
    let mut content = bytes(400_000);
    let (good, mut closed) = (receive(&place, "--open"), receive(&place, "--open"));
    let full = writes(&place, "--from GROUP --open", File::create("/dev/full").unwrap().into());
    // `head -c 1000`, and then nobody reads.
    let reading = std::mem::take(&mut closed.readers);
    assert_eq!(reading.len(), 2);
    let mut head = place.command("stream --from GROUP --open --interface lo --json");
    let mut head = head.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut thousand = vec![0; 1000];
    let input = poured(sender.input(), content.clone(), 2000);
    let mut out = head.stdout.take().unwrap();
    out.read_exact(&mut thousand).unwrap();
    drop(out);
    assert_eq!(head.wait().unwrap().code(), Some(0), "nobody reads any more, which is no failure");
    assert_eq!(thousand, content[..1000]);
    let (code, value, _) = full.end();
    assert!(code == 3 && value["error"].as_str().unwrap().contains("standard output: No space left"), "{value}");
    closed.readers = reading;
    input.join().unwrap();
    let (code, sent, _) = sender.end();
    // Those that went are not waited for: two are at the end, and two have gone.
    assert_eq!((code, &sent["complete"]), (0, &2.into()), "{sent}");
    for receiver in [good, closed] {
        let (code, value, output) = receiver.end();
        assert!(code == 0 && output == content, "{value}");
    }
    content.clear();
}

#[test]
fn a_live_input_is_never_held_up_and_what_is_left_out_is_counted() {
    let place = Place::new("live", [82, 6]);
    let receiver = receive(&place, "--open");
    let mut sender = stream(&place, "--to GROUP --max-rate 1Mbit/s --open --live --delay 2");
    let content = bytes(4_000_000);
    // Several Mbit/s, so that it would be held up for long.
    poured(sender.input(), content, 4000).join().unwrap();
    let (code, sent, _) = sender.end();
    let left_out = sent["left_out"].as_u64().unwrap();
    assert!(code == 1 && left_out > 100_000 && left_out < 4_000_000, "{sent}");
    let (code, value, output) = receiver.end();
    assert_eq!((code, &value["lost"], &value["left_out"]), (1, &0.into(), &left_out.into()), "{value}");
    assert_eq!(output.len() as u64 + left_out, 4_000_000);
}

#[test]
fn a_signal_ends_both_and_says_how_far_it_was() {
    let place = Place::new("signals", [82, 7]);
    let receiver = receive(&place, "--open");
    let mut sender = stream(&place, "--to GROUP --max-rate 20Mbit/s --open");
    let mut input = sender.input();
    input.write_all(&bytes(50_000)).unwrap();
    until("a part has come", || receiver.len() == 50_000);
    for (running, signal) in [(receiver, Signal::SIGTERM), (sender, Signal::SIGINT)] {
        running.signal(signal);
        let (code, value, _) = running.end();
        assert_eq!((code, &value["bytes"], &value["exit_code"]), (130, &50_000.into(), &130.into()), "{value}");
    }
}

#[test]
fn who_cannot_read_what_comes_is_told_so_and_goes_on_waiting() {
    let place = Place::new("unread", [82, 8]);
    place.keys(2);
    fs::create_dir(place.folder.join("others")).unwrap();
    let mut sender = stream(&place, "--to GROUP --max-rate 1Mbit/s --keys keys/sender.key");
    let mut receivers = ["receive r", "probe"].map(|verb| {
        let mut command = place.command(&format!("{verb} --from GROUP --interface lo --open"));
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    });
    let said = receivers.each_mut().map(|child| {
        let said = Arc::default();
        collected(child.stderr.take().unwrap(), &said);
        said
    });
    until("both are told", || {
        said.iter().all(|said: &Arc<Mutex<Vec<u8>>>| {
            String::from_utf8_lossy(&said.lock().unwrap()).contains("they are sealed (--keys FILE)")
        })
    });
    for child in &mut receivers {
        assert_eq!(child.try_wait().unwrap(), None, "it goes on");
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let mut files = place.command("receive r --from GROUP --interface lo --keys keys/receiver-1.key --json");
    let mut files = files.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    drop(sender.input());
    files.kill().unwrap();
    files.wait().unwrap();
}

#[test]
fn bad_input_is_one_sentence_and_exit_2() {
    let place = Place::new("bad", [82, 9]);
    place.keys(1);
    let to = "stream --to GROUP --open --interface lo";
    for (line, says) in [
        ("stream --open".to_owned(), "neither is given, one is legal"),
        (format!("{to} --from GROUP"), "both are given, one is legal"),
        (
            to.to_owned(),
            "--max-rate RATE is missing: the most that the network can give, as 20Mbit/s; packets are spaced by it",
        ),
        (
            format!("{to} --max-rate 1Mbit/s --source 10.0.0.1"),
            "--source given with --to; legal is --source with --from",
        ),
        (
            format!("{to} --max-rate 90Mbit/s --scheme layered-cbr"),
            "--scheme \"layered-cbr\" given, its layers would carry parts of a stream; legal are schemes of one group",
        ),
        ("stream --from GROUP --open extra".to_owned(), "\"extra\" given; faircast stream takes [--to GROUP:PORT] "),
        ("stream --from GROUP --open --live".to_owned(), "--live given with --from; legal is --live with --to"),
        ("stream --from GROUP --open --delay 2".to_owned(), "--delay given with --from; legal is --delay with --to"),
        (format!("{to} --max-rate 1Mbit/s --delay 0.05"), "--delay \"0.05\" given; legal is 0.1 to 1000 seconds"),
        (format!("{to} --max-rate 1Gbit/s --delay 9"), "blocks of 1 GB would be kept at that rate; legal is up to 8.0"),
        (format!("{to} --max-rate 1Mbit/s --packet-size 256"), "packets are too short for a stream's signed heads"),
        ("stream --to GROUP --max-rate 1Mbit/s --interface lo".to_owned(), "neither is given, one is legal"),
        ("stream --to 127.0.0.1:5 --open --max-rate 1Mbit/s".to_owned(), "127.0.0.1 is no multicast address"),
        (
            "stream --to GROUP --keys keys/receiver-1.key --max-rate 1Mbit/s --interface lo".to_owned(),
            "keys of a receiver",
        ),
    ] {
        let done = place.command(&line).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!((done.status.code(), done.stdout.len()), (Some(2), 0), "{line}: {said}");
        assert!(said.contains(says) && said.trim_end().lines().count() == 1, "{line}: {said}");
    }
}
