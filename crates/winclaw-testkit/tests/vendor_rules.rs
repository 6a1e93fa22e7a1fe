//! Every rule of every vendor: a sound body is accepted, and the same body with one thing changed is refused for it, in the
//! vendor's words and form. So the server can fail.

use serde_json::{Value, json};
use winclaw_model::Format;
use winclaw_testkit::rules::{Refusal, Rules};
use winclaw_testkit::{VENDORS, Vendor};

fn vendor(name: &str) -> &'static Vendor {
    Vendor::of(name).unwrap_or_else(|| panic!("no vendor {name}"))
}

fn function(name: &str, parameters: Value) -> Value {
    json!({"type": "function", "function": {"name": name, "description": "d", "parameters": parameters}})
}

/// A body that every vendor of chat completions takes.
fn sound() -> Value {
    let place = json!({"type": "object", "properties": {"place": {"type": "string", "description": "p"}}, "required": ["place"]});
    let lines = json!({"type": "object", "properties": {"lines": {"type": "array", "items": {"type": "string"}}}});
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    json!({
        "model": "m", "stream": true, "stream_options": {"include_usage": true},
        "tools": [function("sky__forecast", place), function("notes__add", lines)],
        "messages": [
            {"role": "system", "content": "s"}, {"role": "user", "content": "u"},
            {"role": "assistant", "content": "I look.", "tool_calls": [
                call("a", "sky__forecast", "{\"place\":\"x\"}"), call("b", "notes__add", "{}")]},
            {"role": "tool", "tool_call_id": "a", "content": "1"}, {"role": "tool", "tool_call_id": "b", "content": "2"},
            {"role": "assistant", "content": "Again.", "tool_calls": [call("c", "notes__add", "{}")]},
            {"role": "tool", "tool_call_id": "c", "content": "3"}
        ]
    })
}

/// The sound body as `vendor` wants it.
fn sound_for(vendor: &Vendor) -> Value {
    let mut body = sound();
    for at in [2, 5] {
        let message = &mut body["messages"][at];
        if vendor.rules.thoughts != winclaw_testkit::rules::Thoughts::Allowed
            && vendor.rules.thoughts != winclaw_testkit::rules::Thoughts::Refused
        {
            message["reasoning_content"] = "hm".into();
        }
        if vendor.rules.signatures {
            let signature = "skip_thought_signature_validator";
            message["tool_calls"][0]["extra_content"] = json!({"google": {"thought_signature": signature}});
        }
    }
    body
}

/// What the body holds at `path` becomes `value`; `null` takes it away, `"null"` stands for JSON's null.
fn changed(mut body: Value, path: &str, value: &Value) -> Value {
    let value = if *value == "null" { &json!([null])[0].clone() } else { value };
    let removes = path.ends_with('!');
    let path = path.trim_end_matches('!');
    let (parent, key) = path.rsplit_once('/').expect("a path");
    match body.pointer_mut(parent).unwrap_or_else(|| panic!("no {path}")) {
        Value::Object(fields) if removes => drop(fields.remove(key)),
        Value::Object(fields) => drop(fields.insert(key.into(), value.clone())),
        Value::Array(items) if removes => drop(items.remove(key.parse().expect("a place"))),
        Value::Array(items) => items[key.parse::<usize>().expect("a place")] = value.clone(),
        other => panic!("{path} leads into {other}"),
    }
    body
}

fn refusal(vendor: &Vendor, body: &Value) -> Result<(), Refusal> {
    vendor.check(body.to_string().as_bytes()).map(drop)
}

/// Each change of the sound body of `name` is refused with these words; a change is a path, where `!` at its end takes away
/// what stands there, and a value.
fn refuses(name: &str, cases: &[(&str, Value, &str)]) {
    let vendor = vendor(name);
    assert_eq!(refusal(vendor, &sound_for(vendor)), Ok(()), "{name} takes a sound body");
    for (path, value, words) in cases {
        let told = format!("{name}: {path} = {value}");
        let refused = refusal(vendor, &changed(sound_for(vendor), path, value)).expect_err(&told);
        assert!(refused.message.contains(words), "{told}: {} lacks {words}", refused.message);
        assert_eq!(refused.status, 400, "{told}");
        assert!(refused.body.to_string().len() > refused.message.len(), "{told}: {}", refused.body);
    }
}

