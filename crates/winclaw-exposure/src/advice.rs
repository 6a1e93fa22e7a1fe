//! What the evidence suggests, ranked; and how the model is told without being forbidden anything.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use winclaw_catalog::evidence::{Edge, Evidence, Hit, Term, Via};
use winclaw_catalog::names::is_cjk;
use winclaw_catalog::{Catalog, State, ToolIx};

use crate::array::MAX_EXACT;
use crate::raise::{Purse, Wish};
use crate::{Because, Exposure, Level, Place, Prepared, Reach, Settings};

/// Most tools one line of advice names, and most that one observation raises.
const MAX_ADVISED: usize = 5;

/// A hit with less than this share of the best score is no recommendation; it waits for a wider reach.
const RECOMMENDED_SHARE: f32 = 0.15;

/// Most hits beside the exact ones that are kept, and how many of them keep all their terms; those behind seldom rise, and
/// then their strongest term says enough.
const MAX_KEPT: usize = 100;
const WITH_ALL_TERMS: usize = 16;

/// Most categories the menu lists; the catalogue has them all.
const MAX_MENU: usize = 24;

/// One tool the evidence speaks for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Lead {
    pub(crate) tool: ToolIx,
    pub(crate) because: Because,
    pub(crate) exact: bool,
    score: f32,
    /// Whether it may be raised unasked. What came by an edge alone is named in the advice and no more.
    own: bool,
}

impl Lead {
    pub(crate) fn wish(&self, place: Place) -> Wish {
        let level = self.exact.then_some(Level::Full);
        Wish { tool: self.tool, level, because: self.because.clone(), place }
    }
}

/// Evidence as far as it can be used: permitted tools only, each once, best first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Leads {
    pub(crate) ranked: Vec<Lead>,
    pub(crate) categories: Vec<String>,
    /// Whether some tools stand out.
    pub(crate) strong: bool,
}

impl Leads {
    pub(crate) fn of(prepared: &Prepared, settings: &Settings, evidence: &Evidence) -> Leads {
        let hits = usable(prepared, evidence);
        let clear = evidence.margin >= settings.budgets.weak_margin;
        let strong = hits.first().is_some_and(|hit| hit.exact || (clear && says_enough(hit)));
        Leads {
            ranked: hits.iter().enumerate().map(|(at, hit)| lead(hit, strong, at < WITH_ALL_TERMS)).collect(),
            categories: evidence.categories.iter().map(|(category, _)| category.clone()).collect(),
            strong,
        }
    }

    /// What `reach` lets rise unasked, without what the request names.
    pub(crate) fn within(&self, reach: Reach) -> impl Iterator<Item = &Lead> {
        let others = || self.ranked.iter().filter(|lead| !lead.exact && lead.own);
        let best = others().map(|lead| lead.score).fold(0.0, f32::max);
        others().filter(move |lead| reach > Reach::Recommended || lead.score >= best * RECOMMENDED_SHARE)
    }
}

/// The hits that can be used, each tool once: what the request names, then the best of the others, both in the order they
/// came in. Where a request has several needs, scores need not fall from hit to hit.
fn usable<'a>(prepared: &Prepared, evidence: &'a Evidence) -> Vec<&'a Hit> {
    let mut seen = BTreeSet::new();
    let mut first = |exact: bool, most: usize| -> Vec<&'a Hit> {
        let fits = |hit: &&Hit| hit.exact == exact && prepared.permits(hit.tool) && (exact || hit.score > 0.0);
        evidence.hits.iter().filter(fits).filter(|hit| seen.insert(hit.tool)).take(most).collect()
    };
    let mut hits = first(true, MAX_EXACT);
    hits.extend(first(false, MAX_KEPT));
    hits
}

/// One word that merely occurs in a description says next to nothing, and so do single characters.
fn says_enough(hit: &Hit) -> bool {
    let single = |term: &Term| term.text.chars().nth(1).is_none();
    if !hit.terms.is_empty() && hit.terms.iter().all(single) {
        return false;
    }
    match hit.terms.as_slice() {
        // A run of three CJK characters or more is several words.
        [only] if only.text.chars().nth(2).is_some() && only.text.chars().all(is_cjk) => true,
        [only] => !matches!(&*only.field, "description" | "parameter"),
        _ => true,
    }
}

fn lead(hit: &Hit, strong: bool, all_terms: bool) -> Lead {
    let terms = || -> Vec<Term> { hit.terms.iter().take(if all_terms { usize::MAX } else { 1 }).cloned().collect() };
    let because = match hit.via {
        _ if hit.exact => Because::Exact { term: exact_term(hit) },
        Some(via) if hit.terms.is_empty() => by_edge(via),
        _ if strong => Because::Terms { terms: terms() },
        _ => Because::Guess { terms: terms() },
    };
    let own = hit.exact || hit.via.is_none() || !hit.terms.is_empty();
    Lead { tool: hit.tool, because, exact: hit.exact, score: hit.score, own }
}

fn by_edge(via: Via) -> Because {
    match via.edge {
        Edge::InputFrom => Because::Feeds(via.from),
        Edge::FollowsUsed => Because::FollowsFrom(via.from),
        Edge::OftenWith | Edge::Mentioned | Edge::SameSource => Because::OftenWith(via.from),
        Edge::Used => Because::Used,
    }
}

