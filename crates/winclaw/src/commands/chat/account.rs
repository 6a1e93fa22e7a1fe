//! Why a task went as it did: what was shown, what was not, and what was decided.

use std::collections::BTreeSet;

use winclaw_agent::Event;
use winclaw_tool::Text;
use winclaw_trace::Record;

use crate::commands::figures::number;
use crate::screen::{Screen, Style, columns, harmless};
use crate::terminal::one_line;

/// Most tools that are listed of one call of the model.
const LISTED: usize = 12;

/// What was shown and decided in one task.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Account {
    surfaces: Vec<Surface>,
    /// What the request pointed to: tool, and the reason in words.
    evidence: Vec<(String, String)>,
    rises: Vec<(Text, Vec<String>)>,
    /// Why a new prefix was opened, and how many tokens no cache can serve any more by that.
    epochs: Vec<(String, u64)>,
    decisions: Vec<Decision>,
}

/// What the model was shown before one of its calls.
#[derive(Debug, Clone, Default, PartialEq)]
struct Surface {
    call_no: u64,
    shown: Vec<Shown>,
    named: u64,
    tokens: u64,
    everything: u64,
}

#[derive(Debug, Clone, PartialEq)]
struct Shown {
    tool: String,
    level: String,
    because: Text,
}

/// What was decided about a call.
#[derive(Debug, Clone, PartialEq)]
struct Decision {
    tool: String,
    what: Text,
}

impl Account {
    /// From the `records` of a task. `events` of the same task, where there are any, say the reasons in both languages;
    /// records are in English.
    pub(super) fn of(records: &[Record], events: &[Event]) -> Account {
        let mut account = Account::default();
        records.iter().for_each(|record| account.take(record));
        account.put_in_words(events);
        account
    }

    fn take(&mut self, record: &Record) {
        match record {
            Record::Exposure { call_no, shown, named, prefix_tokens, tail_tokens, everything_tokens, .. } => {
                let shown = shown.iter().map(|tool| Shown {
                    tool: tool.tool.clone(),
                    level: tool.level.clone(),
                    because: same(&tool.because),
                });
                self.surfaces.push(Surface {
                    call_no: *call_no,
                    shown: shown.collect(),
                    named: *named,
                    tokens: prefix_tokens + tail_tokens,
                    everything: *everything_tokens,
                });
            }
            Record::Evidence { hits, .. } => {
                self.evidence = hits.iter().map(|hit| (hit.tool.clone(), hit.because.clone())).collect();
            }
            Record::Epoch { epoch: 2.., cause, rebilled, .. } => self.epochs.push((cause.clone(), *rebilled)),
            Record::Rise { cause, tools, .. } => self.rises.push((same(cause), tools.clone())),
            other => self.decisions.extend(decision(other)),
        }
    }

    fn put_in_words(&mut self, events: &[Event]) {
        let mut rises = self.rises.iter_mut();
        for event in events {
            match event {
                Event::Exposure { call_no, shown, .. } => {
                    let surface = self.surfaces.iter_mut().find(|surface| surface.call_no == u64::from(*call_no));
                    for tool in surface.into_iter().flat_map(|surface| &mut surface.shown) {
                        let words = shown.iter().find(|words| words.tool == tool.tool);
                        words.into_iter().for_each(|words| tool.because = words.because.clone());
                    }
                }
                Event::Rise { cause, .. } => {
                    if let Some(rise) = rises.next() {
                        rise.0 = cause.clone();
                    }
                }
                _ => {}
            }
        }
    }

    /// Ids of the tools whose description the model was shown last.
    pub(super) fn shown_last(&self) -> BTreeSet<&str> {
        self.surfaces.last().into_iter().flat_map(|surface| &surface.shown).map(|shown| shown.tool.as_str()).collect()
    }

