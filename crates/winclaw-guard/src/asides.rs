//! Calls that run no tool: of meta tools, and of names that are no tool's. They cost a turn each, so they are counted too.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};
use winclaw_catalog::RESERVED;

use crate::LoopKind;
use crate::digest::Signature;
use crate::labels::without_numbers;
use crate::ladder::{Found, Rung};

/// The meta tool by which the model asks the person; answers may well be the same.
const ASK: &str = "ask_user";

/// The meta tool by which the model looks for tools in words.
const SEARCH: &str = "tool_search";

/// After how many more than the limit of repeats the model is at each rung, of the same call with the same answer.
const SAME: [(usize, Rung); 4] = [(3, Rung::Stopped), (2, Rung::MustAnswer), (1, Rung::Blocked), (0, Rung::Hinted)];

/// After how many times the limit of repeats it is so when other arguments give nothing new. Whoever looks for a tool in
/// other words is not yet lost.
const ALIKE: [(usize, Rung); 4] = [(4, Rung::Stopped), (3, Rung::MustAnswer), (2, Rung::Blocked), (1, Rung::Hinted)];

/// How often each such call gave the same answer.
#[derive(Debug)]
pub(crate) struct Asides {
    repeats: usize,
    seen: BTreeMap<Signature, Count>,
    /// By name of a meta tool, or all names that are no tool's: how many brought nothing new since a tool last succeeded.
    alike: BTreeMap<String, Count>,
    /// What was found, by name.
    items: BTreeSet<(String, Signature)>,
    /// Arguments of searches without their numbers, each with those that it was first made with.
    worded: BTreeMap<Signature, Signature>,
}

#[derive(Debug, Default)]
struct Count {
    times: usize,
    last_in: Option<u64>,
}

impl Count {
    /// Counts one; of one reply only the first, where replies are known.
    fn one(&mut self, reply: Option<u64>) -> usize {
        if reply.is_none() || self.last_in != reply {
            (self.times, self.last_in) = (self.times + 1, reply);
        }
        self.times
    }
}

/// What a call that ran no tool means.
pub(crate) struct Made {
    /// Whether it found something that was not known.
    pub(crate) news: bool,
    /// How far up the ladder it leads, and why.
    pub(crate) found: Option<(Rung, Found)>,
}

impl Asides {
    pub(crate) fn new(repeats: usize) -> Asides {
        Asides {
            repeats: repeats.max(1),
            seen: BTreeMap::new(),
            alike: BTreeMap::new(),
            items: BTreeSet::new(),
            worded: BTreeMap::new(),
        }
    }

    /// Counts a call and its answer, which came in the reply of this number.
    pub(crate) fn made(&mut self, name: &str, arguments: &str, answer: &str, reply: Option<u64>) -> Made {
        let kind = if RESERVED.contains(&name) { name } else { "" };
        // Both are asked, since both remember.
        let news = self.is_news(kind, name, answer) & !self.is_renumbered(name, arguments);
        let by = signature([name, arguments, answer]);
        let times = self.seen.entry(by).or_default().one(reply);
        let alike = self.alike_after(kind, news, reply);
        let same = rung(&SAME, |more| times >= self.repeats + more);
        let spun = rung(&ALIKE, |factor| alike >= self.repeats * factor + usize::from(factor == 1));
        let (rung, times) = if spun > same { (spun, alike) } else { (same, times) };
        let what = if kind.is_empty() { LoopKind::UnknownTool } else { LoopKind::Search };
        let by = if spun > same { signature([kind, "", ""]) } else { by };
        let found = Found { what, tool: None, by, times, message: message(what, times, rung) };
        Made { news, found: (rung > Rung::Free).then_some((rung, found)) }
    }

    fn alike_after(&mut self, kind: &str, news: bool, reply: Option<u64>) -> usize {
        if news || kind == ASK {
            self.alike.remove(kind);
            return 0;
        }
        self.alike.entry(kind.to_owned()).or_default().one(reply)
    }

    /// Whether an answer of a meta tool says something that none of its answers said before. A list of ids does if one of
    /// them is new; other words are taken whole; nothing is never new, nor is that a name is no tool's.
    fn is_news(&mut self, kind: &str, name: &str, answer: &str) -> bool {
        if kind.is_empty() || answer.trim().is_empty() {
            return false;
        }
        let is_id = |part: &str| !part.contains(char::is_whitespace) && part.contains('.');
        let parts: Vec<&str> = answer.split(", ").collect();
        let items = if parts.iter().all(|part| is_id(part)) { parts } else { vec![answer] };
        let mut unknown = |item: &str| self.items.insert((name.to_owned(), signature(["", "", item])));
        items.into_iter().fold(false, |news, item| unknown(item) | news)
    }

    /// Whether a search was made before with other numbers in its arguments and nothing else. What it finds differs by
    /// chance: nobody needs another tool for the second page than for the first.
    fn is_renumbered(&mut self, name: &str, arguments: &str) -> bool {
        let whole = signature([name, arguments, ""]);
        let plain = signature([name, &without_numbers(arguments), ""]);
        name == SEARCH && *self.worded.entry(plain).or_insert(whole) != whole
    }

