use std::fmt;

/// What is wrong with a body, so that each vendor can say it in its own words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    pub(crate) what: Box<What>,
    /// The same in the words of the format's first vendor, or in ours.
    pub(crate) said: String,
}

/// Which rule is broken.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum What {
    /// Something that no vendor has other words for.
    Other,
    /// The body is no JSON.
    Body,
    /// The body has a field, or a value of a field, that is refused.
    Field(String),
    /// The name of a tool. `longest` when it is only too long.
    Name { tool: usize, name: String, longest: Option<usize> },
    /// The schema of a tool, at a place inside it.
    Schema { tool: usize, name: String, place: Vec<String>, why: Why },
    /// Too many tools.
    ManyTools { most: usize, got: usize },
    /// The name of a tool stands twice.
    Twice { name: String },
    /// The tool is one this server was told to refuse.
    Tool { tool: usize, name: String },
    /// A role that is not known.
    Role { at: usize, role: String, known: &'static [&'static str] },
    /// The content of a message is written in a way that is refused: `null`, `""`, absent, or something else.
    Content { at: usize, role: String, form: Form },
    /// A message of the model neither says nor calls anything.
    Empty { at: usize },
    /// Thoughts are missing.
    Thoughts { at: usize },
    /// The signature of a call is missing.
    Signature { at: usize, name: String },
    /// Calls without results.
    Unanswered { ids: Vec<String> },
    /// A result of no call.
    Stray { id: String },
    /// The id of a call stands twice.
    SameId { id: String },
    /// Nobody but the model has spoken.
    Nobody,
    /// Thinking is on without a stream.
    Thinking,
    /// The key; how it was given, if at all.
    Key { given: Option<String> },
    /// The script of the test does not foresee this.
    Script,
}

/// How the content of a message is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Null,
    Empty,
    Absent,
    Other,
}

/// What is wrong with a schema.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Why {
    /// The type at the top is not `object` but this, as JSON.
    Root(String),
    /// This keyword must not stand at the top.
    AtTop(&'static str),
    /// An object without `properties`.
    NoProperties,
    /// This stands in what is no object.
    OnlyObject(&'static str),
    /// A property with this name.
    Key(String),
    /// An array without `items`.
    NoItems,
    /// No `type`.
    NoType,
    /// `type` is a list.
    TypeList,
    /// A keyword that is not known, and the keyword after which it was found at a place among its siblings.
    Keyword(String),
    /// `type` stands beside this.
    TypeBeside(&'static str),
    /// A reference to a place that is not allowed.
    Reference(String),
    /// A value of `enum` that is refused.
    Enum(String),
    /// A format that is refused.
    Format(String),
    /// This name in `required` is no property.
    Required(String),
    /// A schema that is none.
    NoSchema(String),
    /// A keyword whose value has the wrong type: the value as JSON and what it should be.
    Value { keyword: String, value: String, should: &'static str },
}

impl Fault {
    pub(crate) fn new(what: What, said: impl Into<String>) -> Self {
        Fault { what: what.into(), said: said.into() }
    }

    pub(crate) fn schema(tool: usize, name: &str, place: Vec<String>, why: Why) -> Self {
        let said = format!("Invalid schema for function '{name}': {}{why}", context(&place, &why));
        Fault::new(What::Schema { tool, name: name.into(), place, why }, said)
    }
}

impl From<String> for Fault {
    fn from(said: String) -> Self {
        Fault::new(What::Other, said)
    }
}

impl From<&str> for Fault {
    fn from(said: &str) -> Self {
        said.to_owned().into()
    }
}

/// Where in a schema, as OpenAI says it: `In context=('properties', 'paths'), `.
fn context(place: &[String], why: &Why) -> String {
    if matches!(why, Why::Root(_) | Why::AtTop(_) | Why::Value { .. }) {
        return String::new();
    }
    let quoted: Vec<String> = place.iter().map(|step| format!("'{step}'")).collect();
    format!("In context=({}), ", quoted.join(", "))
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Root(got) => {
                let got = if got == "null" { "\"None\"" } else { got };
                write!(f, "schema must be a JSON Schema of 'type: \"object\"', got 'type: {got}'.")
            }
            Why::AtTop(_) => f.write_str(
                "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
            ),
            Why::NoProperties => f.write_str("object schema missing properties."),
            Why::OnlyObject(keyword) => write!(f, "'{keyword}' stands in what is no object."),
            Why::Key(key) => write!(f, "'{key}' may not be the name of a property."),
            Why::NoItems => f.write_str("array schema missing items."),
            Why::NoType => f.write_str("schema must have a 'type' key."),
            Why::TypeList => f.write_str("'type' must be one type."),
            Why::Keyword(keyword) => write!(f, "'{keyword}' is not permitted."),
            Why::TypeBeside(keyword) => write!(f, "'type' must not stand beside '{keyword}'."),
            Why::Reference(to) => write!(f, "reference '{to}' cannot be followed."),
            Why::Enum(value) => write!(f, "{value} is not permitted in 'enum'."),
            Why::Format(format) => write!(f, "'{format}' is not a permitted format."),
            Why::Required(name) => write!(f, "'{name}' is required and no property."),
            Why::NoSchema(value) => write!(f, "{value} is not of type 'object', 'boolean'."),
            Why::Value { value, should, .. } => write!(f, "{value} is not of type {should}."),
        }
    }
}
