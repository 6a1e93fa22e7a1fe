//! The analysis as a picture: bars with their numbers, and words that a reader of screens finds too.

use std::fmt::Write as _;

use winclaw_trace::Analysis;

use super::{page, words};
use crate::commands::figures::number;
use crate::screen::{Screen, harmless};

const WIDTH: u32 = 760;
const LABEL: u32 = 240;
const BAR: u32 = 300;
const ROW: u32 = 24;
/// Most tools that are drawn.
const TOOLS: usize = 15;

/// One bar: what it is, how long it is, in which colour, and the words beside it.
struct Bar {
    label: String,
    value: u64,
    colour: &'static str,
    words: String,
}

/// A group of bars with one scale.
struct Chart {
    title: String,
    most: u64,
    bars: Vec<Bar>,
}

const GOOD: &str = "#2e7d32";
const PLAIN: &str = "#1565c0";
const BAD: &str = "#c62828";
const GREY: &str = "#78909c";

/// The picture as a text of SVG 1.1, without fonts, scripts or links of its own.
pub fn draw(screen: &Screen, analysis: &Analysis) -> String {
    let charts =
        [exposure(screen, analysis), savings(screen, analysis), tools(screen, analysis), times(screen, analysis)];
    let heights = charts.iter().map(|chart| ROW * (u32::try_from(chart.bars.len()).unwrap_or(0) + 2));
    let height = 56 + heights.sum::<u32>();
    let (en, zh) = (format!("WinClaw: {} tasks", analysis.tasks), format!("WinClaw：{} 个任务", analysis.tasks));
    let title = text(screen.word(&en, &zh));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\" role=\"img\">\n<title>{title}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"16\" y=\"32\" font-size=\"18\" font-weight=\"bold\">{title}</text>\n"
    );
    let mut y = 56;
    for chart in &charts {
        y = put(&mut out, chart, y);
    }
    out.push_str("</svg>\n");
    out
}

/// Draws a chart from `y` on; gives where the next begins.
fn put(out: &mut String, chart: &Chart, y: u32) -> u32 {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<text x=\"16\" y=\"{}\" font-weight=\"bold\">{}</text>", y + 16, text(&chart.title));
    let mut y = y + ROW;
    for bar in &chart.bars {
        let length = length(bar.value, chart.most);
        let (middle, top, after) = (y + 16, y + 4, LABEL + length + 8);
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{middle}\" text-anchor=\"end\">{}</text><rect x=\"{LABEL}\" y=\"{top}\" width=\"{length}\" \
             height=\"16\" fill=\"{}\"/><text x=\"{after}\" y=\"{middle}\">{}</text>",
            LABEL - 8,
            text(&bar.label),
            bar.colour,
            text(&bar.words)
        );
        y += ROW;
    }
    y + ROW
}

fn length(value: u64, most: u64) -> u32 {
    let length = u128::from(value.min(most)) * u128::from(BAR) / u128::from(most.max(1));
    u32::try_from(length).unwrap_or(BAR)
}

fn exposure(screen: &Screen, analysis: &Analysis) -> Chart {
    let found = &analysis.exposure;
    let bar = |en, zh, part, whole| Bar {
        label: screen.word(en, zh).to_owned(),
        value: part,
        colour: GOOD,
        words: page::share(screen, part, whole),
    };
    Chart {
        title: screen.word("Were needed tools shown?", "需要的工具是否已展示？").to_owned(),
        most: found.needed,
        bars: vec![
            bar("before they were called", "调用之前", found.in_time, found.needed),
            bar("with the whole schema", "带完整参数", found.in_full, found.needed),
            bar("from the start", "从一开始", found.at_once, found.needed),
        ],
    }
}

