//! A plugin that fails in every way a plugin can, and a few tools that do as they should; for the loader's tests only.
//!
//! Its description is `misbehave.toml` and not `plugin.toml`, so that it is never built and packaged with the plugins.
//!
//! Invariants:
//! - Each tool does exactly what its name says, on every call, and nothing else.
//! - A file `<library>.loaded` beside the library gets one line for each process that maps it, before any check of the
//!   host could run.
#![allow(unsafe_code)] // To crash as plugins do, and to run code when the library is mapped.

mod constructor;
mod crash;
mod well_behaved;

use crash::{abort, exit_zero, hang, overflow, panic, panic_thread, segfault, spin, spin_async};
use well_behaved::{big, chatter, echo, env, facts, fail, http_get, kv, many, ok, pid, progress_steps, slow};

winclaw_sdk::export!(
    plugin = "misbehave.toml",
    tools = [
        ok,
        echo,
        panic,
        panic_thread,
        abort,
        segfault,
        exit_zero,
        hang,
        spin,
        spin_async,
        overflow,
        chatter,
        slow,
        http_get,
        progress_steps,
        big,
        many,
        env,
        kv,
        facts,
        pid,
        fail
    ]
);
