//! A whole plugin, from `plugin.toml` and functions to answers, through the same functions a host calls.

mod sample;

use sample::plugin;
use serde_json::{Value, json};
use winclaw_sdk::{FailureCode, Lang, LogLevel, PluginManifest, SideEffect};
use winclaw_sdk_testing::{TestHost, conformance};

fn manifest() -> PluginManifest {
    serde_json::from_str(plugin().manifest()).expect("a manifest")
}

#[test]
fn the_plugin_keeps_the_rules() {
    conformance(&plugin());
}

#[test]
fn the_manifest_joins_the_file_and_the_code() {
    let manifest = manifest();
    assert_eq!((manifest.id.as_str(), manifest.version.as_str()), ("sky", env!("CARGO_PKG_VERSION")));
    let names: Vec<&str> = manifest.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["forecast", "note", "circumstances", "misbehave", "stall"]);
    let forecast = &manifest.tools[0];
    assert_eq!(forecast.description, "Weather for a place,\nfor up to seven days.");
    assert_eq!((forecast.side_effect, forecast.timeout_ms, forecast.emoji.as_str()), (SideEffect::Read, 5000, "🌤"));
    assert_eq!(manifest.tools[1].side_effect, SideEffect::Write);
    assert!(manifest.tools[1].description.starts_with("Stores a note under a name."));
}

#[test]
fn the_schema_is_what_the_argument_struct_says() {
    let expected = json!({
        "type": "object",
        "properties": {
            "place": {"description": "The city or address.", "type": "string"},
            "days": {"description": "How many days, counting today.", "type": "integer", "minimum": 1, "maximum": 7, "default": 1},
            "unit": {
                "description": "Units of the numbers.",
                "anyOf": [
                    {"oneOf": [
                        {"description": "Celsius and metres.", "type": "string", "const": "metric"},
                        {"description": "Fahrenheit and miles.", "type": "string", "const": "imperial"},
                    ]},
                    {"type": "null"},
                ],
            },
        },
        "additionalProperties": false,
        "required": ["place"],
    });
    assert_eq!(manifest().tools[0].parameters, expected);
}

#[test]
fn an_async_tool_asks_the_host_and_answers() {
    let host = TestHost::new().http_reply("https://api.example.org/sky", 200, r#"{"words":"clear","more":1}"#);
    let output = host.call(&plugin(), "forecast", json!({"place": "Paris", "unit": "imperial"})).expect("a forecast");
    assert_eq!(output.value, json!({"place": "Paris", "words": "clear", "unit": "imperial"}));
    assert_eq!(host.requests()[0].url, "https://api.example.org/sky?place=Paris&days=1");
    assert_eq!(host.progress(), [(Some(0.5), "asking".to_owned())]);
    assert_eq!(host.logs(), [(LogLevel::Info, "answered".to_owned())]);
}

#[test]
fn a_blocking_tool_keeps_values_between_calls() {
    let host = TestHost::new().kv("a", "first");
    let call = |args: Value| host.call(&plugin(), "note", args).expect("a note").value;
    assert_eq!(call(json!({"name": "a", "text": "second"})), json!("first"));
    assert_eq!(host.stored("a").as_deref(), Some("second"));
    assert_eq!(call(json!({"name": "a"})), json!("second"));
    assert_eq!(host.stored("a"), None);
}

#[test]
fn circumstances_are_the_tests_to_set() {
    let host = TestHost::new().lang(Lang::Zh).now("2026-03-01T08:00:00Z").file_root("/data", true);
    let host = host.secret("SKY_KEY", "word").answer("extra", "yes");
    let output = host.call(&plugin(), "circumstances", json!({})).expect("circumstances");
    let expected = json!({
        "lang": "zh", "now_ms": 1_772_352_000_000_i64, "roots": [{"path": "/data", "write": true}],
        "scratch_exists": true, "secret": "word", "extra": "yes",
    });
    assert_eq!(output.value, expected);
    assert_eq!(host.partials(), ["half"]);
}

#[test]
fn what_was_not_given_is_missing_and_nothing_breaks() {
    let output = TestHost::new().call(&plugin(), "circumstances", json!({})).expect("circumstances");
    assert_eq!((&output.value["lang"], &output.value["secret"]), (&json!("en"), &json!(null)));
    assert!(output.value["now_ms"].as_i64().expect("a number") > 1_700_000_000_000);
}

#[test]
fn wrong_arguments_are_named_with_what_would_be_right() {
    let cases = [
        (json!({}), "forecast: missing field `place`. Parameters: place (string, required)"),
        (json!({"place": "x", "dayz": 1}), "did you mean `days`?"),
        (json!({"place": "x", "days": "three"}), "`days`: invalid type: string \"three\", expected a whole number"),
        (json!({"place": "x", "unit": "metrics"}), "did you mean `metric`?"),
        (json!({"place": ["x"]}), "`place`: invalid type: sequence, expected a string"),
    ];
    for (args, part) in cases {
        let failure = TestHost::new().call(&plugin(), "forecast", args).expect_err("wrong arguments");
        assert_eq!(failure.code, FailureCode::InvalidArgs);
        assert!(failure.message.contains(part), "{failure}");
    }
}

#[test]
fn an_unknown_tool_is_answered_with_the_known_ones() {
    let failure = TestHost::new().call(&plugin(), "forcast", json!({})).expect_err("no such tool");
    assert!(failure.message.contains("it has: forecast, note"), "{failure}");
}

#[test]
fn the_network_is_only_what_the_test_and_the_manifest_allow() {
    let down = TestHost::new().http_down().call(&plugin(), "forecast", json!({"place": "x"})).expect_err("down");
    assert_eq!(down.code, FailureCode::Unavailable);
    let unexpected = TestHost::new().call(&plugin(), "forecast", json!({"place": "x"})).expect_err("unexpected");
    assert!(unexpected.message.contains("GET https://api.example.org/sky?place=x"), "{unexpected}");
    let denied = TestHost::new().call(&plugin(), "misbehave", json!({"how": "ask_elsewhere"})).expect_err("denied");
    assert_eq!(denied.code, FailureCode::Denied);
    assert!(denied.message.contains("elsewhere.example.com"), "{denied}");
}

#[test]
fn the_plugin_says_which_sdk_built_it() {
    assert_eq!(plugin().load().query("sdk", "").as_deref(), Some(env!("CARGO_PKG_VERSION")));
    assert_eq!(plugin().load().query("unheard-of", ""), None);
}
