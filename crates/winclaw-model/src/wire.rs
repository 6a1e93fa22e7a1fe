pub(crate) mod anthropic;
pub(crate) mod chat;
mod parts;
pub(crate) mod responses;

use std::collections::BTreeSet;

pub use self::anthropic::anthropic_body;
pub use self::chat::chat_body;
pub(crate) use self::chat::{DETAILS, EXTRA};
pub(crate) use self::responses::SEARCH;
pub use self::responses::responses_body;
use crate::{Message, ModelError};

/// Checks what every vendor demands of a conversation.
///
/// It must not be empty and must end with the person or a tool; call ids are unique over the conversation; right after
/// a message with calls comes exactly one result for each of its ids, in any order, and nowhere else a result.
///
/// Errors: [`ModelError::Protocol`] that names the message, counted from 0, and the id.
pub fn validate(messages: &[Message]) -> Result<(), ModelError> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&str> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        check_message(at, message, &mut open, &mut seen).map_err(ModelError::protocol)?;
    }
    match (messages.last(), open.first()) {
        (_, Some(id)) => Err(ModelError::protocol(format!("the call `{id}` has no result"))),
        (None, _) => Err(ModelError::protocol("the conversation is empty")),
        (Some(Message::Assistant { .. }), _) => {
            Err(ModelError::protocol("the conversation ends with the model's own message"))
        }
        (Some(_), None) => Ok(()),
    }
}

fn check_message<'a>(
    at: usize,
    message: &'a Message,
    open: &mut Vec<&'a str>,
    seen: &mut BTreeSet<&'a str>,
) -> Result<(), String> {
    match message {
        Message::Tool { call_id, .. } => match open.iter().position(|id| id == call_id) {
            Some(place) => drop(open.remove(place)),
            None => {
                return Err(format!("message {at} is a result for `{call_id}`, which no open call has"));
            }
        },
        _ if !open.is_empty() => return Err(format!("message {at} comes before the result of `{}`", open[0])),
        Message::Assistant { calls, .. } => {
            for call in calls {
                if call.name.is_empty() || call.id.is_empty() || !seen.insert(&call.id) {
                    return Err(format!(
                        "message {at}: the call `{}` ({}) needs a name and a new id",
                        call.id, call.name
                    ));
                }
                open.push(&call.id);
            }
        }
        Message::User { .. } => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests;
