//! The question before a call: how it reads, what may be answered, and the whole arguments page by page.

use serde_json::Value;
use winclaw_guard::{Answer, Consent, seen};
use winclaw_tool::{Lang, SideEffect};

use crate::screen::{Screen, Style, columns, width};

/// Longest value of a detail, in characters; the whole of it stands in the details.
const MAX_VALUE: usize = 240;

/// Most details that are shown.
const MAX_DETAILS: usize = 16;

/// What a person wrote at the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typed {
    /// An answer.
    Answer(Answer),
    /// They want to see the whole arguments.
    Details,
    /// Nothing that means anything here.
    Unclear,
}

/// A question before a call.
pub struct Question<'a> {
    screen: Screen,
    consent: &'a Consent,
}

impl<'a> Question<'a> {
    /// The question of `consent`, for `screen`.
    pub fn new(screen: Screen, consent: &'a Consent) -> Self {
        Question { screen, consent }
    }

    /// What would run, what that may do, what it is about, who offers it, and what is out of the ordinary. Nothing in it that
    /// comes from a model or a tool can look like the rest: each value keeps to its line and hides no character.
    pub fn text(&self) -> String {
        let mut lines = vec![self.screen.paint(Style::Bold, self.screen.text(&self.consent.what))];
        lines.extend(columns(&self.rows()));
        for because in &self.consent.because {
            let text = because.text();
            lines.push(self.screen.paint(Style::Yellow, &format!("  ! {}", seen(self.screen.text(&text), usize::MAX))));
        }
        if let Some(command) = self.consent.command() {
            let words = self.consent.command_does();
            let words = self.screen.text(&words);
            lines.push(self.screen.paint(Style::Dim, &format!("    {words}: {command}")));
        }
        lines.push(self.choices());
        lines.join("\n")
    }

    /// What may be answered.
    pub fn choices(&self) -> String {
        let words = self.screen.word(
            "Run it? [y]es once, [t]his task, [a]lways, [n]o, ne[v]er, [d]etails: ",
            "运行吗？[y] 仅此一次，[t] 本次任务，[a] 始终，[n] 否，[v] 永不，[d] 详情：",
        );
        words.to_owned()
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let consent = self.consent;
        let row = |name: &str, value: &str| vec![format!("    {}", seen(name, 60)), seen(value, MAX_VALUE)];
        let mut rows: Vec<Vec<String>> =
            consent.details.iter().take(MAX_DETAILS).map(|(name, value)| row(name, value)).collect();
        if rows.is_empty() && !consent.detail.is_empty() {
            rows.push(row(self.screen.word("arguments", "参数"), &consent.detail));
        }
        for name in &consent.destructive {
            let why = self.screen.word("true  <- this makes it destructive", "true  <- 因此可能造成破坏");
            rows.retain(|row| row[0].trim() != name);
            rows.push(vec![format!("    {}", seen(name, 60)), why.to_owned()]);
        }
        rows.push(row(self.screen.word("plugin", "插件"), &self.plugin()));
        rows
    }

    fn plugin(&self) -> String {
        let publisher = self.consent.publisher.trim();
        let by = match publisher {
            "" => self.screen.word("its publisher is not known", "发布者未知").to_owned(),
            publisher => format!("{} {publisher}", self.screen.word("published by", "发布者：")),
        };
        format!("{}, {by}", self.consent.id.source())
    }

