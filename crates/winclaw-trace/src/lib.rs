//! The record of a task, redacted, appended as JSON lines, readable and replayable.
