//! What was decided about the surface as a whole, and what of each budget is taken: for a person to read.

use serde::{Deserialize, Serialize};
use winclaw_tool::Text;

use crate::{Because, Exposure, Level, Strategy, Transport};

/// How far the catalogue had to be shortened to fit its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Names and summaries.
    Summaries,
    /// Names.
    Names,
    /// The names of each category that others lean on most, and how many there are.
    TopNames,
    /// Categories and how many tools they have.
    Categories,
    /// Families of categories, such as `office` for `office/mail` and `office/notes`, with how many tools they have; of
    /// too many families the largest.
    Families,
}

impl Step {
    /// In words for a person.
    pub fn text(self) -> Text {
        match self {
            Step::Summaries => Text::new("names and summaries", "名称和简介"),
            Step::Names => Text::new("names only", "仅名称"),
            Step::TopNames => Text::new("the first names of each category and how many more", "各类别的部分名称及余数"),
            Step::Categories => Text::new("categories and how many tools each has", "仅类别及其工具数"),
            Step::Families => Text::new("groups of categories and how many tools each has", "仅类别的大类及其工具数"),
        }
    }
}

/// A part of the surface that has a budget of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Tokens of all schemas together; what exceeds this is not shown whole.
    AllSchemas,
    /// Entries of the tools array.
    ArrayEntries,
    /// Tokens of the tools marked `always_load`.
    Core,
    /// Tools raised because the request fits them. Those they require come with them.
    RaisedTools,
    /// Tokens of the schemas of those, with what they require.
    RaisedTokens,
    /// Tokens of the schemas of tools that the request names, with what they require.
    NamedTokens,
    /// Tokens of the catalogue.
    Catalogue,
}

impl Part {
    /// In words for a person.
    pub fn text(self) -> Text {
        match self {
            Part::AllSchemas => Text::new("all schemas, to be shown whole", "全部参数结构（整体展示的上限）"),
            Part::ArrayEntries => Text::new("entries of the tools array", "tools 数组的条目"),
            Part::Core => Text::new("always shown tools", "始终显示的工具"),
            Part::RaisedTools => Text::new("tools shown for the request", "因请求而展示的工具"),
            Part::RaisedTokens => Text::new("their schemas", "其参数结构"),
            Part::NamedTokens => Text::new("tools the request names", "请求点名的工具"),
            Part::Catalogue => Text::new("the catalogue", "工具目录"),
        }
    }

    /// Whether it is counted in tokens, not in pieces.
    pub fn in_tokens(self) -> bool {
        !matches!(self, Part::ArrayEntries | Part::RaisedTools)
    }
}

/// How much of a part is taken. What a part must hold (names of categories, for one) may exceed what it is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// The part.
    pub part: Part,
    /// What it takes.
    pub used: u32,
    /// What it may take.
    pub allowed: u32,
}

/// The surface as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    /// Why this transport was chosen, as a sentence without a full stop.
    pub transport_because: Text,
    /// Why the reach is what it is, likewise.
    pub reach_because: Text,
    /// How far the catalogue was shortened; `None` when there is none, because nothing is hidden or the strategy has none.
    pub catalogue: Option<Step>,
    /// The budgets that count under this transport and strategy.
    pub budgets: Vec<Spent>,
}

/// `number` with a comma between thousands, as the pages that carry these sentences write numbers.
fn grouped(number: u32) -> String {
    let digits = number.to_string();
    let comma = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    digits.char_indices().flat_map(|(at, digit)| comma(at).then_some(',').into_iter().chain([digit])).collect()
}

impl Exposure {
    /// What was decided about the surface as a whole, as it stands now.
    pub fn overview(&self) -> Overview {
        Overview {
            transport_because: self.transport_because(),
            reach_because: self.reach_because(),
            catalogue: (!self.catalogue.text.is_empty()).then_some(self.catalogue.step),
            budgets: self.budgets(),
        }
    }

