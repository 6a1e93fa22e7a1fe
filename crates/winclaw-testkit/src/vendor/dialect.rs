/// How the index of a call in a stream is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Index {
    /// From 0, one for each call.
    #[default]
    Counted,
    /// 0 for every call.
    Zero,
    /// Not at all.
    Missing,
}

/// How the arguments of a call come in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Arguments {
    /// In small pieces, the first empty.
    #[default]
    Pieces,
    /// As one text, together with the name.
    Whole,
    /// As one object and no text, in streams and in whole answers.
    Object,
}

/// Which ids calls get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CallIds {
    /// Those of the script.
    #[default]
    Scripted,
    /// `name:0`, `name:1` and so on, from the beginning in each reply.
    ByName,
    /// `call_0`, `call_1` and so on, from the beginning in each reply.
    Counted,
    /// Nine digits, from the beginning in each reply.
    Digits,
    /// An empty text.
    Empty,
}

/// What stands as id in the pieces of a call after its first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Continued {
    /// Nothing.
    #[default]
    Absent,
    /// An empty text, and an empty name.
    Empty,
}

/// What ends a reply that calls tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Finish {
    /// `tool_calls`.
    #[default]
    ToolCalls,
    /// `stop` in a stream and `tool_calls` in a whole answer.
    StopInStreams,
}

/// Where the token counts of a stream stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UsageAt {
    /// In a piece of their own without choices, when they were asked for.
    #[default]
    OwnPiece,
    /// In the last piece beside its choice, asked for or not.
    LastPiece,
    /// In the last choice, asked for or not, and again in a piece of their own when they were asked for.
    LastChoice,
}

/// How token counts are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UsageShape {
    /// `prompt_tokens`, `completion_tokens`, `prompt_tokens_details.cached_tokens`.
    #[default]
    OpenAi,
    /// The same without cached tokens.
    Plain,
    /// Cached tokens as `prompt_cache_hit_tokens` and `prompt_cache_miss_tokens`.
    DeepSeek,
    /// Cached tokens as `cached_tokens`.
    Kimi,
    /// OpenAI's with a `cost` in dollars.
    Cost,
}

/// How a vendor of chat completions answers. The default is OpenAI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialect {
    /// The field of the model's thoughts.
    pub thoughts: &'static str,
    /// Whether the thoughts come a second time as `reasoning_details`, which must come back unchanged.
    pub details: bool,
    /// How the index of a call in a stream is told.
    pub index: Index,
    /// How arguments come.
    pub arguments: Arguments,
    /// Which ids calls get.
    pub ids: CallIds,
    /// What stands as id in the pieces of a call after its first.
    pub continued: Continued,
    /// Whether the first call of a reply carries a signature, `extra_content.google.thought_signature`, that must come
    /// back.
    pub signatures: bool,
    /// What ends a reply that calls tools.
    pub finish: Finish,
    /// What stands as the words of a reply that has none: `""`, or otherwise `null`.
    pub empty_words: bool,
    /// Where the token counts of a stream stand.
    pub usage_at: UsageAt,
    /// How token counts are named.
    pub usage: UsageShape,
    /// A comment that comes before the stream and now and then in it.
    pub comment: Option<&'static str>,
    /// Whether `[DONE]` ends a stream.
    pub done: bool,
    /// What ends a line of a stream.
    pub line_end: &'static str,
    /// What stands after `data:`.
    pub gap: &'static str,
}

impl Default for Dialect {
    fn default() -> Self {
        Dialect {
            thoughts: "reasoning_content",
            details: false,
            index: Index::default(),
            arguments: Arguments::default(),
            ids: CallIds::default(),
            continued: Continued::default(),
            signatures: false,
            finish: Finish::default(),
            empty_words: false,
            usage_at: UsageAt::default(),
            usage: UsageShape::default(),
            comment: None,
            done: true,
            line_end: "\n",
            gap: " ",
        }
    }
}
