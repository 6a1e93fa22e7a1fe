//! What a catalog promises, for any tools whatever.

mod bad_input;
mod promises;
mod successor;
mod support;
