//! What tests of several crates share: a model server on this machine that holds callers to a vendor's rules.
//!
//! A dependency of tests only. [`MockServer`] speaks three wire formats, or is one of the [`VENDORS`]: it is reached as that
//! vendor is, refuses what it refuses in its own words, and answers in its dialect. It is driven by a
//! [`winclaw_model::Script`] or a closure, keeps every request for comparison, and misbehaves as its [`MockOptions`] say.
//!
//! Invariants:
//! - It listens on a loopback address with a port of its own, so tests run side by side.
//! - A request that the format's vendor would refuse is refused, whatever the script says ([`rules`]).
//! - Where a rule of a vendor comes from stands at its row of [`VENDORS`]; what no source says is marked "here".
//! - Requests are kept byte for byte, refused ones included.
//! - The same request and options give the same bytes.

pub mod rules;

mod answer;
mod mock;
mod vendor;

pub use answer::TextCalls;
pub use mock::{Brain, Busy, MockOpenAi, MockOptions, MockServer, Recorded};
pub use vendor::{Arguments, CallIds, Continued, Dialect, Finish, Index, UsageAt, UsageShape, VENDORS, Vendor, Voice};
