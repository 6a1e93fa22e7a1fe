//! A conversation that was cut short, made valid again.

use std::collections::BTreeSet;

use serde_json::json;
use winclaw_model::{Message, WireCall};

/// What was wrong with a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Mended {
    /// Calls that had no result and got one that says so.
    pub(crate) open: usize,
    /// Results without a call, which were left out.
    pub(crate) stray: usize,
    /// Calls whose id stood before, or that had none; they have another now, and so have their results.
    pub(crate) renamed: usize,
}

/// Makes of `messages` what every vendor takes: after a message with calls exactly one result for each, in the order of
/// the calls, nowhere else a result, and every call id once. Nothing that was said is lost.
pub(crate) fn mend(messages: Vec<Message>) -> (Vec<Message>, Mended) {
    let (mut whole, mut mended, mut ids) = (Vec::with_capacity(messages.len()), Mended::default(), BTreeSet::new());
    let mut rest = messages.into_iter().peekable();
    while let Some(mut message) = rest.next() {
        match &mut message {
            Message::Tool { .. } => mended.stray += 1,
            Message::User { .. } => whole.push(message),
            Message::Assistant { calls, .. } => {
                let mut results = Vec::new();
                while let Some(result) = rest.next_if(|next| matches!(next, Message::Tool { .. })) {
                    results.push(result);
                }
                let answers = answers(calls, results, &mut ids, &mut mended);
                whole.push(message);
                whole.extend(answers);
            }
        }
    }
    (whole, mended)
}

/// The one result of each call, in order.
fn answers(
    calls: &mut [WireCall],
    mut results: Vec<Message>,
    ids: &mut BTreeSet<String>,
    mended: &mut Mended,
) -> Vec<Message> {
    let mut answers = Vec::with_capacity(calls.len());
    for call in calls {
        let answers_it = |message: &Message| matches!(message, Message::Tool { call_id, .. } if *call_id == call.id);
        let found = results.iter().position(answers_it).map(|at| results.remove(at));
        mended.open += usize::from(found.is_none());
        mended.renamed += usize::from(make_unique(call, ids));
        answers.push(match found {
            Some(Message::Tool { content, reveals, .. }) => {
                Message::Tool { call_id: call.id.clone(), content, reveals }
            }
            _ => Message::Tool { call_id: call.id.clone(), content: unanswered(), reveals: Vec::new() },
        });
    }
    mended.stray += results.len();
    answers
}

/// Gives `call` an id that is none of `ids`, which it joins, and a name; whether the id is another now.
pub(crate) fn make_unique(call: &mut WireCall, ids: &mut BTreeSet<String>) -> bool {
    if call.name.trim().is_empty() {
        // No vendor takes a conversation with an empty name; it is answered like that of an unknown tool.
        call.name = "unnamed".into();
    }
    if !call.id.is_empty() && ids.insert(call.id.clone()) {
        return false;
    }
    let stem = if call.id.is_empty() { "call" } else { call.id.as_str() };
    let free = (2..).map(|number: u64| format!("{stem}-{number}")).find(|id| !ids.contains(id));
    call.id = free.unwrap_or_default();
    ids.insert(call.id.clone());
    true
}

fn unanswered() -> String {
    let message = "the program ended before this call did, so its result is unknown; its work may be done, half done or \
                   not begun";
    json!({"error": {"code": "cancelled", "message": message, "retryable": true}}).to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use winclaw_model::validate;

    use super::*;

    fn call(id: &str) -> WireCall {
        WireCall { id: id.into(), name: "sky__forecast".into(), arguments: "{}".into() }
    }

    fn says(ids: &[&str]) -> Message {
        let calls = ids.iter().map(|id| call(id)).collect();
        Message::Assistant { text: String::new(), reasoning: None, calls, sealed: Vec::new() }
    }

    fn result(id: &str) -> Message {
        Message::Tool { call_id: id.into(), content: id.into(), reveals: Vec::new() }
    }

    #[test]
    fn a_call_that_was_cut_short_gets_a_result_that_says_so() {
        let (whole, mended) = mend(vec![Message::user("do it"), says(&["a", "b", "c"]), result("a")]);
        assert_eq!(mended, Mended { open: 2, ..Mended::default() });
        validate(&whole).expect("a valid conversation");
        let Some(Message::Tool { call_id, content, .. }) = whole.last() else { panic!("a result") };
        assert!(call_id == "c" && content.contains("\"cancelled\""), "{content}");
    }

    #[test]
    fn a_vendor_that_counts_its_ids_anew_each_turn_has_them_told_apart() {
        let messages = vec![Message::user("x"), says(&["x:0"]), result("x:0"), says(&["x:0"]), result("x:0")];
        let (whole, mended) = mend(messages);
        assert_eq!(mended, Mended { renamed: 1, ..Mended::default() });
        validate(&whole).expect("a valid conversation");
        assert_eq!(whole.len(), 5);
    }

    fn message() -> impl Strategy<Value = Message> {
        let id = prop::sample::select(vec!["a", "b", "c", "a-2", ""]);
        let results = id.clone().prop_map(result);
        let calls = prop::collection::vec(id, 0..4).prop_map(|ids| says(&ids));
        prop_oneof![Just(Message::user("go on")), calls, results]
    }

    proptest! {
        #[test]
        fn whatever_was_lost_the_conversation_is_valid_and_stays_so(messages in prop::collection::vec(message(), 0..30)) {
            let said = messages.iter().filter(|message| !matches!(message, Message::Tool { .. })).count();
            let (mut whole, _) = mend(messages);
            prop_assert_eq!(whole.iter().filter(|message| !matches!(message, Message::Tool { .. })).count(), said);
            let again = mend(whole.clone());
            prop_assert_eq!(again, (whole.clone(), Mended::default()));
            whole.push(Message::user("next"));
            prop_assert!(validate(&whole).is_ok(), "{:?}", validate(&whole));
        }
    }
}
