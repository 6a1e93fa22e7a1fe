use serde::{Deserialize, Serialize};
use winclaw_tool::SideEffect;

/// Which side effects run without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Approve {
    /// Only reads run without asking. The default.
    #[default]
    Never,
    /// Reads and writes run without asking.
    Writes,
    /// Everything runs without asking.
    Always,
}

/// What a rule says of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// It runs without asking.
    Allow,
    /// The person is asked.
    Ask,
    /// It never runs.
    Deny,
}

/// One rule about the calls of some tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyRule {
    /// The tools: an id, `plugin.*`, or `*` for all.
    pub tool: String,
    /// Only calls with this side effect; absent: with any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_effect: Option<SideEffect>,
    /// What happens to them.
    pub decision: Decision,
}

/// Who must agree to what: a general rule, and rules about single tools that come before it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// What runs without asking where no rule says otherwise.
    #[serde(default)]
    pub approve: Approve,
    /// The rules. The most specific one wins: an id before `plugin.*` before `*`, and one that names a side effect before
    /// one that does not; among equals deny before ask before allow.
    #[serde(default, rename = "rule", skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<PolicyRule>,
}

impl From<Approve> for Policy {
    fn from(approve: Approve) -> Policy {
        Policy { approve, rules: Vec::new() }
    }
}
