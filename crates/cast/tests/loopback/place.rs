//! A folder, a group and processes of a test's own.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// A folder of a test's own, and its group.
pub struct Place {
    /// The folder, which ends with the test.
    pub folder: PathBuf,
    /// The group and the port.
    pub group: String,
}

/// A process that ends with the test.
pub struct Running(Option<Child>);

impl Place {
    /// A place whose folder has this name and whose group ends with these numbers, which no other test has.
    pub fn new(name: &str, [subject, number]: [u8; 2]) -> Place {
        let folder = std::env::temp_dir().join(format!("faircast-cast-{subject}-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        // Another port for each process that runs the tests.
        let port = 20_000 + std::process::id() % 20_000;
        Place { folder, group: format!("239.255.{subject}.{number}:{port}") }
    }

    /// A file of bytes of which none is zero, so that what a partial file has can be counted.
    pub fn file(&self, name: &str, length: u64) -> Vec<u8> {
        let bytes: Vec<u8> = (0..length).map(|at| ((at * 2_654_435_761) >> 7) as u8 | 1).collect();
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &bytes).unwrap();
        bytes
    }

    /// Keys of a sender and so many receivers in the folder `keys`.
    pub fn keys(&self, receivers: u32) {
        let (code, value, said) = self.run(&format!("keys keys --receivers {receivers}")).end();
        assert_eq!(code, 0, "{value} {said}");
    }

    /// The program with these words, in the folder; `GROUP` is the group.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_faircast"));
        command.args(line.replace("GROUP", &self.group).split_whitespace()).current_dir(&self.folder);
        command
    }

    /// The program with these words and `--json`, under way.
    pub fn run(&self, line: &str) -> Running {
        Running::begin(self.command(line).arg("--json"))
    }

    /// Where something is in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Running {
    /// A process whose output is kept until its end.
    pub fn begin(command: &mut Command) -> Running {
        Running(Some(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()))
    }

    /// The lines that it says, and how it ends.
    pub fn lines(mut self) -> (i32, Vec<serde_json::Value>, String) {
        let Output { status, stdout, stderr } = self.take().wait_with_output().unwrap();
        let lines = stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let lines = lines.map(|line| serde_json::from_slice(line).unwrap()).collect();
        (status.code().unwrap_or(-1), lines, String::from_utf8(stderr).unwrap())
    }

    /// What it says at its end, and how it ends.
    pub fn end(mut self) -> (i32, serde_json::Value, String) {
        let Output { status, stdout, stderr } = self.take().wait_with_output().unwrap();
        let said = String::from_utf8(stderr).unwrap();
        (status.code().unwrap_or(-1), serde_json::from_slice(&stdout).unwrap_or_default(), said)
    }

    /// `kill -9`.
    pub fn kill(mut self) {
        let mut child = self.take();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// The process.
    pub fn child(&mut self) -> &mut Child {
        self.0.as_mut().expect("it is taken at its end")
    }

    fn take(&mut self) -> Child {
        self.0.take().expect("it is taken at its end")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Waits, for two minutes at least.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..24_000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("never: {what}");
}
