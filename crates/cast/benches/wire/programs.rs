//! The program itself, `faircast`, as processes: on this host, or on hosts at both ends of an emulated link.

use crate::emulator::{Port, Record, emulate};
use crate::host::{self, Started, address, host};
use crate::link::Shape;
use crate::now;
use crate::place::Place;
use crate::trial::{MEMBERS, SOURCE};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// A process, ended with its owner.
pub struct Program(Child);

/// How a process has ended.
#[derive(Clone, Debug)]
pub struct Ended {
    pub code: i32,
    /// What it said at its end with `--json`.
    pub value: Value,
    pub said: String,
    /// What it took of a processor by itself, and the kernel for it, seconds; in hundredths. The kernel samples which
    /// of the two it is, 4 ms apart, and knows their sum better.
    pub cpu_s: [f64; 2],
}

impl Program {
    /// Starts `faircast` with these words, in a folder.
    pub fn start(folder: &Path, words: &str) -> Program {
        Program::start_plain(folder, &format!("{words} --json"))
    }

    /// Starts it with these words alone: it says every ten seconds how far it is.
    pub fn start_plain(folder: &Path, words: &str) -> Program {
        let mut command = Command::new(env!("CARGO_BIN_EXE_faircast"));
        command.args(words.split_whitespace()).current_dir(folder);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        Program(child.expect("the program was built with this one"))
    }

    /// Its number.
    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Its end, waited for.
    pub fn end(mut self) -> Ended {
        let stat = || fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap_or_default();
        // A process that has ended is there until somebody has asked how.
        let mut cpu_s = [0.0; 2];
        loop {
            let stat = stat();
            // Behind the name, which is in parentheses: proc(5).
            let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
            if let [user, system, ..] = fields.get(11..).unwrap_or_default() {
                cpu_s = [user, system].map(|ticks| ticks.parse::<u64>().unwrap_or(0) as f64 / 100.0);
            }
            if matches!(fields.first(), None | Some(&"Z" | &"X" | &"")) {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let (mut stdout, mut stderr) = (self.0.stdout.take().expect("it has one"), self.0.stderr.take().expect("so"));
        let code = self.0.wait().ok().and_then(|status| status.code()).unwrap_or(-1);
        let (mut out, mut said) = (String::new(), String::new());
        let _ = std::io::Read::read_to_string(&mut stdout, &mut out);
        let _ = std::io::Read::read_to_string(&mut stderr, &mut said);
        Ended { code, value: serde_json::from_str(&out).unwrap_or_default(), said, cpu_s }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends a signal to a process.
pub fn signal(pid: u32, signal: Signal) {
    let _ = kill(Pid::from_raw(pid.cast_signed()), signal);
}

/// Waits until something is so; whether it came to that.
pub fn until(most: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let began = now();
    while now().duration_since(began) < most {
        if is_so() {
            return true;
        }
        thread::sleep(Duration::from_millis(5));
    }
    false
}

/// Whether a receiver listens whose folder this is.
pub fn listens(folder: &Path) -> bool {
    folder.join(".faircast/counter").exists()
}

/// A sender and three receivers with an emulated link between them.
pub struct Emulated {
    sender: (Started<Ended>, u32),
    receivers: Vec<(Started<Ended>, u32)>,
    emulator: thread::JoinHandle<Record>,
    stop: Arc<AtomicBool>,
    /// When the sender's command was given.
    pub began: Instant,
    folders: Vec<PathBuf>,
}

impl Emulated {
    /// Starts all of them in `place`, the sender last; the receivers' folders are `r0`, `r1`, `r2`. What `how` says is
    /// told to both ends.
    pub fn start(place: &Place, shapes: [Shape; 2], seed: u64, send: &str, how: &str) -> Result<Emulated, String> {
        let both = format!("--interface {} {how}", host::INTERFACE);
        let stop = Arc::new(AtomicBool::new(false));
        let mut ports = Vec::new();
        let mut on = |number: u8, words: String| -> Result<(Started<Ended>, mpsc::Receiver<u32>), String> {
            let (out, pid) = mpsc::channel();
            let folder = place.path("");
            let (device, started) = host(number, move || {
                let program = Program::start(&folder, &words);
                // Nobody may want to know.
                let _ = out.send(program.pid());
                program.end()
            })?
            .connected();
            ports.push(Port { device, address: address(number) });
            Ok((started, pid))
        };
        let folders: Vec<PathBuf> = (0..MEMBERS.len()).map(|number| place.path(&format!("r{number}"))).collect();
        let sender = on(SOURCE, format!("send {send} --to 239.255.77.1:5000 {both}"))?;
        let receivers = MEMBERS
            .iter()
            .enumerate()
            .map(|(at, number)| on(*number, format!("receive r{at} --from 239.255.77.1:5000 {both}")))
            .collect::<Result<Vec<_>, _>>()?;
        let (left, right) = {
            let right = ports.split_off(1);
            (ports, right)
        };
        let stop_emulator = Arc::clone(&stop);
        let emulator = thread::spawn(move || emulate((&left, &right), (shapes, seed), None, &stop_emulator));
        let pid = |(started, pid): (Started<Ended>, mpsc::Receiver<u32>)| {
            started.begin();
            let pid = pid.recv().expect("it starts a program");
            (started, pid)
        };
        let receivers: Vec<(Started<Ended>, u32)> = receivers.into_iter().map(pid).collect();
        until(Duration::from_secs(10), || folders.iter().all(|folder| listens(folder)));
        let began = now();
        let sender = pid(sender);
        Ok(Emulated { sender, receivers, emulator, stop, began, folders })
    }

    /// The number of the sender's process, and of a receiver's.
    pub fn pids(&self) -> (u32, u32) {
        (self.sender.1, self.receivers[0].1)
    }

    /// Whether a file has its name at all receivers, which it gets once its hash is right.
    pub fn has_come(&self, name: &str) -> bool {
        self.folders.iter().all(|folder| folder.join(name).exists())
    }

    /// Ends what still runs. What the emulator has seen, and how the sender has ended.
    pub fn end(self, at_once: bool) -> (Record, Ended) {
        if at_once {
            signal(self.sender.1, Signal::SIGINT);
            self.receivers.iter().for_each(|(_, pid)| signal(*pid, Signal::SIGKILL));
        }
        let ended = self.sender.0.join();
        self.receivers.into_iter().for_each(|(started, _)| drop(started.join()));
        self.stop.store(true, Ordering::Relaxed);
        (self.emulator.join().expect("the emulator does not panic"), ended)
    }
}
