//! The report as a person reads it.

use winclaw_eval::{Comparison, Difference, EvalReport, Interval, Miss, MissedNeed, Protocol};
use winclaw_tool::Lang;

use super::Measured;
use crate::screen::{Screen, Style, columns, harmless};
use crate::terminal::one_line;

/// Most problems that are listed one by one.
const PROBLEMS: usize = 5;

/// Most words of a miss.
const WORDS: usize = 6;

/// What is printed, and where.
pub struct Page<'a> {
    pub screen: Screen,
    pub measured: &'a Measured,
}

/// How a number is written.
#[derive(Clone, Copy)]
enum Form {
    Share,
    Count,
    Turns,
    Micros,
}

impl Form {
    fn write(self, number: f64) -> String {
        match self {
            _ if number.is_nan() => "–".to_owned(),
            Form::Share => format!("{number:.3}"),
            Form::Count => format!("{number:.0}"),
            Form::Turns => format!("{number:.1}").trim_end_matches(".0").to_owned(),
            Form::Micros => format!("{number:.0} µs"),
        }
    }

    fn of(key: &str) -> Form {
        match key {
            _ if key.contains("tokens") => Form::Count,
            _ if key.contains("tools") => Form::Turns,
            _ if key.starts_with("turns") => Form::Turns,
            _ if key.starts_with("pass_us") => Form::Micros,
            _ => Form::Share,
        }
    }
}

