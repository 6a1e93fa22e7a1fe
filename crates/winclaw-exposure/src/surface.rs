use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use winclaw_catalog::{Catalog, ToolIx};
use winclaw_tool::ToolSpec;

use crate::{Because, Exposure, Level, Reach, Transport, estimate_tokens, schema};

/// Exactly what one model call is to be given, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// System text and tools array. The same allocation for the whole epoch.
    pub prefix: Arc<Prefix>,
    /// What to put behind the conversation: what changed in the tool list, advice and newly shown schemas. `None` when nothing changed.
    pub tail: Option<String>,
    /// What [`Exposure::shown`] gives: every tool above `Named` that the model has before it, in order of id.
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
    /// The tools array: meta tools, the core, then the others, each group in a fixed order. A schema is one allocation for
    /// all prefixes of a [`Prepared`](crate::Prepared) catalog, so a prefix is cheap to clone.
    #[serde(with = "shared")]
    pub tools: Vec<Arc<ToolSpec>>,
    /// Every other permitted tool, whole, by id: what results may refer to. Empty unless the vendor works by
    /// [`Native::References`](crate::Native::References); the model does not read them.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "shared")]
    pub deferred: Vec<Arc<ToolSpec>>,
}

impl Prefix {
    /// The estimate for the system text and the tools array. Deferred tools are not in the context and cost nothing.
    pub fn tokens(&self) -> u32 {
        let tools = self.tools.iter().map(|spec| schema::cost(spec)).fold(0, u32::saturating_add);
        tools.saturating_add(estimate_tokens(&self.system))
    }
}

/// Schemas are written as what they hold; that they are shared is not kept.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serializer};
    use winclaw_tool::ToolSpec;

    pub(super) fn serialize<S: Serializer>(specs: &[Arc<ToolSpec>], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(specs.iter().map(Arc::as_ref))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Arc<ToolSpec>>, D::Error> {
        Ok(Vec::<ToolSpec>::deserialize(deserializer)?.into_iter().map(Arc::new).collect())
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

/// Plain estimates in tokens; [`Exposure::estimated`] gives them as the vendor would count.
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
    /// What stands before the conversation in the next call.
    pub fn prefix(&self) -> &Arc<Prefix> {
        &self.prefix
    }

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

    /// Every tool above `Named` whose schema is before the model or will be with this call, in order of id. A tool whose
    /// schema was lost when the conversation was summarised is not among them until it is shown again.
    pub fn shown(&self) -> Vec<Shown> {
        let above =
            self.standing.iter().filter(|(ix, standing)| standing.level > Level::Named && self.schema_shown(**ix));
        let shown = above.map(|(ix, standing)| Shown {
            tool: *ix,
            level: standing.level,
            because: self.because(standing).clone(),
            tokens: self.prepared.cost(*ix, standing.level),
        });
        shown.collect()
    }

    fn take_tail(&mut self, catalog: &Catalog) -> Option<String> {
        let mut parts: Vec<String> = self.take_news(catalog).into_iter().chain(self.take_advice(catalog)).collect();
        let pending = std::mem::take(&mut self.pending);
        let (changed, other): (Vec<ToolIx>, _) = pending.into_iter().partition(|ix| self.news.changed.contains(ix));
        let changed_head = "These tools have changed; this replaces what was shown of them before:".to_owned();
        let other_head = format!("Tools you can also call now{}:", self.by_bridge());
        for (head, tools) in [(changed_head, changed), (other_head, other)] {
            if !tools.is_empty() {
                parts.push(head);
                parts.extend(tools.into_iter().map(|ix| self.tell(catalog, ix).to_string()));
            }
        }
        parts.extend(self.take_untold(catalog));
        parts.extend(self.take_forgotten(catalog));
        (!parts.is_empty()).then(|| parts.join("\n"))
    }

    /// How a tool is called that stands in the conversation as text.
    pub(crate) fn by_bridge(&self) -> &'static str {
        if self.offers("tool_call") { " with tool_call" } else { " by name" }
    }

    /// The schema of a tool at its level as text, which is thereby told.
    pub(crate) fn tell(&mut self, catalog: &Catalog, ix: ToolIx) -> Value {
        let level = self.told_as(ix);
        self.note_told(ix, level, false);
        let tool = catalog.get(ix);
        schema::json(&self.prepared.spec(catalog, ix, level), &tool.manifest.guidance)
    }

    /// The level at which a tool is told: its own, or whole where it stands at `Named` because what it requires was too
    /// dear to show with it.
    pub(crate) fn told_as(&self, ix: ToolIx) -> Level {
        match self.level(ix) {
            Level::Named => Level::Full,
            level => level,
        }
    }

    /// Notes that the model reads the schema at `level` with the next payload, by the vendor's own block or as text.
    pub(crate) fn note_told(&mut self, ix: ToolIx, level: Level, revealed: bool) {
        let read = self.prepared.read(ix, level);
        let standing = self.standing.entry(ix).or_default();
        standing.told = standing.told.max(read);
        standing.revealed |= revealed;
        self.pending.retain(|pending| *pending != ix);
        self.forgotten.retain(|forgotten| *forgotten != ix);
        self.news.changed.remove(&ix);
    }
}
