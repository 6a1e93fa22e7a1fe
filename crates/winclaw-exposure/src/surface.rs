use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use winclaw_catalog::{Catalog, ToolIx};
use winclaw_tool::ToolSpec;

use crate::{Because, Event, Exposure, Level, Reach, Transport, estimate_tokens, schema};

/// Exactly what one model call is to be given, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// System text and tools array. The same allocation for the whole epoch.
    pub prefix: Arc<Prefix>,
    /// What to put behind the conversation: advice and newly shown schemas. `None` when nothing changed.
    pub tail: Option<String>,
    /// Every tool above `Named`, in order of id.
    pub shown: Vec<Shown>,
    /// The epoch, from 1.
    pub epoch: u32,
    /// The reach.
    pub reach: Reach,
    /// The transport.
    pub transport: Transport,
    /// What it costs.
    pub tokens: Tokens,
}

/// What stands before the conversation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Prefix {
    /// The system text with the catalogue.
    pub system: String,
    /// The tools array: meta tools, the core, then the others, each group in a fixed order.
    pub tools: Vec<ToolSpec>,
    /// Every other permitted tool, whole, by id: what results may refer to. Empty unless the vendor works by
    /// [`Native::References`](crate::Native::References); the model does not read them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deferred: Vec<ToolSpec>,
}

impl Prefix {
    /// The estimate for both parts.
    pub fn tokens(&self) -> u32 {
        let tools = self.tools.iter().map(schema::cost).fold(0, u32::saturating_add);
        tools.saturating_add(estimate_tokens(&self.system))
    }
}

/// One tool the model sees more of than its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The tool.
    pub tool: ToolIx,
    /// Its level.
    pub level: Level,
    /// Why.
    pub because: Because,
    /// The estimate for its schema at that level.
    pub tokens: u32,
}

/// Estimates in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tokens {
    /// The prefix.
    pub prefix: u32,
    /// The tail of this call.
    pub tail: u32,
    /// What the prefix would take if every schema of a permitted tool were in it.
    pub everything: u32,
}

impl Exposure {
    /// What to send with the next model call. Takes what is due for the tail, so call it once for each model call.
    pub fn surface(&mut self, catalog: &Catalog) -> Surface {
        self.take_back(catalog);
        let tail = self.take_tail(catalog);
        self.turn += 1;
        self.watch.next_turn(&self.settings);
        let tokens = Tokens {
            prefix: self.prefix_tokens,
            tail: tail.as_deref().map_or(0, estimate_tokens),
            everything: self.everything,
        };
        Surface {
            prefix: Arc::clone(&self.prefix),
            tail,
            shown: self.shown(),
            epoch: self.epoch,
            reach: self.reach,
            transport: self.transport,
            tokens,
        }
    }

    /// Every tool above `Named`, in order of id.
    pub fn shown(&self) -> Vec<Shown> {
        let above = self.standing.iter().filter(|(_, standing)| standing.level > Level::Named);
        let shown = above.map(|(ix, standing)| Shown {
            tool: *ix,
            level: standing.level,
            because: standing.because.clone(),
            tokens: self.prepared.cost(*ix, standing.level),
        });
        shown.collect()
    }

    fn take_tail(&mut self, catalog: &Catalog) -> Option<String> {
        let mut parts: Vec<String> = self.take_advice(catalog).into_iter().collect();
        let pending = std::mem::take(&mut self.pending);
        if !pending.is_empty() {
            parts.push(format!("Tools you can also call now{}:", self.by_bridge()));
            parts.extend(pending.into_iter().map(|ix| self.tell(catalog, ix).to_string()));
        }
        (!parts.is_empty()).then(|| parts.join("\n"))
    }

    pub(crate) fn by_bridge(&self) -> &'static str {
        if self.settings.allows("tool_call") { " with tool_call" } else { " by name" }
    }

    /// The schema of a tool at its level, which is thereby told.
    pub(crate) fn tell(&mut self, catalog: &Catalog, ix: ToolIx) -> Value {
        let standing = self.standing.entry(ix).or_default();
        standing.told = standing.told.max(self.prepared.read(ix, standing.level));
        let level = standing.level;
        self.pending.retain(|pending| *pending != ix);
        schema::json(&schema::spec(catalog.get(ix), level))
    }

    /// Drops tools that have been disabled since the epoch began, and opens a new epoch without them.
    fn take_back(&mut self, catalog: &Catalog) {
        let gone: Vec<ToolIx> = self.revoked(catalog).collect();
        if gone.is_empty() || self.is_fixed() {
            return;
        }
        self.prepared = Arc::new(crate::Prepared::new(catalog));
        self.epoch += 1;
        for tool in gone {
            self.standing.remove(&tool);
            self.core.remove(&tool);
            self.pending.retain(|pending| *pending != tool);
            self.log(Event::Revoked { tool }, Because::Revoked);
        }
        self.advice.forget(&self.prepared);
        self.promote_used();
        self.freeze(catalog, Because::Revoked);
    }

    fn revoked<'a>(&'a self, catalog: &'a Catalog) -> impl Iterator<Item = ToolIx> + 'a {
        catalog.all().filter(|ix| self.prepared.permits(*ix) && !catalog.get(*ix).permitted())
    }
}
