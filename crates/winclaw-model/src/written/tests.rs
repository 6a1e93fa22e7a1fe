use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use winclaw_tool::ToolSpec;

use super::*;
use crate::{ChatRequest, Profile};

fn known() -> KnownTools {
    let spec =
        |name: &str, parameters: Value| Arc::new(ToolSpec { name: name.into(), description: "d".into(), parameters });
    let forecast = json!({"type": "object", "required": ["city"], "properties": {
        "city": {"type": "string"}, "days": {"type": "integer"}, "detail": {"type": "boolean"}}});
    let add = json!({"type": "object", "properties": {"text": {"type": "string"}, "tags": {"type": "array"}}, "additionalProperties": false});
    let tools =
        vec![spec("sky__forecast", forecast), spec("notes.add", add), spec("tool_search", json!({"type": "object"}))];
    KnownTools::of(&ChatRequest { tools, ..ChatRequest::default() }, &Profile::of("openai").expect("a profile").names)
}

/// What came out, with words joined.
#[derive(Debug, Default, PartialEq)]
struct Heard {
    text: String,
    thoughts: String,
    calls: Vec<(String, Value)>,
    broken: Vec<String>,
}

impl Heard {
    fn take(&mut self, pieces: Vec<Written>) {
        for piece in pieces {
            match piece {
                Written::Text(text) => self.text.push_str(&text),
                Written::Thought(thoughts) => self.thoughts.push_str(&thoughts),
                Written::Call { name, arguments } => {
                    self.calls.push((name, serde_json::from_str(&arguments).expect("an object")));
                }
                Written::Broken(why) => self.broken.push(why.en),
            }
        }
    }
}

fn hear(pieces: &[&str], cut_off: bool) -> Heard {
    let (mut scan, mut heard) = (TextCalls::new(known()), Heard::default());
    for piece in pieces {
        heard.take(scan.feed(piece));
    }
    heard.take(scan.finish(cut_off));
    heard
}

/// The same however the text is cut in two, and character by character.
fn read(text: &str) -> Heard {
    let whole = hear(&[text], false);
    for (cut, _) in text.char_indices() {
        let (head, tail) = text.split_at(cut);
        assert_eq!(hear(&[head, tail], false), whole, "cut at {cut}: {head:?} {tail:?}");
    }
    let single: Vec<String> = text.chars().map(String::from).collect();
    assert_eq!(hear(&single.iter().map(String::as_str).collect::<Vec<_>>(), false), whole, "{text:?}");
    whole
}

fn forecast() -> Vec<(String, Value)> {
    vec![("sky__forecast".into(), json!({"city": "北京", "days": 2}))]
}