impl Page<'_> {
    /// Prints it on standard output.
    pub fn print(&self) {
        let report = &self.measured.first;
        self.head(report);
        self.numbers(report);
        self.times(report);
        if let Some((second, comparison)) = &self.measured.second {
            self.comparison(comparison, second);
        }
        self.misses(report);
        self.problems(report);
    }

    fn word(&self, en: impl Into<String>, zh: impl Into<String>) -> String {
        if self.screen.lang == Lang::Zh { zh.into() } else { en.into() }
    }

    fn title(&self, words: &str) {
        self.screen.line("");
        self.screen.line(&self.screen.paint(Style::Bold, words));
    }

    fn rows(&self, rows: &[Vec<String>]) {
        columns(rows).iter().for_each(|line| self.screen.line(line));
    }

    fn head(&self, report: &EvalReport) {
        let EvalReport { tools, requests, requests_with_needs, left_out, window_tokens, .. } = report;
        let none = requests - requests_with_needs;
        let strategy = report.strategy.as_str();
        let mut line = self.word(
            format!("{tools} tools, {requests} requests, strategy {strategy}, window of {window_tokens} tokens"),
            format!("{tools} 个工具，{requests} 个请求，策略 {strategy}，窗口 {window_tokens} token"),
        );
        if none > 0 {
            line += &self.word(format!("; {none} of them need none"), format!("；其中 {none} 个不需要工具"));
        }
        if *left_out > 0 {
            line += &self.word(
                format!("; {left_out} left out, for no tool they need is known"),
                format!("；另有 {left_out} 个因所需工具均不存在而未计入"),
            );
        }
        self.screen.line(&self.screen.paint(Style::Bold, &line));
        let note = self.word(
            "in brackets: where the number would lie in 95 of 100 samples like this one",
            "方括号内：在 100 个类似样本中，有 95 个的数值会落在此范围",
        );
        self.screen.line(&self.screen.paint(Style::Dim, &note));
    }

    fn numbers(&self, report: &EvalReport) {
        self.title(&self.word("Ranking", "排序"));
        let ks = report.recall_at.keys();
        let recalls = ks.clone().map(|k| {
            (
                format!("recall_at.{k}"),
                self.word(
                    format!("needed tools among the first {k} (recall@{k})"),
                    format!("前 {k} 个中的所需工具（recall@{k}）"),
                ),
            )
        });
        let alls = ks.map(|k| {
            (
                format!("all_gold_at.{k}"),
                self.word(
                    format!("requests with all of them among the first {k}"),
                    format!("所需工具全在前 {k} 个中的请求"),
                ),
            )
        });
        let ndcg = ("ndcg_at_10".to_owned(), "nDCG@10".to_owned());
        self.table(report, recalls.chain(alls).chain([ndcg]));
        self.title(&self.word("First call", "首次调用"));
        self.table(report, self.first_call());
        self.title(&self.word("A model that looks further", "继续查找的模型"));
        self.table(report, self.further());
        self.reaches(report);
        self.steps(report);
        self.closure(report);
    }

    fn table(&self, report: &EvalReport, lines: impl IntoIterator<Item = (String, String)>) {
        let row = |(key, label): (String, String)| {
            let found = report.intervals.get(&key)?;
            Some(vec![format!("  {label}"), Form::of(&key).write(found.mean), range(&key, found)])
        };
        self.rows(&lines.into_iter().filter_map(row).collect::<Vec<_>>());
    }

    fn first_call(&self) -> [(String, String); 4] {
        [
            ("first_look_all", "requests with all needed tools shown", "所需工具全部已展示的请求"),
            ("first_look_recall", "needed tools shown", "已展示的所需工具"),
            ("schema_tokens_mean", "tokens of schemas", "参数定义的 token"),
            ("prefix_tokens_mean", "tokens before the conversation", "对话之前的 token"),
        ]
        .map(|(key, en, zh)| (key.to_owned(), self.word(en, zh)))
    }

    fn further(&self) -> [(String, String); 5] {
        [
            ("eventual_recall", "needed tools found in the end", "最终找到的所需工具"),
            ("eventual_all", "requests with all of them found", "全部找到的请求"),
            ("turns_to_reveal_p50", "turns until all are found, median", "全部找到所需的轮次，中位数"),
            ("turns_to_reveal_p95", "95th percentile", "第 95 百分位"),
            ("turns_to_reveal_max", "most", "最多"),
        ]
        .map(|(key, en, zh)| (key.to_owned(), self.word(en, zh)))
    }

    fn reaches(&self, report: &EvalReport) {
        self.title(&self.word("At each reach", "各展示范围"));
        let words =
            ["recommended", "extended", "full"].into_iter().filter_map(|reach| Some((reach, report.reach.get(reach)?)));
        let row = |(reach, at): (&str, &winclaw_eval::AtReach)| {
            let (tools, tokens) = (Form::Turns.write(at.tools), Form::Count.write(at.schema_tokens));
            vec![
                format!("  {reach}"),
                self.word(format!("{tools} tools"), format!("{tools} 个工具")),
                self.word(format!("{tokens} tokens of schemas"), format!("参数定义 {tokens} token")),
                self.word(format!("{} requests", at.requests), format!("{} 个请求", at.requests)),
            ]
        };
        self.rows(&words.map(row).collect::<Vec<_>>());
    }

    fn steps(&self, report: &EvalReport) {
        let Some(steps) = report.per_step else { return };
        let (first, further) = steps.looks;
        self.title(&match steps.protocol {
            Protocol::Recorded => self.word(
                format!("Asked step by step: {first} tools for the request, {further} for each recorded search ({} requests)", steps.requests),
                format!("逐步查询：请求取 {first} 个工具，每次记录的搜索取 {further} 个（{} 个请求）", steps.requests),
            ),
            Protocol::Used => self.word(
                format!("Asked step by step: {first} tools for each need, knowing the tools found so far ({} requests)", steps.requests),
                format!("逐步查询：每个需要取 {first} 个工具，并已知先前找到的工具（{} 个请求）", steps.requests),
            ),
        });
        let lines = [
            ("per_step.recall", "needed tools found", "找到的所需工具"),
            ("per_step.all", "requests with all of them found", "全部找到的请求"),
            ("per_step.tools_mean", "tools looked at", "查看的工具数"),
            ("per_step.tools_p95", "95th percentile", "第 95 百分位"),
        ];
        self.table(report, lines.map(|(key, en, zh)| (key.to_owned(), self.word(en, zh))));
    }

    fn closure(&self, report: &EvalReport) {
        let broken = report.closure_broken;
        let line = self.word(
            format!("shown tools that lacked a tool they require: {broken}"),
            format!("已展示但缺少其依赖的工具：{broken}"),
        );
        self.screen.line("");
        self.screen.line(&self.screen.paint(if broken == 0 { Style::Green } else { Style::Red }, &line));
    }

    fn times(&self, report: &EvalReport) {
        self.title(&self.word("Time", "耗时"));
        let passes = [
            ("pass_us_p50", "one pass (ranking, exposure, payload), median", "一次处理（排序、展示、载荷），中位数"),
            ("pass_us_p99", "99th percentile", "第 99 百分位"),
        ];
        self.table(report, passes.map(|(key, en, zh)| (key.to_owned(), self.word(en, zh))));
        let EvalReport { catalog_ms, index_ms, prepared_ms, index_terms, index_postings, .. } = report;
        self.screen.line(&self.word(
            format!("  once a catalogue: catalogue {catalog_ms:.1} ms, index {index_ms:.1} ms ({index_terms} terms, {index_postings} entries), exposure {prepared_ms:.1} ms"),
            format!("  每个目录一次：目录 {catalog_ms:.1} ms，索引 {index_ms:.1} ms（{index_terms} 个词，{index_postings} 个条目），展示 {prepared_ms:.1} ms"),
        ));
    }

    fn comparison(&self, comparison: &Comparison, second: &EvalReport) {
        let (first, with) = (comparison.strategy.as_str(), comparison.with.as_str());
        self.title(
            &self.word(
                format!("{first} against {with}, on the same requests"),
                format!("{first} 与 {with}，同一批请求"),
            ),
        );
        let row = |(key, found): (&String, &Difference)| {
            let form = Form::of(key);
            let verdict = match found.beyond_sampling_error {
                true => format!("{} {}", signed(form, found.difference.mean), range_signed(form, &found.difference)),
                false => self.word("no difference beyond the sampling error", "差异未超出抽样误差"),
            };
            vec![format!("  {key}"), form.write(found.first), form.write(found.second), verdict]
        };
        let head = vec![String::new(), first.to_owned(), with.to_owned(), self.word("difference", "差异")];
        let rows: Vec<Vec<String>> = std::iter::once(head).chain(comparison.differences.iter().map(row)).collect();
        self.rows(&rows);
        let turns = [&self.measured.first, second].map(|report| Form::Turns.write(report.turns_to_reveal_p95));
        let broken = [self.measured.first.closure_broken, second.closure_broken];
        self.rows(&[
            vec!["  turns_to_reveal_p95".into(), turns[0].clone(), turns[1].clone()],
            vec!["  closure_broken".into(), broken[0].to_string(), broken[1].to_string()],
        ]);
    }

    fn misses(&self, report: &EvalReport) {
        if report.misses.is_empty() {
            return;
        }
        let (missed, listed) = (report.missed, report.misses.len());
        self.title(&self.word(
            format!("Not all shown at first: {missed} of {}, the worst {listed} being", report.requests),
            format!("首次未全部展示：{} 个中的 {missed} 个，最差的 {listed} 个为", report.requests),
        ));
        report.misses.iter().for_each(|miss| self.miss(miss));
    }

    fn miss(&self, miss: &Miss) {
        let query = harmless(&one_line(&miss.query));
        let cut: String = query.chars().take(100).collect();
        let more = if cut.len() < query.len() { "…" } else { "" };
        self.screen.line(&format!("  {} ({}) {cut}{more}", harmless(&miss.id), miss.at));
        miss.needs.iter().for_each(|need| self.screen.line(&self.missed(need)));
    }

    fn missed(&self, need: &MissedNeed) -> String {
        let rank = need.rank.map_or_else(
            || self.word("not ranked", "未进入排序"),
            |rank| self.word(format!("rank {rank}"), format!("第 {rank} 位")),
        );
        let name = match need.name == need.tool {
            true => need.name.clone(),
            false => format!("{} ({})", need.name, need.tool),
        };
        let why = need.why.text();
        let words: Vec<String> = need.words.iter().take(WORDS).map(|word| harmless(word)).collect();
        let words = if words.is_empty() { String::new() } else { format!(" [{}]", words.join(" ")) };
        let how = need.how_to_reach.words(self.screen.lang);
        let stop = self.word("; ", "；");
        format!("      {}: {rank}{stop}{}{words}{stop}{how}", harmless(&name), self.screen.text(&why))
    }

    fn problems(&self, report: &EvalReport) {
        if report.problem_count == 0 {
            return;
        }
        let count = report.problem_count;
        let words = self.word(format!("Problems with the data: {count}"), format!("数据中的问题：{count}"));
        self.screen.line("");
        self.screen.line(&self.screen.paint(Style::Yellow, &words));
        for group in report.problem_groups.iter().take(PROBLEMS) {
            let (what, mend) = (self.screen.text(&group.first.what), self.screen.text(&group.first.mend));
            let times = if group.count > 1 { format!("{} × ", group.count) } else { String::new() };
            self.screen.line(&harmless(&one_line(&format!("  {times}{}: {what} {mend}", group.first.subject))));
        }
    }
}

fn range(key: &str, found: &Interval) -> String {
    let form = Form::of(key);
    format!("[{} – {}]", form.write(found.low), form.write(found.high))
}

fn signed(form: Form, number: f64) -> String {
    let sign = if number < 0.0 { "-" } else { "+" };
    format!("{sign}{}", form.write(number.abs()))
}

fn range_signed(form: Form, found: &Interval) -> String {
    format!("[{} – {}]", signed(form, found.low), signed(form, found.high))
}
