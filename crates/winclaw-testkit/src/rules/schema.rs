use serde_json::{Map, Value};

use super::{Names, Why};

/// What may stand in `enum`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enums {
    /// Anything.
    Any,
    /// Texts or numbers, but not both, and nothing else.
    OneKind,
    /// Texts.
    Texts,
}

/// What must stand at the top of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// `"type": "object"`, and none of `anyOf`, `oneOf`, `allOf`, `enum` and `not`.
    PlainObject,
    /// `"type": "object"`.
    Object,
    /// The same, or an empty schema.
    ObjectOrNothing,
}

/// What a vendor demands of the schemas of tools. All are checked for being schemas at all as far as vendors are known
/// to check it: `properties` of schemas, `required` of strings, known types, `items` a schema, bounds that are numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaRules {
    /// Whether a tool may have no `parameters` at all; it then takes no arguments.
    pub optional: bool,
    /// What must stand at the top.
    pub root: Root,
    /// Whether `properties` must stand at the top.
    pub properties: bool,
    /// Which names properties may have; `None` allows all.
    pub keys: Option<Names>,
    /// Whether `properties` and `required` may stand only in objects.
    pub placed: bool,
    /// Whether an array must say its items.
    pub items: bool,
    /// Whether every schema but one with `anyOf` or `$ref` must have a type.
    pub typed: bool,
    /// Whether a type may be a list.
    pub type_lists: bool,
    /// Whether a type may stand beside `anyOf` or `$ref`.
    pub type_beside: bool,
    /// Whether `true` and `false` may stand for the schemas of properties and in `anyOf`.
    pub booleans: bool,
    /// The keywords that are known; others are refused. `None` knows all.
    pub keywords: Option<&'static [&'static str]>,
    /// The keywords that may stand only at the top.
    pub only_at_top: &'static [&'static str],
    /// The formats of a string; `None` allows all.
    pub formats: Option<&'static [&'static str]>,
    /// What may stand in `enum`.
    pub enums: Enums,
    /// Whether every name in `required` must be a property.
    pub required_known: bool,
    /// Whether references may lead only to the top and into its `$defs`.
    pub near_references: bool,
}

impl Default for SchemaRules {
    /// Any sound schema of a plain object.
    fn default() -> Self {
        SchemaRules {
            optional: true,
            root: Root::PlainObject,
            properties: false,
            keys: None,
            placed: false,
            items: false,
            typed: false,
            type_lists: true,
            type_beside: true,
            booleans: true,
            keywords: None,
            only_at_top: &[],
            formats: None,
            enums: Enums::Any,
            required_known: false,
            near_references: false,
        }
    }
}

type Found = Result<(), (Vec<String>, Why)>;

const TYPES: [&str; 7] = ["null", "boolean", "object", "array", "number", "integer", "string"];
const NUMBERS: [&str; 5] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const STRINGS: [&str; 4] = ["title", "description", "pattern", "format"];

/// Checks the schema of a tool; a fault says where in it.
pub(super) fn check(schema: &Value, rules: &SchemaRules) -> Found {
    root(schema, rules).map_err(|why| (Vec::new(), why))?;
    Walk { rules, place: Vec::new() }.schema(schema)
}

fn root(schema: &Value, rules: &SchemaRules) -> Result<(), Why> {
    let nothing = schema.as_object().is_none_or(Map::is_empty);
    if rules.root == Root::ObjectOrNothing && nothing {
        return Ok(());
    }
    if schema["type"] != "object" {
        return Err(Why::Root(schema.get("type").unwrap_or(&Value::Null).to_string()));
    }
    let refused = ["anyOf", "oneOf", "allOf", "enum", "not"].into_iter().find(|key| schema.get(key).is_some());
    match refused.filter(|_| rules.root == Root::PlainObject) {
        Some(keyword) => Err(Why::AtTop(keyword)),
        None if rules.properties && schema.get("properties").is_none() => Err(Why::NoProperties),
        None => Ok(()),
    }
}

struct Walk<'a> {
    rules: &'a SchemaRules,
    place: Vec<String>,
}

