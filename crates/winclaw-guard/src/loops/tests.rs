use serde_json::{Value, json};
use winclaw_tool::{Failure, Outcome, ToolOutput};

use super::*;
use crate::check::tests::tool;
use crate::digest::result_of;
use crate::ladder::Ladder;

const CALL: ToolIx = ToolIx(3);

/// A task in miniature: one call a reply.
struct Task {
    loops: Loops,
    ladder: Ladder,
    reply: u64,
    tool: CatalogTool,
}

impl Task {
    /// Of a tool whose calls are about `text`.
    fn about_text(poll: bool) -> Task {
        let mut task = Task::new(poll);
        task.tool.manifest.detail_keys = vec!["text".to_owned(), "send:to".to_owned()];
        task
    }

    fn sign(&self, arguments: &Value) -> Sign {
        Sign::of(&self.tool.manifest, arguments)
    }

    fn new(poll: bool) -> Task {
        let mut tool = tool(json!({"type": "object"}));
        tool.manifest.poll = poll;
        tool.manifest.volatile_keys = vec!["title".to_owned()];
        Task { loops: Loops::new(3), ladder: Ladder::default(), reply: 0, tool }
    }

    /// Makes a call; whether it ran.
    fn call(&mut self, ix: ToolIx, arguments: Value, changes_world: bool, outcome: Outcome) -> bool {
        self.reply += 1;
        self.loops.idle.next_reply();
        self.ladder.insists(self.reply);
        self.in_reply(ix, arguments, changes_world, outcome)
    }

    fn in_reply(&mut self, ix: ToolIx, arguments: Value, changes_world: bool, outcome: Outcome) -> bool {
        let sign = self.sign(&arguments);
        if let Past::Stop(found) = self.loops.before(ix, &self.tool, sign) {
            self.loops.blocked(ix, sign);
            self.ladder.block(&found, self.reply, "detail".into(), Vec::new());
            return false;
        }
        self.tool.manifest.side_effect = if changes_world { SideEffect::Write } else { SideEffect::Read };
        if self.loops.ran(ix, &self.tool, sign, result_of(&outcome, &arguments, &[]), self.reply) != News::None {
            self.ladder.progress();
        }
        true
    }

    fn read(&mut self, arguments: Value, result: Value) -> bool {
        self.call(CALL, arguments, false, Ok(ToolOutput::new(result)))
    }

    fn stopped(&self) -> bool {
        self.ladder.rung() == Rung::Stopped
    }
}

#[test]
fn a_call_with_only_a_new_label_runs_three_times_and_then_climbs_the_ladder() {
    let mut task = Task::new(false);
    let mut rungs = Vec::new();
    for n in 0..6 {
        task.read(json!({"cmd": "noop", "title": format!("noop{n}")}), json!("ok"));
        rungs.push(task.ladder.rung());
    }
    assert_eq!(rungs, [Rung::Free, Rung::Free, Rung::Free, Rung::Blocked, Rung::MustAnswer, Rung::Stopped]);
    let report = task.ladder.report().expect("a report");
    assert_eq!((report.what, report.tool, report.times, report.blocks), (LoopKind::SameResult, Some(CALL), 5, 2));
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
    let answer = task.loops.before(CALL, &task.tool, task.sign(&json!({"job": 1})));
    assert!(matches!(answer, Past::Nudge(found) if found.message.contains("wait longer")));
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
    (97..99).for_each(|n| assert!(!fail(&mut task, n)));
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
        let failure = Err(Failure::unavailable("no network"));
        assert!(task.in_reply(CALL, json!({"n": position}), false, failure));
    }
    assert_eq!(task.loops.worst_failure(CALL).map(|(_, alike)| alike.times), Some(1));
}

#[test]
fn stops_of_one_reply_count_once() {
    let mut task = Task::new(false);
    (0..3).for_each(|_| assert!(task.read(json!({}), json!("ok"))));
    for _ in 0..8 {
        assert!(!task.in_reply(CALL, json!({}), false, Ok(ToolOutput::new(json!("ok")))));
    }
    assert_eq!(task.ladder.rung(), Rung::Blocked);
    assert!(!task.read(json!({}), json!("ok")));
    assert_eq!(task.ladder.rung(), Rung::MustAnswer);
    task.ladder.insists(task.reply);
    assert_eq!(task.ladder.rung(), Rung::MustAnswer, "the model has not read of it yet");
    task.ladder.insists(task.reply + 1);
    assert!(task.stopped());
}

#[test]
fn whoever_goes_on_after_many_different_stops_is_stopped_too() {
    let mut task = Task::new(false);
    for n in 0..4 {
        (0..3).for_each(|_| assert!(task.read(json!({"n": n}), json!("same"))));
    }
    for n in 0..3 {
        assert!(task.ladder.rung() < Rung::MustAnswer);
        assert!(!task.read(json!({"n": n}), json!("same")));
    }
    assert_eq!(task.ladder.rung(), Rung::MustAnswer);
    task.read(json!({"n": 3}), json!("same"));
    assert!(task.stopped());
}

#[test]
fn the_same_search_with_only_its_limit_varied_is_stopped_at_twice_the_patience() {
    let mut task = Task::about_text(false);
    let search = |n: usize| json!({"text": "budget", "limit": n});
    let ran = (0..40).take_while(|n| task.read(search(*n), json!(["one"]))).count();
    assert_eq!(ran, 6);
    assert!(!task.stopped());
    assert!(task.read(json!({"text": "plan", "limit": 1}), json!(["one"])), "of something else it is free");
    assert!(!task.read(search(98), json!([])) && !task.read(search(99), json!([])));
    task.read(search(100), json!([]));
    assert_eq!(task.ladder.report().map(|report| (report.tool, report.what)), Some((Some(CALL), LoopKind::SameThing)));
    let mut task = Task::new(false);
    let ran = (0..40).take_while(|n| task.read(search(*n), json!(["one"]))).count();
    assert_eq!(ran, 24, "without detail keys nothing says what it is about, and it may vary longer");
}

