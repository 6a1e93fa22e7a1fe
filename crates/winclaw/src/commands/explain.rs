//! `winclaw explain`: what a model would see for a request, and why. No model, no network.

use serde_json::{Value, json};
use winclaw_catalog::ToolIx;
use winclaw_catalog::evidence::{Evidence, Hit};
use winclaw_exposure::{Exposure, HowToReach, Level, Row, Settings, Strategy, Surface};
use winclaw_intent::Query;

use crate::cli::{ExplainArgs, StrategyWord};
use crate::complaint::{Complaint, Exit};
use crate::config::Config;
use crate::host::{Host, Opening};
use crate::screen::{Screen, Style, columns, harmless};
use crate::task::settings;

/// The window and tool limit of an ordinary model, where no model is asked.
const WINDOW: u32 = 128_000;
const MAX_TOOLS: usize = 128;

/// One request, weighed and exposed.
struct Explained<'a> {
    host: &'a Host,
    text: &'a str,
    evidence: Evidence,
    rows: Vec<Row>,
    surface: Surface,
    strategy: Strategy,
    /// Estimated tokens of what `--strategy full` sends.
    everything: u32,
}

/// Runs the command.
pub fn run(config: Config, screen: Screen, args: &ExplainArgs) -> Result<Exit, Complaint> {
    if args.text.trim().is_empty() {
        return Err(Complaint::new(Exit::Usage, "the request is empty", "请求为空")
            .mend("say what a person would ask", "请写出用户会提出的请求"));
    }
    let host = Host::open(config, screen, Opening::default())?;
    host.warn();
    let explained = explain(&host, args);
    if args.json {
        screen.json(&explained.json());
    } else {
        explained.print();
    }
    Ok(Exit::Done)
}

fn explain<'a>(host: &'a Host, args: &'a ExplainArgs) -> Explained<'a> {
    let strategy = match args.strategy {
        StrategyWord::Progressive => Strategy::Progressive,
        StrategyWord::Full => Strategy::Full,
        StrategyWord::Hard => Strategy::Hard,
    };
    let catalog = host.catalog();
    let query = Query { message: &args.text, ..Query::default() };
    let ranking = host.ranking();
    let (prepared, evidence) = (&ranking.prepared, ranking.index.weigh(catalog, &query));
    let settings = Settings { strategy, ..settings(&args.exposure, WINDOW, MAX_TOOLS) };
    let full = Settings { strategy: Strategy::Full, ..settings.clone() };
    let everything = Exposure::begin_prepared(catalog, prepared, &evidence, full).surface(catalog).tokens.prefix;
    let mut exposure = Exposure::begin_prepared(catalog, prepared, &evidence, settings);
    let surface = exposure.surface(catalog);
    let mut rows = exposure.rows(catalog);
    let rank = |tool: ToolIx| evidence.hits.iter().position(|hit| hit.tool == tool).unwrap_or(usize::MAX);
    rows.sort_by_key(|row| (std::cmp::Reverse(row.level), rank(row.tool), row.tool));
    Explained { host, text: &args.text, evidence, rows, surface, strategy, everything }
}

