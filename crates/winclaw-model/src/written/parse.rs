use serde_json::{Deserializer, Map, Value};
use winclaw_tool::{Text, ToolSpec};

use super::Written;
use super::forms::{Form, without_dsml};
use super::json::ends_in_string;
use super::known::{KnownTools, misfit, property, value_of};

/// Longest name that an error quotes, in characters.
const MAX_QUOTED: usize = 64;

/// Why something is no call.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It does not look like one.
    Nothing,
    /// What looked like the end stands inside a string.
    InString,
    /// It calls a tool nobody knows.
    Unknown(String),
    /// It calls this tool, but cannot be run.
    Unfit(String, String),
    /// It was cut off, or its markup makes no sense.
    Unreadable,
}

impl Fault {
    /// Whether it certainly is about a tool there is.
    pub(super) fn is_of_known(&self) -> bool {
        matches!(self, Fault::Unfit(..))
    }

    /// What to say of a form that was cut off: a fault of a known tool if it gets as far as naming one.
    pub(super) fn cut(form: Form, text: &str, known: &KnownTools) -> Self {
        let text = if form == Form::Dsml { without_dsml(text) } else { text.to_owned() };
        let marks = ["<function=", "<invoke name=\"", "\"name\"", "\"tool\"", "\"tool_name\"", "functions."];
        let from = marks.iter().find_map(|mark| text.find(mark).map(|at| at + mark.len())).unwrap_or(0);
        let name: String =
            text[from..].trim_start_matches([' ', ':', '"', '\n']).chars().take_while(|c| is_name(*c)).collect();
        match known.get(&name) {
            Some(spec) => Fault::Unfit(spec.name.clone(), "it was cut off".into()),
            None => Fault::Unreadable,
        }
    }

    pub(super) fn text(&self) -> Text {
        let quote = |name: &str| name.chars().filter(|c| !c.is_control()).take(MAX_QUOTED).collect::<String>();
        match self {
            Fault::Unknown(name) => Text::new(
                format!("the model wrote a call of `{}` as text, and there is no such tool", quote(name)),
                format!("模型以文本形式写出了对“{}”的调用，但没有这个工具", quote(name)),
            ),
            Fault::Unfit(name, why) => Text::new(
                format!("the model wrote a call of `{}` as text that cannot be run: {why}", quote(name)),
                format!("模型以文本形式写出了对“{}”的调用，但无法执行（{why}）", quote(name)),
            ),
            Fault::Nothing | Fault::InString | Fault::Unreadable => Text::new(
                "the model wrote a tool call as text that cannot be read",
                "模型以文本形式写出了工具调用，但内容无法识别",
            ),
        }
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || "_-.".contains(c)
}

type Calls = Result<Vec<Written>, Fault>;

/// The calls in a block, without its opening and end. `closed`: there was an end.
pub(super) fn block(form: Form, text: &str, closed: bool, known: &KnownTools) -> Calls {
    let ended = |end: &'static str| if closed { end } else { "" };
    let calls = match form {
        Form::Dsml if text.starts_with("invoke") => {
            invokes(&format!("<{}{}", without_dsml(text), ended("</invoke>")), known)
        }
        Form::Dsml => invokes(&without_dsml(text), known),
        Form::Kimi | Form::KimiOne => {
            tokens(text, ["<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"], known)
        }
        Form::DeepSeek | Form::DeepSeekOne => {
            tokens(text, ["<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"], known)
        }
        Form::Function => functions(&format!("<function={text}{}", ended("</function>")), known),
        Form::Invoke => invokes(&format!("<invoke name={text}{}", ended("</invoke>")), known),
        Form::Invokes | Form::MiniMax => invokes(text, known),
        Form::Mistral => mistral(text, known),
        Form::ToolCall => tool_call(text.trim(), known),
        Form::FunctionCall | Form::Python | Form::Json | Form::Stray => json(text, known),
    }?;
    if calls.is_empty() { Err(Fault::Unreadable) } else { Ok(calls) }
}

/// The calls in a text that is nothing but JSON. Nothing else may stand in it, and a call must say its arguments.
pub(super) fn json_call(text: &str, known: &KnownTools) -> Calls {
    let value: Value = match serde_json::from_str(text.trim()) {
        Ok(value) => value,
        Err(_) => return Err(Fault::cut_if_eof(text, known)),
    };
    let calls = listed(&value, &Shape { bare: true }, known)?;
    if calls.is_empty() { Err(Fault::Nothing) } else { Ok(calls) }
}

impl Fault {
    /// JSON that only lacks its end and names a known tool was to be a call.
    fn cut_if_eof(text: &str, known: &KnownTools) -> Fault {
        let eof = serde_json::from_str::<Value>(text.trim()).is_err_and(|error| error.is_eof());
        match eof.then(|| Fault::cut(Form::Json, text, known)) {
            Some(unfit @ Fault::Unfit(..)) => unfit,
            _ => Fault::Nothing,
        }
    }
}

fn tool_call(text: &str, known: &KnownTools) -> Calls {
    if text.starts_with("<function=") {
        functions(text, known)
    } else if text.starts_with("<invoke ") {
        invokes(text, known)
    } else if text.starts_with(['{', '[']) {
        json(text, known)
    } else {
        pairs(text, known).map(|call| vec![call])
    }
}

/// JSON values one after another, with left-over tags between them.
fn json(text: &str, known: &KnownTools) -> Calls {
    let mut calls = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let mut values = Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => calls.extend(listed(&value, &Shape { bare: false }, known)?),
            _ if ends_in_string(text) => return Err(Fault::InString),
            _ => return Err(Fault::cut(Form::Json, text, known)),
        }
        let end = values.byte_offset();
        rest = rest[end..].trim_start_matches([' ', '\n', '\r', '\t', ';', ',']);
        for tag in ["</tool_call>", "<tool_call>", "<|eom_id|>", "<|eot_id|>"] {
            rest = rest.strip_prefix(tag).unwrap_or(rest).trim();
        }
    }
    Ok(calls)
}

