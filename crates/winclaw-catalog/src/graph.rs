use std::collections::BTreeSet;

use winclaw_tool::{DependencyKind, Problem};

use crate::mentions::mentioned;
use crate::resolve::Names;
use crate::{CatalogTool, ToolIx, place, problems};

/// The edges between tools, by tool; each list is sorted and without repeats.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Graph {
    pub(crate) requires: Vec<Vec<ToolIx>>,
    pub(crate) input_from: Vec<Vec<ToolIx>>,
    pub(crate) often_with: Vec<Vec<ToolIx>>,
}

impl Graph {
    /// The edges, with a word to `say` for each that a tool states and that leads nowhere.
    pub(crate) fn of(tools: &[CatalogTool], names: &Names, mut say: impl FnMut(&CatalogTool, Problem)) -> Graph {
        let mut graph = Graph::default();
        for (at, tool) in tools.iter().enumerate() {
            let own = ToolIx(at as u32);
            let mut edges = stated(tools, own, tool, |problem| say(tool, problem));
            edges.extend(mentioned(tools, names, own).into_iter().map(|other| (DependencyKind::OftenWith, other)));
            let of = |kind| edges.iter().filter(|edge| edge.0 == kind).map(|edge| edge.1).collect();
            graph.requires.push(of(DependencyKind::Requires));
            graph.input_from.push(of(DependencyKind::InputFrom));
            graph.often_with.push(of(DependencyKind::OftenWith));
        }
        graph
    }

    pub(crate) fn closure(&self, ix: ToolIx) -> Vec<ToolIx> {
        let mut reached = BTreeSet::new();
        let mut open = vec![ix];
        while let Some(tool) = open.pop() {
            open.extend(self.requires[tool.index()].iter().filter(|&&other| reached.insert(other)));
        }
        reached.remove(&ix);
        reached.into_iter().collect()
    }
}

/// The edges `tool` states, without those that lead nowhere or to itself.
fn stated(
    tools: &[CatalogTool],
    own: ToolIx,
    tool: &CatalogTool,
    mut say: impl FnMut(Problem),
) -> BTreeSet<(DependencyKind, ToolIx)> {
    let mut edges = BTreeSet::new();
    for dependency in tool.manifest.depends_on.iter().collect::<BTreeSet<_>>() {
        match target(tools, tool, &dependency.tool) {
            None => say(problems::unknown_dependency(&tool.id, &dependency.tool)),
            Some(other) if other == own => say(problems::self_dependency(&tool.id)),
            Some(other) => drop(edges.insert((dependency.kind, other))),
        }
    }
    edges
}

/// The tool a dependency names: an id, or else a tool of the same source.
fn target(tools: &[CatalogTool], tool: &CatalogTool, name: &str) -> Option<ToolIx> {
    place(tools, name).or_else(|| place(tools, &format!("{}.{name}", tool.id.source())))
}
