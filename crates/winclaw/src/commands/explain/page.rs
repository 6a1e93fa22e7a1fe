//! One request, explained for a person.

use winclaw_catalog::{Catalog, State, ToolIx};
use winclaw_exposure::{Because, HowToReach, Level, Part, Row, Spent, Step};
use winclaw_tool::{Lang, ToolSpec};

use super::layout::Page;
use super::look::Look;
use super::words::{ALIKE, MAX_PART, MAX_REQUEST, has_alike, id, reasons, short};
use crate::commands::figures::number;
use crate::screen::{Screen, harmless};

/// Most names listed of a group, unless all are asked for.
const MAX_NAMES: usize = 24;

/// Most tools told of one by one, unless all are asked for.
const MAX_TOLD: usize = 40;

/// Longest schema in the tail that is printed whole, in characters.
const MAX_SCHEMA: usize = 160;

/// Most categories told of.
const MAX_CATEGORIES: usize = 4;

/// How much is printed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extent {
    /// Every name, however many.
    pub all: bool,
    /// Everything that is sent, as it is sent.
    pub payload: bool,
}

/// Writes what `look` found onto `page`. `everything` is what showing everything takes, in tokens.
pub fn write(page: &mut Page, screen: &Screen, look: &Look<'_>, everything: u32, extent: Extent) {
    let writer = Writer { screen, look, extent };
    writer.head(page);
    writer.shown(page);
    writer.only_named(page);
    writer.deferred(page);
    writer.budgets(page);
    match extent.payload {
        true => writer.payload(page),
        false => writer.tail(page),
    }
    writer.tokens(page, everything);
}

/// The request, and how long it is when it was shortened.
pub fn title(screen: &Screen, request: &str) -> String {
    let length = request.chars().count();
    let shown = short(request, MAX_REQUEST);
    match length > MAX_REQUEST {
        false => shown,
        true => {
            let length = number(length as u64);
            format!("{shown} {}", screen.word(&format!("({length} characters)"), &format!("（{length} 个字符）")))
        }
    }
}

struct Writer<'a> {
    screen: &'a Screen,
    look: &'a Look<'a>,
    extent: Extent,
}