/// One call of the forecast in every form there is.
fn forms() -> Vec<(&'static str, String)> {
    let json = r#"{"name": "sky__forecast", "arguments": {"city": "北京", "days": 2}}"#;
    let dsml = |bars: &str| {
        format!(
            "<{bars}DSML{bars}tool_calls>\n<{bars}DSML{bars}invoke name=\"sky__forecast\">\n<{bars}DSML{bars}parameter name=\"city\" string=\"true\">北京</{bars}DSML{bars}parameter>\n<{bars}DSML{bars}parameter name=\"days\" string=\"false\">2</{bars}DSML{bars}parameter>\n</{bars}DSML{bars}invoke>\n</{bars}DSML{bars}tool_calls>"
        )
    };
    let one = dsml("｜").replace("<｜DSML｜tool_calls>\n", "").replace("\n</｜DSML｜tool_calls>", "");
    vec![
        ("dsml", dsml("｜")),
        ("dsml with plain bars", dsml("|")),
        ("dsml with two bars", dsml("｜｜")),
        ("dsml of old", dsml("｜").replace("tool_calls", "function_calls")),
        ("dsml of one", one),
        ("hermes", format!("<tool_call>\n{json}\n</tool_call>")),
        ("hermes with text arguments", format!("<tool_call>{}</tool_call>", json!({"name": "sky__forecast", "arguments": "{\"city\":\"北京\",\"days\":2}"}))),
        ("qwen coder", "<tool_call>\n<function=sky__forecast>\n<parameter=city>\n北京\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>".into()),
        ("qwen coder without the first tag", "<function=sky__forecast>\n<parameter=city>\n北京\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>".into()),
        ("glm", "<tool_call>sky__forecast\n<arg_key>city</arg_key>\n<arg_value>北京</arg_value>\n<arg_key>days</arg_key>\n<arg_value>2</arg_value>\n</tool_call>".into()),
        ("glm in one line", "<tool_call>sky__forecast<arg_key>city</arg_key><arg_value>北京</arg_value><arg_key>days</arg_key><arg_value>2</arg_value></tool_call>".into()),
        ("kimi", format!("<|tool_calls_section_begin|><|tool_call_begin|>functions.sky__forecast:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>", r#"{"city": "北京", "days": 2}"#)),
        ("kimi of one", format!("<|tool_call_begin|>functions.sky__forecast:12<|tool_call_argument_begin|>{}<|tool_call_end|>", r#"{"city": "北京", "days": 2}"#)),
        ("deepseek v3", format!("<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>sky__forecast\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>", r#"{"city": "北京", "days": 2}"#)),
        ("deepseek v3.1", format!("<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>sky__forecast<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>", r#"{"city": "北京", "days": 2}"#)),
        ("invoke", "<invoke name=\"sky__forecast\"><parameter name=\"city\">北京</parameter><parameter name=\"days\">2</parameter></invoke>".into()),
        ("function_calls", "<function_calls>\n<invoke name=\"sky__forecast\">\n<parameter name=\"city\">北京</parameter>\n<parameter name=\"days\">2</parameter>\n</invoke>\n</function_calls>".into()),
        ("function_call", format!("<function_call>{json}</function_call>")),
        ("mistral", format!("[TOOL_CALLS][{json}]")),
        ("mistral with a name", format!("[TOOL_CALLS]sky__forecast[ARGS]{}", r#"{"city": "北京", "days": 2}"#)),
        ("llama", format!("<|python_tag|>{}", json.replace("arguments", "parameters"))),
        ("a code block", format!("```json\n{json}\n```")),
        ("a code block without a language", format!("```\n{json}\n```\n")),
        ("a code block with an OpenAI call", format!("```json\n{{\"type\": \"function\", \"function\": {json}}}\n```")),
        ("nothing but json", format!("\n{json}\n")),
        ("nothing but a list", format!("[{json}]")),
    ]
}

#[test]
fn d07_a_call_in_any_form_is_recovered_wherever_the_text_is_cut() {
    for (form, text) in forms() {
        let heard = read(&text);
        assert_eq!(heard.calls, forecast(), "{form}: {heard:?}");
        assert_eq!((heard.text.trim(), heard.broken.len()), ("", 0), "{form}: {heard:?}");
    }
}

#[test]
fn d07_words_around_a_call_stay_in_order_and_no_markup_is_shown() {
    for (form, text) in forms() {
        // These are a call only when nothing else is said.
        if form.starts_with("nothing but") {
            continue;
        }
        let heard = read(&format!("好的，hello `x` \n{text}"));
        assert_eq!((heard.text.trim_end(), &heard.calls), ("好的，hello `x`", &forecast()), "{form}: {heard:?}");
        if !["mistral", "mistral with a name", "llama"].contains(&form) {
            let heard = read(&format!("a\n{text}\nb"));
            assert_eq!(heard.text.split_whitespace().collect::<Vec<_>>(), ["a", "b"], "{form}: {heard:?}");
        }
    }
}

#[test]
fn d07_a_call_that_is_cut_off_anywhere_never_runs_and_never_shows() {
    for (form, text) in forms() {
        for (cut, _) in text.char_indices().skip(1) {
            // The tag behind it is not part of the call.
            if form == "qwen coder without the first tag" && text[..cut].contains("</function>") {
                continue;
            }
            let heard = hear(&[&text[..cut]], true);
            assert_eq!(heard.calls, [], "{form} cut at {cut}");
            let named = text[..cut].contains("sky__forecast") && !form.starts_with("mistral");
            let token = ["dsml", "kimi", "deepseek"].iter().any(|token| form.starts_with(token)) && cut > 6;
            if (named && text[..cut].len() < text.trim_end().len()) || token {
                let ended = heard.text.trim().is_empty() && heard.broken.len() == 1;
                assert!(ended, "{form} cut at {cut}: {:?} {heard:?}", &text[..cut]);
            }
        }
    }
}

#[test]
fn d07_an_unknown_tool_or_bad_arguments_is_one_clear_error_or_words() {
    let cases: [(&str, &str, usize); 9] = [
        // Tokens that stand in no text are never shown.
        ("<｜DSML｜tool_calls><｜DSML｜invoke name=\"sky__gone\"></｜DSML｜invoke></｜DSML｜tool_calls>", "", 1),
        ("<|tool_call_begin|>functions.sky__gone:0<|tool_call_argument_begin|>{}<|tool_call_end|>", "", 1),
        // A known tool whose arguments do not fit was clearly meant.
        (r#"<tool_call>{"name": "sky__forecast", "arguments": {}}</tool_call>"#, "", 1),
        (r#"<tool_call>{"name": "sky__forecast", "arguments": {"city": 3}}</tool_call>"#, "", 1),
        (r#"<tool_call>{"name": "notes.add", "arguments": {"nothing": 3}}</tool_call>"#, "", 1),
        (r#"<tool_call>{"name": "sky__forecast", "arguments": {"city": "x"}</tool_call>"#, "", 1),
        // An unknown one is words.
        (
            r#"<tool_call>{"name": "sky__gone", "arguments": {}}</tool_call>"#,
            r#"<tool_call>{"name": "sky__gone", "arguments": {}}</tool_call>"#,
            0,
        ),
        ("<function=sky__gone></function>", "<function=sky__gone></function>", 0),
        (
            "```json\n{\"name\": \"sky__gone\", \"arguments\": {}}\n```",
            "```json\n{\"name\": \"sky__gone\", \"arguments\": {}}\n```",
            0,
        ),
    ];
    for (text, shown, broken) in cases {
        let heard = read(text);
        assert_eq!(
            (heard.text.as_str(), heard.broken.len(), heard.calls.len()),
            (shown, broken, 0),
            "{text}: {heard:?}"
        );
    }
    let named = read(r#"<tool_call>{"name": "sky__forecast", "arguments": {}}</tool_call>"#);
    assert!(named.broken[0].contains("sky__forecast") && named.broken[0].contains("`city` is missing"), "{named:?}");
}

#[test]
fn what_only_looks_like_a_call_is_delivered_unharmed() {
    let words = [
        "Use the `<tool_call>` tag, or `<｜DSML｜invoke name=\"sky__forecast\">` as DeepSeek does.",
        "<tool_call> tags hold JSON; </tool_call> ends them.",
        "a < b, b <= c, <html><b>x</b></html> <invoke> <function=> [1] [TOOL_CALLS is",
        "The <｜DSML｜ marker is a token.",
        "```xml\n<tool_call>\n{\"name\": \"sky__forecast\", \"arguments\": {\"city\": \"x\"}}\n</tool_call>\n```\nThat is how.",
        "```json\n{\"name\": \"Alice\", \"age\": 3}\n```\nand more",
        "```json\n{\"city\": \"x\"}\n```",
        "```json\n{\"type\": \"function\", \"function\": {\"name\": \"sky__forecast\", \"description\": \"d\", \"parameters\": {\"type\": \"object\"}}}\n```",
        "```json\n{\"name\": \"notes.add\", \"parameters\": {\"type\": \"object\", \"properties\": {}}}\n```",
        "````\n```json\n{\"name\": \"sky__forecast\", \"arguments\": {\"city\": \"x\"}}\n```\n````",
        "{\"name\": \"sky__forecast\", \"arguments\": {\"city\": \"x\"}} would be the call.",
        "{\"name\": \"Alice\"}",
        "[1, 2, 3]",
        "{",
        "``",
        "```",
        "text <",
        "text <tool_",
        "x <think>not at the beginning</think>",
        "| a | b |\n|---|---|\n| `|` | < |",
    ];
    for text in words {
        let heard = read(text);
        assert_eq!(heard, Heard { text: text.into(), ..Heard::default() });
    }
}

#[test]
fn words_are_not_held_back_longer_than_needed() {
    let mut scan = TextCalls::new(known());
    assert_eq!(scan.feed("hello <b"), [Written::Text("hello <b".into())]);
    assert_eq!(scan.feed("> <tool_"), [Written::Text("> ".into())]);
    assert_eq!(scan.feed("box"), [Written::Text("<tool_box".into())]);
    assert_eq!(scan.feed(" ``` "), [Written::Text(" ``` ".into())]);
    assert_eq!(scan.feed("\n```rust\nfn x() {"), [Written::Text("\n```rust\nfn x() {".into())]);
    assert_eq!(scan.finish(false), []);
}

#[test]
fn several_calls_in_a_row_are_several() {
    let one = |city: &str| {
        format!("<tool_call>{{\"name\": \"sky__forecast\", \"arguments\": {{\"city\": \"{city}\"}}}}</tool_call>\n")
    };
    let heard = read(&format!("{}{}", one("a"), one("b")));
    assert_eq!((heard.calls.len(), heard.text.trim()), (2, ""), "{heard:?}");
    let list = r#"<tool_call>[{"name":"sky__forecast","arguments":{"city":"a"}},{"name":"notes.add","arguments":{"text":"b"}}]</tool_call>"#;
    let heard = read(list);
    assert_eq!(heard.calls.iter().map(|call| call.0.as_str()).collect::<Vec<_>>(), ["sky__forecast", "notes.add"]);
    // The end tag of the first is missing.
    let heard = read(&one("a").replace("</tool_call>\n", "").repeat(2));
    assert_eq!(heard.calls.len(), 2, "{heard:?}");
    let dsml = "<｜DSML｜tool_calls><｜DSML｜invoke name=\"tool_search\"><｜DSML｜parameter name=\"q\" string=\"true\">a</｜DSML｜parameter></｜DSML｜invoke><｜DSML｜invoke name=\"tool_search\"></｜DSML｜invoke></｜DSML｜tool_calls>";
    assert_eq!(read(dsml).calls.len(), 2);
}

#[test]
fn values_between_tags_get_the_type_the_tool_wants() {
    let call = |city: &str, days: &str, detail: &str| {
        format!(
            "<function=sky__forecast>\n<parameter=city>\n{city}\n</parameter>\n<parameter=days>{days}</parameter>\n<parameter=detail>\n{detail}\n</parameter>\n</function>"
        )
    };
    let heard = read(&call("12", "3", "True"));
    assert_eq!(heard.calls, [("sky__forecast".to_owned(), json!({"city": "12", "days": 3, "detail": true}))]);
    let heard = read(&call("a </tool_call>\n\n b", "3", "false"));
    assert_eq!(heard.calls[0].1["city"], "a </tool_call>\n\n b");
    assert_eq!(read(&call("x", "soon", "true")).broken.len(), 1);
    let tags = "<tool_call>notes.add<arg_key>tags</arg_key><arg_value>[\"a\"]</arg_value></tool_call>";
    assert_eq!(read(tags).calls[0].1, json!({"tags": ["a"]}));
}

#[test]
fn an_end_tag_inside_a_string_does_not_end_a_call() {
    let heard = read(
        r#"<tool_call>{"name": "notes.add", "arguments": {"text": "ends with </tool_call> they say"}}</tool_call>!"#,
    );
    assert_eq!((heard.calls.len(), heard.text.as_str()), (1, "!"), "{heard:?}");
}

#[test]
fn thoughts_in_tags_at_the_beginning_are_thoughts() {
    let heard = read("<think>\nfirst <b> then</think>\n\nhello");
    assert_eq!((heard.thoughts.as_str(), heard.text.as_str()), ("\nfirst <b> then", "hello"));
    let heard = read("\n<think>a</think>{\"name\": \"sky__forecast\", \"arguments\": {\"city\": \"x\"}}");
    assert_eq!((heard.thoughts.as_str(), heard.calls.len()), ("a", 1), "{heard:?}");
    assert_eq!(read("<think>never ends").thoughts, "never ends");
    assert_eq!(read("<think></think>x").text, "x");
}

#[test]
fn what_is_held_is_bounded() {
    let mut scan = TextCalls::new(known());
    let long = format!("<tool_call>{{\"name\": \"sky__forecast\", \"x\": \"{}", "a".repeat(5 * 1024 * 1024));
    let pieces = scan.feed(&long);
    assert!(matches!(pieces.as_slice(), [Written::Text(text)] if *text == long));
}

fn any_text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("<tool_call>".to_owned()),
        Just("</tool_call>".to_owned()),
        Just("<｜DSML｜".to_owned()),
        Just("</｜DSML｜invoke>".to_owned()),
        Just("invoke name=\"sky__forecast\">".to_owned()),
        Just("<function=sky__forecast>".to_owned()),
        Just("<parameter=city>".to_owned()),
        Just("</parameter>".to_owned()),
        Just("</function>".to_owned()),
        Just("```json\n".to_owned()),
        Just("```\n".to_owned()),
        Just("`".to_owned()),
        Just("{\"name\": \"sky__forecast\", \"arguments\": {\"city\": \"x\"}}".to_owned()),
        Just("{\"name\": \"".to_owned()),
        Just("\n".to_owned()),
        Just("<think>".to_owned()),
        Just("</think>".to_owned()),
        Just("<|tool_call_begin|>".to_owned()),
        Just("[TOOL_CALLS]".to_owned()),
        Just("<arg_key>city</arg_key>".to_owned()),
        Just("sky__forecast\n".to_owned()),
        "[a-z<>{}|｜\" `\n]{0,6}",
    ];
    proptest::collection::vec(part, 0..10).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn it_does_not_matter_how_a_text_is_cut(text in any_text(), cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..5), cut_off in any::<bool>()) {
        let whole = hear(&[&text], cut_off);
        let bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let mut at: Vec<usize> = cuts.iter().map(|cut| *cut.get(&bounds)).collect();
        at.sort_unstable();
        let (mut pieces, mut from) = (Vec::new(), 0);
        for to in at.into_iter().chain([text.len()]) {
            pieces.push(&text[from..to]);
            from = to;
        }
        prop_assert_eq!(hear(&pieces, cut_off), whole);
    }

    #[test]
    fn words_without_marks_are_never_changed(text in "[a-z <>=|\n.]{0,80}") {
        prop_assert_eq!(hear(&[&text], false).text, text);
    }
}
