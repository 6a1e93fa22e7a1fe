//! What a task is about, as tools: what its request points to, and what the model looked for on the way.

use std::collections::BTreeSet;

use winclaw_catalog::{Catalog, ToolIx, evidence::Evidence};

/// Most tools that one look at a text brings near, beside those it names.
const MOST: usize = 8;

/// A hit with less than this share of the best score does not bring its tool near.
const SHARE: f32 = 0.15;

/// The tools near the request. It only grows; where the request says little, everything is near.
#[derive(Debug, Default)]
pub(crate) struct Anchor {
    tools: BTreeSet<ToolIx>,
    /// Whether something the person said points to tools clearly.
    clear: bool,
}

impl Anchor {
    /// What the person said points to these tools; clearly so if it names one or its margin is at least `weak_margin`.
    pub(crate) fn weighed(&mut self, catalog: &Catalog, evidence: &Evidence, weak_margin: f32) {
        self.clear |= evidence.margin >= weak_margin || evidence.hits.iter().any(|hit| hit.exact);
        // What is named stands for itself; beside it, hits by single characters are no hint.
        let best = evidence.hits.iter().map(|hit| hit.score).fold(0.0, f32::max);
        let named = evidence.hits.iter().filter(|hit| hit.exact).map(|hit| hit.tool);
        let plain = evidence.hits.iter().filter(|hit| !hit.exact);
        let near = plain.filter(|hit| hit.score >= best * SHARE).take(MOST).map(|hit| hit.tool);
        self.add(catalog, named.chain(near));
    }

    /// The model looked for these tools.
    pub(crate) fn add(&mut self, catalog: &Catalog, tools: impl IntoIterator<Item = ToolIx>) {
        for tool in tools {
            self.tools.insert(tool);
            self.tools.extend(catalog.closure(tool));
        }
    }

    /// Whether `tool` is one of them, or of the category of one.
    pub(crate) fn is_near(&self, catalog: &Catalog, tool: ToolIx) -> bool {
        let category = &catalog.get(tool).manifest.category;
        let alike = |near: &ToolIx| catalog.get(*near).manifest.category == *category;
        !self.clear || self.tools.is_empty() || self.tools.contains(&tool) || self.tools.iter().any(alike)
    }

    pub(crate) fn renumber(&mut self, map: &[ToolIx]) {
        self.tools = self.tools.iter().filter_map(|tool| map.get(tool.index()).copied()).collect();
    }
}
