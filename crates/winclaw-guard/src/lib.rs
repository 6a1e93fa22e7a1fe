//! Whether a call is well-formed, repeated without progress, or in need of consent.
//!
//! One [`Guard`] lives as long as a task. [`Guard::plan`] opens each reply that goes on to calls, [`Guard::judge`] gives each
//! call its verdict before it runs, [`Guard::record`] tells it what came of the call. [`check_arguments`] is the same check
//! of arguments for who calls a tool by hand. docs/guard.md says what is found and how well.
//!
//! Invariants:
//! - Pure: no I/O, clock, randomness, threads or async; no reference in a schema is ever fetched.
//! - It cannot know what the request was about: it refuses what is malformed, repeated without progress or not consented
//!   to, never what seems off the point, and every refusal says how to mend it.
//! - Every call gets exactly one verdict, whatever its bytes; nothing a model writes makes it panic.
//! - Arguments that were cut off are never run, not even when what is left could be read.
//! - A call that fits its schema is never changed, but for whole numbers written with a point; what is repaired fits
//!   afterwards, loses nothing, and is reported.
//! - A call that only reads is never stopped while its results change; one that gives the same result again and again
//!   always is, also when only arguments vary that do not say what it is about.
//! - Whatever is repeated without end ends within a bound, by one ladder that goes down only when something is new.
//! - After a failure, what strays from the task is remarked upon when it reads and asked about when it acts; side effects
//!   that fan out far from the request are so without a failure too. Nothing is refused for straying, reading far away is
//!   free, and the call that mends the failure never strays.
//! - Consent attaches to the tool that would run and to its side effect, whatever name it was called by; a stored yes holds
//!   while the tool is what it was, and no answer and no level frees what a rule forbids.
//! - Nothing that content of others says makes a destination known, and where it has come in, what acts somewhere new is asked
//!   about. The way out that a question offers lets that very call run.

#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

mod arguments;
mod asides;
mod check;
mod consent;
mod cost;
mod digest;
mod drift;
mod example;
mod guard;
mod idle;
mod labels;
mod ladder;
mod lenient;
mod loops;
mod origin;
mod plans;
mod policy;
mod repair;
mod replies;
mod shape;
mod trail;
mod verdict;

pub use arguments::parse_arguments;
pub use check::{check_arguments, repair_arguments};
pub use consent::{Answer, Because, By, Consent, Ruling, seen};
pub use drift::DriftStep;
pub use guard::Guard;
pub use ladder::{LoopKind, LoopReport, LoopStep};
pub use origin::{Destination, Origin, Origins, Places};
pub use policy::{Approve, Decision, Part, Pin, Policy, PolicyRule, RuleFault, Source, Specificity};
pub use verdict::{Limits, Proposed, Repair, RepairKind, Rule, Stage, Verdict};
