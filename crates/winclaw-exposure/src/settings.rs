use serde::{Deserialize, Serialize};
use winclaw_catalog::RESERVED;

use crate::{Native, Reach, Strategy, Transport, scale};

/// What the host decides about exposure before a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// By what rule tools are shown. Default: progressive, the only one a task may run with.
    pub strategy: Strategy,
    /// The model's context window in tokens. Default 128 000.
    pub window_tokens: u32,
    /// Most entries the vendor takes in the tools array. Default 128; fewer than 4 count as 4, the number of meta tools.
    pub max_tools: usize,
    /// Names of the meta tools that a policy or the model rules out. Default none.
    pub denied_meta: Vec<String>,
    /// The transport; `None`, the default, chooses by size. Bridge is not taken when a meta tool it needs is denied.
    pub transport: Option<Transport>,
    /// How the model's vendor lets a result reveal schemas, if it does. Default `None`.
    pub native: Option<Native>,
    /// Real tokens for each estimated one, from [`Exposure::scale`](crate::Exposure::scale) of earlier calls of the same
    /// model. Default 1.
    pub scale: f32,
    /// What stands at the head of the system text. Default: two sentences that say who the model works for.
    pub base_prompt: String,
    /// How many tokens each part may take.
    pub budgets: Budgets,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            strategy: Strategy::Progressive,
            window_tokens: 128_000,
            max_tools: 128,
            denied_meta: Vec::new(),
            transport: None,
            native: None,
            scale: 1.0,
            base_prompt: "You are an assistant that gets things done on the user's computer. \
                          Do what was asked, no more, and say plainly what you did and what failed."
                .to_owned(),
            budgets: Budgets::default(),
        }
    }
}

/// Most that one reach may raise into the tools array, or into the conversation when it is widened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Tools. Those a request names exactly do not count.
    pub tools: usize,
    /// Tokens of their schemas.
    pub tokens: u32,
    /// The same in percent of the window; the smaller of the two holds.
    pub percent: u32,
}

/// Budgets in real tokens, as the vendor counts them. Where a percentage of the window stands beside a number, the smaller of the two holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Budgets {
    /// All schemas together, for Direct to be chosen. Default 6 000.
    pub direct_tokens: u32,
    /// The same in percent of the window. Default 5.
    pub direct_percent: u32,
    /// The tools array in percent of the window when Direct is forced upon a larger catalog. Default 40.
    pub overflow_percent: u32,
    /// Tools marked `always_load`, in percent of the window. Default 15.
    pub core_percent: u32,
    /// At reach Recommended. Default 8 tools, 2 000 tokens, 5 %.
    pub recommended: Share,
    /// At reach Extended. Default 20 tools, 5 000 tokens, 10 %.
    pub extended: Share,
    /// At reach Full. Default 60 tools, 12 000 tokens, 20 %.
    pub full: Share,
    /// At every reach, beside what it allows: further hits, in brief, when an epoch opens. Default 32 tools, 2 500 tokens,
    /// 4 %. On ten public sets of requests this is where a larger share no longer found much more.
    pub background: Share,
    /// The catalogue. Default 2 500. Its categories, or families of them, may take up to 600 where it is smaller.
    pub catalogue_tokens: u32,
    /// The same in percent of the window. Default 4.
    pub catalogue_percent: u32,
    /// Schemas added to the tail unasked, a turn. Default 1 200.
    pub tail_tokens: u32,
    /// Schemas added to the tail unasked, a task. Default 8 000.
    pub unasked_tokens: u32,
    /// Schemas in one answer to a search, a look-up or a wrong name. Default 4 000.
    pub answer_tokens: u32,
    /// A tool and what it requires are shown in full up to this many estimated tokens each, else in brief. Default 350.
    pub small_schema: u32,
    /// Schemas of used tools that are shown again behind the conversation after a compaction, in percent of the window.
    /// Default 25. What exceeds it is named.
    pub again_percent: u32,
    /// Announcement of a changed tool list: above this many names of one kind, counts by category. Default 40.
    pub news_names: usize,
    /// Notes of tools' makers in the system text, in tokens all together. Default 600.
    pub guidance_tokens: u32,
    /// What a vendor bills for a token its cache serves, in percent of one it does not. Default 10: DeepSeek and
    /// Anthropic bill a tenth; a model that bills all alike is 100.
    pub cached_percent: u32,
    /// What an extra model call costs beside reading the conversation once more from the cache, in input tokens. Default
    /// 1 000: about 80 tokens of output at five times the price of input, and the 600 of an answer to a search.
    pub extra_call_tokens: u32,
    /// What calling one tool through `tool_call` instead of natively costs in a request, in input tokens. Default 240: two
    /// calls with about 24 more tokens of output each, at five times the price of input.
    pub bridged_tool_tokens: u32,
    /// Evidence whose margin is smaller is weak, unless the request names a tool. Default 0.05.
    pub weak_margin: f32,
}

