use super::Mode;

/// How a call may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `<｜DSML｜tool_calls>` or `<｜DSML｜invoke …>`, with one or more bars of either kind (DeepSeek V3.2 and later).
    Dsml,
    /// `<｜tool▁calls▁begin｜>` … `<｜tool▁calls▁end｜>` (DeepSeek V3, R1).
    DeepSeek,
    /// One call of the same without what stands around all of them.
    DeepSeekOne,
    /// `<|tool_calls_section_begin|>` … (Kimi K2).
    Kimi,
    /// One call of the same.
    KimiOne,
    /// `[TOOL_CALLS]` and everything after it (Mistral).
    Mistral,
    /// `<|python_tag|>` and everything after it (Llama 3).
    Python,
    /// `<tool_call>` … `</tool_call>` with JSON, `<function=…>` or `<arg_key>`.
    ToolCall,
    /// `<function_call>` … `</function_call>` with JSON.
    FunctionCall,
    /// `<function=name>` … `</function>` (Qwen coder, often without the tag before it).
    Function,
    /// `<function_calls>` … with `<invoke name=…>`.
    Invokes,
    /// The same under MiniMax's name.
    MiniMax,
    /// `<invoke name=…>` … `</invoke>`.
    Invoke,
    /// An end tag that was left over; it says nothing.
    Stray,
    /// JSON without any tag.
    Json,
}

/// Whether something begins here, so many back quotes of a code block included.
pub(super) enum Told {
    No,
    /// More text decides.
    Maybe,
    Yes(Mode, usize),
}

pub(super) const THINK: &str = "<think>";
/// At least as long as any mark.
pub(super) const LONGEST: usize = 64;
const BARS: [char; 2] = ['｜', '|'];

const OPENINGS: [(&str, Form); 13] = [
    ("<tool_call>", Form::ToolCall),
    ("</tool_call>", Form::Stray),
    ("<function_call>", Form::FunctionCall),
    ("<function=", Form::Function),
    ("<function_calls>", Form::Invokes),
    ("<minimax:tool_call>", Form::MiniMax),
    ("<invoke name=", Form::Invoke),
    ("<|tool_calls_section_begin|>", Form::Kimi),
    ("<|tool_call_begin|>", Form::KimiOne),
    ("<｜tool▁calls▁begin｜>", Form::DeepSeek),
    ("<｜tool▁call▁begin｜>", Form::DeepSeekOne),
    ("<|python_tag|>", Form::Python),
    ("[TOOL_CALLS]", Form::Mistral),
];

impl Form {
    /// Whether it is written with tokens that stand in no ordinary text.
    pub(super) fn is_token(self) -> bool {
        use Form::{DeepSeek, DeepSeekOne, Dsml, Kimi, KimiOne};
        matches!(self, Dsml | DeepSeek | DeepSeekOne | Kimi | KimiOne)
    }

    fn end(self) -> &'static str {
        match self {
            Form::ToolCall | Form::Stray => "</tool_call>",
            Form::FunctionCall => "</function_call>",
            Form::Function => "</function>",
            Form::Invokes => "</function_calls>",
            Form::MiniMax => "</minimax:tool_call>",
            Form::Invoke => "</invoke>",
            Form::Kimi => "<|tool_calls_section_end|>",
            Form::KimiOne => "<|tool_call_end|>",
            Form::DeepSeek => "<｜tool▁calls▁end｜>",
            Form::DeepSeekOne => "<｜tool▁call▁end｜>",
            // These have no end of this kind.
            Form::Dsml | Form::Mistral | Form::Python | Form::Json => "",
        }
    }
}

/// What begins at the first character of `text`. Thoughts only `first`.
pub(super) fn opening(text: &str, first: bool) -> Told {
    if first && text.starts_with(THINK) {
        return Told::Yes(Mode::Thinking, 0);
    }
    let mut maybe = first && THINK.starts_with(text);
    for (mark, form) in OPENINGS {
        if text.starts_with(mark) {
            return Told::Yes(Mode::Block(form, mark.len()), 0);
        }
        maybe |= mark.starts_with(text);
    }
    match dsml(text) {
        Told::No if maybe => Told::Maybe,
        told => told,
    }
}

/// Whether a text is the beginning of a vendor's own token and of nothing else.
pub(super) fn is_half_token(text: &str) -> bool {
    ["<｜", "<|tool", "<|DS"].iter().any(|mark| text.starts_with(mark))
}

