use std::fmt;
use std::path::Path;

use abi_stable::library::{LibraryError, lib_header_from_path};

use crate::{Plugin, PluginV1Ref};

/// Longest sentence made of a foreign error text, in characters.
const MAX_SENTENCE: usize = 300;

/// What sort of fault kept a library from being used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadErrorKind {
    /// The system could not load the file.
    Open,
    /// It is a library, but not a WinClaw plugin: the entry symbol is missing.
    NotAPlugin,
    /// It was built for another form of the boundary.
    Incompatible,
    /// Its start-up code failed.
    Start,
}

/// Why a library cannot be used, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadError {
    /// What sort of fault it is.
    pub kind: LoadErrorKind,
    /// One sentence without line breaks, at most a few hundred characters.
    pub message: String,
    /// The whole text of the layer below, for a log; may be many kilobytes.
    pub detail: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LoadError {}

/// Maps the library at `path` and takes its root module, after the layout of every type in it was compared.
///
/// Use an absolute path. The library is never unmapped. Loading the same file again gives the same module.
///
/// # Safety
///
/// The library's constructors run before any check, and what it exports is believed to be what its layout says: the
/// bytes at `path` must have been verified, must not change, and are trusted as much as this process.
pub unsafe fn load(path: &Path) -> Result<Plugin, LoadError> {
    let module = lib_header_from_path(path).and_then(|header| header.init_root_module::<PluginV1Ref>());
    module.map(Plugin::new).map_err(|error| explain(&error))
}

fn explain(error: &LibraryError) -> LoadError {
    let kind = match error {
        LibraryError::OpenError { .. } => LoadErrorKind::Open,
        LibraryError::GetSymbolError { .. } => LoadErrorKind::NotAPlugin,
        LibraryError::RootModule { .. } => LoadErrorKind::Start,
        _ => LoadErrorKind::Incompatible,
    };
    LoadError { kind, message: sentence(error), detail: error.to_string() }
}

fn sentence(error: &LibraryError) -> String {
    match error {
        LibraryError::OpenError { err, .. } => {
            format!("the system cannot load the library: {}", one_line(&source_text(err)))
        }
        LibraryError::GetSymbolError { .. } => {
            "the library is not a WinClaw plugin: it does not export the entry symbol that `export!` makes".into()
        }
        LibraryError::RootModule { err, .. } => {
            format!("the plugin failed while it started: {}", one_line(&err.to_string()))
        }
        LibraryError::IncompatibleVersionNumber { expected_version, actual_version, .. } => format!(
            "the plugin has version {actual_version} of the plugin boundary, this host needs {expected_version}; \
             rebuild it with this host's winclaw-sdk"
        ),
        LibraryError::InvalidAbiHeader(header) => format!(
            "the plugin was built with abi_stable {}.{}, this host uses 0.11; rebuild it with this host's winclaw-sdk",
            header.abi_major, header.abi_minor
        ),
        _ => "the plugin was built for another layout of the plugin boundary; rebuild it with this host's winclaw-sdk"
            .into(),
    }
}

/// The texts of an error and its causes, since the reason a loader gives often stands only in the cause.
fn source_text(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(cause) if cause.to_string() != error.to_string() => format!("{error}: {}", source_text(cause)),
        _ => error.to_string(),
    }
}

fn one_line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(MAX_SENTENCE) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_library_gives_one_sentence() {
        let file = std::env::temp_dir().join(format!("winclaw-abi-{}-no-library.so", std::process::id()));
        std::fs::write(&file, "plain text").expect("a temporary file");
        // SAFETY: the file is not a library, so nothing of it runs.
        let error = unsafe { load(&file) }.expect_err("text is no library");
        std::fs::remove_file(&file).expect("the temporary file");
        assert_eq!(error.kind, LoadErrorKind::Open);
        assert!(error.message.starts_with("the system cannot load the library: "), "{error}");
        assert!(!error.message.contains('\n') && error.message.chars().count() < 400, "{error}");
    }

    #[test]
    fn kilobytes_of_layout_text_become_one_sentence() {
        let long = abi_stable::std_types::RBoxError::from_fmt(&"layout\n".repeat(2000));
        let error = explain(&LibraryError::AbiInstability(long));
        assert_eq!(error.kind, LoadErrorKind::Incompatible);
        assert!(error.message.len() < 200 && error.detail.len() > 10_000);
    }

    #[test]
    fn long_texts_are_cut_at_a_character() {
        let line = one_line(&"天 ".repeat(1000));
        assert_eq!(line.chars().count(), MAX_SENTENCE + 1);
        assert!(line.ends_with('…'));
    }
}
