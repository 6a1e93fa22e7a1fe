use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;

use winclaw_tool::Failure;

/// Most bytes of a key, and of all keys and values of a plugin together.
const MAX_KEY: usize = 256;
const MAX_TOTAL: usize = 4 * 1024 * 1024;

/// The values a plugin keeps from one call to the next: one JSON file, replaced as a whole.
///
/// Several processes may share it: each change holds a lock on a file beside it. Nothing is cached.
#[derive(Debug, Clone)]
pub(crate) struct KeyValues {
    folder: PathBuf,
}

type Values = BTreeMap<String, String>;

impl KeyValues {
    /// The store in `folder`, which is made when the first value is stored.
    pub(crate) fn new(folder: PathBuf) -> Self {
        KeyValues { folder }
    }

    /// The value of `key`; `None` as well when the store cannot be read.
    pub(crate) fn get(&self, key: &str) -> Option<String> {
        self.load().ok()?.remove(key)
    }

    /// Stores `value`, or removes `key` when there is none.
    pub(crate) fn set(&self, key: &str, value: Option<&str>) -> Result<(), Failure> {
        if key.is_empty() || key.len() > MAX_KEY {
            return Err(Failure::invalid_args(format!("a key has 1 to {MAX_KEY} bytes, this one has {}", key.len())));
        }
        self.change(key, value).map_err(|error| {
            Failure::unavailable(format!("the value of `{key}` could not be stored: {error}")).with_hint(
                "Check the free space and the rights of the data folder.",
                "请检查数据文件夹的剩余空间和权限。",
            )
        })
    }

    fn change(&self, key: &str, value: Option<&str>) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let lock = File::create(self.folder.join("kv.lock"))?;
        lock.lock()?;
        let mut values = self.load()?;
        match value {
            Some(value) => values.insert(key.to_owned(), value.to_owned()),
            None => values.remove(key),
        };
        let total: usize = values.iter().map(|(key, value)| key.len() + value.len()).sum();
        if total > MAX_TOTAL {
            return Err(io::Error::other(format!("the plugin's values would pass {MAX_TOTAL} bytes")));
        }
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&serde_json::to_vec(&values)?)?;
        file.persist(self.folder.join("kv.json"))?;
        Ok(())
    }

    fn load(&self) -> io::Result<Values> {
        match fs::read(self.folder.join("kv.json")) {
            Ok(text) => Ok(serde_json::from_slice(&text)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Values::new()),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_until_they_are_removed() {
        let room = tempfile::tempdir().expect("a folder");
        let store = KeyValues::new(room.path().join("sky"));
        assert_eq!(store.get("place"), None);
        store.set("place", Some("北京")).expect("stored");
        assert_eq!(KeyValues::new(room.path().join("sky")).get("place").as_deref(), Some("北京"));
        store.set("place", None).expect("removed");
        assert_eq!(store.get("place"), None);
    }

    #[test]
    fn keys_and_sizes_are_bounded_and_a_refusal_changes_nothing() {
        let room = tempfile::tempdir().expect("a folder");
        let store = KeyValues::new(room.path().to_owned());
        store.set("a", Some("1")).expect("stored");
        assert!(store.set("", Some("x")).is_err() && store.set(&"k".repeat(257), Some("x")).is_err());
        assert!(store.set("a", Some(&"x".repeat(MAX_TOTAL))).is_err());
        assert_eq!(store.get("a").as_deref(), Some("1"));
    }

    #[test]
    fn writers_at_once_lose_nothing() {
        let room = tempfile::tempdir().expect("a folder");
        std::thread::scope(|scope| {
            for n in 0..8 {
                let store = KeyValues::new(room.path().to_owned());
                scope.spawn(move || store.set(&format!("k{n}"), Some("v")).expect("stored"));
            }
        });
        let store = KeyValues::new(room.path().to_owned());
        assert!((0..8).all(|n| store.get(&format!("k{n}")).is_some()));
    }
}
