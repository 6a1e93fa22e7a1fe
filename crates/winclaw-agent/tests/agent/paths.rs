//! By whatever path a tool is called, the same is decided.

use serde_json::{Value, json};
use winclaw_agent::Answer;
use winclaw_exposure::{Native, Transport};
use winclaw_guard::Approve;
use winclaw_model::{ChatRequest, Message};
use winclaw_trace::Record;

use crate::stage::{Play, Played, calls, says};

/// The ways a call can be written.
const FORMS: [&str; 4] = ["wire", "id", "bridged", "folded"];

fn written(form: &str, tool: &str, arguments: &Value) -> (String, Value) {
    match form {
        "wire" => (tool.replace('.', "__"), arguments.clone()),
        "bridged" => ("tool_call".into(), json!({"name": tool, "arguments": arguments})),
        "folded" => (tool.replace('.', "_").to_uppercase(), arguments.clone()),
        _ => (tool.to_owned(), arguments.clone()),
    }
}

/// Chooses a transport.
type By = fn(Play) -> Play;

fn transports() -> Vec<By> {
    vec![
        |play| play.transport(Transport::Direct),
        |play| play.transport(Transport::Bridge),
        |play| play.native(Native::References),
        |play| play.native(Native::SearchResult),
    ]
}

/// Every form by Bridge, and the two that matter elsewhere by the others.
fn paths() -> Vec<(&'static str, By)> {
    let by_bridge = FORMS.into_iter().map(|form| (form, transports()[1]));
    let others = [0, 2, 3].into_iter().flat_map(|by| ["wire", "bridged"].map(|form| (form, transports()[by])));
    by_bridge.chain(others).collect()
}

/// What was decided, without what differs by rights: whether a description was seen.
fn decided(play: &Played) -> Value {
    let questions: Vec<String> = play
        .questions
        .iter()
        .map(|asked| asked.replace(" The model called it without having seen its description.", ""))
        .collect();
    let state = play.report.state.as_str();
    json!({"verdicts": play.verdicts(), "asked": questions, "ran": play.ran, "end": state})
}

#[tokio::test]
async fn i12_permission_is_decided_alike_on_every_path() {
    let tools = [
        ("sky.forecast", json!({"place": "Paris"})),
        ("sky.forecast", json!({"plaice": "Paris"})),
        ("notes.add", json!({"text": "x"})),
        ("post.send", json!({"to": "bob"})),
        ("secret.open", json!({})),
        ("filler.tool_44", json!({"value": "x"})),
    ];
    let mut compared = 0;
    for (tool, arguments) in &tools {
        for (approve, answer) in
            [(Approve::Never, Answer::No), (Approve::Never, Answer::Once), (Approve::Writes, Answer::NobodyToAsk)]
        {
            let mut first: Option<Value> = None;
            for (form, transport) in paths() {
                let (name, with) = written(form, tool, arguments);
                let play = Play::new("weather in Paris").approve(approve).answer(answer);
                let play = transport(play).reply(calls(&[(&name, with)])).reply(says("done")).run().await;
                let decided = decided(&play);
                let wanted = first.get_or_insert_with(|| decided.clone());
                assert_eq!(&decided, wanted, "{tool} by {form}, {approve:?}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 6 * 3 * 10);
}

/// A model that knows what it wants and uses whatever path it was shown: the tool natively where it has it, what a
/// result revealed natively, else a search first and then `tool_call`.
fn resourceful(wants: Vec<(&'static str, Value)>) -> impl FnMut(usize, &ChatRequest) -> Value + Send {
    move |_, request| {
        let done = request.messages.iter().filter(|message| is_of_wanted(message)).count();
        let Some((tool, arguments)) = wants.get(done) else { return says("all done") };
        let natively = request.tools.iter().any(|spec| spec.name == *tool) || revealed(request, tool);
        match (natively, told(request, tool)) {
            (true, _) => calls(&[(tool, arguments.clone())]),
            (false, true) => calls(&[("tool_call", json!({"name": tool, "arguments": arguments}))]),
            (false, false) => calls(&[("tool_search", json!({"queries": [tool]}))]),
        }
    }
}

fn is_of_wanted(message: &Message) -> bool {
    matches!(message, Message::Tool { content, .. } if content.starts_with("{\"did\"") || content.starts_with("{\"degrees\""))
}

fn revealed(request: &ChatRequest, tool: &str) -> bool {
    request
        .messages
        .iter()
        .any(|message| matches!(message, Message::Tool { reveals, .. } if reveals.iter().any(|spec| spec.name == tool)))
}

fn told(request: &ChatRequest, tool: &str) -> bool {
    let holds = |text: &str| text.contains(&format!("\"name\":\"{tool}\""));
    request.messages.iter().any(|message| match message {
        Message::User { text, .. } => holds(text),
        Message::Tool { content, .. } => holds(content),
        Message::Assistant { .. } => false,
    })
}

#[tokio::test]
async fn direct_bridge_and_native_lead_the_same_model_to_the_same_calls() {
    let wants = vec![
        ("sky__forecast", json!({"place": "Paris"})),
        ("filler__tool_41", json!({"value": "a"})),
        ("filler__tool_07", json!({"value": "b"})),
        ("filler__tool_41", json!({"value": "c"})),
    ];
    let ids: Vec<(String, Value)> =
        wants.iter().map(|(name, with)| (name.replacen("__", ".", 1), with.clone())).collect();
    for transport in transports() {
        let play = transport(Play::new("weather in Paris").brain(resourceful(wants.clone()))).run().await;
        assert_eq!(play.ran, ids, "{:?}", play.results());
        let by = play.records.iter().find_map(|record| match record {
            Record::Exposure { transport, .. } => Some(transport.clone()),
            _ => None,
        });
        assert!(play.report.turns <= 4 + 1 + 2, "{by:?} took {} turns", play.report.turns);
    }
}
