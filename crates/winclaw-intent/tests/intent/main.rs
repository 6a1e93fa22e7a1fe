//! The promises of evidence, tested through the public API.

mod dense;
mod evidence;
mod hostile;
mod names;
mod support;
mod task;
