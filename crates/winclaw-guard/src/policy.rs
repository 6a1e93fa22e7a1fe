//! Who must agree to what: the approve level, and rules about tools, side effects and destinations.

mod pin;
mod target;

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};
use winclaw_catalog::CatalogTool;
use winclaw_tool::{SideEffect, ToolId};

use crate::consent::{Consents, Ruling};
use crate::origin::{Destination, Places};
pub use pin::{Part, Pin};
use target::{breadth, covers};

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

impl Approve {
    /// The level in one word, as the command line has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Approve::Never => "never",
            Approve::Writes => "writes",
            Approve::Always => "always",
        }
    }

    /// Whether a call with this side effect runs without asking, where no rule says otherwise.
    pub fn frees(self, side_effect: SideEffect) -> bool {
        match self {
            Approve::Never => side_effect == SideEffect::Read,
            Approve::Writes => matches!(side_effect, SideEffect::Read | SideEffect::Write),
            Approve::Always => true,
        }
    }
}

/// What a rule says of a call; the order is that in which they win among rules that are equally specific.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// It runs without asking.
    Allow,
    /// The person is asked.
    Ask,
    /// It never runs.
    Deny,
}

impl Decision {
    /// The decision in one word, as the policy file has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Decision::Allow => "allow",
            Decision::Ask => "ask",
            Decision::Deny => "deny",
        }
    }
}

/// How a rule came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// An answer to a question before a call.
    Answer,
    /// The command line.
    Command,
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
    /// Only calls that go there: a host (`*.example.org` for all below it), an e-mail address (`*@example.org` for all at a
    /// host), a folder or file, or whatever else a call says it goes to. An allowance holds only for calls that go nowhere
    /// else; where it says `*`, a call may go anywhere, also somewhere new after content of others. Absent: calls that go
    /// anywhere, and an allowance does not cover new destinations after content of others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// What happens to them.
    pub decision: Decision,
    /// For an allowance: it holds only while the tool is what it was. Absent: whatever the tool becomes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<Pin>,
    /// How it came to be; absent: somebody wrote it into the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Source>,
    /// The day it was made, `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// What is wrong with a rule that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleFault {
    /// `tool` is neither an id, `plugin.*` nor `*`.
    Tool,
    /// `to` says nothing, or holds characters that cannot be seen.
    To,
}

impl PolicyRule {
    /// A rule for these tools and this side effect, without anything else.
    pub fn new(tool: impl Into<String>, side_effect: Option<SideEffect>, decision: Decision) -> PolicyRule {
        PolicyRule { tool: tool.into(), side_effect, to: None, decision, pin: None, from: None, since: None }
    }

    /// What is wrong with the rule, if anything.
    pub fn fault(&self) -> Option<RuleFault> {
        let plugin = self.tool.strip_suffix(".*").map(|plugin| format!("{plugin}.x"));
        // A `*` elsewhere would be taken for a pattern by whoever reads it, and fit nothing.
        let id = Some(plugin.as_deref().unwrap_or(&self.tool)).filter(|id| !id.contains('*'));
        let is_tool = self.tool == "*" || id.is_some_and(|id| ToolId::parse(id).is_ok());
        let bad = |to: &String| to.trim().is_empty() || winclaw_catalog::clean(to, usize::MAX) != *to;
        match () {
            () if !is_tool => Some(RuleFault::Tool),
            () if self.to.as_ref().is_some_and(bad) => Some(RuleFault::To),
            () => None,
        }
    }

    /// Whether the other rule is about the very same calls, so that it takes this one's place.
    pub fn is_about_the_same_as(&self, other: &PolicyRule) -> bool {
        (&self.tool, self.side_effect, &self.to) == (&other.tool, other.side_effect, &other.to)
    }

    /// The rule in one line, such as `allow mail.send external to bob@example.org`.
    pub fn line(&self) -> String {
        let effect = self.side_effect.map(|effect| format!(" {}", effect.as_str())).unwrap_or_default();
        let to = self.to.as_ref().map(|to| format!(" to {to}")).unwrap_or_default();
        format!("{} {}{effect}{to}", self.decision.as_str(), self.tool)
    }

    /// How specific the rule is: the larger, the more. It goes by the tool, then the destination, then the side effect.
    pub fn specificity(&self) -> Specificity {
        let tool = match self.tool.as_str() {
            "*" => 0,
            one if one.ends_with(".*") => 1,
            _ => 2,
        };
        Specificity { tool, to: breadth(self.to.as_deref()), side_effect: u8::from(self.side_effect.is_some()) }
    }

    /// Whether the rule gives way to `other` where both speak of a call. A prohibition gives way only to what is more specific
    /// in tool or destination: naming a side effect alone is no exception from it.
    pub fn gives_way_to(&self, other: &PolicyRule) -> bool {
        let (own, others) = (self.specificity(), other.specificity());
        let by_effect_alone = (own.tool, own.to) == (others.tool, others.to);
        own.gives_way_to(&others) && !(self.decision == Decision::Deny && by_effect_alone)
    }

    /// Whether whatever `other` speaks of is spoken of by this rule too, for the same tools.
    fn takes_in(&self, other: &PolicyRule) -> bool {
        let everywhere = matches!(self.to.as_deref(), None | Some("*"));
        self.tool == other.tool
            && (self.side_effect.is_none() || self.side_effect == other.side_effect)
            && (everywhere || self.to == other.to)
    }

    fn is_for_tool(&self, id: &ToolId) -> bool {
        match self.tool.strip_suffix(".*") {
            _ if self.tool == "*" => true,
            Some(plugin) => id.source() == plugin,
            None => self.tool == id.as_str(),
        }
    }

