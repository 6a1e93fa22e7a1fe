//! Markdown text to a clean list of events that both writers use.
//!
//! Clean means: only text XML can hold, raw HTML turned into text, links checked, headings with ids, and nesting bounded
//! so that a hostile text cannot exhaust the stack.

use std::collections::BTreeMap;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, TextMergeStream};

use crate::text::{joins_lines, legal};
use crate::{emphasis, links};

/// Deepest nesting of quotes and lists that is kept; what lies deeper is shown at this depth.
const MAX_DEPTH: usize = 20;

/// The events of a text, and what a writer and the caller need to know of them.
#[derive(Debug, Default)]
pub(crate) struct Source {
    /// The events, balanced.
    pub events: Vec<Event<'static>>,
    /// The text of the first heading of level 1, or else of the first heading.
    pub title: Option<String>,
    /// Whether the text opens with a heading of level 1.
    pub opens_with_title: bool,
    /// How many headings there are.
    pub headings: usize,
    /// How many tables there are.
    pub tables: usize,
    /// What could not be kept, in sentences.
    pub warnings: Vec<String>,
}

/// Reads CommonMark with tables, strikethrough, task lists and footnotes.
pub(crate) fn parse(markdown: &str) -> Source {
    let marked = emphasis::mark(markdown);
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS | Options::ENABLE_FOOTNOTES;
    let mut cleaner = Cleaner::default();
    for event in TextMergeStream::new(Parser::new_ext(&marked, options)) {
        cleaner.take(event);
    }
    let mut source = Source { warnings: cleaner.warnings(), events: cleaner.events, ..Source::default() };
    source.events = without_breaks_between_characters(std::mem::take(&mut source.events));
    name_headings(&mut source);
    source.tables = source.events.iter().filter(|event| matches!(event, Event::Start(Tag::Table(_)))).count();
    source
}

/// The plain text of `events`: what a reader hears.
pub(crate) fn plain(events: &[Event<'_>]) -> String {
    let word = |event: &Event<'_>| match event {
        Event::Text(text) | Event::Code(text) => text.to_string(),
        Event::SoftBreak | Event::HardBreak => " ".to_owned(),
        _ => String::new(),
    };
    events.iter().map(word).collect()
}

#[derive(Default)]
struct Cleaner {
    events: Vec<Event<'static>>,
    depth: usize,
    html: Option<String>,
    dropped_links: Vec<bool>,
    bad_links: Vec<String>,
    raw_html: usize,
    flattened: bool,
}

