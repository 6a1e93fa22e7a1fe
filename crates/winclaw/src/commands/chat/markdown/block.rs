use super::flow::Flow;
use super::inline::Inline;
use super::line::{self, Kind, LONGEST};
use super::style::Style;
use super::table::Table;

/// The lines of a text: what each one is, and what its characters become.
#[derive(Debug)]
pub(super) struct Blocks {
    flow: Flow,
    inline: Inline,
    place: Place,
    table: Table,
    /// Whether something was written, so that an empty line parts two things.
    written: bool,
    /// Whether an empty line came.
    parted: bool,
    /// Whether the last lines are of a list, so that what is moved in belongs to it.
    in_list: bool,
}

/// Where in a line, and in what, the next character stands.
#[derive(Debug)]
enum Place {
    /// In the head of a line that is not known yet, behind so many marks of a quote.
    Head { text: String, quotes: usize },
    /// In running text.
    Text,
    /// In a line of code that stands as it is.
    Verbatim,
    /// In the head of a line that may end the code.
    CodeHead { text: String, fence: Fence },
    /// In a line of code.
    Code(Fence),
}

/// What began a block of code.
#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
    quotes: usize,
}

impl Blocks {
    pub(super) fn new(width: usize) -> Self {
        Blocks {
            flow: Flow::new(width),
            inline: Inline::default(),
            place: Place::new_line(),
            table: Table::default(),
            written: false,
            parted: false,
            in_list: false,
        }
    }

    pub(super) fn take(&mut self) -> String {
        self.flow.take()
    }

    pub(super) fn put(&mut self, c: char) {
        match std::mem::replace(&mut self.place, Place::Text) {
            Place::Head { text, quotes } => self.head(text, quotes, c),
            Place::Text if c == '\n' => self.end_text(),
            Place::Text => self.inline.put(c, &mut self.flow),
            Place::Verbatim if c == '\n' => self.end_line(Place::new_line()),
            Place::Verbatim => {
                self.flow.fixed(c, Style::CODE);
                self.place = Place::Verbatim;
            }
            Place::CodeHead { text, fence } => self.code_head(text, fence, c),
            Place::Code(fence) if c == '\n' => self.end_line(Place::code_line(fence)),
            Place::Code(fence) => {
                self.flow.fixed(c, Style::CODE);
                self.place = Place::Code(fence);
            }
        }
    }

    /// Nothing comes any more.
    pub(super) fn finish(&mut self) {
        match std::mem::replace(&mut self.place, Place::new_line()) {
            Place::Head { text, quotes } if !text.trim().is_empty() || quotes > 0 => {
                self.whole(text, quotes);
                self.inline.end(&mut self.flow);
            }
            Place::CodeHead { text, fence } if !text.is_empty() => self.code_line_whole(text, fence),
            Place::Text => self.inline.end(&mut self.flow),
            _ => {}
        }
        self.end_table();
        self.flow.finish();
    }

    fn head(&mut self, mut text: String, quotes: usize, c: char) {
        if c == '\n' {
            self.whole(text, quotes);
            if let Place::Text = self.place {
                self.end_text();
            }
            return;
        }
        text.push(c);
        let (kind, taken) = line::kind(&text, false);
        self.known(kind, text, taken, quotes);
    }

    /// A whole line, whose end is not written yet where it is running text.
    fn whole(&mut self, text: String, quotes: usize) {
        match line::kind(&text, true) {
            (Kind::Quote, taken) => self.whole(text[taken..].to_owned(), deeper(quotes)),
            (kind, taken) => self.known(kind, text, taken, quotes),
        }
    }

