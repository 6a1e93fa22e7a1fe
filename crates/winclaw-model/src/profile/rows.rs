use super::facts::{self, MESSAGES, MOONSHOT, OPEN, OPENAPI};
use super::{EmptyContent, NameRule, Profile, Reasoning};
use crate::{Format, NativeTools};

/// Which tool names OpenAI takes (function calling guide: `a-z`, `A-Z`, `0-9`, `_` and `-`, at most 64). Anthropic,
/// DeepSeek, GLM and Qwen document the same.
const NAMES: NameRule = NameRule { longest: 64, marks: "_-", letter_first: false };

/// The rows in the order they are listed to people.
pub(super) fn all() -> Vec<Profile> {
    vec![
        openai(),
        deepseek(),
        ollama(),
        lmstudio(),
        anthropic(),
        openai_responses(),
        openrouter(),
        gemini(),
        qwen(),
        kimi(),
        glm(),
    ]
}

/// OpenAI's chat completions. At most 128 tools ("array too long" otherwise); `content` of a message that only calls is
/// `null` as the API itself writes it; `max_tokens` is deprecated for `max_completion_tokens` (API reference).
fn openai() -> Profile {
    Profile {
        provider: "openai".into(),
        format: Format::Chat,
        base_url: "https://api.openai.com/v1".into(),
        base_url_variable: "OPENAI_BASE_URL".into(),
        key_variable: "OPENAI_API_KEY".into(),
        key_required: true,
        default_model: Some("gpt-5-mini".into()),
        empty_content: EmptyContent::Null,
        reasoning: Reasoning::Drop,
        reasoning_field: "reasoning_content".into(),
        window_tokens: 128_000,
        max_tools: 128,
        max_output: None,
        max_output_field: "max_completion_tokens".into(),
        parallel_tool_calls: None,
        stream_options: true,
        signatures: false,
        reasoning_details: false,
        names: NAMES,
        schema: OPEN,
        native: None,
        images: true,
        extra: serde_json::Map::new(),
        models: facts::openai(),
        local: false,
    }
}

/// OpenAI's Responses. Tool search by the client is documented for GPT-5.4 and later (guide "Tool search").
fn openai_responses() -> Profile {
    Profile {
        provider: "openai-responses".into(),
        format: Format::Responses,
        default_model: None,
        native: Some(NativeTools::SearchResult),
        models: facts::responses(),
        ..openai()
    }
}

/// Anthropic's Messages. 10 000 tools is the documented limit with deferred ones (guide "Tool search tool"). The window
/// where nothing better is known is that of every model that knows deferred tools.
fn anthropic() -> Profile {
    Profile {
        provider: "anthropic".into(),
        format: Format::Messages,
        base_url: "https://api.anthropic.com".into(),
        base_url_variable: "ANTHROPIC_BASE_URL".into(),
        key_variable: "ANTHROPIC_API_KEY".into(),
        default_model: Some("claude-sonnet-5-5".into()),
        window_tokens: 200_000,
        max_tools: 10_000,
        schema: MESSAGES,
        native: Some(NativeTools::References),
        models: facts::anthropic(),
        ..openai()
    }
}

/// DeepSeek. Thinking is on unless it is switched off, and then a message with calls needs `reasoning_content` in all
/// later requests, or the server answers 400 (api-docs.deepseek.com/guides/thinking_mode). `max_tokens` and at most 128
/// functions (API reference). `deepseek-chat` was retired on 2026-07-24; `deepseek-flash` is the name to use
/// (quick_start/pricing, read 2026-11).
fn deepseek() -> Profile {
    Profile {
        provider: "deepseek".into(),
        base_url: "https://api.deepseek.com".into(),
        base_url_variable: "DEEPSEEK_BASE_URL".into(),
        key_variable: "DEEPSEEK_API_KEY".into(),
        default_model: Some("deepseek-flash".into()),
        empty_content: EmptyContent::Empty,
        reasoning: Reasoning::Keep,
        max_output_field: "max_tokens".into(),
        window_tokens: 1_000_000,
        images: false,
        models: facts::deepseek(),
        ..openai()
    }
}

/// Ollama's OpenAI-compatible endpoint (docs/openai.md of ollama/ollama).
fn ollama() -> Profile {
    Profile {
        provider: "ollama".into(),
        base_url: "http://127.0.0.1:11434/v1".into(),
        base_url_variable: "OLLAMA_BASE_URL".into(),
        key_variable: "OLLAMA_API_KEY".into(),
        ..local()
    }
}

/// LM Studio's OpenAI-compatible endpoint (lmstudio.ai/docs/developer/openai-compat).
fn lmstudio() -> Profile {
    Profile {
        provider: "lmstudio".into(),
        base_url: "http://127.0.0.1:1234/v1".into(),
        base_url_variable: "LMSTUDIO_BASE_URL".into(),
        key_variable: "LMSTUDIO_API_KEY".into(),
        ..local()
    }
}

