//! What a build says of itself: the commit that it was made of, and which crates went into it (`Cargo.lock`).
//!
//! It runs again when something that is compiled has changed, and not at every commit: one that changes nothing
//! compiled builds nothing anew, and the core goes on to name the commit of which it was compiled.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// The root of the repository, from this crate.
const ROOT: &str = "../..";
/// What is compiled, from there.
const COMPILED: [&str; 3] = ["crates", "Cargo.toml", "Cargo.lock"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // `make dist` sets it to the commit: a release names its own, whatever has been compiled before.
    println!("cargo::rerun-if-env-changed=FAIRCAST_RELEASE");
    // A path that is not there, as in a package, would count as changed each time.
    for path in COMPILED.map(|name| Path::new(ROOT).join(name)).iter().filter(|path| path.exists()) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    if let Some(commit) = commit() {
        println!("cargo::rustc-env=FAIRCAST_COMMIT={commit}");
    }
    let lock = fs::read_to_string(Path::new(ROOT).join("Cargo.lock")).unwrap_or_default();
    let place = env::var_os("OUT_DIR").expect("cargo says where a build script may write");
    fs::write(Path::new(&place).join("Cargo.lock"), lock).expect("that folder can be written to");
}

/// The commit of the sources, with `-dirty` behind it if they are not as committed; none without git, and of sources
/// that are not committed to the repository in which they lie.
fn commit() -> Option<String> {
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    let commit = git(&["rev-parse", "HEAD"])?;
    let changes = git(&[&["-C", ROOT, "status", "--porcelain", "--"], &COMPILED[..]].concat())?;
    Some(format!("{commit}{}", if changes.is_empty() { "" } else { "-dirty" }))
}

/// What git says; none if there is no git, or it refuses.
fn git(arguments: &[&str]) -> Option<String> {
    let done = Command::new("git").args(arguments).output().ok().filter(|done| done.status.success())?;
    Some(String::from_utf8(done.stdout).ok()?.trim().to_owned())
}
