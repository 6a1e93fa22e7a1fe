//! The commands of a chat: their names, what they take, and reading them from a line.

use winclaw_tool::{Lang, Text};

/// What a person can tell the chat itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slash {
    Help,
    Model,
    Tools,
    Why,
    Approve,
    Cost,
    Sessions,
    Resume,
    Fork,
    Export,
    Attach,
    Retry,
    Trace,
    Clear,
    Quit,
}

/// What a command takes behind its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    Model,
    Tool,
    Rule,
    Session,
    File,
    Words,
}

/// A row of the table of commands.
pub(super) struct Row {
    pub(super) slash: Slash,
    /// The name, then others that mean the same.
    pub(super) names: &'static [&'static str],
    pub(super) takes: Takes,
    /// What stands behind the name, for help; empty for nothing.
    pub(super) argument: (&'static str, &'static str),
    pub(super) about: (&'static str, &'static str),
}

/// Every command, in the order of help.
pub(super) const ROWS: &[Row] = &[
    Row {
        slash: Slash::Help,
        names: &["help", "?"],
        takes: Takes::Nothing,
        argument: ("", ""),
        about: ("show the commands and keys", "显示命令和按键"),
    },
    Row {
        slash: Slash::Model,
        names: &["model"],
        takes: Takes::Model,
        argument: ("[provider/name]", "[提供方/名称]"),
        about: ("show the model, or go on with another", "显示当前模型，或换用其他模型继续"),
    },
    Row {
        slash: Slash::Tools,
        names: &["tools"],
        takes: Takes::Tool,
        argument: ("[words]", "[关键词]"),
        about: ("list or search the tools, and which are shown now", "列出或搜索工具，以及当前已展示的工具"),
    },
    Row {
        slash: Slash::Why,
        names: &["why"],
        takes: Takes::Tool,
        argument: ("[tool]", "[工具]"),
        about: ("explain what the last task was shown, and what was decided", "解释上个任务展示了什么、作了哪些决定"),
    },
    Row {
        slash: Slash::Approve,
        names: &["approve"],
        takes: Takes::Rule,
        argument: ("[never|writes|always]", "[never|writes|always]"),
        about: ("show or set what runs without asking you", "显示或设置无需询问即可运行的操作"),
    },
    Row {
        slash: Slash::Cost,
        names: &["cost"],
        takes: Takes::Nothing,
        argument: ("", ""),
        about: ("show tokens and money of the last task and the session", "显示上个任务和整个会话的词元与费用"),
    },
    Row {
        slash: Slash::Sessions,
        names: &["sessions"],
        takes: Takes::Words,
        argument: ("[words]", "[关键词]"),
        about: ("list or search past conversations", "列出或搜索以往的会话"),
    },
    Row {
        slash: Slash::Resume,
        names: &["resume"],
        takes: Takes::Session,
        argument: ("[session]", "[会话]"),
        about: ("go on with a past conversation; without one, the latest", "继续以往的会话；不写则为最近一个"),
    },
    Row {
        slash: Slash::Fork,
        names: &["fork"],
        takes: Takes::Nothing,
        argument: ("", ""),
        about: ("go on in a copy; this conversation stays as it is", "在副本中继续；当前会话保持不变"),
    },
    Row {
        slash: Slash::Export,
        names: &["export"],
        takes: Takes::File,
        argument: ("[file.md|file.json]", "[文件.md|文件.json]"),
        about: ("write the conversation to a file", "将会话写入文件"),
    },
    Row {
        slash: Slash::Attach,
        names: &["attach"],
        takes: Takes::File,
        argument: ("[file|none]", "[文件|none]"),
        about: ("put a text or picture beside your next message", "为下一条消息附上文本或图片"),
    },
    Row {
        slash: Slash::Retry,
        names: &["retry"],
        takes: Takes::Nothing,
        argument: ("", ""),
        about: ("ask the last message once more", "再次发送上一条消息"),
    },
    Row {
        slash: Slash::Trace,
        names: &["trace"],
        takes: Takes::Nothing,
        argument: ("", ""),
        about: ("show the record of the last task", "显示上个任务的记录"),
    },
    Row {
        slash: Slash::Clear,
        names: &["clear", "new"],
        takes: Takes::Nothing,
        argument: ("", ""),
        about: ("begin a new conversation on an empty screen", "清屏并开始新的会话"),
    },
    Row {
        slash: Slash::Quit,
        names: &["quit", "exit", "q"],
        takes: Takes::Nothing,
        argument: ("", ""),
        about: ("leave; the conversation is kept", "退出；会话会保留"),
    },
];

impl Row {
    /// The row of `name`, without its slash.
    pub(super) fn of(name: &str) -> Option<&'static Row> {
        ROWS.iter().find(|row| row.names.contains(&name))
    }

    /// What it does, in `lang`.
    pub(super) fn about(&self, lang: Lang) -> &'static str {
        pick(self.about, lang)
    }

    /// How it is written.
    pub(super) fn usage(&self, lang: Lang) -> String {
        format!("/{} {}", self.names[0], pick(self.argument, lang)).trim_end().to_owned()
    }
}

