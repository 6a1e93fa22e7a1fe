use serde::{Deserialize, Serialize};
use winclaw_tool::ToolSpec;

/// What a meta tool or a reveal answers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Answer {
    /// For the model to read as the result. It holds the schemas that `reveals` does not.
    pub text: String,
    /// Schemas for the vendor's own block beside the text; empty unless the transport is
    /// [`Native`](crate::Transport::Native).
    pub reveals: Vec<ToolSpec>,
}

impl From<String> for Answer {
    fn from(text: String) -> Self {
        Answer { text, reveals: Vec::new() }
    }
}
