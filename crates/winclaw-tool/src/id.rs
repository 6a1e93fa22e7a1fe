use std::fmt;

use serde::{Deserialize, Serialize};

/// Longest plugin id and longest tool name a native package may use, in bytes.
const MAX_PART: usize = 64;

/// Why a name is not an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdError {
    /// The text that was given.
    pub given: String,
    /// What an id of this kind must look like.
    pub rule: &'static str,
}

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a valid id: {}", self.given.escape_debug(), self.rule)
    }
}

impl std::error::Error for IdError {}

/// The id of a plugin or of any other source of tools, such as an MCP server.
///
/// 1 to 64 bytes of `a-z`, `0-9`, `_` and `-`, starting with a letter or digit. It never contains a dot, so the first
/// dot of a [`ToolId`] always ends it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PluginId(String);

impl PluginId {
    /// Checks and takes `id`.
    pub fn new(id: impl Into<String>) -> Result<Self, IdError> {
        let id = id.into();
        let legal = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-';
        let starts_well = id.bytes().next().is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        if starts_well && id.len() <= MAX_PART && id.bytes().all(legal) {
            Ok(PluginId(id))
        } else {
            Err(IdError { given: id, rule: "use 1 to 64 of a-z, 0-9, _ and -, starting with a letter or digit" })
        }
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for PluginId {
    type Error = IdError;
    fn try_from(id: String) -> Result<Self, IdError> {
        PluginId::new(id)
    }
}

impl From<PluginId> for String {
    fn from(id: PluginId) -> String {
        id.0
    }
}

impl fmt::Display for PluginId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The id of a tool in this host: `source.name`, unique over everything that is loaded.
///
/// The source is a [`PluginId`]; the name is 1 to 256 bytes of any text without control characters, since MCP servers
/// use spaces, dots and Chinese in theirs. Native packages are held to a stricter rule when their manifest is checked.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolId(String);

impl ToolId {
    /// Joins a source and a tool name.
    pub fn new(source: &PluginId, name: &str) -> Result<Self, IdError> {
        ToolId::parse(&format!("{source}.{name}"))
    }

    /// Reads `source.name`.
    pub fn parse(id: &str) -> Result<Self, IdError> {
        let rule = "write it as source.name";
        let refuse = || IdError { given: id.to_owned(), rule };
        let (source, name) = id.split_once('.').ok_or_else(refuse)?;
        PluginId::new(source)?;
        let legal = !name.is_empty() && name.len() <= 256 && !name.chars().any(char::is_control);
        if legal { Ok(ToolId(id.to_owned())) } else { Err(refuse()) }
    }

    /// The whole id, `source.name`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The source: everything before the first dot.
    pub fn source(&self) -> &str {
        &self.0[..self.dot()]
    }

    /// The tool's own name: everything after the first dot.
    pub fn name(&self) -> &str {
        self.0.get(self.dot() + 1..).unwrap_or("")
    }

    /// Where the first dot stands; every id has one. Asked for often, and faster so than by splitting at a `char`.
    fn dot(&self) -> usize {
        self.0.bytes().position(|b| b == b'.').unwrap_or(self.0.len())
    }
}

impl TryFrom<String> for ToolId {
    type Error = IdError;
    fn try_from(id: String) -> Result<Self, IdError> {
        ToolId::parse(&id)
    }
}

impl From<ToolId> for String {
    fn from(id: ToolId) -> String {
        id.0
    }
}

impl fmt::Display for ToolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_dot_ends_the_source() {
        let id = ToolId::parse("server.admin.tools.list").expect("an id");
        assert_eq!((id.source(), id.name()), ("server", "admin.tools.list"));
    }

    #[test]
    fn ids_that_could_not_be_told_apart_or_typed_are_refused() {
        for bad in ["", "a", ".a", "a.", "A.b", "a b.c", "a.b\n", "天.b"] {
            assert!(ToolId::parse(bad).is_err(), "{bad:?}");
        }
        for good in ["a.b", "a-1.北京 天气", "0.x"] {
            assert!(ToolId::parse(good).is_ok(), "{good:?}");
        }
    }
}
