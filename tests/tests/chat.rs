//! A person at `winclaw chat`: typing, pasting, stopping, leaving and coming back; and lines from a pipe.

use std::time::Duration;

use serde_json::{Value, json};
use winclaw_testkit::MockOpenAi;
use winclaw_tests::{Room, Run, script};

fn call(name: &str, arguments: Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

fn says(text: &str) -> Value {
    json!({"reply": {"text": text}})
}

/// A chat whose lines come from a pipe, on the model that `server` plays.
fn piped(room: &Room, server: &MockOpenAi, arguments: &[&str]) -> Run {
    let run = room.winclaw(&["chat"]).args(arguments);
    run.env("OPENAI_BASE_URL", &server.base_url()).env("OPENAI_API_KEY", "a-key")
}

/// The words of the messages of the request number `n` that `server` got, with their roles.
fn heard(server: &MockOpenAi, n: usize) -> Vec<(String, String)> {
    let body = server.requests()[n].json();
    let words = |message: &Value| {
        let text = message["content"].as_str().unwrap_or_default().to_owned();
        (message["role"].as_str().unwrap_or_default().to_owned(), text)
    };
    body["messages"].as_array().expect("messages").iter().map(words).collect()
}

fn holds(messages: &[(String, String)], role: &str, words: &str) -> bool {
    messages.iter().any(|(by, text)| by == role && text.contains(words))
}

/// The id that a chat names when it is left.
fn resumed_by(told: &str) -> String {
    let rest = told.split("--resume ").nth(1).unwrap_or_else(|| panic!("no session is named\n{told}"));
    rest.chars().take_while(char::is_ascii_alphanumeric).collect()
}

#[test]
fn each_line_of_a_pipe_is_a_message_of_one_conversation() {
    let room = Room::with(&[]);
    let server = MockOpenAi::scripted(script(json!([says("**Hello** one."), says("Hello two.")])));
    let done = piped(&room, &server, &[]).stdin("first\n\n第二句\n").run().exits(0);
    assert_eq!(done.stdout, "**Hello** one.\nHello two.\n", "{}", done.told());
    let second = heard(&server, 1);
    assert!(holds(&second, "user", "first") && holds(&second, "assistant", "Hello"), "{second:?}");
    assert!(holds(&second, "user", "第二句"), "{second:?}");
}

#[test]
fn a_conversation_is_gone_on_with_in_another_process() {
    let room = Room::with(&[]);
    let server = MockOpenAi::scripted(script(json!([says("It is blue."), says("Still blue."), says("New.")])));
    let first = piped(&room, &server, &[]).stdin("what colour is my door\n").run().exits(0);
    let id = resumed_by(&first.stderr);
    piped(&room, &server, &["--resume", &id]).stdin("and now\n").run().exits(0).says(&["Still blue."]);
    let resumed = heard(&server, 1);
    assert!(
        holds(&resumed, "user", "what colour is my door") && holds(&resumed, "assistant", "It is blue."),
        "{resumed:?}"
    );
    // Without it a new one begins.
    piped(&room, &server, &[]).stdin("hello\n").run().exits(0);
    assert!(!holds(&heard(&server, 2), "assistant", "blue"));
    piped(&room, &server, &["--resume", "zzzzz"]).stdin("x\n").run().exits(2).complains(&["zzzzz"]);
}

#[test]
fn commands_of_a_pipe_are_done_and_mistakes_are_told_by_the_exit_code() {
    let room = Room::with(&["calculator"]);
    let server = MockOpenAi::scripted(script(json!([says("Yes.")])));
    let typed = "/tools calc\n/approve writes\nhello\n/cost\n/why\n/trace\n/quit\nnever said\n";
    let done = piped(&room, &server, &[]).stdin(typed).run().exits(0);
    done.says(&[
        "calculator.evaluate",
        "writes: what reads or writes",
        "Yes.",
        "last task",
        "shown to the model",
        "end",
    ]);
    assert_eq!(server.requests().len(), 1);
    let server = MockOpenAi::scripted(script(json!([])));
    piped(&room, &server, &[]).stdin("/nonsense\n").run().exits(2).complains(&["/nonsense", "/help"]);
    piped(&room, &server, &[]).stdin("/attach /no/such/file\n").run().exits(2).complains(&["/no/such/file"]);
}

#[test]
fn a_text_and_a_picture_go_with_the_next_message_alone() {
    let room = Room::with(&[]);
    std::fs::write(room.work().join("笔记.txt"), "the door is green\n").expect("written");
    std::fs::write(room.work().join("x.bin"), b"\0\x01\x02").expect("written");
    let server = MockOpenAi::scripted(script(json!([says("Green."), says("Again.")])));
    let typed = "/attach 笔记.txt\nwhat colour\n/attach x.bin\nonce more\n";
    piped(&room, &server, &[]).stdin(typed).run().exits(2).complains(&["x.bin", "neither text nor a picture"]);
    assert!(holds(&heard(&server, 0), "user", "what colour\n\n[Attached: 笔记.txt]\nthe door is green\n"));
    let again = heard(&server, 1);
    let last = &again.iter().rfind(|(role, _)| role == "user").expect("a message").1;
    assert!(!last.contains("green"), "{last}");
}

#[test]
fn what_a_model_or_tool_writes_cannot_spoil_the_terminal() {
    let room = Room::with_misbehave(&[]);
    let hostile = "x\u{1b}[2J\u{1b}]0;PWN\u{7}\u{1b}]8;;http://e/\u{7}\u{9b}1m";
    let server = MockOpenAi::scripted(script(json!([
        {"reply": {"text": hostile, "calls": [call("misbehave__echo", json!({"text": hostile})), call(hostile, json!({}))]}},
        says(hostile),
    ])));
    // Every run checks that its output is clean.
    piped(&room, &server, &["-v"]).stdin("hello\n").run().exits(0).says(&["x[2J]0;PWN"]);
}

#[test]
fn a_model_that_cannot_be_asked_costs_one_message_and_not_the_chat() {
    let room = Room::with(&[]);
    let options = winclaw_testkit::MockOptions { key: Some("right".into()), ..Default::default() };
    let server = MockOpenAi::scripted_with(script(json!([])), options);
    let done = piped(&room, &server, &[]).stdin("one\ntwo\n").run().exits(3);
    assert_eq!(server.requests().len(), 2, "{}", done.told());
}

#[cfg(target_os = "linux")]
mod at_a_terminal {
    use winclaw_model::{ChatReply, ChatRequest, Message, WireCall};
    use winclaw_testkit::{Brain, MockOptions};
    use winclaw_tests::{Terminal, has_terminals};

    use super::*;

    fn chat(room: &Room, server: &MockOpenAi, arguments: &[&str]) -> Terminal {
        let arguments: Vec<&str> = ["chat"].iter().chain(arguments).copied().collect();
        let url = server.base_url();
        let mut terminal = room.terminal(&arguments, &[("OPENAI_BASE_URL", &url), ("OPENAI_API_KEY", "a-key")]);
        terminal.wait_for("›");
        terminal
    }

    /// Waits until the person can type again, after so many lines.
    fn next_line(terminal: &mut Terminal, lines: usize) {
        terminal.wait_for_times("›", lines);
    }

    /// Waits until the live line shows that `tool` runs, and for how long.
    fn runs(terminal: &mut Terminal, tool: &str) {
        let is_live = |line: &str| line.contains(tool) && line.ends_with(" s");
        terminal.wait_until(tool, |screen| screen.lines().any(is_live));
    }

    #[test]
    fn a_message_is_answered_in_markdown_and_leaving_names_the_conversation() {
        if !has_terminals() {
            return;
        }
        let room = Room::with(&[]);
        let answer =
            "# Title\n\nSome **bold** words.\n\n| 城市 | °C |\n|---|--:|\n| 北京 | 5 |\n\n```sh\nls -l | wc\n```\n";
        let server = MockOpenAi::scripted(script(json!([says(answer), says("Second.")])));
        let mut terminal = chat(&room, &server, &[]);
        terminal.types("hello 你好\r");
        next_line(&mut terminal, 2);
        terminal.wait_for("城市 │ °C\n─────┼───\n北京 │  5\n");
        terminal.wait_for("```sh\nls -l | wc\n```");
        assert!(terminal.screen().contains("Some bold words."), "{}", terminal.screen());
        assert!(terminal.written().contains("\u{1b}[0;1mbold"), "{}", terminal.written());
        terminal.types("again\r");
        terminal.wait_for("Second.");
        next_line(&mut terminal, 3);
        terminal.types("\x04");
        assert_eq!(terminal.ends(), 0);
        let id = resumed_by(&terminal.screen());
        assert!(holds(&heard(&server, 0), "user", "hello 你好"));
        // Coming back shows where it stopped.
        let mut terminal = chat(&room, &server, &["--resume", &id]);
        terminal.wait_for("Second.");
        // Meanwhile nobody else can.
        piped(&room, &server, &["--resume", &id]).stdin("x\n").run().exits(2).complains(&[&id, "in use"]);
        terminal.types("/quit\r");
        assert_eq!(terminal.ends(), 0);
    }

    #[test]
    fn pasted_lines_are_one_message_and_keys_begin_new_lines() {
        if !has_terminals() {
            return;
        }
        let room = Room::with(&[]);
        let server = MockOpenAi::scripted(script(json!([says("One."), says("Two.")])));
        let mut terminal = chat(&room, &server, &[]);
        terminal.pastes("first line\n第二行\nthird\u{1b}[2J line");
        terminal.wait_for("third[2J line");
        terminal.types("\r");
        terminal.wait_for("One.");
        next_line(&mut terminal, 2);
        terminal.types("a\nb\\\rc\r");
        terminal.wait_for("Two.");
        next_line(&mut terminal, 3);
        terminal.types("/quit\r");
        assert_eq!(terminal.ends(), 0);
        assert!(holds(&heard(&server, 0), "user", "first line\n第二行\nthird[2J line"));
        assert!(holds(&heard(&server, 1), "user", "a\nb\nc"));
    }

    #[test]
    fn ctrl_c_stops_a_call_and_the_task_goes_on() {
        if !has_terminals() {
            return;
        }
        let room = Room::with_misbehave(&[]);
        let server = MockOpenAi::scripted(script(json!([
            {"reply": {"calls": [call("misbehave__slow", json!({"ms": 600_000, "text": "never"}))]}},
            {"expect": {"last_contains": "cancelled"}, "reply": {"text": "Then without it."}},
        ])));
        let mut terminal = chat(&room, &server, &[]);
        terminal.types("go\r");
        runs(&mut terminal, "misbehave.slow");
        terminal.types("\x03");
        terminal.wait_for("Then without it.");
        next_line(&mut terminal, 2);
        // Of the live line nothing is left.
        assert!(
            !terminal.screen().contains(['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']),
            "{}",
            terminal.screen()
        );
        terminal.types("/quit\r");
        assert_eq!(terminal.ends(), 0);
    }

    /// A model that calls a tool without end, then talks without end, until the person says hello.
    fn never_done() -> MockOpenAi {
        let brain: Brain = Box::new(|request: &ChatRequest| {
            let (mut text, mut calls) = (String::new(), Vec::new());
            match request.messages.last() {
                Some(Message::User { text: said, .. }) if said.contains("hello") => text = "Here again.".into(),
                Some(Message::User { .. }) => {
                    let (id, name, arguments) = ("a".into(), "misbehave__spin".into(), "{}".into());
                    calls.push(WireCall { id, name, arguments });
                }
                _ => text = "word ".repeat(100_000),
            }
            Ok(ChatReply { text, calls, ..ChatReply::default() })
        });
        let pace = Duration::from_millis(20);
        MockOpenAi::start(brain, MockOptions { pace, piece_bytes: 200, ..MockOptions::default() })
    }

    #[test]
    fn ctrl_c_twice_ends_the_task_and_the_chat_goes_on() {
        if !has_terminals() {
            return;
        }
        let room = Room::with_misbehave(&[]);
        let server = never_done();
        let mut terminal = chat(&room, &server, &[]);
        terminal.types("go\r");
        runs(&mut terminal, "misbehave.spin");
        terminal.types("\x03");
        terminal.wait_for("Ctrl-C again ends the task");
        terminal.types("\x03");
        terminal.wait_for("stopped; say how to go on");
        next_line(&mut terminal, 2);
        terminal.types("hello\r");
        terminal.wait_for("Here again.");
        next_line(&mut terminal, 3);
        // At the prompt the first clears the line, and the second leaves.
        terminal.types("never sent\x03");
        terminal.wait_for("Ctrl-D or /quit leaves");
        terminal.types("nor this\x03");
        terminal.wait_for_times("Ctrl-D or /quit leaves", 2);
        terminal.types("\x03");
        assert_eq!(terminal.ends(), 0);
        assert!(!server.requests().iter().any(|request| request.json().to_string().contains("never sent")));
    }

    #[test]
    fn a_slow_reply_is_stopped_and_what_was_said_stays() {
        if !has_terminals() {
            return;
        }
        let room = Room::with(&[]);
        let options = winclaw_testkit::MockOptions { stall_after: Some(400), ..Default::default() };
        let long = "word ".repeat(500);
        let server = MockOpenAi::scripted_with(script(json!([says(&long)])), options);
        let mut terminal = chat(&room, &server, &[]);
        terminal.types("go\r");
        terminal.wait_for("word");
        terminal.types("\x03");
        terminal.wait_for("stopped; say how to go on");
        next_line(&mut terminal, 2);
        terminal.types("/quit\r");
        assert_eq!(terminal.ends(), 0);
    }

    #[test]
    fn consent_is_asked_within_the_chat() {
        if !has_terminals() {
            return;
        }
        let room = Room::with_misbehave(&[]);
        let write = |key: &str| json!({"reply": {"calls": [call("misbehave__kv", json!({"key": key, "value": "v"}))]}});
        let server = MockOpenAi::scripted(script(json!([
            write("first"),
            says("Written."),
            write("second"),
            says("Not written.")
        ])));
        let mut terminal = chat(&room, &server, &["--lang", "zh"]);
        terminal.types("写\r");
        terminal.wait_for("misbehave.kv");
        terminal.wait_for("[y]");
        terminal.types("y\r");
        terminal.wait_for("Written.");
        next_line(&mut terminal, 2);
        terminal.types("再写\r");
        terminal.wait_for_times("[y]", 2);
        terminal.types("n\r");
        terminal.wait_for("Not written.");
        next_line(&mut terminal, 3);
        terminal.types("/quit\r");
        assert_eq!(terminal.ends(), 0);
        let last = heard(&server, 3);
        assert!(last.iter().any(|(role, text)| role == "tool" && text.contains("denied")), "{last:?}");
    }

    #[test]
    fn ctrl_c_at_a_question_refuses_the_call_and_the_task_goes_on() {
        if !has_terminals() {
            return;
        }
        let room = Room::with_misbehave(&[]);
        let write = json!({"reply": {"calls": [call("misbehave__kv", json!({"key": "k", "value": "v"}))]}});
        let server = MockOpenAi::scripted(script(json!([write, says("Then not.")])));
        let mut terminal = chat(&room, &server, &[]);
        terminal.types("go\r");
        terminal.wait_for("[y]es once");
        terminal.types("\x03");
        terminal.wait_for("Then not.");
        next_line(&mut terminal, 2);
        terminal.types("/why misbehave.kv\r");
        terminal.wait_for("you were asked");
        terminal.types("/quit\r");
        assert_eq!(terminal.ends(), 0);
    }

    #[test]
    fn hostile_words_spoil_no_terminal() {
        if !has_terminals() {
            return;
        }
        let room = Room::with_misbehave(&[]);
        let hostile = "**x\u{1b}[2J\u{1b}]0;PWN\u{7}\u{9b}1m** y";
        let server = MockOpenAi::scripted(script(json!([
            {"reply": {"text": hostile, "calls": [call("misbehave__echo", json!({"text": hostile})), call(hostile, json!({}))]}},
            says(hostile),
        ])));
        let mut terminal = chat(&room, &server, &["-v"]);
        terminal.types("go\r");
        next_line(&mut terminal, 2);
        terminal.types("/why\r");
        next_line(&mut terminal, 3);
        terminal.types("/trace\r");
        next_line(&mut terminal, 4);
        terminal.types("/quit\r");
        assert_eq!(terminal.ends(), 0);
        let written = terminal.written();
        for hostile in ["\u{1b}[2J", "\u{1b}]", "\u{7}", "\u{9b}"] {
            assert!(!written.contains(hostile), "{hostile:?} was written: {written:?}");
        }
        assert!(terminal.screen().contains("x[2J]0;PWN1m y"), "{}", terminal.screen());
    }

    #[test]
    fn what_is_typed_while_a_task_runs_waits_for_the_next_line() {
        if !has_terminals() {
            return;
        }
        let room = Room::with_misbehave(&[]);
        let slow = json!({"reply": {"calls": [call("misbehave__slow", json!({"ms": 1500, "text": "done"}))]}});
        let server = MockOpenAi::scripted(script(json!([slow, says("First."), says("Second.")])));
        let mut terminal = chat(&room, &server, &[]);
        terminal.types("one\r");
        runs(&mut terminal, "misbehave.slow");
        terminal.types("typed ahead\r");
        terminal.wait_for("Second.");
        next_line(&mut terminal, 3);
        terminal.types("\x04");
        assert_eq!(terminal.ends(), 0);
        assert!(holds(&heard(&server, 2), "user", "typed ahead"));
        assert_eq!(terminal.screen().matches("typed ahead").count(), 1, "{}", terminal.screen());
    }

    #[test]
    fn tab_completes_and_history_comes_back_without_secrets() {
        if !has_terminals() {
            return;
        }
        let room = Room::with(&[]);
        let server = MockOpenAi::scripted(script(json!([says("Good.")])));
        let mut terminal = chat(&room, &server, &[]);
        terminal.types("/appr\t");
        terminal.wait_for("/approve");
        terminal.types("alw\t\r");
        terminal.wait_for("always: everything runs");
        next_line(&mut terminal, 2);
        terminal.types("my key is sk-abcdefghijklmnopqrst123456\r");
        terminal.wait_for("Good.");
        next_line(&mut terminal, 3);
        terminal.types("\x04");
        assert_eq!(terminal.ends(), 0);
        let history = std::fs::read_to_string(room.path().join("data").join("chat-history")).expect("a history");
        assert!(history.contains("/approve always") && !history.contains("sk-abc"), "{history}");
        let mut terminal = chat(&room, &server, &[]);
        terminal.types("\x1b[A");
        terminal.wait_for("[redacted]");
        terminal.types("\x03");
        terminal.wait_for("Ctrl-D or /quit leaves");
        terminal.types("\x04");
        assert_eq!(terminal.ends(), 0);
    }

    #[test]
    fn another_model_goes_on_and_its_price_is_told() {
        if !has_terminals() {
            return;
        }
        let room = Room::with(&[]);
        let server = MockOpenAi::scripted(script(json!([says("One."), says("Two.")])));
        let mut terminal = chat(&room, &server, &["--model", "openai/gpt-5-mini"]);
        terminal.types("hello\r");
        terminal.wait_for("One.");
        next_line(&mut terminal, 2);
        terminal.types("/model openai/gpt-5\r");
        terminal.wait_for("reads the whole conversation anew");
        next_line(&mut terminal, 3);
        terminal.types("and on\r");
        terminal.wait_for("Two.");
        next_line(&mut terminal, 4);
        terminal.types("/cost\r");
        terminal.wait_for("session");
        next_line(&mut terminal, 5);
        terminal.types("/clear\r");
        terminal.wait_for("a new conversation");
        terminal.types("/sessions\r");
        terminal.wait_for("/resume ID");
        terminal.types("/quit\r");
        assert_eq!(terminal.ends(), 0);
        let requests = server.requests();
        assert_eq!(
            (requests[0].json()["model"].clone(), requests[1].json()["model"].clone()),
            (json!("gpt-5-mini"), json!("gpt-5"))
        );
        assert!(holds(&heard(&server, 1), "assistant", "One."));
    }

    #[test]
    fn without_colours_an_answer_stands_as_it_was_written() {
        if !has_terminals() {
            return;
        }
        let room = Room::with(&[]);
        let server = MockOpenAi::scripted(script(json!([says("Some **bold** words.")])));
        let url = server.base_url();
        let variables = [("OPENAI_BASE_URL", url.as_str()), ("OPENAI_API_KEY", "k"), ("NO_COLOR", "1")];
        let mut terminal = room.terminal(&["chat"], &variables);
        terminal.wait_for("›");
        terminal.types("hello\r");
        terminal.wait_for("Some **bold** words.");
        terminal.types("\x04");
        assert_eq!(terminal.ends(), 0);
        assert!(!terminal.written().contains("\u{1b}[0;1m"), "{}", terminal.written());
    }

    #[test]
    fn a_terminal_that_can_do_nothing_still_has_a_chat() {
        if !has_terminals() {
            return;
        }
        let room = Room::with(&[]);
        let server = MockOpenAi::scripted(script(json!([says("Hello.")])));
        let url = server.base_url();
        let variables = [("OPENAI_BASE_URL", url.as_str()), ("OPENAI_API_KEY", "k"), ("TERM", "dumb")];
        let mut terminal = room.terminal(&["chat"], &variables);
        terminal.wait_for("›");
        terminal.types("hi\n");
        terminal.wait_for("Hello.");
        terminal.types("/quit\n");
        assert_eq!(terminal.ends(), 0);
    }
}

/// A replayed model needs no server, and no key.
#[test]
fn a_script_can_be_talked_with() {
    let room = Room::with(&[]);
    let file = room.replay(json!([says("Once."), says("Twice.")]));
    let run = room.winclaw(&["chat", "--replay", &file]).stdin("a\nb\n").limit(Duration::from_secs(30));
    run.run().exits(0).says(&["Once.\nTwice.\n"]);
}
