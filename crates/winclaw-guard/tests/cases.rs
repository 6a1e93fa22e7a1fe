//! Faults others met in loops, batches and drift, each as the right behaviour of a guard.

use serde_json::{Value, json};
use winclaw_catalog::{Catalog, State, ToolEntry, ToolIx};
use winclaw_guard::{Approve, Guard, Limits, Origin, Proposed, Rule, Verdict};
use winclaw_tool::{Failure, Outcome, ToolId, ToolOutput};

/// Tools in this order: a browser that reads, a shell, a job to poll, a note that writes, and something else that does.
const GO: u32 = 0;
const RUN: u32 = 1;
const JOB: u32 = 2;
const NOTE: u32 = 3;
const MAKE: u32 = 4;

fn entry(id: &str, more: Value) -> ToolEntry {
    let id = ToolId::parse(id).expect("an id");
    let mut manifest = json!({
        "name": id.name(), "category": id.source(), "summary": "S", "description": "D.", "side_effect": "read",
        "parameters": {"type": "object"}
    });
    for (key, value) in more.as_object().expect("an object") {
        manifest[key] = value.clone();
    }
    ToolEntry { id, manifest: serde_json::from_value(manifest).expect("a manifest"), state: State::Ready }
}

fn catalog() -> Catalog {
    let parameters = json!({"type": "object", "properties": {"cmd": {"type": "string"}, "label": {"type": "string"}}});
    let shell = json!({"parameters": parameters, "volatile_keys": ["label"], "volatile_results": ["pid", "took.ms"]});
    let (catalog, problems) = Catalog::build(vec![
        entry("a.go", json!({})),
        entry("b.run", shell),
        entry("c.job", json!({"poll": true})),
        entry("d.note", json!({"side_effect": "write"})),
        entry("e.make", json!({"side_effect": "write"})),
    ]);
    assert_eq!(problems, []);
    catalog
}

struct Task {
    catalog: Catalog,
    guard: Guard,
}

impl Task {
    fn new(approve: Approve) -> Task {
        Task { catalog: catalog(), guard: Guard::new(Limits::default(), approve.into()) }
    }

    fn judge(&mut self, tool: u32, arguments: &Value, position: usize, near: bool) -> Verdict {
        let raw = arguments.to_string();
        let tool = ToolIx(tool);
        let call = Proposed {
            tool,
            raw_arguments: &raw,
            cut_off: false,
            position,
            schema_was_shown: true,
            near,
            origin: Origin::default(),
        };
        self.guard.judge(&self.catalog, &call)
    }

    fn record(&mut self, tool: u32, arguments: &Value, outcome: &Outcome) {
        self.guard.record(&self.catalog, ToolIx(tool), arguments, outcome);
    }

    /// A reply with one call of a near tool. What the model heard with it; `None` when it did not run.
    fn call(&mut self, tool: u32, arguments: Value, outcome: Outcome) -> Option<String> {
        let (arguments, heard) = match self.judge(tool, &arguments, 0, true) {
            Verdict::Run { arguments, .. } => (arguments, String::new()),
            Verdict::RunWithAdvice { arguments, advice, .. } => (arguments, advice),
            _ => return None,
        };
        self.record(tool, &arguments, &outcome);
        Some(heard)
    }

    fn fail(&mut self, tool: u32) {
        assert!(self.call(tool, json!({}), Err(Failure::tool_failed("404 not found"))).is_some());
    }
}

fn ok(value: Value) -> Outcome {
    Ok(ToolOutput::new(value))
}

#[test]
fn d8_a_process_id_and_a_duration_do_not_hide_the_same_result() {
    let mut task = Task::new(Approve::Always);
    let one = |n: usize| json!({"out": "nothing to do", "pid": 4000 + n, "took": {"ms": n, "unit": "ms"}});
    let call = |n: usize| json!({"cmd": "status", "label": format!("try {n}")});
    let ran = (0..121).take_while(|n| task.call(RUN, call(*n), ok(one(*n))).is_some()).count();
    assert_eq!(ran, Limits::default().repeats, "it stops at the bound that was set");
    (0..2).for_each(|_| assert!(task.call(RUN, json!({"cmd": "status"}), ok(json!({}))).is_none()));
    assert!(task.guard.stopped().is_some(), "whoever goes on is stopped");
}

