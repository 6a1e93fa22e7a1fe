//! Whole files and ends of files: `write` and `append`.

use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use winclaw_sdk::files::cap_std::fs::{File, OpenOptions};
use winclaw_sdk::files::{Access, Clash, Doing, Entry, Folders, Place};
use winclaw_sdk::prelude::*;

use crate::charset::{Charset, LineEnds, SAMPLE};

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
    write_in(&Folders::of(cx), &args)
}

/// Add text to the end of a file and keep what is in it. Encoding and line ends of the file are kept.
#[tool(side_effect = "write")]
pub(crate) fn append(args: AppendArgs, cx: &Context) -> Result<Written, Failure> {
    append_in(&Folders::of(cx), &args)
}

pub(crate) fn write_in(folders: &Folders, args: &WriteArgs) -> Result<Written, Failure> {
    let place = target_place(folders, &args.path)?;
    let _alone = one_at_a_time();
    place.make_parents()?;
    let entry = place.target()?;
    let old = entry.has_file()?;
    if old && !args.overwrite {
        return Err(entry.taken());
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
    entry.save(&bytes, Clash::overwrite(args.overwrite))?;
    Ok(written(&entry, bytes.len() as u64, !old, charset, LineEnds::of(&text)))
}

pub(crate) fn append_in(folders: &Folders, args: &AppendArgs) -> Result<Written, Failure> {
    let place = target_place(folders, &args.path)?;
    let alone = one_at_a_time();
    place.make_parents()?;
    let entry = place.target()?;
    if !entry.has_file()? {
        drop(alone);
        let AppendArgs { path, text, encoding, .. } = args;
        let new = WriteArgs {
            path: path.clone(),
            text: text.clone(),
            overwrite: false,
            encoding: encoding.clone(),
            line_ends: None,
        };
        return write_in(folders, &new);
    }
    let failed = |error: std::io::Error| Doing::Write.failed(&entry.path, &error);
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

/// Held while a file is read, changed and written back, so that two edits of one reply do not undo each other.
pub(crate) fn one_at_a_time() -> MutexGuard<'static, ()> {
    static CHANGING: Mutex<()> = Mutex::new(());
    CHANGING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the text of a path ends like a folder's.
pub(crate) fn names_folder(path: &str) -> bool {
    path.ends_with('/') || path.ends_with(std::path::MAIN_SEPARATOR) || path == "." || path == ".."
}

/// The writable place of a path whose names can be made here.
pub(crate) fn target_place(folders: &Folders, path: &str) -> Result<Place, Failure> {
    let place = folders.find(path, Access::Write)?;
    place.check_names()?;
    if names_folder(path) || place.is_dir() {
        return Err(Failure::invalid_args(format!(
            "`{}` is a folder; give the path of a file",
            place.path().display()
        )));
    }
    Ok(place)
}

/// Encoding and line ends at the head of the file that will be replaced; no encoding when it is no text.
fn look(entry: &Entry) -> Result<(Option<Charset>, LineEnds), Failure> {
    let mut head = Vec::new();
    let file = entry.dir.open(&entry.name).and_then(|file| file.take(SAMPLE as u64).read_to_end(&mut head));
    file.map_err(|error| Doing::Read.failed(&entry.path, &error))?;
    let charset = Charset::detect(&head, head.len() < SAMPLE).ok();
    Ok((charset, charset.map_or(LineEnds::None, |charset| LineEnds::of(&charset.decode(&head).0))))
}

/// Whether the file is empty or its last line is complete.
fn ends_line(file: &mut File, charset: Charset) -> std::io::Result<bool> {
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
