mod forms;
mod json;
mod known;
mod parse;
#[cfg(test)]
mod tests;

use winclaw_tool::Text;

use self::forms::{Form, Told};
pub use self::known::KnownTools;
use self::parse::Fault;

/// Longest stretch that may be a call, in bytes; what is longer is no call.
const MAX_HELD: usize = 4 * 1024 * 1024;
/// Longest line that opens a code block and is still looked at, in bytes.
const MAX_INFO: usize = 60;

/// What a stretch of a reply's text turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// Words for the person.
    Text(String),
    /// Thoughts that stood in `<think>` tags at the beginning.
    Thought(String),
    /// A call of a known tool with valid arguments.
    Call {
        /// The tool's own name, whatever its name on the wire.
        name: String,
        /// The arguments, a JSON object.
        arguments: String,
    },
    /// Something that clearly was to be a call but cannot be run. Its markup is not shown.
    Broken(Text),
}

/// Finds the calls that a model wrote as text instead of making them, and the thoughts it wrote as text.
///
/// Models do so when a server does not know their format, or when they are small. Known are DeepSeek's DSML and older
/// tokens, Kimi's and Mistral's tokens, `<tool_call>` with JSON (Hermes, Qwen), with `<function=…>` (Qwen coder) or with
/// `<arg_key>` (GLM), `<invoke name=…>`, a code block that holds a JSON object, and a reply that is nothing but one.
///
/// Guarantees:
/// - Pure, and what comes out does not depend on how the text is cut into pieces.
/// - A call has a known tool's name and arguments that are an object with all that is required, of the right types.
/// - JSON that is no such call is words, unchanged; so is a tag in back quotes, in a code block, or that no call follows.
/// - A call written with a vendor's own tokens, or one of a known tool, that cannot be read is [`Written::Broken`].
/// - Words come out in order and unharmed; they are held back only while they may still turn out to be a call.
/// - Nothing that was cut off becomes a call.
#[derive(Debug, Default)]
pub struct TextCalls {
    known: KnownTools,
    held: String,
    mode: Mode,
    /// Where the search for the end of what is held goes on.
    seen: usize,
    line: Line,
    /// Back quotes that opened the code block we are in; 0 outside.
    fence: usize,
    /// Whether white space is dropped until words come.
    trim: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Mode {
    #[default]
    Words,
    Thinking,
    /// What is held begins with the opening of this form, so many bytes long.
    Block(Form, usize),
    /// What is held may be a call in JSON; it begins after so many bytes, in a code block if there are any.
    Json(usize),
}

/// Whether to go on with what is held.
#[derive(PartialEq, Eq)]
enum Step {
    Again,
    Wait,
}

impl TextCalls {
    /// Begins a reply in which these tools may be called.
    pub fn new(known: KnownTools) -> Self {
        TextCalls { known, ..TextCalls::default() }
    }

    /// Takes more text and says what is decided by it.
    pub fn feed(&mut self, text: &str) -> Vec<Written> {
        let mut out = Vec::new();
        self.held.push_str(text);
        while !self.held.is_empty() && self.step(&mut out, false) == Step::Again {}
        out
    }

    /// Decides what is left. `cut_off`: the reply ended before the model was done.
    pub fn finish(&mut self, cut_off: bool) -> Vec<Written> {
        let mut out = Vec::new();
        while !self.held.is_empty() && self.step(&mut out, true) == Step::Again {}
        if !self.held.is_empty() {
            self.end(&mut out, cut_off);
        }
        out
    }

    fn step(&mut self, out: &mut Vec<Written>, last: bool) -> Step {
        match self.mode {
            Mode::Words => self.words(out, last),
            Mode::Thinking => self.thoughts(out, last),
            Mode::Block(form, opening) => self.block(out, form, opening),
            Mode::Json(start) => self.json(out, start),
        }
    }

