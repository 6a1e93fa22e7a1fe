//! The sets below a folder.

use std::error::Error;
use std::path::Path;

use winclaw_eval::{Dataset, Request};

pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) data: Dataset,
}

impl Set {
    /// The requests that need a tool; others can neither be met nor missed.
    pub(crate) fn requests(&self) -> impl Iterator<Item = &Request> {
        self.data.requests.iter().filter(|request| !request.needs.is_empty())
    }
}

/// The sets below `folder`, by name; all of them or only one.
pub(crate) fn read(folder: &Path, only: Option<&str>) -> Result<Vec<Set>, Box<dyn Error>> {
    let mut sets = Vec::new();
    for folder in Dataset::folders(folder)? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if only.is_none_or(|only| only == name) {
            sets.push(Set { name, data: Dataset::read_folder(&folder)? });
        }
    }
    Ok(sets)
}
