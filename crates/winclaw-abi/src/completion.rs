use abi_stable::StableAbi;
use abi_stable::std_types::RString;

use crate::guard::{guarded, owned};

/// What a caller receives when a plugin drops a call without answering it.
pub const DROPPED_BY_PLUGIN: &str =
    r#"{"error":{"code":"crashed","message":"the plugin dropped the call without answering it","retryable":true}}"#;

/// What a plugin receives when the host drops its HTTP request without answering it.
pub const DROPPED_BY_HOST: &str = r#"{"error":{"code":"unavailable","message":"the host dropped the request without answering it","retryable":true}}"#;

type Done = Box<dyn FnOnce(String) + Send>;

/// Where the answer to a call goes: `{"ok": value}` or `{"error": failure}`, as JSON text.
///
/// It is answered at most once, since [`CompletionV1::complete`] consumes it. Dropping it unanswered tells the receiver
/// so with an error of its own. It may be completed on any thread; the receiver must return soon and not block.
///
/// Layout is frozen.
#[repr(C)]
#[derive(StableAbi)]
pub struct CompletionV1 {
    pub(crate) context: *mut (),
    pub(crate) complete: extern "C" fn(context: *mut (), json: RString),
    pub(crate) dropped: extern "C" fn(context: *mut ()),
}

// SAFETY: `context` is a `Box<Pending>`, which is `Send` because `Done` is, and only its owner touches it.
unsafe impl Send for CompletionV1 {}

struct Pending {
    done: Done,
    when_dropped: &'static str,
}

impl CompletionV1 {
    /// The completion of a call: dropping it unanswered gives `done` [`DROPPED_BY_PLUGIN`].
    pub fn new(done: Box<dyn FnOnce(String) + Send>) -> Self {
        CompletionV1::with_dropped(done, DROPPED_BY_PLUGIN)
    }

    /// A completion that gives `done` the text `when_dropped` when it is dropped unanswered.
    pub fn with_dropped(done: Box<dyn FnOnce(String) + Send>, when_dropped: &'static str) -> Self {
        let pending = Box::new(Pending { done, when_dropped });
        CompletionV1 { context: Box::into_raw(pending).cast(), complete, dropped }
    }

    /// Answers with `json`. A panic of the receiver ends inside.
    pub fn complete(self, json: impl Into<String>) {
        let this = std::mem::ManuallyDrop::new(self);
        (this.complete)(this.context, RString::from(json.into()));
    }
}

impl Drop for CompletionV1 {
    fn drop(&mut self) {
        (self.dropped)(self.context);
    }
}

impl std::fmt::Debug for CompletionV1 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CompletionV1")
    }
}

extern "C" fn complete(context: *mut (), json: RString) {
    // SAFETY: `context` came from `Box::into_raw` above, and `complete` or `dropped` runs once, as the owner is consumed.
    let pending = unsafe { Box::from_raw(context.cast::<Pending>()) };
    guarded((), move || (pending.done)(owned(json)));
}

extern "C" fn dropped(context: *mut ()) {
    // SAFETY: as in `complete`.
    let pending = unsafe { Box::from_raw(context.cast::<Pending>()) };
    guarded((), move || (pending.done)(pending.when_dropped.to_owned()));
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn pair() -> (CompletionV1, std::sync::mpsc::Receiver<String>) {
        let (sender, receiver) = channel();
        let done = Box::new(move |json| sender.send(json).expect("the test listens"));
        (CompletionV1::new(done), receiver)
    }

    #[test]
    fn a_completed_call_is_answered_once_and_with_the_answer() {
        let (completion, answers) = pair();
        completion.complete(r#"{"ok":1}"#);
        assert_eq!(answers.iter().collect::<Vec<_>>(), [r#"{"ok":1}"#]);
    }

    #[test]
    fn a_dropped_call_is_answered_once_and_with_an_error() {
        let (completion, answers) = pair();
        drop(completion);
        assert_eq!(answers.iter().collect::<Vec<_>>(), [DROPPED_BY_PLUGIN]);
    }

    #[test]
    fn a_receiver_that_panics_does_not_take_the_caller_along() {
        CompletionV1::new(Box::new(|_| panic!("the receiver"))).complete("{}");
        drop(CompletionV1::new(Box::new(|_| panic!("the receiver"))));
    }

    #[test]
    fn a_completion_may_be_answered_on_another_thread() {
        let (completion, answers) = pair();
        let thread = std::thread::spawn(move || completion.complete("{}"));
        thread.join().expect("the thread ends");
        assert_eq!(answers.recv().as_deref(), Ok("{}"));
    }
}
