use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Failure;

/// What a tool gave back when it succeeded.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ToolOutput {
    /// The result as JSON. A tool that answers in prose gives a JSON string.
    pub value: Value,
}

impl ToolOutput {
    /// An output holding `value`.
    pub fn new(value: Value) -> Self {
        ToolOutput { value }
    }

    /// The text the model reads: a JSON string as itself, anything else as compact JSON.
    pub fn model_text(&self) -> String {
        match &self.value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

/// How a call ended: exactly one of an output or a typed failure.
pub type Outcome = Result<ToolOutput, Failure>;