impl Writer<'_> {
    fn word<'w>(&self, en: &'w str, zh: &'w str) -> &'w str {
        self.screen.word(en, zh)
    }

    fn id(&self, tool: ToolIx) -> String {
        id(self.look.asked.catalog, tool)
    }

    fn head(&self, page: &mut Page) {
        let (screen, look) = (self.screen, self.look);
        page.head(&title(screen, look.asked.request));
        let surface = &look.surface;
        let told = |name: &str, because: &winclaw_tool::Text| format!("{name}: {}", screen.text(because));
        let mut fields = self.context();
        fields.extend(self.needs());
        fields.push((self.word("looks like", "看起来属于"), self.categories()));
        fields.push((self.word("strategy", "策略"), look.settings.strategy.as_str().to_owned()));
        let transport = told(surface.transport.as_str(), &look.overview.transport_because);
        fields.push((self.word("transport", "传输"), transport));
        fields.push((self.word("reach", "范围"), told(surface.reach.as_str(), &look.overview.reach_because)));
        fields.extend(self.epoch());
        page.fields(&fields);
    }

    /// Whether a further request of a session ended the epoch, and for what price.
    fn epoch(&self) -> Option<(&str, String)> {
        let (rebilling, bridging) = self.look.weighed?;
        let epoch = self.look.surface.epoch;
        let (new, old) = (number(rebilling), number(bridging));
        let (en, zh) = match rebilling < bridging {
            true => (
                format!(
                    "{epoch}: this further request got a new tools array, which costs about {new} tokens more; asking for what the old one lacks would cost {old}"
                ),
                format!("{epoch}：为此后续请求更换了 tools 数组，约多花 {new} token；保留旧数组而另行查询则约需 {old}"),
            ),
            false => (
                format!(
                    "{epoch}: the tools array stays as it was for this further request, which costs about {old} tokens more; a new one would cost {new}"
                ),
                format!("{epoch}：此后续请求沿用原有的 tools 数组，约多花 {old} token；更换则约需 {new}"),
            ),
        };
        Some((self.word("epoch", "周期"), self.word(&en, &zh).to_owned()))
    }

    /// Where the task stands.
    fn context(&self) -> Vec<(&'static str, String)> {
        let context = self.look.asked.context;
        let mut fields = Vec::new();
        let label = if self.screen.lang == Lang::Zh {
            ["此前请求", "已使用", "计划"]
        } else {
            ["earlier", "used", "plan"]
        };
        fields.extend(context.earlier.iter().map(|text| (label[0], short(text, MAX_PART))));
        if !context.used.is_empty() {
            let used: Vec<String> = context.used.iter().map(|tool| self.id(*tool)).collect();
            fields.push((label[1], used.join(", ")));
        }
        fields.extend(context.plan.iter().map(|text| (label[2], short(text, MAX_PART))));
        fields
    }

    /// The clauses, where there are several.
    fn needs(&self) -> Option<(&str, String)> {
        let needs = self.look.asked.needs();
        let told: Vec<String> = needs.iter().map(|need| short(need, MAX_PART)).collect();
        (told.len() > 1).then(|| (self.word("needs", "需求"), told.join(" | ")))
    }

    fn categories(&self) -> String {
        let categories = &self.look.evidence.categories;
        let told = categories.iter().take(MAX_CATEGORIES);
        let told: Vec<String> = told.map(|(name, share)| format!("{} {:.0}%", harmless(name), share * 100.0)).collect();
        if told.is_empty() { self.word("nothing known", "没有依据").to_owned() } else { told.join(", ") }
    }

    fn shown(&self, page: &mut Page) {
        let shown: Vec<&Row> = self.look.shown().collect();
        let most = if self.extent.all { shown.len() } else { shown.len().min(MAX_TOLD) };
        let (told, rest) = shown.split_at(most);
        page.head(&format!(
            "{} ({})",
            self.word("Shown with their parameters", "连同参数展示"),
            number(shown.len() as u64)
        ));
        let rows: Vec<(Vec<String>, Vec<String>)> = told.iter().map(|row| self.shown_row(row)).collect();
        page.table(&[], &rows);
        if !rest.is_empty() {
            let names: Vec<String> = rest.iter().map(|row| self.id(row.tool)).collect();
            page.text(2, &format!("{}{}", self.word("and also ", "以及 "), self.listed(&names)));
        }
        let deferred = self.look.deferred.iter().map(|(tool, ..)| *tool);
        let told = told.iter().map(|row| row.tool).chain(deferred);
        if told.filter_map(|tool| self.look.hit(tool)).any(has_alike) {
            let en = format!("{ALIKE}means: the tool has it in other words");
            let zh = format!("{ALIKE}表示：工具用了含义相同的其他词");
            page.text(2, self.word(&en, &zh));
        }
    }

    /// A tool that is shown: level, cost, score and way, and below it why and what it cannot do without.
    fn shown_row(&self, row: &Row) -> (Vec<String>, Vec<String>) {
        let (screen, catalog, hit) = (self.screen, self.look.asked.catalog, self.look.hit(row.tool));
        let score = hit.map(|hit| format!("{} {:.1}", self.word("score", "得分"), hit.score)).unwrap_or_default();
        let tokens = format!("{:>6} tokens", number(row.tokens));
        let way = row.how_to_reach.words(screen.lang);
        let mut notes = reasons(screen, catalog, &row.because, hit);
        notes.extend(state(screen, catalog, row.tool));
        let needs = catalog.closure(row.tool);
        if !needs.is_empty() {
            let needs: Vec<String> = needs.into_iter().map(|tool| self.id(tool)).collect();
            notes.push(format!("{}{}", self.word("needs ", "依赖 "), self.listed(&needs)));
        }
        (vec![self.id(row.tool), row.level.as_str().to_owned(), tokens, score, way], notes)
    }

    /// What is only named, by how it would be reached.
    fn only_named(&self, page: &mut Page) {
        let ways = [HowToReach::Named, HowToReach::Search, HowToReach::Shown, HowToReach::Hidden, HowToReach::Disabled];
        let named = |row: &&Row| row.level == Level::Named;
        let count = self.look.rows.iter().filter(named).count();
        if count == 0 {
            return;
        }
        page.head(&format!("{} ({})", self.word("Not shown", "未展示"), number(count as u64)));
        for way in ways {
            let of_way = self.look.rows.iter().filter(named).filter(|row| row.how_to_reach == way);
            let names: Vec<String> = of_way.map(|row| self.name(row.tool)).collect();
            if !names.is_empty() {
                page.text(2, &format!("{} ({})", way.words(self.screen.lang), number(names.len() as u64)));
                page.text(4, &self.listed(&names));
            }
        }
    }

    /// The id, marked when the tool cannot run now.
    fn name(&self, tool: ToolIx) -> String {
        let mark = match &self.look.asked.catalog.get(tool).state {
            State::Ready | State::Disabled { .. } => return self.id(tool),
            State::Unavailable { .. } => self.word("unavailable now", "暂不可用"),
            State::NeedsConfig { .. } => self.word("needs configuration", "需要配置"),
        };
        format!("{} [{mark}]", self.id(tool))
    }

    /// Names, shortened when there are many and not all were asked for.
    fn listed(&self, names: &[String]) -> String {
        listed(self.screen, names, self.extent.all)
    }

    fn deferred(&self, page: &mut Page) {
        if self.look.deferred.is_empty() {
            return;
        }
        let title = self.word("Deferred: it and what it requires exceed the budget", "因预算不足而推迟（含其依赖）");
        page.head(&format!("{title} ({})", number(self.look.deferred.len() as u64)));
        let row = |(tool, tokens, because): &(ToolIx, u32, Because)| {
            let cells = vec![self.id(*tool), format!("{:>6} tokens", number(*tokens))];
            (cells, reasons(self.screen, self.look.asked.catalog, because, self.look.hit(*tool)))
        };
        let rows: Vec<_> = self.look.deferred.iter().map(row).collect();
        page.table(&[], &rows);
    }

    fn budgets(&self, page: &mut Page) {
        let overview = &self.look.overview;
        if overview.budgets.is_empty() {
            return;
        }
        page.head(self.word("Budgets", "预算"));
        let row = |spent: &Spent| {
            let unit = if spent.part.in_tokens() { "tokens" } else { "" };
            let (used, allowed) = (number(spent.used), number(spent.allowed));
            let of = self.word("of", "/");
            let note = match (spent.part, overview.catalogue) {
                (Part::Catalogue, Some(step)) => self.step(step),
                _ => String::new(),
            };
            if spent.part == Part::AllSchemas {
                return self.all_schemas(&used, &allowed);
            }
            let label = self.screen.text(&spent.part.text()).to_owned();
            (vec![label, format!("{used:>7} {of} {allowed:>6} {unit}").trim_end().to_owned(), note], Vec::new())
        };
        let rows: Vec<_> = overview.budgets.iter().map(row).collect();
        page.table(&[], &rows);
    }

    /// What all schemas take, which is no budget that is spent but a size that decides.
    fn all_schemas(&self, used: &str, allowed: &str) -> (Vec<String>, Vec<String>) {
        let en = format!("up to {allowed} would be shown whole");
        let zh = format!("不超过 {allowed} 时会全部展示");
        let label = self.word("all schemas together", "全部参数结构合计").to_owned();
        (vec![label, format!("{used:>7} tokens"), self.word(&en, &zh).to_owned()], Vec::new())
    }

    fn step(&self, step: Step) -> String {
        self.screen.text(&step.text()).to_owned()
    }

    /// What is put behind the request, word by word; of schemas only the beginning.
    fn tail(&self, page: &mut Page) {
        page.head(self.word("Behind the request the model reads", "模型在请求之后读到"));
        let Some(tail) = &self.look.surface.tail else {
            return page.text(2, self.word("nothing", "无"));
        };
        for line in harmless(tail).lines() {
            match line.starts_with('{') && line.chars().count() > MAX_SCHEMA {
                true => page.text(2, &format!("{} …{}", beginning(line), self.word(" (--payload)", "（--payload）"))),
                false => page.text(2, line),
            }
        }
    }

    /// Everything that is sent, in the order in which it is sent.
    fn payload(&self, page: &mut Page) {
        let prefix = &self.look.surface.prefix;
        page.head(self.word("System text, as sent", "系统文本（原样）"));
        page.raw(&harmless(&prefix.system));
        page.head(&format!("{} ({})", self.word("Tools array, as sent", "tools 数组（原样）"), prefix.tools.len()));
        prefix.tools.iter().for_each(|spec| page.raw(&spec_line(spec)));
        if !prefix.deferred.is_empty() {
            let title =
                self.word("Held back until a result refers to them, as sent", "在结果引用之前暂缓的工具（原样）");
            page.head(&format!("{title} ({})", prefix.deferred.len()));
            prefix.deferred.iter().for_each(|spec| page.raw(&spec_line(spec)));
        }
        page.head(self.word("Message, as sent", "消息（原样）"));
        page.raw(&harmless(&self.look.message()));
    }

    fn tokens(&self, page: &mut Page, everything: u32) {
        let now = self.look.tokens();
        let whole = self.look.rows.iter().all(|row| row.level > Level::Named);
        let about = number(now);
        let (en, zh) = match everything {
            _ if everything == 0 || self.look.rows.is_empty() => {
                (format!("about {about} tokens"), format!("约 {about} token"))
            }
            _ if whole => {
                (format!("about {about} tokens; everything is shown"), format!("约 {about} token；已展示全部工具"))
            }
            _ => {
                let (share, everything) = (u64::from(now) * 100 / u64::from(everything), number(everything));
                (
                    format!("about {about} tokens; showing everything would take about {everything} ({share}%)"),
                    format!("约 {about} token；展示全部约需 {everything} token（{share}%）"),
                )
            }
        };
        page.head(self.screen.word(&en, &zh));
    }
}