    /// The lines that explain the whole task.
    pub(super) fn lines(&self, screen: &Screen) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(surface) = self.surfaces.last() {
            lines.extend(surface.lines(screen));
        }
        lines.extend(self.epoch_lines(screen));
        lines.extend(self.evidence_lines(screen));
        lines.extend(self.rise_lines(screen, |_| true));
        lines.extend(self.decision_lines(screen, |_| true));
        if lines.is_empty() {
            lines.push(screen.word("nothing was decided yet", "尚未作出任何决定").to_owned());
        }
        lines
    }

    /// The lines that explain what became of `tool`.
    pub(super) fn lines_about(&self, screen: &Screen, tool: &str) -> Vec<String> {
        let shown: Vec<(u64, &Shown)> = self
            .surfaces
            .iter()
            .flat_map(|surface| surface.shown.iter().map(|shown| (surface.call_no, shown)))
            .filter(|(_, shown)| shown.tool == tool)
            .collect();
        let mut lines = vec![match shown.first() {
            Some((call_no, shown)) => screen
                .word("shown from call {n} of the model on: {why}", "从模型的第 {n} 次调用起展示：{why}")
                .replace("{n}", &call_no.to_string())
                .replace("{why}", &harmless(screen.text(&shown.because))),
            None => screen
                .word(
                    "not shown above the list of names: nothing in the request pointed to it; the model could find it by searching, and could call it by its name",
                    "未展示在名称列表之上：请求中没有内容指向它；模型仍可通过搜索找到它，也可按名称调用它",
                )
                .to_owned(),
        }];
        if let Some((_, because)) = self.evidence.iter().find(|(hit, _)| hit == tool) {
            lines.push(format!("{}: {}", screen.word("the request points to it", "请求指向它"), harmless(because)));
        }
        lines.extend(self.rise_lines(screen, |tools| tools.iter().any(|risen| risen == tool)));
        lines.extend(self.decision_lines(screen, |decision| decision.tool == tool));
        lines
    }

    fn epoch_lines(&self, screen: &Screen) -> Vec<String> {
        let row = |(cause, rebilled): &(String, u64)| {
            let tokens = screen.word("{n} tokens read anew", "重新读取 {n} 词元").replace("{n}", &number(*rebilled));
            vec![format!("  {}", harmless(&one_line(cause))), tokens]
        };
        let rows: Vec<Vec<String>> = self.epochs.iter().map(row).collect();
        under(screen, "the fixed beginning was made anew:", "固定的开头已重建：", &rows)
    }

    fn evidence_lines(&self, screen: &Screen) -> Vec<String> {
        let shown = self.shown_last();
        let rows: Vec<Vec<String>> = self
            .evidence
            .iter()
            .filter(|(tool, _)| !shown.contains(tool.as_str()))
            .take(5)
            .map(|(tool, because)| vec![format!("  {tool}"), harmless(&one_line(because))])
            .collect();
        under(screen, "fitted the request less, named only:", "与请求较不相符，仅列出名称：", &rows)
    }

    fn rise_lines(&self, screen: &Screen, wanted: impl Fn(&[String]) -> bool) -> Vec<String> {
        let rows: Vec<Vec<String>> = self
            .rises
            .iter()
            .filter(|(_, tools)| wanted(tools))
            .map(|(cause, tools)| vec![format!("  {}", tools.join(", ")), harmless(screen.text(cause))])
            .collect();
        under(screen, "more was shown later:", "之后又展示了：", &rows)
    }

    fn decision_lines(&self, screen: &Screen, wanted: impl Fn(&Decision) -> bool) -> Vec<String> {
        let rows: Vec<Vec<String>> = self
            .decisions
            .iter()
            .filter(|decision| wanted(decision))
            .map(|decision| vec![format!("  {}", harmless(&decision.tool)), harmless(screen.text(&decision.what))])
            .collect();
        under(screen, "decided about calls:", "对调用的决定：", &rows)
    }
}

impl Surface {
    fn lines(&self, screen: &Screen) -> Vec<String> {
        let rows: Vec<Vec<String>> = self
            .shown
            .iter()
            .take(LISTED)
            .map(|shown| vec![format!("  {}", shown.tool), shown.level.clone(), harmless(screen.text(&shown.because))])
            .collect();
        let mut lines = under(screen, "shown to the model last:", "最近展示给模型的工具：", &rows);
        if let more @ 1.. = self.shown.len().saturating_sub(LISTED) {
            lines.push(format!(
                "  … {}",
                screen.word("and {n} more", "以及另外 {n} 个").replace("{n}", &more.to_string())
            ));
        }
        let tokens = self.tokens_words(screen);
        lines.push(screen.paint(Style::Dim, &tokens));
        lines
    }
}

impl Surface {
    fn tokens_words(&self, screen: &Screen) -> String {
        let words = match self.named {
            0 => screen.word("  these are all tools; {t} tokens", "  已是全部工具；共 {t} 个词元"),
            _ => screen.word(
                "  {n} more tools are named and can be called; {t} tokens instead of {e}",
                "  另有 {n} 个工具仅列出名称，同样可以调用；共 {t} 个词元，全部展示需 {e} 个",
            ),
        };
        let (n, t, e) = (number(self.named), number(self.tokens), number(self.everything));
        words.replace("{n}", &n).replace("{t}", &t).replace("{e}", &e)
    }
}

fn under(screen: &Screen, en: &str, zh: &str, rows: &[Vec<String>]) -> Vec<String> {
    if rows.is_empty() {
        return Vec::new();
    }
    let head = screen.paint(Style::Bold, screen.word(en, zh));
    std::iter::once(head).chain(columns(rows)).collect()
}

fn same(text: &str) -> Text {
    Text::new(text, text)
}

