use std::sync::LazyLock;

use winclaw_model::Format;

use super::{Arguments, CallIds, Continued, Dialect, Finish, Index, UsageAt, UsageShape, Vendor, Voice};
use crate::rules::{Contents, Enums, Limit, Names, Pictures, Root, Rules, SchemaRules, Thoughts, Unique};

/// Every vendor, in the order of `winclaw_model::PROFILES`.
///
/// A rule is a vendor's own where its row names a source. Rules without a source are "here": all rows demand a result
/// for each call right after it, ids that differ within a message, arguments that are an object in JSON, and tools whose
/// names differ, since some vendor does and a client that holds it for all is safe.
pub static VENDORS: LazyLock<Vec<Vendor>> = LazyLock::new(|| {
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
});

const THREE_ROLES: &[&str] = &["system", "user", "assistant", "tool"];

/// The fields of a chat completions request that OpenAI documents and that a client of tools may need.
const OPENAI_FIELDS: &[&str] = &[
    "model",
    "messages",
    "stream",
    "stream_options",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "max_completion_tokens",
    "max_tokens",
    "temperature",
    "top_p",
    "stop",
    "n",
    "seed",
    "user",
    "reasoning_effort",
    "response_format",
    "metadata",
    "store",
    "service_tier",
    "prompt_cache_key",
    "frequency_penalty",
    "presence_penalty",
    "logprobs",
    "top_logprobs",
    "verbosity",
];

/// OpenAI, chat completions.
///
/// - Names: `^[a-zA-Z0-9_-]+$`, at most 64; refusals name `tools[N].function.name` (brekkylab/ailoy#109; the length is
///   the API reference's).
/// - At most 128 tools, `array_above_max_length` (vishalmysore/Tools4AI#16).
/// - Schemas: `type` is `object` and neither `oneOf`, `anyOf`, `allOf`, `enum` nor `not` stands at the top; `properties`
///   stands at the top, "object schema missing properties" (github/github-mcp-server#1548); an array says its items,
///   "array schema missing items" (sigoden/aichat#1049). `parameters` may be left out (API reference).
/// - Content may be `null`, empty or absent beside calls; `null` alone is refused (vercel/ai#13744).
/// - `max_tokens` is refused by the reasoning models, which want `max_completion_tokens` (API reference); for all here.
/// - Unknown fields are refused, "Unrecognized request argument supplied"; unknown fields of messages here.
/// - Ids of calls have at most 40 characters (agno-agi/agno#5382).
/// - `stream_options` only with `stream`, `parallel_tool_calls` only with `tools`.
fn openai() -> Vendor {
    Vendor {
        name: "openai",
        format: Format::Chat,
        base: "/v1",
        rules: Rules {
            schema: SchemaRules { properties: true, items: true, ..SchemaRules::default() },
            thoughts: Thoughts::Refused,
            limit: Limit::Completion,
            fields: Some(OPENAI_FIELDS),
            longest_id: 40,
            ..Rules::default()
        },
        voice: Voice::OpenAi,
        dialect: Dialect::default(),
    }
}

/// OpenAI, Responses. Its rules stand in `rules/responses.rs`; names, number and schemas of tools as in [`openai`], with
/// places like `tools[N].parameters` (kevinwatt/mysql-mcp#5).
fn openai_responses() -> Vendor {
    Vendor { name: "openai-responses", format: Format::Responses, voice: Voice::Responses, ..openai() }
}

/// Anthropic, Messages. Its rules stand in `rules/messages.rs`.
///
/// - Names: `^[a-zA-Z0-9_-]{1,128}$`, refusals name `tools.N.custom.name`.
/// - Schemas: JSON Schema draft 2020-12, refused as `tools.N.custom.input_schema: JSON schema is invalid`
///   (anthropics/claude-code#63673); no `oneOf`, `allOf` or `anyOf` at the top (home-assistant/core#181282).
/// - Unknown fields: "Extra inputs are not permitted" (RooCodeInc/Roo-Code#11429).
/// - Busy is 429 with `retry-after`, overloaded is 529 `overloaded_error`, and both may come as an event inside a stream
///   (docs.claude.com/en/api/errors; anthropics/anthropic-sdk-python#1258).
fn anthropic() -> Vendor {
    Vendor { name: "anthropic", format: Format::Messages, base: "", voice: Voice::Anthropic, ..openai() }
}

