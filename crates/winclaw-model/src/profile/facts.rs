use super::{Enums, ModelRow, NameRule, SchemaRule};
use crate::{LongPrice, Price};

/// What takes nearly any JSON Schema but no choice at the top. OpenAI: "schema must have type 'object' and not have
/// 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level", "array schema missing items".
pub(super) const OPEN: SchemaRule = SchemaRule {
    keywords: None,
    formats: None,
    choices_at_top: false,
    type_lists: true,
    beside_any_of: None,
    type_demanded: false,
    items_demanded: true,
    enums: Enums::Any,
    refs: true,
    properties: None,
};

/// Anthropic: "input_schema does not support oneOf, allOf, or anyOf at the top level", and "Property keys should match
/// pattern '^[a-zA-Z0-9_.-]{1,64}$'".
pub(super) const MESSAGES: SchemaRule =
    SchemaRule { properties: Some(NameRule { longest: 64, marks: "_.-", letter_first: false }), ..OPEN };

/// Gemini's subset of OpenAPI's schema (ai.google.dev/api/caching#Schema), less what its endpoints are reported to
/// refuse (`default`, `title`, `example`, `additionalProperties`, anything beside `anyOf`). Its property names are those of the reference of
/// `FunctionDeclaration.parameters`.
pub(super) const OPENAPI: SchemaRule = SchemaRule {
    keywords: Some(&[
        "type",
        "format",
        "description",
        "nullable",
        "enum",
        "items",
        "minItems",
        "maxItems",
        "properties",
        "required",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "pattern",
        "anyOf",
    ]),
    formats: Some(&["enum", "date-time", "float", "double", "int32", "int64"]),
    choices_at_top: false,
    type_lists: false,
    beside_any_of: Some(&[]),
    type_demanded: true,
    items_demanded: true,
    enums: Enums::Texts,
    refs: false,
    properties: Some(NameRule { longest: 64, marks: "_", letter_first: true }),
};

/// Moonshot's subset (MoonshotAI/walle, docs/mfjs-spec.md). Its references are understood but refuse any keyword beside
/// them, so they are written out.
pub(super) const MOONSHOT: SchemaRule = SchemaRule {
    keywords: Some(&[
        "type",
        "description",
        "default",
        "enum",
        "items",
        "properties",
        "required",
        "additionalProperties",
        "anyOf",
    ]),
    formats: Some(&[]),
    choices_at_top: false,
    type_lists: false,
    beside_any_of: Some(&["description", "default"]),
    type_demanded: true,
    items_demanded: false,
    enums: Enums::OneKind,
    refs: false,
    properties: None,
};

fn row(pattern: &'static str) -> ModelRow {
    ModelRow { pattern: pattern.into(), ..ModelRow::default() }
}

fn window(pattern: &'static str, tokens: u32) -> ModelRow {
    ModelRow { window_tokens: Some(tokens), ..row(pattern) }
}

fn sees(pattern: &'static str) -> ModelRow {
    ModelRow { images: Some(true), ..row(pattern) }
}

fn blind(pattern: &'static str) -> ModelRow {
    ModelRow { images: Some(false), ..row(pattern) }
}

fn costs(pattern: &'static str, price: Price) -> ModelRow {
    ModelRow { price: Some(price), ..row(pattern) }
}

/// A price in thousandths of a dollar for a million tokens: fresh, cached, written anew, of the reply.
fn usd(input: u64, cached: u64, written: Option<u64>, output: u64) -> Price {
    Price {
        input: input * 1000,
        cached: cached * 1000,
        written: written.map(|written| written * 1000),
        output: output * 1000,
        long: None,
        currency: "USD".into(),
        as_of: "2026-11".into(),
    }
}

fn cny(input: u64, cached: u64, output: u64) -> Price {
    Price { currency: "CNY".into(), ..usd(input, cached, None, output) }
}

/// The same price, and what requests of more than `above` tokens cost: all but the reply times `times`, the reply times
/// `reply` percent.
fn longer(price: Price, above: u64, times: u64, reply: u64) -> Price {
    let long = LongPrice {
        above,
        input: price.input * times,
        cached: price.cached * times,
        written: price.written.map(|written| written * times),
        output: price.output * reply / 100,
    };
    Price { long: Some(long), ..price }
}

