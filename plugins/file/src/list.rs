//! What is in a folder and what a path is: `list` and `info`.

use std::io::Read;

use winclaw_sdk::files::cap_std::fs::Metadata;
use winclaw_sdk::files::cap_std::time::SystemTime;
use winclaw_sdk::files::{Access, Doing, Folders, Place};
use winclaw_sdk::prelude::*;

use crate::charset::{Charset, LineEnds, SAMPLE};
use crate::walk::{Found, entries};

/// How a listing is sorted.
#[args]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// Folders first, then by name.
    #[default]
    Name,
    /// Largest first.
    Size,
    /// Newest first.
    Modified,
}

/// Which folder to list.
#[args]
#[derive(Debug)]
pub struct ListArgs {
    /// The folder, absolute or relative to the working folder.
    #[serde(default = "here")]
    pub path: String,
    /// Order of the entries.
    #[serde(default)]
    pub sort: Sort,
    /// Whether names that start with a dot are listed.
    #[serde(default)]
    pub hidden: bool,
    /// Most entries to return.
    #[serde(default = "hundreds")]
    #[schemars(range(min = 1, max = 2000))]
    pub limit: u32,
    /// How many entries to skip, for the next page.
    #[serde(default)]
    pub offset: u32,
}

/// Which path to describe.
#[args]
#[derive(Debug)]
pub struct InfoArgs {
    /// A file or folder, absolute or relative to the working folder.
    pub path: String,
}

pub(crate) fn here() -> String {
    ".".to_owned()
}

fn hundreds() -> u32 {
    200
}

/// What is in a folder.
#[result]
#[derive(Debug)]
pub struct Listing {
    /// Absolute path of the folder.
    pub path: String,
    /// The entries of this page.
    pub entries: Vec<Listed>,
    /// How many entries the folder has.
    pub total: usize,
    /// Whether there are more after these.
    pub more: bool,
}

/// One entry of a folder.
#[result]
#[derive(Debug)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// file, folder, link or other.
    pub kind: &'static str,
    /// Size of a file in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// When it was last changed, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
}

/// What a path is.
#[result]
#[derive(Debug)]
pub struct Info {
    /// Its absolute path.
    pub path: String,
    /// file, folder or other.
    pub kind: &'static str,
    /// Whether the path itself is a link; the rest describes what it leads to.
    pub link: bool,
    /// Size of a file in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// How many entries a folder has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<usize>,
    /// When it was last changed, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    /// When it was made, in UTC, where the disk knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// Whether it may only be read.
    pub read_only: bool,
    /// Encoding of a text file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// How its lines end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_ends: Option<&'static str>,
}

/// List what is in a folder: name, kind, size and time of each entry.
#[tool(side_effect = "read")]
pub(crate) fn list(args: ListArgs, cx: &Context) -> Result<Listing, Failure> {
    list_in(&Folders::of(cx), &args)
}

/// Describe a file or folder: kind, size, times, encoding and line ends. Says so when it does not exist.
#[tool(side_effect = "read")]
pub(crate) fn info(args: InfoArgs, cx: &Context) -> Result<Info, Failure> {
    info_in(&Folders::of(cx), &args)
}

pub(crate) fn list_in(folders: &Folders, args: &ListArgs) -> Result<Listing, Failure> {
    let place = folders.find(&args.path, Access::Read)?;
    let dir = place.open_dir()?;
    let mut found = entries(&dir, args.hidden).map_err(|error| Doing::Read.failed(&place.path(), &error))?;
    match args.sort {
        Sort::Name => {}
        Sort::Size => found.sort_by_key(|found| std::cmp::Reverse(found.metadata.len())),
        Sort::Modified => found.sort_by_key(|found| std::cmp::Reverse(found.metadata.modified().ok())),
    }
    let (total, offset) = (found.len(), args.offset as usize);
    let page = found.iter().skip(offset).take(args.limit.clamp(1, 2_000) as usize);
    let entries: Vec<Listed> = page.map(listed).collect();
    let more = offset + entries.len() < total;
    Ok(Listing { path: place.path().display().to_string(), entries, total, more })
}

fn listed(found: &Found) -> Listed {
    Listed {
        name: found.name.to_string_lossy().into_owned(),
        kind: kind(&found.metadata),
        bytes: found.metadata.is_file().then(|| found.metadata.len()),
        modified: time(found.metadata.modified()),
    }
}

/// What `metadata` is, in a word.
pub(crate) fn kind(metadata: &Metadata) -> &'static str {
    match metadata {
        found if found.is_symlink() => "link",
        found if found.is_dir() => "folder",
        found if found.is_file() => "file",
        _ => "other",
    }
}

fn time(time: std::io::Result<SystemTime>) -> Option<String> {
    let stamp = jiff::Timestamp::try_from(time.ok()?.into_std()).ok()?;
    stamp.round(jiff::Unit::Second).ok().map(|stamp| stamp.to_string())
}

pub(crate) fn info_in(folders: &Folders, args: &InfoArgs) -> Result<Info, Failure> {
    let place = folders.find(&args.path, Access::Read)?;
    let found = place.metadata()?;
    let text = if found.is_file() { look(&place)? } else { None };
    let folder = if found.is_dir() { Some(place.open_dir()?) } else { None };
    Ok(Info {
        path: place.path().display().to_string(),
        kind: kind(&found),
        link: place.entry().is_ok_and(|entry| entry.is_link()),
        bytes: found.is_file().then(|| found.len()),
        entries: folder.and_then(|dir| entries(&dir, true).ok()).map(|entries| entries.len()),
        modified: time(found.modified()),
        created: time(found.created()),
        read_only: found.permissions().readonly() || !place.may_write(),
        encoding: text.as_ref().map(|(encoding, _)| encoding.clone()),
        line_ends: text.map(|(_, ends)| ends),
    })
}

fn look(place: &Place) -> Result<Option<(String, &'static str)>, Failure> {
    let mut head = Vec::new();
    let read = place.open_file()?.take(SAMPLE as u64).read_to_end(&mut head);
    read.map_err(|error| Doing::Read.failed(&place.path(), &error))?;
    let charset = Charset::detect(&head, head.len() < SAMPLE).ok();
    Ok(charset.map(|charset| (charset.name(), LineEnds::of(&charset.decode(&head).0).name())))
}
