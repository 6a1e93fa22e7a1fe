//! Evidence for how well tools fit a request: plain data, passed from the stage that weighs to the stage that decides.
//!
//! It lives here because both stages may see only tools and the catalog.

use serde::{Deserialize, Serialize};

use crate::ToolIx;

/// What a request says about the tools. It can only add to what a model sees, never take away.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Evidence {
    /// The tools with a score above zero, best first. A tool stands here once.
    pub hits: Vec<Hit>,
    /// The share each category has in the scores, best first; the shares sum to one unless there are no hits.
    pub categories: Vec<(String, f32)>,
    /// How far the best hit stands above the rest: 0 (nothing known, or all alike) to 1 (one clear answer).
    pub margin: f32,
}

/// One tool that fits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The tool.
    pub tool: ToolIx,
    /// How well it fits; above zero, without a unit, comparable within one [`Evidence`].
    pub score: f32,
    /// Whether the request names it: by id, name, alias, source or category. Such hits come first and do not count
    /// against a limit.
    pub exact: bool,
    /// What carried the score, strongest first.
    pub terms: Vec<Term>,
    /// The tool whose edge brought it here or lifted it.
    pub via: Option<ToolIx>,
}

/// One word and what it added to a score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// The word as it stood in the request.
    pub text: String,
    /// Where the tool has it: `name`, `alias`, `summary`, `description`, `category`, `action`, `parameter`, `example`,
    /// or `exact` for a name.
    pub field: String,
    /// What it added.
    pub score: f32,
}
