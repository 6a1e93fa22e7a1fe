use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool as it stands in the tools array of a request to a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// The wire name, legal for every vendor: 1 to 64 of `a-z`, `A-Z`, `0-9`, `_` and `-`.
    pub name: String,
    /// What the model reads about it.
    pub description: String,
    /// JSON Schema of the arguments, possibly cut to the parameters that matter.
    pub parameters: Value,
}
