//! One task, turn by turn, in a straight line; owns the order of things and no policy.
//!
//! A task is a request and a model with tools: [`run`] weighs the request, shows the model what the exposure engine
//! decides, runs the calls the guard lets through, and goes on until there is an answer or a reason to stop. A [`Session`]
//! is several requests one after another.
//!
//! Invariants:
//! - Every call id of a reply gets exactly one result message, in the order of the calls, whatever happens: a batch
//!   over its limit, a crash, a denial, a cancellation.
//! - Within an epoch the conversation is only ever appended to; what the model was shown before stays byte for byte. When
//!   it outgrows its share of the window the oldest turns are folded, which opens a new epoch, and the task goes on.
//! - A change of the list of tools is followed before the next model call; nothing that is known of a tool is lost by it.
//! - Evidence and exposure are recomputed for every model call; the only way back is `learn`.
//! - A tool runs only by [`winclaw_toolbox::Toolbox::run`], after the guard judged the resolved tool, on every path alike.
//! - Whatever decides what the model is shown is recorded, so that [`replay_exposure`] gives the same bytes without a model.
//! - Every decision is given to the recorder; the recorder decides nothing.

mod anchor;
mod ask;
mod calls;
mod change;
mod compact;
mod conversation;
mod front;
mod history;
mod interrupt;
mod keep;
mod lens;
mod loops;
mod mend;
mod meta;
mod open;
mod ranking;
mod read;
mod record;
mod replay;
mod reply;
mod report;
mod room;
mod saved;
mod session;
mod spent;
mod spill;
mod steps;
mod task;
mod unsent;

pub use front::{Event, Front, ShownTool, Watch};
pub use interrupt::Interrupt;
pub use keep::{Keeper, Kept};
pub use ranking::Ranking;
pub use replay::{ReplayError, Replayed, replay_exposure};
pub use report::{EndState, Report};
pub use saved::Saved;
pub use session::Session;
pub use spent::Spent;
pub use task::{Attached, Options, Parts, run};
pub use winclaw_guard::Answer;