/// How much of a call JSON must say: without tags around it, exactly what a call has.
struct Shape {
    bare: bool,
}

fn listed(value: &Value, shape: &Shape, known: &KnownTools) -> Calls {
    match value {
        Value::Array(all) => {
            let calls: Vec<Calls> = all.iter().map(|each| listed(each, shape, known)).collect();
            calls.into_iter().collect::<Result<Vec<_>, _>>().map(|calls| calls.concat())
        }
        Value::Object(map) => match map.get("tool_calls").filter(|calls| calls.is_array() && map.len() == 1) {
            Some(calls) => listed(calls, shape, known),
            None => object(map, shape, known).map(|call| vec![call]),
        },
        _ => Err(Fault::Nothing),
    }
}

fn object(map: &Map<String, Value>, shape: &Shape, known: &KnownTools) -> Result<Written, Fault> {
    const NAMES: [&str; 3] = ["name", "tool_name", "tool"];
    const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "args", "input"];
    const BESIDE: [&str; 4] = ["id", "type", "call_id", "index"];
    let inner = map.get("function").and_then(Value::as_object);
    let from = inner.unwrap_or(map);
    let name = NAMES.iter().find_map(|key| from.get(*key)?.as_str()).or_else(|| map.get("function")?.as_str());
    let given = ARGUMENTS.iter().find_map(|key| from.get(*key));
    let usual = |key: &String| {
        let key = key.as_str();
        NAMES.contains(&key) || ARGUMENTS.contains(&key) || BESIDE.contains(&key) || key == "function"
    };
    let all_usual = map.keys().chain(from.keys()).all(usual);
    let (Some(name), true) = (name, all_usual || !shape.bare) else { return Err(Fault::Nothing) };
    // A schema under `parameters` is the description of a tool.
    let describes = given.is_some_and(|given| given["type"] == "object" && given["properties"].is_object());
    if shape.bare && (given.is_none() || describes) {
        return Err(Fault::Nothing);
    }
    let arguments = match given {
        None | Some(Value::Null) => Some(Map::new()),
        Some(Value::Object(arguments)) => Some(arguments.clone()),
        Some(Value::String(raw)) if raw.trim().is_empty() => Some(Map::new()),
        Some(Value::String(raw)) => serde_json::from_str(raw).ok(),
        Some(_) => None,
    };
    finish(name, arguments, known)
}

/// A call of a known tool whose arguments fit, or why not.
fn finish(name: &str, arguments: Option<Map<String, Value>>, known: &KnownTools) -> Result<Written, Fault> {
    let name = name.trim();
    let spec = known.get(name).ok_or_else(|| Fault::Unknown(name.to_owned()))?;
    let unfit = |why: &str| Fault::Unfit(spec.name.clone(), why.to_owned());
    let arguments = arguments.ok_or_else(|| unfit("its arguments are no JSON object"))?;
    match misfit(&spec.parameters, &arguments) {
        Some(why) => Err(unfit(&why)),
        None => Ok(Written::Call { name: spec.name.clone(), arguments: Value::Object(arguments).to_string() }),
    }
}

/// `<function=name>` with `<parameter=key>` in it; an end tag of a parameter may be missing.
fn functions(text: &str, known: &KnownTools) -> Calls {
    let mut calls = Vec::new();
    for part in text.split("<function=").skip(1) {
        let (name, body) = part.split_once('>').ok_or(Fault::Unreadable)?;
        let name = name.trim_matches('"');
        let (body, _) = body.rsplit_once("</function>").ok_or_else(|| unread(name, known))?;
        let mut arguments = Map::new();
        for parameter in body.split("<parameter=").skip(1) {
            let (key, value) = parameter.split_once('>').ok_or_else(|| unread(name, known))?;
            let value = value.rsplit_once("</parameter>").map_or(value.trim_end(), |(value, _)| value);
            let value = value.strip_prefix('\n').unwrap_or(value);
            let value = value.strip_suffix('\n').unwrap_or(value);
            put(&mut arguments, key.trim_matches('"'), value, known.get(name));
        }
        calls.push(finish(name, Some(arguments), known)?);
    }
    Ok(calls)
}

