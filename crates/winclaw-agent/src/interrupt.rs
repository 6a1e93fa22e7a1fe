use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

/// How a person stops what a task is doing. Clones are handles of one interrupt; make a new one for each request.
///
/// Two strengths: [`cancel_call`](Interrupt::cancel_call) stops what runs this moment, [`cancel_task`](Interrupt::cancel_task)
/// ends the task. After either the conversation is valid and the session goes on with its next request.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    task: CancellationToken,
    running: Mutex<Option<CancellationToken>>,
}

impl Interrupt {
    /// One that nobody has used yet.
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// Stops what runs this moment, and says whether anything did that was not stopped before.
    ///
    /// A tool call: its result says that the person stopped it, and the task goes on with the next. A question to the
    /// person: it counts as refused, or as not answered. A reply of the model: its words so far stay, calls in it are
    /// dropped, and the task ends as interrupted.
    pub fn cancel_call(&self) -> bool {
        let running = self.running();
        let token = running.as_ref().filter(|token| !token.is_cancelled());
        token.into_iter().for_each(CancellationToken::cancel);
        token.is_some()
    }

    /// Ends the task: what runs is stopped, every call of the reply still gets its one result, and the state is interrupted.
    pub fn cancel_task(&self) {
        self.0.task.cancel();
    }

    /// Whether the task was ended.
    pub fn is_cancelled(&self) -> bool {
        self.0.task.is_cancelled()
    }

    /// Something begins that can be stopped alone; it is over when this is dropped.
    pub(crate) fn begin(&self) -> Running {
        let token = self.0.task.child_token();
        *self.running() = Some(token.clone());
        Running { interrupt: self.clone(), token }
    }

    fn running(&self) -> std::sync::MutexGuard<'_, Option<CancellationToken>> {
        // A token is whole whatever panicked beside it.
        self.0.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What runs now.
pub(crate) struct Running {
    interrupt: Interrupt,
    pub(crate) token: CancellationToken,
}

impl Running {
    /// Whether the person stopped this alone and not the task.
    pub(crate) fn stopped_alone(&self) -> bool {
        self.token.is_cancelled() && !self.interrupt.is_cancelled()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        *self.interrupt.running() = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_runs_can_be_stopped_and_only_once() {
        let interrupt = Interrupt::new();
        assert!(!interrupt.cancel_call(), "nothing runs");
        let running = interrupt.begin();
        assert!(interrupt.cancel_call() && running.stopped_alone());
        assert!(!interrupt.cancel_call(), "it was stopped before");
        drop(running);
        assert!(!interrupt.cancel_call() && !interrupt.is_cancelled());
        assert!(!interrupt.begin().token.is_cancelled(), "the next runs");
    }

    #[test]
    fn the_end_of_the_task_stops_what_runs_and_what_would() {
        let interrupt = Interrupt::new();
        let running = interrupt.begin();
        interrupt.clone().cancel_task();
        assert!(running.token.is_cancelled() && !running.stopped_alone());
        drop(running);
        assert!(interrupt.begin().token.is_cancelled());
    }
}
