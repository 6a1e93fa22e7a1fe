use super::flow::Flow;
use super::style::Style;

/// Most bytes that are held while it is open whether they are emphasised; longer ones are shown as they stand.
const HELD: usize = 400;

/// What begins something.
const SPECIAL: &str = "*_`[!<~\\";

/// The inside of a line: emphasis, code, links.
///
/// A mark is held until what it means is known, at the latest to the end of its line; one that means nothing is shown.
#[derive(Debug, Default)]
pub(super) struct Inline {
    held: String,
    /// The character before what is held.
    before: Option<char>,
    base: Style,
}

/// What stands at the front of a text.
enum Front {
    /// More must come before it can be said.
    Open,
    /// A piece of `taken` bytes, to be shown as these.
    Piece { taken: usize, spans: Vec<Span> },
}

/// Characters of one style.
pub(super) type Span = (String, Style);

impl Inline {
    /// A new line, all of it in `base`.
    pub(super) fn begin(&mut self, base: Style) {
        self.held.clear();
        self.before = None;
        self.base = base;
    }

    /// A character of the line, which is no line break.
    pub(super) fn put(&mut self, c: char, flow: &mut Flow) {
        if self.held.is_empty() && !SPECIAL.contains(c) {
            self.before = Some(c);
            return flow.put(c, self.base);
        }
        self.held.push(c);
        self.settle(false, flow);
    }

    /// The line ends.
    pub(super) fn end(&mut self, flow: &mut Flow) {
        self.settle(true, flow);
    }

    fn settle(&mut self, ends: bool, flow: &mut Flow) {
        let mut text = std::mem::take(&mut self.held);
        while !text.is_empty() {
            let full = text.len() > HELD;
            match front(&text, self.before, self.base, ends || full) {
                Front::Open => break,
                Front::Piece { taken, spans } => {
                    self.before = text[..taken].chars().last();
                    text.drain(..taken);
                    show(&spans, flow);
                }
            }
        }
        self.held = text;
    }
}

fn show(spans: &[Span], flow: &mut Flow) {
    for (text, style) in spans {
        text.chars().for_each(|c| flow.put(c, *style));
    }
}

/// The whole of `text`, which is one line or less, as spans.
pub(super) fn spans(text: &str, base: Style) -> Vec<Span> {
    let (mut all, mut rest, mut before) = (Vec::new(), text, None);
    while !rest.is_empty() {
        let Front::Piece { taken, spans } = front(rest, before, base, true) else { break };
        before = rest[..taken].chars().last();
        rest = &rest[taken..];
        all.extend(spans);
    }
    all
}

/// The first piece of `text`, which is not empty; with `ends` nothing comes after it.
fn front(text: &str, before: Option<char>, base: Style, ends: bool) -> Front {
    let first = text.chars().next().unwrap_or_default();
    let piece = match first {
        '*' | '_' | '~' => emphasis(text, first, before, base, ends),
        '`' => code(text, base, ends),
        '[' => link(text, 0, base, ends),
        '!' => image(text, base, ends),
        '<' => address(text, base, ends),
        '\\' => escape(text, base, ends),
        _ => None,
    };
    piece.unwrap_or_else(|| as_it_stands(&text[..run_of(text, first)], base))
}

fn as_it_stands(text: &str, base: Style) -> Front {
    Front::Piece { taken: text.len(), spans: vec![(text.to_owned(), base)] }
}

/// Bytes of the run of `mark` that `text` begins with.
fn run_of(text: &str, mark: char) -> usize {
    text.chars().take_while(|c| *c == mark).map(char::len_utf8).sum()
}

/// `None`: it is no emphasis.
fn emphasis(text: &str, mark: char, before: Option<char>, base: Style, ends: bool) -> Option<Front> {
    let run = run_of(text, mark);
    if run == text.len() {
        return if ends { None } else { Some(Front::Open) };
    }
    let style = style_of(mark, run)?;
    let opens = text[run..].chars().next().is_some_and(|next| !next.is_whitespace())
        && !(mark == '_' && before.is_some_and(char::is_alphanumeric));
    if !opens {
        return None;
    }
    match closing(text, mark, run, ends) {
        Close::At(at) => {
            let inner = spans(&text[run..at], base.with(style));
            Some(Front::Piece { taken: at + run, spans: inner })
        }
        Close::Open => Some(Front::Open),
        Close::Never => None,
    }
}

fn style_of(mark: char, run: usize) -> Option<Style> {
    match (mark, run) {
        ('~', 2) => Some(Style::STRIKE),
        ('~', _) => None,
        (_, 1) => Some(Style::ITALIC),
        (_, 2) => Some(Style::BOLD),
        (_, 3) => Some(Style::BOLD.with(Style::ITALIC)),
        _ => None,
    }
}

enum Close {
    At(usize),
    Open,
    Never,
}

