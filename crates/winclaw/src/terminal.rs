//! A task on a terminal: what streams by, and the questions to the person.

use std::io::{IsTerminal, stderr, stdin};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use winclaw_agent::{Answer, Event, Front};
use winclaw_guard::{Consent, PolicyRule};
use winclaw_tool::{Failure, FailureCode, Lang, Text};
use winclaw_toolbox::BoxFuture;
use winclaw_trace::{redact, redact_text};

use crate::cli::OutputWord;
use crate::commands::chat::money;
use crate::complaint::code_in_chinese;
use crate::hidden::hide;
use crate::policy_file;
use crate::question::{Question, Typed, detail_lines};
use crate::screen::{Screen, Style, harmless};

/// Puts a question to the person and reads one line; `None` when there is no answer. Whoever has the terminal in hand
/// gives its own, since two readers of one terminal would take each other's keys.
pub type Ask = dyn Fn(String) -> BoxFuture<'static, Option<String>> + Send + Sync;

/// Shows a task as it goes, in the form that was asked for.
pub struct Terminal {
    screen: Screen,
    output: OutputWord,
    verbose: bool,
    ask: Option<Arc<Ask>>,
    /// Where answers that outlast the task are kept.
    policy: Option<PathBuf>,
    /// Whether the last thing printed on standard output ended its line.
    line_open: Mutex<bool>,
    /// How many calls of one reply were postponed up to now, of which only the first has a line.
    postponed: Mutex<usize>,
    /// The call that was denied last, and what would allow it.
    denied: Mutex<Option<(String, Text)>>,
}

impl Terminal {
    /// A front that prints on `screen` in the form `output`; `verbose` adds reasons and log lines.
    pub fn new(screen: Screen, output: OutputWord, verbose: bool) -> Self {
        Terminal {
            screen,
            output,
            verbose,
            ask: None,
            policy: None,
            line_open: Mutex::new(false),
            postponed: Mutex::new(0),
            denied: Mutex::default(),
        }
    }

    /// The same, keeping the answers `always` and `never` in this policy file.
    pub fn keeping(self, policy: PathBuf) -> Self {
        Terminal { policy: Some(policy), ..self }
    }

    /// The same, with another way to ask the person.
    pub fn asking(self, ask: Arc<Ask>) -> Self {
        Terminal { ask: Some(ask), ..self }
    }

    /// Whether somebody can read a question and answer it.
    fn can_ask(&self) -> bool {
        self.ask.is_some() || can_ask()
    }

    /// Puts `question` to the person and reads a line; `None` when there is no answer.
    async fn prompt(&self, question: &str) -> Option<String> {
        let question = redact_text(&hide(question)).into_owned();
        match &self.ask {
            Some(ask) => ask(question).await,
            None => prompt(&question).await,
        }
    }

    /// Ends an open line of the answer.
    pub fn end_line(&self) {
        if let Ok(mut open) = self.line_open.lock()
            && std::mem::take(&mut *open)
        {
            self.screen.line("");
        }
    }

    /// The call that was denied last, by id and what it was about, and what would allow it.
    pub fn denied(&self) -> Option<(String, Text)> {
        self.denied.lock().ok()?.clone()
    }

    fn remember(&self, event: &Event) {
        if let Event::NotRun { name, tool, detail, failure, .. } = event
            && let (FailureCode::Denied, Some(hint)) = (failure.code, &failure.hint)
            && let Ok(mut denied) = self.denied.lock()
        {
            let what = about(tool.as_ref().unwrap_or(name), detail);
            *denied = Some((what.trim_end().to_owned(), hint.clone()));
        }
    }

    fn show_text(&self, text: &str) {
        let text = harmless(text);
        if let Ok(mut open) = self.line_open.lock()
            && let Some(last) = text.chars().last()
        {
            *open = last != '\n';
            self.screen.part(&text);
        }
    }

    fn show_words(&self, event: &Event) {
        match event {
            Event::Text { text } => self.show_text(text),
            Event::TextEnd => self.end_line(),
            other => {
                if let Some(line) = self.line_of(other) {
                    self.end_line();
                    self.screen.note(&line);
                }
            }
        }
    }

    /// What is said of `event` on lines of its own, for a person; `None` for words of the answer and what is not shown.
    pub fn line_of(&self, event: &Event) -> Option<String> {
        let (rest, shown) = self.postponed(event);
        let line = if shown { self.words_of(event) } else { None };
        let lines: Vec<String> = rest.into_iter().chain(line).collect();
        (!lines.is_empty()).then(|| redact_text(&lines.join("\n")).into_owned())
    }