    fn is_for(&self, case: &Case<'_>) -> bool {
        self.is_for_tool(&case.tool.id) && self.side_effect.is_none_or(|effect| effect == case.side_effect)
    }

    fn goes_to(&self, to: &Destination, places: &Places) -> bool {
        self.to.as_deref().is_none_or(|target| covers(target, to, places))
    }

    /// Whether its allowance still holds for the tool as it is.
    fn holds(&self, tool: &CatalogTool) -> bool {
        self.decision != Decision::Allow || self.pin.as_ref().is_none_or(|pin| pin.differs(tool).is_empty())
    }
}

/// How specific a rule is. One rule gives way to another only if the other is more specific in one respect and less in none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Specificity {
    tool: u8,
    to: (u8, usize),
    side_effect: u8,
}

impl Specificity {
    /// Whether a rule like this gives way to `other`, where both speak of a call.
    pub fn gives_way_to(&self, other: &Specificity) -> bool {
        self != other && self.tool <= other.tool && self.to <= other.to && self.side_effect <= other.side_effect
    }
}

/// Who must agree to what: a general rule, and rules about single tools that come before it.
///
/// A rule gives way only to one that is more specific in some respect (tool, destination, side effect) and less in none; a
/// prohibition not to one that only names a side effect. Of those that remain, deny goes before ask, and ask before allow. The order of the rules means nothing. Nothing here allows
/// what the permissions of a plugin or the list of disabled tools forbid.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// What runs without asking where no rule says otherwise.
    #[serde(default)]
    pub approve: Approve,
    /// The rules.
    #[serde(default, rename = "rule", skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<PolicyRule>,
    /// Whether `approve` was said for this very run, and not once for all: then [`Approve::Always`] holds for new
    /// destinations after content of others too.
    #[serde(skip)]
    pub insisted: bool,
    /// Where the person works.
    #[serde(skip)]
    pub places: Places,
}

impl From<Approve> for Policy {
    /// The level as said for this very run, and no rules.
    fn from(approve: Approve) -> Policy {
        Policy { approve, insisted: true, ..Policy::default() }
    }
}

/// One side effect of one call.
pub(crate) struct Case<'a> {
    pub(crate) tool: &'a CatalogTool,
    pub(crate) side_effect: SideEffect,
    /// Where it goes, paths in the person's folders left out unless there is nothing else.
    pub(crate) to: &'a [&'a Destination],
}

impl Policy {
    /// Takes in a rule. It takes the place of one about the very same calls; a prohibition also that of whatever was said of
    /// the same tools within what it forbids. The rules that went.
    pub fn put(&mut self, rule: PolicyRule) -> Vec<PolicyRule> {
        let goes = |old: &PolicyRule| {
            old.is_about_the_same_as(&rule) || (rule.decision == Decision::Deny && rule.takes_in(old))
        };
        let (gone, kept) = std::mem::take(&mut self.rules).into_iter().partition(goes);
        self.rules = kept;
        self.rules.push(rule);
        gone
    }

    /// What is said of calls of `tool` with this side effect, as long as nothing is known of where they go.
    pub fn ruling(&self, tool: &CatalogTool, side_effect: SideEffect) -> Ruling {
        Consents::new(self.clone()).ruling(tool, side_effect)
    }

    /// The rule that decides about the case, if any does.
    pub(crate) fn rule_for(&self, case: &Case<'_>) -> Option<&PolicyRule> {
        let speaking: Vec<&PolicyRule> = self.rules.iter().filter(|rule| self.speaks(rule, case)).collect();
        let gives_way = |rule: &PolicyRule| speaking.iter().any(|other| rule.gives_way_to(other));
        let standing = speaking.iter().filter(|rule| !gives_way(rule));
        standing.min_by_key(|rule| (Reverse(rule.decision), Reverse(rule.specificity()), rule.line())).copied()
    }

    /// What changed in the tool since an allowance was given that would speak of the case; empty if there is none.
    pub(crate) fn changed(&self, case: &Case<'_>) -> Vec<Part> {
        let lapsed = self.rules.iter().filter(|rule| rule.is_for(case) && !rule.holds(case.tool));
        let lapsed = lapsed.filter(|rule| rule.to.is_none() || case.to.iter().any(|to| rule.goes_to(to, &self.places)));
        let mut parts: Vec<Part> =
            lapsed.filter_map(|rule| Some(rule.pin.as_ref()?.differs(case.tool))).flatten().collect();
        parts.sort();
        parts.dedup();
        parts
    }

    /// Whether an allowance names `to`.
    pub(crate) fn allows_to(&self, case: &Case<'_>, to: &Destination) -> bool {
        let names = |rule: &PolicyRule| rule.to.is_some() && rule.goes_to(to, &self.places);
        self.allowances(case).any(names)
    }

    fn allowances(&self, case: &Case<'_>) -> impl Iterator<Item = &PolicyRule> {
        let allows =
            |rule: &&PolicyRule| rule.decision == Decision::Allow && rule.is_for(case) && rule.holds(case.tool);
        self.rules.iter().filter(allows)
    }

    /// Whether the rule says something about the case. What forbids or asks does so if the call goes there at all; what
    /// allows, only if all of the call's destinations are allowed by name.
    fn speaks(&self, rule: &PolicyRule, case: &Case<'_>) -> bool {
        if !rule.is_for(case) || !rule.holds(case.tool) {
            return false;
        }
        let some = case.to.iter().any(|to| rule.goes_to(to, &self.places));
        match (rule.decision, rule.to.as_deref()) {
            (_, None | Some("*")) => true,
            (Decision::Allow, Some(_)) => some && case.to.iter().all(|to| self.allows_to(case, to)),
            (_, Some(_)) => some,
        }
    }
}

#[cfg(test)]
mod tests;
