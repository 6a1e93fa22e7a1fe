mod custom;
mod facts;
mod rows;

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::custom::ProfileOverrides;
use crate::{Format, NativeTools, Price};

/// What stands in `content` of an assistant message that only calls tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmptyContent {
    /// `"content": null`.
    Null,
    /// `"content": ""`.
    Empty,
    /// No `content` at all.
    Omit,
}

/// What becomes of the model's thoughts in later requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reasoning {
    /// They are never sent back.
    Drop,
    /// They are sent back; a message with calls always has the field, `""` when there were none.
    Keep,
    /// They are sent back where there were some, and the field is absent where there were none.
    Echo,
    /// They are sent back; every message has the field, and where there were none it says `.`, for vendors to which an
    /// empty field is none.
    Words,
    /// A message with calls has the field with `""`; the thoughts themselves are never sent back.
    Empty,
}

/// Which names an endpoint takes, of tools or of the properties of a schema: ASCII letters, digits and `marks`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameRule {
    /// The most characters.
    pub longest: usize,
    /// What may stand in a name besides ASCII letters and digits.
    pub marks: &'static str,
    /// Whether the first character must be a letter or `_`.
    pub letter_first: bool,
}

impl NameRule {
    /// Whether `name` may be sent as it is.
    pub fn allows(&self, name: &str) -> bool {
        let legal = |c: char| c.is_ascii_alphanumeric() || self.marks.contains(c);
        let begins = |c: char| !self.letter_first || c.is_ascii_alphabetic() || c == '_';
        name.len() <= self.longest && name.chars().all(legal) && name.chars().next().is_some_and(begins)
    }
}

/// What an endpoint takes as the values of `enum`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enums {
    /// Anything.
    Any,
    /// Texts, or numbers, but not both and nothing else.
    OneKind,
    /// Texts.
    Texts,
}

/// Which JSON Schemas an endpoint takes for the arguments of a tool. The top is always an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaRule {
    /// The keywords that may stand in a schema; `None` for any.
    pub keywords: Option<&'static [&'static str]>,
    /// What `format` may say; `None` for anything.
    pub formats: Option<&'static [&'static str]>,
    /// Whether `anyOf`, `oneOf`, `allOf`, `enum`, `const` and `not` may stand at the top.
    pub choices_at_top: bool,
    /// Whether `type` may be a list.
    pub type_lists: bool,
    /// The keywords that may stand beside `anyOf`, `None` for any; others go into each branch.
    pub beside_any_of: Option<&'static [&'static str]>,
    /// Whether every schema must have a `type`, unless it has `anyOf`.
    pub type_demanded: bool,
    /// Whether an array must have `items`.
    pub items_demanded: bool,
    /// What values of `enum` may be.
    pub enums: Enums,
    /// Whether references into `$defs` are understood; where not, they are written out.
    pub refs: bool,
    /// Which names properties may have; `None` for any. A tool with another is set aside.
    pub properties: Option<NameRule>,
}

/// What is known of models whose name fits a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelRow {
    /// Fits the model's name without regard to case; `*` stands for any characters.
    pub pattern: Cow<'static, str>,
    /// Tokens of a request and its reply together.
    pub window_tokens: Option<u32>,
    /// Whether it reads pictures.
    pub images: Option<bool>,
    /// How its tools can be revealed; `Some(None)` is not at all.
    pub native: Option<Option<NativeTools>>,
    /// What becomes of its thoughts.
    pub reasoning: Option<Reasoning>,
    /// What it costs.
    pub price: Option<Price>,
}

