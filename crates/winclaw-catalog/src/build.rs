use std::collections::BTreeMap;

use winclaw_tool::Problem;

use crate::graph::Graph;
use crate::resolve::Names;
use crate::tidy::tidy;
use crate::{Catalog, CatalogTool, State, ToolEntry, ToolIx, problems, wire};

impl Catalog {
    /// Makes a catalog of everything the backends offer, and says what was wrong with it.
    ///
    /// Never fails, and the order of `entries` changes neither result. Every id is kept: what is wrong with a tool costs
    /// its own claim, such as one dependency. A schema that cannot be shown (of no object, more than 128 KiB of JSON or
    /// 96 levels deep) gives way to one that every object fits. Of several entries with one id the same is kept whatever
    /// their order (one that is ready before one that is not), and each other one is a problem, the only fatal kind.
    pub fn build(entries: Vec<ToolEntry>) -> (Catalog, Vec<Problem>) {
        let mut found = Vec::new();
        let tools = offered(entries, &mut found);
        assemble(tools, found, |_| true)
    }
}

/// The tools of `entries`, sorted by id and cleaned, without wire names.
pub(crate) fn offered(entries: Vec<ToolEntry>, found: &mut Vec<Problem>) -> Vec<CatalogTool> {
    let entries = distinct(entries, found);
    entries.into_iter().map(|entry| tidy(entry, found)).collect()
}

/// The catalog of `tools`, sorted by id. A tool that has a wire name keeps it. What a tool claims about others is a
/// problem only if somebody `answers_for` it.
pub(crate) fn assemble(
    mut tools: Vec<CatalogTool>,
    mut found: Vec<Problem>,
    answers_for: impl Fn(&CatalogTool) -> bool,
) -> (Catalog, Vec<Problem>) {
    give_wire_names(&mut tools);
    let names = Names::of(&tools);
    let graph = Graph::of(&tools, &names, |tool, problem| {
        if answers_for(tool) {
            found.push(problem);
        }
    });
    let categories = by_category(&tools);
    found.sort_by(|a, b| (&a.subject, &a.what.en).cmp(&(&b.subject, &b.what.en)));
    (Catalog { tools, names, graph, categories }, found)
}

/// The entries sorted by id, one for each.
fn distinct(entries: Vec<ToolEntry>, found: &mut Vec<Problem>) -> Vec<ToolEntry> {
    // Places are sorted and not the entries, which are large.
    let mut places: Vec<usize> = (0..entries.len()).collect();
    places.sort_by(|a, b| entries[*a].id.cmp(&entries[*b].id));
    let mut entries: Vec<Option<ToolEntry>> = entries.into_iter().map(Some).collect();
    let mut kept: Vec<ToolEntry> = Vec::with_capacity(entries.len());
    for entry in places.into_iter().filter_map(|at| entries[at].take()) {
        match kept.last_mut() {
            Some(last) if last.id == entry.id => {
                found.push(problems::duplicate(&entry.id));
                if rank(&entry) < rank(last) {
                    *last = entry;
                }
            }
            _ => kept.push(entry),
        }
    }
    kept
}

/// Orders entries of one id by their content.
fn rank(entry: &ToolEntry) -> (u8, String, String) {
    let state = match entry.state {
        State::Ready => 0,
        State::NeedsConfig { .. } => 1,
        State::Unavailable { .. } => 2,
        State::Disabled { .. } => 3,
    };
    let manifest = serde_json::to_string(&entry.manifest).unwrap_or_default();
    (state, manifest, format!("{:?}", entry.state))
}

fn give_wire_names(tools: &mut [CatalogTool]) {
    let ids: Vec<_> = tools.iter().map(|tool| (&tool.id, tool.wire_name.as_str())).collect();
    let names = wire::assign(&ids);
    for (tool, name) in tools.iter_mut().zip(names) {
        tool.wire_name = name;
    }
}

fn by_category(tools: &[CatalogTool]) -> BTreeMap<String, Vec<ToolIx>> {
    let mut categories: BTreeMap<String, Vec<ToolIx>> = BTreeMap::new();
    for (at, tool) in tools.iter().enumerate() {
        categories.entry(tool.manifest.category.clone()).or_default().push(ToolIx(at as u32));
    }
    categories
}
