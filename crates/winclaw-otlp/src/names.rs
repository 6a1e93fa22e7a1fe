//! Names of the OpenTelemetry semantic conventions for generative AI, as of November 2026 (`open-telemetry/semantic-conventions-genai`,
//! `docs/gen-ai/gen-ai-spans.md`, `gen-ai-agent-spans.md` and `execute-tool.md`, status Development), and our own.

pub(crate) const SERVICE: &str = "winclaw";

pub(crate) const OPERATION: &str = "gen_ai.operation.name";
pub(crate) const PROVIDER: &str = "gen_ai.provider.name";
pub(crate) const MODEL: &str = "gen_ai.request.model";
pub(crate) const AGENT: &str = "gen_ai.agent.name";
pub(crate) const AGENT_VERSION: &str = "gen_ai.agent.version";
pub(crate) const CONVERSATION: &str = "gen_ai.conversation.id";
pub(crate) const FINISH: &str = "gen_ai.response.finish_reasons";
pub(crate) const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
pub(crate) const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
pub(crate) const CACHED_TOKENS: &str = "gen_ai.usage.cache_read.input_tokens";
pub(crate) const INPUT_MESSAGES: &str = "gen_ai.input.messages";
pub(crate) const TOOL: &str = "gen_ai.tool.name";
pub(crate) const TOOL_TYPE: &str = "gen_ai.tool.type";
pub(crate) const TOOL_CALL: &str = "gen_ai.tool.call.id";
pub(crate) const TOOL_ARGUMENTS: &str = "gen_ai.tool.call.arguments";
pub(crate) const ERROR: &str = "error.type";

/// The conventions' name of a provider of ours; ours where they have none.
pub(crate) fn provider(ours: &str) -> &str {
    match ours {
        "openai-responses" => "openai",
        "gemini" => "gcp.gemini",
        "kimi" => "moonshot_ai",
        other => other,
    }
}
