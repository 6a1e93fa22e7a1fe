//! What a search returns is what can be called.

use proptest::prelude::*;
use serde_json::{Value, json};
use winclaw_exposure::Transport;
use winclaw_model::{ChatRequest, Message};
use winclaw_trace::Record;

use crate::stage::{Play, calls, says};

/// Every name in the answer of the last search.
pub(crate) fn found(request: &ChatRequest) -> Vec<String> {
    let Some(Message::Tool { content, reveals, .. }) = request.messages.last() else { return Vec::new() };
    let answer: Value = serde_json::Deserializer::from_str(content).into_iter().flatten().next().unwrap_or_default();
    let mut names: Vec<String> = reveals.iter().map(|spec| spec.name.clone()).collect();
    for key in ["found", "shown_above", "also_found"] {
        let list = answer[key].as_array().cloned().unwrap_or_default();
        names.extend(list.iter().filter_map(|hit| hit["name"].as_str().or(hit.as_str()).map(str::to_owned)));
    }
    names
}

fn call_of(name: &str, bridged: bool) -> (String, Value) {
    let arguments = if name.contains("forecast") { json!({"place": "Paris"}) } else { json!({}) };
    match bridged {
        true => ("tool_call".into(), json!({"name": name, "arguments": arguments})),
        false => (name.to_owned(), arguments),
    }
}

async fn every_hit_runs(query: &str, bridged: bool, transport: Transport) -> Result<(), TestCaseError> {
    let query = query.to_owned();
    let play = Play::new("weather in Paris")
        .transport(transport)
        .brain(move |number, request| match number {
            0 => calls(&[("tool_search", json!({"queries": [query], "limit": 8}))]),
            1 => {
                let hits: Vec<_> = found(request).iter().take(8).map(|name| call_of(name, bridged)).collect();
                let hits: Vec<(&str, Value)> = hits.iter().map(|(name, with)| (name.as_str(), with.clone())).collect();
                if hits.is_empty() { says("nothing") } else { calls(&hits) }
            }
            _ => says("done"),
        })
        .run()
        .await;
    let hits = play.requests.get(1).map(found).unwrap_or_default();
    prop_assert_eq!(play.ran.len(), hits.len().min(8), "{:?}: {:?}", hits, play.results());
    let unresolved = |record: &Record| matches!(record, Record::Resolve { resolution, .. } if resolution.contains(':'));
    prop_assert!(!play.records.iter().any(unresolved));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn i9_d20_every_search_hit_is_callable_in_the_next_step(
        words in prop::sample::subsequence(vec!["the weather", "note", "value", "tool 7", "letter", "天气", "count", "zzz"], 1..4),
        bridged: bool,
        direct: bool,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        // Where all is shown there is no search.
        let transport = if direct && !bridged { Transport::Native } else { Transport::Bridge };
        runtime.block_on(every_hit_runs(&words.join(" "), bridged, transport))?;
    }
}
