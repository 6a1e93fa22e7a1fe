use std::collections::{BTreeMap, BTreeSet};

use winclaw_tool::ToolId;

/// Longest source and longest name that are made, in bytes. A source may have 64, and may get a number.
const SOURCE: usize = 50;
const NAME: usize = 256;

/// Ids of any characters, and the legal id that stands for each.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    taken: BTreeSet<ToolId>,
    legal: BTreeMap<String, ToolId>,
}

impl Ids {
    /// A legal id for `given`, which was not added before, as near to `server` and `name` as the rules allow.
    ///
    /// Two ids that would look the same are told apart by a number behind the source.
    pub(crate) fn add(&mut self, given: &str, server: &str, name: &str) -> Option<ToolId> {
        let (source, name) = (source(server), legal_name(name));
        let plain = std::iter::once(format!("{source}.{name}"));
        let numbered = (2..).map(|number: u32| format!("{source}-{number}.{name}"));
        // Every candidate is legal, and one of the first `taken.len() + 1` is free.
        let mut candidates = plain.chain(numbered).map(|id| ToolId::parse(&id).ok());
        let id = candidates.find(|id| id.as_ref().is_none_or(|id| !self.taken.contains(id)))??;
        self.taken.insert(id.clone());
        self.legal.insert(given.to_owned(), id.clone());
        Some(id)
    }

    /// The legal id that stands for `given`.
    pub(crate) fn get(&self, given: &str) -> Option<&ToolId> {
        self.legal.get(given)
    }

    /// Every id as it was given, with the legal one.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &ToolId)> {
        self.legal.iter().map(|(given, id)| (given.as_str(), id))
    }
}

/// `server` in the letters a source may have; `s` when nothing is left of it.
fn source(server: &str) -> String {
    let legal = |c: char| {
        if c.is_ascii_alphanumeric() || c == '-' { c.to_ascii_lowercase() } else { '_' }
    };
    let plain: String = server.chars().map(legal).take(SOURCE).collect();
    let plain = plain.trim_matches(['_', '-']);
    if plain.is_empty() { "s".to_owned() } else { plain.to_owned() }
}

/// `name` without control characters and not too long; `x` when nothing is left of it.
fn legal_name(name: &str) -> String {
    let mut legal: String = name.chars().filter(|c| !c.is_control()).collect();
    let end = (0..=NAME.min(legal.len())).rev().find(|end| legal.is_char_boundary(*end)).unwrap_or(0);
    legal.truncate(end);
    if legal.is_empty() { "x".to_owned() } else { legal }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_id_gets_a_legal_one_of_its_own() {
        let mut ids = Ids::default();
        let long = "长".repeat(400);
        let given = ["a/b", "a b", "A_B", "", "北京/天气", "x\u{0}y", long.as_str(), "-", "👋 Project_v3/Get"];
        let made: Vec<ToolId> = given.iter().map(|id| ids.add(id, id, id).expect("an id")).collect();
        let distinct: BTreeSet<&ToolId> = made.iter().collect();
        assert_eq!(distinct.len(), given.len(), "{made:?}");
        for (given, made) in given.iter().zip(&made) {
            assert_eq!(ids.get(given), Some(made), "{given:?}");
        }
        let back: BTreeMap<&ToolId, &str> = ids.iter().map(|(given, id)| (id, given)).collect();
        assert!(given.iter().zip(&made).all(|(given, made)| back[made] == *given));
    }

    #[test]
    fn same_names_are_numbered_in_the_source() {
        let mut ids = Ids::default();
        let made: Vec<String> =
            ["1", "2", "3"].iter().map(|id| ids.add(id, "Sky!", "find").expect("an id").to_string()).collect();
        assert_eq!(made, ["sky.find", "sky-2.find", "sky-3.find"]);
    }
}