impl Explained<'_> {
    fn id(&self, tool: ToolIx) -> String {
        self.host.catalog().get(tool).id.to_string()
    }

    fn hit(&self, tool: ToolIx) -> Option<&Hit> {
        self.evidence.hits.iter().find(|hit| hit.tool == tool)
    }

    /// Ids of the tools this one cannot be used without.
    fn needs(&self, tool: ToolIx) -> Vec<String> {
        self.host.catalog().closure(tool).into_iter().map(|needed| self.id(needed)).collect()
    }

    fn shown(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.level > Level::Named)
    }

    fn json(&self) -> Value {
        let catalog = self.host.catalog();
        let tool = |row: &Row| {
            json!({"tool": self.id(row.tool), "level": row.level, "because": row.because.text(catalog),
                   "score": self.hit(row.tool).map(|hit| hit.score), "terms": self.hit(row.tool).map(|hit| &hit.terms),
                   "requires": self.needs(row.tool), "tokens": row.tokens, "how_to_reach": row.how_to_reach})
        };
        json!({"schema": 1, "request": self.text, "strategy": self.strategy, "transport": self.surface.transport,
               "reach": self.surface.reach, "tools": self.rows.iter().map(tool).collect::<Vec<_>>(),
               "categories": self.evidence.categories, "tokens": {"prefix": self.surface.tokens.prefix, "tail": self.surface.tokens.tail, "everything": self.everything}})
    }

    fn print(&self) {
        let screen = self.host.screen;
        self.print_head();
        let rows: Vec<Vec<String>> = self.shown().flat_map(|row| self.row_lines(row)).collect();
        columns(&rows).iter().for_each(|line| screen.line(line));
        self.print_rest();
        self.print_tokens();
    }

    fn print_head(&self) {
        let screen = self.host.screen;
        screen.line(&screen.paint(Style::Bold, &harmless(self.text)));
        let shares: Vec<String> = self
            .evidence
            .categories
            .iter()
            .take(3)
            .map(|(name, share)| format!("{name} {:.0}%", share * 100.0))
            .collect();
        let shares =
            if shares.is_empty() { screen.word("no evidence", "没有依据").to_owned() } else { shares.join(", ") };
        let (transport, reach) = (self.surface.transport.as_str(), self.surface.reach.as_str());
        let en =
            format!("strategy {}, transport {transport}, reach {reach}; looks like: {shares}", self.strategy.as_str());
        let zh = format!("策略 {}，传输 {transport}，范围 {reach}；看起来属于：{shares}", self.strategy.as_str());
        screen.line(screen.word(&en, &zh));
        screen.line("");
    }

    /// A tool that is shown: level, cost and reason, and below it what it cannot do without.
    fn row_lines(&self, row: &Row) -> Vec<Vec<String>> {
        let screen = self.host.screen;
        let because = row.because.text(self.host.catalog());
        let score = self.hit(row.tool).map(|hit| format!("{:.1}", hit.score)).unwrap_or_default();
        let tokens = format!("{} tokens", row.tokens);
        let mut lines =
            vec![vec![self.id(row.tool), row.level.as_str().into(), tokens, score, harmless(screen.text(&because))]];
        let needs = self.needs(row.tool);
        if !needs.is_empty() {
            let words = format!("  {} {}", screen.word("needs", "依赖"), needs.join(", "));
            lines.push(vec![words, String::new(), String::new(), String::new(), String::new()]);
        }
        lines
    }

    /// What is only named, by how it would be reached.
    fn print_rest(&self) {
        let screen = self.host.screen;
        let ways = [HowToReach::Named, HowToReach::Search, HowToReach::Shown, HowToReach::Hidden, HowToReach::Disabled];
        for way in ways {
            let of_way = |row: &&Row| row.level == Level::Named && row.how_to_reach == way;
            let names: Vec<String> = self.rows.iter().filter(of_way).map(|row| self.id(row.tool)).collect();
            if !names.is_empty() {
                screen.line("");
                screen.line(&screen.paint(Style::Dim, &format!("{} ({})", way.words(screen.lang), names.len())));
                screen.line(&format!("  {}", names.join(", ")));
            }
        }
    }

    fn print_tokens(&self) {
        let (screen, tokens, everything) = (self.host.screen, self.surface.tokens, self.everything);
        let now = tokens.prefix + tokens.tail;
        let share = if everything == 0 { 100 } else { u64::from(now) * 100 / u64::from(everything) };
        let en = format!("about {now} tokens; showing everything would take about {everything} ({share}%)");
        let zh = format!("约 {now} token；展示全部约需 {everything} token（{share}%）");
        screen.line("");
        screen.line(screen.word(&en, &zh));
    }
}