fn dsml(text: &str) -> Told {
    let Some(rest) = text.strip_prefix('<') else { return Told::No };
    let after = rest.trim_start_matches(BARS);
    match (after.len() == rest.len(), after) {
        (true, "") => Told::Maybe,
        (true, _) => Told::No,
        (false, after) if "DSML".starts_with(after) => Told::Maybe,
        (false, after) => match after.strip_prefix("DSML") {
            Some(after) if after.starts_with(BARS) => {
                let opening = text.len() - after.trim_start_matches(BARS).len();
                // Further bars may still come, so the opening reaches to the word at least.
                if opening == text.len() { Told::Maybe } else { Told::Yes(Mode::Block(Form::Dsml, opening), 0) }
            }
            _ => Told::No,
        },
    }
}

/// Whether what follows an opening goes on as a call does.
pub(super) fn confirm(form: Form, after: &str) -> Told {
    let rest = after.trim_start();
    let begins = |marks: &[&str]| {
        if marks.iter().any(|mark| rest.starts_with(mark)) {
            Told::Yes(Mode::Words, 0)
        } else if marks.iter().any(|mark| mark.starts_with(rest)) {
            Told::Maybe
        } else {
            Told::No
        }
    };
    match form {
        Form::Dsml => begins(&["tool_calls>", "function_calls>", "tool_call>", "invoke "]),
        Form::ToolCall if rest.starts_with(is_name_char) => named(rest),
        Form::ToolCall => begins(&["{", "[", "<function=", "<invoke ", "<function_call>"]),
        Form::FunctionCall | Form::Python => begins(&["{", "["]),
        Form::Function => function_name(after),
        Form::Invokes | Form::MiniMax => begins(&["<invoke "]),
        Form::Invoke => begins(&["\"", "'"]),
        Form::Mistral if rest.starts_with(is_name_char) => Told::Yes(Mode::Words, 0),
        Form::Mistral => begins(&["[", "{"]),
        Form::Kimi | Form::KimiOne | Form::DeepSeek | Form::DeepSeekOne | Form::Stray | Form::Json => {
            Told::Yes(Mode::Words, 0)
        }
    }
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || "_-.:/".contains(c)
}

/// GLM writes the name right behind the tag; then come arguments or the end.
fn named(rest: &str) -> Told {
    let after = rest.trim_start_matches(is_name_char);
    let next = after.trim_start();
    let marks = ["<arg_key>", "</tool_call>"];
    if next.is_empty() || marks.iter().any(|mark| mark.starts_with(next)) {
        // A word and a blank is prose; a name stands alone in its line.
        let prose = after.starts_with([' ', '\t']) && !after.trim_start_matches([' ', '\t']).starts_with('<');
        return if prose && !next.is_empty() { Told::No } else { Told::Maybe };
    }
    if marks.iter().any(|mark| next.starts_with(mark)) { Told::Yes(Mode::Words, 0) } else { Told::No }
}

fn function_name(after: &str) -> Told {
    let rest = after.trim_start_matches(|c: char| is_name_char(c) || c == '"');
    match rest.chars().next() {
        None => Told::Maybe,
        Some('>') if rest.len() < after.len() => Told::Yes(Mode::Words, 0),
        Some(_) => Told::No,
    }
}

/// Where the end of a form begins and ends, from `from` on.
pub(super) fn closing(form: Form, text: &str, from: usize) -> Option<(usize, usize)> {
    if form == Form::Dsml {
        return dsml_closing(text, from);
    }
    let end = form.end();
    let start = from + text.get(from..)?.find(end).filter(|_| !end.is_empty())?;
    Some((start, start + end.len()))
}

/// The end tag of the outermost DSML tag, which is the one that opens the block.
fn dsml_closing(text: &str, from: usize) -> Option<(usize, usize)> {
    let opened =
        text.trim_start_matches(|c| c == '<' || BARS.contains(&c)).strip_prefix("DSML")?.trim_start_matches(BARS);
    let outer = if opened.starts_with("invoke") { "invoke" } else { opened.split('>').next()? };
    let mut at = from;
    while let Some(found) = text.get(at..)?.find("</") {
        let start = at + found;
        let rest = text[start + 2..].trim_start_matches(BARS);
        let rest = rest.strip_prefix("DSML").map(|rest| rest.trim_start_matches(BARS));
        if let Some(rest) = rest.and_then(|rest| rest.strip_prefix(outer)?.strip_prefix('>')) {
            return Some((start, text.len() - rest.len()));
        }
        at = start + 2;
    }
    None
}

/// A DSML block as the plain tags it stands for.
pub(super) fn without_dsml(block: &str) -> String {
    let mut out = String::with_capacity(block.len());
    let mut rest = block;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        let slash = if tag[1..].starts_with('/') { "</" } else { "<" };
        let after = tag[slash.len()..].trim_start_matches(BARS);
        out.push_str(before);
        out.push_str(slash);
        rest = match after.strip_prefix("DSML") {
            Some(after) if after.starts_with(BARS) => after.trim_start_matches(BARS),
            _ => &tag[slash.len()..],
        };
    }
    out + rest
}