impl Cleaner {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(end) => self.end(end),
            Event::Text(text) => self.events.push(Event::Text(owned(&text))),
            Event::Code(text) => self.events.push(Event::Code(owned(&text))),
            Event::Html(text) => self.html.get_or_insert_default().push_str(&text),
            Event::InlineHtml(html) => self.inline_html(&html),
            Event::FootnoteReference(label) => self.events.push(Event::FootnoteReference(owned(&label))),
            Event::TaskListMarker(done) => self.events.push(Event::TaskListMarker(done)),
            Event::SoftBreak => self.events.push(Event::SoftBreak),
            Event::HardBreak => self.events.push(Event::HardBreak),
            Event::Rule => self.events.push(Event::Rule),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.events.push(Event::Code(owned(&text))),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::HtmlBlock => self.html = Some(String::new()),
            Tag::Link { link_type, dest_url, title, id } => match links::target(&legal(&dest_url)) {
                Some(url) => {
                    self.dropped_links.push(false);
                    let (dest_url, title, id) = (url.into(), owned(&title), owned(&id));
                    self.events.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
                }
                None => {
                    self.dropped_links.push(true);
                    self.bad_links.push(legal(&dest_url).into_owned());
                }
            },
            Tag::Image { link_type, dest_url, title, id } => {
                let (dest_url, title, id) = (owned(&dest_url), owned(&title), owned(&id));
                self.events.push(Event::Start(Tag::Image { link_type, dest_url, title, id }));
            }
            tag if nests(&tag.to_end()) => {
                self.depth += 1;
                if self.depth <= MAX_DEPTH {
                    self.events.push(Event::Start(tag.into_static()));
                }
            }
            tag => self.events.push(Event::Start(tag.into_static())),
        }
    }

    fn end(&mut self, end: TagEnd) {
        match end {
            TagEnd::HtmlBlock => self.html_block(),
            TagEnd::Link if self.dropped_links.pop() == Some(true) => {}
            end if nests(&end) => {
                self.flattened |= self.depth > MAX_DEPTH;
                if self.depth <= MAX_DEPTH {
                    self.events.push(Event::End(end));
                }
                self.depth -= 1;
            }
            end => self.events.push(Event::End(end)),
        }
    }

    fn inline_html(&mut self, html: &str) {
        let name = html.trim_matches(['<', '>', '/', ' ']).to_ascii_lowercase();
        if name == "br" {
            self.events.push(Event::HardBreak);
        } else if !html.starts_with("<!--") {
            self.raw_html += 1;
            self.events.push(Event::Text(owned(html)));
        }
    }

    fn html_block(&mut self) {
        let html = without_comments(&self.html.take().unwrap_or_default());
        if html.trim().is_empty() {
            return;
        }
        self.raw_html += 1;
        self.events.push(Event::Start(Tag::Paragraph));
        for (n, line) in html.trim().lines().enumerate() {
            self.events.extend((n > 0).then_some(Event::HardBreak));
            self.events.push(Event::Text(owned(line)));
        }
        self.events.push(Event::End(TagEnd::Paragraph));
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        for url in &self.bad_links {
            let shown: String = url.chars().take(80).collect();
            warnings.push(format!(
                "the link to `{shown}` was written as plain text: only web, mail, phone and relative links are kept"
            ));
        }
        if self.raw_html > 0 {
            warnings.push("raw HTML is shown as text; use Markdown for layout".to_owned());
        }
        if self.flattened {
            warnings.push(format!("quotes and lists nested deeper than {MAX_DEPTH} levels were flattened"));
        }
        warnings
    }
}

fn nests(end: &TagEnd) -> bool {
    matches!(end, TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item | TagEnd::FootnoteDefinition)
}

fn owned(text: &str) -> CowStr<'static> {
    legal(text).into_owned().into()
}

fn without_comments(html: &str) -> String {
    let mut kept = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, comment)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

