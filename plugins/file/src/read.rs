//! Pages of a text file, whatever its size.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

use winclaw_sdk::files::cap_std::fs::File;
use winclaw_sdk::files::{Access, Doing, Folders, Place};
use winclaw_sdk::prelude::*;

use crate::charset::{Charset, LineEnds, NotText, SAMPLE};

/// Lines of one page unless the caller says otherwise, and at most.
const LINES: u32 = 1_000;
const MAX_LINES: u32 = 10_000;

/// Bytes of one page unless the caller says otherwise, and at most.
const BYTES: u32 = 48 << 10;
const MAX_BYTES: u32 = 1 << 20;

/// Largest file whose lines are counted to the end.
const COUNTED: u64 = 64 << 20;

/// What to read.
#[args]
#[derive(Debug)]
pub struct ReadArgs {
    /// The file, absolute or relative to the working folder.
    pub path: String,
    /// First line to read, from 1.
    #[serde(default = "first")]
    #[schemars(range(min = 1))]
    pub line: u64,
    /// Start at this byte instead of at a line: the `next_byte` of an earlier page.
    #[serde(default)]
    pub byte: Option<u64>,
    /// Most lines to return.
    #[serde(default = "lines")]
    #[schemars(range(min = 1, max = 10000))]
    pub limit: u32,
    /// Most bytes of the file to return; a longer line is cut there.
    #[serde(default = "bytes")]
    #[schemars(range(min = 64, max = 1048576))]
    pub max_bytes: u32,
    /// The file's encoding, such as "gbk" or "utf-16le". Default: recognised.
    #[serde(default)]
    pub encoding: Option<String>,
}

fn first() -> u64 {
    1
}

fn lines() -> u32 {
    LINES
}

fn bytes() -> u32 {
    BYTES
}

/// A page of a file.
#[result]
#[derive(Debug)]
pub struct Page {
    /// Absolute path of the file.
    pub path: String,
    /// The text of the page, with `\n` as line end.
    pub text: String,
    /// Number of its first line; absent when it was read from a byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_line: Option<u64>,
    /// How many lines the page has.
    pub lines: usize,
    /// How many lines the file has; absent when it is too large to count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_lines: Option<u64>,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Its encoding.
    pub encoding: String,
    /// How its lines end: lf, crlf, mixed or none.
    pub line_ends: &'static str,
    /// Whether the file goes on after this page.
    pub more: bool,
    /// Where the next page starts, for `byte`; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_byte: Option<u64>,
    /// Set when bytes could not be read as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// Read a text file, or a page of a long one, in any common encoding (UTF-8, UTF-16, GBK, GB18030, Big5, Shift_JIS).
///
/// When `more` is true, read on with `byte` set to `next_byte`.
#[tool(side_effect = "read")]
pub(crate) fn read(args: ReadArgs, cx: &Context) -> Result<Page, Failure> {
    page(&Folders::of(cx), &args, &|| cx.check_cancelled())
}

/// Asks whether to stop.
pub(crate) type Stop<'a> = dyn Fn() -> Result<(), Failure> + 'a;

pub(crate) fn page(folders: &Folders, args: &ReadArgs, stop: &Stop<'_>) -> Result<Page, Failure> {
    let place = folders.find(&args.path, Access::Read)?;
    let file = place.open_file()?;
    let size = file.metadata().map_err(|error| Doing::Read.failed(&place.path(), &error))?.len();
    let input = BufReader::with_capacity(64 << 10, file);
    let mut window = Window { input, charset: Charset::UTF8, at: 0, size, place: &place };
    window.recognise(args.encoding.as_deref())?;
    match args.byte {
        Some(byte) => window.seek(byte.max(window.at).min(size))?,
        None => window.skip_lines(args.line.max(1) - 1, stop)?,
    }
    let (lines, most) = (args.limit.clamp(1, MAX_LINES) as usize, args.max_bytes.clamp(64, MAX_BYTES) as usize);
    let (raw, lines) = window.take(lines, most)?;
    let next = window.at;
    let total_lines = window.total_lines(stop)?;
    Ok(finished(args, &place, window.charset, &raw, &Found { lines, next, size, total_lines }))
}

struct Found {
    lines: usize,
    next: u64,
    size: u64,
    total_lines: Option<u64>,
}

fn finished(args: &ReadArgs, place: &Place, charset: Charset, raw: &[u8], found: &Found) -> Page {
    let (text, replaced) = charset.decode(raw);
    let more = found.next < found.size;
    let warning = replaced
        .then(|| format!("some bytes are not {} and are shown as \u{FFFD}; try another `encoding`", charset.name()));
    Page {
        path: place.path().display().to_string(),
        line_ends: LineEnds::of(&text).name(),
        text: text.replace("\r\n", "\n"),
        first_line: args.byte.is_none().then_some(args.line.max(1)),
        lines: found.lines,
        total_lines: found.total_lines,
        bytes: found.size,
        encoding: charset.name(),
        more,
        next_byte: more.then_some(found.next),
        warning,
    }
}

/// The failure for a file that is no text.
pub(crate) fn not_text(why: NotText, place: &Place) -> Failure {
    let path = place.path();
    match why {
        NotText::Binary => Failure::tool_failed(format!(
            "`{}` is not a text file (it holds NUL bytes); if it is text in UTF-16, set `encoding` to utf-16le",
            path.display()
        )),
        NotText::Invalid(charset) => Failure::tool_failed(format!(
            "`{}` holds bytes that are not {}, so changing it would damage it; set `encoding` to the right one",
            path.display(),
            charset.name()
        )),
    }
}

/// A file read forward with one buffer, however long its lines are.
struct Window<'a> {
    input: BufReader<File>,
    charset: Charset,
    at: u64,
    size: u64,
    place: &'a Place,
}

