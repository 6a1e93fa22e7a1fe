//! Where the person's lines come from: the editor on a terminal, or plain lines.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use super::editor::{Editor, Entered};
use crate::screen::Screen;

/// Longest line that is read without a terminal, in bytes.
const LONGEST: u64 = 16 * 1024 * 1024;

/// A source of lines.
#[derive(Clone)]
pub(super) enum Input {
    /// The editor, shared with the questions of a task.
    Editor(Arc<Mutex<Editor>>),
    /// One line, one message. With a mark when somebody sits at a terminal that has no editor.
    Lines { mark: bool },
}

impl Input {
    /// Whether an editor can have the terminal: it draws on standard error and asks the terminal by standard output.
    pub(super) fn has_terminal() -> bool {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        !dumb && io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal()
    }

    /// Plain lines.
    pub(super) fn lines() -> Input {
        Input::Lines { mark: io::stdin().is_terminal() && io::stderr().is_terminal() }
    }

    /// Whether it is the editor.
    pub(super) fn is_editor(&self) -> bool {
        matches!(self, Input::Editor(_))
    }

    /// The next line behind `mark`. Blocks; call it where that is allowed.
    pub(super) fn next(&self, mark: &str) -> io::Result<Entered> {
        match self {
            Input::Editor(editor) => editor.lock().unwrap_or_else(PoisonError::into_inner).read(mark),
            Input::Lines { mark: shown } => {
                if *shown {
                    let _ = write!(io::stderr().lock(), "{mark}");
                }
                line()
            }
        }
    }

    /// Puts a question and reads the answer; `None` when the person wants to answer nothing.
    pub(super) fn answer(&self, screen: &Screen, question: &str) -> Option<String> {
        let Input::Editor(editor) = self else { return None };
        let (above, mark) = question.rsplit_once('\n').map_or((None, question), |(above, mark)| (Some(above), mark));
        above.into_iter().for_each(|above| screen.note(above));
        editor.lock().unwrap_or_else(PoisonError::into_inner).answer(mark)
    }
}

/// A line of standard input, whatever its bytes.
fn line() -> io::Result<Entered> {
    let mut bytes = Vec::new();
    let mut stdin = io::Read::take(io::stdin().lock(), LONGEST);
    if stdin.read_until(b'\n', &mut bytes)? == 0 {
        return Ok(Entered::End);
    }
    let text = String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not UTF-8"))?;
    Ok(Entered::Text(text.trim_end_matches(['\n', '\r']).to_owned()))
}
