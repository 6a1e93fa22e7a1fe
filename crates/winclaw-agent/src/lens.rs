//! The exposure of a task, with the catalog it looks at and a journal of everything that is done to it.

use std::sync::Arc;

use winclaw_catalog::{Catalog, Resolution, ToolIx, evidence::Evidence};
use winclaw_exposure::{Answer, Because, Entry, Exposure, Rise, Settings, Signal, Surface, meta};
use winclaw_intent::Query;
use winclaw_tool::Failure;

use crate::Ranking;
use crate::steps::{Sign, Step, Weighed};

/// Live tasks and replays alike change an [`Exposure`] through this only, so a replay does what the task did.
#[derive(Clone)]
pub(crate) struct Lens {
    pub(crate) exposure: Exposure,
    catalog: Arc<Catalog>,
    ranking: Arc<Ranking>,
    journal: Vec<Step>,
    /// Ledger entries that were taken.
    taken: usize,
}

impl Lens {
    /// Begins a task. The evidence is also given back.
    pub(crate) fn begin(
        catalog: &Arc<Catalog>,
        ranking: &Arc<Ranking>,
        settings: Settings,
        asked: Weighed,
    ) -> (Lens, Evidence) {
        let evidence = asked.ask(catalog, |query| ranking.index.weigh(catalog, query));
        let begin =
            Step::Begin { tools_sha256: ranking.digest.clone(), settings: Box::new(settings.clone()), evidence: asked };
        let lens = Lens {
            exposure: Exposure::begin_prepared(catalog, &ranking.prepared, &evidence, settings),
            catalog: Arc::clone(catalog),
            ranking: Arc::clone(ranking),
            journal: vec![begin],
            taken: 0,
        };
        (lens, evidence)
    }

    /// Goes on with an exposure that was kept and is of this catalog.
    pub(crate) fn resumed(
        catalog: &Arc<Catalog>,
        ranking: &Arc<Ranking>,
        exposure: Exposure,
        journal: Vec<Step>,
        taken: usize,
    ) -> Lens {
        let exposure = exposure.resumed(&ranking.prepared);
        Lens { exposure, catalog: Arc::clone(catalog), ranking: Arc::clone(ranking), journal, taken }
    }

    /// Goes on with a conversation whose exposure is lost or was of other tools: in `epoch`, behind so many estimated tokens
    /// of conversation.
    pub(crate) fn again(
        catalog: &Arc<Catalog>,
        ranking: &Arc<Ranking>,
        settings: Settings,
        asked: Weighed,
        (epoch, history_tokens): (u32, u32),
    ) -> Lens {
        let evidence = asked.ask(catalog, |query| ranking.index.weigh(catalog, query));
        let used: Vec<ToolIx> = asked.used.iter().filter_map(|id| catalog.ix(id)).collect();
        let behind = (epoch, used.as_slice(), history_tokens);
        let exposure = Exposure::begin_again(catalog, &ranking.prepared, &evidence, settings.clone(), behind);
        let tools_sha256 = ranking.digest.clone();
        let again = Step::Again { tools_sha256, settings: Box::new(settings), evidence: asked, epoch, history_tokens };
        let (catalog, ranking) = (Arc::clone(catalog), Arc::clone(ranking));
        Lens { exposure, catalog, ranking, journal: vec![again], taken: 0 }
    }

    /// The same, where the conversation lost a part.
    pub(crate) fn behind(mut self, lost: bool) -> Lens {
        if lost {
            self.compacted();
        }
        self
    }

    /// The digest of the catalog.
    pub(crate) fn digest(&self) -> &str {
        &self.ranking.digest
    }

    /// What was done and not taken yet.
    pub(crate) fn journal(&self) -> &[Step] {
        &self.journal
    }

    /// How many ledger entries were taken.
    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    pub(crate) fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// What was done since the last time this was asked.
    pub(crate) fn take_steps(&mut self) -> Vec<Step> {
        std::mem::take(&mut self.journal)
    }

    /// What the exposure decided since the last time this was asked.
    pub(crate) fn take_entries(&mut self) -> Vec<Entry> {
        let ledger = self.exposure.ledger();
        let from = std::mem::replace(&mut self.taken, ledger.len());
        ledger.get(from..).unwrap_or_default().to_vec()
    }

    pub(crate) fn weigh(&self, message: &str) -> Evidence {
        self.ranking.index.weigh(&self.catalog, &Query { message, ..Query::default() })
    }

    pub(crate) fn observe(&mut self, asked: Weighed) -> Evidence {
        let evidence = asked.ask(&self.catalog, |query| self.ranking.index.weigh(&self.catalog, query));
        self.exposure.observe(&self.catalog, &evidence);
        self.journal.push(Step::Observe { evidence: asked });
        evidence
    }

