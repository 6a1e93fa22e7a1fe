//! Runs a tool against recorded host replies, in the author's own tests.