    fn transport_because(&self) -> Text {
        let settings = &self.settings;
        let (all, may) = (self.prepared.everything, settings.direct_tokens());
        let (count, slots) = (self.prepared.count, settings.slots());
        let [all_told, may_told] = [all, may].map(grouped);
        match () {
            () if self.is_fixed() => Text::new("the strategy has no other", "该策略只有这一种"),
            () if !settings.can_bridge() => Text::new("a meta tool it would need is denied", "所需的元工具被禁用"),
            () if settings.transport == Some(self.transport) => Text::new("it was asked for", "按要求指定"),
            () if self.transport == Transport::Direct => Text::new(
                format!("all schemas take about {all_told} tokens, and up to {may_told} are shown whole"),
                format!("全部参数结构约 {all_told} token，不超过 {may_told} 时整体展示"),
            ),
            () if all > may => Text::new(
                format!("all schemas would take about {all_told} tokens, and at most {may_told} are shown whole"),
                format!("全部参数结构约需 {all_told} token，超过整体展示的上限 {may_told}"),
            ),
            () => Text::new(
                format!("there are {count} tools, and the model takes {slots} entries"),
                format!("共有 {count} 个工具，模型最多接受 {slots} 个条目"),
            ),
        }
    }

    fn reach_because(&self) -> Text {
        let leads = &self.advice.leads;
        match self.settings.strategy {
            Strategy::Full => return Text::new("the strategy shows everything", "该策略展示全部工具"),
            Strategy::Hard => return Text::new("the strategy shows one category", "该策略只展示一个类别"),
            Strategy::Progressive => {}
        }
        match leads.ranked.first() {
            None => Text::new("nothing in the request points to a tool", "请求中没有指向任何工具的线索"),
            Some(first) if first.exact => Text::new("the request names a tool", "请求点名了工具"),
            Some(_) if leads.strong => Text::new("some tools stand out", "有工具明显相符"),
            Some(_) => Text::new("no tool stands out, so more are offered", "没有明显相符的工具，因此多提供一些"),
        }
    }

    fn budgets(&self) -> Vec<Spent> {
        let settings = &self.settings;
        let spent = |part, used, allowed| Spent { part, used, allowed };
        if self.is_fixed() {
            return Vec::new();
        }
        let entries = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let mut budgets = vec![
            spent(Part::AllSchemas, self.prepared.everything, settings.direct_tokens()),
            spent(Part::ArrayEntries, entries(self.prefix.tools.len()), entries(settings.slots())),
        ];
        let core = self.tokens_of(|tool, _| self.core.contains(&tool));
        if core > 0 {
            budgets.push(spent(Part::Core, core, settings.core_tokens()));
        }
        if self.transport != Transport::Direct {
            budgets.extend(self.raised());
        }
        if !self.catalogue.text.is_empty() {
            let (budget, least) = settings.catalogue_room();
            let may = if self.catalogue.step >= Step::Categories { budget.max(least) } else { budget };
            budgets.push(spent(Part::Catalogue, self.catalogue.tokens, may));
        }
        budgets
    }

    /// What the request raised into the array: what it names, and what fits it.
    fn raised(&self) -> Vec<Spent> {
        let (most, tokens) = self.settings.share(self.reach);
        let (further, of_further) = self.settings.background();
        let (_, widest) = self.settings.share(crate::Reach::Full);
        let named = self.tokens_of(|tool, because| !self.core.contains(&tool) && self.is_asked_for(because));
        let fits = |tool, because: &Because| !self.core.contains(&tool) && !self.is_asked_for(because);
        let own = self.standing.iter().filter(|(tool, standing)| {
            let because = self.because(standing);
            standing.in_array() && fits(**tool, because) && !matches!(because, Because::RequiredBy(_))
        });
        let mut raised = vec![
            Spent { part: Part::RaisedTools, used: own.count() as u32, allowed: most.saturating_add(further) as u32 },
            Spent { part: Part::RaisedTokens, used: self.tokens_of(fits), allowed: tokens.saturating_add(of_further) },
        ];
        if named > 0 {
            raised.push(Spent { part: Part::NamedTokens, used: named, allowed: widest });
        }
        raised
    }

    /// Whether a tool stands where it stands because the request names it, or a tool that requires it.
    fn is_asked_for(&self, because: &Because) -> bool {
        match because {
            Because::Exact { .. } => true,
            Because::RequiredBy(by) => {
                self.standing.get(by).is_some_and(|standing| matches!(self.because(standing), Because::Exact { .. }))
            }
            _ => false,
        }
    }

    fn tokens_of(&self, counts: impl Fn(winclaw_catalog::ToolIx, &Because) -> bool) -> u32 {
        let of_array = self.standing.iter().filter(|(tool, standing)| {
            standing.in_array() && standing.level > Level::Named && counts(**tool, self.because(standing))
        });
        of_array.map(|(tool, standing)| self.prepared.cost(*tool, standing.level)).fold(0, u32::saturating_add)
    }
}
