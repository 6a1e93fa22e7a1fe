//! The record of a task, redacted, appended as JSON lines, readable and replayable.
//!
//! A [`TraceWriter`] appends one [`Record`] for each decision of a task to `<folder>/<task_id>.jsonl`; [`read`] and
//! [`list`] read them back. The form of the file is described in `docs/trace-format.md`.
//!
//! Invariants:
//! - Trace decides nothing: no other stage reads what it wrote.
//! - Nothing is written that did not pass [`redact`]: there is one place that makes a line, and it redacts.
//! - One record is one line, whole on disk when `write` returns; a failed write leaves no half line behind, and costs
//!   only its own record. A file has one writer at a time.
//! - Reading never fails for what a file holds: a torn, foreign or newer line is a problem in a list. It holds one line in
//!   memory at a time.
//! - Old traces go, oldest first, and never one that a writer holds.

mod analyze;
mod cut;
mod reader;
mod record;
mod redact;
mod retention;
mod task_id;
mod writer;

pub use analyze::{Analysis, Count, Exposed, Latency, Money, Savings, ToolUse};
pub use reader::{Line, Summary, TraceReader, list, read, read_bytes};
pub use record::{CallMade, EvidenceHit, Record, ShownTool, TokenUsage, VERSION, schema};
pub use redact::{MARK, Secrets, is_secret_name, redact, redact_text};
pub use retention::{Keep, Pruned, Removed, Why, is_due, prune};
pub use task_id::new_task_id;
pub use writer::TraceWriter;