/// developers.openai.com/api/docs/pricing as quoted on 2026-09-22 and later (BerriAI/litellm discussion 42523,
/// merefield/codexometer v0.18.4, iyulab/TokenMeter v0.17.0); windows of anomalyco/models.dev, providers/openai. From
/// GPT-5.6 on, requests of more than 272 000 tokens cost double, and their replies half as much again.
pub(super) fn openai() -> Vec<ModelRow> {
    let long = |price| longer(price, 272_000, 2, 150);
    vec![
        costs("gpt-6.2-sol*", long(usd(2000, 100, Some(2500), 10_000))),
        costs("gpt-6.2-astra*", long(usd(8000, 400, Some(10_000), 40_000))),
        costs("gpt-6.1-sol*", long(usd(2000, 100, Some(2500), 10_000))),
        costs("gpt-6-sol*", long(usd(2000, 200, Some(2500), 10_000))),
        costs("gpt-6-luna*", long(usd(100, 10, Some(125), 500))),
        costs("gpt-6-astra*", long(usd(10_000, 1000, Some(12_500), 50_000))),
        costs("gpt-5.6-terra*", long(usd(2000, 200, None, 12_000))),
        costs("gpt-5.6-luna*", long(usd(200, 20, None, 1200))),
        costs("gpt-5-mini*", usd(250, 25, None, 2000)),
        costs("gpt-5-nano*", usd(50, 5, None, 400)),
        costs("gpt-5", usd(1250, 125, None, 10_000)),
        costs("gpt-5-20*", usd(1250, 125, None, 10_000)),
        costs("gpt-5.1*", usd(1250, 125, None, 10_000)),
        window("gpt-6*", 1_050_000),
        window("gpt-5.4-mini*", 400_000),
        window("gpt-5.4-nano*", 400_000),
        window("gpt-5.4*", 1_050_000),
        window("gpt-5.5*", 1_050_000),
        window("gpt-5.6*", 1_050_000),
        window("gpt-5*", 400_000),
        window("gpt-4.1*", 1_047_576),
        window("o3*", 200_000),
        window("o4*", 200_000),
    ]
}

/// As [`openai`]; models before GPT-5.4 do not know tool search.
pub(super) fn responses() -> Vec<ModelRow> {
    let plain = |pattern| ModelRow { native: Some(None), ..row(pattern) };
    let old = ["gpt-5", "gpt-5-*", "gpt-5.1*", "gpt-5.2*", "gpt-5.3*", "gpt-4*", "gpt-3*", "o1*", "o3*", "o4*"];
    openai().into_iter().chain(old.map(plain)).collect()
}

/// platform.claude.com/docs/en/about-claude/pricing and the model overview (read 2026-10, also kurofune/claudit v1.9.2
/// of 2026-10-25); written is the price of the five-minute cache, which is what is asked for. Tool search: from Haiku
/// 4.5, Sonnet 4.5 and Opus 4.5 on, and every 5.
pub(super) fn anthropic() -> Vec<ModelRow> {
    let haiku = Price {
        long: Some(LongPrice {
            above: 100_000,
            input: 500_000,
            cached: 50_000,
            written: Some(625_000),
            output: 2_500_000,
        }),
        ..usd(100, 10, Some(125), 500)
    };
    let plain = |pattern| ModelRow { native: Some(None), ..row(pattern) };
    let old = [
        "claude-3*",
        "claude-opus-4-0*",
        "claude-opus-4-1*",
        "claude-opus-4-2*",
        "claude-sonnet-4-0*",
        "claude-sonnet-4-2*",
    ];
    let known = vec![
        costs("claude-opus-5-5*", usd(4000, 200, Some(5000), 20_000)),
        costs("claude-sonnet-5-5*", usd(2000, 100, Some(2500), 10_000)),
        costs("claude-haiku-5-5*", haiku),
        costs("claude-fable-5-1*", usd(10_000, 250, Some(12_500), 50_000)),
        costs("claude-fable-5*", usd(10_000, 1000, Some(12_500), 50_000)),
        costs("claude-opus-5*", usd(5000, 500, Some(6250), 25_000)),
        costs("claude-sonnet-5*", usd(2000, 200, Some(2500), 10_000)),
        costs("claude-opus-4-1*", usd(15_000, 1500, Some(18_750), 75_000)),
        costs("claude-opus-4-2*", usd(15_000, 1500, Some(18_750), 75_000)),
        costs("claude-opus-4-*", usd(5000, 500, Some(6250), 25_000)),
        costs("claude-sonnet-4*", usd(3000, 300, Some(3750), 15_000)),
        costs("claude-haiku-4-5*", usd(1000, 100, Some(1250), 5000)),
        window("claude-*-5*", 200_000),
    ];
    let wide = ["claude-opus-5*", "claude-sonnet-5*", "claude-haiku-5*", "claude-fable-5*"];
    let wide = wide.map(|pattern| window(pattern, 1_000_000));
    wide.into_iter().chain(known).chain(old.map(plain)).collect()
}

