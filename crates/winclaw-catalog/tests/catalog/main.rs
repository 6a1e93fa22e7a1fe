//! What a catalog promises, for any tools whatever.

mod promises;
mod successor;
mod support;
