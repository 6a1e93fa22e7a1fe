//! What is read, and what is said of what cannot be.

use serde_json::{Value, json};
use winclaw_eval::{About, Dataset, read_tools};

use crate::support::{Files, lines};

const TOOL: &str =
    r#"{"id": "sky.forecast", "name": "forecast", "server": "sky", "description": "Tells the weather."}"#;
const QUERY: &str = r#"{"id": "q", "query": "Will it rain?", "gold": ["sky.forecast"]}"#;

/// Tools, requests, the file and line the error must name, and words it must have in English and Chinese.
type Bad = (&'static [u8], &'static [u8], &'static str, &'static str, &'static str);

const BAD: [Bad; 21] = [
    (b"", QUERY.as_bytes(), "tools.jsonl: ", "empty", "为空"),
    (b"\n \r\n", QUERY.as_bytes(), "tools.jsonl: ", "empty", "为空"),
    (b"[]", QUERY.as_bytes(), "tools.jsonl: ", "no entry", "没有任何条目"),
    (br#"{"tools": []}"#, QUERY.as_bytes(), "tools.jsonl: ", "no entry", "没有任何条目"),
    (b"\xff\xfe{\0", QUERY.as_bytes(), "tools.jsonl: ", "UTF-16", "UTF-16"),
    (b"{\"id\": \"a\"}\n{\"id\": \"\xc3\x28\"}", QUERY.as_bytes(), "tools.jsonl:2: ", "UTF-8", "UTF-8"),
    (b"{\"id\": \"a\"}\n{\"id\": ", QUERY.as_bytes(), "tools.jsonl:2: ", "not valid JSON", "有效的 JSON"),
    (b"{\"id\": \"a\"}\n\n[1]", QUERY.as_bytes(), "tools.jsonl:3: ", "no JSON object", "不是 JSON 对象"),
    (b"[{\"id\": \"a\"}, 3]", QUERY.as_bytes(), "tools.jsonl:[2]: ", "no JSON object", "不是 JSON 对象"),
    (b"[{\"id\": \"a\"},\n", QUERY.as_bytes(), "tools.jsonl:2: ", "not valid JSON", "有效的 JSON"),
    (br#"{"server": "sky"}"#, QUERY.as_bytes(), "tools.jsonl:1: ", "`id` or a `name`", "id 或 name"),
    (b"{\"id\": \"a\"}\n{\"id\": [1]}", QUERY.as_bytes(), "tools.jsonl:2: ", "`id` is not a text", "“id”不是文本"),
    (
        b"{\"id\": \"a\"}\n{\"id\": \"a\"}",
        QUERY.as_bytes(),
        "tools.jsonl:2: ",
        "second time, first at 1",
        "首次出现于 1",
    ),
    (
        b"{\"id\": \"a\"}\n{\"id\": \"b\", \"depends_on\": [{\"tool\": \"a\", \"kind\": \"loves\"}]}",
        QUERY.as_bytes(),
        "tools.jsonl:2: ",
        "no edge",
        "不是依赖",
    ),
    (
        b"{\"id\": \"a\"}\n{\"id\": \"b\", \"examples\": 3}",
        QUERY.as_bytes(),
        "tools.jsonl:2: ",
        "does not fit",
        "不符合",
    ),
    (TOOL.as_bytes(), b"", "queries.jsonl: ", "empty", "为空"),
    (TOOL.as_bytes(), b"{\"gold\": []}\n{\"gold\": []}", "queries.jsonl:1: ", "`query` is missing", "缺少 query"),
    (
        TOOL.as_bytes(),
        b"{\"query\": \"a\", \"gold\": []}\n{\"query\": \"b\"}",
        "queries.jsonl:2: ",
        "neither `gold`",
        "缺少 gold",
    ),
    (
        TOOL.as_bytes(),
        b"{\"query\": \"a\", \"gold\": [{}]}\n{}",
        "queries.jsonl:1: ",
        "`gold` is not a list",
        "“gold”不是",
    ),
    (
        TOOL.as_bytes(),
        b"{\"query\": \"a\", \"gold\": [\"sky.forecast\"], \"rel\": {\"sky.forecast\": -1}}\n{}",
        "queries.jsonl:1: ",
        "`rel` is not",
        "“rel”不是",
    ),
    (
        TOOL.as_bytes(),
        b"{\"id\": 1, \"query\": \"a\", \"gold\": []}\n{\"id\": \"1\", \"query\": \"b\", \"gold\": []}",
        "queries.jsonl:2: ",
        "second time",
        "重复",
    ),
];

#[test]
fn bad_input_is_named_with_file_line_and_a_way_to_mend_it() {
    for (tools, queries, place, en, zh) in BAD {
        let error = Files::new(tools, queries).error();
        let shown = error.to_string();
        let given = String::from_utf8_lossy(if place.starts_with("tools") { tools } else { queries }).into_owned();
        assert!(shown.contains(place), "{given}\n{shown}");
        assert!(error.what().en.contains(en), "{given}\n{shown}");
        assert!(error.what().zh.contains(zh), "{given}\n{}", error.what().zh);
        assert!(!error.mend().en.is_empty() && !error.mend().zh.is_empty(), "{given}");
    }
}

#[test]
fn a_file_that_is_not_there_is_an_error_too() {
    let files = Files::new(TOOL, QUERY);
    let error = read_tools(&files.path().join("nothing")).expect_err("no file");
    assert!(error.to_string().contains("cannot be read"), "{error}");
    assert!(read_tools(files.path()).is_err(), "a folder is no file");
}

#[test]
fn every_usual_form_reads_the_same() {
    let tools = [
        json!({"name": "forecast", "server": "sky", "description": "Tells the weather.", "inputSchema": {"type": "object", "properties": {"place": {"type": "string"}}}}),
        json!({"name": "add", "server": "notes", "description": "Writes a note down."}),
    ];
    let jsonl = lines(&tools);
    let forms = [
        jsonl.clone(),
        format!("\u{feff}{jsonl}"),
        jsonl.replace('\n', "\r\n\r\n"),
        Value::from(tools.to_vec()).to_string(),
        format!("\u{feff}\r\n{:#}", Value::from(tools.to_vec())),
        json!({"tools": tools, "nextCursor": null}).to_string(),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}).to_string(),
    ];
    let queries = r#"{"queries": [{"query": "note this", "gold": "notes/add"}]}"#;
    let read = |form: &String| Files::new(form, queries).read();
    let first = read(&forms[0]);
    assert_eq!(first.problems, []);
    assert_eq!(first.catalog.tools().len(), 2);
    for form in &forms[1..] {
        let again = read(form);
        assert_eq!(first.catalog, again.catalog, "{form}");
        assert_eq!(first.requests[0].needs, again.requests[0].needs, "{form}");
    }
}

#[test]
fn tools_as_chat_requests_carry_them_are_read() {
    let rows = json!([{"type": "function", "function": {"name": "forecast", "description": "Tells the weather.",
        "parameters": {"type": "object", "properties": {"place": {"type": "string"}}}}},
        {"name": "add", "description": "Writes a note.", "input_schema": {"type": "object", "properties": {"text": {"type": "string"}}}}]);
    let dataset = Files::new(rows.to_string(), r#"{"query": "x", "gold": ["forecast"]}"#).read();
    let with_parameters = |name: &str| {
        let tool = dataset.catalog.tools().iter().find(|tool| tool.id.name() == name).expect("the tool");
        tool.manifest.parameters["properties"].as_object().expect("properties").len()
    };
    assert_eq!((with_parameters("forecast"), with_parameters("add")), (1, 1));
}

#[test]
fn ids_of_any_characters_come_back_as_they_were_written() {
    let ids = ["sky/fore cast", "sky/fore_cast", "北京/天气 ☁", "A.B.C:D", " ", "x\u{202e}y\u{0}z", "9"];
    let mut tools: Vec<Value> = ids.iter().map(|id| json!({"id": id, "description": "Does it."})).collect();
    tools[6] = json!({"id": 9, "description": "A number for an id."});
    let queries: Vec<Value> = ids.iter().map(|id| json!({"query": "do it", "gold": [id]})).collect();
    let dataset = Files::new(lines(&tools), lines(&queries)).read();
    assert_eq!(dataset.requests.len(), ids.len(), "{:?}", dataset.problems);
    for (id, request) in ids.iter().zip(&dataset.requests) {
        let names: Vec<&str> = request.needs[0].any.iter().map(|ix| dataset.name(*ix)).collect();
        assert_eq!((request.needs[0].name.as_str(), names.as_slice()), (*id, [*id].as_slice()));
    }
}

#[test]
fn edges_are_read_in_both_forms_and_by_bare_names() {
    let tools = [
        json!({"id": "one/a", "name": "a", "server": "one", "description": "A.", "depends_on": [
            {"name": "b", "type": "TOOL_INDIRECTLY_DEPENDS_ON"}, {"name": "c", "type": "PARAMETER_DEPENDS_ON"}]}),
        json!({"id": "one/b", "name": "b", "server": "one", "description": "B.", "depends_on": ["two/b"]}),
        json!({"id": "two/b", "name": "b", "server": "two", "description": "B too."}),
        json!({"id": "three/c", "name": "c", "server": "three", "description": "C.", "depends_on": [{"tool": "two", "kind": "input_from"}]}),
        json!({"id": "three/d", "name": "d", "server": "three", "description": "D.", "depends_on": [{"tool": "nobody", "kind": "requires"}]}),
    ];
    let dataset = Files::new(lines(&tools), r#"{"query": "x", "gold": ["one/a"]}"#).read();
    let place = |id: &str| dataset.catalog.all().find(|ix| dataset.name(*ix) == id).expect("the tool");
    let names = |found: &[winclaw_catalog::ToolIx]| found.iter().map(|ix| dataset.name(*ix)).collect::<Vec<_>>();
    assert_eq!(names(dataset.catalog.requires(place("one/a"))), ["one/b", "three/c"]);
    assert_eq!(names(dataset.catalog.requires(place("one/b"))), ["two/b"]);
    assert_eq!(names(dataset.catalog.input_from(place("three/c"))), ["two/b"]);
    let unknown: Vec<&str> = dataset.problems.iter().map(|problem| problem.subject.as_str()).collect();
    assert_eq!(unknown, ["three/d"], "{:?}", dataset.problems);
}

fn needs(query: &Value) -> Dataset {
    let tools = [
        json!({"id": "sky/rain", "name": "rain", "server": "sky", "description": "Rain."}),
        json!({"id": "sky/sun", "name": "sun", "server": "sky", "description": "Sun."}),
        json!({"id": "mail/send", "name": "send", "server": "mail", "description": "Send."}),
    ];
    Files::new(lines(&tools), lines(&[query.clone(), json!({"id": "other", "query": "nothing", "gold": []})])).read()
}

#[test]
fn a_need_is_a_tool_or_its_likes_or_a_plugin() {
    let dataset = needs(&json!({"query": "x", "gold": ["sky/rain", "sky/rain", "mail/send"],
        "alts": {"sky/rain": ["sky/sun"]}, "gold_plugins": ["sky"]}));
    let found: Vec<(&str, usize)> =
        dataset.requests[0].needs.iter().map(|need| (need.name.as_str(), need.any.len())).collect();
    assert_eq!(found, [("sky/rain", 2), ("mail/send", 1), ("sky", 2)]);
    assert_eq!((dataset.problems.len(), dataset.left_out), (0, 0));
}

#[test]
fn a_name_that_no_tool_has_is_counted_and_named() {
    let some = needs(&json!({"id": "half", "query": "x", "gold": ["sky/rain", "sky/snow"], "gold_plugins": ["moon"]}));
    assert_eq!((some.requests.len(), some.requests[0].needs.len(), some.left_out), (2, 1, 0));
    let words: Vec<&str> = some.problems.iter().map(|problem| problem.what.en.as_str()).collect();
    assert!(words[0].contains("sky/snow") && words[1].contains("moon"), "{words:?}");
    assert!(some.problems.iter().all(|problem| problem.subject == "half" && problem.what.en.contains("Line 1")));

    let none = needs(&json!({"query": "x", "gold": ["sky/snow"]}));
    assert_eq!((none.requests.len(), none.left_out, none.problems.len()), (1, 1, 1), "not met trivially, but left out");
}

#[test]
fn recorded_searches_join_the_requests_they_belong_to() {
    let mut dataset =
        needs(&json!({"id": "abcdef-1", "query": "x", "gold": ["sky/rain"], "steps": ["first", "second"]}));
    assert_eq!(dataset.requests[0].steps, ["first", "second"]);
    let runs = [
        json!({"id": "run-abcdef", "turns": [[{"tool": "tool_search", "args": {"queries": ["rain", "sun"]}}, {"tool": "read", "args": {"query": "no"}}],
            [{"tool": "route", "args": {"query": "<x>\ntool: mail\n</x>"}}]]}),
        json!({"id": "run-nobody", "steps": ["x"]}),
    ];
    let files = Files::new(lines(&runs), "");
    dataset.read_steps(&files.tools()).expect("runs");
    assert_eq!(dataset.requests[0].steps, ["rain", "sun", "mail"]);
    assert!(dataset.problems[0].what.en.contains("run-nobody"), "{:?}", dataset.problems);
}

#[test]
fn an_entry_that_is_nested_too_deep_costs_itself_alone_in_every_form() {
    let deep = format!(
        r#"{{"id": "deep", "description": "D.", "parameters": {}{}}}"#,
        r#"{"properties":"#.repeat(400),
        format_args!("{{}}{}", "}".repeat(400))
    );
    let good = [r#"{"id": "a", "description": "A."}"#, r#"{"id": "b", "description": "B: ]]}}\"[[{{."}"#];
    let array = format!("[{},\n{deep},\n{}]", good[0], good[1]);
    let forms = [
        (format!("{}\n{deep}\n{}\n", good[0], good[1]), "tools.jsonl:2"),
        (array.clone(), "tools.jsonl:[2]"),
        (format!(r#"{{"tools": {array}}}"#), "tools.jsonl:[2]"),
        (format!(r#"{{"jsonrpc": "2.0", "result": {{"tools": {array}}}}}"#), "tools.jsonl:[2]"),
    ];
    for (form, place) in forms {
        let dataset = Files::new(&form, r#"{"query": "x", "gold": ["a"]}"#).read();
        assert_eq!(dataset.catalog.tools().len(), 2, "{place}");
        let [problem] = &dataset.problems[..] else { panic!("{place}: {:?}", dataset.problems) };
        assert_eq!((problem.subject.as_str(), problem.fatal), (place, true));
        assert!(problem.what.en.contains("nested more than 128 levels"), "{}", problem.what.en);
        assert!(problem.what.zh.contains("超过 128 层"), "{}", problem.what.zh);
    }
    let alone = Files::new(&deep, QUERY).error();
    assert!(alone.to_string().contains("tools.jsonl:1: This entry is nested more than 128"), "{alone}");
    let query = format!(r#"{{"query": "y", "gold": [], "rel": {deep}}}"#);
    let dataset = Files::new(TOOL, format!("{QUERY}\n{query}")).read();
    assert_eq!((dataset.requests.len(), dataset.left_out, dataset.problems.len()), (1, 1, 1));
    assert_eq!(dataset.problems[0].subject, "queries.jsonl:2");
}

#[test]
fn a_file_without_an_end_or_too_large_is_refused() {
    let files = Files::new(TOOL, QUERY);
    let large = std::fs::File::options().write(true).open(files.tools()).expect("the file");
    large.set_len(winclaw_eval::MAX_BYTES + 1).expect("a sparse file");
    let error = files.error();
    assert!(error.what().en.contains("more than 256 MiB") && error.what().zh.contains("超过 256 MiB"), "{error}");
}

#[test]
fn files_that_changed_places_are_told_apart() {
    let error = Files::new(QUERY, TOOL).error();
    let told = error.to_string();
    assert!(told.contains("looks like a request, not a tool") && told.contains("--queries"), "{told}");
    assert!(error.what().zh.contains("像是请求"), "{}", error.what().zh);
    let error = Files::new(TOOL, TOOL).error();
    assert!(error.to_string().contains("looks like a tool, not a request"), "{error}");
    assert!(error.what().zh.contains("像是工具"), "{}", error.what().zh);
}

#[test]
fn an_alternative_for_what_is_not_needed_is_counted() {
    let dataset = needs(&json!({"id": "q", "query": "x", "gold": ["sky/rain"], "alts": {"sky/rian": ["sky/sun"]}}));
    let [problem] = &dataset.problems[..] else { panic!("{:?}", dataset.problems) };
    assert!(problem.what.en.contains("`alts` names `sky/rian`, which is not in `gold`"), "{}", problem.what.en);
    assert_eq!((problem.subject.as_str(), problem.fatal), ("q", false));
    assert_eq!(dataset.requests[0].needs[0].any.len(), 1);
}

#[test]
fn problems_are_grouped_by_whose_they_are_and_how_many_have_them() {
    let rows: Vec<Value> = (0..3).map(|n| json!({"id": format!("t{n}")})).collect();
    let queries = [
        json!({"id": "one", "query": "x", "gold": ["t0", "no", "nor"]}),
        json!({"id": "two", "query": "y", "gold": ["t1", "no"]}),
    ];
    let files = Files::new(lines(&rows), lines(&queries));
    let report = crate::support::measured(&files.read(), &winclaw_eval::Options::default());
    let found: Vec<(About, usize, usize, &str)> = report
        .problem_groups
        .iter()
        .map(|group| (group.about, group.count, group.subjects, group.first.subject.as_str()))
        .collect();
    assert_eq!(found, [(About::Requests, 3, 2, "one"), (About::Tools, 3, 3, "t0")]);
    let tools = read_tools(&files.tools()).expect("tools").problem_groups();
    assert_eq!((tools.len(), tools[0].about, tools[0].subjects), (1, About::Tools, 3));
}
