//! Conversations that outlive the program: kept as they grow, found again, branched and taken up.
//!
//! Invariants:
//! - What was written is whole: a program that dies at any point loses nothing but the record in flight.
