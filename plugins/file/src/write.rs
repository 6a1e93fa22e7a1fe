//! Whole files and ends of files: `write` and `append`.

use std::io::{Read, Seek, SeekFrom, Write};

use cap_std::fs::OpenOptions;
use winclaw_sdk::prelude::*;

use crate::atomic::{Clash, one_at_a_time, put};
use crate::charset::{Charset, LineEnds, SAMPLE};
use crate::errors::{self, Doing};
use crate::names;
use crate::roots::{Entry, Place, Roots};

/// Line ends of a file.
#[args]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Ends {
    /// As on Unix.
    Lf,
    /// As on Windows.
    Crlf,
}

/// What to write.
#[args]
#[derive(Debug)]
pub struct WriteArgs {
    /// The file, absolute or relative to the working folder. Missing folders are made.
    pub path: String,
    /// The whole new content.
    pub text: String,
    /// Whether an existing file may be replaced. To change a part of a file use edit, to add to its end use append.
    #[serde(default)]
    pub overwrite: bool,
    /// Encoding, such as "gbk" or "utf-8-bom". Default: that of the file replaced, else utf-8.
    #[serde(default)]
    pub encoding: Option<String>,
    /// Line ends. Default: those of the file replaced, else as in `text`.
    #[serde(default)]
    pub line_ends: Option<Ends>,
}

/// What to append.
#[args]
#[derive(Debug)]
pub struct AppendArgs {
    /// The file, absolute or relative to the working folder; made when missing.
    pub path: String,
    /// What to add, in the file's own encoding and line ends.
    pub text: String,
    /// Whether the added text starts on a line of its own.
    #[serde(default = "yes")]
    pub new_line: bool,
    /// The file's encoding, when it is not recognised.
    #[serde(default)]
    pub encoding: Option<String>,
}

fn yes() -> bool {
    true
}

/// A file that was written.
#[result]
#[derive(Debug)]
pub struct Written {
    /// Its absolute path.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Whether it is new.
    pub created: bool,
    /// Its encoding.
    pub encoding: String,
    /// How its lines end: lf, crlf, mixed or none.
    pub line_ends: &'static str,
}

/// Create a text file, or replace one when `overwrite` is true. The file appears whole or not at all.
#[tool(side_effect = "write")]
pub(crate) fn write(args: WriteArgs, cx: &Context) -> Result<Written, Failure> {
    write_in(&Roots::of(cx), &args)
}

/// Add text to the end of a file and keep what is in it. Encoding and line ends of the file are kept.
#[tool(side_effect = "write")]
pub(crate) fn append(args: AppendArgs, cx: &Context) -> Result<Written, Failure> {
    append_in(&Roots::of(cx), &args)
}

pub(crate) fn write_in(roots: &Roots, args: &WriteArgs) -> Result<Written, Failure> {
    let place = target_place(roots, &args.path)?;
    let _alone = one_at_a_time();
    place.make_parents()?;
    let entry = place.target()?;
    let old = regular(&entry)?;
    if old && !args.overwrite {
        return Err(taken(&entry));
    }
    let (old_charset, old_ends) = if old { look(&entry)? } else { (None, LineEnds::None) };
    let charset = match &args.encoding {
        Some(name) => Charset::named(name)?,
        None => old_charset.unwrap_or(Charset::UTF8),
    };
    let text = match args.line_ends {
        Some(Ends::Lf) => LineEnds::Lf.apply(&args.text),
        Some(Ends::Crlf) => LineEnds::CrLf.apply(&args.text),
        None => old_ends.apply(&args.text),
    };
    let bytes = charset.encode_file(&text).map_err(|c| charset.lacks(c))?;
    let clash = if args.overwrite { Clash::Replace } else { Clash::Refuse };
    put(&entry, clash, |file| file.write_all(&bytes)).map_err(|error| unwritten(&entry, &error))?;
    Ok(written(&entry, bytes.len() as u64, !old, charset, LineEnds::of(&text)))
}

