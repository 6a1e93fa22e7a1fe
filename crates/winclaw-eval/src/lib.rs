//! How well exposure works on anybody's tools and requests, in numbers.
//!
//! Invariants:
//! - Same data, same options, same numbers; only times differ.