/// DeepSeek (api-docs.deepseek.com/api/create-chat-completion and /guides/thinking_mode).
///
/// - Names as OpenAI's, refused in its words with no `param` (nikkigallery/Whimbox#61); at most 128 functions.
/// - Schemas: `got 'type: null'` when the type at the top is missing (Kilo-Org/kilocode#12237); choices beside it are
///   taken (14790897/MiqroForge-Desktop#1165); `required: null` is refused (esengine/DeepSeek-Reasonix#4086).
/// - Thinking is on unless turned off, and then `reasoning_content` must come back with calls
///   (wavetermdev/waveterm#3266).
/// - Content: a missing field is refused (pig-mesh/deepseek4j#40), and so is a list (tailcallhq/forgecode#2008), which
///   means no pictures. `null` is documented as nullable.
/// - Roles: an unknown one is answered with the list of the four known (crazyyanchao/llmcompiler#1).
/// - Replies: comments `: keep-alive` while it waits (api-docs.deepseek.com/quick_start/rate_limit), cached tokens as
///   `prompt_cache_hit_tokens`, counts beside the last choice.
fn deepseek() -> Vendor {
    Vendor {
        name: "deepseek",
        base: "",
        rules: Rules {
            schema: SchemaRules { root: Root::Object, ..SchemaRules::default() },
            content: Contents { absent: false, ..Contents::ANY },
            thoughts: Thoughts::Demanded,
            roles: THREE_ROLES,
            pictures: Pictures::Refused,
            ..Rules::default()
        },
        voice: Voice::DeepSeek,
        dialect: Dialect {
            usage_at: UsageAt::LastPiece,
            usage: UsageShape::DeepSeek,
            comment: Some(": keep-alive"),
            empty_words: true,
            ..Dialect::default()
        },
        ..openai()
    }
}

/// Ollama's compatible endpoint, read in `openai/openai.go` of ollama/ollama at 00988753.
///
/// - Names are not checked; here, a schema says `object`. `properties` of booleans do not fit the Go type.
/// - Content that is no string is refused as `<nil>`; the source read takes it beside calls, but servers in use refuse
///   it there too (pydantic/pydantic-ai#5206, SAIL-Research-Lab/cheetahclaws#71), and so does this row.
/// - Pictures: `data:` URLs of jpeg, jpg, png and webp.
/// - Unknown fields are passed over; thoughts are `reasoning`.
/// - Replies: the whole arguments in one piece, index 0 for every call (NousResearch/hermes-agent#3468), no cached
///   tokens.
fn ollama() -> Vendor {
    Vendor {
        name: "ollama",
        rules: Rules {
            names: Names { letter_first: false, also: None, shortest: 1, longest: usize::MAX },
            max_tools: usize::MAX,
            schema: SchemaRules { root: Root::Object, booleans: false, ..SchemaRules::default() },
            content: Contents { null: false, empty: true, absent: false },
            stream_options_anyhow: true,
            pictures: Pictures::Inline(&["image/jpeg", "image/jpg", "image/png", "image/webp"]),
            ..Rules::default()
        },
        voice: Voice::Ollama,
        dialect: Dialect {
            thoughts: "reasoning",
            index: Index::Zero,
            arguments: Arguments::Whole,
            usage: UsageShape::Plain,
            empty_words: true,
            ..Dialect::default()
        },
        ..openai()
    }
}

/// LM Studio's compatible endpoint.
///
/// - Schemas: `type` is `object`, refused as a list of problems with the path `[N, "function", "parameters", "type"]`
///   (docker/docker-agent#278), and `properties` stands at the top (elie222/rakazo#851).
/// - Content: `null` is refused, "'content' field must be a string or an array of objects"
///   (lmstudio-ai/lmstudio-bug-tracker#261); absent here.
/// - Replies: ids of nine digits (QwenLM/qwen-code#176); a small model's call may come as text.
fn lmstudio() -> Vendor {
    Vendor {
        name: "lmstudio",
        rules: Rules {
            max_tools: usize::MAX,
            schema: SchemaRules { optional: false, root: Root::Object, properties: true, ..SchemaRules::default() },
            content: Contents { null: false, empty: true, absent: false },
            stream_options_anyhow: true,
            pictures: Pictures::Inline(&[]),
            ..Rules::default()
        },
        voice: Voice::LmStudio,
        dialect: Dialect { ids: CallIds::Digits, usage: UsageShape::Plain, empty_words: true, ..Dialect::default() },
        ..openai()
    }
}