/// GLM's name with pairs of `<arg_key>` and `<arg_value>`.
fn pairs(text: &str, known: &KnownTools) -> Result<Written, Fault> {
    let end = text.find(['\n', '<']).unwrap_or(text.len());
    let (name, body) = (text[..end].trim(), &text[end..]);
    let mut arguments = Map::new();
    for pair in body.split("<arg_key>").skip(1) {
        let (key, rest) = pair.split_once("</arg_key>").ok_or_else(|| unread(name, known))?;
        let (_, rest) = rest.split_once("<arg_value>").ok_or_else(|| unread(name, known))?;
        let (value, _) = rest.rsplit_once("</arg_value>").ok_or_else(|| unread(name, known))?;
        put(&mut arguments, key.trim(), value, known.get(name));
    }
    finish(name, Some(arguments), known)
}

/// `<invoke name="…">` with `<parameter name="…">` in it; `string="false"` says that a value is JSON.
fn invokes(text: &str, known: &KnownTools) -> Calls {
    let mut calls = Vec::new();
    for part in text.split("<invoke ").skip(1) {
        let (tag, body) = part.split_once('>').ok_or(Fault::Unreadable)?;
        let name = attribute(tag, "name").ok_or(Fault::Unreadable)?;
        let (body, _) = body.rsplit_once("</invoke>").ok_or_else(|| unread(name, known))?;
        let mut arguments = Map::new();
        for parameter in body.split("<parameter ").skip(1) {
            let (tag, value) = parameter.split_once('>').ok_or_else(|| unread(name, known))?;
            let key = attribute(tag, "name").ok_or_else(|| unread(name, known))?;
            let (value, _) = value.rsplit_once("</parameter>").ok_or_else(|| unread(name, known))?;
            match attribute(tag, "string") {
                Some("true") => drop(arguments.insert(key.into(), value.into())),
                _ => put(&mut arguments, key, value, known.get(name)),
            }
        }
        // DSML may give all arguments as one object instead.
        let whole = body.trim().starts_with('{').then(|| serde_json::from_str(body.trim()).ok()).flatten();
        calls.push(finish(name, whole.or(Some(arguments)), known)?);
    }
    Ok(calls)
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = tag.split_once(&format!("{name}="))?;
    let quote = rest.chars().next().filter(|c| ['"', '\''].contains(c))?;
    rest[1..].split_once(quote).map(|(value, _)| value)
}

fn put(arguments: &mut Map<String, Value>, key: &str, raw: &str, spec: Option<&ToolSpec>) {
    let schema = spec.and_then(|spec| property(&spec.parameters, key));
    arguments.insert(key.into(), value_of(raw, schema));
}

fn unread(name: &str, known: &KnownTools) -> Fault {
    match known.get(name) {
        Some(spec) => Fault::Unfit(spec.name.clone(), "its markup is incomplete".into()),
        None => Fault::Unreadable,
    }
}

/// Kimi's `functions.name:0` and DeepSeek's `name` or `function`, each with JSON, between three tokens.
fn tokens(text: &str, [begin, separator, end]: [&str; 3], known: &KnownTools) -> Calls {
    let mut calls = Vec::new();
    let text = if text.contains(begin) { text.to_owned() } else { format!("{begin}{text}") };
    for part in text.split(begin).skip(1) {
        let part = part.split(end).next().unwrap_or(part);
        let (head, body) = part.split_once(separator).ok_or(Fault::Unreadable)?;
        let (name, body) = match head.trim() {
            "function" => body.split_once('\n').ok_or(Fault::Unreadable)?,
            name => (name, body),
        };
        let name =
            name.rsplit_once(':').filter(|(_, n)| n.bytes().all(|b| b.is_ascii_digit())).map_or(name, |(name, _)| name);
        let body = body.trim().trim_start_matches("```json").trim_matches('`').trim();
        let arguments = if body.is_empty() { Some(Map::new()) } else { serde_json::from_str(body).ok() };
        calls.push(finish(name, arguments, known)?);
    }
    Ok(calls)
}

/// `[{"name": …}]`, or `name[ARGS]{…}` and `name{…}` once or several times.
fn mistral(text: &str, known: &KnownTools) -> Calls {
    let text = text.trim();
    if text.starts_with(['[', '{']) {
        return json(text, known);
    }
    let mut calls = Vec::new();
    for part in text.split("[TOOL_CALLS]") {
        let at = part.find('{').ok_or(Fault::Unreadable)?;
        let name = part[..at].trim().trim_end_matches("[ARGS]").split('[').next().unwrap_or("").trim();
        calls.push(finish(name, serde_json::from_str(part[at..].trim()).ok(), known)?);
    }
    Ok(calls)
}
