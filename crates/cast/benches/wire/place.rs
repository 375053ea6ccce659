//! Where results are kept, and folders for what is sent and received.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// A folder of results that are kept from one run to the next.
pub fn kept(name: &str) -> PathBuf {
    let folder = root().join("target/measure-wire").join(name);
    fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("cannot make {}: {error}", folder.display()));
    folder
}

/// The folder of the workspace.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A folder of a case's own, which is gone with it.
pub struct Place(PathBuf);

impl Place {
    /// In the folder for temporary files.
    pub fn new(name: &str) -> Place {
        Place::within(&std::env::temp_dir(), name)
    }

    /// In memory where the system has files there, so that no disk bounds what is measured.
    pub fn in_memory(name: &str) -> Place {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() { Place::within(memory, name) } else { Place::new(name) }
    }

    fn within(folder: &Path, name: &str) -> Place {
        let folder = folder.join(format!("faircast-measure-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("cannot make {}: {error}", folder.display()));
        Place(folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A file of bytes that do not repeat, as no disk or hash has it easier with.
    pub fn file(&self, name: &str, bytes: u64) {
        let mut state = 1u64;
        let mut chunk = vec![0; 1 << 20];
        let mut file = fs::File::create(self.path(name)).expect("the folder is there");
        for at in (0..bytes).step_by(chunk.len()) {
            for word in chunk.chunks_exact_mut(8) {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                word.copy_from_slice(&(state ^ state >> 29).to_ne_bytes());
            }
            let length = (bytes - at).min(chunk.len() as u64) as usize;
            std::io::Write::write_all(&mut file, &chunk[..length]).expect("there is room for a file");
        }
    }

    /// Whether two files have the same bytes.
    pub fn is_same(&self, one: &str, other: &str) -> bool {
        let [Ok(mut one), Ok(mut other)] = [one, other].map(|name| fs::File::open(self.path(name))) else {
            return false;
        };
        let mut chunks = [(); 2].map(|()| Vec::new());
        loop {
            for (file, chunk) in [&mut one, &mut other].into_iter().zip(&mut chunks) {
                chunk.clear();
                if file.take(1 << 20).read_to_end(chunk).is_err() {
                    return false;
                }
            }
            match &chunks {
                [one, other] if one != other => return false,
                [one, _] if one.is_empty() => return true,
                _ => {}
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
