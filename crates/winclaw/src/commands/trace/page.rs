//! What the analysis says, as a page and as JSON.

use serde_json::{Value, json};
use winclaw_trace::{Analysis, Count, Latency};

use super::words;
use crate::commands::figures::{count, number};
use crate::screen::{Screen, Style, columns};

/// Most names of one kind that are listed.
const MOST: usize = 12;

/// The analysis, with its rates.
pub fn json(analysis: &Analysis) -> Value {
    let mut value = serde_json::to_value(analysis).unwrap_or_default();
    let exposure = &analysis.exposure;
    value["exposure"]["hit_rate"] = json!(rate(exposure.in_time, exposure.needed));
    value["exposure"]["hit_rate_at_once"] = json!(rate(exposure.at_once, exposure.needed));
    value
}

/// A share from 0 to 1 with four decimals; nothing of nothing.
fn rate(part: u64, whole: u64) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "counts of calls are far below what a double holds")]
    (whole > 0).then(|| (part as f64 / whole as f64 * 1e4).round() / 1e4)
}

/// `86 of 98 (87.8 %)`.
pub fn share(screen: &Screen, part: u64, whole: u64) -> String {
    let percent = rate(part, whole).map(|rate| format!(" ({:.1} %)", rate * 100.0)).unwrap_or_default();
    let (en, zh) = (
        format!("{} of {}{percent}", number(part), number(whole)),
        format!("{} / {}{percent}", number(part), number(whole)),
    );
    screen.word(&en, &zh).to_owned()
}

/// The page.
pub fn rows(screen: &Screen, analysis: &Analysis) -> Vec<String> {
    let parts = [
        ("tasks", "任务", tasks(screen, analysis)),
        ("exposure", "展示", exposure(screen, analysis)),
        (
            "tokens (estimated, against every schema in every call)",
            "token（估算，对比每次都展示全部）",
            savings(screen, analysis),
        ),
        ("model", "模型", model(screen, analysis)),
        ("decisions", "决定", decisions(screen, analysis)),
    ];
    let mut page = Vec::new();
    for (en, zh, rows) in parts {
        page.push(screen.paint(Style::Bold, screen.word(en, zh)));
        page.extend(columns(&rows).into_iter().map(|row| format!("  {row}")));
    }
    page.push(screen.paint(Style::Bold, screen.word("tools", "工具")));
    page.extend(columns(&tools(screen, analysis)).into_iter().map(|row| format!("  {row}")));
    page
}

fn row(screen: &Screen, en: &str, zh: &str, value: String) -> Vec<String> {
    vec![screen.word(en, zh).to_owned(), value]
}

fn tasks(screen: &Screen, analysis: &Analysis) -> Vec<Vec<String>> {
    let states = analysis.states.iter().map(|(state, count)| format!("{} {count}", words::state(screen, state)));
    let states: Vec<String> = states.collect();
    vec![
        row(screen, "tasks", "任务数", format!("{} ({})", number(analysis.tasks), states.join(", "))),
        row(screen, "time", "耗时", times(screen, &analysis.task_ms)),
        row(screen, "cost", "费用", cost(screen, analysis)),
    ]
}

fn cost(screen: &Screen, analysis: &Analysis) -> String {
    let sums: Vec<String> = analysis.cost.iter().map(|money| words::money(money.micros, &money.currency)).collect();
    if sums.is_empty() { screen.word("no price known", "价格未知").to_owned() } else { sums.join(" + ") }
}

fn exposure(screen: &Screen, analysis: &Analysis) -> Vec<Vec<String>> {
    let found = &analysis.exposure;
    vec![
        row(
            screen,
            "shown before called (hit rate)",
            "调用前已展示（命中率）",
            share(screen, found.in_time, found.needed),
        ),
        row(screen, "with the whole schema", "其中为完整参数", share(screen, found.in_full, found.in_time)),
        row(screen, "shown from the start", "一开始就已展示", share(screen, found.at_once, found.needed)),
        row(screen, "needed of the shown", "展示的工具中用到的", share(screen, found.in_time, found.shown)),
        row(screen, "called unshown", "未展示即调用", list(&found.unshown)),
        row(screen, "rises", "展开", list(&analysis.rises)),
    ]
}