/// Each change of the sound body of `name` is taken.
fn takes(name: &str, cases: &[(&str, Value)]) {
    let vendor = vendor(name);
    for (path, value) in cases {
        let body = changed(sound_for(vendor), path, value);
        assert_eq!(refusal(vendor, &body), Ok(()), "{name} takes {path} = {value}");
    }
}

const NAME: &str = "/tools/1/function/name";
const SCHEMA: &str = "/tools/1/function/parameters";
const LINES: &str = "/tools/1/function/parameters/properties/lines";
const CONTENT: &str = "/messages/2/content";

fn many(most: usize) -> Value {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    (0..=most).map(|n| function(&format!("tool_{n}"), schema.clone())).collect()
}

fn picture(url: &str) -> Value {
    json!([{"type": "text", "text": "what is it?"}, {"type": "image_url", "image_url": {"url": url}}])
}

#[test]
fn what_all_hold_is_refused_by_every_vendor_of_chat_completions() {
    for vendor in VENDORS.iter().filter(|vendor| vendor.format == Format::Chat) {
        let all = [
            ("/model", json!("")),
            ("/messages", json!([])),
            ("/tools", json!([])),
            ("/messages/0/role", json!("robot")),
            ("/messages/1/content", json!(7)),
            ("/messages/3!", Value::Null),
            ("/messages/6!", Value::Null),
            ("/messages/3/tool_call_id", json!("z")),
            ("/messages/2/tool_calls/1/id", json!("a")),
            ("/messages/2/tool_calls/0/type", json!("tool")),
            ("/messages/2/tool_calls/0/function/arguments", json!({})),
            ("/messages/2/tool_calls/0/function/arguments", json!("{\"a")),
            ("/messages/2/tool_calls", json!([])),
            ("/tools/0/function/name", json!("notes__add")),
            ("/tools/0/function/parameters/properties", json!(["place"])),
            ("/tools/0/function/parameters/required", json!("place")),
            ("/tools/0/function/parameters/properties/place", json!("string")),
            ("/tools/0/function/parameters/properties/place/type", json!("text")),
        ];
        assert_eq!(refusal(vendor, &sound_for(vendor)), Ok(()), "{}", vendor.name);
        for (path, value) in all {
            let body = changed(sound_for(vendor), path, &value);
            assert!(refusal(vendor, &body).is_err(), "{} takes {path} = {value}", vendor.name);
        }
    }
}

#[test]
fn openai_holds_its_rules() {
    let data = "data:image/png;base64,iVBORw0KGgo=";
    refuses(
        "openai",
        &[
            (NAME, json!("notes.add"), "Invalid 'tools[1].function.name': string does not match pattern"),
            (NAME, json!("天气"), "does not match pattern"),
            (NAME, json!("x".repeat(65)), "maximum length 64"),
            ("/tools", many(128), "maximum length 128, but got an array with length 129"),
            (SCHEMA, json!({}), "schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'"),
            (SCHEMA, json!({"type": "object"}), "In context=(), object schema missing properties"),
            (SCHEMA, json!({"type": "object", "properties": {}, "anyOf": [{}]}), "at the top level"),
            (LINES, json!({"type": "array"}), "In context=('properties', 'lines'), array schema missing items"),
            ("/max_tokens", json!(5), "Use 'max_completion_tokens' instead"),
            ("/extra", json!(1), "Unrecognized request argument supplied: extra"),
            ("/stream", json!(false), "only allowed when 'stream' is enabled"),
            ("/messages/2/reasoning_content", json!("hm"), "reasoning_content"),
            ("/messages/1/content", picture("ftp://x/y.png"), "image"),
            ("/messages/2/tool_calls/0/id", json!("i".repeat(41)), "maximum length 40"),
        ],
    );
    let content = [(CONTENT, json!("null")), (CONTENT, json!("")), ("/messages/2/content!", Value::Null)];
    takes("openai", &content);
    let others = [
        ("/messages/0/role", json!("developer")),
        ("/parallel_tool_calls", json!(true)),
        ("/max_completion_tokens", json!(5)),
        ("/tools/1/function/parameters!", Value::Null),
        ("/messages/1/content", picture(data)),
    ];
    takes("openai", &others);
    let error =
        refusal(vendor("openai"), &changed(sound(), LINES, &json!({"type": "array"}))).expect_err("refused").body;
    assert_eq!(error["error"]["param"], "tools[1].function.parameters");
    assert_eq!(error["error"]["code"], "invalid_function_parameters");
}

