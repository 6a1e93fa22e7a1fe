use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

/// A hash map with a fixed hasher, so that a run repeats. Nothing here may go through one in its own order.
pub(crate) type Map<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;