    /// Of the calls that stand beyond the limit of one reply the first is told, and behind the last how many more there
    /// were. Gives that, and whether `event` is told by itself.
    fn postponed(&self, event: &Event) -> (Option<String>, bool) {
        let Ok(mut count) = self.postponed.lock() else { return (None, true) };
        if matches!(event, Event::NotRun { rule: Some("batch_limit"), .. }) {
            *count += 1;
            return (None, *count == 1);
        }
        let more = std::mem::take(&mut *count).saturating_sub(1);
        let line = match self.screen.lang {
            Lang::En => format!("   - and {more} more for the same reason"),
            Lang::Zh => format!("   - 另有 {more} 个调用因同样的原因未运行"),
        };
        ((more > 0).then(|| self.screen.paint(Style::Yellow, &line)), true)
    }

    fn words_of(&self, event: &Event) -> Option<String> {
        let dim = |text: String| self.screen.paint(Style::Dim, &harmless(&text));
        match event {
            Event::CallStarted { tool, title, emoji, detail, .. } => {
                let title = if title.is_empty() { tool.as_str() } else { self.screen.text(title) };
                Some(format!(
                    "{}  {}",
                    self.screen.paint(Style::Bold, &harmless(&head(emoji, title))),
                    harmless(detail)
                ))
            }
            Event::CallEnded { ms, failure, .. } => Some(self.ended(*ms, failure.as_ref())),
            Event::NotRun { name, tool, rule, detail, failure, .. } => {
                let words = self.screen.word("not run", "未运行");
                let why = why_not_run(&self.screen, *rule, failure);
                let line = format!("   - {}{words}: {why}", about(tool.as_ref().unwrap_or(name), detail));
                Some(self.with_hint(self.screen.paint(Style::Yellow, &harmless(&line)), failure))
            }
            Event::Notice { text } => Some(self.screen.paint(Style::Yellow, &harmless(self.screen.text(text)))),
            Event::SetAside { tool, why } => {
                let words = self.screen.word("not sent to this model", "不发送给该模型");
                let line = format!("{tool} {words}: {}", self.screen.text(why));
                Some(self.screen.paint(Style::Yellow, &harmless(&line)))
            }
            Event::Drift { tool, said, .. } => {
                let words = self.screen.word("strays from the request", "偏离了请求");
                let said = if self.verbose { format!(": {said}") } else { String::new() };
                Some(self.screen.paint(Style::Yellow, &harmless(&format!("   ! {tool} {words}{said}"))))
            }
            Event::Loop { rung, text, .. } if *rung != "hint" || self.verbose => {
                Some(self.screen.paint(Style::Yellow, &harmless(&format!("   ! {}", self.screen.text(text)))))
            }
            Event::Repaired { said, .. } if self.verbose => Some(dim(format!("   ~ {}", said.join(" ")))),
            Event::Cost { usage, cost, .. } if self.verbose && usage.input.is_some() => {
                let cost = cost.as_ref().map(|cost| format!(" · {}", money::amount(cost)));
                Some(dim(format!("   $ {}{}", money::tokens(&self.screen, usage), cost.unwrap_or_default())))
            }
            Event::Progress { fraction, message, .. } if self.verbose => {
                let percent = fraction.map(|part| format!("{:.0}% ", part * 100.0)).unwrap_or_default();
                Some(dim(format!("   … {percent}{message}")))
            }
            Event::Log { level, message, .. } if self.verbose => Some(dim(format!("   [{level}] {message}"))),
            Event::Rise { cause, tools } if self.verbose => {
                let words = self.screen.word("more is shown", "展开更多工具");
                Some(dim(format!("   + {words} ({}): {}", self.screen.text(cause), tools.join(", "))))
            }
            Event::Exposure { shown, tokens, everything_tokens, .. } if self.verbose => {
                let names: Vec<&str> = shown.iter().map(|tool| tool.tool.as_str()).collect();
                Some(dim(format!("   > {} ({tokens} / {everything_tokens} tokens)", names.join(", "))))
            }
            _ => None,
        }
    }

    fn ended(&self, ms: u64, failure: Option<&Failure>) -> String {
        match failure {
            None => self.screen.paint(Style::Green, &format!("   ✓ {ms} ms")),
            Some(failure) => {
                let line = format!("   ✗ {ms} ms  {}", reason(&self.screen, failure));
                self.with_hint(self.screen.paint(Style::Red, &harmless(&line)), failure)
            }
        }
    }

    fn with_hint(&self, line: String, failure: &Failure) -> String {
        match &failure.hint {
            Some(hint) => format!("{line}\n     {}", harmless(self.screen.text(hint))),
            None => line,
        }
    }