    /// A tool brought something new, so that the model was not only looking around.
    pub(crate) fn progress(&mut self) {
        self.alike.clear();
    }
}

fn rung(steps: &[(usize, Rung)], reached: impl Fn(usize) -> bool) -> Rung {
    steps.iter().find(|(step, _)| reached(*step)).map_or(Rung::Free, |(_, rung)| *rung)
}

fn message(what: LoopKind, times: usize, rung: Rung) -> String {
    let said = match what {
        LoopKind::UnknownTool => format!("{times} calls of names that are no tool's."),
        _ => format!("{times} such calls found nothing new."),
    };
    let then = match rung {
        Rung::Free | Rung::Hinted | Rung::Blocked if what == LoopKind::UnknownTool => {
            "Call a tool by a name that stands in the tools list or the catalogue, ask the user, or answer with what you \
             have; soon the task is ended."
        }
        Rung::Free | Rung::Hinted | Rung::Blocked => {
            "Call a tool that was found, ask the user, or answer with what you have; soon the task is ended."
        }
        Rung::MustAnswer | Rung::Stopped => {
            "No tool runs now: answer with what you have, or ask the user. Any other call ends the task."
        }
    };
    format!("{said} {then}")
}

fn signature(parts: [&str; 3]) -> Signature {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rungs(calls: impl Iterator<Item = (String, String, String)>) -> Vec<Rung> {
        let mut asides = Asides::new(3);
        let made = |(name, arguments, answer): (String, String, String)| {
            asides.made(&name, &arguments, &answer, None).found.map_or(Rung::Free, |(rung, _)| rung)
        };
        calls.map(made).collect()
    }

    fn call(name: &str, arguments: &str, answer: &str) -> (String, String, String) {
        (name.to_owned(), arguments.to_owned(), answer.to_owned())
    }

    #[test]
    fn the_same_call_with_the_same_answer_climbs_a_rung_each_time_from_the_third_on() {
        use Rung::{Blocked, Free, Hinted, MustAnswer, Stopped};
        let climb = vec![Free, Free, Hinted, Blocked, MustAnswer, Stopped];
        assert_eq!(rungs((0..6).map(|_| call("nosuch", "{}", "unknown"))), climb);
        assert_eq!(rungs((0..6).map(|_| call(ASK, "{}", "yes"))), climb);
    }

    #[test]
    fn searches_that_find_nothing_new_climb_slowly_however_their_answers_are_put() {
        let lists = ["a.x, a.y", "a.y, a.x", "a.x", "a.y"];
        let search = |n: usize| call("tool_search", &n.to_string(), lists[n % 4]);
        let climbed = rungs((0..13).map(search));
        let first = |rung: Rung| climbed.iter().position(|one| *one == rung);
        assert_eq!(
            [Rung::Hinted, Rung::Blocked, Rung::MustAnswer, Rung::Stopped].map(first),
            [Some(4), Some(6), Some(9), Some(12)]
        );
        let news = (0..40).map(|n| call("tool_search", "x", &format!("a.t{n}, a.t{}", n + 1)));
        assert!(rungs(news).iter().all(|rung| *rung == Rung::Free));
    }

    #[test]
    fn a_search_that_differs_by_a_number_finds_nothing_new_by_chance() {
        let search = |n: usize| {
            let found = format!("a.x, a.t{}, a.y", n % 7);
            call("tool_search", &format!("{{\"query\": \"post a note {n}\"}}"), &found)
        };
        let climbed = rungs((0..13).map(search));
        assert_eq!(climbed.iter().position(|one| *one == Rung::Hinted), Some(4));
        assert_eq!(climbed.iter().position(|one| *one == Rung::Stopped), Some(12));
        // In other words it may find what the first did not.
        let worded = (0..40).map(|n| call("tool_search", &"ab".repeat(n + 1), &format!("a.x, a.t{n}")));
        assert!(rungs(worded).iter().all(|rung| *rung == Rung::Free));
    }

    #[test]
    fn names_that_are_no_tools_are_counted_together_and_questions_apart() {
        let names = (0..12).map(|n| call(&format!("tool{n}"), "{}", &format!("no tool{n}")));
        assert_eq!(rungs(names).last(), Some(&Rung::Stopped));
        let questions = (0..40).map(|n| call(ASK, &n.to_string(), "yes"));
        assert!(rungs(questions).iter().all(|rung| *rung == Rung::Free));
    }

    #[test]
    fn calls_of_one_reply_count_once_where_replies_are_known_and_success_begins_anew() {
        let mut asides = Asides::new(3);
        for n in 0..50 {
            assert!(asides.made("nosuch", &n.to_string(), "unknown", Some(1)).found.is_none());
        }
        for reply in 2..40 {
            if reply % 3 == 0 {
                asides.progress();
            }
            assert!(asides.made("nosuch", &reply.to_string(), "unknown", Some(reply)).found.is_none(), "{reply}");
        }
    }
}