#[test]
fn the_last_call_about_the_same_thing_that_may_run_hears_of_it() {
    let mut task = Task::about_text(false);
    for n in 0..6 {
        let arguments = json!({"text": "budget", "limit": n});
        match task.loops.before(CALL, &task.tool, task.sign(&arguments)) {
            Past::Free => assert!(n < 5, "{n}"),
            Past::Nudge(found) => {
                assert!(n == 5 && found.message.contains("5 calls about the same thing"), "{n} {}", found.message)
            }
            Past::Stop(_) => panic!("{n}"),
        }
        assert!(task.read(arguments, json!(["one"])));
    }
    match task.loops.before(CALL, &task.tool, task.sign(&json!({"text": "budget", "limit": 7}))) {
        Past::Stop(found) => assert!(found.message.contains("6 calls about the same thing"), "{}", found.message),
        _ => panic!("a stop"),
    }
}

#[test]
fn paging_with_changing_results_runs_freely_and_its_end_does_not() {
    let mut task = Task::about_text(false);
    let page = |task: &mut Task, n: usize, rows: Value| task.read(json!({"text": "budget", "page": n}), rows);
    assert!((0..100).all(|n| page(&mut task, n, json!([n]))));
    assert_eq!((100..200).take_while(|n| page(&mut task, *n, json!([]))).count(), 6);
    let mut task = Task::about_text(false);
    let each_twice = (0..100).all(|n| page(&mut task, n, json!([n / 5])));
    assert!(each_twice && !task.stopped(), "a result that is news begins anew");
}

#[test]
fn a_change_elsewhere_makes_the_next_look_a_first_one() {
    let mut task = Task::about_text(false);
    for n in 0..40 {
        assert!(task.read(json!({"text": "budget", "limit": n}), json!("same")), "{n}");
        assert!(task.call(ToolIx(1), json!({"line": n}), true, Ok(ToolOutput::new(json!("saved")))));
    }
}

#[test]
fn many_changes_to_one_thing_are_no_loop_but_failures_about_it_are() {
    let mut task = Task::about_text(false);
    let change = |task: &mut Task, n: usize, outcome| task.call(CALL, json!({"text": "a", "line": n}), true, outcome);
    assert!((0..40).all(|n| change(&mut task, n, Ok(ToolOutput::new(json!("saved"))))));
    let fails = |task: &mut Task, n| change(task, n, Err(Failure::tool_failed("the disk is full")));
    assert_eq!((40..80).take_while(|n| fails(&mut task, *n)).count(), 6);
    let mut task = Task::about_text(false);
    assert!((0..40).all(|n| change(&mut task, n, Err(Failure::denied("the person said no")))));
}

#[test]
fn a_poll_about_the_same_thing_may_wait_longer_too() {
    let mut task = Task::about_text(true);
    let ran = (0..80).take_while(|n| task.read(json!({"text": "job", "wait": n}), json!("running"))).count();
    assert_eq!(ran, 24);
    assert_eq!((0..80).take_while(|_| task.read(json!({"text": "other"}), json!("running"))).count(), 12);
}

#[test]
fn a_detail_key_of_another_action_tells_nothing_apart() {
    let mut task = Task::about_text(false);
    let act =
        |task: &mut Task, action: &str, n| task.read(json!({"action": action, "text": "a", "to": n}), json!("same"));
    assert!((0..40).all(|n| act(&mut task, "send", n)));
    let mut task = Task::about_text(false);
    assert_eq!((0..40).take_while(|n| act(&mut task, "move", *n)).count(), 6);
}

#[test]
fn looking_at_the_same_thing_in_another_way_is_no_news() {
    let mut task = Task::about_text(false);
    for n in 0..5 {
        task.read(json!({"text": "a", "limit": n}), json!("same"));
        task.call(ToolIx(1), json!({"path": n}), false, Err(Failure::unavailable("no network")));
    }
    assert_eq!(task.loops.worst_failure(ToolIx(1)).map(|(_, alike)| alike.times), Some(5));
}

#[test]
fn what_does_the_same_once_more_each_time_is_stopped_though_its_answer_has_another_number() {
    let mut task = Task::new(false);
    let send = |task: &mut Task, n: usize| {
        task.call(CALL, json!({"to": "bob"}), true, Ok(ToolOutput::new(json!(format!("sent as {n}")))))
    };
    assert_eq!((0..40).take_while(|n| send(&mut task, *n)).count(), 12);
    let mut task = Task::new(false);
    let looked_at = |task: &mut Task, n: usize| {
        send(task, n) && task.call(ToolIx(1), json!({}), false, Ok(ToolOutput::new(json!(n))))
    };
    assert!((0..40).all(|n| looked_at(&mut task, n)), "what is seen to change is another thing");
}

#[test]
fn a_cycle_that_is_stopped_stays_stopped_at_each_of_its_calls() {
    let mut task = Task::new(false);
    let send = |task: &mut Task, n: usize| {
        task.call(CALL, json!({"to": "bob"}), true, Ok(ToolOutput::new(json!(format!("sent as {n}")))))
    };
    let look = |task: &mut Task| task.call(ToolIx(1), json!({}), false, Ok(ToolOutput::new(json!("nothing came"))));
    let ran: Vec<bool> = (0..12).map(|n| if n % 2 == 0 { send(&mut task, n) } else { look(&mut task) }).collect();
    assert_eq!(ran, [true, true, true, true, true, true, true, true, false, false, false, false]);
}