impl Default for Budgets {
    fn default() -> Self {
        Budgets {
            direct_tokens: 6_000,
            direct_percent: 5,
            overflow_percent: 40,
            core_percent: 15,
            recommended: Share { tools: 8, tokens: 2_000, percent: 5 },
            extended: Share { tools: 20, tokens: 5_000, percent: 10 },
            full: Share { tools: 60, tokens: 12_000, percent: 20 },
            background: Share { tools: 32, tokens: 2_500, percent: 4 },
            catalogue_tokens: 2_500,
            catalogue_percent: 4,
            tail_tokens: 1_200,
            unasked_tokens: 8_000,
            answer_tokens: 4_000,
            small_schema: 350,
            again_percent: 25,
            news_names: 40,
            guidance_tokens: 600,
            cached_percent: 10,
            extra_call_tokens: 1_000,
            bridged_tool_tokens: 240,
            weak_margin: 0.05,
        }
    }
}

/// Tokens that naming the categories may take where the catalogue's budget is smaller.
const CATEGORIES: u32 = 600;

impl Settings {
    /// Whether the meta tool `name` may be used.
    pub fn allows(&self, name: &str) -> bool {
        RESERVED.contains(&name) && !self.denied_meta.iter().any(|denied| denied == name)
    }

    /// Whether a tool that is not in the tools array can be found, read and called through meta tools alone.
    pub(crate) fn can_bridge(&self) -> bool {
        ["tool_search", "tool_details", "tool_call"].iter().all(|name| self.allows(name))
    }

    /// Entries the tools array may have.
    pub(crate) fn slots(&self) -> usize {
        self.max_tools.max(RESERVED.len())
    }

    /// What a reach allows: tools, and estimated tokens.
    pub(crate) fn share(&self, reach: Reach) -> (usize, u32) {
        self.within(match reach {
            Reach::Recommended => self.budgets.recommended,
            Reach::Extended => self.budgets.extended,
            Reach::Full => self.budgets.full,
        })
    }

    /// What further hits may take beside that: tools, and estimated tokens.
    pub(crate) fn background(&self) -> (usize, u32) {
        self.within(self.budgets.background)
    }

    fn within(&self, share: Share) -> (usize, u32) {
        (share.tools, self.unscaled(share.tokens.min(self.percent(share.percent))))
    }

    pub(crate) fn direct_tokens(&self) -> u32 {
        self.unscaled(self.budgets.direct_tokens.min(self.percent(self.budgets.direct_percent)))
    }

    pub(crate) fn overflow_tokens(&self) -> u32 {
        self.unscaled(self.percent(self.budgets.overflow_percent))
    }

    pub(crate) fn core_tokens(&self) -> u32 {
        self.unscaled(self.percent(self.budgets.core_percent))
    }

    pub(crate) fn catalogue_tokens(&self) -> u32 {
        self.unscaled(self.budgets.catalogue_tokens.min(self.percent(self.budgets.catalogue_percent)))
    }

    /// What the catalogue may take, and what naming its categories may take where that is more: a tenth of the window, at
    /// most [`CATEGORIES`].
    pub(crate) fn catalogue_room(&self) -> (u32, u32) {
        (self.catalogue_tokens(), self.unscaled(self.spoken(CATEGORIES)))
    }

    /// What the schemas of one answer may take.
    pub(crate) fn answer_tokens(&self) -> u32 {
        self.unscaled(self.spoken(self.budgets.answer_tokens))
    }

    /// What an answer may take beyond that for schemas and descriptions that were asked for by name; the first is given
    /// whatever it takes.
    pub(crate) fn alone_tokens(&self) -> u32 {
        self.unscaled(self.spoken(u32::MAX))
    }

    /// What schemas of used tools may take when they are shown again behind the conversation.
    pub(crate) fn again_tokens(&self) -> u32 {
        self.unscaled(self.percent(self.budgets.again_percent))
    }

    /// A budget for text in the conversation in real tokens; at most a tenth of the window.
    pub(crate) fn spoken(&self, tokens: u32) -> u32 {
        tokens.min(self.percent(10))
    }

    /// What `real` tokens are in estimated ones.
    pub(crate) fn unscaled(&self, real: u32) -> u32 {
        // A float beyond the range becomes the largest number, which is no limit.
        (f64::from(real) / f64::from(scale::sound(self.scale))) as u32
    }

    /// What `estimated` tokens are in real ones.
    pub(crate) fn scaled(&self, estimated: u32) -> u32 {
        (f64::from(estimated) * f64::from(scale::sound(self.scale))).ceil() as u32
    }

    fn percent(&self, percent: u32) -> u32 {
        let tokens = u64::from(self.window_tokens) * u64::from(percent) / 100;
        u32::try_from(tokens).unwrap_or(u32::MAX)
    }
}
