//! The ways to fail.

use std::hint::black_box;
use std::time::Duration;

use winclaw_sdk::prelude::*;

/// Panics on the thread of the call.
#[tool(side_effect = "read")]
pub(crate) fn panic() -> Result<(), Failure> {
    panic!("on purpose")
}

/// Panics on a thread of its own, and waits for that thread.
#[tool(side_effect = "read")]
pub(crate) fn panic_thread() -> Result<(), Failure> {
    let thread = std::thread::spawn(|| panic!("on a thread"));
    thread.join().map_err(|_| Failure::tool_failed("the thread panicked"))
}

/// Aborts the process.
#[tool(side_effect = "read")]
pub(crate) fn abort() -> Result<(), Failure> {
    std::process::abort()
}

/// Reads where nothing is.
#[tool(side_effect = "read")]
pub(crate) fn segfault() -> Result<u8, Failure> {
    let nowhere: *const u8 = black_box(std::ptr::without_provenance(8));
    // SAFETY: none; the fault is what this tool is for.
    Ok(unsafe { std::ptr::read_volatile(nowhere) })
}

/// Ends the process as if all were well.
#[tool(side_effect = "read")]
pub(crate) fn exit_zero() -> Result<(), Failure> {
    std::process::exit(0)
}

/// Sleeps for ever.
#[tool(side_effect = "read")]
pub(crate) fn hang() -> Result<(), Failure> {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

/// Says that it begins, then computes for ever.
#[tool(side_effect = "read")]
pub(crate) fn spin(cx: &Context) -> Result<u64, Failure> {
    cx.info("spinning");
    Ok(count_for_ever())
}

/// Computes for ever on the thread that all asynchronous tools of the plugin share.
#[tool(side_effect = "read")]
pub(crate) async fn spin_async() -> Result<u64, Failure> {
    Ok(count_for_ever())
}

fn count_for_ever() -> u64 {
    let mut count = 0_u64;
    while count < u64::MAX {
        count = black_box(count + 1);
    }
    count
}

/// Recurses until the stack is full.
#[tool(side_effect = "read")]
pub(crate) fn overflow() -> Result<u64, Failure> {
    Ok(deeper(black_box(1)))
}

#[allow(unconditional_recursion)] // What it is for.
fn deeper(level: u64) -> u64 {
    let room = black_box([level; 512]);
    deeper(level + 1) + room[0]
}
