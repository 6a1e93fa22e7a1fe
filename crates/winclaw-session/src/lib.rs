//! Conversations that outlive the program: kept as they grow, found again, branched and taken up.
//!
//! A [`Store`] is one SQLite file in a private folder. [`Store::create`] and [`Store::take_up`] give a [`Writer`], the one
//! hand that adds to a session; everything else (list, search, fork, rename, remove) goes through the store beside it.
//! Message and state are JSON here: what a message is, winclaw-model says; what a state is, whoever saved it.
//!
//! Invariants:
//! - What was written is whole: a program that dies at any point loses nothing but the record in flight. What could not be
//!   written, as on a full disk, is kept in memory and written before anything later is.
//! - What was said stays: folding a conversation for a model changes what a model is given, never what a person reads.
//! - One writer a session, whatever the number of processes; a second one is refused and harms nothing.
//! - Order goes by sequence and never by a clock.
//! - A file of a newer version, or of another program, is never touched; a damaged one is set aside, never deleted.
//! - Fields of a message that this version does not know are kept.
//! - Files and folders are the owner's alone, where the system knows owners.

mod error;
mod files;
mod fold;
mod fork;
mod ids;
mod open;
mod ops;
mod rows;
mod schema;
mod search;
mod snippet;
mod store;
mod transfer;
mod words;
mod writer;

pub use error::Error;
pub use open::FILE;
pub use rows::{Info, Loaded, Said, Spent, TaskEnd, TaskRow};
pub use search::Hit;
pub use snippet::Snippet;
pub use store::Store;
pub use transfer::{New, Transfer};
pub use writer::Writer;
