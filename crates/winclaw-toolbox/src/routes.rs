use std::collections::BTreeMap;
use std::sync::Arc;

use winclaw_catalog::{Catalog, CatalogTool, ToolEntry, ToolIx};
use winclaw_tool::ToolId;

use crate::Backend;

/// Which backend runs which tool of the catalog.
pub(crate) struct Routes(Vec<Option<Arc<dyn Backend>>>);

type Offers<'a> = BTreeMap<&'a ToolId, Vec<(usize, &'a ToolEntry)>>;

impl Routes {
    /// `offers[n]` are the entries of `backends[n]`, as they were given to the catalog.
    pub(crate) fn new(catalog: &Catalog, backends: &[Arc<dyn Backend>], offers: &[Vec<ToolEntry>]) -> Routes {
        let mut by_id = Offers::new();
        for (backend, entry) in offers.iter().enumerate().flat_map(|(n, list)| list.iter().map(move |entry| (n, entry)))
        {
            by_id.entry(&entry.id).or_default().push((backend, entry));
        }
        let backend_of = |tool: &CatalogTool| by_id.get(&tool.id).and_then(|offers| kept(tool, offers));
        let routes = catalog.tools().iter().map(|tool| backend_of(tool).and_then(|n| backends.get(n).cloned()));
        Routes(routes.collect())
    }

    pub(crate) fn get(&self, tool: ToolIx) -> Option<&Arc<dyn Backend>> {
        self.0.get(tool.0 as usize)?.as_ref()
    }
}

/// The backend whose entry the catalog kept. The catalog alone decides which one that is; here it is only recognised.
fn kept(tool: &CatalogTool, offers: &[(usize, &ToolEntry)]) -> Option<usize> {
    let same = |(_, entry): &&(usize, &ToolEntry)| is_from(tool, entry);
    let found = if offers.len() == 1 { offers.first() } else { offers.iter().find(same) };
    found.map(|(backend, _)| *backend)
}

/// Whether `tool` is what the catalog makes of `entry`: texts are cleaned on the way in, so the two are compared after it.
fn is_from(tool: &CatalogTool, entry: &ToolEntry) -> bool {
    let (alone, _) = Catalog::build(vec![entry.clone()]);
    alone.tools().first().is_some_and(|made| made.manifest == tool.manifest && made.state == tool.state)
}
