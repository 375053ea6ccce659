//! How far it is: a bar on a terminal, elsewhere a line every ten seconds, and nothing for machines. All of it goes to
//! standard error.

use crate::ending::{note, shown};
use crate::usage::Output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// How often a line is said where nobody watches.
const SAID: Duration = Duration::from_secs(10);
/// How often a bar is drawn anew.
const DRAWN: Duration = Duration::from_millis(200);
/// Drawings of a bar in a second at most.
const PER_SECOND: u8 = 10;
const BAR: &str = "{bar:24} {percent:>3} % {wide_msg}";
const FLOWING: &str = "{wide_msg}";
const READING: &str = "reading {decimal_bytes} {wide_msg}";

/// How far a command is.
pub struct Progress {
    /// Where it is drawn; hidden where standard error is no terminal.
    bar: ProgressBar,
    is_wanted: bool,
    said: Duration,
    began: Duration,
}

impl Progress {
    /// Of a command that begins now.
    pub fn new(output: Output, now: Duration) -> Progress {
        let bar = match output.json {
            true => ProgressBar::hidden(),
            false => ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(PER_SECOND)),
        };
        Progress { bar, is_wanted: !output.json, said: now, began: now }
    }

    /// Files are read: so many bytes more.
    pub fn reads(&self, bytes: u64) {
        if self.bar.position() == 0 {
            self.bar.set_style(style(READING));
        }
        self.bar.inc(bytes);
    }

    /// So much of all is done. If it is due, `brief` says more beside a bar, `summary` in a line of its own.
    pub fn shows(
        &mut self,
        now: Duration,
        (done, all): (u64, u64),
        brief: impl FnOnce() -> String,
        summary: impl FnOnce() -> String,
    ) {
        if !self.bar.is_hidden() {
            if self.bar.length().is_none() {
                self.bar.set_style(style(BAR));
            }
            self.bar.set_length(all.max(1));
            self.bar.set_position(done.min(all));
        }
        self.draws(now, brief, summary);
    }

    fn draws(&mut self, now: Duration, brief: impl FnOnce() -> String, summary: impl FnOnce() -> String) {
        let is_drawn = !self.bar.is_hidden();
        if !self.is_wanted || now.saturating_sub(self.said) < if is_drawn { DRAWN } else { SAID } {
            return;
        }
        self.said = now;
        match is_drawn {
            true => self.bar.set_message(shown(&brief())),
            false => note(&summary()),
        }
    }

    /// Something goes on that has no end yet; otherwise as [`shows`](Self::shows).
    pub fn flows(&mut self, now: Duration, brief: impl FnOnce() -> String, summary: impl FnOnce() -> String) {
        if self.said == self.began && !self.bar.is_hidden() {
            self.bar.set_style(style(FLOWING));
        }
        self.draws(now, brief, summary);
    }

    /// Says a line that stays, beside what is drawn.
    pub fn notes(&self, text: &str) {
        self.bar.suspend(|| note(text));
    }

    /// Says each of these lines.
    pub fn notes_all(&self, lines: impl IntoIterator<Item = String>) {
        lines.into_iter().for_each(|line| self.notes(&line));
    }

    /// Takes away what is drawn.
    pub fn ends(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.ends();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates above are legal")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_legal() {
        for template in [BAR, FLOWING, READING] {
            style(template);
        }
    }

    #[test]
    fn lines_are_due_every_ten_seconds_and_never_for_machines() {
        for json in [false, true] {
            let mut progress = Progress::new(Output { json }, Duration::ZERO);
            progress.bar.set_draw_target(ProgressDrawTarget::hidden());
            let mut said = Vec::new();
            for second in 0..25 {
                let summary = || {
                    said.push(second);
                    "a line every ten seconds".to_owned()
                };
                progress.shows(Duration::from_secs(second), (1, 2), || panic!("no bar is drawn"), summary);
            }
            assert_eq!(said, if json { vec![] } else { vec![10, 20] });
        }
    }
}