/// OpenRouter, with OpenAI's rules behind it (openrouter.ai/docs/api/reference/errors-and-debugging and /streaming).
///
/// - What the server behind it refuses comes as "Provider returned error" with the refusal in `metadata.raw`
///   (xinnan-tech/xiaozhi-esp32-server#1466, tailcallhq/forgecode#1359).
/// - Busy is 429 or 503 with `Retry-After` in seconds; an error in a stream is an event with `finish_reason: "error"`.
/// - Replies: comments `: OPENROUTER PROCESSING`, thoughts as `reasoning` and `reasoning_details`, `usage.cost`. Fields are
///   not checked.
fn openrouter() -> Vendor {
    Vendor {
        name: "openrouter",
        base: "/api/v1",
        rules: Rules { thoughts: Thoughts::Allowed, limit: Limit::Either, fields: None, ..openai().rules },
        voice: Voice::OpenRouter,
        dialect: Dialect {
            thoughts: "reasoning",
            details: true,
            comment: Some(": OPENROUTER PROCESSING"),
            usage: UsageShape::Cost,
            usage_at: UsageAt::LastPiece,
            empty_words: true,
            ..Dialect::default()
        },
        ..openai()
    }
}

/// The keywords of a schema that Gemini knows (ai.google.dev/api/caching#Schema).
const GEMINI_KEYWORDS: &[&str] = &[
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "default",
    "enum",
    "example",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "propertyOrdering",
    "required",
    "minProperties",
    "maxProperties",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "anyOf",
];

/// Gemini's compatible endpoint (ai.google.dev/gemini-api/docs/openai).
///
/// - Names begin with a letter or `_` and may hold `.` and `:`; at most 64 (su-kaka/gcli2api#146).
/// - At most 512 functions (google-gemini/gemini-cli#19083); the same name twice is refused (googleapis/dotnet-genai#189).
/// - Schemas are protocol buffers: an unknown keyword refuses the whole request, also `$schema`, `additionalProperties`,
///   `const`, `exclusiveMinimum` (openswarm-ai/openswarm#24, pizza-bot-app/pizza-bot#62); every schema has a type, which is
///   no list (danny-avila/LibreChat#6971); `properties` and `required` stand only in objects (anomalyco/opencode#11888); an
///   array says its items (cline/cline#7339); a string's format is `enum` or `date-time` (firebase.google.com/docs/reference/js/ai.schemashared);
///   values of `enum` are strings, and what is required is a property: these two here. An object without properties was
///   refused until 2025 (FoundationAgents/OpenManus#866) and is taken since (bug-ops/zeph#1641).
/// - Unknown fields are refused, also `parallel_tool_calls` (jackmpcollins/magentic#382).
/// - The first call of each message of the current turn carries `extra_content.google.thought_signature` as it came
///   (ai.google.dev/gemini-api/docs/thought-signatures; discuss.ai.google.dev/t/109823). Documented for Gemini 3; for all
///   models here.
/// - A wrong key is status 400, "API key not valid"; bodies of errors are lists.
/// - Replies: no index, whole arguments (THU-MAIC/OpenMAIC#1556), `finish_reason: "stop"` with calls in streams
///   (googleapis/python-genai#2868), no cached tokens.
fn gemini() -> Vendor {
    Vendor {
        name: "gemini",
        base: "/v1beta/openai",
        rules: Rules {
            names: Names { letter_first: true, also: Some(".:"), shortest: 1, longest: 64 },
            max_tools: 512,
            schema: SchemaRules {
                root: Root::Object,
                placed: true,
                items: true,
                typed: true,
                type_lists: false,
                booleans: false,
                keywords: Some(GEMINI_KEYWORDS),
                formats: Some(&["enum", "date-time"]),
                enums: Enums::Texts,
                required_known: true,
                ..SchemaRules::default()
            },
            thoughts: Thoughts::Refused,
            parallel_tool_calls: false,
            fields: Some(OPENAI_FIELDS),
            signatures: true,
            ..Rules::default()
        },
        voice: Voice::Gemini,
        dialect: Dialect {
            index: Index::Missing,
            arguments: Arguments::Whole,
            finish: Finish::StopInStreams,
            signatures: true,
            usage: UsageShape::Plain,
            usage_at: UsageAt::LastPiece,
            ..Dialect::default()
        },
        ..openai()
    }
}

/// DashScope's compatible endpoint (help.aliyun.com/zh/model-studio/qwen-function-calling).
///
/// - Arguments of calls must be JSON (HKUDS/nanobot#2469), results must answer calls (sigoden/aichat#993), and calls must
///   be answered (QwenLM/qwen-code#315).
/// - Schemas: an empty one is taken, as in the vendor's own examples; names and number of tools are not documented there,
///   and as OpenAI's here.
/// - Open Qwen3 models think only in streams; without one `enable_thinking` must be false (alibaba/spring-ai-alibaba#867).
/// - Replies: id and name empty in the pieces after a call's first (examples of the vendor's page).
fn qwen() -> Vendor {
    Vendor {
        name: "qwen",
        base: "/compatible-mode/v1",
        rules: Rules {
            schema: SchemaRules { root: Root::ObjectOrNothing, ..SchemaRules::default() },
            roles: THREE_ROLES,
            thinking_streams: true,
            ..Rules::default()
        },
        voice: Voice::Qwen,
        dialect: Dialect { continued: Continued::Empty, gap: "", ..Dialect::default() },
        ..openai()
    }
}

