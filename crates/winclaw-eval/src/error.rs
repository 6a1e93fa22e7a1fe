use std::fmt;
use std::path::Path;

use winclaw_tool::{Problem, Text};

/// Why a file of tools or requests cannot be used: where, what, and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalError(Box<Fault>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Fault {
    place: String,
    what: Text,
    mend: Text,
}

impl EvalError {
    /// `at` is a line from 1 or `[n]`, empty for the whole file.
    pub(crate) fn new(file: &Path, at: &str, what: (String, String), mend: (&str, &str)) -> EvalError {
        let file = file.display();
        let place = if at.is_empty() { file.to_string() } else { format!("{file}:{at}") };
        EvalError(Box::new(Fault { place, what: Text::new(what.0, what.1), mend: Text::new(mend.0, mend.1) }))
    }

    /// The error of a file whose every entry has a problem: the first of them.
    pub(crate) fn of_problem(file: &Path, problem: &Problem) -> EvalError {
        let plain = |text: &Text| {
            Text::new(text.en.trim_end_matches('.').to_owned(), text.zh.trim_end_matches('。').to_owned())
        };
        let (what, mend) = (plain(&problem.what), plain(&problem.mend));
        let at = problem.subject.rsplit_once(':').map_or("", |(_, at)| at);
        EvalError::new(file, at, (what.en, what.zh), (&mend.en, &mend.zh))
    }

    /// The file, and the line or the entry of a JSON array from 1: `tools.jsonl:3`, `tools.json:[3]`; the file alone when it is
    /// about all of it.
    pub fn place(&self) -> &str {
        &self.0.place
    }

    /// What is wrong, without a full stop.
    pub fn what(&self) -> &Text {
        &self.0.what
    }

    /// What a person can do about it, without a full stop.
    pub fn mend(&self) -> &Text {
        &self.0.mend
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.place(), self.what().en, self.mend().en)
    }
}

impl std::error::Error for EvalError {}
