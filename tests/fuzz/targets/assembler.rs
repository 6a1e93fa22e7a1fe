//! A model's answer in any wire format, from any bytes: no panic, and the same reply however the network cuts it.
//!
//! The first byte says the provider, the second how the rest is cut.
#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use serde_json::json;
use winclaw_model::{Assembler, ChatReply, ChatRequest, Delta, Message, ModelError, PROFILES};
use winclaw_tool::ToolSpec;

static REQUEST: LazyLock<ChatRequest> = LazyLock::new(|| {
    let tool = |name: &str, parameters| {
        Arc::new(ToolSpec { name: name.into(), description: String::new(), parameters })
    };
    ChatRequest {
        tools: vec![
            tool("sky__forecast", json!({"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]})),
            tool("notes__add", json!({"type": "object", "properties": {"n": {"type": "integer"}, "tags": {"type": "array"}}})),
        ],
        messages: vec![Message::user("hello")],
        ..ChatRequest::default()
    }
});

fn assemble(provider: u8, pieces: &[&[u8]]) -> (Result<ChatReply, ModelError>, String) {
    let profile = &PROFILES[usize::from(provider) % PROFILES.len()];
    let mut assembler = Assembler::for_request(profile, &REQUEST);
    let mut text = String::new();
    let mut sink = |delta: Delta<'_>| {
        if let Delta::Text(piece) = delta {
            text.push_str(piece);
        }
    };
    let fed = pieces.iter().try_for_each(|piece| assembler.feed(piece, &mut sink));
    let reply = fed.and_then(|()| assembler.finish(&mut sink));
    (reply, text)
}

fuzz_target!(|data: &[u8]| {
    let [provider, cut, rest @ ..] = data else { return };
    let whole = assemble(*provider, &[rest]);
    let size = usize::from(*cut % 13) + 1;
    let pieces: Vec<&[u8]> = rest.chunks(size).collect();
    let cut = assemble(*provider, &pieces);
    // An error inside a stream ends it at once, so how much was said before it depends on the pieces.
    if whole.0.is_ok() {
        assert_eq!(whole, cut);
    }
    if let Ok(reply) = &whole.0 {
        let mut ids: Vec<&str> = reply.calls.iter().map(|call| call.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), reply.calls.len(), "ids are unique");
    }
});