    /// Says words up to the next place where something else may begin.
    fn words(&mut self, out: &mut Vec<Written>, last: bool) -> Step {
        let (mut at, mut line) = (0, self.line);
        while let Some(c) = self.held[at..].chars().next() {
            let rest = &self.held[at..];
            match if self.is_candidate(line, c) { self.opening(line, rest) } else { Told::No } {
                Told::Yes(mode, fence) => {
                    self.say(out, at);
                    return self.enter(out, mode, fence);
                }
                Told::Maybe if !last => {
                    self.say(out, at);
                    return Step::Wait;
                }
                Told::Maybe if forms::is_half_token(rest) => {
                    self.say(out, at);
                    self.held.clear();
                    out.push(Written::Broken(Fault::Unreadable.text()));
                    return Step::Wait;
                }
                Told::Maybe | Told::No => {
                    line = line.after(c);
                    at += c.len_utf8();
                }
            }
        }
        self.say(out, at);
        Step::Wait
    }
}

/// Where in its line and in the reply a character stands.
#[derive(Debug, Clone, Copy)]
struct Line {
    /// The line so far is blank.
    blank: bool,
    /// An odd number of back quotes stand in the line so far.
    quoted: bool,
    /// Words were said before.
    begun: bool,
    /// A call came last, and since then nothing but white space.
    called: bool,
}

impl Default for Line {
    fn default() -> Self {
        Line { blank: true, quoted: false, begun: false, called: false }
    }
}

impl Line {
    fn after(self, c: char) -> Self {
        match c {
            '\n' => Line { blank: true, quoted: false, ..self },
            '`' => Line { blank: false, quoted: !self.quoted, begun: true, called: false },
            c if c.is_whitespace() => self,
            _ => Line { blank: false, begun: true, called: false, ..self },
        }
    }
}

impl TextCalls {
    fn is_candidate(&self, line: Line, c: char) -> bool {
        match c {
            '`' => line.blank,
            '<' | '[' | '{' => self.fence == 0 && !line.quoted,
            _ => false,
        }
    }

    /// What begins at `rest`, which stands at this place.
    fn opening(&self, line: Line, rest: &str) -> Told {
        if rest.starts_with('`') {
            return self.fence_at(rest);
        }
        match forms::opening(rest, !line.begun) {
            Told::Yes(Mode::Block(Form::Stray, _), _) if !line.called => Told::No,
            Told::No if !line.begun && rest.starts_with(['{', '[']) => Told::Yes(Mode::Json(0), 0),
            told => told,
        }
    }

    /// A line of back quotes opens or closes a code block.
    fn fence_at(&self, rest: &str) -> Told {
        let quotes = rest.len() - rest.trim_start_matches('`').len();
        if quotes == rest.len() {
            return Told::Maybe;
        }
        if quotes < 3.max(self.fence) {
            return Told::No;
        }
        if self.fence > 0 {
            return Told::Yes(Mode::Words, 0);
        }
        match rest.find('\n') {
            Some(end) if end <= MAX_INFO => {
                let info = rest[quotes..end].trim().to_ascii_lowercase();
                let json = ["", "json", "jsonc", "json5", "tool_call", "tool_calls", "tool", "function"]
                    .contains(&info.as_str());
                Told::Yes(if json { Mode::Json(end + 1) } else { Mode::Words }, quotes)
            }
            None if rest.len() <= MAX_INFO => Told::Maybe,
            _ => Told::Yes(Mode::Words, quotes),
        }
    }

    fn enter(&mut self, out: &mut Vec<Written>, mode: Mode, fence: usize) -> Step {
        match mode {
            // A code block begins or ends; its back quotes are words.
            Mode::Words => {
                let quotes = self.held.len() - self.held.trim_start_matches('`').len();
                self.say(out, quotes);
                self.fence = fence;
            }
            Mode::Thinking => drop(self.held.drain(..forms::THINK.len())),
            Mode::Block(Form::Stray, opening) => {
                self.held.drain(..opening);
                return Step::Again;
            }
            Mode::Block(..) | Mode::Json(_) => {}
        }
        (self.mode, self.seen) = (mode, 0);
        Step::Again
    }

    /// Takes words off what is held.
    fn say(&mut self, out: &mut Vec<Written>, end: usize) {
        let words: String = self.held.drain(..end).collect();
        let words = if self.trim { words.trim_start() } else { words.as_str() };
        if words.is_empty() {
            return;
        }
        self.trim = false;
        self.line = words.chars().fold(self.line, Line::after);
        match out.last_mut() {
            Some(Written::Text(text)) => text.push_str(words),
            _ => out.push(Written::Text(words.to_owned())),
        }
    }

    fn thoughts(&mut self, out: &mut Vec<Written>, last: bool) -> Step {
        const END: &str = "</think>";
        let (end, found) = match self.held.find(END) {
            Some(end) => (end, true),
            None => (self.held.len() - if last { 0 } else { overlap(&self.held, END) }, false),
        };
        let thoughts: String = self.held.drain(..end).collect();
        if !thoughts.is_empty() {
            out.push(Written::Thought(thoughts));
        }
        if !found {
            return Step::Wait;
        }
        self.held.drain(..END.len());
        (self.mode, self.trim) = (Mode::Words, true);
        Step::Again
    }

