use serde_json::{Value, json};
use winclaw_tool::{ProblemKind, Text};

use super::*;

/// One record of each kind, with every field filled.
pub(crate) fn samples() -> Vec<Record> {
    let mut all = before_calls();
    all.extend(calls());
    all.extend(after_calls());
    all
}

fn before_calls() -> Vec<Record> {
    let shown = ShownTool { tool: "sky.forecast".into(), level: "full".into(), because: "天气".into(), tokens: 210 };
    let usage = TokenUsage { input: Some(900), cached: Some(800), output: Some(40) };
    vec![
        Record::Start {
            task_id: "20261130-160948-3fa2".into(),
            started_unix_ms: 1_796_054_988_000,
            program: "0.1.0".into(),
            model: "acme/small".into(),
            replayed: false,
            request: "北京天气".into(),
            lang: "zh".into(),
        },
        Record::Session { session_id: "s3k9".into(), request_no: 2, after: Some("20261130-160000-0001".into()) },
        Record::Evidence {
            call_no: 1,
            hits: vec![EvidenceHit { tool: "sky.forecast".into(), score: 1.5, exact: true, because: "天气".into() }],
            total: 3,
            margin: 0.5,
        },
        Record::Exposure {
            call_no: 1,
            epoch: 1,
            transport: "bridge".into(),
            reach: "recommended".into(),
            shown: vec![shown],
            named: 58,
            prefix_sha256: "ab".repeat(32),
            prefix_tokens: 900,
            tail_tokens: 12,
            everything_tokens: 9_000,
            tail: Some("prefer sky.forecast".into()),
        },
        Record::SetAside { call_no: 1, tool: "sky.stars".into(), why: "its name is too long".into() },
        Record::Request { call_no: 1, attempt: 2, bytes: 4_000, sha256: "cd".repeat(32), tools: 6, messages: 1 },
        Record::Reply {
            text_chars: 0,
            calls: vec![CallMade { id: "c1".into(), name: "sky__forecast".into() }],
            usage,
            cut_off: true,
            ms: 800,
            estimated: 880,
            scale: 1.25,
            text_calls: 1,
        },
        Record::ModelFailed { call_no: 2, code: "overloaded".into(), error: "HTTP 529".into(), ms: 9_000 },
        Record::Cost {
            call_no: 1,
            micros: 1_250,
            total_micros: 4_000,
            currency: "USD".into(),
            as_of: Some("2026-11".into()),
        },
    ]
}

fn calls() -> Vec<Record> {
    let (call_id, tool) = ("c1".to_owned(), "sky.forecast".to_owned());
    vec![
        Record::Resolve { call_id: call_id.clone(), name: "sky__forecast".into(), resolution: tool.clone() },
        Record::Repair {
            call_id: call_id.clone(),
            tool: tool.clone(),
            repair: "coerced".into(),
            at: "/days".into(),
            said: "`days` was text".into(),
        },
        Record::Verdict {
            call_id: call_id.clone(),
            tool: tool.clone(),
            verdict: "not_run".into(),
            rule: Some("schema".into()),
            reason: "`place` is missing".into(),
        },
        Record::Consent {
            call_id: call_id.clone(),
            tool: tool.clone(),
            asked: "Send it?".into(),
            answer: "once".into(),
            side_effect: "external".into(),
            scope: "once".into(),
            rule: "mail.* ask".into(),
        },
        Record::Call {
            call_id,
            tool,
            detail: "place: 北京".into(),
            arguments: json!({"place": "北京", "days": [1, 2]}),
            ms: 120,
            outcome: "unavailable".into(),
            result_chars: 14,
            result_sha256: "ef".repeat(32),
            error: Some("no network".into()),
            whole: Some("spill/c1.txt".into()),
        },
    ]
}

fn after_calls() -> Vec<Record> {
    let problem = Problem {
        kind: ProblemKind::Io,
        subject: "sky".into(),
        what: Text::new("It is empty.", "是空的。"),
        mend: Text::new("Restore it.", "请恢复。"),
        fatal: true,
    };
    let tokens = TokenUsage { input: Some(900), cached: Some(800), output: Some(40) };
    vec![
        Record::Aside {
            call_id: "c2".into(),
            name: "tool_search".into(),
            arguments: r#"{"queries":["天气"]}"#.into(),
            outcome: "ok".into(),
            detail: "sky.forecast".into(),
            result_chars: 300,
        },
        Record::Loop {
            pattern: "repeat".into(),
            tools: vec!["sky.forecast".into()],
            times: 3,
            rung: "hint".into(),
            said: "the result is the same".into(),
        },
        Record::Drift {
            call_id: "c2".into(),
            tool: "mail.send".into(),
            rung: "note".into(),
            why: "far from the request".into(),
            said: "Keep to the request".into(),
        },
        Record::Step { step: json!({"op": "learn", "signal": {"used": "sky.forecast"}}) },
        Record::Epoch {
            epoch: 2,
            transport: "bridge".into(),
            cause: "the conversation was folded".into(),
            prefix_tokens: 900,
            rebilled: 1_400,
        },
        Record::Tools {
            sha256: "12".repeat(32),
            count: 60,
            new: vec!["map.find".into()],
            gone: vec!["sky.stars".into()],
            back: vec!["sky.moon".into()],
            changed: vec!["sky.forecast".into()],
        },
        Record::Compacted { results: 4, turns: 2, cut: 1, before_tokens: 7_000, after_tokens: 3_000 },
        Record::Rise { cause: "called unshown".into(), tools: vec!["map.find".into()], reach: "extended".into() },
        Record::Problem { problem },
        Record::End { state: "done".into(), exit_code: 0, calls: 2, tokens, ms: 5_300, answer_chars: 80 },
    ]
}

/// The names in backticks in the section of the document that describes `kind`.
fn section<'a>(document: &'a str, kind: &str) -> &'a str {
    let head = format!("### `{kind}`");
    let from = document.split_once(&head).unwrap_or_else(|| panic!("docs/trace-format.md lacks {head}")).1;
    from.split_once("\n#").map_or(from, |(section, _)| section)
}

#[test]
fn the_document_describes_every_kind_and_every_field() {
    let document = include_str!("../../../../docs/trace-format.md");
    for record in samples() {
        let value = serde_json::to_value(&record).expect("json");
        let kind = value["kind"].as_str().expect("a kind").to_owned();
        let section = section(document, &kind);
        for field in value.as_object().expect("an object").keys().filter(|key| *key != "kind") {
            assert!(section.contains(&format!("| `{field}` |")), "docs/trace-format.md: {kind} lacks `{field}`");
        }
    }
    assert_eq!(
        document.matches("\n### `").count(),
        samples().len(),
        "the document describes a kind that is not written"
    );
}

#[test]
fn what_is_absent_is_left_out_of_the_line() {
    let usage = serde_json::to_value(TokenUsage::default()).expect("json");
    assert_eq!(usage, Value::Object(serde_json::Map::new()));
}

/// `WINCLAW_WRITE=1 cargo nextest run -p winclaw-trace schema` writes the file anew.
#[test]
fn the_schema_in_the_documents_is_the_one_of_the_types() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trace.schema.json");
    let schema = serde_json::to_string_pretty(&schema()).expect("json") + "\n";
    if std::env::var_os("WINCLAW_WRITE").is_some() {
        std::fs::write(path, &schema).expect("written");
    }
    assert_eq!(std::fs::read_to_string(path).expect("docs/trace.schema.json"), schema);
}
