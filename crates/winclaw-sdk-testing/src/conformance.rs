use std::time::{Duration, Instant};

use serde_json::{Value, json};
use winclaw_sdk::{Failure, FailureCode, Outcome, Plugin, PluginManifest, check_manifest};

use crate::{Running, TestHost};

/// How long a cancelled call may go on.
const CANCEL_WITHIN: Duration = Duration::from_secs(1);

/// How many calls are made at once.
const AT_ONCE: usize = 100;

/// Checks that a plugin keeps the rules every host relies on; panics with the list of those it breaks.
///
/// The rules: the manifest is sound; every schema compiles and describes each parameter; arguments that are garbage,
/// huge, deeply nested or not UTF-8 are answered with `invalid_args`; nothing makes a tool panic; a cancelled call ends
/// within a second; a hundred calls at once are each answered for themselves. Tools are called with arguments that are
/// no arguments, or none, on a host without network, files and secrets.
///
/// # Panics
///
/// When a rule is broken.
#[track_caller]
pub fn conformance(plugin: &Plugin) {
    let faults = faults(plugin);
    assert!(faults.is_empty(), "the plugin breaks {} rules:\n- {}", faults.len(), faults.join("\n- "));
}

/// The rules of [`conformance`] that a plugin breaks, one line each.
pub fn faults(plugin: &Plugin) -> Vec<String> {
    let mut faults: Vec<String> = check_manifest(plugin.manifest()).iter().map(ToString::to_string).collect();
    let Ok(manifest) = serde_json::from_str::<PluginManifest>(plugin.manifest()) else {
        return faults;
    };
    for tool in &manifest.tools {
        schema_faults(&tool.name, &tool.parameters, &mut faults);
        argument_faults(plugin, &tool.name, &mut faults);
        faults.extend(cancel_fault(plugin, &tool.name));
        faults.extend(crossing_fault(plugin, &tool.name));
    }
    let unknown = TestHost::new().call(plugin, "no_such_tool", json!({}));
    if unknown.is_ok() {
        faults.push("a tool that the plugin does not have was called with success".into());
    }
    faults
}

fn schema_faults(tool: &str, parameters: &Value, faults: &mut Vec<String>) {
    if let Err(error) = jsonschema::validator_for(parameters) {
        faults.push(format!("tools.{tool}.parameters: is no JSON Schema: {error}"));
    }
    let properties = parameters.get("properties").and_then(Value::as_object).into_iter().flatten();
    for (name, _) in properties.filter(|(_, schema)| schema.get("description").is_none()) {
        faults.push(format!("tools.{tool}.parameters.{name}: has no description; give the field a doc comment"));
    }
}

fn argument_faults(plugin: &Plugin, tool: &str, faults: &mut Vec<String>) {
    for (what, bytes) in wrong_arguments() {
        match TestHost::new().call_raw(plugin, tool, &bytes) {
            Err(failure) if failure.code == FailureCode::InvalidArgs => {}
            other => faults.push(format!("{tool}: {what} should be invalid_args, but gave {}", shown(&other))),
        }
    }
    let host = TestHost::new();
    let nothings = ["", " ", "null", "{}"].map(|nothing| (nothing, host.start_raw(plugin, tool, nothing.as_bytes())));
    let deadline = Instant::now() + CANCEL_WITHIN;
    for (nothing, running) in nothings {
        let outcome = outcome_or_cancelled(&running, deadline);
        if outcome.as_ref().is_err_and(is_broken) {
            faults.push(format!("{tool}: {nothing:?} as arguments gave {}", shown(&outcome)));
        }
    }
}

/// A tool that needs no arguments runs with none, and some of them run for long.
fn outcome_or_cancelled(running: &Running, deadline: Instant) -> Outcome {
    match running.wait_for(deadline.saturating_duration_since(Instant::now())) {
        Err(failure) if failure.code == FailureCode::Timeout => {
            running.cancel();
            running.wait_for(CANCEL_WITHIN)
        }
        outcome => outcome,
    }
}

fn wrong_arguments() -> Vec<(&'static str, Vec<u8>)> {
    let deep = |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels)).into_bytes();
    vec![
        ("bytes that are not UTF-8", b"{\"a\": \"\xff\xfe\"}".to_vec()),
        ("text that is not JSON", b"place=Paris".to_vec()),
        ("JSON that is cut off", b"{\"a\": [1, 2".to_vec()),
        ("a JSON array", b"[]".to_vec()),
        ("a JSON string", b"\"{}\"".to_vec()),
        ("a number", b"7".to_vec()),
        ("JSON nested 100000 deep", deep(100_000)),
        ("an unknown field of 4 MiB", format!("{{\"no_such_field\":\"{}\"}}", "x".repeat(4 << 20)).into_bytes()),
        ("an unknown field", b"{\"no_such_field\": 1}".to_vec()),
        ("NUL bytes", vec![0; 64]),
    ]
}

/// With an unanswered network, so that a tool that asks it hangs until it is cancelled.
fn cancel_fault(plugin: &Plugin, tool: &str) -> Option<String> {
    let host = TestHost::new().http_silent();
    let running = host.start(plugin, tool, json!({}));
    running.cancel();
    let outcome = running.wait_for(CANCEL_WITHIN);
    let late = outcome.as_ref().is_err_and(|failure| failure.code == FailureCode::Timeout || is_broken(failure));
    late.then(|| format!("{tool}: a cancelled call gave {}", shown(&outcome)))
}

/// Every call has arguments of its own that are wrong, and its answer must speak of no other call's.
fn crossing_fault(plugin: &Plugin, tool: &str) -> Option<String> {
    let host = TestHost::new();
    let field = |number: usize| format!("no_such_field_{number}_");
    let started: Vec<_> =
        (0..AT_ONCE).map(|number| host.start(plugin, tool, json!({ field(number): number }))).collect();
    for (number, running) in started.into_iter().enumerate() {
        let outcome = running.wait();
        let names_own = outcome.as_ref().is_err_and(|failure| failure.message.contains(&field(number)));
        if !names_own {
            return Some(format!("{tool}: of {AT_ONCE} calls at once, number {number} gave {}", shown(&outcome)));
        }
    }
    None
}

fn is_broken(failure: &Failure) -> bool {
    matches!(failure.code, FailureCode::Panicked | FailureCode::Crashed | FailureCode::Incompatible)
}

fn shown(outcome: &Outcome) -> String {
    let text = match outcome {
        Ok(output) => format!("the result {}", output.model_text()),
        Err(failure) => failure.to_string(),
    };
    text.chars().take(300).collect()
}
