use serde_json::Value;
use winclaw_catalog::ToolIx;
use winclaw_tool::Failure;

use crate::{Consent, Origin};

/// Bounds of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many calls run from one reply. Default 8.
    pub calls_per_reply: usize,
    /// How many times a call may give the same result before it is stopped. Default 3; 0 counts as 1. The other detectors
    /// of loops go by multiples of it; docs/guard.md lists them.
    pub repeats: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { calls_per_reply: 8, repeats: 3 }
    }
}

/// A call as the model proposed it, its name resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proposed<'a> {
    /// The tool, already unwrapped from `tool_call`.
    pub tool: ToolIx,
    /// The arguments, byte for byte as the model wrote them.
    pub raw_arguments: &'a str,
    /// Whether the reply was cut off at the output limit within this call.
    pub cut_off: bool,
    /// The call's place in its reply, from 0, counting every call.
    pub position: usize,
    /// Whether the tool's schema was in the context when the model made the call.
    pub schema_was_shown: bool,
    /// Whether the tool is near what the task is about, as far as whoever asks can tell; true where it cannot.
    pub near: bool,
    /// Where what the call asks for may have come from.
    pub origin: Origin<'a>,
}

/// What happens to a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It runs.
    Run {
        /// The arguments, normalised to an object and valid. They are what runs; where `repairs` is not empty they are
        /// not what the model wrote, and the conversation should show them instead.
        arguments: Value,
        /// What was repaired, in the order it was done.
        repairs: Vec<Repair>,
    },
    /// It runs, and the model is told something with the result.
    RunWithAdvice {
        /// The arguments.
        arguments: Value,
        /// What was repaired.
        repairs: Vec<Repair>,
        /// What to tell the model, in whole sentences.
        advice: String,
    },
    /// It runs only if the person agrees.
    AskUser {
        /// The arguments, valid.
        arguments: Value,
        /// What was repaired.
        repairs: Vec<Repair>,
        /// What to ask.
        consent: Box<Consent>,
    },
    /// It does not run.
    NotRun {
        /// What the model is told: what is wrong and how to mend it. Its code is `invalid_args` where only the model can
        /// mend it, and `denied` where a rule or the person forbids it; `rule` says what it was.
        failure: Failure,
        /// The rule that stopped it.
        rule: Rule,
    },
}

/// One thing that was put right in the arguments of a call without losing or guessing anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// What kind of slip it was.
    pub what: RepairKind,
    /// Where, as a JSON pointer into the arguments that run; empty for the whole.
    pub at: String,
    /// One sentence that tells the model what was done.
    pub said: String,
}

/// The kinds of slips that are put right, mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RepairKind {
    /// Nothing was written where `{}` was meant: empty text, white space or `null`.
    Empty,
    /// It was nearly JSON and could be read in one way only: a comma too many, single quotes.
    Syntax,
    /// JSON stood inside a string.
    Encoded,
    /// The arguments stood one level too deep.
    Wrapped,
    /// The fields of an object parameter stood beside it.
    Flattened,
    /// A key was written in another case, or with other separators.
    Key,
    /// A value of a closed list was written in another case, or with other separators.
    Choice,
    /// A value had another type that says the same, such as `"3"` for 3, or one value where a list of one was meant.
    Type,
    /// An optional parameter was null where only its absence is allowed.
    Null,
}

impl RepairKind {
    /// The kind in snake_case, as traces have it.
    pub fn as_str(self) -> &'static str {
        match self {
            RepairKind::Empty => "empty",
            RepairKind::Syntax => "syntax",
            RepairKind::Encoded => "encoded",
            RepairKind::Wrapped => "wrapped",
            RepairKind::Flattened => "flattened",
            RepairKind::Key => "key",
            RepairKind::Choice => "choice",
            RepairKind::Type => "type",
            RepairKind::Null => "null",
        }
    }
}

/// Why a call did not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// Its arguments end before they are complete.
    CutOff,
    /// Its arguments are not JSON, or are nested too deeply to be read.
    NotJson,
    /// Its arguments do not fit the tool's schema.
    Schema,
    /// Too many calls stand before it in the same reply.
    BatchLimit,
    /// It was made before, and nothing came of it.
    Repeat,
    /// The model was told to answer or to ask, and no tool runs before it does.
    MustAnswer,
    /// A rule of the policy, or the person for good, says that it never runs.
    Policy,
    /// The person said no to this very call since they last spoke.
    Declined,
}

impl Rule {
    /// The rule in snake_case, as traces have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Rule::CutOff => "cut_off",
            Rule::NotJson => "not_json",
            Rule::Schema => "schema",
            Rule::BatchLimit => "batch_limit",
            Rule::Repeat => "repeat",
            Rule::MustAnswer => "must_answer",
            Rule::Policy => "policy",
            Rule::Declined => "declined",
        }
    }
}

/// How far a task has gone up the ladder that leads out of a loop. It never goes down without progress: something new
/// that a tool gave, or an answer of the person.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Stage {
    /// Nothing is repeated.
    #[default]
    Free,
    /// The model was told that it repeats itself. Nothing else changes.
    Hinted,
    /// What is repeated is not run any more, and other ways should be shown.
    Blocked {
        /// Tools that are often used together with the one that is repeated; none: whoever shows tools chooses.
        reveal: Vec<ToolIx>,
    },
    /// No tool runs; the model must answer with what it has, or ask the person.
    MustAnswer,
    /// The task shall end; [`Guard::stopped`](crate::Guard::stopped) has the report.
    Stopped,
}

impl Stage {
    /// The stage in snake_case, as traces have it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Stage::Free => "free",
            Stage::Hinted => "hinted",
            Stage::Blocked { .. } => "blocked",
            Stage::MustAnswer => "must_answer",
            Stage::Stopped => "stopped",
        }
    }
}
