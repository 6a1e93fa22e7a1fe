use super::{EmptyContent, NameRule, Profile, Reasoning, SchemaRule};
use crate::{Format, NativeTools};

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

const OPEN: SchemaRule = SchemaRule {
    keywords: None,
    formats: None,
    choices_at_top: false,
    type_lists: true,
    type_beside_any_of: true,
    enum_of_anything: true,
    refs: true,
};

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
        names: NameRule { longest: 64, letter_first: false },
        schema: OPEN,
        native: None,
        images: true,
        models: Vec::new(),
        local: false,
    }
}

fn openai_responses() -> Profile {
    Profile {
        provider: "openai-responses".into(),
        format: Format::Responses,
        default_model: None,
        native: Some(NativeTools::SearchResult),
        ..openai()
    }
}

/// The window is that of every model that knows deferred tools, the number of tools the documented limit.
fn anthropic() -> Profile {
    Profile {
        provider: "anthropic".into(),
        format: Format::Messages,
        base_url: "https://api.anthropic.com".into(),
        base_url_variable: "ANTHROPIC_BASE_URL".into(),
        key_variable: "ANTHROPIC_API_KEY".into(),
        default_model: None,
        window_tokens: 200_000,
        max_tools: 10_000,
        native: Some(NativeTools::References),
        ..openai()
    }
}

fn deepseek() -> Profile {
    Profile {
        provider: "deepseek".into(),
        base_url: "https://api.deepseek.com".into(),
        base_url_variable: "DEEPSEEK_BASE_URL".into(),
        key_variable: "DEEPSEEK_API_KEY".into(),
        default_model: Some("deepseek-chat".into()),
        empty_content: EmptyContent::Empty,
        reasoning: Reasoning::Keep,
        images: false,
        ..openai()
    }
}

fn ollama() -> Profile {
    Profile {
        provider: "ollama".into(),
        base_url: "http://127.0.0.1:11434/v1".into(),
        base_url_variable: "OLLAMA_BASE_URL".into(),
        key_variable: "OLLAMA_API_KEY".into(),
        ..local()
    }
}

fn lmstudio() -> Profile {
    Profile {
        provider: "lmstudio".into(),
        base_url: "http://127.0.0.1:1234/v1".into(),
        base_url_variable: "LMSTUDIO_BASE_URL".into(),
        key_variable: "LMSTUDIO_API_KEY".into(),
        ..local()
    }
}

fn local() -> Profile {
    Profile {
        key_required: false,
        default_model: None,
        empty_content: EmptyContent::Empty,
        window_tokens: 32_768,
        images: false,
        local: true,
        ..openai()
    }
}

fn openrouter() -> Profile {
    Profile {
        provider: "openrouter".into(),
        base_url: "https://openrouter.ai/api/v1".into(),
        base_url_variable: "OPENROUTER_BASE_URL".into(),
        key_variable: "OPENROUTER_API_KEY".into(),
        default_model: None,
        reasoning: Reasoning::Echo,
        reasoning_field: "reasoning".into(),
        ..openai()
    }
}

fn gemini() -> Profile {
    Profile {
        provider: "gemini".into(),
        base_url: "https://generativelanguage.googleapis.com/v1beta/openai".into(),
        base_url_variable: "GEMINI_BASE_URL".into(),
        key_variable: "GEMINI_API_KEY".into(),
        default_model: None,
        names: NameRule { longest: 64, letter_first: true },
        ..openai()
    }
}

fn qwen() -> Profile {
    Profile {
        provider: "qwen".into(),
        base_url: "https://dashscope.aliyuncs.com/compatible-mode/v1".into(),
        base_url_variable: "DASHSCOPE_BASE_URL".into(),
        key_variable: "DASHSCOPE_API_KEY".into(),
        default_model: None,
        empty_content: EmptyContent::Empty,
        ..openai()
    }
}

fn kimi() -> Profile {
    Profile {
        provider: "kimi".into(),
        base_url: "https://api.moonshot.cn/v1".into(),
        base_url_variable: "MOONSHOT_BASE_URL".into(),
        key_variable: "MOONSHOT_API_KEY".into(),
        default_model: None,
        names: NameRule { longest: 64, letter_first: true },
        ..openai()
    }
}

fn glm() -> Profile {
    Profile {
        provider: "glm".into(),
        base_url: "https://open.bigmodel.cn/api/paas/v4".into(),
        base_url_variable: "ZHIPUAI_BASE_URL".into(),
        key_variable: "ZHIPUAI_API_KEY".into(),
        default_model: None,
        ..openai()
    }
}