impl Window<'_> {
    /// Settles the encoding: the one asked for, or the one the head of the file is in.
    fn recognise(&mut self, asked: Option<&str>) -> Result<(), Failure> {
        let mut head = Vec::new();
        let read = self.input.by_ref().take(SAMPLE as u64).read_to_end(&mut head);
        self.told(read)?;
        self.charset = match asked {
            Some(name) => Charset::named(name)?.found_in(&head),
            None => Charset::detect(&head, head.len() < SAMPLE).map_err(|why| not_text(why, self.place))?,
        };
        self.seek(self.charset.mark().len() as u64)
    }

    fn told<T>(&self, result: std::io::Result<T>) -> Result<T, Failure> {
        result.map_err(|error| Doing::Read.failed(&self.place.path(), &error))
    }

    fn seek(&mut self, byte: u64) -> Result<(), Failure> {
        self.at = byte - byte % self.charset.unit() as u64;
        let sought = self.input.seek(SeekFrom::Start(self.at));
        self.told(sought).map(|_| ())
    }

    fn skip_lines(&mut self, lines: u64, stop: &Stop<'_>) -> Result<(), Failure> {
        let mut left = lines;
        while left > 0 {
            stop()?;
            let (used, ends, _) = self.scan(left)?;
            if used == 0 {
                break;
            }
            left -= ends;
        }
        Ok(())
    }

    /// Goes past at most `most` line ends within one buffer. Gives how many bytes and line ends that were, and whether
    /// the last byte was part of a line end.
    fn scan(&mut self, most: u64) -> Result<(usize, u64, bool), Failure> {
        let unit = self.charset.unit();
        if self.input.buffer().len() < unit {
            // Half a code unit is left: read on from there with a whole one.
            let sought = self.input.seek(SeekFrom::Start(self.at));
            self.told(sought)?;
        }
        let (charset, filled) = (self.charset, self.input.fill_buf());
        let buffer = filled.map_err(|error| Doing::Read.failed(&self.place.path(), &error))?;
        let whole = if buffer.len() < unit { buffer.len() } else { buffer.len() - buffer.len() % unit };
        let (mut ends, mut last) = (0, 0);
        for end in charset.line_ends(&buffer[..whole]).take(usize::try_from(most).unwrap_or(usize::MAX)) {
            ends += 1;
            last = end;
        }
        let used = if ends == most { last } else { whole };
        self.input.consume(used);
        self.at += used as u64;
        Ok((used, ends, ends > 0 && last == used))
    }

    /// At most so many lines and bytes from here on, and how many lines they are.
    fn take(&mut self, lines: usize, most: usize) -> Result<(Vec<u8>, usize), Failure> {
        let start = self.at;
        let mut raw = Vec::new();
        let read = self.input.by_ref().take(most as u64 + 4).read_to_end(&mut raw);
        self.told(read)?;
        let inside: Vec<usize> = self.charset.line_ends(&raw).take_while(|end| *end <= most).take(lines).collect();
        let all = raw.len() <= most;
        let end = match inside.last() {
            Some(end) if inside.len() == lines || !all => *end,
            _ if all => raw.len(),
            _ => self.charset.whole_characters(&raw, most),
        };
        let open_line = usize::from(end > inside.last().copied().unwrap_or(0));
        raw.truncate(end);
        self.seek(start + end as u64)?;
        Ok((raw, inside.len() + open_line))
    }

    /// Lines of the whole file, unless it is too large.
    fn total_lines(&mut self, stop: &Stop<'_>) -> Result<Option<u64>, Failure> {
        if self.size > COUNTED {
            return Ok(None);
        }
        self.seek(self.charset.mark().len() as u64)?;
        let (mut total, mut complete) = (0, true);
        loop {
            stop()?;
            let (used, ends, ended) = self.scan(u64::MAX)?;
            if used == 0 {
                return Ok(Some(total + u64::from(!complete)));
            }
            total += ends;
            complete = ended;
        }
    }
}

#[cfg(test)]
mod tests;
