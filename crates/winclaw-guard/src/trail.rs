//! What was called in which order, to find calls that come round again and again.

use std::collections::VecDeque;

use sha2::{Digest as _, Sha256};
use winclaw_catalog::ToolIx;

use crate::digest::Signature;

/// The longest cycle that is looked for, in calls.
const LONGEST: usize = 4;

/// How many calls are remembered.
const KEPT: usize = 64;

/// One call that ran, or would have run but for its being in a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) tool: ToolIx,
    pub(crate) call: Signature,
    /// Its result; of what changes the world, and of failures, without numbers.
    pub(crate) result: Signature,
    /// The result as it was.
    pub(crate) exact: Signature,
    /// Whether it may change the world.
    pub(crate) acts: bool,
    /// Whether it is polled: by what it says of itself, or since its results were seen to change.
    pub(crate) poll: bool,
    /// Whether it failed in a way that may pass by itself.
    pub(crate) passing: bool,
}

/// A cycle that the next call would go on with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cycle {
    pub(crate) by: Signature,
    /// How many times it went round.
    pub(crate) rounds: usize,
    /// How many calls it has.
    pub(crate) period: usize,
    /// Whether all its results were the same each time, to the letter.
    pub(crate) exact: bool,
    pub(crate) poll: bool,
    /// Whether it waits for a failure to pass, or only changes the world.
    pub(crate) patient: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Trail {
    steps: VecDeque<Step>,
}

impl Trail {
    pub(crate) fn push(&mut self, step: Step) {
        if self.steps.len() >= KEPT {
            self.steps.pop_front();
        }
        self.steps.push_back(step);
    }

    /// The cycle that a call would go on with, if there is one that went round twice.
    pub(crate) fn cycle(&self, tool: ToolIx, call: Signature) -> Option<Cycle> {
        (2..=LONGEST).find_map(|period| self.of_period(period, tool, call))
    }

    /// A call of a cycle was not run: it counts as if it had given what it gave before.
    pub(crate) fn skip(&mut self, period: usize) {
        if let Some(step) = self.back(period).copied() {
            self.push(step);
        }
    }

    /// The last call that was not of `tool`.
    pub(crate) fn beside(&self, tool: ToolIx) -> Option<&Step> {
        self.steps.iter().rev().find(|step| step.tool != tool)
    }

    /// The last call.
    pub(crate) fn last(&self) -> Option<&Step> {
        self.steps.back()
    }

    fn back(&self, places: usize) -> Option<&Step> {
        self.steps.get(self.steps.len().checked_sub(places)?)
    }

    fn of_period(&self, period: usize, tool: ToolIx, call: Signature) -> Option<Cycle> {
        let next = self.back(period)?;
        if (next.tool, next.call) != (tool, call) {
            return None;
        }
        let matching = (1..=self.steps.len().checked_sub(period)?)
            .take_while(|places| self.is_same(*places, *places + period, |step| (step.tool, step.call, step.result)))
            .count();
        let rounds = 1 + matching / period;
        let round: Vec<&Step> = (1..=period).filter_map(|places| self.back(places)).collect();
        if rounds < 2 || !leads_nowhere(&round) {
            return None;
        }
        let exact = (1..=matching)
            .all(|places| self.is_same(places, places + period, |step| (step.tool, step.call, step.exact)));
        let poll = round.iter().any(|step| step.poll);
        let patient = round.iter().any(|step| step.passing) || round.iter().all(|step| step.acts);
        Some(Cycle { by: sign(&round), rounds, period, exact, poll, patient })
    }

    fn is_same<K: PartialEq>(&self, one: usize, two: usize, key: impl Fn(&Step) -> K) -> bool {
        self.back(one).zip(self.back(two)).is_some_and(|(one, two)| key(one) == key(two))
    }

    pub(crate) fn renumber(&mut self, map: &[ToolIx]) {
        let steps = std::mem::take(&mut self.steps);
        let moved = |step: Step| Some(Step { tool: *map.get(step.tool.index())?, ..step });
        self.steps = steps.into_iter().filter_map(moved).collect();
    }
}

/// Whether a round of several calls, or of one that changes the world to and fro, is a loop: a call that only looks and
/// sees something else each time is not.
fn leads_nowhere(round: &[&Step]) -> bool {
    let same_call = |one: &&&Step, two: &&&Step| (one.tool, one.call) == (two.tool, two.call);
    let sees_change = round
        .iter()
        .filter(|step| !step.acts)
        .any(|step| round.iter().any(|other| same_call(&step, &other) && other.exact != step.exact));
    let several = round.iter().any(|step| round.first().is_some_and(|first| !same_call(&step, &first)));
    !sees_change && (several || round.iter().any(|step| round.first().is_some_and(|first| step.result != first.result)))
}

/// The same for a round whichever of its calls comes first.
fn sign(round: &[&Step]) -> Signature {
    let mut calls: Vec<(ToolIx, Signature)> = round.iter().map(|step| (step.tool, step.call)).collect();
    calls.sort_unstable();
    let mut hasher = Sha256::new();
    for (tool, call) in calls {
        hasher.update(tool.0.to_le_bytes());
        hasher.update(call);
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(tool: u32, result: u8, acts: bool) -> Step {
        let result = [result; 32];
        Step { tool: ToolIx(tool), call: [tool as u8; 32], result, exact: result, acts, poll: false, passing: false }
    }

    fn rounds(steps: &[Step], times: usize) -> Option<usize> {
        let mut trail = Trail::default();
        (0..times).flat_map(|_| steps).for_each(|step| trail.push(*step));
        trail.cycle(steps[0].tool, steps[0].call).map(|cycle| cycle.rounds)
    }

    #[test]
    fn periods_of_two_to_four_are_found_and_longer_ones_are_not() {
        for period in 2..=5_u32 {
            let steps: Vec<Step> = (0..period).map(|n| step(n, 1, false)).collect();
            assert_eq!(rounds(&steps, 3), (period <= 4).then_some(3), "{period}");
            assert_eq!(rounds(&steps, 1), None);
        }
    }

    #[test]
    fn looking_at_what_changes_is_no_cycle_and_switching_to_and_fro_is() {
        assert_eq!(rounds(&[step(1, 1, false), step(1, 2, false)], 8), None);
        assert_eq!(rounds(&[step(1, 1, true), step(1, 2, true)], 8), Some(8));
        assert_eq!(rounds(&[step(1, 1, false), step(2, 1, false), step(1, 2, false), step(2, 2, false)], 8), None);
    }

    #[test]
    fn a_cycle_is_the_same_whichever_call_comes_first_and_goes_on_when_a_call_is_skipped() {
        let mut trail = Trail::default();
        (0..3).flat_map(|_| [step(1, 1, false), step(2, 1, false)]).for_each(|step| trail.push(step));
        let first = trail.cycle(ToolIx(1), [1; 32]).expect("a cycle");
        assert_eq!(trail.cycle(ToolIx(2), [2; 32]), None, "it is not its turn");
        trail.skip(first.period);
        let second = trail.cycle(ToolIx(2), [2; 32]).expect("the same cycle");
        assert_eq!((second.by, second.rounds), (first.by, 3));
    }
}