#[test]
fn d8_what_is_not_declared_volatile_counts_as_news() {
    let mut task = Task::new(Approve::Always);
    for n in 0..121 {
        assert!(task.call(RUN, json!({"cmd": "status"}), ok(json!({"out": n, "pid": 1}))).is_some());
    }
}

#[test]
fn d9_one_error_under_ever_new_arguments_is_found_whatever_the_arguments() {
    let mut task = Task::new(Approve::Always);
    let fail = |task: &mut Task, n: usize| {
        let path = format!("/srv/report_{n}.txt");
        task.call(GO, json!({"path": path}), Err(Failure::tool_failed(format!("FileNotFoundError: {path}"))))
    };
    let heard: Vec<String> = (0..40).map_while(|n| fail(&mut task, n)).collect();
    assert!(heard.len() < 40 && heard.len() >= 6, "{} ran", heard.len());
    assert!(heard.last().is_some_and(|advice| advice.contains("failed in the same way")), "{heard:?}");
    (0..2).for_each(|n| assert!(fail(&mut task, 99 + n).is_none()));
    assert!(task.guard.stopped().is_some());
}

#[test]
fn d10_polling_is_never_a_loop_while_something_changes_and_hears_to_wait_when_nothing_does() {
    let mut task = Task::new(Approve::Always);
    for n in 0..200 {
        assert!(task.call(JOB, json!({"id": 1}), ok(json!({"percent": n / 2}))).is_some(), "{n}");
    }
    let done = || ok(json!({"percent": 100}));
    let heard: Vec<String> = (0..40).map_while(|_| task.call(JOB, json!({"id": 1}), done())).collect();
    assert!(heard.iter().any(|advice| advice.contains("wait longer")), "{heard:?}");
    assert!(heard.len() > 2 * Limits::default().repeats && heard.len() < 40, "{}", heard.len());
}

#[test]
fn d18_of_a_batch_over_the_limit_what_fits_runs_and_each_of_the_rest_is_told_to_come_again() {
    let mut task = Task::new(Approve::Always);
    let verdicts: Vec<Verdict> = (0..20).map(|n| task.judge(GO, &json!({"page": n}), n, true)).collect();
    let (fit, rest) = verdicts.split_at(Limits::default().calls_per_reply);
    assert!(fit.iter().all(|verdict| matches!(verdict, Verdict::Run { .. })), "{fit:?}");
    for verdict in rest {
        let Verdict::NotRun { failure, rule } = verdict else { panic!("{verdict:?}") };
        assert!(*rule == Rule::BatchLimit && failure.retryable && failure.message.contains("send it again"));
    }
    assert!(matches!(task.judge(GO, &json!({"page": 19}), 0, true), Verdict::Run { .. }), "and then it runs");
}

#[test]
fn d17_after_a_failure_a_far_read_runs_with_a_note_said_once_for_each_tool() {
    let mut task = Task::new(Approve::Never);
    assert!(matches!(task.judge(RUN, &json!({}), 0, false), Verdict::Run { .. }), "nothing failed yet");
    task.fail(GO);
    let Verdict::RunWithAdvice { advice, arguments, .. } = task.judge(RUN, &json!({}), 0, false) else {
        panic!("advice")
    };
    assert!(advice.contains("a.go") && advice.contains("404 not found"), "{advice}");
    task.record(RUN, &arguments, &ok(json!("files")));
    assert!(matches!(task.judge(RUN, &json!({"cmd": "ls"}), 0, false), Verdict::Run { .. }), "it was said");
    assert!(matches!(task.judge(RUN, &json!({"cmd": "near"}), 0, true), Verdict::Run { .. }));
}