impl Walk<'_> {
    fn schema(&mut self, schema: &Value) -> Found {
        let fields = match schema {
            Value::Object(fields) => fields,
            Value::Bool(_) if self.rules.booleans || self.loose() => return Ok(()),
            other => return self.at(Why::NoSchema(other.to_string())),
        };
        self.keywords(fields)?;
        self.sound(fields)?;
        self.types(fields)?;
        self.values(fields)?;
        self.below(fields)
    }

    /// Whether the place is one that is hardly looked at: the items of an array, unless types must stand everywhere.
    fn loose(&self) -> bool {
        !self.rules.typed && self.place.last().is_some_and(|step| step == "items")
    }

    fn at(&self, why: Why) -> Found {
        Err((self.place.clone(), why))
    }

    fn refuse(&self, refused: bool, why: Why) -> Found {
        if refused { self.at(why) } else { Ok(()) }
    }

    fn keywords(&self, fields: &Map<String, Value>) -> Found {
        let known = |key: &str| self.rules.keywords.is_none_or(|known| known.contains(&key));
        let misplaced = |key: &str| !self.place.is_empty() && self.rules.only_at_top.contains(&key);
        match fields.keys().find(|key| !known(key) || misplaced(key)) {
            Some(key) => self.at(Why::Keyword(key.clone())),
            None => Ok(()),
        }
    }

    /// What every draft demands of the values of keywords.
    fn sound(&self, fields: &Map<String, Value>) -> Found {
        let wrong = |keyword: &str, value: &Value, should| {
            self.at(Why::Value { keyword: keyword.into(), value: value.to_string(), should })
        };
        for (keyword, value) in fields {
            match keyword.as_str() {
                "properties" | "$defs" if !value.is_object() => return wrong(keyword, value, "'object'"),
                "required" if !strings(value) => return wrong(keyword, value, "'array' of strings"),
                "enum" | "anyOf" | "oneOf" | "allOf" if !value.is_array() => return wrong(keyword, value, "'array'"),
                "type" if !types(value) => return wrong(keyword, value, "'type'"),
                key if NUMBERS.contains(&key) && !value.is_number() => return wrong(keyword, value, "'number'"),
                key if STRINGS.contains(&key) && !value.is_string() => return wrong(keyword, value, "'string'"),
                _ => {}
            }
        }
        Ok(())
    }

    fn types(&self, fields: &Map<String, Value>) -> Found {
        let rules = self.rules;
        let kind = fields.get("type");
        let beside = ["anyOf", "$ref"].into_iter().find(|key| fields.contains_key(*key));
        let is = |name: &str| kind.is_some_and(|kind| *kind == name);
        self.refuse(!rules.type_lists && kind.is_some_and(Value::is_array), Why::TypeList)?;
        if let Some(keyword) = beside {
            return self.refuse(!rules.type_beside && kind.is_some(), Why::TypeBeside(keyword));
        }
        let nothing = fields.is_empty() && self.place.is_empty();
        self.refuse(rules.typed && kind.is_none() && !nothing, Why::NoType)?;
        self.refuse(rules.items && is("array") && !fields.contains_key("items"), Why::NoItems)?;
        let misplaced = ["properties", "required"].into_iter().find(|key| fields.contains_key(*key) && !is("object"));
        match misplaced.filter(|_| rules.placed) {
            Some(keyword) => self.at(Why::OnlyObject(keyword)),
            None => Ok(()),
        }
    }

    fn values(&self, fields: &Map<String, Value>) -> Found {
        let rules = self.rules;
        let list = |keyword: &str| fields.get(keyword).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        if let Some(value) = odd(list("enum"), rules.enums) {
            return self.at(Why::Enum(value.to_string()));
        }
        let keys = fields.get("properties").and_then(Value::as_object).into_iter().flatten();
        if let Some((key, _)) =
            keys.into_iter().find(|(key, _)| rules.keys.as_ref().is_some_and(|rule| !rule.allow(key)))
        {
            return self.at(Why::Key(key.clone()));
        }
        let property = |name: &str| fields.get("properties").is_some_and(|all| all.get(name).is_some());
        let mut required = list("required").iter().filter_map(Value::as_str);
        if let Some(name) = required.find(|name| rules.required_known && !property(name)) {
            return self.at(Why::Required(name.into()));
        }
        if let Some(to) = fields.get("$ref").and_then(Value::as_str) {
            let near = to == "#" || to.starts_with("#/$defs/");
            self.refuse(rules.near_references && !near, Why::Reference(to.into()))?;
        }
        match (rules.formats, fields.get("format").and_then(Value::as_str)) {
            (Some(known), Some(format)) if fields["type"] == "string" && !known.contains(&format) => {
                self.at(Why::Format(format.into()))
            }
            _ => Ok(()),
        }
    }

    fn below(&mut self, fields: &Map<String, Value>) -> Found {
        for (keyword, value) in fields {
            match (keyword.as_str(), value) {
                ("properties" | "$defs" | "definitions" | "patternProperties", Value::Object(all)) => {
                    for (name, schema) in all {
                        self.down(&[keyword, name], schema)?;
                    }
                }
                ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(all)) => {
                    for (number, schema) in all.iter().enumerate() {
                        self.down(&[keyword, &number.to_string()], schema)?;
                    }
                }
                ("items" | "not", schema) => self.down(&[keyword], schema)?,
                ("additionalProperties", schema @ Value::Object(inside)) if !inside.is_empty() => {
                    self.down(&[keyword], schema)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn down(&mut self, steps: &[&str], schema: &Value) -> Found {
        self.place.extend(steps.iter().map(|step| (*step).to_owned()));
        self.schema(schema)?;
        self.place.truncate(self.place.len() - steps.len());
        Ok(())
    }
}

/// The first value that may not stand in `enum`.
fn odd(all: &[Value], rule: Enums) -> Option<&Value> {
    let numbers = all.first().is_some_and(Value::is_number);
    all.iter().find(|value| match rule {
        Enums::Any => false,
        Enums::OneKind if numbers => !value.is_number(),
        Enums::OneKind | Enums::Texts => !value.is_string(),
    })
}

fn strings(value: &Value) -> bool {
    value.as_array().is_some_and(|all| all.iter().all(Value::is_string))
}

fn types(value: &Value) -> bool {
    let known = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    known(value) || value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(known))
}
