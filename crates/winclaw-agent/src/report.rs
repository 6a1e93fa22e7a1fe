use winclaw_model::{Cost, Message, ModelError, Usage};
use winclaw_tool::Text;

/// How a task ended.
#[derive(Debug, Clone, PartialEq)]
pub enum EndState {
    /// The model answered and nothing it needed stayed undone.
    Done,
    /// The model answered, but a tool it needed failed, and neither it nor another of its kind succeeded later.
    ToolFailed {
        /// The tool's id; of several the one that failed last.
        tool: String,
    },
    /// The model answered, but a call was denied and nothing took its place.
    Denied {
        /// The tool's id; of several the one that was denied last.
        tool: String,
    },
    /// The limit of model calls was reached, or the model had no answer.
    NotCompleted {
        /// Why, for a person.
        why: Text,
    },
    /// Stopped for repeating itself.
    Stopped {
        /// What was repeated.
        why: Text,
    },
    /// The model could not be asked.
    ModelFailed(ModelError),
    /// The person interrupted it.
    Interrupted,
}

impl EndState {
    /// The name in traces and JSON output.
    pub fn as_str(&self) -> &'static str {
        match self {
            EndState::Done => "done",
            EndState::ToolFailed { .. } => "tool_failed",
            EndState::Denied { .. } => "denied",
            EndState::NotCompleted { .. } => "not_completed",
            EndState::Stopped { .. } => "stopped",
            EndState::ModelFailed(_) => "model_failed",
            EndState::Interrupted => "interrupted",
        }
    }
}

/// What a task leaves.
#[derive(Debug, Clone)]
pub struct Report {
    /// How it ended.
    pub state: EndState,
    /// The model's answer; empty when there is none.
    pub answer: String,
    /// Calls of tools that ran.
    pub calls: u32,
    /// Calls of the model.
    pub turns: u32,
    /// Tokens over all replies, as far as the provider reported them.
    pub usage: Usage,
    /// What they cost, as far as prices are known.
    pub cost: Option<Cost>,
    /// The whole conversation, valid to go on from.
    pub messages: Vec<Message>,
}
