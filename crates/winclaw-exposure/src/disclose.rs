//! Showing schemas in an answer: as text, or by the vendor's own block.

use serde_json::{Map, Value};
use winclaw_catalog::{Catalog, ToolIx};
use winclaw_tool::ToolSpec;

use crate::answers::{MAX_NAMED, wire};
use crate::raise::{Purse, Wish};
use crate::{Because, Exposure, Level, Native, Place, Transport, schema};

/// What an answer has to show of the tools it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    /// What fits the budget; the rest is named.
    WhatFits,
    /// The schema of each, alone if what it requires is too dear. Of several that are large the first is shown and the rest
    /// named.
    Each,
    /// The same, in the text whatever the transport.
    EachAsText,
}

/// What of some tools could be shown.
#[derive(Default)]
pub(crate) struct Disclosure {
    /// For the text.
    pub(crate) schemas: Vec<Value>,
    /// For the vendor's block.
    pub(crate) reveals: Vec<ToolSpec>,
    /// What the text has to say of revealed tools beside their names: wire name and note.
    pub(crate) notes: Vec<(String, String)>,
    pub(crate) repeated: Vec<ToolIx>,
    /// Too dear to show; named only.
    pub(crate) named: Vec<ToolIx>,
}

impl Disclosure {
    pub(crate) fn has_schemas(&self) -> bool {
        !self.schemas.is_empty() || !self.reveals.is_empty()
    }

    /// Puts schemas and the names of revealed tools into an answer.
    pub(crate) fn put_schemas(&self, key: &str, answer: &mut Map<String, Value>) {
        if !self.schemas.is_empty() {
            answer.insert(key.to_owned(), Value::Array(self.schemas.clone()));
        }
        if !self.reveals.is_empty() {
            let names: Vec<&str> = self.reveals.iter().map(|spec| spec.name.as_str()).collect();
            answer.insert("revealed".to_owned(), names.into());
        }
        if !self.notes.is_empty() {
            let notes = self.notes.iter().map(|(name, note)| format!("{name}: {note}"));
            answer.insert("about_them".to_owned(), notes.collect::<Vec<_>>().into());
        }
    }
}

impl Exposure {
    /// Shows what can be shown of `tools` within the budget for answers.
    pub(crate) fn disclose(
        &mut self,
        catalog: &Catalog,
        tools: &[ToolIx],
        because: &Because,
        want: Want,
    ) -> Disclosure {
        let mut shown = Disclosure::default();
        let mut purse = Purse::spoken(self.settings.answer_tokens());
        let mut alone = self.settings.alone_tokens();
        let native = self.transport == Transport::Native && want != Want::EachAsText;
        for &tool in tools.iter().filter(|ix| ix.index() < catalog.tools().len()) {
            if !self.prepared.permits(tool) {
                continue;
            }
            if self.told(tool) == Level::Full {
                shown.repeated.push(tool);
                continue;
            }
            let place = if native && self.can_reveal(tool) { Place::Revealed } else { Place::Conversation };
            let wish = Wish { tool, level: Some(Level::Full), because: because.clone(), place };
            let affordable = self.raise(catalog, wish, &mut purse);
            for due in std::mem::take(&mut self.pending) {
                self.show(catalog, due, native, &mut shown);
            }
            let owed = want != Want::WhatFits && self.told(tool) < Level::Full;
            let cost = self.prepared.cost(tool, Level::Full);
            if owed && (cost <= alone || !shown.has_schemas()) {
                alone = alone.saturating_sub(cost);
                self.show_alone(catalog, tool, native, &mut shown);
            } else if (owed || !affordable) && !shown.named.contains(&tool) {
                shown.named.push(tool);
            }
        }
        shown
    }

    /// Whether the vendor's block can show the tool: a reference only what stands deferred in the prefix as it is now.
    fn can_reveal(&self, ix: ToolIx) -> bool {
        if self.barred.contains(&ix) {
            return false;
        }
        match self.settings.native {
            Some(Native::References) => self.referable.contains(&ix),
            Some(Native::SearchResult) => true,
            None => false,
        }
    }

    fn show(&mut self, catalog: &Catalog, ix: ToolIx, native: bool, shown: &mut Disclosure) {
        match native && self.can_reveal(ix) {
            true => self.show_natively(catalog, ix, self.told_as(ix), shown),
            false => shown.schemas.push(self.tell(catalog, ix)),
        }
    }

    fn show_natively(&mut self, catalog: &Catalog, ix: ToolIx, level: Level, shown: &mut Disclosure) {
        // A reference brings the whole schema.
        let level = if self.refers() { Level::Full } else { level };
        self.note_told(ix, level, true);
        let tool = catalog.get(ix);
        shown.reveals.push((*self.prepared.spec(catalog, ix, level)).clone());
        if !tool.manifest.guidance.is_empty() {
            shown.notes.push((tool.wire_name.clone(), tool.manifest.guidance.clone()));
        }
    }

    /// Shows the whole schema of a tool whose closure is too dear to show, with the names of what it requires.
    fn show_alone(&mut self, catalog: &Catalog, ix: ToolIx, native: bool, shown: &mut Disclosure) {
        let needs = catalog.requires(ix).iter().filter(|other| self.prepared.permits(**other));
        let needs: Vec<&str> = needs.map(|other| wire(catalog, *other)).take(MAX_NAMED).collect();
        if native && self.can_reveal(ix) {
            self.show_natively(catalog, ix, Level::Full, shown);
            if !needs.is_empty() {
                let note = format!("it cannot be used without {}", needs.join(", "));
                shown.notes.push((wire(catalog, ix).to_owned(), note));
            }
            return;
        }
        self.note_told(ix, Level::Full, false);
        let tool = catalog.get(ix);
        let mut value = schema::json(&self.prepared.spec(catalog, ix, Level::Full), &tool.manifest.guidance);
        if let Some(map) = value.as_object_mut()
            && !needs.is_empty()
        {
            map.insert("requires".into(), needs.into());
        }
        shown.schemas.push(value);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_without_schemas_has_no_empty_lists() {
        let mut answer = Map::new();
        Disclosure::default().put_schemas("found", &mut answer);
        assert!(answer.is_empty());
        let shown = Disclosure { schemas: vec![json!({"name": "a"})], ..Disclosure::default() };
        shown.put_schemas("found", &mut answer);
        assert_eq!(Value::Object(answer).to_string(), r#"{"found":[{"name":"a"}]}"#);
    }
}
