use std::collections::BTreeSet;

use winclaw_tool::{Problem, Text, ToolId};

use crate::build::{assemble, offered};
use crate::{Catalog, CatalogTool, State, ToolEntry, ToolIx};

impl Catalog {
    /// The catalog of what the backends offer now, in which every tool of `self` is still known.
    ///
    /// A tool that `entries` no longer offer stays as it was last offered and is [`State::Unavailable`], to be tried again
    /// later; one that was [`State::Disabled`] stays disabled. A tool that is
    /// offered again is as it is offered. Every tool of `self` keeps its wire name, so what a model has read of it still
    /// holds; a changed fingerprint says that its schema does not.
    ///
    /// Second come the problems of `entries`, as [`Catalog::build`] finds them; what is kept has none. Third is the map:
    /// at `old.index()` the tool's place in the new catalog. Never fails, and the order of `entries` changes nothing.
    pub fn successor(&self, entries: Vec<ToolEntry>) -> (Catalog, Vec<Problem>, Vec<ToolIx>) {
        let mut found = Vec::new();
        let mut tools = offered(entries, &mut found);
        let mut missing = Vec::new();
        for (at, offered) in places(&self.tools, &tools).into_iter().enumerate() {
            match offered {
                Some(ix) => tools[ix.index()].wire_name.clone_from(&self.tools[at].wire_name),
                None => missing.push(kept(&self.tools[at])),
            }
        }
        let gone: BTreeSet<ToolId> = missing.iter().map(|tool| tool.id.clone()).collect();
        if !missing.is_empty() {
            tools.extend(missing);
            tools.sort_by(|a, b| a.id.cmp(&b.id));
        }
        let (catalog, problems) = assemble(tools, found, |tool| !gone.contains(&tool.id));
        let map = places(&self.tools, &catalog.tools).into_iter().flatten().collect();
        (catalog, problems, map)
    }
}

/// Where in `new` each of `old` stands; both are sorted by id.
fn places(old: &[CatalogTool], new: &[CatalogTool]) -> Vec<Option<ToolIx>> {
    let mut at = 0;
    let place = |tool: &CatalogTool| {
        at += new[at..].iter().take_while(|other| other.id < tool.id).count();
        new.get(at).is_some_and(|other| other.id == tool.id).then_some(ToolIx(at as u32))
    };
    old.iter().map(place).collect()
}

/// A tool that is not offered any longer.
fn kept(old: &CatalogTool) -> CatalogTool {
    let why = Text::new("its source no longer offers it", "其来源不再提供它");
    let state = match &old.state {
        State::Disabled { why } => State::Disabled { why: why.clone() },
        _ => State::Unavailable { why, retryable: true },
    };
    CatalogTool { state, ..old.clone() }
}
