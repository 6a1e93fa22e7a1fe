//! The ends of an epoch beside a permission that is taken away: what ends it, what it costs, and what the model has to be
//! shown again.

use std::sync::Arc;

use winclaw_catalog::evidence::Evidence;
use winclaw_catalog::{Catalog, ToolIx};

use crate::advice::Leads;
use crate::array::MAX_EXACT;
use crate::begin::transport;
use crate::exposure::Standing;
use crate::learn::Watch;
use crate::{Because, Event, Exposure, Level, Prepared, Reach, Settings, Transport};

/// Most tools that one line names because their schemas were lost.
const MAX_FORGOTTEN: usize = 40;

/// What of the conversation the model still has when an epoch ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keeps {
    Everything,
    /// All but the vendor's own blocks.
    Text,
    Nothing,
}

impl Exposure {
    /// The conversation was summarised, so the model has lost whatever was told in it. Ends the epoch.
    ///
    /// The tools the task has called move into the tools array, with what they require, as far as there is room (the share
    /// of reach Full). What does not fit is in the next tail, in its current form, up to `again_percent` of the window; a
    /// last rest is named there. So a model can go on with every tool it used without a new search (I15). Other schemas
    /// that were shown are named once and shown again when asked for; no level falls.
    ///
    /// Its price is the new prefix; the summary is new text, whatever happens to the prefix.
    pub fn compacted(&mut self, catalog: &Catalog) {
        if !self.is_fixed() {
            self.reopen(catalog, Because::Compacted, Keeps::Nothing, None, 0);
        }
    }

    /// Another model goes on with the task, with its own window, limits and transports. Ends the epoch: the transport is
    /// chosen anew, levels and reach stay.
    ///
    /// What earlier results revealed by a vendor's own blocks counts as lost if the new model knows no such blocks; the text
    /// of the conversation stays. The strategy stays too, whatever `settings` say. Its price is the prefix and all that
    /// stands behind it, since no model has the cache of another.
    pub fn switch_model(&mut self, catalog: &Catalog, settings: Settings) {
        if self.is_fixed() {
            return;
        }
        let history = self.last_history();
        let keeps = if settings.native.is_some() { Keeps::Everything } else { Keeps::Text };
        self.settings = Settings { strategy: self.settings.strategy, ..settings };
        self.barred.clear();
        self.untold.clear();
        self.reopen(catalog, Because::ModelSwitched, keeps, None, history);
    }

    /// The vendor does not take the definitions of `tools`: they leave the array for as long as the model stays, and stay
    /// named, found by search and called through `tool_call`. Ends the epoch, since what is sent is another array; the next
    /// tail says once which they are and how they are called. Of tools it knew of before, nothing happens.
    pub fn bar(&mut self, catalog: &Catalog, tools: &[ToolIx]) {
        let is_new = |ix: &&ToolIx| self.prepared.permits(**ix) && !self.barred.contains(*ix);
        let new: Vec<ToolIx> = tools.iter().filter(is_new).copied().collect();
        if new.is_empty() || self.is_fixed() {
            return;
        }
        self.barred.extend(&new);
        for ix in &new {
            if let Some(standing) = self.standing.get_mut(ix).filter(|standing| standing.revealed) {
                (standing.told, standing.revealed) = (Level::Named, false);
            }
        }
        self.untold.extend(new);
        let history = self.last_history();
        self.reopen(catalog, Because::NotTaken, Keeps::Everything, None, history);
    }

    /// The line about tools that the vendor does not take, once.
    pub(crate) fn take_untold(&mut self, catalog: &Catalog) -> Option<String> {
        let untold = std::mem::take(&mut self.untold);
        let (named, rest) = untold.split_at(untold.len().min(MAX_FORGOTTEN));
        if named.is_empty() {
            return None;
        }
        let names: Vec<&str> = named.iter().map(|ix| catalog.get(*ix).wire_name.as_str()).collect();
        let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        let how = match self.offers("tool_call") {
            true => "call them with tool_call",
            false => "call them by name, though their parameters are not shown",
        };
        Some(format!(
            "Not in your tools array, since this server does not take their definitions: {}{more}; {how}.",
            names.join(", ")
        ))
    }

