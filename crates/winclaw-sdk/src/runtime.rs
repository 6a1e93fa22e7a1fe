use std::future::Future;
use std::sync::OnceLock;

use async_executor::Executor;
use winclaw_tool::Failure;

static EXECUTOR: Executor<'static> = Executor::new();

/// Runs `future` on the plugin's executor thread, which the first use starts.
///
/// Fails when the system gives no thread.
pub(crate) fn spawn(future: impl Future<Output = ()> + Send + 'static) -> Result<(), Failure> {
    static RUNS: OnceLock<bool> = OnceLock::new();
    if !RUNS.get_or_init(start_thread) {
        return Err(Failure::unavailable("the system gives the plugin no thread for its asynchronous work"));
    }
    EXECUTOR.spawn(future).detach();
    Ok(())
}

fn start_thread() -> bool {
    let run = || futures_lite::future::block_on(EXECUTOR.run(std::future::pending::<()>()));
    std::thread::Builder::new().name("winclaw-async".into()).spawn(run).is_ok()
}

/// Runs `body` on a thread of the blocking pool, which grows and shrinks with the need.
pub(crate) fn spawn_blocking(body: impl FnOnce() + Send + 'static) {
    blocking::unblock(body).detach();
}