#[test]
fn deepseek_holds_its_rules() {
    refuses(
        "deepseek",
        &[
            (NAME, json!("notes.add"), "Invalid 'tools[1].function.name'"),
            ("/tools", many(128), "length 129"),
            (SCHEMA, json!({"properties": {}}), "got 'type: null'"),
            ("/tools/1/function/parameters/required", json!([[null]])[0].clone(), "is not of type 'array'"),
            ("/messages/2/content!", Value::Null, "messages[2]: missing field `content`"),
            ("/messages/1/content", picture("data:image/png;base64,AA=="), "expected a string"),
            ("/messages/2/reasoning_content!", Value::Null, "must be passed back to the API"),
            ("/messages/0/role", json!("developer"), "unknown variant `developer`, expected one of `system`"),
        ],
    );
    let any_of = json!({"type": "object", "properties": {}, "anyOf": [{"required": ["a"]}]});
    takes("deepseek", &[(SCHEMA, any_of), (CONTENT, json!("null")), (CONTENT, json!("")), ("/extra", json!(1))]);
}

#[test]
fn ollama_and_lmstudio_hold_their_rules() {
    refuses(
        "ollama",
        &[
            (CONTENT, json!("null"), "invalid message content type: <nil>"),
            ("/messages/2/content!", Value::Null, "invalid message content type: <nil>"),
            (SCHEMA, json!({"type": "array"}), "type: \"object\""),
            (LINES, json!(true), "cannot unmarshal bool"),
            ("/messages/1/content", picture("data:image/gif;base64,AA=="), "invalid image input"),
            ("/messages/1/content", picture("https://example.org/a.png"), "image"),
        ],
    );
    takes(
        "ollama",
        &[
            (LINES, json!({"type": "array", "items": true})),
            (NAME, json!("notes.add")),
            ("/tools", many(200)),
            ("/stream", json!(false)),
            (CONTENT, json!("")),
        ],
    );
    refuses(
        "lmstudio",
        &[
            (SCHEMA, json!({}), "\"path\": [\n      1,\n      \"function\",\n      \"parameters\",\n      \"type\""),
            (SCHEMA, json!({"type": "object"}), "Required"),
            ("/tools/1/function/parameters!", Value::Null, "discriminator"),
            (CONTENT, json!("null"), "'content' field must be a string"),
            ("/messages/2/content!", Value::Null, "'content' field must be a string"),
            ("/messages/1/content", picture("https://example.org/a.png"), "image"),
        ],
    );
    takes("lmstudio", &[(CONTENT, json!("")), ("/stream", json!(false)), ("/parallel_tool_calls", json!(false))]);
}

#[test]
fn openrouter_wraps_the_refusals_of_the_server_behind_it() {
    refuses(
        "openrouter",
        &[
            (NAME, json!("notes.add"), "tools[1].function.name"),
            ("/tools", many(128), "length 129"),
            (SCHEMA, json!({"type": "object"}), "missing properties"),
            (LINES, json!({"type": "array"}), "missing items"),
            ("/stream", json!(false), "'stream' is enabled"),
        ],
    );
    takes("openrouter", &[("/extra", json!(1)), ("/max_tokens", json!(5)), ("/messages/2/reasoning", json!("hm"))]);
    let body = changed(sound(), NAME, &json!("notes.add"));
    let error = refusal(vendor("openrouter"), &body).expect_err("refused").body["error"].clone();
    assert_eq!((&error["message"], &error["code"]), (&json!("Provider returned error"), &json!(400)));
    let raw: Value = serde_json::from_str(error["metadata"]["raw"].as_str().expect("text")).expect("JSON");
    assert_eq!(raw["error"]["param"], "tools[1].function.name");
}

