//! Results that are too long for a model: what of them it reads, and where the whole is kept.

use std::borrow::Cow;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use winclaw_tool::{ToolId, ToolOutput};

/// Most bytes that one folder keeps. Beyond it the oldest results go.
const MAX_BYTES: u64 = 256 << 20;

/// Characters of a result that whoever watches is given; of a longer one it is given the ends.
pub(crate) const MAX_WATCHED: usize = 1_000_000;

/// The text that a model reads, without a copy where the output is a text.
pub(crate) fn text_of(output: &ToolOutput) -> Cow<'_, str> {
    match &output.value {
        Value::String(text) => text.into(),
        other => other.to_string().into(),
    }
}

/// Keeps `text` as the whole result of a call of `tool`, readable by its owner alone; the path, or nothing where it cannot
/// be kept: the model is then told that it is gone.
pub(crate) fn keep(folder: &Path, tool: &ToolId, is_text: bool, text: &str) -> Option<PathBuf> {
    if text.len() as u64 > MAX_BYTES {
        return None;
    }
    let kept = write(folder, tool, is_text, text);
    if let Err(error) = &kept {
        tracing::warn!(%error, folder = %folder.display(), "a long result could not be kept");
    }
    kept.ok()
}

fn write(folder: &Path, tool: &ToolId, is_text: bool, text: &str) -> std::io::Result<PathBuf> {
    make_private(folder)?;
    make_room(folder, text.len() as u64)?;
    let extension = if is_text { "txt" } else { "json" };
    for number in last_number(folder)? + 1.. {
        let path = folder.join(format!("{number:06}-{}.{extension}", tool.as_str()));
        let mut file = match create(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
            other => other?,
        };
        if let Err(error) = file.write_all(text.as_bytes()) {
            drop(file);
            // Half a result would be taken for a whole one.
            let _ = fs::remove_file(&path);
            return Err(error);
        }
        return Ok(path);
    }
    Err(std::io::Error::other("there is no free name"))
}

/// The highest number that a kept result has.
fn last_number(folder: &Path) -> std::io::Result<u64> {
    let names = fs::read_dir(folder)?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let numbers = names.filter_map(|name| name.split('-').next()?.parse().ok());
    Ok(numbers.max().unwrap_or(0))
}

fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn create(path: &Path) -> std::io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Removes the oldest results until `more` bytes fit.
fn make_room(folder: &Path, more: u64) -> std::io::Result<()> {
    let mut files: Vec<(PathBuf, u64)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        files.push((entry.path(), entry.metadata().map_or(0, |data| data.len())));
    }
    // Names begin with a number that rises.
    files.sort();
    let mut total: u64 = files.iter().map(|(_, bytes)| bytes).sum();
    for (path, bytes) in files {
        if total.saturating_add(more) <= MAX_BYTES {
            break;
        }
        fs::remove_file(path)?;
        total -= bytes;
    }
    Ok(())
}

/// What stands where a result was cut.
pub(crate) fn mark(cut: usize, bytes: usize, whole: Option<&Path>) -> String {
    match whole {
        Some(path) => format!(
            "… [{cut} characters cut here. The whole result of {bytes} bytes is in {}: read a part of it there, or ask for a \
             smaller part] …",
            path.display()
        ),
        None => format!("… [{cut} characters cut here; ask for a smaller part] …"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool() -> ToolId {
        ToolId::parse("dump.lines").expect("an id")
    }

    #[test]
    fn whole_results_are_kept_for_their_owner_alone_and_none_takes_the_name_of_another() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().join("of/a session");
        let first = keep(&folder, &tool(), true, "one").expect("kept");
        let second = keep(&folder, &tool(), false, "{}").expect("kept");
        assert_eq!(fs::read_to_string(&first).expect("read"), "one");
        assert!(first.ends_with("000001-dump.lines.txt") && second.ends_with("000002-dump.lines.json"), "{second:?}");
        fs::remove_file(&first).expect("removed");
        assert_ne!(keep(&folder, &tool(), false, "{}").expect("kept"), second);
        #[cfg(unix)]
        for path in [&folder, &second] {
            let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(path).expect("there").permissions());
            assert_eq!(mode & 0o077, 0, "{path:?}");
        }
    }

    #[test]
    fn a_folder_keeps_the_latest_results_within_its_bound() {
        let place = tempfile::tempdir().expect("a folder");
        for number in 1..=4 {
            let sparse = fs::File::create(place.path().join(format!("{number:06}-x.txt"))).expect("a file");
            sparse.set_len(MAX_BYTES / 4).expect("long");
        }
        let kept = keep(place.path(), &tool(), true, "news").expect("kept");
        let names: Vec<_> = fs::read_dir(place.path()).expect("read").map(|file| file.expect("one").path()).collect();
        assert!(names.len() == 4 && names.contains(&kept) && !names.iter().any(|name| name.ends_with("000001-x.txt")));
    }

    #[test]
    fn where_nothing_can_be_kept_the_task_goes_on() {
        let place = tempfile::tempdir().expect("a folder");
        let file = place.path().join("a file");
        fs::write(&file, "").expect("written");
        assert_eq!(keep(&file.join("below"), &tool(), true, "x"), None);
        assert!(mark(10, 20, None).contains("10 characters cut"));
    }
}
