use serde::{Deserialize, Serialize};

use crate::Text;

/// What sort of thing is wrong, for programs; people read [`Problem::what`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// A manifest is missing, too large, too deep or not valid.
    Manifest,
    /// The package has no library for this machine, or is for another ABI.
    Target,
    /// The library is empty, cut off, not a library, or for another machine.
    Library,
    /// The bytes are not the ones the manifest names.
    Checksum,
    /// The same id stands twice.
    Duplicate,
    /// A claim about other tools does not hold: an unknown dependency, a bad detail key, a reserved name.
    Claim,
    /// A file or folder could not be read or written.
    Io,
}

/// Something that is wrong but costs only itself: what, where, and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The sort of thing that is wrong.
    pub kind: ProblemKind,
    /// What it is about: a tool id, a plugin id, or the name of a folder.
    pub subject: String,
    /// What is wrong, in one sentence.
    pub what: Text,
    /// What a person can do about it, in one sentence.
    pub mend: Text,
    /// Whether the subject was left out because of it. `false` is a warning: the rest of the subject works.
    pub fatal: bool,
}
