//! What the person entered before, kept without secrets in a file of the data folder that only its owner may read.

use std::borrow::Cow;
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};

use reedline::{FileBackedHistory, History, HistoryItem, HistoryItemId, HistorySessionId, Result, SearchQuery};
use winclaw_trace::redact_text;

/// How many entries are kept; the oldest go first.
const ENTRIES: usize = 2000;

/// Longest entry that is kept, in bytes. A longer one was pasted, and its lines would hide the others.
const LONGEST: usize = 16 * 1024;

/// The history of all chats in one data folder. Several processes may share it.
pub(super) struct Remembered(FileBackedHistory);

impl Remembered {
    /// The history in `folder`; in memory alone where the file cannot be used, with the error.
    pub(super) fn open(folder: &Path) -> (Remembered, Option<io::Error>) {
        let in_memory = || Remembered(FileBackedHistory::default());
        let file = folder.join("chat-history");
        match private(&file).and_then(|()| with_file(file)) {
            Ok(history) => (Remembered(history), None),
            Err(error) => (in_memory(), Some(error)),
        }
    }
}

fn with_file(file: PathBuf) -> io::Result<FileBackedHistory> {
    FileBackedHistory::with_file(ENTRIES, file).map_err(|error| io::Error::other(error.to_string()))
}

/// Makes the file, for its owner alone, before anybody writes to it.
fn private(file: &Path) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let opened = options.open(file)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        opened.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    }
    drop(opened);
    Ok(())
}

/// What is kept of an entry: all but its secrets; `None` for what is not kept at all.
fn kept(entry: &str) -> Option<Cow<'_, str>> {
    (entry.len() <= LONGEST && !entry.trim().is_empty()).then(|| redact_text(entry))
}

impl History for Remembered {
    fn save(&mut self, mut item: HistoryItem) -> Result<HistoryItem> {
        match kept(&item.command_line) {
            Some(entry) => item.command_line = entry.into_owned(),
            None => return Ok(item),
        }
        let saved = self.0.save(item)?;
        // At once: a program that is killed keeps what was entered.
        let _ = self.0.sync();
        Ok(saved)
    }

    fn load(&self, id: HistoryItemId) -> Result<HistoryItem> {
        self.0.load(id)
    }

    fn count(&self, query: SearchQuery) -> Result<i64> {
        self.0.count(query)
    }

    fn search(&self, query: SearchQuery) -> Result<Vec<HistoryItem>> {
        self.0.search(query)
    }

    fn update(&mut self, id: HistoryItemId, updater: &dyn Fn(HistoryItem) -> HistoryItem) -> Result<()> {
        self.0.update(id, updater)
    }

    fn clear(&mut self) -> Result<()> {
        self.0.clear()
    }

    fn delete(&mut self, id: HistoryItemId) -> Result<()> {
        self.0.delete(id)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync()
    }

    fn session(&self) -> Option<HistorySessionId> {
        self.0.session()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(folder: &Path) -> Vec<String> {
        let (history, error) = Remembered::open(folder);
        assert!(error.is_none(), "{error:?}");
        let all = SearchQuery::everything(reedline::SearchDirection::Forward, None);
        history.search(all).expect("entries").into_iter().map(|item| item.command_line).collect()
    }

    #[test]
    fn entries_are_kept_at_once_and_without_secrets() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut history, _) = Remembered::open(folder.path());
        let (mut other, _) = Remembered::open(folder.path());
        let mut save = |line: &str| history.save(HistoryItem::from_command_line(line)).map(drop).expect("saved");
        save("two\nlines 北京");
        save("my key is sk-abcdefghijklmnop1234567890 and 密码：hunter2hunter2");
        save(&"x".repeat(LONGEST + 1));
        save("  ");
        other.save(HistoryItem::from_command_line("of another process")).map(drop).expect("saved");
        let file = std::fs::read_to_string(folder.path().join("chat-history")).expect("a file");
        assert!(!file.contains("sk-abc") && !file.contains("hunter2"), "{file}");
        let kept = entries(folder.path());
        assert_eq!((kept.len(), kept[0].as_str(), kept[2].as_str()), (3, "two\nlines 北京", "of another process"));
        assert!(kept[1].contains("[redacted]"), "{kept:?}");
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_reads_it_and_a_file_that_cannot_be_read_costs_itself_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("chat-history");
        std::fs::write(&file, b"old\n").expect("written");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("set");
        assert_eq!(entries(folder.path()), ["old"]);
        assert_eq!(std::fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
        std::fs::write(&file, b"\xff\xfe\n").expect("written");
        let (mut history, error) = Remembered::open(folder.path());
        assert!(error.is_some());
        history.save(HistoryItem::from_command_line("x")).map(drop).expect("kept in memory");
    }
}
