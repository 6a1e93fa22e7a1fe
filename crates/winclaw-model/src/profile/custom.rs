use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{EmptyContent, Profile, Reasoning};
use crate::Format;

/// What a configured provider has otherwise than the one it is like. What is absent stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProfileOverrides {
    /// The wire format: `chat`, `messages` or `responses`.
    pub format: Option<Format>,
    /// Where it is reached.
    pub base_url: Option<String>,
    /// The environment variable that holds the key; `NAME_API_KEY` when absent.
    pub key_variable: Option<String>,
    /// Whether a key is needed; no when absent.
    pub key_required: Option<bool>,
    /// The model used when none was named.
    pub default_model: Option<String>,
    /// `null`, `empty` or `omit`.
    pub empty_content: Option<EmptyContent>,
    /// `drop`, `keep`, `words`, `echo` or `empty`.
    pub reasoning: Option<Reasoning>,
    /// The field of the thoughts, such as `reasoning_content`.
    pub reasoning_field: Option<String>,
    /// Tokens of a request and its reply together.
    pub window_tokens: Option<u32>,
    /// The most tools.
    pub max_tools: Option<usize>,
    /// The most tokens of a reply.
    pub max_output: Option<u32>,
    /// The field in which that is sent, `max_tokens` or `max_completion_tokens`.
    pub max_output_field: Option<String>,
    /// What is sent as `parallel_tool_calls`.
    pub parallel_tool_calls: Option<bool>,
    /// Whether `stream_options` is understood.
    pub stream_options: Option<bool>,
    /// The longest tool name, in characters.
    pub longest_name: Option<usize>,
    /// Whether its models read pictures.
    pub images: Option<bool>,
    /// Fields that stand in every body besides.
    pub extra: Option<Map<String, Value>>,
}

impl Profile {
    /// A provider of the person's own, which speaks as `like` does but for `overrides`.
    ///
    /// Its variables are `NAME_BASE_URL` and `NAME_API_KEY`, with `name` in capitals and every other character as `_`.
    /// It needs no key unless told so, and what is known of single models of `like` does not count for it.
    pub fn custom(name: &str, like: &Profile, overrides: ProfileOverrides) -> Profile {
        let variable = |end: &str| format!("{}_{end}", capitals(name)).into();
        let mut profile = Profile {
            provider: name.to_owned().into(),
            base_url_variable: variable("BASE_URL"),
            key_variable: variable("API_KEY"),
            key_required: false,
            default_model: None,
            models: Vec::new(),
            ..like.clone()
        };
        profile.put(overrides);
        profile
    }

    fn put(&mut self, given: ProfileOverrides) {
        set(&mut self.format, given.format);
        set(&mut self.base_url, given.base_url.map(Into::into));
        set(&mut self.key_variable, given.key_variable.map(Into::into));
        set(&mut self.key_required, given.key_required);
        set(&mut self.default_model, given.default_model.map(|name| Some(name.into())));
        set(&mut self.empty_content, given.empty_content);
        set(&mut self.reasoning, given.reasoning);
        set(&mut self.reasoning_field, given.reasoning_field.map(Into::into));
        set(&mut self.window_tokens, given.window_tokens);
        set(&mut self.max_tools, given.max_tools);
        set(&mut self.max_output, given.max_output.map(Some));
        set(&mut self.max_output_field, given.max_output_field.map(Into::into));
        set(&mut self.parallel_tool_calls, given.parallel_tool_calls.map(Some));
        set(&mut self.stream_options, given.stream_options);
        set(&mut self.names.longest, given.longest_name.map(|longest| longest.clamp(16, 128)));
        set(&mut self.images, given.images);
        set(&mut self.extra, given.extra);
    }
}

fn set<T>(field: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *field = given;
    }
}

fn capitals(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
}
