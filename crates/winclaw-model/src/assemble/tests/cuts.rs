use proptest::prelude::*;
use serde_json::json;

use super::*;

/// A body as a server sends it: thoughts, Chinese, an emoji, two calls, comments, CRLF and junk.
fn recorded() -> String {
    let call = |delta: Value| event(json!({"tool_calls": [delta]}), None);
    let body = [
        ": OPENROUTER PROCESSING\n\n".to_owned(),
        event(json!({"role": "assistant", "content": "", "reasoning_content": "想一想"}), None),
        event(json!({"content": "查北京🌧"}), None),
        call(json!({"index": 0, "id": "c1", "function": {"name": "sky__forecast", "arguments": ""}})),
        call(json!({"index": 0, "function": {"arguments": "{\"city\":"}})),
        "data: {bad\n\n".to_owned(),
        call(json!({"index": 0, "id": "", "function": {"arguments": "\"北京🌧\"}"}})),
        call(json!({"index": 1, "id": "c2", "function": {"name": "notes__add", "arguments": {"text": "é"}}})),
        event(json!({}), Some("tool_calls")).replace('\n', "\r\n"),
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5}}\r\n\r\ndata: [DONE]\r\n\r\n".to_owned(),
    ];
    body.concat()
}

#[test]
fn every_cut_of_a_recorded_body_gives_the_same_reply() {
    for body in [recorded(), whole()] {
        let bytes = body.as_bytes();
        let expected = hear(&[bytes], &[]).expect("a reply");
        assert!(expected.reply.calls[0].arguments.contains("北京🌧"), "{expected:?}");
        for cut in 0..=bytes.len() {
            let (head, tail) = bytes.split_at(cut);
            assert_eq!(hear(&[head, tail], &[]).as_ref(), Ok(&expected), "cut at {cut}");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(hear(&single, &[]), Ok(expected));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_cuts_give_the_same_reply(mut cuts in proptest::collection::vec(0usize..2000, 0..12)) {
        let body = recorded();
        let bytes = body.as_bytes();
        cuts.retain(|cut| *cut <= bytes.len());
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let parts: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        prop_assert_eq!(hear(&parts, &[]), hear(&[bytes], &[]));
    }

    #[test]
    fn no_bytes_make_it_panic_and_cuts_never_matter(
        lines in proptest::collection::vec(prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..24),
            "data: [{}\\[\\]\":,a-z0-9 ]{0,24}".prop_map(String::into_bytes),
            any_delta().prop_map(|delta| event(delta, None).into_bytes()),
        ], 0..8),
        cut in any::<prop::sample::Index>(),
    ) {
        let bytes = lines.join(&b'\n');
        let (head, tail) = bytes.split_at(cut.index(bytes.len() + 1));
        prop_assert_eq!(hear(&[head, tail], &[]), hear(&[&bytes], &[]));
    }

    #[test]
    fn ids_are_always_unique_and_names_never_empty(deltas in proptest::collection::vec(any_delta(), 0..12)) {
        let body: String = deltas.into_iter().map(|delta| event(delta, None)).collect();
        if let Ok(heard) = hear(&[body.as_bytes()], &[]) {
            let ids: BTreeSet<&str> = heard.reply.calls.iter().map(|call| call.id.as_str()).collect();
            prop_assert_eq!(ids.len(), heard.reply.calls.len());
            prop_assert!(heard.reply.calls.iter().all(|call| !call.name.is_empty() && !call.id.is_empty()));
        }
    }
}

fn any_delta() -> impl Strategy<Value = Value> {
    let index = prop_oneof![Just(no()), Just(json!(null)), (0u8..3).prop_map(|n| json!(n))];
    let id = prop_oneof![Just(no()), Just(json!("")), Just(json!("c1")), Just(json!("c2"))];
    let name = prop_oneof![Just(no()), Just(json!("")), Just(json!("sky")), Just(json!("map"))];
    let arguments =
        prop_oneof![Just(no()), Just(json!(null)), Just(json!({})), Just(json!("{\"a\":")), Just(json!("1}"))];
    (index, id, name, arguments).prop_map(
        |(index, id, name, arguments)| json!({"content": "x", "tool_calls": [piece(index, id, name, arguments)]}),
    )
}
