//! What is to be said of a tool list that changed, once, behind the conversation.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use winclaw_catalog::{Catalog, State, ToolIx};

use crate::prepared::{Ability, Mark};
use crate::shelves::put_name;
use crate::{Exposure, meta, schema};

/// Most categories one announcement counts.
const MAX_CATEGORIES: usize = 24;

/// What changed since the model was last told, and what it was told beside the catalogue.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct News {
    /// What each tool was when the model last heard of it; `None` for one it never heard of.
    due: BTreeMap<ToolIx, Option<Mark>>,
    /// Tools that came after the catalogue was written, and whether they were named since.
    named: BTreeMap<ToolIx, bool>,
    /// Tools whose schemas changed after the model had read them, until it reads them again.
    pub(crate) changed: BTreeSet<ToolIx>,
    /// Whether the meta tools were described in the conversation, since the array has none.
    meta_told: bool,
}

impl News {
    pub(crate) fn add(&mut self, added: &[ToolIx], differ: &[(ToolIx, Mark)]) {
        for ix in added {
            self.due.entry(*ix).or_insert(None);
            self.named.insert(*ix, false);
        }
        for (ix, was) in differ {
            self.due.entry(*ix).or_insert(Some(*was));
        }
    }

    /// Whether the tool was named, where it was spoken of beside the catalogue.
    pub(crate) fn names(&self, ix: ToolIx) -> Option<bool> {
        self.named.get(&ix).copied()
    }

    pub(crate) fn announce(&mut self, tools: &[ToolIx]) {
        self.named.extend(tools.iter().map(|ix| (*ix, true)));
    }

    /// A new catalogue has every name again.
    pub(crate) fn forget_names(&mut self) {
        self.named.clear();
        self.meta_told = false;
    }

    pub(crate) fn clear(&mut self) {
        *self = News::default();
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&ToolIx) -> bool) {
        self.due.retain(|ix, _| keep(ix));
        self.named.retain(|ix, _| keep(ix));
        self.changed.retain(|ix| keep(ix));
    }

    /// The same where every tool stands at another place.
    pub(crate) fn move_tools(&mut self, place: &impl Fn(ToolIx) -> ToolIx) {
        self.due = std::mem::take(&mut self.due).into_iter().map(|(ix, was)| (place(ix), was)).collect();
        self.named = std::mem::take(&mut self.named).into_iter().map(|(ix, named)| (place(ix), named)).collect();
        self.changed = self.changed.iter().map(|ix| place(*ix)).collect();
    }
}

/// The news sorted by what there is to say.
#[derive(Default)]
struct Sorted {
    new: Vec<ToolIx>,
    back: Vec<ToolIx>,
    down: Vec<ToolIx>,
    needs: Vec<ToolIx>,
}

impl Exposure {
    /// What changed in the tool list, if anything did that is still so.
    pub(crate) fn take_news(&mut self, catalog: &Catalog) -> Option<String> {
        let sorted = self.sorted();
        let mut lines = Vec::new();
        if !sorted.new.is_empty() {
            lines.push(self.tell_new(catalog, &sorted.new));
        }
        let told =
            [("These work again", sorted.back), ("Not available now", sorted.down), ("Not set up", sorted.needs)];
        for (what, tools) in told {
            if !tools.is_empty() {
                let why = shared_reason(catalog, &tools);
                lines.push(format!("{what}: {}.{why}", self.list(catalog, &tools)));
            }
        }
        (!lines.is_empty()).then(|| format!("The tool list has changed. {}", lines.join("\n")))
    }

    fn sorted(&mut self) -> Sorted {
        let mut sorted = Sorted::default();
        for (ix, was) in std::mem::take(&mut self.news.due) {
            let now = self.prepared.mark(ix).ability;
            match (was.map(|was| was.ability), now) {
                (_, Ability::Disabled) => {}
                (None, _) => sorted.new.push(ix),
                (Some(was), now) if was == now => {}
                (Some(_), Ability::Ready) => sorted.back.push(ix),
                (Some(_), Ability::Down) => sorted.down.push(ix),
                (Some(_), Ability::NeedsConfig) => sorted.needs.push(ix),
            }
        }
        sorted
    }

    fn tell_new(&mut self, catalog: &Catalog, new: &[ToolIx]) -> String {
        let list = self.list(catalog, new);
        let by_name = self.are_named(new);
        if by_name {
            self.news.announce(new);
        }
        let how = match (by_name, self.offers("tool_search")) {
            (true, _) => format!(" They are called{}.", self.by_bridge()),
            (false, true) => " tool_search finds them.".to_owned(),
            (false, false) => self.tell_meta(),
        };
        format!("New: {list}.{how}")
    }

    /// Whether a list of so many tools is given by name: always where the model cannot search.
    fn are_named(&self, tools: &[ToolIx]) -> bool {
        tools.len() <= self.settings.budgets.news_names || !self.settings.allows("tool_search")
    }

    /// The tools by category: by name, or how many where they are many.
    fn list(&self, catalog: &Catalog, tools: &[ToolIx]) -> String {
        let mut shelves: BTreeMap<&str, Vec<ToolIx>> = BTreeMap::new();
        tools.iter().for_each(|ix| shelves.entry(&catalog.get(*ix).manifest.category).or_default().push(*ix));
        let by_name = self.are_named(tools);
        let most = if by_name { usize::MAX } else { MAX_CATEGORIES };
        let mut told: Vec<String> = Vec::new();
        for (category, tools) in shelves.iter().take(most) {
            let names = if by_name { names(catalog, tools) } else { String::new() };
            told.push(format!("{category} ({}){names}", tools.len()));
        }
        let rest: usize = shelves.values().skip(most).map(Vec::len).sum();
        if rest > 0 {
            told.push(format!("and {rest} in {} more categories", shelves.len() - MAX_CATEGORIES));
        }
        told.join("; ")
    }

    /// How tools are found that are only counted where the array has no meta tools: their schemas, once an epoch.
    fn tell_meta(&mut self) -> String {
        if std::mem::replace(&mut self.news.meta_told, true) {
            return " tool_search finds them.".to_owned();
        }
        let all = meta::all().filter(|(spec, _)| spec.name != "ask_user" && self.settings.allows(&spec.name));
        let schemas: Vec<String> = all.map(|(spec, _)| schema::json(spec, "").to_string()).collect();
        format!(" tool_search finds them. These can be called by name from now on:\n{}", schemas.join("\n"))
    }
}

fn names(catalog: &Catalog, tools: &[ToolIx]) -> String {
    let mut text = String::new();
    for (at, ix) in tools.iter().enumerate() {
        text.push_str(if at == 0 { ": " } else { ", " });
        put_name(catalog.get(*ix), &mut text);
    }
    text
}

/// Why the tools are in their state, where one reason holds for all of them.
fn shared_reason(catalog: &Catalog, tools: &[ToolIx]) -> String {
    let reason = |ix: &ToolIx| match &catalog.get(*ix).state {
        State::Ready => "",
        State::Disabled { why } | State::Unavailable { why, .. } | State::NeedsConfig { what: why } => why.en.as_str(),
    };
    let reasons: BTreeSet<&str> = tools.iter().map(reason).collect();
    match reasons.first() {
        Some(reason) if reasons.len() == 1 && !reason.is_empty() => {
            format!(" {}.", reason.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches('.'))
        }
        _ => String::new(),
    }
}