    /// A form with an end: holds on until that comes.
    fn block(&mut self, out: &mut Vec<Written>, form: Form, opening: usize) -> Step {
        if self.held.len() > MAX_HELD {
            return self.release(out, self.held.len());
        }
        match forms::confirm(form, &self.held[opening..]) {
            Told::No => return self.release(out, 1),
            Told::Maybe => return Step::Wait,
            Told::Yes(..) => {}
        }
        while let Some((start, end)) = forms::closing(form, &self.held, self.seen.max(opening)) {
            match parse::block(form, &self.held[opening..start], true, &self.known) {
                Err(Fault::InString) => self.seen = end,
                done => return self.settle(out, form, end, done),
            }
        }
        self.seen = self.seen.max(floor(&self.held, self.held.len().saturating_sub(forms::LONGEST)));
        Step::Wait
    }

    /// A JSON object that may be a call: holds on until it is whole.
    fn json(&mut self, out: &mut Vec<Written>, start: usize) -> Step {
        match json::probe(&self.held[start..], &self.known) {
            Told::No => return self.not_json(out, start),
            Told::Maybe => return Step::Wait,
            Told::Yes(..) => {}
        }
        let end = if start == 0 { None } else { json::fence_end(&self.held, self.seen.max(start - 1)) };
        match end {
            Some((body, end)) => {
                let done = parse::json_call(&self.held[start..body], &self.known);
                let done = done.map_err(|fault| if fault.is_of_known() { fault } else { Fault::Nothing });
                self.settle(out, Form::Json, end, done)
            }
            None if self.held.len() > MAX_HELD => self.release(out, self.held.len()),
            None => {
                self.seen = floor(&self.held, self.held.len().saturating_sub(forms::LONGEST));
                Step::Wait
            }
        }
    }

    fn not_json(&mut self, out: &mut Vec<Written>, start: usize) -> Step {
        let fence = self.held.len() - self.held.trim_start_matches('`').len();
        self.mode = Mode::Words;
        self.say(out, start.max(1));
        if start > 0 {
            self.fence = fence;
        }
        Step::Again
    }

    /// What was held, up to `end`, is decided.
    fn settle(&mut self, out: &mut Vec<Written>, form: Form, end: usize, done: Result<Vec<Written>, Fault>) -> Step {
        match done {
            Ok(calls) => {
                self.held.drain(..end);
                out.extend(calls);
            }
            Err(fault) if form.is_token() || fault.is_of_known() => {
                self.held.drain(..end);
                out.push(Written::Broken(fault.text()));
            }
            Err(_) => return self.release(out, end),
        }
        self.mode = Mode::Words;
        self.line = Line { begun: true, called: true, ..self.line };
        Step::Again
    }

    /// It was words after all.
    fn release(&mut self, out: &mut Vec<Written>, end: usize) -> Step {
        self.mode = Mode::Words;
        let end = (end..=self.held.len()).find(|end| self.held.is_char_boundary(*end)).unwrap_or(self.held.len());
        self.say(out, end);
        Step::Again
    }

    /// The text has ended inside something.
    fn end(&mut self, out: &mut Vec<Written>, cut_off: bool) {
        let held = std::mem::take(&mut self.held);
        let done = match self.mode {
            Mode::Block(form, opening) => match forms::confirm(form, &held[opening..]) {
                Told::Yes(..) | Told::Maybe if cut_off => Err(Fault::cut(form, &held[opening..], &self.known)),
                Told::Yes(..) => parse::block(form, &held[opening..], false, &self.known),
                Told::Maybe => Err(Fault::Unreadable),
                Told::No => Err(Fault::Nothing),
            },
            Mode::Json(start) if cut_off => Err(Fault::cut(Form::Json, &held[start..], &self.known)),
            Mode::Json(start) => parse::json_call(held[start..].trim_end_matches(['`', '\n', ' ']), &self.known),
            Mode::Words | Mode::Thinking => Err(Fault::Nothing),
        };
        let token = matches!(self.mode, Mode::Block(form, _) if form.is_token());
        match done {
            Ok(calls) => out.extend(calls),
            Err(fault) if fault.is_of_known() || (token && fault != Fault::Nothing) => {
                out.push(Written::Broken(fault.text()))
            }
            Err(_) => {
                self.held = held;
                self.say(out, self.held.len());
            }
        }
        self.mode = Mode::Words;
    }
}

/// How many bytes at the end of `text` may begin `mark`.
fn overlap(text: &str, mark: &str) -> usize {
    let most = mark.len().min(text.len());
    (1..=most).rev().find(|n| mark.is_char_boundary(*n) && text.ends_with(&mark[..*n])).unwrap_or(0)
}

/// The last place up to `at` between two characters.
fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