    /// A person begins the conversation anew. Ends the epoch: the prefix is made for `evidence` as at the start of a task,
    /// nothing counts as used or told, and budgets of the task are whole again. Levels and reach stay.
    pub fn reset(&mut self, catalog: &Catalog, evidence: &Evidence) {
        if self.is_fixed() {
            return;
        }
        self.used.clear();
        self.pending.clear();
        self.clear_array();
        self.watch = Watch::new(&self.settings);
        let leads = self.leads_of_request(evidence);
        self.reopen(catalog, Because::Reset, Keeps::Nothing, Some(&leads), 0);
        self.forgotten.clear();
        self.advise(leads);
        self.advice.unsay();
    }

    /// A further request of the session begins; `history_tokens` is what stands behind the prefix, as an estimate. Call it
    /// instead of [`Exposure::observe`] for that request.
    ///
    /// It ends the epoch when that is cheaper than going on, and both prices are in the ledger ([`Event::Weighed`]):
    ///
    /// - *Ending it* puts the tools the session used and those the request points to into the array, so the cache serves
    ///   nothing of the next request: prefix and history are billed whole instead of at `cached_percent` (a tenth, as
    ///   DeepSeek and Anthropic bill). The schemas that move cost the same in the array as in a tail, so they are left out.
    /// - *Going on* costs, when a wanted tool stands neither in the array nor in the conversation and would not fit the
    ///   next tail, one more model call: reading prefix and history once from the cache, and `extra_call_tokens`. One,
    ///   because a look-up answers for ten tools; a public comparison of the same work with a tool deferred and with its
    ///   schema loaded counted 4.83 calls against 3.67. Every wanted tool outside the array also costs
    ///   `bridged_tool_tokens`, where tools are called through `tool_call`.
    ///
    /// So a short history ends the epoch and a long one does not. Where nothing is hidden there is nothing to weigh.
    /// Budgets of a task are whole again; levels and reach stay.
    pub fn new_request(&mut self, catalog: &Catalog, evidence: &Evidence, history_tokens: u32) {
        if self.is_fixed() {
            return;
        }
        self.watch = Watch::new(&self.settings);
        let leads = self.leads_of_request(evidence);
        let rebilling = self.price_of_ending(history_tokens);
        let bridging = if self.hides() { self.price_of_staying(&leads, history_tokens) } else { 0 };
        self.log(Event::Weighed { rebilling, bridging }, Because::NewRequest);
        match rebilling < bridging {
            true => self.reopen(catalog, Because::NewRequest, Keeps::Everything, Some(&leads), history_tokens),
            false => self.follow(catalog, &leads),
        }
        self.advise(leads);
    }

    /// The evidence of a request; the reach is wider where it is weak.
    fn leads_of_request(&mut self, evidence: &Evidence) -> Leads {
        let leads = Leads::of(&self.prepared, &self.settings, evidence);
        if !leads.strong && self.reach < Reach::Extended {
            let (from, to) = (self.reach, Reach::Extended);
            self.reach = to;
            self.log(Event::Reached { from, to }, Because::NoEvidence);
        }
        leads
    }

    fn price_of_ending(&self, history: u32) -> u32 {
        let cached = self.settings.budgets.cached_percent.min(100);
        percent(self.prefix_tokens.saturating_add(history), 100 - cached)
    }

