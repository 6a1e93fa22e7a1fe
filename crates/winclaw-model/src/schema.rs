mod choices;
mod refs;
mod walk;

use serde_json::{Map, Value, json};
use winclaw_tool::Text;

use crate::SchemaRule;

/// Deepest schema that is sent; what lies deeper may be anything.
const MAX_DEPTH: usize = 24;
/// Longest schema that is sent, in bytes of JSON.
const MAX_BYTES: usize = 64 * 1024;

/// A schema as an endpoint takes it, made from any JSON Schema for the arguments of a tool.
///
/// Only ever loosened: an object that the given schema allows, the compiled one allows as well. (One exception: a choice at
/// the top may allow anything for a property that only its other branches name; the compiled schema holds it to those.)
/// The given schema stays what calls are held to. Local references are written out where the rule demands it or where they do
/// not point into `$defs`; a schema that holds itself ends in one that allows anything. Choices at the top become one
/// object with the properties of all branches, and a sentence in its description. Same input, same output; compiling what
/// was compiled changes nothing.
///
/// Errors: why the tool cannot be sent at all.
pub(crate) fn compile(given: &Value, rule: &SchemaRule) -> Result<Value, Text> {
    let top = match given {
        Value::Object(top) => top.clone(),
        Value::Null | Value::Bool(true) => Map::new(),
        _ => return Err(Text::new("its schema is not an object", "参数格式不是对象")),
    };
    let top = refs::resolve(top, rule.refs)?;
    let top = if rule.choices_at_top { top } else { choices::flatten(top)? };
    let top =
        std::iter::once(("type".to_owned(), "object".into())).chain(top.into_iter().filter(|(key, _)| key != "type"));
    let mut top = walk::object(top.collect(), rule, 0);
    top.entry("properties").or_insert_with(|| json!({}));
    let compiled = Value::Object(top);
    let bytes = compiled.to_string().len();
    if bytes > MAX_BYTES {
        return Err(Text::new(
            format!("its schema is {bytes} bytes long, and {MAX_BYTES} are sent at most"),
            format!("参数格式长 {bytes} 字节，最多发送 {MAX_BYTES} 字节"),
        ));
    }
    check(&compiled, rule).map(|()| compiled)
}

/// What the rule refuses of a compiled schema and what cannot be mended: the names of properties.
fn check(schema: &Value, rule: &SchemaRule) -> Result<(), Text> {
    let Some(names) = rule.properties else { return Ok(()) };
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            if let Some(name) = properties.keys().find(|name| !names.allows(name)) {
                return Err(Text::new(
                    format!("this vendor does not take a parameter named `{name}`"),
                    format!("该服务不接受名为“{name}”的参数"),
                ));
            }
            open.extend(properties.values());
        }
        for key in ["items", "additionalProperties"] {
            open.extend(schema.get(key));
        }
        for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
            open.extend(schema.get(key).and_then(Value::as_array).into_iter().flatten());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
