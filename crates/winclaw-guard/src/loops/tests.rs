use serde_json::{Value, json};
use winclaw_tool::{Failure, Outcome, ToolOutput};

use super::*;
use crate::check::tests::tool;
use crate::digest::{result_of, signature};

const CALL: ToolIx = ToolIx(3);

/// A task in miniature: one call a reply.
struct Task {
    loops: Loops,
    tool: CatalogTool,
}

impl Task {
    fn new(poll: bool) -> Task {
        let mut tool = tool(json!({"type": "object"}));
        tool.manifest.poll = poll;
        Task { loops: Loops::new(3), tool }
    }

    /// Makes a call; whether it ran.
    fn call(&mut self, ix: ToolIx, arguments: Value, changes_world: bool, outcome: Outcome) -> bool {
        self.loops.stand_at(0);
        let sign = signature(&arguments, &["title".to_owned()]);
        if let Answer::Stop(stop) = self.loops.before(ix, &self.tool, sign) {
            self.loops.stopped(ix, &stop, "detail".into());
            return false;
        }
        self.loops.ran(ix, sign, result_of(&outcome, &arguments, &[]), changes_world);
        true
    }

    fn read(&mut self, arguments: Value, result: Value) -> bool {
        self.call(CALL, arguments, false, Ok(ToolOutput::new(result)))
    }

    fn stopped(&self) -> bool {
        self.loops.report().is_some()
    }
}

#[test]
fn a_call_with_only_a_new_label_is_stopped_after_three_and_ends_the_task_at_five() {
    let mut task = Task::new(false);
    let ran: Vec<bool> =
        (0..5).map(|n| task.read(json!({"cmd": "noop", "title": format!("noop{n}")}), json!("ok"))).collect();
    assert_eq!(ran, [true, true, true, false, false]);
    let report = LoopReport { tool: Some(CALL), times: 5, detail: "detail".into() };
    assert_eq!(task.loops.report(), Some(&report));
}

#[test]
fn changing_results_are_never_stopped() {
    for poll in [false, true] {
        let mut task = Task::new(poll);
        assert!((0..100).all(|n| task.read(json!({"h": 1}), json!(n))));
        assert!((0..100).all(|n| task.read(json!({"h": 1}), json!(n / 2))));
        assert!(!task.stopped());
    }
}

#[test]
fn a_poll_may_wait_longer_and_hears_of_it() {
    let mut task = Task::new(true);
    let ran = (0..40).take_while(|_| task.read(json!({"job": 1}), json!("running"))).count();
    assert_eq!(ran, 12);
    let mut task = Task::new(true);
    (0..3).for_each(|_| assert!(task.read(json!({"job": 1}), json!("running"))));
    let answer = task.loops.before(CALL, &task.tool, signature(&json!({"job": 1}), &[]));
    assert!(matches!(answer, Answer::Nudge(words) if words.contains("wait longer")));
    assert!(task.read(json!({"job": 1}), json!("done")));
}

#[test]
fn two_calls_in_turn_are_each_found_out() {
    let mut task = Task::new(false);
    let ran = (0..20).take_while(|n| task.read(json!({"n": n % 2}), json!("same")) || !task.stopped()).count();
    assert!(task.stopped() && ran <= 10, "{ran}");
}

#[test]
fn a_test_run_between_edits_is_not_a_loop_but_the_same_edit_is() {
    let mut task = Task::new(false);
    for n in 0..20 {
        assert!(task.call(ToolIx(1), json!({"line": n}), true, Ok(ToolOutput::new(json!("saved")))));
        assert!(task.read(json!({"run": "tests"}), json!("1 failed")));
    }
    let mut task = Task::new(false);
    let round = |task: &mut Task| {
        task.read(json!({"place": "北京"}), json!("sunny"))
            & task.call(ToolIx(1), json!({"text": "a"}), true, Ok(ToolOutput::new(json!("saved"))))
    };
    let rounds = (0..20).take_while(|_| round(&mut task)).count();
    assert!(rounds <= 4, "{rounds}");
}

#[test]
fn failures_that_differ_only_in_what_was_varied_are_stopped_later() {
    let mut task = Task::new(false);
    let fail = |task: &mut Task, n: usize| {
        let path = format!("file{n}.txt");
        let failure = Failure::tool_failed(format!("no such file: {path}"));
        task.call(CALL, json!({"path": path}), false, Err(failure))
    };
    let ran = (0..40).take_while(|n| fail(&mut task, *n)).count();
    assert_eq!(ran, 12);
    fail(&mut task, 99);
    assert!(task.stopped());
}

#[test]
fn a_person_who_says_no_to_many_calls_has_not_met_a_loop() {
    let mut task = Task::new(false);
    for n in 0..40 {
        assert!(task.call(CALL, json!({"path": n}), true, Err(Failure::denied("the person said no"))), "{n}");
    }
}

#[test]
fn news_elsewhere_opens_a_failing_tool_again() {
    let mut task = Task::new(false);
    for n in 0..20 {
        let failure = Err(Failure::tool_failed("no such file"));
        assert!(task.call(ToolIx(1), json!({"path": n}), false, failure));
        assert!(task.read(json!({"list": n}), json!(n)));
    }
}

#[test]
fn failures_of_one_reply_count_once() {
    let mut task = Task::new(false);
    for position in 0..8 {
        task.loops.stand_at(position);
        let arguments = json!({"n": position});
        let result = result_of(&Err(Failure::unavailable("no network")), &arguments, &[]);
        task.loops.ran(CALL, signature(&arguments, &[]), result, false);
    }
    assert_eq!(task.loops.worst_failure(CALL).map(|(_, alike)| alike.times), Some(1));
}

#[test]
fn stops_of_one_reply_count_once() {
    let mut task = Task::new(false);
    (0..3).for_each(|_| assert!(task.read(json!({}), json!("ok"))));
    for position in 0..8 {
        task.loops.stand_at(position);
        let Answer::Stop(stop) = task.loops.before(CALL, &task.tool, signature(&json!({}), &[])) else {
            panic!("a stop")
        };
        task.loops.stopped(CALL, &stop, String::new());
    }
    assert!(!task.stopped());
    assert!(!task.read(json!({}), json!("ok")));
    assert!(task.stopped());
}

#[test]
fn whoever_goes_on_after_many_different_stops_is_stopped_too() {
    let mut task = Task::new(false);
    for n in 0..4 {
        (0..3).for_each(|_| assert!(task.read(json!({"n": n}), json!("same"))));
    }
    for n in 0..4 {
        assert!(!task.stopped());
        assert!(!task.read(json!({"n": n}), json!("same")));
    }
    assert!(task.stopped());
}
