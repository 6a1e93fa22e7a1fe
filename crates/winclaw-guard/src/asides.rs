//! Calls that run no tool: of meta tools, and of names that are no tool's. They cost a turn each, so they are counted too.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::digest::Signature;
use crate::loops::LoopReport;

/// How many more times than the limit of repeats such a call may be made before the task ends.
const INSIST: usize = 2;

/// How often each such call gave the same answer.
#[derive(Debug)]
pub(crate) struct Asides {
    repeats: usize,
    seen: BTreeMap<Signature, usize>,
    report: Option<LoopReport>,
}

impl Asides {
    pub(crate) fn new(repeats: usize) -> Asides {
        Asides { repeats: repeats.max(1), seen: BTreeMap::new(), report: None }
    }

    pub(crate) fn report(&self) -> Option<&LoopReport> {
        self.report.as_ref()
    }

    /// Counts a call and its answer. What the model should hear about it, from the last allowed time on.
    pub(crate) fn made(&mut self, name: &str, arguments: &str, answer: &str) -> Option<String> {
        let times = self.seen.entry(signature([name, arguments, answer])).or_default();
        *times += 1;
        let times = *times;
        if times >= self.repeats + INSIST && self.report.is_none() {
            let detail = winclaw_catalog::clean(&format!("{name} {arguments}"), 120);
            self.report = Some(LoopReport { tool: None, times, detail });
        }
        (times >= self.repeats).then(|| {
            format!(
                "This very call gave this very answer {times} times. Call a tool that was found, ask the user, or answer \
                 with what you have; soon the task is ended."
            )
        })
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
}
