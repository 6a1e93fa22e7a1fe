use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One tool that stood above the plain catalogue in an exposure.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ShownTool {
    /// The tool's id.
    pub tool: String,
    /// How much of it was shown: `brief` or `full`.
    pub level: String,
    /// Why, in words.
    pub because: String,
    /// Estimated tokens of what was shown.
    pub tokens: u64,
}

/// One call as it stood in a model's reply.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CallMade {
    /// The call's id on the wire.
    pub id: String,
    /// The name the model used.
    pub name: String,
}

/// Tokens as the provider counted them; absent what it did not report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TokenUsage {
    /// Tokens of the request, cached ones included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Those of them that came from the provider's cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// Tokens of the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
}

/// One tool that the request speaks for.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EvidenceHit {
    /// The tool's id.
    pub tool: String,
    /// How well it fits; above zero, without a unit, comparable within one record.
    pub score: f32,
    /// Whether the request names it.
    pub exact: bool,
    /// What carried the score, in words.
    pub because: String,
}

impl TokenUsage {
    /// Adds what `more` reports; what neither reports stays absent.
    pub fn add(&mut self, more: TokenUsage) {
        let add = |sum: &mut Option<u64>, more: Option<u64>| {
            if let Some(more) = more {
                *sum = Some(sum.unwrap_or(0).saturating_add(more));
            }
        };
        add(&mut self.input, more.input);
        add(&mut self.cached, more.cached);
        add(&mut self.output, more.output);
    }
}