    /// What the person means by a line.
    pub fn read(&self, line: &str) -> Typed {
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" | "once" | "是" => Typed::Answer(Answer::Once),
            "t" | "task" | "this task" | "本次" | "本次任务" => Typed::Answer(Answer::ThisTask),
            "a" | "always" | "始终" | "总是" => Typed::Answer(Answer::Always),
            "n" | "no" | "否" => Typed::Answer(Answer::No),
            "v" | "never" | "永不" => Typed::Answer(Answer::Never),
            "d" | "details" | "详情" => Typed::Details,
            _ => Typed::Unclear,
        }
    }

    /// What `always` would mean, where one key must not be enough: for what may lose something, acts outside or goes anywhere.
    pub fn warning(&self, answer: Answer) -> Option<String> {
        let rules = self.consent.rules(answer);
        let anywhere = rules.iter().any(|rule| rule.to.as_deref() == Some("*"));
        if answer != Answer::Always || !(self.consent.side_effect >= SideEffect::Destructive || anywhere) {
            return None;
        }
        let lines: Vec<String> = rules.iter().map(|rule| format!("    {}", seen(&rule.line(), 200))).collect();
        let (en, zh) = (
            format!(
                "From now on, in every task, this runs without asking you, until `winclaw consent forget {}`:\n{}\n\
                 Type the whole word always to agree, anything else to go back: ",
                self.consent.id,
                lines.join("\n")
            ),
            format!(
                "从现在起，在所有任务中，以下操作不再询问您，直到运行 winclaw consent forget {}：\n{}\n输入“始终”表示同意，其他内容则返回：",
                self.consent.id,
                lines.join("\n")
            ),
        );
        Some(self.screen.word(&en, &zh).to_owned())
    }

    /// Whether a line agrees to a [`Question::warning`].
    pub fn agrees(&self, line: &str) -> bool {
        matches!(line.trim().to_lowercase().as_str(), "always" | "始终" | "总是")
    }

    /// What is said once an answer is kept.
    pub fn kept(&self, answer: Answer, file: &std::path::Path) -> String {
        let rules = self.consent.rules(answer);
        let lines = rules.iter().map(|rule| seen(&rule.line(), 200)).collect::<Vec<_>>().join("; ");
        let words = self.screen.word("kept in", "已保存到");
        self.screen.paint(Style::Dim, &format!("   {words} {}: {lines}", file.display()))
    }

    /// What stands below a page of the details, when there are more.
    pub fn more(&self, shown: usize, all: usize) -> String {
        match self.screen.lang {
            Lang::En => format!("-- {shown} of {all} lines. Enter: more, q: back to the question: "),
            Lang::Zh => format!("-- {shown}/{all} 行。回车：继续，q：返回问题："),
        }
    }
}

/// The whole arguments as lines of at most `columns` columns that show every character.
pub fn detail_lines(arguments: &Value, columns: usize) -> Vec<String> {
    let pretty = serde_json::to_string_pretty(arguments).unwrap_or_default();
    pretty.lines().flat_map(|line| wrapped(line, columns.max(20))).collect()
}

fn wrapped(line: &str, columns: usize) -> Vec<String> {
    let bare = line.trim_start_matches(' ');
    // Very deep values would leave no room; their indent is shown once and not repeated.
    let indent = " ".repeat((line.len() - bare.len()).min(columns / 2));
    let text = seen(bare, usize::MAX);
    let mut lines = vec![indent];
    let mut used = lines[0].len();
    for c in text.chars() {
        let wide = width(c.encode_utf8(&mut [0; 4]));
        if used + wide > columns {
            lines.push(String::new());
            used = 0;
        }
        used += wide;
        if let Some(last) = lines.last_mut() {
            last.push(c);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_whole_arguments_are_shown_in_bounded_lines() {
        let long = "字".repeat(1000);
        let arguments = json!({"text": format!("{long}\u{202e}\u{1b}[2Jx\nRun it? [y]"), "n": [1, {"deep": true}]});
        let lines = detail_lines(&arguments, 60);
        assert!(lines.iter().all(|line| width(line) <= 60), "{lines:?}");
        let joined = lines.concat();
        assert!(
            joined.contains(&long) && joined.contains("<U+202E>") && joined.contains("\\u001b[2Jx\\nRun it?"),
            "{joined}"
        );
        assert!(!joined.contains('\u{1b}') && !joined.contains('\u{202e}'));
    }

    #[test]
    fn deep_arguments_keep_room_for_what_they_say() {
        let deep = (0..100).fold(json!("end"), |inner, _| json!([inner]));
        let lines = detail_lines(&deep, 40);
        assert!(lines.iter().all(|line| width(line) <= 40));
        assert!(lines.concat().contains("\"end\""));
    }
}
