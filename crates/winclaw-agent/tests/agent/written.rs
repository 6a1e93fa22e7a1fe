//! Whole tasks with a model that writes its calls as text.

use serde_json::{Value, json};
use winclaw_agent::EndState;
use winclaw_model::{ModelChoice, Remote, Script};
use winclaw_testkit::{MockOptions, MockServer, TextCalls};

use crate::stage::Play;

fn serve(steps: Value, as_text: Option<TextCalls>) -> (MockServer, Remote) {
    let script = json!({"schema": 1, "name": "written", "steps": steps});
    let script = Script::parse(&script.to_string()).expect("a script");
    let mock = MockServer::scripted_with(script, MockOptions { as_text, ..MockOptions::default() });
    let base_url = Some(mock.base_url());
    let choice = ModelChoice { base_url, ..ModelChoice::parse("openai/m").expect("a choice") };
    let model = Remote::new(&choice, &|_| None).expect("a model");
    (mock, model)
}

#[tokio::test]
async fn calls_written_as_text_run_like_any_other() {
    for how in [TextCalls::Dsml, TextCalls::Tags, TextCalls::Fenced] {
        let steps = json!([
            {"reply": {"text": "I look.", "calls": [{"name": "sky__forecast", "arguments": {"place": "Paris"}}]}},
            {"expect": {"results": 1}, "reply": {"text": "{{result:0:/degrees}} degrees"}}
        ]);
        let (mock, model) = serve(steps, Some(how));
        let (report, _, ran) = Play::new("weather in Paris").run_with(&model).await;
        assert_eq!((&report.state, ran.len()), (&EndState::Done, 1), "{how:?}: {report:?}");
        assert_eq!(mock.refusals(), Vec::<String>::new(), "{how:?}");
    }
}

#[tokio::test]
async fn a_written_call_that_cannot_be_run_is_told_to_the_model_once_and_is_no_answer() {
    let unknown = "Now.<｜DSML｜tool_calls><｜DSML｜invoke name=\"sky__gone\"></｜DSML｜invoke></｜DSML｜tool_calls>";
    let steps = json!([
        {"reply": {"text": unknown}},
        {"expect": {"last_contains": ["`sky__gone`", "no such tool", "not as text"]},
         "reply": {"calls": [{"name": "sky__forecast", "arguments": {"place": "Paris"}}]}},
        {"expect": {"results": 1}, "reply": {"text": "done"}}
    ]);
    let (mock, model) = serve(steps, None);
    let (report, _, ran) = Play::new("weather in Paris").run_with(&model).await;
    assert_eq!((&report.state, ran.len()), (&EndState::Done, 1), "{report:?} {:?}", mock.refusals());
    let (mock, model) = serve(json!([{"reply": {"text": unknown}, "times": 2}]), None);
    let (report, _, ran) = Play::new("weather in Paris").run_with(&model).await;
    assert!(matches!(&report.state, EndState::NotCompleted { why } if why.en.contains("`sky__gone`")), "{report:?}");
    assert_eq!((ran.len(), mock.refusals().len()), (0, 0));
    assert!(!report.answer.contains("DSML"), "{report:?}");
}
