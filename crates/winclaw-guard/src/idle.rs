//! Replies that bring nothing new, whatever they call.

use crate::ladder::Rung;

/// What a reply weighs that only repeats; weights of others are parts of it.
pub(crate) const REPEATED: usize = 4;

/// What a failure weighs that was seen before, or a malformed call.
pub(crate) const KNOWN_FAILURE: usize = 2;

/// What a result weighs that is known, of a call that was not made before; also a first failure, and an unchanged poll.
pub(crate) const LITTLE: usize = 1;

/// After how many times the limit of repeats of such replies the model hears of it, known calls are not run, and the
/// model must answer.
const STEPS: [(usize, Rung); 3] = [(5, Rung::MustAnswer), (4, Rung::Blocked), (3, Rung::Hinted)];

/// How long nothing was new.
#[derive(Debug)]
pub(crate) struct Idle {
    repeats: usize,
    weight: usize,
    /// The heaviest thing of the reply that is going on.
    heaviest: usize,
    news: bool,
    replies: usize,
    /// How many times there was something new.
    epoch: u64,
}

impl Idle {
    pub(crate) fn new(repeats: usize) -> Idle {
        Idle { repeats: repeats.max(1), weight: 0, heaviest: 0, news: false, replies: 0, epoch: 0 }
    }

    /// Something was not new.
    pub(crate) fn note(&mut self, weight: usize) {
        self.heaviest = self.heaviest.max(weight);
    }

    /// Something was new.
    pub(crate) fn news(&mut self) {
        (self.news, self.weight, self.replies) = (true, 0, 0);
        self.epoch += 1;
    }

    /// The reply ends.
    pub(crate) fn next_reply(&mut self) {
        let (news, heaviest) = (std::mem::take(&mut self.news), std::mem::take(&mut self.heaviest));
        if !news && heaviest > 0 {
            (self.weight, self.replies) = (self.weight + heaviest, self.replies + 1);
        }
    }

    /// Counts as if known calls had to be stopped now.
    pub(crate) fn stuck(&mut self) {
        self.weight = self.weight.max(self.repeats * 4 * REPEATED);
    }

    pub(crate) fn level(&self) -> Rung {
        let reached = |times: &usize| self.weight >= self.repeats * times * REPEATED;
        STEPS.iter().find(|(times, _)| reached(times)).map_or(Rung::Free, |(_, rung)| *rung)
    }

    pub(crate) fn replies(&self) -> usize {
        self.replies
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }
}
