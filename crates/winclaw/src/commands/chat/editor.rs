//! The line editor: keys, prompt, completion and history put together.

use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use nu_ansi_term::{Color, Style};
use reedline::{
    ColumnarMenu, Completer, CompletionResult, DefaultHinter, EditCommand, EditMode, Emacs, Highlighter, KeyCode,
    KeyModifiers, MenuBuilder as _, Prompt, PromptEditMode, PromptHistorySearch, Reedline, ReedlineEvent, ReedlineMenu,
    ReedlineRawEvent, Signal, Span, StyledText, Suggestion, ValidationResult, Validator, default_emacs_keybindings,
};
use winclaw_tool::Lang;

use super::complete::{Known, complete, on_disk};
use super::history::Remembered;
use crate::screen::{Screen, harmless};

/// What the completer chooses from; changed between two lines.
pub(super) type Choices = Arc<Mutex<Known>>;

const MENU: &str = "completion";

/// What stands before a line.
pub(super) const MARK: &str = "› ";

/// What a person did at the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Entered {
    /// A message or command, of one or several lines.
    Text(String),
    /// Ctrl-C; what stood there is gone.
    Interrupt {
        /// Whether another key was pressed before it.
        behind_keys: bool,
    },
    /// Ctrl-D on an empty line, or the end of input.
    End,
}

/// An editor of the terminal. Reads a line at a time; blocks meanwhile.
pub(super) struct Editor {
    lines: Reedline,
    questions: Reedline,
    /// Whether a key but Ctrl-C was pressed since the line began.
    touched: Arc<AtomicBool>,
}

impl Editor {
    /// An editor that remembers in `folder` and completes from `choices`.
    pub(super) fn new(screen: &Screen, folder: &Path, choices: Choices) -> (Editor, Option<io::Error>) {
        let (history, error) = Remembered::open(folder);
        let colours = screen.colours();
        let menu = ColumnarMenu::default().with_name(MENU).with_columns(1).with_marker(MARK);
        let menu = match colours {
            true => menu.with_selected_text_style(Style::new().bold().reverse()),
            false => menu.with_selected_text_style(Style::new().reverse()).with_text_style(Style::new()),
        };
        let touched = Arc::new(AtomicBool::new(false));
        let lines = basic(colours, &touched)
            .with_history(Box::new(history))
            .with_completer(Box::new(FromChoices { choices, lang: screen.lang }))
            .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
            .with_validator(Box::new(Unfinished))
            .with_quick_completions(true)
            .with_partial_completions(true);
        let lines = match colours {
            true => lines.with_hinter(Box::new(DefaultHinter::default().with_style(Style::new().dimmed()))),
            false => lines.disable_hints(),
        };
        let questions = basic(colours, &Arc::default());
        (Editor { lines, questions, touched }, error)
    }

    /// Reads a message or a command behind `mark`.
    pub(super) fn read(&mut self, mark: &str) -> io::Result<Entered> {
        self.touched.store(false, Ordering::Relaxed);
        let read = self.lines.read_line(&Mark(mark)).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(match read {
            Signal::Success(text) => Entered::Text(joined(&text)),
            Signal::CtrlC => Entered::Interrupt { behind_keys: self.touched.load(Ordering::Relaxed) },
            _ => Entered::End,
        })
    }

    /// Reads the answer to a question, whose last line is `mark`. It is not remembered. `None` when there is none.
    pub(super) fn answer(&mut self, mark: &str) -> Option<String> {
        match self.questions.read_line(&Mark(mark)) {
            Ok(Signal::Success(text)) => Some(text),
            _ => None,
        }
    }
}

fn basic(colours: bool, touched: &Arc<AtomicBool>) -> Reedline {
    Reedline::create()
        .use_bracketed_paste(true)
        .with_ansi_colors(colours)
        .with_highlighter(Box::new(Plain))
        .with_edit_mode(Box::new(Keys { emacs: Emacs::new(keys()), touched: Arc::clone(touched) }))
}

