use serde::{Deserialize, Serialize};
use winclaw_catalog::{Catalog, State, ToolIx};
use winclaw_tool::{Lang, Text};

use crate::{Because, Exposure, Level, Strategy};

/// One line of a table over all tools, shown or not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The tool.
    pub tool: ToolIx,
    /// Its level; `Named` also for tools that are disabled or that the strategy hides.
    pub level: Level,
    /// Why.
    pub because: Because,
    /// The estimate for its schema at that level; none at `Named`.
    pub tokens: u32,
    /// What a model has to do to call it.
    pub how_to_reach: HowToReach,
}

/// What a model has to do to call a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HowToReach {
    /// Call it natively: it is in the tools array.
    Native,
    /// Call it by name, its schema being in the conversation.
    Shown,
    /// Call it by name, which the catalogue gives; its parameters are one question away.
    Named,
    /// Search for it first: the catalogue counts it in its category.
    Search,
    /// Nothing: the strategy under comparison hides it.
    Hidden,
    /// Nothing: a policy disables it.
    Disabled,
}

impl HowToReach {
    /// Extra turns before a call with right arguments, at most. `None` when the tool cannot be reached.
    pub fn extra_turns(self) -> Option<u32> {
        match self {
            HowToReach::Native | HowToReach::Shown => Some(0),
            HowToReach::Named => Some(1),
            HowToReach::Search => Some(2),
            HowToReach::Hidden | HowToReach::Disabled => None,
        }
    }

    /// In words for a person.
    pub fn words(self, lang: Lang) -> String {
        let (en, zh) = match self {
            HowToReach::Native => ("called directly", "直接调用"),
            HowToReach::Shown => ("called by name, schema shown", "按名称调用，参数已显示"),
            HowToReach::Named => ("called by name, details one question away", "按名称调用，详情可查询"),
            HowToReach::Search => ("found by search in its category", "可在其类别中搜索到"),
            HowToReach::Hidden => ("cannot be reached under this strategy", "此策略下无法使用"),
            HowToReach::Disabled => ("disabled", "已禁用"),
        };
        Text::new(en, zh).get(lang).to_owned()
    }
}

impl Exposure {
    /// A row for every tool of the catalog, in order of id.
    pub fn rows(&self, catalog: &Catalog) -> Vec<Row> {
        catalog.all().map(|tool| self.row(catalog, tool)).collect()
    }

    fn row(&self, catalog: &Catalog, tool: ToolIx) -> Row {
        let level = self.level(tool);
        let how_to_reach = self.how_to_reach(catalog, tool);
        let own = self.standing.get(&tool).filter(|standing| standing.level > Level::Named);
        let because = match how_to_reach {
            HowToReach::Hidden => self.why_hidden(),
            _ => own.map_or(&Because::Listed, |standing| self.because(standing)).clone(),
        };
        Row { tool, level, because, tokens: self.prepared.cost(tool, level), how_to_reach }
    }

    /// What a model has to do to call the tool now.
    pub fn how_to_reach(&self, catalog: &Catalog, tool: ToolIx) -> HowToReach {
        let state = catalog.tools().get(tool.index()).map(|tool| &tool.state);
        match state {
            None | Some(State::Disabled { .. }) => HowToReach::Disabled,
            Some(_) if self.in_array(tool) && self.schema_shown(tool) => HowToReach::Native,
            Some(_) if self.settings.strategy == Strategy::Hard => HowToReach::Hidden,
            Some(_) if self.schema_shown(tool) => HowToReach::Shown,
            Some(_) if self.is_named(tool) || self.in_array(tool) => HowToReach::Named,
            Some(_) => HowToReach::Search,
        }
    }
}