/// The keywords of Moonshot's flavour of JSON Schema (MoonshotAI/walle, docs/mfjs-walle-vs-draft-2020-12.md).
const KIMI_KEYWORDS: &[&str] = &[
    "$id",
    "$ref",
    "$defs",
    "anyOf",
    "properties",
    "additionalProperties",
    "items",
    "type",
    "enum",
    "maxLength",
    "minLength",
    "maximum",
    "minimum",
    "required",
    "maxItems",
    "minItems",
    "title",
    "description",
    "default",
];

/// Moonshot (platform.kimi.ai/docs/api/tool-use and /api/chat).
///
/// - Names: a letter or `_` in front, "function name is invalid" else (MoonshotAI/kimi-cli#2531, #1773), and at most 64
///   characters, or 128 by the reference of the K3 models; the shorter holds here. At most 128 functions.
/// - Schemas: Moonshot's flavour. Refused in the field: `type` beside `anyOf` (MoonshotAI/kimi-cli#2531) and beside `$ref`
///   (router-for-me/CLIProxyAPI#5316), booleans for schemas (can1357/oh-my-pi#5952), references that lead anywhere but
///   `#/$defs/` (CommandCodeAI/command-code#594), no type at the top (14790897/MiqroForge-Desktop#1165). The rest, known
///   keywords and a type everywhere, is what MoonshotAI/walle says (docs/walle.md); the server is laxer at times.
/// - Thinking is on, and `reasoning_content` must come back with calls (mastra-ai/mastra#12592); an empty one counts as
///   none (theopenco/llmgateway#2093).
/// - Content: a list with an empty text beside calls is refused, "text content is empty", while `""` is taken
///   (BerriAI/litellm#42199, MoonshotAI/kimi-cli#2035); a message that neither says nor calls anything is refused
///   (AstrBotDevs/AstrBot#7200).
/// - Ids of calls differ over the whole conversation (openclaw/openclaw#51155), though it gives out `name:0` again
///   (QwenLM/qwen-code#8382).
/// - Pictures stand in the message (platform.kimi.ai/docs/api/chat).
/// - Replies: token counts in the last choice, cached ones as `cached_tokens`.
fn kimi() -> Vendor {
    Vendor {
        name: "kimi",
        rules: Rules {
            names: Names { letter_first: true, also: Some(""), shortest: 1, longest: 64 },
            schema: SchemaRules {
                optional: false,
                root: Root::Object,
                typed: true,
                type_beside: false,
                booleans: false,
                keywords: Some(KIMI_KEYWORDS),
                only_at_top: &["$defs", "$id"],
                enums: Enums::OneKind,
                required_known: true,
                near_references: true,
                ..SchemaRules::default()
            },
            thoughts: Thoughts::Spoken,
            roles: THREE_ROLES,
            pictures: Pictures::Inline(&[]),
            unique: Unique::InConversation,
            ..Rules::default()
        },
        voice: Voice::Kimi,
        dialect: Dialect {
            ids: CallIds::ByName,
            usage_at: UsageAt::LastChoice,
            usage: UsageShape::Kimi,
            empty_words: true,
            ..Dialect::default()
        },
        ..openai()
    }
}

/// Zhipu (docs.bigmodel.cn/api-reference, docs.z.ai/api-reference/llm/chat-completion).
///
/// - At most 128 functions; names as OpenAI's (the reference).
/// - At least one message is the person's (anomalyco/opencode#2557), a message says or calls something
///   (songquanpeng/one-api#1153), and the id of a call does not come again (MetaGLM/zhipuai-sdk-python-v4#14).
/// - Errors are `{"error": {"code", "message"}}` with codes like `1214` and no place (lobehub/lobehub#11408).
/// - Schemas: nothing found, `type` is `object` here.
/// - Replies: the whole arguments in one piece unless `tool_stream` is asked for (the reference), counts in the last piece.
fn glm() -> Vendor {
    Vendor {
        name: "glm",
        base: "/api/paas/v4",
        rules: Rules {
            schema: SchemaRules { root: Root::Object, ..SchemaRules::default() },
            roles: THREE_ROLES,
            unique: Unique::InConversation,
            person: true,
            stream_options_anyhow: true,
            ..Rules::default()
        },
        voice: Voice::Glm,
        dialect: Dialect {
            arguments: Arguments::Whole,
            usage_at: UsageAt::LastPiece,
            empty_words: true,
            ..Dialect::default()
        },
        ..openai()
    }
}
