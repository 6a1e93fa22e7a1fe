use crate::Format;

/// What stands in `content` of an assistant message that only calls tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmptyContent {
    /// `"content": null`.
    Null,
    /// `"content": ""`.
    Empty,
    /// No `content` at all.
    Omit,
}

/// What becomes of the model's thoughts in later requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reasoning {
    /// They are never sent back.
    Drop,
    /// They are sent back as `reasoning_content`; a message with calls always has the field, `""` when there were none.
    Keep,
}

/// How one provider is spoken to, and how its dialect differs. Plain data; a new provider is a new row of [`PROFILES`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The provider's name in `--model provider/name`.
    pub provider: &'static str,
    /// The wire format it speaks.
    pub format: Format,
    /// Where it is reached unless told otherwise; the format's path is appended.
    pub base_url: &'static str,
    /// The environment variable that moves it elsewhere.
    pub base_url_variable: &'static str,
    /// The environment variable that holds the key.
    pub key_variable: &'static str,
    /// Whether a key is needed at `base_url`. At another URL it never is.
    pub key_required: bool,
    /// The model used when a key is set and none was named; `None` when the provider has no such.
    pub default_model: Option<&'static str>,
    /// How an assistant message without words is written in chat completions.
    pub empty_content: EmptyContent,
    /// Whether thoughts are sent back in chat completions.
    pub reasoning: Reasoning,
    /// Tokens of a request and its reply together, where nothing better is known.
    pub window_tokens: u32,
    /// The most tools the tools array may hold.
    pub max_tools: usize,
    /// The most tokens of a reply, as it is sent; `None` leaves it to the vendor, or to [`crate::anthropic_body`], whose
    /// format demands a number.
    pub max_output: Option<u32>,
    /// What to send as `parallel_tool_calls` along with tools; `None` sends nothing and leaves it to the vendor.
    pub parallel_tool_calls: Option<bool>,
    /// Whether it runs on the person's own machine by default.
    pub local: bool,
}

const OPENAI: Profile = Profile {
    provider: "openai",
    format: Format::Chat,
    base_url: "https://api.openai.com/v1",
    base_url_variable: "OPENAI_BASE_URL",
    key_variable: "OPENAI_API_KEY",
    key_required: true,
    default_model: Some("gpt-5-mini"),
    empty_content: EmptyContent::Null,
    reasoning: Reasoning::Drop,
    window_tokens: 128_000,
    max_tools: 128,
    max_output: None,
    parallel_tool_calls: None,
    local: false,
};

/// Every provider that can be named, in the order they are listed to people.
pub const PROFILES: [Profile; 6] = [
    OPENAI,
    Profile {
        provider: "deepseek",
        base_url: "https://api.deepseek.com",
        base_url_variable: "DEEPSEEK_BASE_URL",
        key_variable: "DEEPSEEK_API_KEY",
        default_model: Some("deepseek-chat"),
        empty_content: EmptyContent::Empty,
        reasoning: Reasoning::Keep,
        ..OPENAI
    },
    Profile {
        provider: "ollama",
        base_url: "http://127.0.0.1:11434/v1",
        base_url_variable: "OLLAMA_BASE_URL",
        key_variable: "OLLAMA_API_KEY",
        key_required: false,
        default_model: None,
        empty_content: EmptyContent::Empty,
        window_tokens: 32_768,
        local: true,
        ..OPENAI
    },
    Profile {
        provider: "lmstudio",
        base_url: "http://127.0.0.1:1234/v1",
        base_url_variable: "LMSTUDIO_BASE_URL",
        key_variable: "LMSTUDIO_API_KEY",
        key_required: false,
        default_model: None,
        empty_content: EmptyContent::Empty,
        window_tokens: 32_768,
        local: true,
        ..OPENAI
    },
    // The window is that of every model that knows deferred tools, the number of tools the documented limit.
    Profile {
        provider: "anthropic",
        format: Format::Messages,
        base_url: "https://api.anthropic.com",
        base_url_variable: "ANTHROPIC_BASE_URL",
        key_variable: "ANTHROPIC_API_KEY",
        default_model: None,
        window_tokens: 200_000,
        max_tools: 10_000,
        ..OPENAI
    },
    Profile { provider: "openai-responses", format: Format::Responses, default_model: None, ..OPENAI },
];

impl Profile {
    /// The row of `provider`, if there is one.
    pub fn of(provider: &str) -> Option<&'static Profile> {
        static TABLE: [Profile; PROFILES.len()] = PROFILES;
        TABLE.iter().find(|profile| profile.provider == provider)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_is_found_by_its_name_and_stands_once() {
        for profile in &PROFILES {
            assert_eq!(Profile::of(profile.provider), Some(profile));
            assert_eq!(PROFILES.iter().filter(|other| other.provider == profile.provider).count(), 1);
        }
        assert_eq!(Profile::of("nobody"), None);
    }
}
