//! What may stand where the cursor is.

use std::path::Path;

use winclaw_tool::Lang;

use super::slash::{ROWS, Row, Takes};

/// What there is to choose from.
#[derive(Debug, Default, Clone)]
pub(super) struct Known {
    /// Ids of tools, each with a line about it.
    pub(super) tools: Vec<(String, String)>,
    /// Ids of sessions, each with its title, latest first.
    pub(super) sessions: Vec<(String, String)>,
    /// Models, as `provider/name` or `provider/`.
    pub(super) models: Vec<String>,
}

/// One thing that may stand there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    /// What is put in.
    pub(super) value: String,
    /// A line about it; may be empty.
    pub(super) about: String,
    /// The byte of the line from which it replaces what stands there, up to the cursor.
    pub(super) from: usize,
    /// Whether nothing belongs to it any more, so that a space may follow.
    pub(super) whole: bool,
}

/// Names in a folder, each with whether it is a folder itself. Given a folder as it was typed; empty for the current one.
pub(super) type Look<'l> = dyn Fn(&str) -> Vec<(String, bool)> + 'l;

/// Shortest beginning of a tool's id that is completed within a message.
const SHORTEST: usize = 3;

/// What may stand before byte `at` of `line`; the likeliest first.
pub(super) fn complete(line: &str, at: usize, known: &Known, lang: Lang, look: &Look<'_>) -> Vec<Candidate> {
    let typed = line.get(..at).unwrap_or(line);
    if let Some(name) = typed.strip_prefix('/').filter(|rest| !rest.contains(char::is_whitespace)) {
        return commands(name, lang);
    }
    let behind = typed.strip_prefix('/').and_then(|rest| rest.split_once(' '));
    match behind.and_then(|(name, rest)| Some((Row::of(name)?, rest))) {
        Some((row, rest)) if !typed.contains('\n') => arguments(row.takes, rest.trim_start(), typed.len(), known, look),
        _ => within_message(typed, known),
    }
}

fn commands(name: &str, lang: Lang) -> Vec<Candidate> {
    let row = |row: &Row| Candidate {
        value: format!("/{}", row.names[0]),
        about: row.about(lang).to_owned(),
        from: 0,
        whole: row.takes != Takes::Nothing,
    };
    ROWS.iter().filter(|row| row.names.iter().any(|known| known.starts_with(name))).map(row).collect()
}

fn arguments(takes: Takes, rest: &str, end: usize, known: &Known, look: &Look<'_>) -> Vec<Candidate> {
    let from = end - rest.len();
    let pairs =
        |all: &[(String, String)]| matching(rest, all.iter().map(|(id, about)| (id.as_str(), about.as_str())), from);
    match takes {
        Takes::Nothing | Takes::Words => Vec::new(),
        Takes::Tool => pairs(&known.tools),
        Takes::Session => pairs(&known.sessions),
        Takes::Model => matching(rest, known.models.iter().map(|model| (model.as_str(), "")), from),
        Takes::Rule => matching(rest, ["never", "writes", "always"].into_iter().map(|rule| (rule, "")), from),
        Takes::File => files(rest, from, look),
    }
}

/// Those that begin with `typed`, then those that hold it.
fn matching<'k>(typed: &str, all: impl Iterator<Item = (&'k str, &'k str)>, from: usize) -> Vec<Candidate> {
    let wanted = typed.to_lowercase();
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for (id, about) in all {
        let whole = !id.ends_with('/');
        let candidate = Candidate { value: id.to_owned(), about: about.to_owned(), from, whole };
        let name = id.to_lowercase();
        if name.starts_with(&wanted) {
            first.push(candidate);
        } else if name.contains(&wanted) {
            others.push(candidate);
        }
    }
    first.extend(others);
    first
}