/// Where the run of `run` marks that `text` begins with is closed. Inner runs are matched; code is passed over.
fn closing(text: &str, mark: char, run: usize, ends: bool) -> Close {
    let (mut at, mut open) = (run, vec![run]);
    let not_found = if ends { Close::Never } else { Close::Open };
    while at < text.len() {
        let rest = &text[at..];
        let c = rest.chars().next().unwrap_or_default();
        at += match c {
            '\\' => rest.chars().take(2).map(char::len_utf8).sum(),
            '`' => match code_end(rest) {
                Some((_, end)) => end,
                None => run_of(rest, '`'),
            },
            _ if c == mark => {
                let length = run_of(rest, mark);
                // Whether it closes shows only when it is known to be whole.
                if at + length == text.len() && !ends {
                    return Close::Open;
                }
                if meets(text, at, length, mark, &mut open) {
                    return Close::At(at + length - run);
                }
                length
            }
            _ => c.len_utf8(),
        };
    }
    not_found
}

/// Takes the run at `at` into the open ones; whether none is open any more.
fn meets(text: &str, at: usize, length: usize, mark: char, open: &mut Vec<usize>) -> bool {
    let (before, after) = (text[..at].chars().next_back(), text[at + length..].chars().next());
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let inner = |c: Option<char>| mark == '_' && word(c);
    let closes = !space(before) && !inner(after);
    let opens = !space(after) && !inner(before);
    if closes && closed_by(open, length) {
        return open.is_empty();
    }
    if opens {
        open.push(length);
    }
    false
}

/// Closes the inmost run with `length` marks, or the inmost two that have as many together.
fn closed_by(open: &mut Vec<usize>, length: usize) -> bool {
    let last = open.len();
    if open.last() == Some(&length) {
        open.pop();
        return true;
    }
    if last >= 2 && open[last - 1] + open[last - 2] == length {
        open.truncate(last - 2);
        return true;
    }
    false
}

fn code(text: &str, base: Style, ends: bool) -> Option<Front> {
    let run = run_of(text, '`');
    match code_end(text) {
        // A longer run may still grow out of the closing one.
        Some((_, end)) if end == text.len() && !ends => Some(Front::Open),
        Some((inner, end)) => Some(Front::Piece {
            taken: end,
            spans: vec![(trimmed(&text[run..inner]).to_owned(), base.with(Style::CODE))],
        }),
        None if ends => None,
        None => Some(Front::Open),
    }
}

/// Where the code that `text` begins with ends, without and with its marks.
fn code_end(text: &str) -> Option<(usize, usize)> {
    let run = run_of(text, '`');
    let mut at = run;
    while let Some(found) = text[at..].find('`') {
        let here = at + found;
        let length = run_of(&text[here..], '`');
        if length == run {
            return Some((here, here + length));
        }
        at = here + length;
    }
    None
}

/// One space on both sides belongs to the marks.
fn trimmed(code: &str) -> &str {
    let inner = code.strip_prefix(' ').and_then(|code| code.strip_suffix(' '));
    inner.filter(|inner| !inner.trim().is_empty()).unwrap_or(code)
}

fn image(text: &str, base: Style, ends: bool) -> Option<Front> {
    match text[1..].chars().next() {
        Some('[') => link(text, 1, base, ends),
        None if !ends => Some(Front::Open),
        _ => None,
    }
}

/// `[words](address)`, from `start` on: the words, and the address behind them unless they are the same.
fn link(text: &str, start: usize, base: Style, ends: bool) -> Option<Front> {
    let open = if ends { None } else { Some(Front::Open) };
    let Some(bracket) = matching(&text[start..], '[', ']').map(|end| start + end) else { return open };
    match text[bracket + 1..].chars().next() {
        None => return open,
        Some('(') => {}
        Some(_) => return None,
    }
    let target = &text[bracket + 1..];
    let Some(end) = matching(target, '(', ')') else { return open };
    let words = &text[start + 1..bracket];
    let address = target[1..end].split_whitespace().next().unwrap_or_default().trim_matches(['<', '>']);
    let mut all = spans(words, base.with(Style::UNDERLINE));
    if !address.is_empty() && address != words {
        all.push((format!(" ({address})"), base.with(Style::DIM)));
    }
    Some(Front::Piece { taken: bracket + 1 + end + 1, spans: all })
}

/// Where the bracket that `text` begins with is closed.
fn matching(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        escaped = c == '\\';
        depth += usize::from(c == open);
        if c == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// `<https://…>` and `<somebody@…>`; anything else in angles stands as it is.
fn address(text: &str, base: Style, ends: bool) -> Option<Front> {
    let stop = text[1..].find(|c: char| c == '>' || c == '<' || c.is_whitespace());
    match stop.map(|at| at + 1) {
        None if !ends => Some(Front::Open),
        Some(at) if text[at..].starts_with('>') => {
            let inner = &text[1..at];
            let is_address = inner.contains("://") || inner.contains('@');
            let spans = vec![(inner.to_owned(), base.with(Style::UNDERLINE))];
            is_address.then_some(Front::Piece { taken: at + 1, spans })
        }
        _ => None,
    }
}

/// A mark that means itself. Brackets and parentheses keep their backslash, since there it begins a formula.
fn escape(text: &str, base: Style, ends: bool) -> Option<Front> {
    let next = text[1..].chars().next();
    match next {
        None if !ends => Some(Front::Open),
        None => Some(Front::Piece { taken: 1, spans: Vec::new() }),
        Some(c) if "([])".contains(c) => Some(as_it_stands(&text[..2], base)),
        Some(c) if c.is_ascii_punctuation() => Some(Front::Piece { taken: 2, spans: vec![(c.to_string(), base)] }),
        Some(_) => None,
    }
}
