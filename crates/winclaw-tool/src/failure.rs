use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Text;

/// The closed set of ways a call can fail. The wire form is snake_case (`"invalid_args"`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureCode {
    /// The arguments do not fit the tool's schema or its rules; the model can mend them.
    InvalidArgs,
    /// The person or the host cancelled the call.
    Cancelled,
    /// The call ran past its deadline.
    Timeout,
    /// Something the tool needs cannot be reached now, such as the network.
    Unavailable,
    /// A permission or the person refused it.
    Denied,
    /// The tool lacks a setting or a secret.
    NeedsConfig,
    /// The tool ran and could not do what was asked.
    ToolFailed,
    /// The tool's code panicked.
    Panicked,
    /// The process that ran the tool died.
    Crashed,
    /// The plugin and this host cannot work together.
    Incompatible,
}

impl FailureCode {
    /// The wire form, `invalid_args` and so on.
    pub fn as_str(self) -> &'static str {
        match self {
            FailureCode::InvalidArgs => "invalid_args",
            FailureCode::Cancelled => "cancelled",
            FailureCode::Timeout => "timeout",
            FailureCode::Unavailable => "unavailable",
            FailureCode::Denied => "denied",
            FailureCode::NeedsConfig => "needs_config",
            FailureCode::ToolFailed => "tool_failed",
            FailureCode::Panicked => "panicked",
            FailureCode::Crashed => "crashed",
            FailureCode::Incompatible => "incompatible",
        }
    }

    /// Whether the same call may succeed later without being changed: `Timeout`, `Unavailable` and `Crashed`.
    pub fn retryable_by_default(self) -> bool {
        matches!(self, FailureCode::Timeout | FailureCode::Unavailable | FailureCode::Crashed)
    }
}

/// Why a call failed: a message for the model, a hint for the person, and whether trying again can help.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of failure it is.
    pub code: FailureCode,
    /// What the model is told: what went wrong, where, and how to mend it.
    pub message: String,
    /// What the person is told they can do, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<Text>,
    /// Whether the same call may succeed later.
    pub retryable: bool,
}

impl Failure {
    /// A failure of `code` with the retry rule of [`FailureCode::retryable_by_default`] and no hint.
    pub fn new(code: FailureCode, message: impl Into<String>) -> Self {
        Failure { code, message: message.into(), hint: None, retryable: code.retryable_by_default() }
    }

    /// The arguments are wrong. Say which field, what was expected, and a value that would do.
    pub fn invalid_args(message: impl Into<String>) -> Self {
        Failure::new(FailureCode::InvalidArgs, message)
    }

    /// The tool ran and could not do what was asked.
    pub fn tool_failed(message: impl Into<String>) -> Self {
        Failure::new(FailureCode::ToolFailed, message)
    }

    /// Something outside cannot be reached now; retryable.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Failure::new(FailureCode::Unavailable, message)
    }

    /// A permission forbids it.
    pub fn denied(message: impl Into<String>) -> Self {
        Failure::new(FailureCode::Denied, message)
    }

    /// A setting or secret is missing.
    pub fn needs_config(message: impl Into<String>) -> Self {
        Failure::new(FailureCode::NeedsConfig, message)
    }

    /// The same failure with a hint for the person.
    pub fn with_hint(mut self, en: impl Into<String>, zh: impl Into<String>) -> Self {
        self.hint = Some(Text::new(en, zh));
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for Failure {}
