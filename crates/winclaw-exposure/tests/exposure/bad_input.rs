//! Whatever is fed in, what comes out is clear and bounded: catalogs, names, queries, settings.

use std::sync::Arc;

use serde_json::{Value, json};
use winclaw_catalog::evidence::Evidence;
use winclaw_catalog::{Catalog, Resolution, ToolIx};
use winclaw_exposure::{Because, Exposure, Native, Prepared, Settings, Signal, Transport, estimate_tokens, meta};

use crate::support::{many, need};
use crate::toy::{bridge, catalog, fits, ix, plain, small, tool};

const MEGABYTE: usize = 1 << 20;

#[test]
fn an_empty_catalog_has_a_surface_and_an_answer_to_everything() {
    let (empty, _) = Catalog::build(Vec::new());
    for transport in [None, Some(Transport::Direct), Some(Transport::Bridge), Some(Transport::Native)] {
        let settings = Settings { transport, native: Some(Native::References), ..Settings::default() };
        let mut exposure = Exposure::begin(&empty, &Evidence::default(), settings.clone());
        let surface = exposure.surface(&empty);
        let names: Vec<&str> = surface.prefix.tools.iter().map(|spec| spec.name.as_str()).collect();
        assert_eq!(names, ["ask_user"], "{transport:?}");
        assert!(surface.shown.is_empty() && !surface.prefix.system.contains("# Catalogue"));
        assert!(exposure.search_answer(&empty, &[], "anything").text.contains("No tools are installed"));
        let nothing = [("x".to_owned(), Resolution::Unknown { nearest: Vec::new() })];
        assert!(exposure.details_answer(&empty, &nothing).text.contains("There is no tool `x`"));
        assert!(exposure.unknown_answer(&empty, "x", &[]).message.contains("nothing was run"));
        for signal in
            [Signal::NoTool, Signal::SearchWithoutNews, Signal::Used(ToolIx(7)), Signal::LoopBlocked(ToolIx(0))]
        {
            exposure.learn(&empty, signal);
        }
        exposure.observe(&empty, &fits(&small(), &["sky.forecast"]));
        exposure.compacted(&empty);
        exposure.new_request(&empty, &Evidence::default(), u32::MAX);
        exposure.switch_model(&empty, settings);
        exposure.reset(&empty, &Evidence::default());
        assert!(exposure.surface(&empty).shown.is_empty() && exposure.rows(&empty).is_empty());
    }
}

#[test]
fn the_first_tools_of_an_empty_catalog_are_announced_and_reached() {
    let (empty, _) = Catalog::build(Vec::new());
    let mut exposure = Exposure::begin(&empty, &Evidence::default(), Settings::default());
    exposure.surface(&empty);
    let (next, _, map) = empty.successor(vec![plain("sky.forecast")]);
    exposure.adopt(&next, &Arc::new(Prepared::new(&next)), &map);
    let tail = exposure.surface(&next).tail.expect("news");
    assert!(tail.contains("sky__forecast"), "{tail}");
    assert!(exposure.how_to_reach(&next, ix(&next, "sky.forecast")).extra_turns() <= Some(1));
}

/// Megabytes, hidden characters and signs of structure in every text of a tool.
#[test]
fn no_text_of_a_tool_makes_a_request_large_or_breaks_its_lines() {
    let texts =
        ["word ".repeat(MEGABYTE / 5), "天气".repeat(MEGABYTE / 6), "\u{202e}\u{200b}\0#\n- x: y\r\n".repeat(9_000)];
    for text in texts {
        let each = json!({"en": text, "zh": text});
        let loud = tool(
            "sky.loud",
            json!({"description": text, "summary": each, "title": each, "category": text,
            "emoji": text, "guidance": text, "aliases": {"en": [text]}, "examples": [text], "always_load": true,
            "parameters": {"type": "object", "properties": {"place": {"type": "string", "description": text}}}}),
        );
        let catalog = catalog(vec![loud, plain("sky.forecast")]);
        let mut exposure = Exposure::begin(&catalog, &fits(&catalog, &["sky.forecast"]), bridge());
        let surface = exposure.surface(&catalog);
        assert!(surface.tokens.prefix < 6_000, "{} tokens", surface.tokens.prefix);
        let shown = format!("{}{}", surface.prefix.system, surface.tail.unwrap_or_default());
        let hidden = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202e}' | '\u{200b}');
        assert!(!shown.contains(hidden), "{shown:?}");
        let headings: Vec<&str> = surface.prefix.system.lines().filter(|line| line.starts_with('#')).collect();
        assert!(headings.iter().all(|line| ["# Tools", "# Catalogue of tools"].contains(line)), "{headings:?}");
    }
}

#[test]
fn a_query_or_a_name_of_any_size_and_kind_is_answered_in_a_few_lines() {
    let catalog = small();
    let mut exposure = Exposure::begin(&catalog, &Evidence::default(), bridge());
    let long = ["x".repeat(MEGABYTE), "查天气".repeat(9_000), "🙂".repeat(9_000), "\u{202e}\0\u{1b}[2J".repeat(9_000)];
    for text in long.iter().map(String::as_str).chain(["", "气", "?", "🙂", "weather天気🙂\u{200b}"]) {
        let found = exposure.search_answer(&catalog, &[], text).text;
        let unknown = exposure.unknown_answer(&catalog, text, &[]).message;
        let shared = exposure.ambiguous_answer(&catalog, text, &[ToolIx(0), ToolIx(1)]).message;
        let resolved = [(text.to_owned(), catalog.resolve(text))];
        let details = exposure.details_answer(&catalog, &resolved).text;
        for answer in [&found, &unknown, &shared, &details] {
            assert!(answer.chars().count() < 2_500, "{} characters", answer.chars().count());
            assert!(!answer.contains(['\0', '\u{1b}', '\u{202e}', '\u{200b}']), "{answer:?}");
        }
        let arguments = json!({"queries": [text]});
        if let Some(Err(failure)) = meta::parse("tool_search", &arguments) {
            assert!(failure.message.chars().count() < 2_500, "{} characters", failure.message.chars().count());
        }
    }
}