/// How one provider is spoken to, and how its dialect differs. Plain data; a new provider is a new row of [`PROFILES`],
/// or [`Profile::custom`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The provider's name in `--model provider/name`.
    pub provider: Cow<'static, str>,
    /// The wire format it speaks.
    pub format: Format,
    /// Where it is reached unless told otherwise; the format's path is appended.
    pub base_url: Cow<'static, str>,
    /// The environment variable that moves it elsewhere.
    pub base_url_variable: Cow<'static, str>,
    /// The environment variable that holds the key.
    pub key_variable: Cow<'static, str>,
    /// Whether a key is needed at `base_url`. At another URL it never is.
    pub key_required: bool,
    /// The model used when a key is set and none was named; `None` when the provider has no such.
    pub default_model: Option<Cow<'static, str>>,
    /// How an assistant message without words is written in chat completions.
    pub empty_content: EmptyContent,
    /// Whether thoughts are sent back in chat completions.
    pub reasoning: Reasoning,
    /// The field in which they are.
    pub reasoning_field: Cow<'static, str>,
    /// Tokens of a request and its reply together, where nothing better is known.
    pub window_tokens: u32,
    /// The most tools the tools array may hold.
    pub max_tools: usize,
    /// The most tokens of a reply, as it is sent; `None` leaves it to the vendor, or to [`crate::anthropic_body`], whose
    /// format demands a number.
    pub max_output: Option<u32>,
    /// The field of chat completions in which it is sent.
    pub max_output_field: Cow<'static, str>,
    /// What to send as `parallel_tool_calls` along with tools; `None` sends nothing and leaves it to the vendor.
    pub parallel_tool_calls: Option<bool>,
    /// Whether `stream_options` is understood; where not, it is not sent, and the vendor counts tokens unasked or never.
    pub stream_options: bool,
    /// Whether each call carries thoughts of the vendor's as `extra_content`, which must come back with it.
    pub signatures: bool,
    /// Whether thoughts come as `reasoning_details`, which must come back as they are.
    pub reasoning_details: bool,
    /// Which tool names it takes.
    pub names: NameRule,
    /// Which schemas it takes.
    pub schema: SchemaRule,
    /// How a tool is revealed in the middle of a conversation, if at all.
    pub native: Option<NativeTools>,
    /// Whether its models read pictures, where nothing better is known.
    pub images: bool,
    /// Fields that stand in every body besides, under names that are not used otherwise.
    pub extra: Map<String, Value>,
    /// What is known of single models; the first row that fits and knows a thing counts.
    pub models: Vec<ModelRow>,
    /// Whether it runs on the person's own machine by default.
    pub local: bool,
}

/// Every provider that can be named, in the order they are listed to people.
pub static PROFILES: LazyLock<Vec<Profile>> = LazyLock::new(rows::all);

impl Profile {
    /// The row of `provider`, if there is one.
    pub fn of(provider: &str) -> Option<&'static Profile> {
        PROFILES.iter().find(|profile| profile.provider == provider)
    }

    /// Tokens of a request to `model` and its reply together.
    pub fn window_of(&self, model: &str) -> u32 {
        self.known(model, |row| row.window_tokens).unwrap_or(self.window_tokens)
    }

    /// Whether `model` reads pictures.
    pub fn reads_images(&self, model: &str) -> bool {
        self.known(model, |row| row.images).unwrap_or(self.images)
    }

    /// How tools can be revealed to `model` in the middle of a conversation, if at all.
    pub fn native_of(&self, model: &str) -> Option<NativeTools> {
        self.known(model, |row| row.native).unwrap_or(self.native)
    }

    /// What becomes of the thoughts of `model`.
    pub fn reasoning_of(&self, model: &str) -> Reasoning {
        self.known(model, |row| row.reasoning).unwrap_or(self.reasoning)
    }

    /// What `model` costs, if that is known.
    pub fn price_of(&self, model: &str) -> Option<&Price> {
        let rows = self.models.iter().filter(|row| row.fits(model));
        rows.filter_map(|row| row.price.as_ref()).next()
    }

    fn known<T: Copy>(&self, model: &str, fact: impl Fn(&ModelRow) -> Option<T>) -> Option<T> {
        self.models.iter().filter(|row| row.fits(model)).find_map(fact)
    }
}

impl ModelRow {
    /// Whether the pattern fits the whole name, without regard to case.
    pub fn fits(&self, model: &str) -> bool {
        fits(&self.pattern.to_lowercase(), &model.to_lowercase())
    }
}

/// The first part must stand at the beginning, the last at the end, and the others in their order between.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(first) else { return false };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        let Some((_, after)) = name.split_once(part) else { return false };
        name = after;
    }
    name.ends_with(last)
}

#[cfg(test)]
mod tests;
