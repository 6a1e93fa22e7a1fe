//! The two cautionary strategies. They show what the progressive one avoids, and are never used for a task.

use winclaw_catalog::evidence::Evidence;
use winclaw_catalog::{Catalog, ToolIx};

use crate::{Because, Exposure, Level, Place, Prefix, Strategy, Transport};

impl Exposure {
    /// Freezes what the strategy under comparison would send: every schema, or those of the best category alone. No meta
    /// tools, no catalogue, and no regard for the vendor's limit.
    pub(crate) fn open_for_comparison(&mut self, catalog: &Catalog, evidence: &Evidence) {
        self.transport = Transport::Direct;
        let best = evidence.categories.first().map(|(category, _)| category.clone());
        let (tools, because): (Vec<ToolIx>, Because) = match self.settings.strategy {
            Strategy::Hard => {
                let tools = best.as_ref().and_then(|category| catalog.categories().get(category));
                let permitted = tools.into_iter().flatten().copied().filter(|ix| catalog.get(*ix).permitted());
                (permitted.collect(), Because::Category { chosen: best.clone(), inside: true })
            }
            other => (catalog.permitted().collect(), Because::Strategy(other)),
        };
        self.advice.leads.categories = best.into_iter().collect();
        for tool in &tools {
            self.set(catalog, *tool, Level::Full, because.clone(), Place::Array);
        }
        let specs = tools.iter().map(|ix| self.prepared.spec(catalog, *ix, Level::Full)).collect();
        let prefix = Prefix { system: self.settings.base_prompt.clone(), tools: specs, ..Prefix::default() };
        let tokens = prefix.tokens();
        self.seal(prefix, tokens, Because::TaskBegan, 0);
    }

    /// Why the strategy under comparison hides a tool: the fixed table lets one category in and everything else out.
    pub(crate) fn why_hidden(&self) -> Because {
        Because::Category { chosen: self.advice.leads.categories.first().cloned(), inside: false }
    }
}