/// What a record decided about a call, if it is of that kind.
fn decision(record: &Record) -> Option<Decision> {
    let (tool, en, zh) = match record {
        Record::Verdict { tool, verdict, reason, .. } => {
            let (en, zh) = verdict_words(verdict);
            let why =
                |colon: &str| if reason.is_empty() { String::new() } else { format!("{colon}{}", one_line(reason)) };
            (tool, format!("{en}{}", why(": ")), format!("{zh}{}", why("：")))
        }
        Record::Consent { tool, answer, .. } => (tool, format!("your answer: {answer}"), format!("您的回答：{answer}")),
        Record::Drift { tool, why, .. } => (tool, format!("strays: {why}"), format!("偏离请求：{why}")),
        Record::Loop { tools, said, .. } => {
            let said = one_line(said);
            let decision = Text::new(format!("repeated: {said}"), format!("重复：{said}"));
            return Some(Decision { tool: tools.join(", "), what: decision });
        }
        Record::Repair { tool, said, .. } => (tool, format!("repaired: {said}"), format!("已修正：{said}")),
        Record::SetAside { tool, why, .. } => (tool, format!("set aside: {why}"), format!("已搁置：{why}")),
        Record::Call { tool, outcome, ms, .. } => {
            (tool, format!("ran: {outcome}, {ms} ms"), format!("已运行：{outcome}，{ms} 毫秒"))
        }
        Record::Aside { name, outcome, detail, .. } => {
            let detail = one_line(detail);
            (name, format!("no tool ran: {outcome}: {detail}"), format!("未运行工具：{outcome}：{detail}"))
        }
        _ => return None,
    };
    Some(Decision { tool: tool.clone(), what: Text::new(en, zh) })
}

fn verdict_words(verdict: &str) -> (&str, &str) {
    match verdict {
        "run" => ("may run", "可以运行"),
        "run_with_advice" => ("may run, with advice", "可以运行，并附建议"),
        "ask_user" => ("you were asked", "已询问您"),
        "not_run" => ("not run", "未运行"),
        other => (other, other),
    }
}

#[cfg(test)]
mod tests {
    use winclaw_agent::ShownTool;
    use winclaw_tool::Lang;

    use super::*;

    fn records() -> Vec<Record> {
        let exposure = serde_json::json!({"kind": "exposure", "call_no": 1, "named": 7, "prefix_tokens": 90, "tail_tokens": 10,
            "everything_tokens": 900, "shown": [{"tool": "sky.forecast", "level": "full", "because": "named"}]});
        let others = [
            serde_json::json!({"kind": "evidence", "hits": [{"tool": "sky.forecast"}, {"tool": "notes.add", "because": "a word"}]}),
            serde_json::json!({"kind": "epoch", "epoch": 2, "cause": "another model", "rebilled": 1234}),
            serde_json::json!({"kind": "loop", "tools": ["notes.find"], "said": "the same again"}),
            serde_json::json!({"kind": "rise", "cause": "it failed", "tools": ["mail.send"]}),
            serde_json::json!({"kind": "verdict", "tool": "sky.forecast", "verdict": "not_run", "reason": "wrong\u{1b}[2J place"}),
        ];
        let read = |value: serde_json::Value| serde_json::from_value(value).expect("a record");
        std::iter::once(exposure).chain(others).map(read).collect()
    }

    #[test]
    fn a_task_is_explained_from_its_records() {
        let account = Account::of(&records(), &[]);
        let page = account.lines(&Screen::plain(Lang::En)).join("\n");
        for words in [
            "sky.forecast  full  named",
            "7 more tools",
            "100 tokens instead of 900",
            "notes.add  a word",
            "mail.send  it failed",
            "not run: wrong[2J place",
            "another model  1,234 tokens read anew",
            "notes.find    repeated: the same again",
        ] {
            assert!(page.contains(words), "{words}\n{page}");
        }
        assert!(!page.contains('\u{1b}'));
    }

    #[test]
    fn one_tool_is_explained_also_when_it_was_not_shown() {
        let account = Account::of(&records(), &[]);
        let screen = Screen::plain(Lang::En);
        let shown = account.lines_about(&screen, "sky.forecast").join("\n");
        assert!(shown.contains("shown from call 1 of the model on: named") && shown.contains("not run"), "{shown}");
        let hidden = account.lines_about(&screen, "notes.add").join("\n");
        assert!(hidden.contains("could call it by its name") && hidden.contains("points to it: a word"), "{hidden}");
    }

    #[test]
    fn events_say_the_reasons_in_the_language_of_the_person() {
        let because = Text::new("named", "请求中点名");
        let shown = ShownTool { tool: "sky.forecast".into(), level: "full".into(), because, tokens: 1 };
        let events = [
            Event::Exposure { call_no: 1, shown: vec![shown], named: 7, tokens: 100, everything_tokens: 900 },
            Event::Rise { cause: Text::new("it failed", "它失败了"), tools: vec!["mail.send".into()] },
        ];
        let page = Account::of(&records(), &events).lines(&Screen::plain(Lang::Zh)).join("\n");
        assert!(page.contains("请求中点名") && page.contains("它失败了") && page.contains("未运行"), "{page}");
    }
}
