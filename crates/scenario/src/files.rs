//! Files: the scenario's own, and those that it names, which are all read here. Where there are no folders, as in a
//! browser, their contents are given by name.
//!
//! A scenario may come from a stranger. What it names must be a regular file, so that no reading waits for a pipe or
//! never ends at a device; no file is read beyond a limit, whatever its length is said to be; and a file outside the
//! scenario's folder is not quoted in messages, which may be shown to who wrote the scenario.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes of a file at most.
pub const LARGEST: u64 = 1 << 24;

/// Where the files are that a scenario names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Files<'f> {
    /// Nobody has said.
    Unknown,
    /// In the scenario's folder, from which their paths lead.
    Folder(&'f Path),
    /// Here, by the names that the scenario has for them.
    Given(&'f BTreeMap<String, Vec<u8>>),
}

/// The text of a file that a scenario names.
#[derive(Debug)]
pub(crate) struct Named<'n> {
    pub text: String,
    /// As the scenario has it.
    name: &'n str,
    /// Whether it lies, links followed, anywhere but in the scenario's folder.
    is_outside: bool,
}

impl<'n> Named<'n> {
    /// The file that a scenario calls `name`; or why it cannot be read.
    pub fn read(files: Files<'_>, name: &'n str) -> Result<Named<'n>, String> {
        Named::read_up_to(LARGEST, files, name)
    }

    /// The file that a scenario calls `name`, of at most so many bytes; or why it cannot be read.
    pub fn read_up_to(most: u64, files: Files<'_>, name: &'n str) -> Result<Named<'n>, String> {
        let cannot = |path: &Path, why: String| format!("the file {} cannot be read: {why}", path.display());
        match files {
            Files::Unknown => {
                Err(format!("{name} cannot be read: nobody has said where the scenario lies, so give a list"))
            }
            Files::Folder(folder) => {
                let path = folder.join(name);
                let (text, is_outside) = regular(most, folder, &path).map_err(|why| cannot(&path, why))?;
                Ok(Named { text, name, is_outside })
            }
            Files::Given(files) => {
                let bytes = files.get(name).ok_or_else(|| "it has not been given".to_owned());
                let text =
                    bytes.and_then(|bytes| limited_to(most, &bytes[..])).map_err(|why| cannot(Path::new(name), why))?;
                Ok(Named { text, name, is_outside: false })
            }
        }
    }

    /// A text that comes with the program.
    pub fn built_in(name: &'n str, text: &str) -> Named<'n> {
        Named { text: text.to_owned(), name, is_outside: false }
    }

    /// A message about what stands at a place of it, counted from 1; `why` may quote it.
    pub fn wrong(&self, place: Option<(usize, usize)>, why: &str) -> String {
        let name = self.name;
        match (self.is_outside, place) {
            (false, _) => format!("{name}{why}"),
            (true, Some((line, column))) => {
                format!("{name}, line {line}, column {column}: not legal there; {UNQUOTED}")
            }
            (true, None) => format!("{name}: not legal; {UNQUOTED}"),
        }
    }
}

const UNQUOTED: &str = "what a file outside the scenario's folder holds is not shown";

fn regular(most: u64, folder: &Path, path: &Path) -> Result<(String, bool), String> {
    let told = |error: io::Error| error.to_string();
    let about = path.metadata().map_err(told)?;
    if !about.is_file() {
        return Err(format!(
            "it is {}; legal is a regular file",
            if about.is_dir() { "a folder" } else { "a device or pipe" }
        ));
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let is_outside = !path.canonicalize().map_err(told)?.starts_with(folder.canonicalize().map_err(told)?);
    // The kernel's own files (proc(5)) say that they are empty, and reading some of them waits.
    if about.len() == 0 {
        return Ok((String::new(), is_outside));
    }
    Ok((limited_to(most, File::open(path).map_err(told)?)?, is_outside))
}

/// All text that comes from `source`, unless it is too much.
pub(crate) fn limited(source: impl Read) -> Result<String, String> {
    limited_to(LARGEST, source)
}

fn limited_to(most: u64, source: impl Read) -> Result<String, String> {
    let mut bytes = Vec::new();
    source.take(most + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > most {
        return Err(format!("it has more than {most} bytes, which is the limit"));
    }
    String::from_utf8(bytes).map_err(|_| "it is not a text in UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// A folder of its own, with one in it.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("faircast-{name}-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("in")).expect("a folder can be made");
        folder
    }

    #[test]
    fn what_is_outside_is_read_and_not_quoted() {
        let folder = folder("outside");
        for place in ["in/own", "other"] {
            std::fs::write(folder.join(place), "secret\n").expect("a file can be written");
        }
        let of = |name| Named::read(Files::Folder(&folder.join("in")), name).expect("it can be read");
        assert_eq!(of("own").wrong(Some((1, 3)), ", line 1: secret"), "own, line 1: secret");
        let outside =
            "../other, line 1, column 3: not legal there; what a file outside the scenario's folder holds is not shown";
        assert_eq!(of("../other").wrong(Some((1, 3)), ", line 1: secret"), outside);
        assert_eq!(of("../other").text, "secret\n");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../other", folder.join("in/link")).expect("a link can be made");
            assert!(!of("link").wrong(None, ": secret").contains("secret"));
        }
        std::fs::remove_dir_all(folder).expect("it can be removed");
    }

    #[test]
    fn what_is_given_is_read_by_its_name() {
        let files = BTreeMap::from([("trace.csv".to_owned(), b"text".to_vec()), ("x".to_owned(), vec![0xff])]);
        let read = |name| Named::read(Files::Given(&files), name);
        assert_eq!(read("trace.csv").expect("it is given").text, "text");
        let why = |name| read(name).expect_err("it cannot be read");
        assert_eq!(why("/etc/passwd"), "the file /etc/passwd cannot be read: it has not been given");
        assert_eq!(why("x"), "the file x cannot be read: it is not a text in UTF-8");
    }

    #[test]
    fn nothing_is_read_beyond_the_limit() {
        assert_eq!(limited(&b"text"[..]).as_deref(), Ok("text"));
        let exact = limited(io::repeat(b'x').take(LARGEST)).expect("just as much as is legal");
        assert_eq!(exact.len() as u64, LARGEST);
        assert_eq!(limited(io::repeat(b'x')), Err("it has more than 16777216 bytes, which is the limit".to_owned()));
        assert_eq!(limited(&b"\xff"[..]), Err("it is not a text in UTF-8".to_owned()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_regular_files_are_read() {
        let folder = folder("regular");
        let _own = std::os::unix::net::UnixListener::bind(folder.join("socket")).expect("a socket can be made");
        for (name, why) in [
            ("in", "it is a folder"),
            ("socket", "it is a device or pipe"),
            ("/dev/zero", "it is a device or pipe"),
            ("missing", "No such file"),
        ] {
            let error = Named::read(Files::Folder(&folder), name).expect_err("it is no regular file");
            assert!(error.contains(why), "{error}");
        }
        // A file of the kernel, of length 0.
        assert_eq!(Named::read(Files::Folder(&folder), "/proc/self/status").expect("a regular file").text, "");
        std::fs::remove_dir_all(folder).expect("it can be removed");
    }
}
