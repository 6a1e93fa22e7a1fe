//! Fifty turns, twenty reveals, three changes of the list of tools: what a prefix cache could serve.

use serde_json::{Value, json};
use winclaw_exposure::{Transport, estimate_tokens};
use winclaw_model::ChatRequest;

use crate::stage::{Play, Played, calls, everything, says};
use crate::toys::{Toys, entry, filler};

/// Model calls of the conversation, the answer included.
pub(crate) const TURNS: usize = 50;

/// Plays it.
pub(crate) async fn conversation() -> Played {
    Play::new("Compare the weather of many cities and keep notes")
        .transport(Transport::Bridge)
        .max_turns(TURNS as u32)
        .between(relist)
        .brain(turn)
        .run()
        .await
}

/// Every second of the first forty turns calls a tool that was not shown; the others work.
fn turn(number: usize, request: &ChatRequest) -> Value {
    match number {
        last if last + 1 == TURNS => says("All cities are compared and noted."),
        even if even % 2 == 0 && even < 40 => {
            calls(&[(&unshown(request), json!({"value": format!("for city {even}")}))])
        }
        thirds if thirds % 3 == 0 => calls(&[("notes__add", json!({"text": format!("city {thirds} is warm")}))]),
        other => calls(&[("sky__forecast", json!({"place": format!("city {other}")}))]),
    }
}

/// The first filler whose schema the model has not seen.
fn unshown(request: &ChatRequest) -> String {
    let seen = everything(request);
    let schema = |name: &String| [format!(r#""name":"{name}""#), format!(r#"\"name\":\"{name}\""#)];
    let names = (0..59).map(|n| format!("filler__tool_{n:02}"));
    names.into_iter().find(|name| !schema(name).iter().any(|text| seen.contains(text))).expect("one is left")
}

fn relist(number: usize, toys: &Toys) {
    match number {
        12 => toys.relist(|entries| entries.push(entry("atlas.find", "read", json!({"type": "object"})))),
        24 => toys.relist(|entries| entries.retain(|entry| entry.id.as_str() != filler(59).id.as_str())),
        36 => toys.relist(|entries| entries.push(filler(59))),
        _ => {}
    }
}

/// Bytes and estimated tokens: all that was sent, and what the request before had sent already.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Served {
    pub(crate) bytes: (usize, usize),
    pub(crate) tokens: (u64, u64),
}

impl Served {
    /// The longest common prefix of each body with the one before.
    pub(crate) fn of(bodies: &[Vec<u8>]) -> Served {
        let mut served = Served::default();
        let mut before: &[u8] = &[];
        for body in bodies {
            let common = before.iter().zip(body).take_while(|(a, b)| a == b).count();
            served.bytes = (served.bytes.0 + body.len(), served.bytes.1 + common);
            let tokens = |bytes: &[u8]| u64::from(estimate_tokens(&String::from_utf8_lossy(bytes)));
            served.tokens = (served.tokens.0 + tokens(body), served.tokens.1 + tokens(&body[..common]));
            before = body;
        }
        served
    }

    /// The share of the bytes, and of the tokens.
    pub(crate) fn shares(&self) -> (f64, f64) {
        let ((bytes, same), (tokens, known)) = (self.bytes, self.tokens);
        (same as f64 / bytes as f64, known as f64 / tokens as f64)
    }
}

#[cfg(test)]
mod tests {
    use winclaw_agent::EndState;
    use winclaw_trace::Record;

    use super::*;

    #[tokio::test]
    async fn i4_the_prefix_bytes_are_equal_in_all_requests_of_a_long_conversation() {
        let play = conversation().await;
        assert_eq!((play.report.state.as_str(), play.requests.len()), (EndState::Done.as_str(), TURNS));
        let revealed =
            play.records.iter().filter(|record| matches!(record, Record::Step { step } if step["op"] == "reveal"));
        assert_eq!(revealed.count(), 20);
        assert_eq!(play.records.iter().filter(|record| matches!(record, Record::Tools { .. })).count(), 3);
        for request in &play.requests {
            assert_eq!((&request.system, &request.tools), (&play.requests[0].system, &play.requests[0].tools));
        }
        let (bytes, tokens) = Served::of(&play.bodies).shares();
        assert!(bytes >= 0.95 && tokens >= 0.95, "{bytes:.3} of the bytes, {tokens:.3} of the tokens");
    }
}
