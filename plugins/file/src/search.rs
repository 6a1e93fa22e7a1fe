//! Names and lines that fit a pattern: `search`.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use regex::{Regex, RegexBuilder};
use winclaw_sdk::files::cap_std::fs::File;
use winclaw_sdk::files::{Access, Folders, Place};
use winclaw_sdk::prelude::*;

use crate::charset::Charset;
use crate::list::here;
use crate::walk::{MAX_DEPTH, Rules, Step, Visit, walk};

/// Largest file that is searched, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// Most files that are opened, and most entries that are looked at.
const MAX_FILES: usize = 20_000;
const MAX_SEEN: usize = 200_000;

/// Most matches of one file, and characters of a matching line.
const MAX_IN_FILE: usize = 50;
const LINE_CHARS: usize = 240;

/// What to look for.
#[args]
#[derive(Debug)]
pub struct SearchArgs {
    /// Text that a line of the file holds. Leave out to find files by name alone.
    #[serde(default)]
    pub text: Option<String>,
    /// Names to look at, such as "*.md" or "docs/**/*.txt".
    #[serde(default)]
    pub glob: Option<String>,
    /// The folder to search, absolute or relative to the working folder.
    #[serde(default = "here")]
    pub path: String,
    /// Whether `text` is a regular expression (Rust syntax).
    #[serde(default)]
    pub regex: bool,
    /// Whether upper and lower case differ.
    #[serde(default)]
    pub case_sensitive: bool,
    /// Most matches to return.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: u32,
    /// Whether names that start with a dot are searched.
    #[serde(default)]
    pub hidden: bool,
}

fn hundred() -> u32 {
    100
}

/// What was found.
#[result]
#[derive(Debug, Default)]
pub struct Matches {
    /// The matches, by path and line.
    pub matches: Vec<Match>,
    /// How many files have been searched or matched by name.
    pub files: usize,
    /// Files that were left out because they are no text, too large or not readable.
    pub skipped: usize,
    /// Whether there may be more than these.
    pub more: bool,
}

