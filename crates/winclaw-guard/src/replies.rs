/// Which reply of the model calls belong to.
#[derive(Debug, Default)]
pub(crate) struct Replies {
    now: u64,
    position: Option<usize>,
    /// Whether the reply was announced and none of its calls has come yet.
    fresh: bool,
    /// Whether replies are announced at all; without that, where one ends is known of calls of tools only.
    announced: bool,
}

impl Replies {
    /// The number of the reply, from 1.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// The number of the reply, if it is known also while no call of a tool is judged.
    pub(crate) fn known(&self) -> Option<u64> {
        self.announced.then_some(self.now)
    }

    /// A reply begins.
    pub(crate) fn announce(&mut self) {
        (self.fresh, self.announced, self.position) = (true, true, None);
        self.now += 1;
    }

    /// A call stands at `position` of its reply; whether that begins a new one, which a place not after the last one does.
    pub(crate) fn stand_at(&mut self, position: usize) -> bool {
        let begins = !self.fresh && self.position.is_none_or(|last| position <= last);
        (self.fresh, self.position) = (false, Some(position));
        self.now += u64::from(begins);
        begins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_is_not_after_the_last_one_begins_a_reply_unless_it_was_announced() {
        let mut replies = Replies::default();
        let begins: Vec<bool> = [0, 1, 5, 5, 0].into_iter().map(|at| replies.stand_at(at)).collect();
        assert_eq!((begins, replies.now(), replies.known()), (vec![true, false, false, true, true], 3, None));
        replies.announce();
        assert!(!replies.stand_at(3) && !replies.stand_at(4) && replies.stand_at(0));
        assert_eq!(replies.known(), Some(5));
    }
}