#[test]
fn gemini_holds_its_rules() {
    let in_lines = |keyword: &str, value: Value| {
        let mut schema = json!({"type": "array", "items": {"type": "string"}});
        schema[keyword] = value;
        schema
    };
    let with = |keyword: &str| json!({"type": "object", "properties": {"a": {"type": "string"}}, keyword: {}});
    let unknown = "Cannot find field";
    refuses(
        "gemini",
        &[
            (NAME, json!("1notes"), "function_declarations[1].name: Invalid function name"),
            (NAME, json!("a b"), "Invalid function name"),
            (NAME, json!("x".repeat(65)), "maximum length of 64"),
            ("/tools", many(512), "At most 512 function declarations"),
            ("/tools/0/function/name", json!("notes__add"), "Duplicate function declaration found: notes__add"),
            (SCHEMA, with("$schema"), "Unknown name \"$schema\" at 'tools[0].function_declarations[1].parameters'"),
            (SCHEMA, with("additionalProperties"), unknown),
            (SCHEMA, with("$defs"), unknown),
            (LINES, in_lines("const", json!("x")), "parameters.properties[lines].value': Cannot find field"),
            (LINES, in_lines("uniqueItems", json!(true)), unknown),
            (LINES, json!({"type": "number", "exclusiveMinimum": 0}), unknown),
            (LINES, json!({"oneOf": [{"type": "string"}]}), unknown),
            (LINES, json!({"$ref": "#/$defs/a"}), unknown),
            (LINES, json!({"description": "d"}), "properties[lines].type: must be specified"),
            (LINES, json!({"type": ["string", "null"]}), "one type"),
            (LINES, json!({"type": "array"}), "properties[lines].items: missing field."),
            (
                LINES,
                json!({"type": "string", "properties": {}}),
                "properties[lines].properties: only allowed for OBJECT type",
            ),
            (LINES, json!({"type": "string", "format": "uri"}), "only 'enum' and 'date-time' are supported"),
            (LINES, json!({"type": "integer", "enum": [1, 2]}), "TYPE_STRING"),
            ("/tools/0/function/parameters/required", json!(["when"]), "property is not defined"),
            (LINES, json!(true), "not of type"),
            ("/parallel_tool_calls", json!(true), "Parallel tool calls are not supported"),
            ("/extra", json!(1), "Unknown name \"extra\": Cannot find field"),
            ("/messages/2/tool_calls/0/extra_content!", Value::Null, "missing a thought_signature"),
            ("/messages/5/tool_calls/0/extra_content/google/thought_signature", json!("forged"), "thought_signature"),
            ("/messages/3!", Value::Null, "number of function response parts"),
        ],
    );
    let any_of = json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]});
    let others = [
        (LINES, any_of),
        (NAME, json!("notes.add:x")),
        ("/tools/1/function/parameters!", Value::Null),
        (CONTENT, json!("null")),
    ];
    takes("gemini", &others);
    let error = refusal(vendor("gemini"), &changed(sound(), NAME, &json!("1"))).expect_err("refused").body;
    assert_eq!(error[0]["error"]["status"], "INVALID_ARGUMENT");
}

#[test]
fn gemini_wants_signatures_of_the_current_turn_only() {
    let vendor = vendor("gemini");
    let bare = sound();
    assert!(refusal(vendor, &bare).is_err());
    let mut later = bare;
    later["messages"].as_array_mut().expect("messages").push(json!({"role": "user", "content": "more"}));
    assert_eq!(refusal(vendor, &later), Ok(()));
}

#[test]
fn qwen_holds_its_rules() {
    refuses(
        "qwen",
        &[
            (NAME, json!("notes.add"), "<400> InternalError.Algo.InvalidParameter: Invalid 'tools[1].function.name'"),
            ("/tools", many(128), "length 129"),
            (SCHEMA, json!({"type": "array"}), "type: \"object\""),
            ("/messages/3!", Value::Null, "The following tool_call_ids did not have response messages: a"),
            ("/messages/2/tool_calls/0/function/arguments", json!("x"), "<400> InternalError"),
        ],
    );
    takes(
        "qwen",
        &[(SCHEMA, json!({})), (CONTENT, json!("null")), (CONTENT, json!("")), ("/enable_thinking", json!(true))],
    );
    let mut body = changed(sound(), "/stream_options!", &Value::Null);
    body["stream"] = false.into();
    body["model"] = "qwen3-32b".into();
    let refused = refusal(vendor("qwen"), &body).expect_err("refused");
    assert!(refused.message.contains("must be set to false for non-streaming calls"), "{}", refused.message);
    assert_eq!(refused.body["error"]["code"], "invalid_parameter_error");
    for (field, value) in [("enable_thinking", json!(false)), ("model", json!("qwen-plus")), ("stream", json!(true))] {
        let mut other = body.clone();
        other[field] = value;
        assert_eq!(refusal(vendor("qwen"), &other), Ok(()), "{field}");
    }
}