#[test]
fn d17_after_a_failure_a_far_write_asks_even_where_writes_run_unasked() {
    let mut task = Task::new(Approve::Writes);
    assert!(matches!(task.judge(NOTE, &json!({}), 0, false), Verdict::RunWithAdvice { .. }), "nothing failed yet");
    task.fail(GO);
    let Verdict::AskUser { consent, .. } = task.judge(NOTE, &json!({}), 0, false) else { panic!("a question") };
    assert!(consent.why.en.contains("a.go") && consent.why.zh.contains("404"), "{:?}", consent.why);
    assert!(consent.strays && !consent.how_to_allow().en.is_empty());
    assert!(matches!(task.judge(NOTE, &json!({}), 0, true), Verdict::Run { .. }), "a near write does not");
    let mut task = Task::new(Approve::Always);
    task.fail(GO);
    assert!(matches!(task.judge(NOTE, &json!({}), 0, false), Verdict::RunWithAdvice { .. }), "always means always");
}

#[test]
fn d17_the_retry_that_mends_the_failure_stays_open_and_closes_it() {
    let mut task = Task::new(Approve::Writes);
    task.fail(GO);
    let Verdict::RunWithAdvice { arguments, .. } = task.judge(RUN, &json!({}), 0, false) else { panic!("advice") };
    task.record(RUN, &arguments, &ok(json!("files")));
    assert!(matches!(task.judge(NOTE, &json!({}), 0, false), Verdict::AskUser { .. }), "a far success mends nothing");
    let Verdict::Run { arguments, .. } = task.judge(GO, &json!({"url": "right"}), 0, false) else {
        panic!("the retry")
    };
    task.record(GO, &arguments, &ok(json!("page")));
    assert!(!matches!(task.judge(NOTE, &json!({}), 0, false), Verdict::AskUser { .. }), "and all is as before");
}

#[test]
fn d17_a_call_made_before_the_failure_could_be_read_does_not_stray() {
    let mut task = Task::new(Approve::Writes);
    task.fail(GO);
    assert!(matches!(task.judge(NOTE, &json!({}), 1, false), Verdict::Run { .. }), "of the same reply");
    assert!(matches!(task.judge(NOTE, &json!({"n": 1}), 0, false), Verdict::AskUser { .. }));
}

#[test]
fn side_effects_far_from_the_request_are_remarked_upon_and_asked_about_once_they_fan_out() {
    let mut task = Task::new(Approve::Writes);
    let far = |task: &mut Task, tool: u32, n: usize| {
        let verdict = task.judge(tool, &json!({"n": n}), 0, false);
        let ran = match &verdict {
            Verdict::Run { arguments, .. } | Verdict::RunWithAdvice { arguments, .. } => Some(arguments.clone()),
            _ => None,
        };
        ran.iter().for_each(|arguments| task.record(tool, arguments, &ok(json!(n))));
        verdict
    };
    let Verdict::RunWithAdvice { advice, .. } = far(&mut task, NOTE, 0) else { panic!("a note") };
    assert!(advice.contains("does not seem to belong"), "{advice}");
    assert!(matches!(far(&mut task, NOTE, 1), Verdict::Run { .. }), "of the same category, and it was said");
    assert!(matches!(far(&mut task, RUN, 2), Verdict::Run { .. }), "a look is free");
    let Verdict::AskUser { consent, .. } = far(&mut task, MAKE, 3) else { panic!("a question") };
    assert!(consent.strays && consent.why.en.contains("not the first"), "{:?}", consent.why);
    let Verdict::Run { arguments, .. } = task.judge(JOB, &json!({}), 0, true) else { panic!("a near look") };
    task.record(JOB, &arguments, &ok(json!("here")));
    assert!(matches!(far(&mut task, NOTE, 4), Verdict::RunWithAdvice { .. }), "back at the request, it begins anew");
    let mut task = Task::new(Approve::Writes);
    let both = [NOTE, MAKE].map(|tool| task.judge(tool, &json!({}), tool as usize, false));
    assert!(both.iter().all(|verdict| matches!(verdict, Verdict::RunWithAdvice { .. })), "of one reply: {both:?}");
}