fn pick(both: (&'static str, &'static str), lang: Lang) -> &'static str {
    if lang == Lang::Zh { both.1 } else { both.0 }
}

/// What a line is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// Nothing.
    Empty,
    /// Words for the model.
    Message(String),
    /// A command and what stands behind its name.
    Command(Slash, String),
    /// It looks like a command and is none, or a command that takes nothing has something behind it.
    Mistake(Text),
}

/// Reads what a person entered.
///
/// A command is one line that begins with a slash and a word of letters. Paths, comments of code and anything of several
/// lines are words for the model; so is what begins with two slashes, and of `//help` the model gets `/help`.
pub(super) fn read(entered: &str) -> Line {
    let text = entered.trim();
    if text.is_empty() {
        return Line::Empty;
    }
    let first = text.split(char::is_whitespace).next().unwrap_or_default();
    let Some(name) = first.strip_prefix('/').filter(|_| !text.contains('\n')) else {
        return Line::Message(text.to_owned());
    };
    if let Some(escaped) = name.strip_prefix('/') {
        let known = Row::of(escaped).is_some();
        return Line::Message(text[usize::from(known)..].to_owned());
    }
    match Row::of(&name.to_lowercase()) {
        Some(row) => command(row, text[first.len()..].trim()),
        None if is_word(name) => Line::Mistake(unknown(name)),
        None => Line::Message(text.to_owned()),
    }
}

fn command(row: &Row, rest: &str) -> Line {
    if row.takes == Takes::Nothing && !rest.is_empty() {
        let name = row.names[0];
        return Line::Mistake(Text::new(
            format!("/{name} takes nothing behind it; to say this to the model, write //{name}"),
            format!("/{name} 后面不需要内容；若要将其发给模型，请写 //{name}"),
        ));
    }
    Line::Command(row.slash, rest.to_owned())
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic() || c == '-' || c == '_')
}

fn unknown(name: &str) -> Text {
    let names = ROWS.iter().flat_map(|row| row.names);
    let nearest = names.map(|known| (strsim::damerau_levenshtein(known, name), *known)).min();
    match nearest.filter(|(far, _)| *far <= 2) {
        Some((_, near)) => Text::new(
            format!("there is no command /{name}; do you mean /{near}? /help lists all"),
            format!("没有命令 /{name}；您是指 /{near} 吗？/help 列出全部命令"),
        ),
        None => Text::new(
            format!("there is no command /{name}; /help lists all"),
            format!("没有命令 /{name}；/help 列出全部命令"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_words_for_the_model() {
        let message = |text: &str| Line::Message(text.into());
        let cases = [
            ("  ", Line::Empty),
            ("hello", message("hello")),
            ("/help", Line::Command(Slash::Help, "".into())),
            (" /HELP ", Line::Command(Slash::Help, "".into())),
            ("/?", Line::Command(Slash::Help, "".into())),
            ("/attach  my notes.txt ", Line::Command(Slash::Attach, "my notes.txt".into())),
            ("/model openai/gpt", Line::Command(Slash::Model, "openai/gpt".into())),
            ("/usr/bin/env is what?", message("/usr/bin/env is what?")),
            ("/tmp/a.txt", message("/tmp/a.txt")),
            ("/", message("/")),
            ("/1", message("/1")),
            ("/中文", message("/中文")),
            ("//help", message("/help")),
            ("// a comment", message("// a comment")),
            ("//todo: x", message("//todo: x")),
            ("/help\nme", message("/help\nme")),
        ];
        for (line, expected) in cases {
            assert_eq!(read(line), expected, "{line:?}");
        }
    }

    #[test]
    fn a_slip_is_met_with_the_nearest_command() {
        for (slip, near) in [("/hepl", "/help"), ("/session", "/sessions"), ("/quitt", "/quit")] {
            let Line::Mistake(text) = read(slip) else { panic!("{slip}") };
            assert!(text.en.contains(&format!("do you mean {near}?")) && text.zh.contains(near), "{text:?}");
        }
        let Line::Mistake(text) = read("/nonsense") else { panic!("no mistake") };
        assert!(!text.en.contains("do you mean"), "{text:?}");
        let Line::Mistake(text) = read("/cost now") else { panic!("no mistake") };
        assert!(text.en.contains("//cost"), "{text:?}");
    }

    #[test]
    fn every_name_means_one_command_and_speaks_both_languages() {
        let mut names: Vec<&str> = ROWS.iter().flat_map(|row| row.names).copied().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for row in ROWS {
            assert!(!row.about.0.is_empty() && !row.about.1.is_ascii(), "{:?}", row.slash);
        }
    }
}