/// The keys of Emacs and most shells; Tab completes, Alt-Enter and Ctrl-J begin a new line.
fn keys() -> reedline::Keybindings {
    let mut keys = default_emacs_keybindings();
    let newline = || ReedlineEvent::Edit(vec![EditCommand::InsertNewline]);
    keys.add_binding(KeyModifiers::ALT, KeyCode::Enter, newline());
    keys.add_binding(KeyModifiers::SHIFT, KeyCode::Enter, newline());
    keys.add_binding(KeyModifiers::CONTROL, KeyCode::Char('j'), newline());
    let tab = vec![ReedlineEvent::Menu(MENU.into()), ReedlineEvent::MenuNext];
    keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, ReedlineEvent::UntilFound(tab));
    keys.add_binding(KeyModifiers::SHIFT, KeyCode::BackTab, ReedlineEvent::MenuPrevious);
    keys
}

/// Emacs keys, with pasted text freed of what could spoil the terminal.
struct Keys {
    emacs: Emacs,
    touched: Arc<AtomicBool>,
}

impl EditMode for Keys {
    fn parse_event(&mut self, event: ReedlineRawEvent) -> ReedlineEvent {
        let event = self.emacs.parse_event(event);
        if !matches!(event, ReedlineEvent::CtrlC | ReedlineEvent::None) {
            self.touched.store(true, Ordering::Relaxed);
        }
        match event {
            ReedlineEvent::Edit(commands) => ReedlineEvent::Edit(commands.into_iter().map(cleaned).collect()),
            other => other,
        }
    }

    fn edit_mode(&self) -> PromptEditMode {
        self.emacs.edit_mode()
    }
}

fn cleaned(command: EditCommand) -> EditCommand {
    match command {
        EditCommand::InsertString(text) => {
            EditCommand::InsertString(harmless(&text.replace("\r\n", "\n").replace('\r', "\n")))
        }
        other => other,
    }
}

/// A line that ends with a backslash goes on, and so does code until its fence is closed.
struct Unfinished;

impl Validator for Unfinished {
    fn validate(&self, text: &str) -> ValidationResult {
        let fences = text.lines().filter(|line| line.trim_start().starts_with("```")).count();
        match text.ends_with('\\') || fences % 2 == 1 {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Complete,
        }
    }
}

/// The text without the backslashes that only said that it goes on.
fn joined(text: &str) -> String {
    text.replace("\\\n", "\n")
}

/// What was typed, as it is.
struct Plain;

impl Highlighter for Plain {
    fn highlight(&self, line: &str, _: usize) -> StyledText {
        let mut text = StyledText::new();
        text.push((Style::new(), line.to_owned()));
        text
    }
}

struct FromChoices {
    choices: Choices,
    lang: Lang,
}

impl Completer for FromChoices {
    fn complete(&mut self, line: &str, at: usize) -> CompletionResult {
        let known = self.choices.lock().unwrap_or_else(PoisonError::into_inner);
        let found = complete(line, at, &known, self.lang, &on_disk);
        let suggestion = |candidate: super::complete::Candidate| Suggestion {
            value: candidate.value,
            description: Some(harmless(&candidate.about)).filter(|about| !about.is_empty()),
            span: Span::new(candidate.from, at),
            append_whitespace: candidate.whole,
            ..Suggestion::default()
        };
        CompletionResult::fresh(found.into_iter().map(suggestion).collect::<Vec<_>>())
    }
}

/// What stands before the line.
struct Mark<'m>(&'m str);

impl Prompt for Mark<'_> {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed(self.0)
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed("· ")
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        Cow::Owned(format!("({}) ", search.term))
    }

    fn get_indicator_color(&self) -> Color {
        Color::Default
    }

    fn get_prompt_multiline_color(&self) -> Color {
        Color::Default
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_goes_on_behind_a_backslash_and_inside_of_code() {
        let complete = |text: &str| matches!(Unfinished.validate(text), ValidationResult::Complete);
        assert!(complete("one") && complete("") && complete("```\ncode\n```"));
        assert!(!complete("one\\") && !complete("```rust\ncode"));
        assert_eq!(joined("one\\\ntwo \\x"), "one\ntwo \\x");
    }

    #[test]
    fn pasted_text_cannot_spoil_the_terminal() {
        let pasted = EditCommand::InsertString("a\u{1b}[2J\r\nb\rc\u{9b}1m".into());
        assert_eq!(cleaned(pasted), EditCommand::InsertString("a[2J\nb\nc1m".into()));
    }
}