/// A line break inside a Chinese sentence is no space.
fn without_breaks_between_characters(events: Vec<Event<'static>>) -> Vec<Event<'static>> {
    let joined: Vec<bool> = (0..events.len()).map(|at| events[at] == Event::SoftBreak && joins(&events, at)).collect();
    events.into_iter().zip(joined).filter(|(_, joined)| !joined).map(|(event, _)| event).collect()
}

fn joins(events: &[Event<'_>], at: usize) -> bool {
    let before = events[..at].iter().rev().find_map(texts).and_then(|text| text.chars().next_back());
    let after = events[at + 1..].iter().find_map(texts).and_then(|text| text.chars().next());
    before.is_some_and(joins_lines) && after.is_some_and(joins_lines)
}

fn texts<'a>(event: &'a Event<'_>) -> Option<&'a str> {
    match event {
        Event::Text(text) | Event::Code(text) => Some(text),
        _ => None,
    }
}

fn name_headings(source: &mut Source) {
    let mut taken = BTreeMap::new();
    let mut level_of_title = None;
    source.opens_with_title =
        matches!(source.events.first(), Some(Event::Start(Tag::Heading { level, .. })) if *level as u8 == 1);
    for at in 0..source.events.len() {
        let Event::Start(Tag::Heading { level, .. }) = &source.events[at] else {
            continue;
        };
        let level = *level as u8;
        let text = heading_text(&source.events[at..]);
        source.headings += 1;
        if level_of_title.is_none() || (level == 1 && level_of_title != Some(1)) {
            level_of_title = Some(level);
            source.title = Some(text.clone());
        }
        if let Event::Start(Tag::Heading { id, .. }) = &mut source.events[at] {
            *id = Some(slug(&text, &mut taken).into());
        }
    }
    source.title.take_if(|title| title.is_empty());
}

fn heading_text(events: &[Event<'_>]) -> String {
    let end = events.iter().position(|event| matches!(event, Event::End(TagEnd::Heading(_)))).unwrap_or(events.len());
    plain(&events[..end]).trim().to_owned()
}

/// The id of a heading as web pages of Markdown use it: lower case, dashes for spaces, `-1` when it stands twice.
fn slug(text: &str, taken: &mut BTreeMap<String, usize>) -> String {
    let letters = text
        .to_lowercase()
        .chars()
        .filter(|&c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .collect::<String>();
    let base = letters.trim().replace(' ', "-");
    let times = taken.entry(base.clone()).and_modify(|times| *times += 1).or_insert(0);
    if *times == 0 { base } else { format!("{base}-{times}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_found_and_headings_named() {
        let cases = [
            ("# 北京天气\n\n## 明天", Some("北京天气"), true, 2),
            ("## Second\n\n# First", Some("First"), false, 2),
            ("text", None, false, 0),
            ("## Only `code` *here*", Some("Only code here"), false, 1),
        ];
        for (markdown, title, opens, headings) in cases {
            let source = parse(markdown);
            assert_eq!(
                (source.title.as_deref(), source.opens_with_title, source.headings),
                (title, opens, headings),
                "{markdown}"
            );
        }
        let ids: Vec<String> = parse("# A b!\n# A b\n# 天气").events.iter().filter_map(heading_id).collect();
        assert_eq!(ids, ["a-b", "a-b-1", "天气"]);
    }

    fn heading_id(event: &Event<'_>) -> Option<String> {
        let Event::Start(Tag::Heading { id, .. }) = event else {
            return None;
        };
        id.as_ref().map(|id| id.to_string())
    }

    #[test]
    fn raw_html_becomes_text_and_comments_vanish() {
        let source = parse("<div onclick=\"x()\">hi</div>\n\na<br>b <script>alert(1)</script>\n\n<!-- note -->\n");
        assert!(!source.events.iter().any(|event| matches!(event, Event::Html(_) | Event::InlineHtml(_))));
        let text = plain(&source.events);
        assert!(text.contains("<div onclick") && text.contains("<script>") && !text.contains("note"), "{text}");
        assert!(source.events.contains(&Event::HardBreak));
        assert_eq!(source.warnings.len(), 1, "{:?}", source.warnings);
    }

    #[test]
    fn lines_of_chinese_join_without_a_space_and_others_keep_it() {
        assert_eq!(plain(&parse("今天有雨，\n明天**晴**\n。").events), "今天有雨，明天晴。");
        assert_eq!(plain(&parse("rain today\nsun tomorrow").events), "rain today sun tomorrow");
        assert_eq!(plain(&parse("서울\n날씨").events), "서울 날씨");
    }

    #[test]
    fn dangerous_links_lose_their_target_but_keep_their_text() {
        let source = parse("[good](https://example.org) [bad](javascript:alert(1)) ![x](javascript:y)");
        let links = source.events.iter().filter(|event| matches!(event, Event::Start(Tag::Link { .. }))).count();
        let ends = source.events.iter().filter(|event| matches!(event, Event::End(TagEnd::Link))).count();
        assert_eq!((links, ends), (1, 1));
        assert!(plain(&source.events).contains("bad") && source.warnings[0].contains("javascript"));
    }

    #[test]
    fn deep_nesting_is_flattened_and_stays_balanced() {
        for deep in [">".repeat(5_000) + " x", format!("{}x", "- ".repeat(3_000))] {
            let source = parse(&deep);
            let depth = source.events.iter().filter(|event| matches!(event, Event::Start(_))).count();
            let ends = source.events.iter().filter(|event| matches!(event, Event::End(_))).count();
            assert!(depth == ends && depth < 80, "{depth} {ends}");
            assert!(source.warnings.iter().any(|warning| warning.contains("flattened")));
        }
    }
}
