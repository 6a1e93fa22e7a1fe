use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

/// A hash map with a fixed hasher, so that a run repeats. Nothing here may go through one in its own order.
pub(crate) type Map<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// How a word begins: the key of a map that passes by, at one look, the places of a text where no known word begins.
pub(crate) fn first_two(text: &str) -> Option<[char; 2]> {
    let mut chars = text.chars();
    Some([chars.next()?, chars.next()?])
}
