//! The report as a person reads it.

use winclaw_eval::{Comparison, Difference, EvalReport, Interval, Miss, MissedNeed, Protocol};
use winclaw_tool::Lang;

use super::Measured;
use super::labels::{k_of, label, place, step};
use crate::commands::figures::{self, PROBLEMS, count, number, problem_line};
use crate::screen::{Screen, Style, columns, harmless};
use crate::terminal::one_line;

/// What the first call shows and costs.
const FIRST_CALL: [&str; 4] = ["first_look_all", "first_look_recall", "schema_tokens_mean", "prefix_tokens_mean"];

/// What a model finds that goes on looking.
const FURTHER: [&str; 5] =
    ["eventual_recall", "eventual_all", "turns_to_reveal_p50", "turns_to_reveal_p95", "turns_to_reveal_max"];

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
            Form::Count => figures::number(number.round() as u64),
            Form::Turns => tenths(number),
            Form::Micros => format!("{} µs", figures::number(number.round() as u64)),
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
        let tools = count(self.screen, report.tools, "tool", "tools", "个工具");
        let requests = count(self.screen, report.requests, "request", "requests", "个请求");
        let (strategy, window) = (report.strategy.as_str(), number(report.window_tokens));
        let mut line = self.word(
            format!("{tools}, {requests}, strategy {strategy}, window of {window} tokens"),
            format!("{tools}，{requests}，策略 {strategy}，窗口 {window} token"),
        );
        let none = report.requests - report.requests_with_needs;
        if none > 0 {
            let (verb, none) = (if none == 1 { "needs" } else { "need" }, number(none as u64));
            line += &self.word(format!("; {none} of them {verb} none"), format!("；其中 {none} 个不需要工具"));
        }
        if report.left_out > 0 {
            let left_out = number(report.left_out as u64);
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
        let recalls = ks.clone().map(|k| format!("recall_at.{k}"));
        let of_all = ks.map(|k| format!("all_gold_at.{k}"));
        self.table(report, recalls.chain(of_all).chain(["ndcg_at_10".to_owned()]));
        self.title(&self.word("First call", "首次调用"));
        self.table(report, FIRST_CALL.map(str::to_owned));
        self.title(&self.word("A model that looks further", "继续查找的模型"));
        self.table(report, FURTHER.map(str::to_owned));
        self.reaches(report);
        self.steps(report);
        self.closure(report);
    }

    fn table(&self, report: &EvalReport, keys: impl IntoIterator<Item = String>) {
        self.labelled(report, keys.into_iter().map(|key| (label(self.screen, &key), key)));
    }

    fn labelled(&self, report: &EvalReport, lines: impl IntoIterator<Item = (String, String)>) {
        let row = |(label, key): (String, String)| {
            let found = report.intervals.get(&key)?;
            Some(vec![format!("  {label}"), Form::of(&key).write(found.mean), range(&key, found)])
        };
        self.rows(&lines.into_iter().filter_map(row).collect::<Vec<_>>());
    }

    fn reaches(&self, report: &EvalReport) {
        self.title(&self.word("At each reach", "各展示范围"));
        let words =
            ["recommended", "extended", "full"].into_iter().filter_map(|reach| Some((reach, report.reach.get(reach)?)));
        let row = |(reach, at): (&str, &winclaw_eval::AtReach)| {
            let (tools, tokens) = (Form::Turns.write(at.tools), Form::Count.write(at.schema_tokens));
            vec![
                format!("  {reach}"),
                self.word(
                    format!("{tools} {}", if tools == "1" { "tool" } else { "tools" }),
                    format!("{tools} 个工具"),
                ),
                self.word(format!("{tokens} tokens of schemas"), format!("参数定义 {tokens} token")),
                count(self.screen, at.requests, "request", "requests", "个请求"),
            ]
        };
        self.rows(&words.map(row).collect::<Vec<_>>());
    }

    fn steps(&self, report: &EvalReport) {
        let Some(steps) = report.per_step else { return };
        let (first, further) = steps.looks;
        let requests = count(self.screen, steps.requests, "request", "requests", "个请求");
        let tools = count(self.screen, first, "tool", "tools", "个工具");
        self.title(&match steps.protocol {
            Protocol::Recorded => self.word(
                format!("Asked step by step: {tools} for the request, {further} for each recorded search ({requests})"),
                format!("逐步查询：请求取 {tools}，每次记录的搜索取 {further} 个（{requests}）"),
            ),
            Protocol::Used => self.word(
                format!("Asked step by step: {tools} for each need, knowing the tools found so far ({requests})"),
                format!("逐步查询：每个需要取 {tools}，并已知先前找到的工具（{requests}）"),
            ),
        });
        let lines = ["recall", "all", "tools_mean", "tools_p95"].map(|key| {
            let (en, zh) = step(key);
            (self.word(en, zh), format!("per_step.{key}"))
        });
        self.labelled(report, lines);
    }

    fn closure(&self, report: &EvalReport) {
        let broken = report.closure_broken;
        let words = label(self.screen, "closure_broken");
        let line = format!("{words}{}{}", self.word(": ", "："), number(broken as u64));
        self.screen.line("");
        self.screen.line(&self.screen.paint(if broken == 0 { Style::Green } else { Style::Red }, &line));
    }

    fn times(&self, report: &EvalReport) {
        self.title(&self.word("Time", "耗时"));
        self.table(report, ["pass_us_p50", "pass_us_p99"].map(str::to_owned));
        let EvalReport { catalog_ms, index_ms, prepared_ms, .. } = report;
        let (index_terms, index_postings) = (number(report.index_terms as u64), number(report.index_postings as u64));
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
        let mut keys: Vec<&String> = comparison.differences.keys().collect();
        keys.sort_by_key(|key| (place(key), k_of(key)));
        let head = vec![String::new(), first.to_owned(), with.to_owned(), self.word("difference", "差异")];
        let rows = keys.into_iter().map(|key| self.difference(key, &comparison.differences[key]));
        let rows = std::iter::once(head).chain(rows).chain(self.beside(second));
        self.rows(&rows.collect::<Vec<_>>());
        let note = self.word(
            "turns count the requests whose tools were all found; a request that was never met counts in none of them",
            "轮次只统计所需工具全部找到的请求；始终未满足的请求不计入",
        );
        self.screen.line(&self.screen.paint(Style::Dim, &format!("  {note}")));
    }

    fn difference(&self, key: &str, found: &Difference) -> Vec<String> {
        let form = Form::of(key);
        let verdict = match found.beyond_sampling_error {
            true => format!("{} {}", signed(form, found.difference.mean), range_signed(form, &found.difference)),
            false => self.word("no difference beyond the sampling error", "差异未超出抽样误差"),
        };
        vec![format!("  {}", label(self.screen, key)), form.write(found.first), form.write(found.second), verdict]
    }

    /// What is no mean over the same requests and so has no interval of a difference.
    fn beside(&self, second: &EvalReport) -> [Vec<String>; 2] {
        let both = |key: &str, of: &dyn Fn(&EvalReport) -> String| {
            vec![format!("  {}", label(self.screen, key)), of(&self.measured.first), of(second)]
        };
        [
            both("turns_to_reveal_p95", &|report| Form::Turns.write(report.turns_to_reveal_p95)),
            both("closure_broken", &|report| number(report.closure_broken as u64)),
        ]
    }

    fn misses(&self, report: &EvalReport) {
        if report.misses.is_empty() {
            return;
        }
        let [missed, all, listed] =
            [report.missed, report.requests, report.misses.len()].map(|count| number(count as u64));
        let (en, zh) = match (report.missed, report.misses.len()) {
            (most, listed) if most == listed => ("these being".to_owned(), "如下".to_owned()),
            (_, 1) => ("the worst being".to_owned(), "最差的为".to_owned()),
            _ => (format!("the worst {listed} being"), format!("最差的 {listed} 个为")),
        };
        let en = if report.missed == 1 { "namely".to_owned() } else { en };
        self.title(&self.word(
            format!("Not all shown at first: {missed} of {all}, {en}"),
            format!("首次未全部展示：{all} 个中的 {missed} 个，{zh}"),
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
            |rank| {
                let rank = number(rank as u64);
                self.word(format!("rank {rank}"), format!("第 {rank} 位"))
            },
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
        let count = number(report.problem_count as u64);
        let words = self.word(format!("Problems with the data: {count}"), format!("数据中的问题：{count}"));
        self.screen.line("");
        self.screen.line(&self.screen.paint(Style::Yellow, &words));
        for group in report.problem_groups.iter().take(PROBLEMS) {
            self.screen.line(&format!("  {}", problem_line(self.screen, group)));
        }
    }
}

/// `number`, from 0, to one decimal, if it has one: `1,234.5`, `3`.
fn tenths(number: f64) -> String {
    let tenths = (number * 10.0).round() as u64;
    match tenths % 10 {
        0 => figures::number(tenths / 10),
        tenth => format!("{}.{tenth}", figures::number(tenths / 10)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_alike_on_one_page() {
        let cases = [
            (Form::Turns, 3.0, "3"),
            (Form::Turns, 3.96, "4"),
            (Form::Turns, 3_850.25, "3,850.3"),
            (Form::Count, 14_234.4, "14,234"),
            (Form::Micros, 1_500.0, "1,500 µs"),
            (Form::Share, 0.9234, "0.923"),
            (Form::Turns, f64::NAN, "–"),
        ];
        for (form, number, words) in cases {
            assert_eq!(form.write(number), words);
        }
        assert_eq!(signed(Form::Count, -1_500.0), "-1,500");
    }
}
