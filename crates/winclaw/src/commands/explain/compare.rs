//! The strategies side by side: what each shows, what it costs, and what it makes of the tools the request needs.

use serde_json::{Value, json};
use winclaw_catalog::ToolIx;
use winclaw_exposure::{Because, HowToReach, Level, Settings, Strategy, Transport};
use winclaw_tool::Text;

use super::layout::Page;
use super::look::{Asked, Look};
use super::page::{listed, title};
use super::words::id;
use crate::commands::figures::{count, number};
use crate::screen::Screen;

const STRATEGIES: [Strategy; 3] = [Strategy::Progressive, Strategy::Full, Strategy::Hard];

/// The same request under each strategy.
pub struct Compared<'a> {
    /// In the order of [`STRATEGIES`], the progressive one first.
    looks: Vec<Look<'a>>,
    /// The tools that the progressive strategy shows, or would show if it had to choose, because of the request; best
    /// first.
    recommended: Vec<ToolIx>,
}

/// What a strategy makes of one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lot {
    /// In the tools array, so far from its beginning, among so many schemas of tools.
    InArray { place: usize, of: usize },
    /// Its schema stands in the conversation.
    Told,
    /// It is named and can be called.
    Named,
    /// It cannot be reached.
    Hidden,
}

impl<'a> Compared<'a> {
    /// Exposes once under each strategy.
    pub fn of(asked: Asked<'a>, settings: &Settings) -> Compared<'a> {
        let of = |strategy| Look::of(asked, Settings { strategy, ..settings.clone() });
        let looks: Vec<Look<'a>> = STRATEGIES.into_iter().map(of).collect();
        let mut recommended = match looks[0].surface.transport {
            // Everything is shown, so that what is shown says nothing of the request.
            Transport::Direct => {
                recommended(&Look::of(asked, Settings { transport: Some(Transport::Bridge), ..settings.clone() }))
            }
            _ => recommended(&looks[0]),
        };
        recommended.sort_by_key(|tool| (looks[0].rank(*tool).unwrap_or(usize::MAX), *tool));
        Compared { looks, recommended }
    }

    fn progressive(&self) -> &Look<'a> {
        &self.looks[0]
    }

    /// Writes the table.
    pub fn write(&self, page: &mut Page, screen: &Screen, all: bool) {
        page.head(&title(screen, self.progressive().asked.request));
        let mut rows = self.sums(screen);
        if !self.recommended.is_empty() {
            rows.push(vec![String::new()]);
            rows.push(vec![
                screen.word("Tools the request points to, by rank", "请求所指向的工具（按名次）").to_owned(),
            ]);
        }
        rows.extend(self.recommended.iter().map(|tool| self.tool_row(screen, *tool)));
        let rows: Vec<_> = rows.into_iter().map(|cells| (cells, Vec::new())).collect();
        page.table(&STRATEGIES.map(Strategy::as_str), &rows);
        notes(page, screen, !self.recommended.is_empty());
        for look in &self.looks {
            write_unreachable(page, screen, look, all);
        }
        page.head(&self.sentence(screen));
    }