    async fn decide(&self, consent: &Consent, arguments: &Value) -> Answer {
        if !self.can_ask() {
            return Answer::NobodyToAsk;
        }
        self.end_line();
        let question = Question::new(self.screen, consent);
        let mut words = question.text();
        loop {
            let Some(line) = self.prompt(&words).await else { return Answer::NobodyToAsk };
            words = question.choices();
            match question.read(&line) {
                Typed::Answer(answer) if self.is_meant(&question, answer).await => {
                    return self.keep(&question, consent, answer);
                }
                Typed::Details => self.page(&question, arguments).await,
                Typed::Answer(_) | Typed::Unclear => {}
            }
        }
    }

    /// Whether an answer that reaches far was meant: its meaning is said, and a whole word wanted.
    async fn is_meant(&self, question: &Question<'_>, answer: Answer) -> bool {
        match question.warning(answer) {
            None => true,
            Some(warning) => self.prompt(&warning).await.is_some_and(|line| question.agrees(&line)),
        }
    }

    /// Shows the whole arguments, page by page.
    async fn page(&self, question: &Question<'_>, arguments: &Value) {
        let (columns, rows) = terminal_size::terminal_size_of(stderr())
            .map_or((80, 24), |(columns, rows)| (usize::from(columns.0), usize::from(rows.0)));
        let lines = detail_lines(&redact(arguments), columns.saturating_sub(1));
        let page = rows.saturating_sub(3).max(5);
        let mut shown = 0;
        while shown < lines.len() {
            let end = (shown + page).min(lines.len());
            self.screen.note(&lines[shown..end].join("\n"));
            shown = end;
            let left = shown < lines.len();
            let line = if left { self.prompt(&question.more(shown, lines.len())).await } else { None };
            if line.is_none_or(|line| !line.trim().is_empty()) {
                return;
            }
        }
    }

    /// Keeps what an answer leaves in the policy. An answer that cannot be kept holds for this task only.
    fn keep(&self, question: &Question<'_>, consent: &Consent, answer: Answer) -> Answer {
        let since = Some(policy_file::today());
        let rules: Vec<_> =
            consent.rules(answer).into_iter().map(|rule| PolicyRule { since: since.clone(), ..rule }).collect();
        let Some(file) = self.policy.as_ref().filter(|_| !rules.is_empty()) else { return answer };
        match policy_file::put(file, &rules) {
            Ok(_) => {
                self.screen.note(&question.kept(answer, file));
                answer
            }
            Err(complaint) => {
                let words = self
                    .screen
                    .word("this could not be kept and holds for this task only", "无法保存，仅对本次任务有效");
                let why = harmless(self.screen.text(&complaint.what));
                self.screen.note(&self.screen.paint(Style::Yellow, &format!("   {words}: {why}")));
                if answer == Answer::Always { Answer::ThisTask } else { Answer::No }
            }
        }
    }

    async fn question_of_model(&self, question: &str, options: &[String]) -> Option<String> {
        if !self.can_ask() {
            return None;
        }
        self.end_line();
        let mut words = harmless(question);
        for (number, option) in options.iter().enumerate() {
            words.push_str(&format!("\n  {}. {}", number + 1, harmless(option)));
        }
        let line = self.prompt(&format!("{words}\n> ")).await?;
        let line = line.trim();
        let chosen = line.parse::<usize>().ok().and_then(|number| options.get(number.checked_sub(1)?));
        Some(chosen.cloned().unwrap_or_else(|| line.to_owned()))
    }
}

impl Front for Terminal {
    fn show(&self, event: Event) {
        self.remember(&event);
        match self.output {
            OutputWord::Text => self.show_words(&event),
            OutputWord::StreamJson => self.screen.json(&without_secrets(&event)),
            OutputWord::Json => {}
        }
    }

    fn consent<'a>(&'a self, consent: &'a Consent, arguments: &'a Value) -> BoxFuture<'a, Answer> {
        Box::pin(self.decide(consent, arguments))
    }

    fn ask<'a>(&'a self, question: &'a str, options: &'a [String]) -> BoxFuture<'a, Option<String>> {
        Box::pin(self.question_of_model(question, options))
    }
}

/// The event as programs read it. The words of the answer are the person's own; what tools were given and gave is redacted
/// as in the trace.
fn without_secrets(event: &Event) -> Value {
    let value = serde_json::to_value(event).unwrap_or_default();
    if matches!(event, Event::Text { .. }) { value } else { redact(&value) }
}

/// Whether somebody can read a question and answer it.
pub fn can_ask() -> bool {
    stdin().is_terminal() && stderr().is_terminal()
}

/// Writes `question` on standard error and reads a line; `None` at the end of input.
async fn prompt(question: &str) -> Option<String> {
    use std::io::Write as _;
    let _ = write!(stderr().lock(), "{question}");
    let read = || {
        let mut line = String::new();
        stdin().read_line(&mut line).ok().filter(|bytes| *bytes > 0).map(|_| line)
    };
    tokio::task::spawn_blocking(read).await.ok().flatten()
}