#[test]
fn what_is_known_of_a_tool_goes_with_it_when_the_list_changes() {
    let (moved, _) = Catalog::build(vec![
        entry("b.run", json!({})),
        entry("c.job", json!({})),
        entry("d.note", json!({"side_effect": "write"})),
        entry("e.go", json!({})),
    ]);
    let mut task = Task::new(Approve::Writes);
    (0..3).for_each(|_| assert!(task.call(RUN, json!({}), ok(json!("same"))).is_some()));
    task.fail(GO);
    task.guard.renumber(&[ToolIx(3), ToolIx(0), ToolIx(1), ToolIx(2)]);
    task.catalog = moved;
    assert!(matches!(task.judge(0, &json!({}), 0, true), Verdict::NotRun { rule: Rule::Repeat, .. }), "b.run");
    assert!(matches!(task.judge(2, &json!({}), 0, false), Verdict::AskUser { .. }), "after the failure of e.go");
    assert!(matches!(task.judge(3, &json!({}), 0, false), Verdict::Run { .. }), "which may be tried again");
}

/// A library that is searched, and mail that is sent: tools in this order, both with detail keys.
fn library() -> Catalog {
    let parameters = |names: &[&str]| {
        let properties: serde_json::Map<_, _> = names.iter().map(|name| (name.to_string(), json!({}))).collect();
        json!({"type": "object", "properties": properties})
    };
    let search = json!({"parameters": parameters(&["text", "limit"]), "detail_keys": ["text"]});
    let post = json!({"parameters": parameters(&["action", "to", "body"]), "actions": ["send", "drop"],
        "detail_keys": ["send:to"], "side_effect": "external"});
    let (catalog, problems) = Catalog::build(vec![entry("a.search", search), entry("b.post", post)]);
    assert_eq!(problems, []);
    catalog
}

#[test]
fn one_search_with_ever_other_limits_is_stopped_and_paging_is_not() {
    let mut task = Task { catalog: library(), guard: Guard::new(Limits::default(), Approve::Never.into()) };
    let search = |n: usize| json!({"text": "budget", "limit": n});
    let heard: Vec<String> = (0..40).map_while(|n| task.call(0, search(n), ok(json!(["one"])))).collect();
    assert!(heard.len() == 2 * Limits::default().repeats && heard[5].contains("about the same thing"), "{heard:?}");
    assert!((0..40).all(|n| task.call(0, json!({"text": "plan", "limit": n}), ok(json!(n))).is_some()));
}

#[test]
fn d17_what_both_calls_were_about_is_said_in_bounded_words() {
    let long = "字".repeat(500);
    for (text, to) in [("budget", "bob"), (long.as_str(), long.as_str())] {
        let mut task = Task { catalog: library(), guard: Guard::new(Limits::default(), Approve::Never.into()) };
        task.judge(0, &json!({"text": text}), 0, true);
        task.record(0, &json!({"text": text}), &Err(Failure::unavailable("no shelf")));
        let post = json!({"action": "send", "to": to, "body": "x"});
        let Verdict::AskUser { consent, .. } = task.judge(1, &post, 0, false) else { panic!("a question") };
        let (text, to): (String, String) = (text.chars().take(20).collect(), to.chars().take(20).collect());
        let why = &consent.why;
        assert!(why.en.contains(&format!("after a.search (text: {text}")), "{}", why.en);
        assert!(why.en.contains(&format!("This call (to: {to}")), "{}", why.en);
        assert!(why.zh.contains(&format!("此调用（to: {to}")) && why.zh.contains(&format!("a.search（text: {text}")));
        assert!(why.en.chars().count() < 700, "{}", why.en);
        task.guard = Guard::new(Limits::default(), Approve::Always.into());
        task.record(0, &json!({"text": text}), &Err(Failure::unavailable("no shelf")));
        task.judge(0, &json!({"text": "near"}), 0, true);
        let Verdict::RunWithAdvice { advice, .. } = task.judge(1, &post, 0, false) else { panic!("advice") };
        assert!(advice.contains(&format!("`a.search` (text: {text}")) && advice.contains(&format!("call (to: {to}")));
        let dropped = json!({"action": "drop", "to": "eve"});
        let mut other = Task { catalog: library(), guard: Guard::new(Limits::default(), Approve::Always.into()) };
        other.judge(0, &json!({}), 0, true);
        other.record(0, &json!({}), &Err(Failure::unavailable("no shelf")));
        let Verdict::RunWithAdvice { advice, .. } = other.judge(1, &dropped, 0, false) else { panic!("advice") };
        assert!(advice.contains("`a.search` failed (no shelf)") && advice.contains("this call does not"), "{advice}");
    }
}