/// api-docs.deepseek.com/quick_start/pricing, read 2026-11. Prices are those of peak hours, twice the others, so a cost
/// is never told too low. `deepseek-flash` reads pictures, `deepseek-v4-pro` does not.
pub(super) fn deepseek() -> Vec<ModelRow> {
    let flash = || usd(300, 6, None, 1200);
    vec![
        costs("deepseek-flash*", flash()),
        costs("deepseek-v4-flash*", flash()),
        costs("deepseek-v4-pro*", usd(1320, 44, None, 3960)),
        sees("deepseek-flash*"),
    ]
}

/// Families whose models read pictures, by the names Ollama's library and LM Studio's catalogue give them.
pub(super) fn local() -> Vec<ModelRow> {
    [
        "*llava*",
        "*-vl*",
        "*vl:*",
        "*vision*",
        "*gemma3*",
        "*gemma-3*",
        "*gemma4*",
        "*gemma-4*",
        "*minicpm-v*",
        "*pixtral*",
    ]
    .map(sees)
    .into()
}

/// What OpenRouter lists for the models it leads; it reports the cost of each reply itself.
pub(super) fn openrouter() -> Vec<ModelRow> {
    vec![
        window("anthropic/claude-*-5*", 1_000_000),
        window("anthropic/*", 200_000),
        window("openai/gpt-6*", 1_050_000),
        window("openai/gpt-5*", 400_000),
        window("google/gemini*", 1_048_576),
        window("deepseek/deepseek-v4*", 1_000_000),
        window("deepseek/deepseek-flash*", 1_000_000),
        window("moonshotai/kimi-k3*", 1_048_576),
        window("z-ai/glm-5.3*", 1_000_000),
        blind("deepseek/deepseek-v4*"),
        blind("z-ai/glm-5.3"),
    ]
}

/// ai.google.dev/gemini-api/docs/pricing as quoted in anomalyco/models.dev (providers/google) and iyulab/TokenMeter
/// v0.17.0. The price of 3.8 Flash holds through 2026-12-31 and doubles then.
pub(super) fn gemini() -> Vec<ModelRow> {
    vec![
        costs("gemini-4-neon*", usd(3000, 150, None, 15_000)),
        costs("gemini-4-hydrogen*", usd(1500, 75, None, 7500)),
        costs("gemini-3.8-flash*", usd(750, 75, None, 3750)),
        costs("gemini-3.1-pro*", longer(usd(2000, 200, None, 12_000), 200_000, 2, 150)),
    ]
}

/// Windows and pictures of anomalyco/models.dev (providers/alibaba, checked 2026-09). Its prices are those of Singapore,
/// in dollars; those of Beijing, where this profile points, were not found, so none are told.
pub(super) fn qwen() -> Vec<ModelRow> {
    vec![
        window("qwen3.7*", 1_000_000),
        window("qwen3.6*", 1_000_000),
        window("qwen3.5-plus*", 1_000_000),
        window("qwen3-max*", 262_144),
        window("qwen-plus*", 1_000_000),
        window("qwen-flash*", 1_000_000),
        sees("qwen3.7-plus*"),
        sees("qwen3.7-flash*"),
        sees("*-vl-*"),
        sees("*omni*"),
    ]
}

/// platform.kimi.ai/docs/pricing as quoted by docs.apiyi.com (2026-07 and 2026-10) and anomalyco/models.dev
/// (providers/moonshotai).
pub(super) fn kimi() -> Vec<ModelRow> {
    vec![
        costs("kimi-k3.1-pro-highspeed*", usd(4000, 200, Some(4000), 20_000)),
        costs("kimi-k3.1-pro*", usd(2000, 200, Some(2000), 10_000)),
        costs("kimi-k3", usd(3000, 300, None, 15_000)),
        costs("kimi-k2.6*", usd(950, 160, None, 4000)),
        window("kimi-k3*", 1_048_576),
        window("moonshot-v1-8k*", 8192),
        window("moonshot-v1-32k*", 32_768),
        window("moonshot-v1-128k*", 131_072),
        sees("moonshot-v1-*-vision*"),
        blind("moonshot-v1*"),
    ]
}

/// docs.bigmodel.cn/cn/guide/start/pricing, read 2026-09, list prices.
pub(super) fn glm() -> Vec<ModelRow> {
    vec![
        costs("glm-5.3-flash*", cny(800, 230, 2800)),
        costs("glm-5.3*", cny(8000, 2000, 28_000)),
        window("glm-5.3*", 1_000_000),
        window("glm-5.2*", 1_000_000),
        window("glm-5*", 202_752),
        window("glm-4*", 128_000),
        sees("glm-5.3-flash*"),
        sees("glm-*v*"),
    ]
}