    /// What each strategy shows and costs.
    fn sums(&self, screen: &Screen) -> Vec<Vec<String>> {
        let row = |label: &str, cell: &dyn Fn(&Look<'_>) -> String| {
            std::iter::once(label.to_owned()).chain(self.looks.iter().map(cell)).collect::<Vec<_>>()
        };
        let everything = if self.looks[1].rows.is_empty() { 0 } else { self.looks[1].tokens() };
        let tokens = |look: &Look<'_>| match everything {
            0 => number(look.tokens()),
            all => format!("{} ({}%)", number(look.tokens()), u64::from(look.tokens()) * 100 / u64::from(all)),
        };
        let fits = |look: &Look<'_>| screen.text(&Limit::of(look).text()).to_owned();
        vec![
            row(screen.word("strategy", "策略"), &|look| look.settings.strategy.as_str().to_owned()),
            row(screen.word("tools with parameters", "连同参数展示的工具"), &|look| {
                number(look.shown().count() as u64)
            }),
            row(screen.word("tokens of the first call", "首次调用的 token"), &tokens),
            row(screen.word("not reachable", "无法使用"), &|look| number(unreachable(look).len() as u64)),
            row(screen.word("the model's limits", "模型的限制"), &fits),
        ]
    }

    fn tool_row(&self, screen: &Screen, tool: ToolIx) -> Vec<String> {
        let id = id(self.progressive().asked.catalog, tool);
        let rank = self.progressive().rank(tool).map_or_else(|| "–".to_owned(), |rank| format!("{rank}."));
        let lots = self.looks.iter().map(|look| screen.text(&lot(look, tool).text()).to_owned());
        std::iter::once(format!("  {rank:>3} {id}")).chain(lots).collect()
    }

    /// What the table comes to, in a sentence.
    fn sentence(&self, screen: &Screen) -> String {
        let [_, full, hard] = &self.looks[..] else { return String::new() };
        let recommended = &self.recommended;
        let hidden = recommended.iter().filter(|tool| lot(hard, **tool) == Lot::Hidden).count();
        let (of, buried) = (recommended.len(), full.shown().count());
        let hidden = number(hidden as u64);
        let among = count(*screen, buried, "tool", "tools", "个工具");
        let (en, zh) = match of {
            0 => (
                format!("the request points to no tool; full shows {among}; progressive hides none"),
                format!("请求未指向任何工具；full 展示 {among}；progressive 不隐藏任何工具"),
            ),
            _ => (
                format!("hard hides {hidden} of these {of}; full shows them among {among}; progressive hides none"),
                format!("hard 隐藏这 {of} 个中的 {hidden} 个；full 将其置于 {among}之中；progressive 不隐藏任何工具"),
            ),
        };
        screen.word(&en, &zh).to_owned()
    }

    /// The same for programs.
    pub fn json(&self) -> Value {
        let catalog = self.progressive().asked.catalog;
        let ids = |tools: Vec<ToolIx>| tools.into_iter().map(|tool| id(catalog, tool)).collect::<Vec<_>>();
        let strategy = |look: &Look<'_>| {
            json!({"strategy": look.settings.strategy, "transport": look.surface.transport,
                   "shown": look.shown().count(), "unreachable": ids(unreachable(look)),
                   "limit": Limit::of(look).as_str(),
                   "tokens": {"prefix": look.surface.tokens.prefix, "tail": look.surface.tokens.tail}})
        };
        let tool = |tool: &ToolIx| {
            let lots =
                self.looks.iter().map(|look| (look.settings.strategy.as_str().to_owned(), lot(look, *tool).json()));
            json!({"tool": id(catalog, *tool), "rank": self.progressive().rank(*tool), "in": lots.collect::<serde_json::Map<_, _>>()})
        };
        json!({"schema": 1, "request": super::json::request(self.progressive().asked.request),
               "strategies": self.looks.iter().map(strategy).collect::<Vec<_>>(),
               "recommended": self.recommended.iter().map(tool).collect::<Vec<_>>()})
    }
}

/// Whether what is sent is within what the model takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    Kept,
    TooManyTools(usize),
    TooManyTokens(u32),
}

impl Limit {
    fn of(look: &Look<'_>) -> Limit {
        let (most, window) = (look.settings.max_tools, look.settings.window_tokens);
        match look.surface.prefix.tools.len() {
            count if count > most => Limit::TooManyTools(most),
            _ if look.tokens() > window => Limit::TooManyTokens(window),
            _ => Limit::Kept,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Limit::Kept => "kept",
            Limit::TooManyTools(_) => "too_many_tools",
            Limit::TooManyTokens(_) => "too_many_tokens",
        }
    }

    fn text(self) -> Text {
        match self {
            Limit::Kept => Text::new("kept", "未超出"),
            Limit::TooManyTools(most) => {
                Text::new(format!("refused: over {most} tools"), format!("会被拒绝：超过 {most} 个工具"))
            }
            Limit::TooManyTokens(most) => {
                let most = number(most);
                Text::new(format!("refused: over {most} tokens"), format!("会被拒绝：超过 {most} token"))
            }
        }
    }
}