/// Arguments of every wrong shape, for every meta tool: an answer with the field and a call that would do.
#[test]
fn arguments_of_any_shape_are_read_or_refused_in_words() {
    let deep = (0..300).fold(json!(1), |inner, _| json!([inner]));
    let shapes = [
        Value::Null,
        json!(7),
        json!("text"),
        json!([]),
        json!({"queries": deep}),
        json!({"names": [[["x"]]]}),
        json!({"name": 1, "arguments": "{"}),
        json!({"question": {}}),
        json!("x".repeat(MEGABYTE)),
    ];
    for name in winclaw_catalog::RESERVED {
        for arguments in &shapes {
            let Err(failure) = meta::parse(name, arguments).expect("a meta tool") else { continue };
            assert!(failure.message.starts_with(&format!("{name}: `")), "{}", failure.message);
            assert!(failure.message.chars().count() < 3_000, "{name}: {} characters", failure.message.chars().count());
        }
    }
}

/// Settings nobody would choose: nothing panics, the array keeps to the vendor's limit, and every tool is still there.
#[test]
fn settings_of_any_size_are_lived_with() {
    let sketches = many(60);
    let catalog = crate::support::catalog(&sketches);
    let mut all = Vec::new();
    for window_tokens in [0, 1, 500, u32::MAX] {
        for (max_tools, scale) in [(0, f32::NAN), (usize::MAX, 0.0), (5, f32::INFINITY), (128, -2.0)] {
            for transport in [None, Some(Transport::Direct), Some(Transport::Native)] {
                let native = Some(Native::SearchResult);
                all.push(Settings { window_tokens, max_tools, scale, transport, native, ..Settings::default() });
            }
        }
    }
    for settings in all {
        let most = settings.max_tools.max(4);
        let mut exposure = Exposure::begin(&catalog, &fits_all(&catalog), settings.clone());
        exposure.learn(&catalog, Signal::NoTool);
        exposure.compacted(&catalog);
        exposure.new_request(&catalog, &fits_all(&catalog), u32::MAX);
        let surface = exposure.surface(&catalog);
        assert!(surface.prefix.tools.len() <= most, "{settings:?}");
        for tool in catalog.permitted() {
            assert!(exposure.how_to_reach(&catalog, tool).extra_turns().is_some(), "{tool:?} with {settings:?}");
        }
        assert!(exposure.scale().is_finite() && exposure.scale() > 0.0);
    }
}

fn fits_all(catalog: &Catalog) -> Evidence {
    let ids: Vec<String> = catalog.permitted().map(|ix| catalog.get(ix).id.to_string()).collect();
    fits(catalog, &ids.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A ring, a chain, a star and a tool that requires all: each schema that is asked for is shown, and nothing grows with
/// the closure.
#[test]
fn closures_of_any_shape_end_and_stay_within_an_answer() {
    let shapes: [fn(usize, usize) -> Vec<usize>; 4] = [
        |n, size| vec![(n + 1) % size],
        |n, _| vec![n + 1],
        |n, _| if n == 0 { Vec::new() } else { vec![0] },
        |n, size| {
            if n == 0 { (1..size).collect() } else { Vec::new() }
        },
    ];
    for shape in shapes {
        let of = |n: usize| {
            let requires: Vec<String> = shape(n, 800).into_iter().map(|n| format!("t{n:04}")).collect();
            tool(
                &format!("deep.t{n:04}"),
                json!({"depends_on": requires, "description": format!("Does {} and more.", need(n))}),
            )
        };
        let catalog = catalog((0..800).map(of).collect());
        let mut exposure = Exposure::begin(&catalog, &fits(&catalog, &["deep.t0000"]), bridge());
        let first = ix(&catalog, "deep.t0000");
        let answer = exposure.reveal(&catalog, &[first], Because::Asked).text;
        assert!(exposure.schema_shown(first));
        assert!(estimate_tokens(&answer) < 8_000, "{} tokens", estimate_tokens(&answer));
        assert!(exposure.surface(&catalog).tokens.prefix < 12_000);
    }
}

/// Whatever is asked for, one answer leaves room for the rest of the conversation.
#[test]
fn an_answer_leaves_room_in_the_window() {
    let wide: Vec<String> = (0..2_000).map(|n| format!("value number {n}")).collect();
    let dear = |n: usize| {
        let schema = json!({"type": "object", "properties": {"kind": {"enum": wide}}});
        tool(&format!("dear.t{n}"), json!({"parameters": schema, "description": "word ".repeat(MEGABYTE / 5)}))
    };
    let catalog = catalog((0..10).map(dear).collect());
    let mut exposure = Exposure::begin(&catalog, &Evidence::default(), bridge());
    let all: Vec<(String, Resolution)> =
        catalog.tools().iter().map(|tool| (tool.id.to_string(), catalog.resolve(tool.id.as_str()))).collect();
    let answer = exposure.details_answer(&catalog, &all);
    let tokens = estimate_tokens(&answer.text);
    assert!(tokens < Settings::default().window_tokens / 2, "{tokens} tokens");
}
