//! Evidence for how well tools fit a request: plain data, passed from the stage that weighs to the stage that decides.
//!
//! It lives here because both stages may see only tools and the catalog.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{Catalog, ToolIx};

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
    /// The edge that brought it here, or that lifted it most. Without terms nothing else speaks for the tool.
    pub via: Option<Via>,
}

/// An edge between two tools, as evidence for one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Via {
    /// The tool at the other end: a hit, or a tool that this task used.
    pub from: ToolIx,
    /// What the tools have to do with each other.
    pub edge: Edge,
}

/// How the tool of a hit hangs together with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edge {
    /// Its result feeds the other tool, which is a hit.
    InputFrom,
    /// It takes the result of the other tool, which this task used.
    FollowsUsed,
    /// One of the two says that it is often used with the other, which this task used.
    OftenWith,
    /// One of the two names the other, which this task used, in its description.
    Mentioned,
    /// It has the same source as the other tool, which this task used.
    SameSource,
    /// It is the other tool: this task used it, and the request goes on from there.
    Used,
}

impl Edge {
    /// The edge in the spelling of the serialised form, such as `input_from`.
    pub fn as_str(self) -> &'static str {
        match self {
            Edge::InputFrom => "input_from",
            Edge::FollowsUsed => "follows_used",
            Edge::OftenWith => "often_with",
            Edge::Mentioned => "mentioned",
            Edge::SameSource => "same_source",
            Edge::Used => "used",
        }
    }
}

/// One word and what it added to a score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// The word as it stood in the request.
    pub text: String,
    /// Where the tool has it: `name`, `alias`, `summary`, `description`, `category`, `action`, `parameter`, `example`,
    /// `exact` for a name, or `meaning` where dense vectors and no single word brought the tool.
    pub field: Cow<'static, str>,
    /// What it added.
    pub score: f32,
    /// Whether the tool has another word of the same meaning, and not this one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alike: bool,
}

impl Evidence {
    /// The order in which the tools would be raised: each hit, best first, followed by what it requires and was not there
    /// before, step by step: direct requirements before indirect ones, and of one step first what the fewest other tools
    /// require, as that says most about the hit. Every tool once; ends on cycles. Tools that are not of `catalog` are left
    /// out.
    pub fn order(&self, catalog: &Catalog) -> Vec<ToolIx> {
        let mut needed_by = vec![0_u32; catalog.tools().len()];
        catalog.all().flat_map(|ix| catalog.requires(ix)).for_each(|needed| needed_by[needed.index()] += 1);
        let mut order = Order { tools: Vec::new(), placed: vec![false; catalog.tools().len()] };
        for hit in &self.hits {
            let mut step = order.place([hit.tool]);
            while !step.is_empty() {
                let mut next: Vec<ToolIx> = step.iter().flat_map(|&ix| catalog.requires(ix)).copied().collect();
                next.sort_by_key(|ix| (needed_by[ix.index()], *ix));
                step = order.place(next);
            }
        }
        order.tools
    }
}

/// Tools in the order they were placed.
struct Order {
    tools: Vec<ToolIx>,
    placed: Vec<bool>,
}

impl Order {
    /// Places those of `tools` that are not yet placed, and gives them.
    fn place(&mut self, tools: impl IntoIterator<Item = ToolIx>) -> Vec<ToolIx> {
        let first = self.tools.len();
        for tool in tools {
            if self.placed.get_mut(tool.index()).is_some_and(|placed| !std::mem::replace(placed, true)) {
                self.tools.push(tool);
            }
        }
        self.tools[first..].to_vec()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use winclaw_tool::ToolId;

    use super::*;
    use crate::{State, ToolEntry};

    fn catalog(tools: &[(&str, &[&str])]) -> Catalog {
        let entry = |&(id, needs): &(&str, &[&str])| {
            let needs: Vec<Value> = needs.iter().map(|tool| json!({"tool": tool, "kind": "requires"})).collect();
            let manifest = json!({"name": "x", "category": "c", "summary": "", "description": "",
                "parameters": {"type": "object"}, "side_effect": "read", "depends_on": needs});
            let manifest = serde_json::from_value(manifest).expect("a manifest");
            ToolEntry { id: ToolId::parse(id).expect("an id"), manifest, state: State::Ready }
        };
        Catalog::build(tools.iter().map(entry).collect()).0
    }

    #[test]
    fn what_a_hit_requires_follows_it_nearest_first() {
        let catalog = catalog(&[
            ("a.mail", &["a.base", "a.people", "a.zip"]),
            ("a.people", &["a.clock"]),
            ("a.zip", &[]),
            ("a.base", &["a.mail"]),
            ("a.clock", &[]),
            ("a.note", &["a.base", "a.people"]),
        ]);
        let ix = |id: &str| catalog.ix(&ToolId::parse(id).expect("an id")).expect("known");
        let hit = |id: &str| Hit { tool: ix(id), score: 1.0, exact: false, terms: Vec::new(), via: None };
        let strange = Hit { tool: ToolIx(99), ..hit("a.mail") };
        let evidence =
            Evidence { hits: vec![hit("a.mail"), hit("a.note"), hit("a.zip"), strange], ..Evidence::default() };
        let order: Vec<&str> = evidence.order(&catalog).iter().map(|&ix| catalog.get(ix).id.as_str()).collect();
        assert_eq!(order, ["a.mail", "a.zip", "a.base", "a.people", "a.clock", "a.note"]);
        assert_eq!(Evidence::default().order(&catalog), []);
    }
}
