//! Exact replacement in a file: `edit`.

use winclaw_sdk::files::{Clash, Folders};
use winclaw_sdk::prelude::*;

use crate::charset::Charset;
use crate::read::not_text;
use crate::replace::{NotReplaced, Replaced, replace};
use crate::write::{one_at_a_time, target_place};

/// Largest file that is edited, in bytes.
const MAX_BYTES: u64 = 32 << 20;

/// What to change.
#[args]
#[derive(Debug)]
pub struct EditArgs {
    /// The file, absolute or relative to the working folder.
    pub path: String,
    /// The text to replace, exactly as in the file, with enough around it to be unique.
    pub old: String,
    /// What to put in its place; empty to remove it.
    pub new: String,
    /// Whether to replace every occurrence instead of the only one.
    #[serde(default)]
    pub all: bool,
    /// The file's encoding, when it is not recognised.
    #[serde(default)]
    pub encoding: Option<String>,
}

/// A file that was changed.
#[result]
#[derive(Debug)]
pub struct Edited {
    /// Its absolute path.
    pub path: String,
    /// How many places were replaced.
    pub replaced: usize,
    /// Line of the first one.
    pub first_line: usize,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Its encoding, which was kept.
    pub encoding: String,
    /// The first changes with the lines around them.
    pub diff: String,
}

/// Replace an exact piece of text in a file. Encoding, line ends and all other bytes are kept. Read the file first.
#[tool(side_effect = "write")]
pub(crate) fn edit(args: EditArgs, cx: &Context) -> Result<Edited, Failure> {
    edit_in(&Folders::of(cx), &args)
}

pub(crate) fn edit_in(folders: &Folders, args: &EditArgs) -> Result<Edited, Failure> {
    if args.old.is_empty() {
        return Err(Failure::invalid_args("`old` is empty; give the text to replace, or use append to add to the end"));
    }
    if args.old == args.new {
        return Err(Failure::invalid_args("`old` and `new` are the same; nothing would change"));
    }
    let place = target_place(folders, &args.path)?;
    let _alone = one_at_a_time();
    let entry = place.target()?;
    entry.existing()?;
    entry.has_file()?;
    let bytes = entry.read(MAX_BYTES)?;
    let charset = match &args.encoding {
        Some(name) => Charset::named(name)?.found_in(&bytes),
        None => Charset::detect(&bytes, true).map_err(|why| not_text(why, &place))?,
    };
    let text = charset.decode_exactly(&bytes).map_err(|why| not_text(why, &place))?;
    let done = replace(&text, &args.old, &args.new, args.all).map_err(|why| unchanged(why, &args.path))?;
    let bytes = charset.encode_file(&done.text).map_err(|c| charset.lacks(c))?;
    entry.save(&bytes, Clash::Replace)?;
    Ok(edited(entry.path.display().to_string(), done, bytes.len(), charset))
}

fn edited(path: String, done: Replaced, bytes: usize, charset: Charset) -> Edited {
    Edited {
        path,
        replaced: done.lines.len(),
        first_line: done.lines.first().copied().unwrap_or(1),
        bytes: bytes as u64,
        encoding: charset.name(),
        diff: done.diff,
    }
}

fn unchanged(why: NotReplaced, path: &str) -> Failure {
    Failure::tool_failed(match why {
        NotReplaced::Absent(None) => {
            format!("`old` does not occur in `{path}`; read the file and copy the text exactly")
        }
        NotReplaced::Absent(Some(hint)) => {
            format!("`old` does not occur in `{path}`, but {hint}; copy the text exactly")
        }
        NotReplaced::Several(lines) => {
            let shown: Vec<String> = lines.iter().take(10).map(ToString::to_string).collect();
            format!(
                "`old` occurs {} times in `{path}` (lines {}); add more of the text around it, or set `all` to true",
                lines.len(),
                shown.join(", ")
            )
        }
    })
}