impl Lot {
    fn text(self) -> Text {
        match self {
            Lot::InArray { place, of } => {
                let (place, of) = (number(place as u64), number(of as u64));
                Text::new(format!("entry {place} of {of}"), format!("共 {of} 项，第 {place} 项"))
            }
            Lot::Told => Text::new("in the conversation", "在对话中"),
            Lot::Named => Text::new("named", "仅名称"),
            Lot::Hidden => Text::new("hidden", "隐藏"),
        }
    }

    fn json(self) -> Value {
        match self {
            Lot::InArray { place, of } => json!({"lot": "in_array", "place": place, "of": of}),
            Lot::Told => json!({"lot": "told"}),
            Lot::Named => json!({"lot": "named"}),
            Lot::Hidden => json!({"lot": "hidden"}),
        }
    }
}

/// The tools that `look` shows because of the request.
fn recommended(look: &Look<'_>) -> Vec<ToolIx> {
    let for_request = |because: &Because| {
        !matches!(because, Because::AlwaysLoad | Because::FitsWhole | Because::Listed | Because::Room)
    };
    look.shown().filter(|row| for_request(&row.because)).map(|row| row.tool).collect()
}

/// What the strategy of `look` makes of `tool`.
fn lot(look: &Look<'_>, tool: ToolIx) -> Lot {
    let catalog = look.asked.catalog;
    let tools = look.surface.prefix.tools.iter().filter(|spec| !winclaw_exposure::meta::is_meta(&spec.name));
    let names: Vec<&str> = tools.map(|spec| spec.name.as_str()).collect();
    if let Some(at) = names.iter().position(|name| *name == catalog.get(tool).wire_name) {
        return Lot::InArray { place: at + 1, of: names.len() };
    }
    match look.rows.iter().find(|row| row.tool == tool).map(|row| (row.how_to_reach, row.level)) {
        Some((HowToReach::Hidden | HowToReach::Disabled, _)) | None => Lot::Hidden,
        Some((_, Level::Named)) => Lot::Named,
        Some(_) => Lot::Told,
    }
}

/// Permitted tools that a model cannot call under the strategy of `look`.
fn unreachable(look: &Look<'_>) -> Vec<ToolIx> {
    let hidden = look.rows.iter().filter(|row| row.how_to_reach == HowToReach::Hidden);
    let mut tools: Vec<ToolIx> = hidden.map(|row| row.tool).collect();
    tools.sort_unstable();
    tools
}

fn write_unreachable(page: &mut Page, screen: &Screen, look: &Look<'_>, all: bool) {
    let names: Vec<String> = unreachable(look).iter().map(|tool| id(look.asked.catalog, *tool)).collect();
    if names.is_empty() {
        return;
    }
    let (strategy, count) = (look.settings.strategy.as_str(), number(names.len() as u64));
    let en = format!("Cannot be reached under {strategy} ({count})");
    let zh = format!("在策略 {strategy} 下无法使用 ({count})");
    page.head(screen.word(&en, &zh));
    page.text(2, &listed(screen, &names, all));
}

/// What the numbers of the table mean.
fn notes(page: &mut Page, screen: &Screen, entries: bool) {
    let entry = screen.word(
        "“entry” is the place in the tools array, which is alphabetical and says nothing of rank; “–” is a tool that is only required by another",
        "“项”指在 tools 数组中的位置，数组按字母排序，与名次无关；“–”表示仅被其他工具依赖",
    );
    let kinder = screen.word(
        "hard chooses its category with WinClaw's own evidence, and so does better here than a fixed table would",
        "hard 依据 WinClaw 自身的证据选择类别，因此表现优于固定的词表",
    );
    page.text(2, "");
    if entries {
        page.text(2, entry);
    }
    page.text(2, kinder);
}