pub(crate) fn append_in(roots: &Roots, args: &AppendArgs) -> Result<Written, Failure> {
    let place = target_place(roots, &args.path)?;
    let alone = one_at_a_time();
    place.make_parents()?;
    let entry = place.target()?;
    if !regular(&entry)? {
        drop(alone);
        let AppendArgs { path, text, encoding, .. } = args;
        let new = WriteArgs {
            path: path.clone(),
            text: text.clone(),
            overwrite: false,
            encoding: encoding.clone(),
            line_ends: None,
        };
        return write_in(roots, &new);
    }
    let failed = |error: std::io::Error| errors::of(Doing::Write, &entry.path, &error);
    let mut file = entry.dir.open_with(&entry.name, OpenOptions::new().read(true).append(true)).map_err(failed)?;
    let mut head = Vec::new();
    Read::by_ref(&mut file).take(SAMPLE as u64).read_to_end(&mut head).map_err(failed)?;
    let charset = match &args.encoding {
        Some(name) => Charset::named(name)?.found_in(&head),
        None => Charset::detect(&head, head.len() < SAMPLE).map_err(|why| crate::read::not_text(why, &place))?,
    };
    let ends = LineEnds::of(&charset.decode(&head).0);
    let end_missing = args.new_line && !ends_line(&mut file, charset).map_err(failed)?;
    let text = ends.apply(&format!("{}{}", if end_missing { "\n" } else { "" }, args.text));
    let bytes = charset.encode(&text).map_err(|c| charset.lacks(c))?;
    file.write_all(&bytes).and_then(|()| file.sync_data()).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    Ok(written(&entry, size, false, charset, ends))
}

/// The writable place of a path whose names can be made here.
pub(crate) fn target_place(roots: &Roots, path: &str) -> Result<Place, Failure> {
    let place = roots.place(path)?.writable()?;
    names::check(&place.path())?;
    if Place::ends_as_folder(path) || place.is_dir() {
        return Err(Failure::invalid_args(format!(
            "`{}` is a folder; give the path of a file",
            place.path().display()
        )));
    }
    Ok(place)
}

/// Whether a file is there that may be changed. Anything else but nothing is an error.
pub(crate) fn regular(entry: &Entry) -> Result<bool, Failure> {
    let Some(found) = entry.found()? else { return Ok(false) };
    let shown = entry.path.display();
    if !found.is_file() {
        return Err(Failure::tool_failed(format!("`{shown}` is a folder, device or pipe, not a file")));
    }
    if found.permissions().readonly() {
        return Err(Failure::tool_failed(format!("`{shown}` is marked read-only, so it was not changed")));
    }
    Ok(true)
}

/// The failure for a name that is taken.
pub(crate) fn taken(entry: &Entry) -> Failure {
    Failure::tool_failed(format!(
        "`{}` exists already; set `overwrite` to true to replace it, or choose another name",
        entry.path.display()
    ))
}

pub(crate) fn unwritten(entry: &Entry, error: &std::io::Error) -> Failure {
    match error.kind() {
        std::io::ErrorKind::AlreadyExists => taken(entry),
        _ => errors::of(Doing::Write, &entry.path, error),
    }
}

/// Encoding and line ends at the head of the file that will be replaced; no encoding when it is no text.
fn look(entry: &Entry) -> Result<(Option<Charset>, LineEnds), Failure> {
    let mut head = Vec::new();
    let file = entry.dir.open(&entry.name).and_then(|file| file.take(SAMPLE as u64).read_to_end(&mut head));
    file.map_err(|error| errors::of(Doing::Read, &entry.path, &error))?;
    let charset = Charset::detect(&head, head.len() < SAMPLE).ok();
    Ok((charset, charset.map_or(LineEnds::None, |charset| LineEnds::of(&charset.decode(&head).0))))
}

/// Whether the file is empty or its last line is complete.
fn ends_line(file: &mut cap_std::fs::File, charset: Charset) -> std::io::Result<bool> {
    let size = file.metadata()?.len();
    if size <= charset.mark().len() as u64 {
        return Ok(true);
    }
    let newline = charset.newline();
    file.seek(SeekFrom::Start(size.saturating_sub(newline.len() as u64)))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    Ok(tail == newline)
}

fn written(entry: &Entry, bytes: u64, created: bool, charset: Charset, ends: LineEnds) -> Written {
    Written { path: entry.path.display().to_string(), bytes, created, encoding: charset.name(), line_ends: ends.name() }
}
