//! Names of files as a manifest has them: paths below the receiver's folder that cannot leave it on any system.

use std::fmt;

/// The folder, in that of a receiver, in which it keeps what is not whole yet. No file may be called so.
pub const WORK_FOLDER: &str = ".faircast";

/// A relative path of parts, joined by `/`, that is harmless wherever it is stored.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileName(String);

/// The longest name, bytes. Linux takes paths of 4095, with the folder's own.
pub const MOST_NAME_BYTES: usize = 1024;
/// The longest part of a name, bytes: what Linux and others take.
pub const MOST_PART_BYTES: usize = 255;
/// The most parts of a name.
pub const MOST_PARTS: usize = 32;

/// What Windows takes for a device, with any extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

impl FileName {
    /// A name, if it is harmless.
    ///
    /// Legal are 1 to 32 parts of 1 to 255 bytes of UTF-8, 1024 bytes in all. No part is `.` or `..`, has a control
    /// character or one of `\ : * ? " < > |`, ends with a dot or a space or is a device of Windows; the first is not
    /// [`WORK_FOLDER`]. Receivers may keep files on any system, so what one of them would understand otherwise is
    /// refused for all.
    ///
    /// # Errors
    ///
    /// What is wrong with it, to stand behind the name.
    pub fn new(name: &str) -> Result<FileName, &'static str> {
        if name.is_empty() {
            return Err("is empty");
        }
        if name.len() > MOST_NAME_BYTES {
            return Err("has more than 1024 bytes");
        }
        if name.starts_with('/') {
            return Err("is absolute");
        }
        if name.split('/').count() > MOST_PARTS {
            return Err("has more than 32 parts");
        }
        for (index, part) in name.split('/').enumerate() {
            if let Some(wrong) = wrong_part(part) {
                return Err(wrong);
            }
            if index == 0 && part.eq_ignore_ascii_case(WORK_FOLDER) {
                return Err("is where receivers keep what is not whole yet");
            }
        }
        Ok(FileName(name.to_owned()))
    }

    /// The name as it is written, with `/` between parts.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its parts: folders, and the file's own name at last.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// What two names have in common that a file system without case takes for one.
    pub fn folded(&self) -> String {
        // Upper case first: it takes more letters together (the long s and s, for one).
        self.0.to_uppercase().to_lowercase()
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// What is wrong with a part of a name, if anything is.
fn wrong_part(part: &str) -> Option<&'static str> {
    if part.is_empty() {
        return Some("has an empty part");
    }
    if part == "." || part == ".." {
        return Some("has a part . or ..");
    }
    if part.len() > MOST_PART_BYTES {
        return Some("has a part of more than 255 bytes");
    }
    if part.chars().any(char::is_control) {
        return Some("has a control character");
    }
    if part.contains(['\\', ':', '*', '?', '"', '<', '>', '|']) {
        return Some("has one of \\ : * ? \" < > |, which some systems do not take for names");
    }
    if part.ends_with(['.', ' ']) {
        return Some("has a part that ends with a dot or a space, which some systems leave out");
    }
    let stem = part.split('.').next().unwrap_or(part).trim_end().to_ascii_lowercase();
    let numbered = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    let port =
        numbered.is_some_and(|number| matches!(number, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9"));
    (port || DEVICES.contains(&stem.as_str())).then_some("has a part that is a device on some systems")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_names_are_taken() {
        for name in ["film.ts", "a/b/c", "…/Größe 1", ".hidden", "con2", "comet", "a..b", "-rf", "COM10", "null"] {
            assert_eq!(FileName::new(name).expect(name).as_str(), name);
        }
        assert_eq!(FileName::new("a/b/c").expect("legal").parts().collect::<Vec<_>>(), ["a", "b", "c"]);
    }

    #[test]
    fn what_could_leave_the_folder_is_refused() {
        let long_part = "x".repeat(256);
        let long = "abc/".repeat(256) + "x";
        let deep = "a/".repeat(32) + "a";
        for name in [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../x",
            "a/../b",
            "a/./b",
            ".",
            "a//b",
            "a/",
            "a\0b",
            "a\nb",
            "\u{7f}",
            "..\\x",
            "C:x",
            "a:b",
            "con",
            "CON.txt",
            "nul .x",
            "a/Aux.c",
            "com1",
            "LPT9.log",
            "x.",
            "x ",
            "a./b",
            ".faircast",
            ".FAIRCAST/x",
            ".faircast/journal",
            "a*",
            &long_part,
            &long,
            &deep,
        ] {
            assert!(FileName::new(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn case_does_not_tell_names_apart() {
        let folded = |name| FileName::new(name).expect("legal").folded();
        assert_eq!(folded("Film/A"), folded("fILM/a"));
        assert_eq!(folded("ſ"), folded("S"));
        assert_eq!(folded("GRÖSSE"), folded("größe"));
        assert_ne!(folded("a"), folded("b"));
    }
}