fn savings(screen: &Screen, analysis: &Analysis) -> Chart {
    let found = &analysis.savings;
    let bar =
        |en, zh, value: u64, colour| Bar { label: screen.word(en, zh).to_owned(), value, colour, words: number(value) };
    let net = u64::try_from(found.net).unwrap_or(0);
    Chart {
        title: screen.word("Tokens, estimated", "token（估算）").to_owned(),
        most: found.everything.max(found.sent).max(found.missed),
        bars: vec![
            bar("every schema in every call", "每次都展示全部", found.everything, GREY),
            bar("sent", "实际发送", found.sent, PLAIN),
            bar("cache misses", "缓存未命中", found.missed, BAD),
            bar("saved, net", "净节省", net, GOOD),
        ],
    }
}

fn tools(screen: &Screen, analysis: &Analysis) -> Chart {
    let mut tools: Vec<_> = analysis.tools.iter().collect();
    tools.sort_by(|a, b| (b.1.calls, a.0).cmp(&(a.1.calls, b.0)));
    let bar = |(tool, used): &(&String, &winclaw_trace::ToolUse)| {
        let failed: u64 = used.failures.values().sum();
        let (en, zh) = (format!(", {failed} failed"), format!("，失败 {failed}"));
        let words = if failed == 0 { "" } else { screen.word(&en, &zh) };
        Bar {
            label: (*tool).clone(),
            value: used.calls,
            colour: if failed == 0 { PLAIN } else { BAD },
            words: format!("{}{words}", number(used.calls)),
        }
    };
    Chart {
        title: screen.word("Calls of tools", "工具调用").to_owned(),
        most: tools.first().map_or(0, |(_, used)| used.calls),
        bars: tools.iter().take(TOOLS).map(bar).collect(),
    }
}

fn times(screen: &Screen, analysis: &Analysis) -> Chart {
    let bar = |label: &str, percent, times: &winclaw_trace::Latency| {
        let value = times.percentile(percent)?;
        Some(Bar { label: label.to_owned(), value, colour: GREY, words: words::seconds(value) })
    };
    let model = &analysis.model_ms;
    let bars = [
        bar(screen.word("model call, p50", "模型调用 p50"), 50, model),
        bar(screen.word("model call, p95", "模型调用 p95"), 95, model),
        bar(screen.word("task, p50", "任务 p50"), 50, &analysis.task_ms),
        bar(screen.word("task, p95", "任务 p95"), 95, &analysis.task_ms),
    ];
    let bars: Vec<Bar> = bars.into_iter().flatten().collect();
    let most = bars.iter().map(|bar| bar.value).max().unwrap_or(0);
    Chart { title: screen.word("Times", "耗时").to_owned(), most, bars }
}

/// `words` as text of XML, not too long for its place.
fn text(words: &str) -> String {
    let short: String = harmless(words).chars().take(60).collect();
    short.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use winclaw_tool::Lang;
    use winclaw_trace::Line;

    use super::*;

    #[test]
    fn a_picture_is_well_formed_whatever_the_tools_are_called() {
        let call = |tool: &str| json!({"v": 1, "kind": "call", "tool": tool, "ms": u64::MAX, "outcome": "<bad>"});
        let exposure = json!({"v": 1, "kind": "exposure", "everything_tokens": u64::MAX, "prefix_tokens": u64::MAX});
        let lines = [exposure, call("a<b>&\"c\u{1b}[2J"), call(&"长".repeat(500)), call("]]>")];
        let mut analysis = Analysis::new(10);
        analysis.task(lines.map(|line| serde_json::from_value::<Line>(line).expect("a line")));
        for (lang, words) in [(Lang::En, "Calls of tools"), (Lang::Zh, "工具调用")] {
            let picture = draw(&Screen::plain(lang), &analysis);
            assert!(picture.contains(words) && picture.contains("a&lt;b&gt;&amp;\"c"), "{picture}");
            assert!(picture.chars().all(|c| c == '\n' || !c.is_control()), "{picture}");
            let opened = picture.matches('<').count() - picture.matches("</").count() - picture.matches("/>").count();
            // The rest of `>` closes what was opened.
            assert_eq!(opened, picture.matches("</").count(), "{picture}");
        }
        assert!(draw(&Screen::plain(Lang::En), &Analysis::new(10)).ends_with("</svg>\n"));
    }
}