    fn price_of_staying(&self, leads: &Leads, history: u32) -> u32 {
        let wanted = self.wanted(leads);
        if wanted.is_empty() {
            return 0;
        }
        let budgets = &self.settings.budgets;
        let mut tail = self.watch.unasked(&self.settings);
        let mut fits_tail = |ix: &ToolIx| match tail.checked_sub(self.prepared.cost(*ix, Level::Brief)) {
            Some(left) => {
                tail = left;
                true
            }
            None => false,
        };
        let looks_up = wanted.iter().any(|ix| !self.schema_shown(*ix) && !fits_tail(ix));
        let again = percent(self.prefix_tokens.saturating_add(history), budgets.cached_percent.min(100));
        let look_up = if looks_up { again.saturating_add(budgets.extra_call_tokens) } else { 0 };
        let each = if self.transport == Transport::Bridge { budgets.bridged_tool_tokens } else { 0 };
        look_up.saturating_add(each.saturating_mul(wanted.len() as u32))
    }

    /// Tools outside the array that the request points to or the session used.
    fn wanted(&self, leads: &Leads) -> Vec<ToolIx> {
        let (most, _) = self.settings.share(self.reach);
        let exact = leads.ranked.iter().filter(|lead| lead.exact).take(MAX_EXACT);
        let pointed = exact.chain(leads.within(self.reach).take(most)).map(|lead| lead.tool);
        let mut wanted: Vec<ToolIx> = Vec::new();
        for ix in self.used.iter().copied().chain(pointed) {
            if self.prepared.permits(ix) && !self.in_array(ix) && !wanted.contains(&ix) {
                wanted.push(ix);
            }
        }
        wanted
    }

    /// Drops tools that have been disabled since the epoch began, and opens a new epoch without them. The price is what
    /// stands behind the prefix, as far as it was reported.
    pub(crate) fn take_back(&mut self, catalog: &Catalog) {
        let gone: Vec<ToolIx> = self.revoked(catalog).collect();
        if gone.is_empty() || self.is_fixed() {
            return;
        }
        self.prepared = Arc::new(Prepared::new(catalog));
        self.revoke(catalog, &gone);
    }

    fn revoked<'a>(&'a self, catalog: &'a Catalog) -> impl Iterator<Item = ToolIx> + 'a {
        catalog.all().filter(|ix| self.prepared.permits(*ix) && !catalog.get(*ix).permitted())
    }

    /// Takes tools that are no longer permitted out of everything, and opens a new epoch.
    pub(crate) fn revoke(&mut self, catalog: &Catalog, gone: &[ToolIx]) {
        for tool in gone {
            self.standing.remove(tool);
            self.log(Event::Revoked { tool: *tool }, Because::Revoked);
        }
        self.keep_only_permitted();
        let history = self.last_history();
        self.reopen(catalog, Because::Revoked, Keeps::Everything, None, history);
    }

    fn keep_only_permitted(&mut self) {
        let prepared = Arc::clone(&self.prepared);
        let permitted = |ix: &ToolIx| prepared.permits(*ix);
        self.core.retain(permitted);
        self.pending.retain(permitted);
        self.forgotten.retain(permitted);
        self.untold.retain(permitted);
        self.used.retain(permitted);
        self.news.retain(permitted);
        self.advice.forget(&prepared);
    }

    /// Ends the epoch and opens the next.
    fn reopen(&mut self, catalog: &Catalog, cause: Because, keeps: Keeps, leads: Option<&Leads>, history: u32) {
        let kept = self.kept();
        let had = self.had();
        self.epoch += 1;
        self.lose(keeps);
        self.transport = transport(&self.prepared, &self.settings);
        self.deferred.clear();
        self.referable.clear();
        self.assemble(catalog, &kept, leads);
        self.freeze(catalog, cause.clone(), history);
        self.show_again(catalog, &had, &cause);
    }

    /// What the model had read and would miss. It was never pointed to further hits that stood in the array alone.
    fn had(&self) -> Vec<ToolIx> {
        let passing = |standing: &Standing| standing.background && standing.told == Level::Named;
        let had = self.standing.iter().filter(|(ix, standing)| self.told(**ix) > Level::Named && !passing(standing));
        had.map(|(ix, _)| *ix).collect()
    }