fn exact_term(hit: &Hit) -> String {
    let exact = hit.terms.iter().find(|term| term.field == "exact");
    exact.or(hit.terms.first()).map(|term| term.text.clone()).unwrap_or_default()
}

/// What was last advised, and what is to be said next.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Advice {
    pub(crate) leads: Leads,
    said: Option<BTreeSet<ToolIx>>,
    due: bool,
}

impl Exposure {
    /// Takes in new evidence before a further model call. Only adds: clear recommendations rise as text in the next
    /// tail, within its budget; everything else at most changes the line of advice.
    pub fn observe(&mut self, catalog: &Catalog, evidence: &Evidence) {
        if self.is_fixed() {
            return;
        }
        let leads = Leads::of(&self.prepared, &self.settings, evidence);
        self.follow(catalog, &leads);
        self.advise(leads);
    }

    /// Raises the clearest leads into the conversation.
    pub(crate) fn follow(&mut self, catalog: &Catalog, leads: &Leads) {
        if !leads.strong || !self.hides() {
            return;
        }
        let mut purse = Purse::spoken(self.watch.unasked(&self.settings));
        let before = purse.tokens;
        let exact = leads.ranked.iter().filter(|lead| lead.exact);
        for lead in exact.chain(leads.within(Reach::Recommended)).take(MAX_ADVISED) {
            self.raise(catalog, lead.wish(Place::Conversation), &mut purse);
        }
        self.watch.spend(before - purse.tokens, &self.settings);
    }

    /// Notes what to advise, if it is not what was said last.
    pub(crate) fn advise(&mut self, leads: Leads) {
        let named: BTreeSet<ToolIx> = leads.ranked.iter().take(MAX_ADVISED).map(|lead| lead.tool).collect();
        let nothing_to_take_back = named.is_empty() && self.advice.said.is_some();
        self.advice.due = !nothing_to_take_back && self.advice.said.as_ref() != Some(&named);
        self.advice.leads = leads;
    }

    /// The line of advice, if there is a new one.
    pub(crate) fn take_advice(&mut self, catalog: &Catalog) -> Option<String> {
        if !std::mem::take(&mut self.advice.due) {
            return None;
        }
        let ranked = self.advice.leads.ranked.iter().take(MAX_ADVISED);
        let tools: Vec<ToolIx> = ranked.map(|lead| lead.tool).collect();
        self.advice.said = Some(tools.iter().copied().collect());
        if tools.is_empty() {
            return self.hides().then(|| self.menu(catalog));
        }
        let names: Vec<&str> = tools.iter().map(|ix| catalog.get(*ix).wire_name.as_str()).collect();
        let head = if self.advice.leads.strong { "Likely useful now" } else { "A guess at what may be useful" };
        let states: String = tools.iter().filter_map(|ix| state_line(catalog, *ix)).collect();
        Some(format!("{head}: {}; {}.{states}", names.join(", "), self.others()))
    }

    fn others(&self) -> &'static str {
        match (self.hides(), self.offers("tool_call")) {
            (true, true) => "every other tool works as usual by name through tool_call",
            _ => "every other tool works as usual by name",
        }
    }

    /// The categories, for a request that points to none of them.
    fn menu(&self, catalog: &Catalog) -> String {
        let shelves = &self.prepared.shelves.shelves;
        let listed = shelves.iter().take(MAX_MENU).map(|shelf| {
            let example = shelf.ranked.first().map_or("", |ix| catalog.get(*ix).wire_name.as_str());
            format!("{}, such as {example}", shelf.heading())
        });
        let listed: Vec<String> = listed.collect();
        let more = match shelves.len().saturating_sub(MAX_MENU) {
            0 => String::new(),
            more => format!("; and {more} more categories in the catalogue"),
        };
        let search = if self.offers("tool_search") { " tool_search finds tools by what they do." } else { "" };
        format!("No tool stands out for this request. Guesses by category: {}{more}.{search}", listed.join("; "))
    }
}

fn state_line(catalog: &Catalog, ix: ToolIx) -> Option<String> {
    let tool = catalog.get(ix);
    match &tool.state {
        State::Ready | State::Disabled { .. } => None,
        State::Unavailable { why, .. } => Some(format!(" {} is unavailable now: {}.", tool.wire_name, why.en)),
        State::NeedsConfig { what } => Some(format!(" {} needs configuration: {}.", tool.wire_name, what.en)),
    }
}

impl Advice {
    /// Drops what is no longer permitted.
    pub(crate) fn forget(&mut self, prepared: &Prepared) {
        self.leads.ranked.retain(|lead| prepared.permits(lead.tool));
        if let Some(said) = &mut self.said {
            said.retain(|ix| prepared.permits(*ix));
        }
    }

    /// What was said is gone with the conversation. It is said again, if it pointed to tools.
    pub(crate) fn unsay(&mut self) {
        self.said = None;
        self.due = !self.leads.ranked.is_empty();
    }

    /// The same where every tool stands at another place.
    pub(crate) fn move_tools(&mut self, place: &impl Fn(ToolIx) -> ToolIx) {
        for lead in &mut self.leads.ranked {
            lead.tool = place(lead.tool);
            lead.because.move_tools(place);
        }
        if let Some(said) = &mut self.said {
            *said = said.iter().map(|ix| place(*ix)).collect();
        }
    }
}