/// A tool's id and what the call was about, with a gap behind.
fn about(id: &str, detail: &str) -> String {
    if detail.is_empty() { format!("{id} ") } else { format!("{id} ({detail}) ") }
}

/// Emoji and title of a tool, as far as it has them.
pub fn head(emoji: &str, title: &str) -> String {
    if emoji.is_empty() { title.to_owned() } else { format!("{emoji} {title}") }
}

/// Why a call does not run, on one line. What the model is told to do then is not for people, who read words of their own
/// where a rule, or they themselves, kept the call from running.
pub fn why_not_run(screen: &Screen, rule: Option<&str>, failure: &Failure) -> String {
    let (en, zh) = match rule {
        Some("refused") => ("you said no", "您已拒绝"),
        Some("declined") => ("you said no to this very call before", "您之前已拒绝过这次调用"),
        Some("nobody") => ("it needs your consent, and nobody can be asked here", "需要您同意，而此处无人可询问"),
        Some("repeat") => ("repeated: nothing new came of this call before", "重复调用：此前没有新的结果"),
        Some("must_answer") => {
            ("no tool runs now: the model must answer or ask", "现在不运行任何工具：模型必须作答或提问")
        }
        Some("batch_limit") => {
            ("too many calls in one reply; the model may send it again", "一次回复中的调用过多；模型可再次发起")
        }
        _ if failure.code == FailureCode::Cancelled => ("you stopped it", "您已停止"),
        _ => return reason(screen, failure),
    };
    screen.word(en, zh).to_owned()
}

/// A failure on one line: its code in the person's language, and what was said.
pub fn reason(screen: &Screen, failure: &Failure) -> String {
    if failure.code == FailureCode::Cancelled {
        return screen.word("cancelled; its work may be half done", "已取消；可能只完成了一部分").to_owned();
    }
    let code = match screen.lang {
        Lang::En => failure.code.as_str(),
        Lang::Zh => code_in_chinese(failure.code),
    };
    format!("{code}: {}", one_line(&failure.message))
}

/// `text` on one line, at most 300 characters of it.
pub fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut cut: String = line.chars().take(300).collect();
    if cut.len() < line.len() {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_beyond_the_limit_of_a_reply_are_told_once_with_their_number() {
        for (lang, words) in [(Lang::En, "and 491 more"), (Lang::Zh, "另有 491 个")] {
            let terminal = Terminal::new(Screen::plain(lang), OutputWord::Text, false);
            let postponed = |n: usize| Event::NotRun {
                call_id: n.to_string(),
                name: "notes__add".into(),
                tool: Some("notes.add".into()),
                rule: Some("batch_limit"),
                detail: String::new(),
                failure: Failure::invalid_args("send it again"),
            };
            let lines: Vec<_> = (0..492).filter_map(|n| terminal.line_of(&postponed(n))).collect();
            assert_eq!(lines.len(), 1);
            let next = Event::Exposure { call_no: 2, shown: vec![], named: 0, tokens: 0, everything_tokens: 0 };
            let line = terminal.line_of(&next).expect("the number");
            assert!(line.contains(words) && !line.contains('\n'), "{line}");
            assert_eq!(terminal.line_of(&next), None);
            assert!(terminal.line_of(&postponed(0)).is_some(), "the next reply begins anew");
        }
    }

    #[test]
    fn people_read_words_of_their_own_where_a_rule_kept_a_call_from_running() {
        let told = Failure::denied("the person said no to this call. Do not try it again");
        let rules = ["refused", "declined", "nobody", "repeat", "must_answer", "batch_limit"];
        for (lang, words) in [(Lang::En, "you said no"), (Lang::Zh, "您已拒绝")] {
            let screen = Screen::plain(lang);
            assert_eq!(why_not_run(&screen, Some("refused"), &told), words);
            for rule in rules {
                let line = why_not_run(&screen, Some(rule), &told);
                assert!(!line.contains("Do not try") && !line.contains("invalid_args"), "{line}");
                assert!(lang == Lang::En || line.chars().all(|c| !c.is_ascii_alphabetic()), "{line}");
            }
        }
        let wrong = Failure::invalid_args("`to` is missing");
        let line = why_not_run(&Screen::plain(Lang::Zh), Some("schema"), &wrong);
        assert_eq!(line, "参数有误: `to` is missing");
        let stopped = Failure::new(FailureCode::Cancelled, "the person stopped this call");
        assert_eq!(why_not_run(&Screen::plain(Lang::Zh), None, &stopped), "您已停止");
    }
}