    /// A further request of a session, with the plain estimate of the conversation before it.
    pub(crate) fn request(&mut self, asked: Weighed, history_tokens: u32) -> Evidence {
        let evidence = asked.ask(&self.catalog, |query| self.ranking.index.weigh(&self.catalog, query));
        self.exposure.new_request(&self.catalog, &evidence, history_tokens);
        self.journal.push(Step::Request { evidence: asked, history_tokens });
        evidence
    }

    /// Another model goes on with the session.
    pub(crate) fn switch_model(&mut self, settings: Settings) {
        self.journal.push(Step::Switch { settings: Box::new(settings.clone()) });
        self.exposure.switch_model(&self.catalog, settings);
    }

    /// The vendor does not take the definitions of these tools.
    pub(crate) fn bar(&mut self, tools: &[ToolIx]) {
        let ids = tools.iter().map(|tool| self.catalog.get(*tool).id.clone()).collect();
        self.journal.push(Step::Bar { tools: ids });
        self.exposure.bar(&self.catalog, tools);
    }

    pub(crate) fn learn(&mut self, signal: Signal) -> Vec<Rise> {
        self.journal.push(Step::Learn { signal: Sign::of(&self.catalog, &signal) });
        self.exposure.learn(&self.catalog, signal)
    }

    /// The schema of a tool that was called unshown.
    pub(crate) fn reveal_called(&mut self, tool: ToolIx) -> Answer {
        self.journal.push(Step::Reveal { tool: self.catalog.get(tool).id.clone() });
        self.exposure.reveal(&self.catalog, &[tool], Because::CalledUnshown)
    }

    /// Looks each query up by itself and takes the hits in turns, so that each need gets a seat. A category adds the rest
    /// of itself, whatever the limit. Gives what was found, and the answer.
    pub(crate) fn search(
        &mut self,
        queries: Vec<String>,
        limit: Option<usize>,
        category: Option<String>,
    ) -> (Vec<ToolIx>, Answer) {
        let hits = |query: &String| self.weigh(query).hits.iter().map(|hit| hit.tool).collect();
        let lists: Vec<Vec<ToolIx>> = queries.iter().map(hits).collect();
        let most = limit.unwrap_or(meta::DEFAULT_LIMIT).max(1) * queries.len().max(1);
        let found = meta::within(&self.catalog, meta::in_turns(&lists, most), category.as_deref());
        let answer = self.exposure.search_answer(&self.catalog, &found, &queries.join("; "));
        self.journal.push(Step::Search { queries, limit, category });
        (found, answer)
    }

    pub(crate) fn details(&mut self, names: Vec<String>) -> (Vec<ToolIx>, Answer) {
        let resolve = |name: &String| (name.clone(), self.catalog.resolve(name));
        let resolved: Vec<(String, Resolution)> = names.iter().map(resolve).collect();
        let answer = self.exposure.details_answer(&self.catalog, &resolved);
        self.journal.push(Step::Details { names });
        let known = |(_, resolution): &(String, Resolution)| match resolution {
            Resolution::One(tool) => Some(*tool),
            _ => None,
        };
        (resolved.iter().filter_map(known).collect(), answer)
    }

    /// The failure for a name that does not mean exactly one tool.
    pub(crate) fn name_answer(&mut self, name: &str) -> Failure {
        self.journal.push(Step::Name { name: name.to_owned() });
        match self.catalog.resolve(name) {
            Resolution::One(tool) => self.exposure.unknown_answer(&self.catalog, name, &[tool]),
            Resolution::Many(tools) => self.exposure.ambiguous_answer(&self.catalog, name, &tools),
            Resolution::Unknown { nearest } => self.exposure.unknown_answer(&self.catalog, name, &nearest),
        }
    }

    /// The list of tools changed; `map` has the place of each old tool.
    pub(crate) fn adopt(&mut self, catalog: &Arc<Catalog>, ranking: &Arc<Ranking>, map: &[ToolIx]) {
        self.exposure.adopt(catalog, &ranking.prepared, map);
        (self.catalog, self.ranking) = (Arc::clone(catalog), Arc::clone(ranking));
        self.journal.push(Step::Adopt { tools_sha256: ranking.digest.clone() });
    }

    pub(crate) fn calibrate(&mut self, estimated: u32, reported: u64) {
        self.exposure.calibrate(estimated, reported);
        self.journal.push(Step::Calibrate { estimated, reported });
    }

    pub(crate) fn compacted(&mut self) {
        self.exposure.compacted(&self.catalog);
        self.journal.push(Step::Compacted);
    }

    pub(crate) fn surface(&mut self) -> Surface {
        self.exposure.surface(&self.catalog)
    }
}