    fn known(&mut self, kind: Kind, text: String, taken: usize, quotes: usize) {
        if kind == Kind::Open {
            self.place = Place::Head { text, quotes };
            return;
        }
        if !matches!(kind, Kind::Row | Kind::Quote) {
            self.end_table();
        }
        let (indent, rest) = (line::indent(&text), &text[taken..]);
        match kind {
            Kind::Open => {}
            Kind::Blank => self.blank(quotes),
            Kind::Quote => self.quote(rest, deeper(quotes)),
            Kind::Row => self.row(text, quotes),
            Kind::Rule => self.rule(quotes),
            Kind::Fence(mark, length, info) => self.fence(Fence { mark, length, quotes }, &info, indent),
            Kind::Heading(depth) => self.heading(depth, rest, quotes),
            Kind::Item(mark) => self.item(&mark, rest, indent, quotes),
            Kind::Text => self.text(&text, rest, indent, quotes),
        }
    }

    fn blank(&mut self, quotes: usize) {
        self.place = Place::new_line();
        if quotes > 0 {
            self.open_line(quotes);
            return self.end_line(Place::new_line());
        }
        self.parted = self.written;
    }

    /// What stands behind a mark of a quote is a line by itself.
    fn quote(&mut self, rest: &str, quotes: usize) {
        self.place = Place::Head { text: String::new(), quotes };
        rest.chars().for_each(|c| self.put(c));
    }

    fn row(&mut self, text: String, quotes: usize) {
        self.place = Place::new_line();
        if self.table.quotes() != quotes {
            self.end_table();
        }
        if let Some(full) = self.table.add(text, quotes, self.flow.columns()) {
            self.write_rows(&full, quotes);
        }
    }

    fn end_table(&mut self) {
        let quotes = self.table.quotes();
        let rows = self.table.take(self.flow.columns());
        self.write_rows(&rows, quotes);
    }

    fn write_rows(&mut self, rows: &[Vec<super::inline::Span>], quotes: usize) {
        for row in rows {
            self.open_line(quotes);
            row.iter().for_each(|(text, style)| self.flow.fixed_text(text, *style));
            self.flow.newline();
            self.written = true;
        }
    }

    fn rule(&mut self, quotes: usize) {
        self.open_line(quotes);
        let line = "─".repeat(self.flow.columns().min(40));
        self.flow.fixed_text(&line, Style::DIM);
        self.end_line(Place::new_line());
    }

    /// The fence is shown as it was written, so that what is copied from the screen is Markdown again.
    fn fence(&mut self, fence: Fence, info: &str, indent: usize) {
        self.open_line(fence.quotes);
        let marks: String = std::iter::repeat_n(fence.mark, fence.length).collect();
        self.flow.fixed_text(&" ".repeat(indent), Style::PLAIN);
        self.flow.fixed_text(&format!("{marks}{info}"), Style::DIM);
        self.end_line(Place::code_line(fence));
    }

    fn heading(&mut self, depth: usize, rest: &str, quotes: usize) {
        self.in_list = false;
        self.open_line(quotes);
        let style = if depth == 1 { Style::BOLD.with(Style::UNDERLINE) } else { Style::BOLD };
        self.words(rest, style);
    }

    fn item(&mut self, mark: &str, rest: &str, indent: usize, quotes: usize) {
        self.in_list = true;
        self.open_line(quotes);
        let lead = format!("{}{mark} ", " ".repeat(indent.min(self.flow.columns() / 2)));
        self.flow.fixed_text(&lead, Style::PLAIN);
        self.hang(quotes, crate::screen::width(&lead));
        self.words(rest, Style::PLAIN);
    }

    fn text(&mut self, whole: &str, rest: &str, indent: usize, quotes: usize) {
        let is_code = indent >= 4 && !self.in_list && (self.parted || !self.written);
        self.in_list &= indent > 0 || !self.parted;
        self.open_line(quotes);
        if is_code {
            self.flow.fixed_text(whole, Style::CODE);
            self.place = Place::Verbatim;
            return;
        }
        let indent = indent.min(self.flow.columns() / 2);
        self.flow.fixed_text(&" ".repeat(indent), Style::PLAIN);
        self.hang(quotes, indent);
        self.words(rest, Style::PLAIN);
    }

    fn words(&mut self, rest: &str, style: Style) {
        self.inline.begin(style);
        rest.chars().for_each(|c| self.inline.put(c, &mut self.flow));
        self.place = Place::Text;
    }

