//! What becomes of the messages that stand, when a conversation is folded for the model.

use std::collections::HashMap;

/// One message of the folded conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The message that stood at this place, as it was.
    Kept(usize),
    /// The folded conversation's own, at this place of it.
    New(usize),
}

/// Finds the messages of `new` that stood in `old`, in order; each is the next equal one. The others are new.
pub(crate) fn align(old: &[String], new: &[String]) -> Vec<Place> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, body) in old.iter().enumerate() {
        places.entry(body).or_default().push(at);
    }
    let mut from = 0;
    let mut place = |(number, body): (usize, &String)| {
        let equal = places.get(body.as_str()).map_or(&[][..], Vec::as_slice);
        match equal.get(equal.partition_point(|at| *at < from)) {
            Some(&at) => {
                from = at + 1;
                Place::Kept(at)
            }
            None => Place::New(number),
        }
    };
    new.iter().enumerate().map(&mut place).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Place::{Kept, New};
    use super::*;

    fn of(words: &str) -> Vec<String> {
        words.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn what_did_not_change_is_kept() {
        let cases: &[(&str, &str, &[Place])] = &[
            ("a b c", "a b c", &[Kept(0), Kept(1), Kept(2)]),
            ("a b c d", "a B c d", &[Kept(0), New(1), Kept(2), Kept(3)]),
            ("a b c d", "a* d", &[New(0), Kept(3)]),
            ("a a a", "a a", &[Kept(0), Kept(1)]),
            ("a b", "", &[]),
            ("", "a", &[New(0)]),
            ("a b", "b a", &[Kept(1), New(1)]),
        ];
        for (old, new, expected) in cases {
            assert_eq!(align(&of(old), &of(new)), *expected, "{old} -> {new}");
        }
    }

    proptest! {
        #[test]
        fn the_places_give_the_new_conversation_in_order(
            old in prop::collection::vec("[ab]{1,2}", 0..20), new in prop::collection::vec("[ab]{1,2}", 0..20),
        ) {
            let places = align(&old, &new);
            let body = |place: &Place| match *place { Kept(at) => &old[at], New(at) => &new[at] };
            prop_assert_eq!(places.iter().map(body).collect::<Vec<_>>(), new.iter().collect::<Vec<_>>());
            let kept: Vec<usize> = places.iter().filter_map(|place| match place { Kept(at) => Some(*at), New(_) => None }).collect();
            prop_assert!(kept.is_sorted_by(|a, b| a < b));
        }
    }
}