/// One match.
#[result]
#[derive(Debug, PartialEq)]
pub struct Match {
    /// Path of the file, as read and edit take it.
    pub path: String,
    /// Number of the line; absent for a match by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The line, cut when it is long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Find files by name (`glob`), lines by content (`text`), or both, below a folder. Encodings are recognised.
#[tool(side_effect = "read")]
pub(crate) fn search(args: SearchArgs, cx: &Context) -> Result<Matches, Failure> {
    search_in(&Folders::of(cx), &args, &|| cx.check_cancelled())
}

pub(crate) fn search_in(
    folders: &Folders,
    args: &SearchArgs,
    stop: &dyn Fn() -> Result<(), Failure>,
) -> Result<Matches, Failure> {
    let mut search = Search {
        pattern: pattern(args)?,
        glob: args.glob.as_deref().map(glob).transpose()?,
        place: folders.find(&args.path, Access::Read)?,
        limit: args.limit.clamp(1, 1_000) as usize,
        seen: 0,
        found: Matches::default(),
    };
    if search.pattern.is_none() && search.glob.is_none() {
        return Err(Failure::invalid_args("give `text` to find in files, or `glob` to find files by name, or both"));
    }
    if search.place.metadata()?.is_file() {
        search.one_file()?;
        return Ok(search.found);
    }
    let dir = search.place.open_dir()?;
    let rules = Rules { hidden: args.hidden, depth: MAX_DEPTH };
    let _ = walk(&dir, rules, &mut |visit| {
        stop()?;
        search.visit(visit)
    })?;
    Ok(search.found)
}

fn pattern(args: &SearchArgs) -> Result<Option<Regex>, Failure> {
    let Some(text) = args.text.as_deref().filter(|text| !text.is_empty()) else { return Ok(None) };
    let source = if args.regex { text.to_owned() } else { regex::escape(text) };
    let built = RegexBuilder::new(&source).case_insensitive(!args.case_sensitive).size_limit(4 << 20).build();
    built.map(Some).map_err(|error| {
        Failure::invalid_args(format!(
            "`text` is no regular expression: {error}; set `regex` to false to find it as it is"
        ))
    })
}

/// A pattern without `/` fits names anywhere, one with `/` paths from the searched folder.
fn glob(pattern: &str) -> Result<GlobMatcher, Failure> {
    let anywhere =
        if pattern.contains('/') { pattern.trim_start_matches("./").to_owned() } else { format!("**/{pattern}") };
    let built = GlobBuilder::new(&anywhere).literal_separator(true).case_insensitive(true).build();
    built.map(|glob| glob.compile_matcher()).map_err(|error| {
        Failure::invalid_args(format!("`glob`: {}; a pattern is such as *.md or docs/**/*.txt", error.kind()))
    })
}

struct Search {
    pattern: Option<Regex>,
    glob: Option<GlobMatcher>,
    place: Place,
    limit: usize,
    seen: usize,
    found: Matches,
}

impl Search {
    fn visit(&mut self, visit: &Visit<'_>) -> Step {
        self.seen += 1;
        let full = self.found.matches.len() >= self.limit || self.found.files >= MAX_FILES || self.seen > MAX_SEEN;
        let fits = self.glob.as_ref().is_none_or(|glob| glob.is_match(visit.path));
        let named_folder = self.pattern.is_none() && visit.metadata.is_dir();
        if !fits || !(visit.metadata.is_file() || named_folder) {
            return Ok(if self.seen > MAX_SEEN { self.cut() } else { ControlFlow::Continue(()) });
        }
        if full {
            return Ok(self.cut());
        }
        let path = self.place.usable(visit.path);
        if self.pattern.is_none() {
            self.found.files += usize::from(visit.metadata.is_file());
            let path = if named_folder { format!("{path}/") } else { path };
            self.found.matches.push(Match { path, line: None, text: None });
        } else if visit.metadata.len() > MAX_BYTES {
            self.found.skipped += 1;
        } else {
            match visit.dir.open(visit.name) {
                Ok(file) => self.lines(&path, file),
                Err(_) => self.found.skipped += 1,
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn cut(&mut self) -> ControlFlow<()> {
        self.found.more = true;
        ControlFlow::Break(())
    }

    fn one_file(&mut self) -> Result<(), Failure> {
        let path = self.place.usable(Path::new(""));
        let file = self.place.open_file()?;
        self.lines(&path, file);
        Ok(())
    }

    /// Adds the lines of a file that fit.
    fn lines(&mut self, path: &str, file: File) {
        let Some(pattern) = &self.pattern else { return };
        let mut bytes = Vec::new();
        let read = file.take(MAX_BYTES).read_to_end(&mut bytes);
        let Some(charset) = read.ok().and_then(|_| Charset::detect(&bytes, true).ok()) else {
            self.found.skipped += 1;
            return;
        };
        self.found.files += 1;
        let text = charset.decode(&bytes).0;
        let mut left = MAX_IN_FILE.min(self.limit - self.found.matches.len());
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| pattern.is_match(line)) {
            if left == 0 {
                self.found.more = true;
                return;
            }
            left -= 1;
            let text = Some(around(line, pattern));
            self.found.matches.push(Match { path: path.to_owned(), line: Some(number), text });
        }
    }
}

/// The line, or the part of a long one where the match is.
fn around(line: &str, pattern: &Regex) -> String {
    if line.chars().nth(LINE_CHARS).is_none() {
        return line.to_owned();
    }
    let at = pattern.find(line).map_or(0, |found| found.start());
    let before = line[..at].chars().rev().take(LINE_CHARS / 3).map(char::len_utf8).sum::<usize>();
    let start = at - before;
    let part: String = line[start..].chars().take(LINE_CHARS).collect();
    let (head, tail) = (if start > 0 { "…" } else { "" }, if start + part.len() < line.len() { "…" } else { "" });
    format!("{head}{part}{tail}")
}