/// Why a tool cannot run now, if so.
fn state(screen: &Screen, catalog: &Catalog, tool: ToolIx) -> Option<String> {
    let (en, zh, why) = match &catalog.get(tool).state {
        State::Ready => return None,
        State::Disabled { why } => ("disabled", "已禁用", why),
        State::Unavailable { why, .. } => ("unavailable now", "暂不可用", why),
        State::NeedsConfig { what } => ("needs configuration", "需要配置", what),
    };
    Some(format!("{}: {}", screen.word(en, zh), harmless(screen.text(why))))
}

/// Names, joined; beyond a number with a count of the rest.
pub fn listed(screen: &Screen, names: &[String], all: bool) -> String {
    let shown = if all { names.len() } else { names.len().min(MAX_NAMES) };
    let mut list = names[..shown].join(", ");
    let rest = number((names.len() - shown) as u64);
    if names.len() > shown {
        list.push_str(screen.word(&format!(" and {rest} more (--all)"), &format!(" 等，另有 {rest} 个（--all）")));
    }
    list
}

/// The beginning of a schema.
fn beginning(line: &str) -> String {
    line.chars().take(MAX_SCHEMA / 2).collect()
}

/// A schema as one line of JSON.
fn spec_line(spec: &ToolSpec) -> String {
    crate::screen::escaped(&serde_json::to_string(spec).unwrap_or_default())
}
