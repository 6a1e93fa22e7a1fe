use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until, timeout};
use winclaw_tool::{Outcome, ToolId};
use winclaw_toolbox::CallContext;

use crate::child::live::Live;
use crate::outcome::{GRACE, cancelled, late};

/// A call that is in a child. Dropping it before its end tells the child to stop it.
pub(crate) struct Flight {
    pub(crate) live: Arc<Live>,
    pub(crate) id: u64,
    pub(crate) tool: ToolId,
    pub(crate) answer: oneshot::Receiver<Outcome>,
}

impl Flight {
    /// Waits for the outcome; at the deadline, or when the call is cancelled, for the end of the grace.
    pub(crate) async fn land(mut self, cx: &CallContext, deadline: Instant) -> Outcome {
        let cause = tokio::select! {
            biased;
            outcome = &mut self.answer => return self.outcome(outcome),
            () = cx.cancel.cancelled() => cancelled(&self.tool),
            () = sleep_until(deadline) => late(&self.tool, cx.timeout),
        };
        Live::stop(&self.live, self.id, &self.tool);
        // The child is killed at the end of the grace, and its death answers the call; twice the grace is never reached.
        match timeout(GRACE * 2, &mut self.answer).await {
            Ok(Ok(outcome)) => outcome.or(Err(cause)),
            _ => Err(cause),
        }
    }

    fn outcome(&self, received: Result<Outcome, oneshot::error::RecvError>) -> Outcome {
        // The sender goes unanswered only when the runtime that served the child has ended.
        received.unwrap_or_else(|_| Err(cancelled(&self.tool)))
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        if self.live.is_open(self.id) {
            Live::stop(&self.live, self.id, &self.tool);
            self.live.forget(self.id);
        }
    }
}