    /// What ought to stay in the array: what the task used, the last first, then what stood there but for further hits.
    pub(crate) fn kept(&self) -> Vec<ToolIx> {
        let stood = self.standing.iter().filter(|(_, standing)| standing.in_array() && !standing.background);
        let stood = stood.map(|(ix, _)| *ix);
        let mut kept: Vec<ToolIx> = self.used.iter().rev().copied().collect();
        let others: Vec<ToolIx> = stood.filter(|ix| !kept.contains(ix)).collect();
        kept.extend(others);
        kept
    }

    fn lose(&mut self, keeps: Keeps) {
        if keeps == Keeps::Nothing {
            self.read_whole.clear();
            self.news.clear();
            self.advice.unsay();
        }
        for standing in self.standing.values_mut() {
            if keeps == Keeps::Nothing || (keeps == Keeps::Text && standing.revealed) {
                (standing.told, standing.revealed) = (Level::Named, false);
            }
        }
    }

    /// Shows again what the model had, has no longer and needs: tools the task used, with what they require. Of the rest
    /// that it had it is told the names.
    pub(crate) fn show_again(&mut self, catalog: &Catalog, had: &[ToolIx], cause: &Because) {
        self.pending =
            std::mem::take(&mut self.pending).into_iter().filter(|ix| self.told(*ix) < self.level(*ix)).collect();
        let mut left = self.settings.again_tokens();
        for tool in self.used.clone().into_iter().rev() {
            self.show_used_again(catalog, tool, cause, &mut left);
        }
        let lost: Vec<ToolIx> = had.iter().copied().filter(|ix| !self.schema_shown(*ix)).collect();
        let used: Vec<ToolIx> = self.used.iter().copied().filter(|ix| !self.schema_shown(*ix)).collect();
        self.forgotten = used;
        self.forgotten.extend(lost.into_iter().filter(|ix| !self.used.contains(ix)));
    }

    fn show_used_again(&mut self, catalog: &Catalog, tool: ToolIx, cause: &Because, left: &mut u32) {
        let due = |own: &Self, ix: &ToolIx| !own.schema_shown(*ix);
        let mut group: Vec<ToolIx> = self.group(catalog, tool).into_iter().filter(|ix| due(self, ix)).collect();
        let cost = |own: &Self, ix: &ToolIx| own.prepared.cost(*ix, own.told_as(*ix));
        let whole: u32 = group.iter().map(|ix| cost(self, ix)).fold(0, u32::saturating_add);
        if whole > *left || self.level(tool) == Level::Named {
            group.retain(|ix| *ix == tool);
        }
        for ix in group {
            let tokens = cost(self, &ix);
            if tokens <= *left {
                *left -= tokens;
                self.pending.push(ix);
                let fingerprint = catalog.get(ix).fingerprint.clone();
                self.log(Event::ShownAgain { tool: ix, fingerprint, tokens }, cause.clone());
            }
        }
    }

    /// The line that names tools whose schemas were lost, once.
    pub(crate) fn take_forgotten(&mut self, catalog: &Catalog) -> Option<String> {
        let forgotten = std::mem::take(&mut self.forgotten);
        let (named, rest) = forgotten.split_at(forgotten.len().min(MAX_FORGOTTEN));
        if named.is_empty() {
            return None;
        }
        self.news.announce(named);
        let names: Vec<&str> = named.iter().map(|ix| catalog.get(*ix).wire_name.as_str()).collect();
        let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        let details = match self.offers("tool_details") {
            true => "tool_details shows them again",
            false => "a call with wrong arguments shows them again",
        };
        Some(format!("Shown before, parameters changed or no longer here: {}{more}; {details}.", names.join(", ")))
    }
}

fn percent(tokens: u32, percent: u32) -> u32 {
    u32::try_from(u64::from(tokens) * u64::from(percent) / 100).unwrap_or(u32::MAX)
}