/// What servers on this machine have in common. Many chat templates fail on `null` content. Neither server bounds the
/// number of tools; the bound is what fits a small window.
fn local() -> Profile {
    Profile {
        key_required: false,
        default_model: None,
        empty_content: EmptyContent::Empty,
        max_output_field: "max_tokens".into(),
        window_tokens: 32_768,
        images: false,
        models: facts::local(),
        local: true,
        ..openai()
    }
}

/// OpenRouter. Thoughts come as `reasoning` and, whole, as `reasoning_details`; the latter must come back unchanged for
/// models that go on thinking between calls (openrouter.ai/docs, "Preserving reasoning blocks"). It says itself what a
/// reply cost (`usage.cost`, in US dollars).
fn openrouter() -> Profile {
    Profile {
        provider: "openrouter".into(),
        base_url: "https://openrouter.ai/api/v1".into(),
        base_url_variable: "OPENROUTER_BASE_URL".into(),
        key_variable: "OPENROUTER_API_KEY".into(),
        default_model: None,
        reasoning: Reasoning::Echo,
        reasoning_field: "reasoning".into(),
        reasoning_details: true,
        max_output_field: "max_tokens".into(),
        names: NameRule { letter_first: true, ..NAMES },
        models: facts::openrouter(),
        ..openai()
    }
}

/// Gemini's OpenAI-compatible endpoint (ai.google.dev/gemini-api/docs/openai). Names begin with a letter or `_`
/// (`FunctionDeclaration.name`). Gemini 3 refuses a call in the history that has lost its thought signature
/// (gemini-api/docs/thought-signatures); this endpoint carries it in `extra_content.google` of the call.
fn gemini() -> Profile {
    Profile {
        provider: "gemini".into(),
        base_url: "https://generativelanguage.googleapis.com/v1beta/openai".into(),
        base_url_variable: "GEMINI_BASE_URL".into(),
        key_variable: "GEMINI_API_KEY".into(),
        default_model: Some("gemini-3.8-flash".into()),
        empty_content: EmptyContent::Omit,
        signatures: true,
        max_output_field: "max_tokens".into(),
        window_tokens: 1_048_576,
        names: NameRule { letter_first: true, ..NAMES },
        schema: OPENAPI,
        models: facts::gemini(),
        ..openai()
    }
}

/// Qwen on DashScope's compatible endpoint in Beijing (help.aliyun.com/zh/model-studio/qwen-api-reference):
/// `parallel_tool_calls` is understood and off by default, so it is asked for; thoughts need not come back.
fn qwen() -> Profile {
    Profile {
        provider: "qwen".into(),
        base_url: "https://dashscope.aliyuncs.com/compatible-mode/v1".into(),
        base_url_variable: "DASHSCOPE_BASE_URL".into(),
        key_variable: "DASHSCOPE_API_KEY".into(),
        default_model: Some("qwen3.7-plus".into()),
        empty_content: EmptyContent::Empty,
        max_output_field: "max_tokens".into(),
        parallel_tool_calls: Some(true),
        window_tokens: 131_072,
        images: false,
        models: facts::qwen(),
        ..openai()
    }
}

/// Kimi (Moonshot). Names match `^[a-zA-Z_][a-zA-Z0-9-_]{0,127}$`, formerly up to 64 characters (platform.kimi.ai, tool
/// use); schemas are "Moonshot flavored" (MoonshotAI/walle, docs/mfjs-spec.md); at most 128 tools. Its models think, and
/// want their `reasoning_content` back: with calls, where an empty one counts as missing (earendil-works/pi#4251), and
/// newer ones in every message (MoonshotAI/kimi-cli#2498).
fn kimi() -> Profile {
    Profile {
        provider: "kimi".into(),
        base_url: "https://api.moonshot.ai/v1".into(),
        base_url_variable: "MOONSHOT_BASE_URL".into(),
        key_variable: "MOONSHOT_API_KEY".into(),
        default_model: Some("kimi-k3".into()),
        empty_content: EmptyContent::Empty,
        reasoning: Reasoning::Words,
        window_tokens: 262_144,
        names: NameRule { letter_first: true, ..NAMES },
        schema: MOONSHOT,
        models: facts::kimi(),
        ..openai()
    }
}

/// GLM of Zhipu (docs.bigmodel.cn): only `max_tokens`, no `stream_options` (tokens are counted unasked), at most 128
/// functions; `reasoning_content` may come back and lets the model go on thinking between calls.
fn glm() -> Profile {
    Profile {
        provider: "glm".into(),
        base_url: "https://open.bigmodel.cn/api/paas/v4".into(),
        base_url_variable: "ZHIPUAI_BASE_URL".into(),
        key_variable: "ZHIPUAI_API_KEY".into(),
        default_model: Some("glm-5.3".into()),
        empty_content: EmptyContent::Empty,
        reasoning: Reasoning::Echo,
        max_output_field: "max_tokens".into(),
        stream_options: false,
        images: false,
        models: facts::glm(),
        ..openai()
    }
}
