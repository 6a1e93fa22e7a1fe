//! A session as a Markdown document.
//!
//! Whatever was said cannot break the document: what is not the model's own Markdown stands in quotes or in fences longer
//! than any run of backticks in it, and a fence that the model left open is closed.

use winclaw_session::Transfer;

use super::part::{Part, Parts};
use super::show::pretty;
use crate::screen::{Screen, harmless};

/// The document, in the language of `screen`.
pub fn document(screen: &Screen, transfer: &Transfer) -> String {
    let title = if transfer.title.is_empty() { screen.word("Conversation", "对话") } else { &transfer.title };
    let mut out = format!("# {}\n", plain(title));
    let facts = [(screen.word("Model", "模型"), &transfer.model), (screen.word("Folder", "文件夹"), &transfer.cwd)];
    for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
        out.push_str(&format!("\n- {name}: {}", code(value)));
    }
    out.push('\n');
    let mut parts = Parts::default();
    let mut request = 0;
    for message in &transfer.messages {
        for part in parts.of(message) {
            request += usize::from(matches!(part, Part::Request { .. }));
            out.push('\n');
            out.push_str(&section(screen, &part, request));
        }
    }
    harmless(&out)
}

fn section(screen: &Screen, part: &Part, request: usize) -> String {
    match part {
        Part::Request { text, pictures } => {
            let head = format!("## {} {request}\n\n{}", screen.word("Request", "请求"), quote(text));
            let (en, zh) = (format!("*({pictures} pictures)*"), format!("*（{pictures} 张图片）*"));
            if *pictures == 0 { head } else { format!("{head}\n{}\n", screen.word(&en, &zh)) }
        }
        Part::Answer(text) => closed(text),
        Part::Call { name, arguments } => folded(&format!("{} {name}", screen.word("Call", "调用")), arguments, "json"),
        Part::Result { name, content } => folded(&format!("{} {name}", screen.word("Result", "结果")), content, ""),
        Part::Strange(text) => fenced(text, "json"),
    }
}

/// A part that readers open when they want to.
fn folded(summary: &str, text: &str, language: &str) -> String {
    let text = pretty(text);
    let language = if text.starts_with(['{', '[']) { "json" } else { language };
    format!("<details>\n<summary>{}</summary>\n\n{}\n</details>\n", html(summary), fenced(&text, language))
}

fn fenced(text: &str, language: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Text as code on one line.
fn code(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{fence} {line} {fence}")
}

fn quote(text: &str) -> String {
    let line = |line: &str| if line.trim().is_empty() { ">\n".to_owned() } else { format!("> {line}\n") };
    closed(text).lines().map(line).collect()
}

/// A heading's words, without what Markdown would read as something else.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#') {
            out.push('\\');
        }
        out.push(if c == '\n' { ' ' } else { c });
    }
    out
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Markdown with its last fence closed, if it was left open, as by an answer that was cut off.
fn closed(text: &str) -> String {
    let mut open: Option<(char, usize)> = None;
    for line in text.lines() {
        let Some((mark, length, rest)) = fence_of(line) else { continue };
        match open {
            None if mark == '~' || !rest.contains('`') => open = Some((mark, length)),
            Some((other, least)) if mark == other && length >= least && rest.trim().is_empty() => open = None,
            _ => {}
        }
    }
    let text = text.trim_end_matches('\n');
    match open {
        Some((mark, length)) => format!("{text}\n{}\n", mark.to_string().repeat(length)),
        None => format!("{text}\n"),
    }
}

/// The mark, length and rest of a line that opens or closes a fence, by the rules of CommonMark
/// (<https://spec.commonmark.org/0.31.2/#fenced-code-blocks>).
fn fence_of(line: &str) -> Option<(char, usize, &str)> {
    let inner = line.trim_start_matches(' ');
    let mark = inner.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = inner.chars().take_while(|c| *c == mark).count();
    (line.len() - inner.len() < 4 && length >= 3).then(|| (mark, length, &inner[length..]))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use winclaw_tool::Lang;

    use super::*;

    fn transfer(messages: Vec<Value>) -> Transfer {
        let (title, cwd, model) = ("A *bold* title".into(), "/home/`k`".into(), "acme/one".into());
        Transfer { title, cwd, model, tasks: Vec::new(), messages }
    }

    #[test]
    fn a_conversation_reads_well() {
        let page = document(
            &Screen::plain(Lang::En),
            &transfer(vec![
                json!({"role": "user", "text": "look up\n\nthe sky"}),
                json!({"role": "assistant", "text": "I look.", "calls": [{"id": "c", "name": "sky__forecast", "arguments": "{\"place\":\"北京\"}"}]}),
                json!({"role": "tool", "call_id": "c", "content": "sunny"}),
                json!({"role": "assistant", "text": "It is **sunny**.", "calls": []}),
            ]),
        );
        let expected = "# A \\*bold\\* title\n\n- Model: ` acme/one `\n- Folder: `` /home/`k` ``\n\n## Request 1\n\n> look up\n>\n> the sky\n\n\
            I look.\n\n<details>\n<summary>Call sky__forecast</summary>\n\n```json\n{\"place\":\"北京\"}\n```\n\n</details>\n\n\
            <details>\n<summary>Result sky__forecast</summary>\n\n```\nsunny\n```\n\n</details>\n\nIt is **sunny**.\n";
        assert_eq!(page, expected);
    }

    #[test]
    fn nothing_that_was_said_breaks_the_document() {
        let wild = "````\n</details>\n```\n# heading\n\u{1b}[2J";
        let page = document(
            &Screen::plain(Lang::Zh),
            &transfer(vec![
                json!({"role": "user", "text": wild}),
                json!({"role": "assistant", "text": "```rust\nfn main() {", "calls": [{"id": "c", "name": "<b>", "arguments": wild}]}),
                json!({"role": "tool", "call_id": "c", "content": wild}),
            ]),
        );
        assert!(!page.contains('\u{1b}') && page.contains("调用 &lt;b&gt;"), "{page}");
        // Read as CommonMark would: outside fences and quotes there is nothing of what was said.
        let (mut open, mut outside): (Option<(char, usize)>, Vec<&str>) = (None, Vec::new());
        for line in page.lines() {
            match (open, fence_of(line)) {
                (None, Some((mark, length, _))) => open = Some((mark, length)),
                (Some((mark, least)), Some((other, length, rest)))
                    if mark == other && length >= least && rest.is_empty() =>
                {
                    open = None
                }
                (None, None) => outside.push(line),
                _ => {}
            }
        }
        assert_eq!(open, None, "{page}");
        let headings = outside.iter().filter(|line| line.starts_with('#')).count();
        assert_eq!(headings, 2, "the title and the request: {outside:?}");
        assert_eq!(outside.iter().filter(|line| **line == "</details>").count(), 2, "{outside:?}");
    }
}
