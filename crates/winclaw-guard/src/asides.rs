//! Calls that run no tool: of meta tools, and of names that are no tool's. They cost a turn each, so they are counted too.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::digest::Signature;
use crate::loops::LoopReport;

/// How many more times than the limit of repeats such a call may be made before the task ends.
const INSIST: usize = 2;

/// How many times as often other arguments may give the same answer, such as searches that find nothing. Whoever looks
/// for a tool in other words is not yet lost.
const ALIKE_PATIENCE: usize = 4;

/// How often each such call gave the same answer.
#[derive(Debug)]
pub(crate) struct Asides {
    repeats: usize,
    seen: BTreeMap<Signature, usize>,
    /// The same, whatever the arguments, since a tool last succeeded.
    alike: BTreeMap<Signature, usize>,
    report: Option<LoopReport>,
}

impl Asides {
    pub(crate) fn new(repeats: usize) -> Asides {
        Asides { repeats: repeats.max(1), seen: BTreeMap::new(), alike: BTreeMap::new(), report: None }
    }

    pub(crate) fn report(&self) -> Option<&LoopReport> {
        self.report.as_ref()
    }

    /// Counts a call and its answer. What the model should hear about it, from the last allowed time on.
    pub(crate) fn made(&mut self, name: &str, arguments: &str, answer: &str) -> Option<String> {
        let times = self.seen.entry(signature([name, arguments, answer])).or_default();
        *times += 1;
        let times = *times;
        let alike = self.alike.entry(signature([name, "", answer])).or_default();
        *alike += 1;
        let alike = *alike;
        if times >= self.repeats + INSIST {
            self.end(name, arguments, times);
        } else if alike >= self.repeats * ALIKE_PATIENCE {
            self.end(name, arguments, alike);
        }
        (times >= self.repeats).then(|| {
            format!(
                "This very call gave this very answer {times} times. Call a tool that was found, ask the user, or answer \
                 with what you have; soon the task is ended."
            )
        })
    }

    /// A tool succeeded, so that the model was not only looking around.
    pub(crate) fn progress(&mut self) {
        self.alike.clear();
    }

    fn end(&mut self, name: &str, arguments: &str, times: usize) {
        let detail = || winclaw_catalog::clean(&format!("{name} {arguments}"), 120);
        self.report.get_or_insert_with(|| LoopReport { tool: None, times, detail: detail() });
    }
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

    #[test]
    fn the_third_same_answer_is_remarked_upon_and_the_fifth_ends_the_task() {
        let mut asides = Asides::new(3);
        let said: Vec<bool> = (0..5).map(|_| asides.made("nosuch", "{}", "unknown").is_some()).collect();
        assert_eq!(said, [false, false, true, true, true]);
        let report = asides.report().expect("a report");
        assert_eq!((report.tool, report.times, report.detail.as_str()), (None, 5, "nosuch {}"));
    }

    #[test]
    fn other_names_arguments_or_answers_are_other_calls() {
        let mut asides = Asides::new(3);
        for n in 0..10 {
            let n = n.to_string();
            assert_eq!(asides.made(&n, "{}", "a"), None);
            assert_eq!(asides.made("search", &n, "a"), None);
            assert_eq!(asides.made("search", "{}", &n), None);
        }
        assert!(asides.report().is_none());
    }

    #[test]
    fn the_same_answer_to_ever_other_arguments_ends_the_task_unless_a_tool_succeeds_between() {
        let turns = |succeeds: bool| {
            let mut asides = Asides::new(3);
            let go_on = (0..40).take_while(|n| {
                asides.made("search", &n.to_string(), "nothing");
                if succeeds && n % 5 == 4 {
                    asides.progress();
                }
                asides.report().is_none()
            });
            go_on.count()
        };
        assert_eq!((turns(false), turns(true)), (11, 40));
    }
}
