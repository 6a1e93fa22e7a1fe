//! The search for model servers on this machine, against servers that list their models.

use tokio_util::sync::CancellationToken;
use winclaw_model::{ChatModel, ChatRequest, LocalServers, Message, ModelChoice, Remote, Script};
use winclaw_testkit::{MockOpenAi, MockOptions};

fn mock(options: MockOptions) -> MockOpenAi {
    let script = r#"{"schema": 1, "name": "local", "steps": [{"reply": {"text": "a"}}]}"#;
    MockOpenAi::scripted_with(Script::parse(script).expect("a script"), options)
}

#[tokio::test]
async fn local_servers_are_found_with_their_chat_models() {
    let models = |names: &[&str]| MockOptions {
        models: names.iter().map(|name| (*name).into()).collect(),
        ..MockOptions::default()
    };
    let ollama = mock(models(&["qwen3:8b", "nomic-embed-text", "llama3"]));
    let lmstudio = mock(models(&["org/model", "text-embedding-x"]));
    let found = LocalServers { ollama: ollama.root(), lmstudio: format!("{}/", lmstudio.root()) }.discover().await;
    let labels: Vec<String> = found.iter().map(|model| ModelChoice::from(model).label()).collect();
    assert_eq!(labels, ["ollama/qwen3:8b", "ollama/llama3", "lmstudio/org/model"]);
    let model = Remote::new(&ModelChoice::from(&found[0]), &|_| None).expect("an adapter");
    let request = ChatRequest { messages: vec![Message::user("hi")], ..ChatRequest::default() };
    let reply = model.complete(&request, &mut |_| {}, &CancellationToken::new()).await;
    assert_eq!(reply.map(|reply| reply.text), Ok("a".into()));
}

#[tokio::test]
async fn servers_that_are_absent_or_talk_nonsense_have_no_models() {
    let mock = mock(MockOptions::default());
    let nowhere = LocalServers { ollama: "http://127.0.0.1:1".into(), lmstudio: mock.root() };
    assert_eq!(nowhere.discover().await, []);
    let nonsense = LocalServers { ollama: "nonsense".into(), lmstudio: format!("{}/v1/chat/completions", mock.root()) };
    assert_eq!(nonsense.discover().await, []);
}