#[test]
fn kimi_holds_its_rules() {
    let beside = json!({"type": "string", "anyOf": [{"type": "string"}]});
    let root = json!({"type": "object", "properties": {}, "anyOf": [{"type": "object", "properties": {}}]});
    let with = |keyword: &str, value: Value| json!({"type": "object", "properties": {}, keyword: value});
    let flavour = "is not a valid moonshot flavored json schema";
    refuses(
        "kimi",
        &[
            (NAME, json!("21st_notes"), "must start with a letter"),
            (NAME, json!("notes.add"), "function name is invalid"),
            (NAME, json!("x".repeat(65)), "function name is invalid"),
            ("/tools", many(128), "128"),
            (SCHEMA, json!({}), "parameters.type is required and must be \"object\""),
            ("/tools/1/function/parameters!", Value::Null, "parameters.type is required"),
            (SCHEMA, root, "<At path 'root': when using anyOf, type should be defined in anyOf items"),
            (LINES, beside, "<At path 'properties.lines': when using anyOf"),
            (LINES, json!({"type": "string", "$ref": "#/$defs/a"}), "when using $ref"),
            (LINES, json!({"$ref": "#/properties/a"}), "references must start with #/$defs/"),
            (LINES, json!(true), "property schema must be an object"),
            (LINES, json!({"description": "d"}), "type is not defined"),
            (LINES, json!({"type": "string", "$defs": {}}), "unsupported keyword: $defs"),
            (SCHEMA, with("$schema", json!("x")), flavour),
            (SCHEMA, with("oneOf", json!([])), flavour),
            (SCHEMA, with("patternProperties", json!({})), flavour),
            (LINES, json!({"type": "string", "format": "uri"}), "unsupported keyword: format"),
            (LINES, json!({"type": "string", "pattern": "a"}), flavour),
            (LINES, json!({"type": "integer", "exclusiveMinimum": 0}), flavour),
            ("/tools/0/function/parameters/required", json!(["when"]), flavour),
            (
                "/messages/2/reasoning_content!",
                Value::Null,
                "reasoning_content is missing in assistant tool call message at index 2",
            ),
            ("/messages/2/reasoning_content", json!(""), "reasoning_content is missing"),
            (CONTENT, json!([{"type": "text", "text": ""}]), "text content is empty"),
            (LINES, json!({"type": "string", "enum": ["a", 1]}), flavour),
            (
                "/messages/5",
                json!({"role": "assistant", "content": ""}),
                "the message at position 5 with role 'assistant' must not be empty",
            ),
            ("/messages/5/tool_calls/0/id", json!("a"), "tool call id a is duplicated"),
            ("/messages/3!", Value::Null, "an assistant message with 'tool_calls' must be followed"),
            ("/messages/0/role", json!("developer"), "developer"),
            ("/messages/1/content", picture("https://example.org/a.png"), "image"),
        ],
    );
    let defs =
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "string"}}});
    takes(
        "kimi",
        &[(SCHEMA, defs), (CONTENT, json!("null")), (CONTENT, json!("")), ("/messages/2/content!", Value::Null)],
    );
    takes("kimi", &[(SCHEMA, json!({"type": "object", "properties": {}})), ("/extra", json!(1))]);
}

#[test]
fn glm_holds_its_rules_and_says_little() {
    let tools = "API 调用参数有误";
    let messages = "messages 参数非法";
    refuses(
        "glm",
        &[
            (NAME, json!("notes.add"), tools),
            (NAME, json!("x".repeat(65)), tools),
            ("/tools", many(128), tools),
            (SCHEMA, json!({}), tools),
            ("/messages/1!", Value::Null, messages),
            ("/messages/5/tool_calls/0/id", json!("a"), messages),
            ("/messages/3!", Value::Null, messages),
            ("/messages/0/role", json!("developer"), messages),
            ("/messages/5", json!({"role": "assistant", "content": ""}), "不能同时为空"),
        ],
    );
    takes("glm", &[(CONTENT, json!("null")), (CONTENT, json!("")), ("/stream", json!(false)), ("/extra", json!(1))]);
    let error = refusal(vendor("glm"), &changed(sound(), SCHEMA, &json!({}))).expect_err("refused").body;
    assert_eq!(error, json!({"error": {"code": "1210", "message": "API 调用参数有误，请检查文档。"}}));
}

fn messages_body() -> Value {
    json!({
        "model": "m", "max_tokens": 100,
        "tools": [
            {"name": "sky__forecast", "input_schema": {"type": "object", "properties": {}}},
            {"name": "notes__add", "input_schema": {"type": "object", "properties": {"lines": {"type": "array"}}}}
        ],
        "messages": [{"role": "user", "content": "u"}]
    })
}

