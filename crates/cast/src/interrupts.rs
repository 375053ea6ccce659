//! Ctrl-C and SIGTERM as something that a loop asks for.

use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

/// Looks for signals that ask for the end, from the first look on; before it they end the process as ever.
#[derive(Debug, Default)]
pub struct Interrupts(Option<SignalFd>);

impl Interrupts {
    /// Nothing is changed before the first look.
    pub fn new() -> Interrupts {
        Interrupts::default()
    }

    /// Whether one has come since the last look. Where the system gives no descriptor they end the process as ever.
    pub fn came(&mut self) -> bool {
        if self.0.is_none() {
            let mut set = SigSet::empty();
            set.add(Signal::SIGINT);
            set.add(Signal::SIGTERM);
            let fd = SignalFd::with_flags(&set, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC);
            if fd.is_ok() && set.thread_block().is_ok() {
                self.0 = fd.ok();
            }
        }
        self.0.as_mut().is_some_and(|fd| matches!(fd.read_signal(), Ok(Some(_))))
    }
}
