use std::fmt;
use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use vt100::Parser;

use crate::Run;

/// How long a terminal waits for what it is told to wait for. Generous: machines that build at the same time are slow.
const LIMIT: Duration = Duration::from_secs(60);

/// Columns and rows of a terminal. Many rows, so that nothing scrolls away.
pub(crate) const SIZE: (NonZero<u16>, NonZero<u16>) =
    (NonZero::new(100).expect("not 0"), NonZero::new(120).expect("not 0"));

/// A program on a terminal of its own, and a person before it. The terminal is `script`'s; what a terminal answers by
/// itself (where its cursor is) is answered here.
pub struct Terminal {
    child: Child,
    keys: ChildStdin,
    pieces: Receiver<Vec<u8>>,
    screen: Parser,
    /// Everything that was written, for what is gone from the screen.
    written: Vec<u8>,
    /// How much of it was looked at for questions.
    answered: usize,
    begun: Instant,
}

/// The question where the cursor is.
const WHERE: &[u8] = b"\x1b[6n";

impl Terminal {
    /// Starts the program of `run`, which [`crate::Room::terminal`] made.
    pub(crate) fn start(run: Run) -> Terminal {
        let mut child = run.with_pipes();
        let keys = child.stdin.take().expect("standard input");
        let mut output = child.stdout.take().expect("standard output");
        let (send, pieces) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                if send.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let screen = Parser::new(SIZE.1, SIZE.0, 0);
        Terminal { child, keys, pieces, screen, written: Vec::new(), answered: 0, begun: Instant::now() }
    }

    /// Presses keys: characters as they are, `\r` for Enter, `\x03` for Ctrl-C.
    ///
    /// # Panics
    /// As every function here: when the program ended, or takes longer than a minute.
    pub fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).expect("the terminal is there");
    }

    /// Pastes `text`, as terminals do for programs that asked for marks around it.
    pub fn pastes(&mut self, text: &str) {
        self.types(&format!("\x1b[200~{text}\x1b[201~"));
    }

    /// Waits until the screen shows `words`.
    #[track_caller]
    pub fn wait_for(&mut self, words: &str) {
        self.wait_until(words, |screen| screen.contains(words));
    }

    /// Waits until the screen shows `words` so many times.
    #[track_caller]
    pub fn wait_for_times(&mut self, words: &str, times: usize) {
        self.wait_until(words, |screen| screen.matches(words).count() >= times);
    }

    /// Waits until the screen is as `is_right` wants it.
    #[track_caller]
    pub fn wait_until(&mut self, what: &str, is_right: impl Fn(&str) -> bool) {
        while !is_right(&self.screen()) {
            assert!(self.look(), "it ended without showing {what:?}\n{}", self.screen());
            assert!(self.begun.elapsed() < LIMIT, "it never showed {what:?}\n{}", self.screen());
        }
    }

    /// The screen as it is now: lines without the spaces at their ends.
    pub fn screen(&self) -> String {
        self.screen.screen().contents()
    }

    /// Everything that was written to the terminal, with its control characters.
    pub fn written(&self) -> String {
        String::from_utf8_lossy(&self.written).into_owned()
    }

    /// Waits for the end of the program; its exit code.
    #[track_caller]
    pub fn ends(&mut self) -> i32 {
        while self.look() {
            assert!(self.begun.elapsed() < LIMIT, "it did not end\n{}", self.screen());
        }
        let status = self.child.wait().expect("a child can be waited for");
        status.code().expect("it ended by itself")
    }

    /// Takes in what was written next; `false` when nothing comes any more.
    fn look(&mut self) -> bool {
        match self.pieces.recv_timeout(Duration::from_secs(1)) {
            Ok(piece) => {
                self.written.extend_from_slice(&piece);
                self.answer();
                true
            }
            Err(RecvTimeoutError::Timeout) => true,
            Err(RecvTimeoutError::Disconnected) => false,
        }
    }

    /// Shows what was written, and answers the questions in it where they stand.
    fn answer(&mut self) {
        while let Some(at) = find(&self.written[self.answered..], WHERE) {
            let end = self.answered + at + WHERE.len();
            self.screen.process(&self.written[self.answered..end]);
            self.answered = end;
            let (row, column) = self.screen.screen().cursor_position();
            // A program that ended in the meantime needs no answer.
            let _ = write!(self.keys, "\x1b[{};{}R", row + 1, column + 1).and_then(|()| self.keys.flush());
        }
        // The beginning of a question may be the end of a piece.
        let rest = &self.written[self.answered..];
        let kept = (1..WHERE.len()).rev().find(|length| rest.ends_with(&WHERE[..*length])).unwrap_or(0);
        let end = self.written.len() - kept;
        self.screen.process(&self.written[self.answered..end]);
        self.answered = end;
    }
}

impl fmt::Debug for Terminal {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Terminal").field("screen", &self.screen()).finish_non_exhaustive()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended already, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn find(within: &[u8], wanted: &[u8]) -> Option<usize> {
    within.windows(wanted.len()).position(|window| window == wanted)
}

/// Whether terminals can be made here; where not, the test that asks says what it leaves out.
pub fn has_terminals() -> bool {
    let there = std::process::Command::new("script").arg("--version").output().is_ok();
    if !there {
        crate::skipped("there is no `script` to make a terminal with");
    }
    there
}