/// The rest of the rules of Messages and Responses stand in `native_rules.rs`.
#[test]
fn anthropic_names_the_tool_that_it_refuses() {
    let vendor = vendor("anthropic");
    let png = json!([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}]);
    assert_eq!(refusal(vendor, &messages_body()), Ok(()));
    assert_eq!(refusal(vendor, &changed(messages_body(), "/messages/0/content", &png)), Ok(()));
    let schema = "/tools/1/input_schema";
    let cases = [
        ("/tools/1/name", json!("notes.add"), "tools.1.custom.name: String should match pattern"),
        (schema, json!({}), "tools.1.custom.input_schema.type: Input should be 'object'"),
        (
            schema,
            json!({"type": "object", "oneOf": []}),
            "tools.1.custom.input_schema: input_schema does not support oneOf",
        ),
        (
            "/tools/1/input_schema/properties/lines",
            json!("array"),
            "tools.1.custom.input_schema: JSON schema is invalid",
        ),
        (
            "/tools/1/input_schema/properties/lines",
            json!({"type": "number", "exclusiveMinimum": true}),
            "draft 2020-12",
        ),
        ("/tools/1/input_schema/properties/lines", json!({"type": "any"}), "JSON schema is invalid"),
        ("/tools/1/input_schema/properties", json!({"a b": {}}), "Property keys should match pattern"),
    ];
    for (path, value, words) in cases {
        let refused = refusal(vendor, &changed(messages_body(), path, &value)).expect_err(path);
        assert!(
            refused.message.starts_with("tools.1.custom") && refused.message.contains(words),
            "{}",
            refused.message
        );
        assert_eq!(
            (&refused.body["type"], &refused.body["error"]["type"]),
            (&json!("error"), &json!("invalid_request_error"))
        );
    }
    let bad = json!([{"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}]);
    assert!(refusal(vendor, &changed(messages_body(), "/messages/0/content", &bad)).is_err());
}

#[test]
fn responses_names_the_tool_that_it_refuses() {
    let vendor = vendor("openai-responses");
    let body = json!({
        "model": "m", "store": false, "input": "u",
        "tools": [{"type": "function", "name": "notes__add", "strict": false, "parameters": {"type": "object", "properties": {"lines": {"type": "array", "items": {}}}}}]
    });
    assert_eq!(refusal(vendor, &body), Ok(()));
    let cases = [
        ("/tools/0/name", json!("notes.add"), "Invalid 'tools[0].name': string does not match pattern"),
        ("/tools/0/parameters", json!({"type": "object"}), "missing properties"),
        ("/tools/0/parameters/properties/lines", json!({"type": "array"}), "missing items"),
        ("/tools/0/parameters/anyOf", json!([]), "at the top level"),
    ];
    for (path, value, words) in cases {
        let refused = refusal(vendor, &changed(body.clone(), path, &value)).expect_err(path);
        assert!(refused.message.contains(words), "{}", refused.message);
    }
    let error = refusal(vendor, &changed(body, "/tools/0/parameters/anyOf", &json!([]))).expect_err("refused").body;
    assert_eq!(error["error"]["param"], "tools[0].parameters");
}

#[test]
fn every_vendor_has_its_place_and_its_rules() {
    let paths: Vec<String> = VENDORS.iter().map(Vendor::path).collect();
    assert_eq!(
        paths,
        [
            "/v1/chat/completions",
            "/chat/completions",
            "/v1/chat/completions",
            "/v1/chat/completions",
            "/v1/messages",
            "/v1/responses",
            "/api/v1/chat/completions",
            "/v1beta/openai/chat/completions",
            "/compatible-mode/v1/chat/completions",
            "/v1/chat/completions",
            "/api/paas/v4/chat/completions",
        ]
    );
    for profile in winclaw_model::PROFILES.iter() {
        let vendor = vendor(&profile.provider);
        assert_eq!(vendor.format, profile.format, "{}", vendor.name);
        assert!(profile.base_url.ends_with(vendor.base), "{}: {} {}", vendor.name, profile.base_url, vendor.base);
        assert_eq!(Rules::of(vendor.name).as_ref(), Some(&vendor.rules));
    }
    assert_eq!((Vendor::of("nobody"), Rules::of("nobody")), (None, None));
}