    fn hang(&mut self, quotes: usize, columns: usize) {
        self.flow.hang(format!("{}{}", bars(quotes), " ".repeat(columns)));
    }

    /// Begins a line: the empty one before it, if there was one, and the bars of a quote.
    fn open_line(&mut self, quotes: usize) {
        if std::mem::take(&mut self.parted) {
            self.flow.newline();
        }
        self.flow.fixed_text(&bars(quotes), Style::DIM);
        self.flow.hang(bars(quotes));
    }

    fn end_text(&mut self) {
        self.inline.end(&mut self.flow);
        self.end_line(Place::new_line());
    }

    fn end_line(&mut self, next: Place) {
        self.flow.newline();
        self.written = true;
        self.place = next;
    }

    fn code_head(&mut self, mut text: String, fence: Fence, c: char) {
        if c == '\n' {
            self.code_line_whole(text, fence);
            // A line that was no code any more may be running text.
            return match std::mem::replace(&mut self.place, Place::new_line()) {
                Place::Text => self.end_text(),
                place => self.place = place,
            };
        }
        text.push(c);
        match inner(&text, fence.quotes) {
            Inner::Open => self.place = Place::CodeHead { text, fence },
            Inner::Outside => self.leave(text),
            Inner::Line(inner) if may_close(inner, fence) => self.place = Place::CodeHead { text, fence },
            Inner::Line(inner) => {
                self.open_code(inner, fence);
                self.place = Place::Code(fence);
            }
        }
    }

    fn code_line_whole(&mut self, text: String, fence: Fence) {
        match inner(&text, fence.quotes) {
            Inner::Line(inner) if closes(inner, fence) => {
                self.open_line(fence.quotes);
                self.flow.fixed_text(inner, Style::DIM);
                self.end_line(Place::new_line());
            }
            Inner::Line(inner) => {
                self.open_code(inner, fence);
                self.end_line(Place::code_line(fence));
            }
            Inner::Open | Inner::Outside => {
                self.place = Place::new_line();
                self.whole(text, 0);
            }
        }
    }

    fn open_code(&mut self, text: &str, fence: Fence) {
        self.open_line(fence.quotes);
        self.flow.fixed_text(text, Style::CODE);
    }

    /// The quote that the code stood in is over.
    fn leave(&mut self, text: String) {
        self.place = Place::new_line();
        text.chars().for_each(|c| self.put(c));
    }
}

impl Place {
    fn new_line() -> Place {
        Place::Head { text: String::new(), quotes: 0 }
    }

    fn code_line(fence: Fence) -> Place {
        Place::CodeHead { text: String::new(), fence }
    }
}

/// Deeper quotes are shown as this deep.
fn deeper(quotes: usize) -> usize {
    (quotes + 1).min(8)
}

fn bars(quotes: usize) -> String {
    "│ ".repeat(quotes)
}

/// A line of code behind the marks of the quote it stands in.
enum Inner<'t> {
    /// The marks are not there yet.
    Open,
    /// The line has no such marks.
    Outside,
    /// What stands behind them.
    Line(&'t str),
}

fn inner(text: &str, quotes: usize) -> Inner<'_> {
    let mut rest = text;
    for _ in 0..quotes {
        match rest.trim_start_matches(' ').strip_prefix('>') {
            Some("") => return Inner::Open,
            Some(after) => rest = after.strip_prefix(' ').unwrap_or(after),
            None if rest.trim_start_matches(' ').is_empty() => return Inner::Open,
            None => return Inner::Outside,
        }
    }
    Inner::Line(rest)
}

/// Whether a line that begins so may still end the code.
fn may_close(text: &str, fence: Fence) -> bool {
    let rest = text.trim_start_matches([' ', '\t']);
    text.len() < LONGEST && rest.trim_end_matches(' ').chars().all(|c| c == fence.mark)
}

fn closes(text: &str, fence: Fence) -> bool {
    let rest = text.trim();
    rest.chars().count() >= fence.length && rest.chars().all(|c| c == fence.mark)
}