/// Files whose path begins with what was typed; a folder goes on behind its slash. Hidden ones only when asked for.
fn files(typed: &str, from: usize, look: &Look<'_>) -> Vec<Candidate> {
    let split = typed.rfind(['/', std::path::MAIN_SEPARATOR]).map_or(0, |at| at + 1);
    let (folder, begun) = typed.split_at(split);
    let mut names = look(folder);
    names.retain(|(name, _)| name.starts_with(begun) && (!name.starts_with('.') || begun.starts_with('.')));
    names.sort();
    let candidate = |(name, is_folder): (String, bool)| Candidate {
        value: format!("{folder}{name}{}", if is_folder { "/" } else { "" }),
        about: String::new(),
        from,
        whole: !is_folder,
    };
    names.into_iter().map(candidate).collect()
}

/// Tools whose id begins with the word at the cursor.
fn within_message(typed: &str, known: &Known) -> Vec<Candidate> {
    let word = typed.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).next().unwrap_or_default();
    if word.len() < SHORTEST {
        return Vec::new();
    }
    let from = typed.len() - word.len();
    let begins = known.tools.iter().filter(|(id, _)| id.starts_with(word));
    begins.map(|(id, about)| Candidate { value: id.clone(), about: about.clone(), from, whole: true }).collect()
}

/// The names in a folder of the disk; none when it cannot be read. `~` is the home folder. At most a thousand.
pub(super) fn on_disk(folder: &str) -> Vec<(String, bool)> {
    let path = match folder {
        "" => Path::new(".").to_owned(),
        typed => super::attach::path(typed),
    };
    let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
    let name = |entry: std::fs::DirEntry| Some((entry.file_name().into_string().ok()?, entry.path().is_dir()));
    let plain = |name: &(String, bool)| !name.0.chars().any(char::is_control);
    entries.flatten().take(1000).filter_map(name).filter(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Known {
        let pair = |id: &str, about: &str| (id.to_owned(), about.to_owned());
        Known {
            tools: vec![
                pair("sky.forecast", "Weather"),
                pair("notes.add", "Adds a note"),
                pair("notes.find", "Finds notes"),
            ],
            sessions: vec![pair("ab12", "Trip to 北京"), pair("cd34", "Notes")],
            models: vec!["openai/".into(), "ollama/qwen3:8b".into()],
        }
    }

    fn values(line: &str) -> Vec<String> {
        let look = |folder: &str| match folder {
            "" => vec![
                ("my notes.txt".to_owned(), false),
                ("my pictures".to_owned(), true),
                (".hidden".to_owned(), false),
            ],
            "my pictures/" => vec![("猫.png".to_owned(), false)],
            _ => Vec::new(),
        };
        complete(line, line.len(), &known(), Lang::En, &look).into_iter().map(|found| found.value).collect()
    }

    #[test]
    fn what_is_offered_depends_on_where_the_cursor_is() {
        let cases: [(&str, &[&str]); 16] = [
            ("/mo", &["/model"]),
            ("/e", &["/export", "/quit"]),
            ("/model o", &["openai/", "ollama/qwen3:8b"]),
            ("/model qwen", &["ollama/qwen3:8b"]),
            ("/resume a", &["ab12"]),
            ("/tools NOTES", &["notes.add", "notes.find"]),
            ("/why cast", &["sky.forecast"]),
            ("/approve w", &["writes", "always"]),
            ("/attach my", &["my notes.txt", "my pictures/"]),
            ("/attach my pictures/", &["my pictures/猫.png"]),
            ("/attach .", &[".hidden"]),
            ("/cost x", &[]),
            ("use sky", &["sky.forecast"]),
            ("用notes.f", &["notes.find"]),
            ("to", &[]),
            ("/nothing x", &[]),
        ];
        for (line, expected) in cases {
            assert_eq!(values(line), expected, "{line:?}");
        }
    }

    #[test]
    fn what_is_replaced_is_what_was_typed() {
        let look = |_: &str| Vec::new();
        let found = complete("请用 sky 吧", "请用 sky".len(), &known(), Lang::Zh, &look);
        assert_eq!(found[0].from, "请用 ".len());
        assert_eq!(complete("/mod", 4, &known(), Lang::Zh, &look)[0].about, "显示当前模型，或换用其他模型继续");
        // A cursor that stands nowhere must not stop the program.
        assert!(complete("北", 1, &known(), Lang::En, &look).is_empty());
    }
}
