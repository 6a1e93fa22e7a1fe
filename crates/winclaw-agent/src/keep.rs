use winclaw_model::Message;

use crate::Saved;

/// What happened to a conversation, told at once and in order, for whoever stores it. Doing the same to a stored list gives
/// the conversation as it is: after a crash only the message in flight is lost.
#[derive(Debug, Clone, Copy)]
pub enum Kept<'a> {
    /// A message was added at the end.
    Appended(&'a Message),
    /// The message at a place, from 0, is another now.
    Amended {
        /// The place.
        at: usize,
        /// The whole message.
        message: &'a Message,
    },
    /// The conversation was folded or mended: these are all its messages now.
    Rewritten(&'a [Message]),
    /// Everything beside the messages, as it is before each call of the model and at the end of a task. Takes the place of
    /// the last one.
    State(&'a Saved),
}

/// Who stores a session. Called from the task, which waits for it: it should be quick, and must deal with its own errors.
pub type Keeper = dyn Fn(Kept<'_>) + Send + Sync;
