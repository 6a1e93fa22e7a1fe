use serde::Serialize;
use winclaw_catalog::ToolIx;
use winclaw_catalog::evidence::Hit;
use winclaw_exposure::{Event, HowToReach, Level, Strategy};
use winclaw_tool::Text;

use crate::look::{Engine, Look};
use crate::{Need, Request};

/// A request whose tools were not all above `Named` in the first look.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Miss {
    /// The request's id.
    pub id: String,
    /// Its place in the file.
    pub at: String,
    /// What was asked.
    pub query: String,
    /// The needs that were not met.
    pub needs: Vec<MissedNeed>,
}

/// One need that was not met in the first look.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MissedNeed {
    /// The tool or plugin as the file names it.
    pub name: String,
    /// The tool of it that came nearest, as the file names it.
    pub tool: String,
    /// Its rank from 1; `None` when the ranking does not have it.
    pub rank: Option<usize>,
    /// What a model has to do to call it.
    pub how_to_reach: HowToReach,
    /// Why it was not shown.
    pub why: Why,
    /// The words that carried its score, strongest first.
    pub words: Vec<String>,
}

/// Why a tool was not shown at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The request shares no word with it.
    NoWord,
    /// Others fit better.
    Behind,
    /// It ought to rise, but it and what it requires exceed the budget.
    TooDear,
    /// The strategy hides its category.
    HiddenCategory,
}

impl Why {
    /// In words for a person.
    pub fn text(self) -> Text {
        let (en, zh) = match self {
            Why::NoWord => ("it shares no word with the request", "与请求没有共同的词"),
            Why::Behind => ("other tools fit better", "其他工具更匹配"),
            Why::TooDear => ("it and what it requires exceed the budget", "该工具及其依赖超出预算"),
            Why::HiddenCategory => ("the strategy hides its category", "该策略隐藏了其类别"),
        };
        Text::new(en, zh)
    }
}

impl Engine<'_> {
    /// The needs of `request` that `look` does not show, if there are any.
    pub(crate) fn miss(&self, request: &Request, look: &Look) -> Option<Miss> {
        let unmet = request.needs.iter().filter(|need| !is_shown(look, need));
        let needs: Vec<MissedNeed> = unmet.map(|need| self.missed(need, look)).collect();
        (!needs.is_empty()).then(|| Miss {
            id: request.id.clone(),
            at: request.at.clone(),
            query: request.text.clone(),
            needs,
        })
    }

    fn missed(&self, need: &Need, look: &Look) -> MissedNeed {
        let order = look.evidence.order(self.catalog());
        let place = |ix: &ToolIx| order.iter().position(|tool| tool == ix).unwrap_or(usize::MAX);
        // Of several that are not ranked, the one the file names.
        let other = |ix: &ToolIx| self.dataset.name(*ix) != need.name;
        let tool = need.any.iter().copied().min_by_key(|ix| (place(ix), other(ix))).unwrap_or(ToolIx(0));
        let hit = look.evidence.hits.iter().find(|hit| hit.tool == tool);
        MissedNeed {
            name: need.name.clone(),
            tool: self.dataset.name(tool).to_owned(),
            rank: order.iter().position(|ix| *ix == tool).map(|place| place + 1),
            how_to_reach: look.exposure.how_to_reach(self.catalog(), tool),
            why: self.why(tool, hit, look),
            words: hit.map(words).unwrap_or_default(),
        }
    }

    fn why(&self, tool: ToolIx, hit: Option<&Hit>, look: &Look) -> Why {
        let deferred = |event: &Event| matches!(event, Event::Deferred { tool: other, .. } if *other == tool);
        match hit {
            _ if self.settings.strategy == Strategy::Hard => Why::HiddenCategory,
            _ if look.exposure.ledger().iter().any(|entry| deferred(&entry.event)) => Why::TooDear,
            None => Why::NoWord,
            Some(_) => Why::Behind,
        }
    }
}

/// Whether a tool that meets `need` stands above `Named` in the first look.
pub(crate) fn is_shown(look: &Look, need: &Need) -> bool {
    need.any.iter().any(|ix| look.exposure.level(*ix) > Level::Named)
}

fn words(hit: &Hit) -> Vec<String> {
    hit.terms.iter().map(|term| term.text.clone()).collect()
}

/// The worst first: those that miss most, then those whose tools stand furthest behind.
pub(crate) fn worst_first(misses: &mut [Miss]) {
    let behind = |miss: &Miss| miss.needs.iter().map(|need| need.rank.unwrap_or(usize::MAX)).max();
    misses.sort_by_key(|miss| std::cmp::Reverse((miss.needs.len(), behind(miss))));
}