fn savings(screen: &Screen, analysis: &Analysis) -> Vec<Vec<String>> {
    let found = &analysis.savings;
    vec![
        row(screen, "every schema", "全部展示", number(found.everything)),
        row(screen, "sent", "实际发送", number(found.sent)),
        row(screen, "cache misses", "缓存未命中", number(found.missed)),
        row(screen, "saved, net", "净节省", signed(found.net)),
        row(
            screen,
            &format!("saved as billed, cached at {} %", found.cached_percent),
            &format!("按计费净节省（缓存计 {}%）", found.cached_percent),
            signed(found.net_priced),
        ),
    ]
}

fn signed(tokens: i64) -> String {
    let sign = if tokens < 0 { "-" } else { "" };
    format!("{sign}{}", number(tokens.unsigned_abs()))
}

fn model(screen: &Screen, analysis: &Analysis) -> Vec<Vec<String>> {
    let tokens = &analysis.tokens;
    let part = |tokens: Option<u64>| tokens.map_or_else(|| "?".to_owned(), number);
    let (input, cached, output) = (part(tokens.input), part(tokens.cached), part(tokens.output));
    let (en, zh) = (
        format!("{input} in, {cached} of them cached, {output} out"),
        format!("输入 {input}，其中缓存 {cached}，输出 {output}"),
    );
    vec![
        row(screen, "calls", "调用", number(analysis.model_calls)),
        row(screen, "sent again", "重发", number(analysis.retries)),
        row(screen, "failures", "失败", list(&analysis.model_failures)),
        row(screen, "tokens as reported", "上报的 token", screen.word(&en, &zh).to_owned()),
        row(screen, "time", "耗时", times(screen, &analysis.model_ms)),
    ]
}

fn decisions(screen: &Screen, analysis: &Analysis) -> Vec<Vec<String>> {
    vec![
        row(screen, "loops", "循环", list(&analysis.loops)),
        row(screen, "drift", "偏离", list(&analysis.drift)),
        row(screen, "consent", "同意", list(&analysis.consent)),
        row(screen, "not run", "未运行", list(&analysis.refused)),
        row(screen, "repaired", "修复", list(&analysis.repairs)),
        row(screen, "set aside", "搁置", list(&analysis.set_aside)),
    ]
}

fn tools(screen: &Screen, analysis: &Analysis) -> Vec<Vec<String>> {
    let mut tools: Vec<_> = analysis.tools.iter().collect();
    tools.sort_by(|a, b| (b.1.calls, a.0).cmp(&(a.1.calls, b.0)));
    let row = |(tool, used): &(&String, &winclaw_trace::ToolUse)| {
        let calls = count(*screen, usize::try_from(used.calls).unwrap_or(usize::MAX), "call", "calls", "次调用");
        let failed: u64 = used.failures.values().sum();
        let failures = if failed == 0 { String::new() } else { format!("✗ {}", list(&used.failures)) };
        vec![(*tool).clone(), calls, times(screen, &used.ms), failures]
    };
    match tools.is_empty() {
        true => vec![vec![screen.word("none ran", "没有运行过").to_owned()]],
        false => tools.iter().map(row).collect(),
    }
}

fn times(screen: &Screen, times: &Latency) -> String {
    let at = |percent| times.percentile(percent).map(words::seconds);
    match (at(50), at(95), at(100)) {
        (Some(p50), Some(p95), Some(max)) => format!("p50 {p50}, p95 {p95}, {} {max}", screen.word("max", "最长")),
        _ => "-".to_owned(),
    }
}

/// Names with their counts, the most frequent first.
fn list(counts: &Count) -> String {
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_by(|a, b| (b.1, a.0).cmp(&(a.1, b.0)));
    let mut words: Vec<String> = sorted.iter().take(MOST).map(|(name, count)| format!("{name} {count}")).collect();
    if sorted.len() > MOST {
        words.push(format!("… +{}", sorted.len() - MOST));
    }
    if words.is_empty() { "0".to_owned() } else { words.join(", ") }
}
