//! A task on a terminal: what streams by, and the questions to the person.

use std::io::{IsTerminal, stderr, stdin};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use winclaw_agent::{Answer, Event, Front};
use winclaw_guard::Consent;
use winclaw_tool::{Failure, Lang};
use winclaw_toolbox::BoxFuture;

use crate::cli::OutputWord;
use crate::complaint::code_in_chinese;
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
    /// Whether the last thing printed on standard output ended its line.
    line_open: Mutex<bool>,
}

impl Terminal {
    /// A front that prints on `screen` in the form `output`; `verbose` adds reasons and log lines.
    pub fn new(screen: Screen, output: OutputWord, verbose: bool) -> Self {
        Terminal { screen, output, verbose, ask: None, line_open: Mutex::new(false) }
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
        match &self.ask {
            Some(ask) => ask(question.to_owned()).await,
            None => prompt(question).await,
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
            Event::NotRun { name, failure, .. } => Some(self.not_run(name, failure)),
            Event::Notice { text } => Some(self.screen.paint(Style::Yellow, self.screen.text(text))),
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

    fn not_run(&self, name: &str, failure: &Failure) -> String {
        let words = self.screen.word("not run", "未运行");
        let line = format!("   - {name} {words}: {}", reason(&self.screen, failure));
        self.with_hint(self.screen.paint(Style::Yellow, &harmless(&line)), failure)
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

    /// The question as the person reads it: what would run, what it may do, and what it is about.
    fn question(&self, consent: &Consent) -> String {
        let choices = self.screen.word("Run it? [y]es, [n]o, [d]etails: ", "运行吗？[y] 是，[n] 否，[d] 详情：");
        format!("{}\n{choices}", harmless(self.screen.text(&consent.why)))
    }

    async fn decide(&self, consent: &Consent, arguments: &Value) -> Answer {
        if !self.can_ask() {
            return Answer::NobodyToAsk;
        }
        self.end_line();
        loop {
            let Some(line) = self.prompt(&self.question(consent)).await else {
                return Answer::NobodyToAsk;
            };
            match line.trim().to_lowercase().as_str() {
                "y" | "yes" | "是" => return Answer::Once,
                "n" | "no" | "否" => return Answer::No,
                "d" => self.screen.note(&harmless(&serde_json::to_string_pretty(arguments).unwrap_or_default())),
                _ => {}
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
        match self.output {
            OutputWord::Text => self.show_words(&event),
            OutputWord::StreamJson => self.screen.json(&event),
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

/// Emoji and title of a tool, as far as it has them.
pub fn head(emoji: &str, title: &str) -> String {
    if emoji.is_empty() { title.to_owned() } else { format!("{emoji} {title}") }
}

/// A failure on one line: its code in the person's language, and what was said.
pub fn reason(screen: &Screen, failure: &Failure) -> String {
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
