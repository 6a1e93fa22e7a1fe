//! Where a conversation's content came from, and which destinations the person has named.

mod destination;
mod reading;
mod words;

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use winclaw_catalog::CatalogTool;
use winclaw_tool::{FailureCode, Outcome, SideEffect};

pub use destination::{Destination, Places};
pub(crate) use destination::{below, fold, host, path};
pub(crate) use reading::Reading;

/// What else is known of where a call comes from. The default: nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Origin<'a> {
    /// What brought content of others into the conversation beside the results the guard was told of, such as the name of
    /// an attached file; `None` if nothing did.
    pub untrusted: Option<&'a str>,
}

/// Most sources that are named, of the person's texts and destinations that are kept, and of links.
const MAX_SOURCES: usize = 8;
const MAX_SAID: usize = 64;
const MAX_KNOWN: usize = 4_096;
const MAX_LINKS: usize = 1_024;

/// Longest text of the person that recipients are looked for in, in bytes.
const MAX_WORDS: usize = 32_768;

/// Where the content of a conversation came from, and the destinations that are not new to it.
///
/// A destination is known when the person named it, agreed to a call that goes there, or a call went there before content of
/// others came in; nothing that such content says makes one known. It goes on from one request of a session to the next:
/// [`Guard::origins`](crate::Guard::origins) gives it, [`Guard::resume`](crate::Guard::resume) takes it. Sizes are bounded;
/// what is forgotten counts as new.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Origins {
    /// The person's words, folded, latest last.
    said: VecDeque<String>,
    known: BTreeSet<Destination>,
    /// Ids of the tools whose content the model has read.
    untrusted: Vec<String>,
    /// Those whose results the model has not read yet.
    arrived: Vec<String>,
    /// Digests of the links that stand in results or in the person's words.
    links: BTreeSet<u64>,
}

impl Origins {
    /// The tools that brought in content of others, oldest first, at most 8.
    pub fn untrusted(&self) -> &[String] {
        &self.untrusted
    }

    /// The person's own words: a request, or an answer to a question of the model.
    pub(crate) fn said(&mut self, text: &str, places: &Places) {
        let found = words::read(text, places);
        found.to.into_iter().for_each(|to| self.learn(to));
        found.links.iter().for_each(|link| self.remember(&link.whole));
        self.said.push_back(fold(words::head(text, MAX_WORDS)));
        if self.said.len() > MAX_SAID {
            self.said.pop_front();
        }
    }

    /// The person agreed to a call that goes there.
    pub(crate) fn agreed(&mut self, to: &Destination) {
        self.learn(to.clone());
    }

    /// The model has read the results of its last reply.
    pub(crate) fn next_reply(&mut self) {
        std::mem::take(&mut self.arrived).iter().for_each(|source| self.came_in(source));
    }

    /// Content of others came in.
    pub(crate) fn came_in(&mut self, source: &str) {
        if self.untrusted.len() < MAX_SOURCES && !self.untrusted.iter().any(|known| known == source) {
            self.untrusted.push(source.to_owned());
        }
    }

    /// A call of `tool` that goes where `reading` says came to an end.
    pub(crate) fn ran(&mut self, tool: &CatalogTool, reading: Reading, outcome: &Outcome, places: &Places) {
        let refused = |code| matches!(code, FailureCode::Denied | FailureCode::Cancelled | FailureCode::InvalidArgs);
        if outcome.as_ref().is_err_and(|failure| refused(failure.code)) {
            return;
        }
        if self.untrusted.is_empty() {
            reading.to.into_iter().for_each(|to| self.learn(to));
        }
        if !brings_content(tool) {
            return;
        }
        if !self.arrived.iter().any(|source| source == tool.id.as_str()) {
            self.arrived.push(tool.id.to_string());
        }
        let text = outcome.as_ref().map_or_else(ToString::to_string, |output| output.model_text());
        words::links(&text, places).iter().for_each(|link| self.remember(&link.whole));
    }

    /// Whether `to` is not new.
    pub(crate) fn knows(&self, to: &Destination, places: &Places) -> bool {
        if self.known.contains(to) {
            return true;
        }
        match to {
            Destination::Path(path) => places.hold(path) || self.knows_folder_of(path),
            Destination::Recipient(name) => self.said.iter().any(|said| words::says(said, name)),
            Destination::Host(_) | Destination::Address(_) => false,
        }
    }

    /// The hosts of the links that carry something which neither the person nor a result wrote, to a host that is new.
    pub(crate) fn carried(&self, reading: &Reading, places: &Places) -> Vec<Destination> {
        let mut hosts = BTreeSet::new();
        for link in reading.links.iter().filter(|link| link.carries && !self.links.contains(&digest(&link.whole))) {
            let host = Destination::Host(link.host.clone());
            if !self.knows(&host, places) {
                hosts.insert(host);
            }
        }
        hosts.into_iter().collect()
    }

    /// Whether the person named, or agreed to, a folder that `path` lies in.
    fn knows_folder_of(&self, path: &str) -> bool {
        let holds =
            |known: &Destination| matches!(known, Destination::Path(folder) if folder != "/" && below(path, folder));
        self.known.iter().any(holds)
    }

    fn learn(&mut self, to: Destination) {
        if self.known.len() < MAX_KNOWN {
            self.known.insert(to);
        }
    }

    fn remember(&mut self, link: &str) {
        if self.links.len() < MAX_LINKS {
            self.links.insert(digest(link));
        }
    }
}

/// Whether what `tool` gives back may be the words of others: as its manifest says, and where that says nothing, of every
/// tool that reads or acts outside.
pub(crate) fn brings_content(tool: &CatalogTool) -> bool {
    let by_effect = matches!(tool.manifest.side_effect, SideEffect::Read | SideEffect::External);
    tool.manifest.untrusted_output.unwrap_or(by_effect)
}

fn digest(text: &str) -> u64 {
    let digest: [u8; 32] = Sha256::digest(text).into();
    digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests;
