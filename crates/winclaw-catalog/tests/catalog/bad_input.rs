//! Whatever a source offers, the answer is clear and bounded.

use serde_json::{Value, json};
use winclaw_catalog::{Catalog, Resolution, ToolEntry};
use winclaw_tool::{Problem, SideEffect, ToolId};

use crate::support::{build, entry, ids, ix};

const MEGABYTE: usize = 1 << 20;

/// Longest sentence of a problem, in characters.
const SENTENCE: usize = 400;

fn is_clear(problem: &Problem) {
    for text in [&problem.what, &problem.mend] {
        for words in [&text.en, &text.zh] {
            assert!((4..=SENTENCE).contains(&words.chars().count()), "{words}");
            assert!(!words.chars().any(|c| c.is_control() || is_invisible(c)), "{words:?}");
        }
        assert_ne!(text.en, text.zh);
        assert!(text.zh.chars().any(winclaw_catalog::names::is_cjk), "{}", text.zh);
    }
    assert!(!problem.subject.is_empty() && problem.subject.chars().count() <= 80, "{}", problem.subject);
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\0' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

/// Every text of the tool that a reader sees, without the data of its schema.
fn texts(catalog: &Catalog) -> Vec<String> {
    let tool = &catalog.tools()[0];
    let manifest = &tool.manifest;
    let mut texts = vec![
        manifest.name.clone(),
        manifest.category.clone(),
        manifest.emoji.clone(),
        manifest.description.clone(),
        tool.full_description().to_owned(),
        tool.wire_name.clone(),
    ];
    texts.extend([&manifest.summary, &manifest.title].into_iter().flat_map(|text| [text.en.clone(), text.zh.clone()]));
    texts.extend(manifest.aliases.iter().chain(manifest.examples.iter().map(String::as_str)).map(str::to_owned));
    texts
}

#[test]
fn every_bad_claim_has_its_problem_and_the_tool_is_kept() {
    let kept = |changes: Value, words: &'static str| (changes, words);
    let nested = (0..400).fold(json!({}), |inner, _| json!({"properties": {"x": inner}}));
    let wide = json!({"type": "object", "properties": {"x": {"enum": vec!["value"; 40_000]}}});
    let of = |schema: Value| json!({"parameters": {"type": "object", "properties": {"place": schema}}});
    let cases = [
        kept(json!({"parameters": {"type": "array"}}), "type \"array\""),
        kept(json!({"parameters": {"type": 7}}), "have the type 7"),
        kept(json!({"parameters": nested}), "more than 96 levels"),
        kept(json!({"parameters": wide}), "larger than 128 KiB"),
        kept(json!({"parameters": "none"}), "read as one"),
        kept(json!({"parameters": ["place"]}), "read as one"),
        kept(json!({"parameters": {"type": ["object", "null"]}}), "read as one"),
        kept(json!({"parameters": {"type": "object", "properties": ["place"]}}), "at `properties`"),
        kept(json!({"parameters": {"type": "object", "required": "place"}}), "at `required`"),
        kept(of(json!({"type": "str"})), "at `place: type`"),
        kept(of(json!("string")), "at `place: schema`"),
        kept(of(json!({"required": true})), "at `place: required`"),
        kept(json!({"parameters": {"type": "object", "properties": {"pla\u{200b}ce": {}}}}), "a parameter carries"),
        kept(json!({"depends_on": ["no.such"]}), "`no.such`, which is not here"),
        kept(json!({"depends_on": ["x".repeat(MEGABYTE)]}), "which is not here"),
        kept(json!({"depends_on": ["one"]}), "depends on itself"),
        kept(json!({"depends_on": vec!["two"; 300]}), "more than 256 depends_on"),
        kept(json!({"detail_keys": vec!["place"; 65]}), "more than 64 detail_keys"),
        kept(json!({"description": "word ".repeat(MEGABYTE / 5)}), "longer than 2000"),
        kept(json!({"description": "a\0b"}), "cannot be seen"),
        kept(json!({"description": "\u{202e}evil"}), "cannot be seen"),
        kept(json!({"summary": "ze\u{200b}ro"}), "cannot be seen"),
        kept(json!({"examples": vec!["do"; 40]}), "more than 32 examples"),
    ];
    for (changes, words) in cases {
        let shown: String = changes.to_string().chars().take(80).collect();
        let (catalog, problems) = build(&[("a.one", changes), ("a.two", json!({}))]);
        assert_eq!(problems.len(), 1, "{shown}: {problems:?}");
        is_clear(&problems[0]);
        assert!(problems[0].what.en.contains(words), "{shown}: {}", problems[0].what.en);
        assert_eq!((problems[0].fatal, problems[0].subject.as_str()), (false, "a.one"));
        assert_eq!(catalog.tools().len(), 2, "{shown}");
        assert_eq!(catalog.tools()[0].manifest.parameters["type"], "object", "{shown}");
    }
}

/// A schema with a switch that loses things unless it is turned off, and what makes it too much to be shown.
fn unshowable() -> [Value; 2] {
    let schema = |more: Value| {
        json!({"type": "object", "required": ["place"], "properties": {
            "place": {"type": "string"}, "wipe": {"type": "boolean", "default": true}, "more": more}})
    };
    let nested = (0..400).fold(json!({}), |inner, _| json!({"properties": {"x": inner}}));
    [schema(nested), schema(json!({"enum": vec!["value"; 40_000]}))]
}

#[test]
fn a_schema_too_large_or_too_deep_gives_way_to_an_open_one_and_the_keys_stay() {
    for parameters in unshowable() {
        let mut claims = json!({"parameters": parameters, "detail_keys": ["place", "pace"], "volatile_keys": ["more"]});
        let (catalog, problems) = build(&[("a.one", claims.clone())]);
        let told: Vec<_> =
            problems.iter().map(|problem| (problem.what.en.contains("not shown"), problem.fatal)).collect();
        assert_eq!(told, [(true, false), (false, false)], "{problems:?}");
        problems.iter().for_each(is_clear);
        let manifest = &catalog.tools()[0].manifest;
        let keys = manifest.parameters.as_object().expect("an object").keys();
        assert_eq!(keys.collect::<Vec<_>>(), ["type", "description", "properties"]);
        assert_eq!(manifest.parameters["properties"], json!({}));
        let words = manifest.parameters["description"].as_str().expect("words");
        assert!(words.contains("too large to show") && words.contains("itself checks"), "{words}");
        assert_eq!(
            (&manifest.detail_keys[..], &manifest.volatile_keys[..]),
            (&["place".into()][..], &["more".into()][..])
        );
        assert_eq!(manifest.side_effect, SideEffect::Read);
        claims["destructive_if"] = json!(["wipe"]);
        let (catalog, _) = build(&[("a.one", claims)]);
        assert_eq!(catalog.tools()[0].manifest.side_effect, SideEffect::Destructive, "its default is not forgotten");
    }
}

#[test]
fn a_detail_key_of_an_action_holds_if_the_tool_has_both() {
    let parameters =
        |action: Value| json!({"type": "object", "properties": {"action": action, "to": {"type": "string"}}});
    let cases = [
        (json!({"actions": ["send"], "parameters": parameters(json!({}))}), "send:to", None),
        (json!({"parameters": parameters(json!({"enum": ["read", "send"]}))}), "send:to", None),
        (
            json!({"parameters": parameters(json!({"enum": ["read"]}))}),
            "send:to",
            Some("an action that the tool does not"),
        ),
        (
            json!({"parameters": parameters(json!({"type": "string"}))}),
            "send:to",
            Some("an action that the tool does not"),
        ),
        (json!({"actions": ["send"], "parameters": parameters(json!({}))}), "send:too", Some("names no parameter")),
    ];
    for (mut claims, key, told) in cases {
        claims["detail_keys"] = json!(["to", key]);
        let (catalog, problems) = build(&[("a.one", claims.clone())]);
        problems.iter().for_each(is_clear);
        let (said, kept) =
            (problems.first().map(|problem| problem.what.en.as_str()), &catalog.tools()[0].manifest.detail_keys);
        assert!(
            said.is_some() == told.is_some() && said.unwrap_or("").contains(told.unwrap_or("")),
            "{claims}: {problems:?}"
        );
        assert!(said.is_none_or(|said| said.contains(key)), "{said:?}");
        assert_eq!((kept.len(), problems.len()), (2 - problems.len(), usize::from(told.is_some())), "{claims}");
    }
    let (_, problems) = build(&[("a.one", json!({"actions": ["send"], "volatile_keys": ["send:place"]}))]);
    assert!(problems[0].what.en.contains("names no parameter"), "only detail keys know actions: {problems:?}");
}

#[test]
fn megabytes_in_every_text_are_cut_to_their_caps() {
    let long = "字 and wörd\n".repeat(MEGABYTE / 14);
    let each = json!({"en": long, "zh": long});
    let (catalog, problems) = build(&[(
        "a.one",
        json!({"description": long, "summary": each, "title": each, "category": long, "emoji": long,
            "aliases": {"en": [long]}, "examples": [long],
            "parameters": {"type": "object", "properties": {"place": {"type": "string", "description": long}}}}),
    )]);
    problems.iter().for_each(is_clear);
    let tool = &catalog.tools()[0];
    assert!(tool.full_description().chars().count() <= 100_000);
    assert!(tool.manifest.parameters.to_string().chars().count() <= 1_200);
    let longest = texts(&catalog).into_iter().filter(|text| text != tool.full_description());
    assert!(longest.map(|text| text.chars().count()).max() <= Some(2_000));
    assert!(tool.manifest.summary.en.ends_with("… [cut]") && tool.manifest.category.ends_with("… [cut]"));
}

#[test]
fn nothing_invisible_reaches_a_reader_from_any_text() {
    for hidden in ['\0', '\u{7}', '\u{1b}', '\u{200b}', '\u{202e}', '\u{2066}', '\u{feff}', '\u{e0041}', '\u{2028}'] {
        let text = format!("a{hidden}b 天{hidden}气");
        let (catalog, problems) = build(&[(
            "a.one",
            json!({"description": text, "summary": text, "title": text, "category": text, "emoji": text,
                "aliases": {"zh": [text]}, "examples": [text],
                "parameters": {"type": "object", "description": text, "properties": {"place": {"title": text}}}}),
        )]);
        problems.iter().for_each(is_clear);
        let parameters = catalog.tools()[0].manifest.parameters.to_string();
        for shown in texts(&catalog).iter().chain([&parameters]) {
            assert!(!shown.contains(hidden) && !shown.contains("\\u00"), "{hidden:?} in {shown:?}");
        }
    }
}

#[test]
fn a_category_cannot_pass_for_another_heading() {
    let cases = [
        ("Office", "office"),
        ("web\n## system", "web system"),
        ("office (3): mail__send, x", "office 3 mail__send x"),
        ("  ", "other"),
        ("##", "other"),
        ("\u{202e}\u{200b}", "other"),
        ("r&d / ops-2", "r&d / ops-2"),
        ("办公、文档", "办公 文档"),
    ];
    for (stated, expected) in cases {
        let (catalog, _) = build(&[("a.one", json!({"category": stated}))]);
        assert_eq!(catalog.tools()[0].manifest.category, expected, "{stated:?}");
    }
}

#[test]
fn an_empty_catalog_answers_everything() {
    let (empty, problems) = Catalog::build(Vec::new());
    assert!(problems.is_empty() && empty.categories().is_empty() && empty.all().next().is_none());
    for name in ["", "sky.forecast", "天气", "tool_search", "\0", &"x".repeat(MEGABYTE)] {
        assert_eq!(empty.resolve(name), Resolution::Unknown { nearest: Vec::new() });
    }
    let (next, _, map) = empty.successor(vec![entry("sky.forecast", json!({}))]);
    assert!(map.is_empty() && next.tools().len() == 1);
}

#[test]
fn a_name_of_any_size_and_kind_is_answered() {
    let (catalog, _) = build(&[("sky.forecast", json!({"aliases": {"zh": ["天气"]}})), ("mail.send", json!({}))]);
    let long =
        ["forecast ".repeat(MEGABYTE / 9), "天气".repeat(MEGABYTE / 6), "`".repeat(MEGABYTE), "\u{301}".repeat(1_000)];
    for name in long.iter().map(String::as_str).chain([
        "\0",
        "\u{202e}tsacerof",
        "🙂",
        "..",
        "__",
        "functions.",
        "functions.:0",
    ]) {
        assert!(!matches!(catalog.resolve(name), Resolution::One(_)), "{:?}", &name[..name.len().min(24)].to_owned());
    }
}

/// D13.
#[test]
fn names_too_long_for_a_vendor_are_short_distinct_and_lead_back() {
    let name = |last: char| {
        format!("s.{}{last}", "retrieve_documents_from_the_archive_by_many_criteria_and_sort_them"[..66].to_owned())
    };
    let long = [name('a'), name('b'), format!("s.{}", "天".repeat(67)), format!("s.{}", "x".repeat(256))];
    let (catalog, problems) = build(&long.each_ref().map(|id| (id.as_str(), json!({}))));
    assert_eq!(problems, []);
    let mut names: Vec<&str> = catalog.tools().iter().map(|tool| tool.wire_name.as_str()).collect();
    for (tool, name) in catalog.tools().iter().zip(&names) {
        assert!(name.len() <= 64 && name.is_ascii(), "{name}");
        assert_eq!(catalog.resolve(name), Resolution::One(catalog.ix(&tool.id).expect("known")));
        assert_eq!(catalog.resolve(tool.id.name()), Resolution::One(catalog.ix(&tool.id).expect("known")));
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 4);
}

/// D12.
#[test]
fn a_bare_name_that_two_sources_have_is_never_one_of_them() {
    let (catalog, _) =
        build(&[("ocean.execute_sql", json!({})), ("click.execute_sql", json!({})), ("click.list", json!({}))]);
    for name in ["execute_sql", "executeSql", "EXECUTE-SQL", "functions.execute_sql", " `execute_sql`"] {
        let Resolution::Many(many) = catalog.resolve(name) else { panic!("{name}: {:?}", catalog.resolve(name)) };
        assert_eq!(ids(&catalog, &many), ["click.execute_sql", "ocean.execute_sql"]);
    }
    for name in ["ocean.execute_sql", "ocean__execute_sql", "Ocean Execute SQL"] {
        assert_eq!(catalog.resolve(name), Resolution::One(ix(&catalog, "ocean.execute_sql")), "{name}");
    }
}

#[test]
fn thousands_of_copies_and_of_false_claims_stay_in_proportion() {
    let copies: Vec<ToolEntry> = (0..2_000).map(|_| entry("a.same", json!({}))).collect();
    let (catalog, problems) = Catalog::build(copies);
    assert_eq!((catalog.tools().len(), problems.len()), (1, 1_999));
    let unknown: Vec<String> = (0..50_000).map(|n| format!("no.such{n}")).collect();
    let keys: Vec<String> = (0..50_000).map(|n| format!("no_such{n}")).collect();
    let (_, problems) = build(&[("a.one", json!({"depends_on": unknown, "detail_keys": keys, "volatile_keys": keys}))]);
    assert_eq!(problems.len(), 256 + 64 + 64 + 3);
    problems.iter().for_each(is_clear);
}

#[test]
fn reserved_names_in_any_spelling_are_reported_and_lead_nowhere() {
    for name in ["tool_search", "Tool-Search", "toolDetails", "TOOL CALL", "ask_user", "ａｓｋ_user"] {
        let id = format!("a.{name}");
        let (catalog, problems) = build(&[(&id, json!({}))]);
        assert_eq!(problems.len(), 1, "{name}: {problems:?}");
        is_clear(&problems[0]);
        assert!(problems[0].what.en.contains("reserved") && !problems[0].fatal);
        assert_eq!(catalog.resolve(name), Resolution::Unknown { nearest: Vec::new() });
        let own = catalog.ix(&ToolId::parse(&id).expect("an id")).expect("it is known");
        assert_eq!(catalog.resolve(&id), Resolution::One(own), "{name}");
    }
}
