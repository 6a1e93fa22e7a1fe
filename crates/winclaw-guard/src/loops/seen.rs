use std::collections::{BTreeMap, BTreeSet};

use winclaw_catalog::ToolIx;

use super::News;
use crate::digest::{CallResult, Signature};

/// What is known of one call, or of all calls about one thing.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Seen {
    print: Signature,
    /// How many times in a row the result was `print`, since anything else was seen to change.
    pub(super) same: usize,
    /// The same, since a call changed the world.
    pub(super) total: usize,
    /// The most times it gave any one result in the whole task.
    pub(super) most: usize,
    /// Whether the last time raised that.
    pub(super) rose: bool,
    loose: Signature,
    /// Of what changes the world: how many times in a row the result was the same but for numbers, since anything else
    /// brought news.
    pub(super) loosely: usize,
    /// Whether the result once changed by itself, without a call that changed the world.
    pub(super) moved: bool,
    /// Whether the last result was a failure that may pass by itself.
    pub(super) passing: bool,
    acts: bool,
    made: bool,
}

/// What is known of calls.
#[derive(Debug, Default)]
pub(super) struct Known {
    seen: BTreeMap<(ToolIx, Signature), Seen>,
    /// How often a call gave a result, in the whole task.
    given: BTreeMap<(ToolIx, Signature), BTreeMap<Signature, usize>>,
}

impl Known {
    pub(super) fn of(&self, ix: ToolIx, sign: Signature) -> Seen {
        self.seen.get(&(ix, sign)).copied().unwrap_or_default()
    }

    /// Counts a result; whether the call was made before, and whether the result differs from its last one.
    pub(super) fn note(&mut self, call: (ToolIx, Signature), result: &CallResult, acts: bool) -> (bool, bool) {
        let print = result.print;
        let seen = self.seen.entry(call).or_default();
        let (before, differs) = (seen.made, !seen.made || seen.print != print);
        let times = self.given.entry(call).or_default().entry(print).or_default();
        *times += 1;
        let (most, rose) = (seen.most.max(*times), *times > seen.most);
        let loosely = if seen.loose == result.loose { seen.loosely + 1 } else { 1 };
        let moved = seen.moved || (before && differs && seen.total > 0 && !acts && result.failure.is_none());
        let passing = result.failure.as_ref().is_some_and(|failure| failure.passing);
        let (same, total) = if differs { (1, 1) } else { (seen.same + 1, seen.total + 1) };
        let loose = result.loose;
        *seen = Seen { print, same, total, most, rose, loose, loosely, moved, passing, acts, made: true };
        (before, differs)
    }

    pub(super) fn forget(&mut self, call: &(ToolIx, Signature)) {
        self.seen.remove(call);
    }

    /// Something new came of the call `but`: the counts of the others begin anew as far as it may bear on them.
    pub(super) fn after(&mut self, but: (ToolIx, Signature), news: News) {
        for (_, seen) in self.seen.iter_mut().filter(|(call, _)| **call != but) {
            match news {
                News::None => {}
                News::Reading if !seen.acts => {}
                News::Reading | News::Moves => (seen.same, seen.loosely) = (0, 0),
                News::Changed => (seen.same, seen.total, seen.loosely) = (0, 0, 0),
            }
        }
    }

    /// All counts begin anew.
    pub(super) fn forgive(&mut self) {
        self.seen.values_mut().for_each(|seen| (seen.same, seen.total, seen.loosely) = (0, 0, 0));
    }

    pub(super) fn renumber(&mut self, map: &[ToolIx]) {
        renumber(&mut self.seen, map);
        renumber(&mut self.given, map);
    }
}

/// Calls that differ only in numbers.
#[derive(Debug, Default)]
pub(super) struct Varied {
    echo: Signature,
    /// In how many replies they gave `echo`, and the last of them.
    pub(super) replies: usize,
    last_in: u64,
    calls: BTreeSet<Signature>,
    pub(super) acts: bool,
}

impl Varied {
    pub(super) fn note(&mut self, echo: Signature, call: Signature, reply: u64, acts: bool) {
        if self.echo != echo {
            *self = Varied { echo, acts, ..Varied::default() };
        }
        // What does not vary is counted as the same call.
        if self.calls.insert(call) && self.last_in != reply {
            (self.replies, self.last_in) = (self.replies + 1, reply);
        }
    }
}

pub(super) fn renumber<V>(known: &mut BTreeMap<(ToolIx, Signature), V>, map: &[ToolIx]) {
    let old = std::mem::take(known);
    known.extend(old.into_iter().filter_map(|((ix, sign), value)| Some(((*map.get(ix.index())?, sign), value))));
}
