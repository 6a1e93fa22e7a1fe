//! The two cautionary strategies. They show what the progressive one avoids, and are never used for a task.

use winclaw_catalog::evidence::Evidence;
use winclaw_catalog::{Catalog, ToolIx};

use crate::{Because, Exposure, Level, Place, Prefix, Strategy, Transport, schema};

impl Exposure {
    /// Freezes what the strategy under comparison would send: every schema, or those of the best category alone. No meta
    /// tools, no catalogue, and no regard for the vendor's limit.
    pub(crate) fn open_for_comparison(&mut self, catalog: &Catalog, evidence: &Evidence) {
        let strategy = self.settings.strategy;
        self.transport = Transport::Direct;
        let tools: Vec<ToolIx> = match strategy {
            Strategy::Hard => of_best_category(catalog, evidence),
            Strategy::Full | Strategy::Progressive => catalog.permitted().collect(),
        };
        for tool in &tools {
            self.set(catalog, *tool, Level::Full, Because::Strategy(strategy), Place::Array);
        }
        let specs = tools.iter().map(|ix| schema::spec(catalog.get(*ix), Level::Full)).collect();
        self.seal(
            Prefix { system: self.settings.base_prompt.clone(), tools: specs, ..Prefix::default() },
            Because::TaskBegan,
        );
    }
}

/// The fixed table of the founding story: one category in, everything else out. Without a category there is nothing.
fn of_best_category(catalog: &Catalog, evidence: &Evidence) -> Vec<ToolIx> {
    let best = evidence.categories.first().and_then(|(category, _)| catalog.categories().get(category));
    let permitted = best.into_iter().flatten().copied().filter(|ix| catalog.get(*ix).permitted());
    permitted.collect()
}
