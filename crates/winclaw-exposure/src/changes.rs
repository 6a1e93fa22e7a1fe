//! A tool list that changes while a session runs.

use std::collections::BTreeSet;
use std::sync::Arc;

use winclaw_catalog::{Catalog, ToolIx};

use crate::prepared::{Ability, Mark};
use crate::raise::{Purse, Wish};
use crate::{Because, Event, Exposure, Level, Place, Prepared, Transport};

/// Where a tool stands that the new catalog does not have; no catalog is that large.
const NOWHERE: ToolIx = ToolIx(u32::MAX);

/// What differs between two catalogs; all places are those of the new one.
#[derive(Debug, Default)]
struct Changes {
    /// Known and permitted tools with what they were before, where ability or fingerprint differ.
    differ: Vec<(ToolIx, Mark)>,
    /// Tools that were not there or were disabled.
    added: Vec<ToolIx>,
    /// Tools that were permitted and are disabled.
    revoked: Vec<ToolIx>,
}

impl Changes {
    fn of(old: &Prepared, new: &Prepared, place: &impl Fn(ToolIx) -> ToolIx) -> Changes {
        let mut changes = Changes::default();
        let mut known = vec![false; new.size()];
        for at in (0..old.size() as u32).map(ToolIx) {
            let now = place(at);
            let (was, is) = (old.mark(at), new.mark(now));
            if let Some(known) = known.get_mut(now.index()) {
                *known = true;
            }
            match (was.ability != Ability::Disabled, is.ability != Ability::Disabled) {
                (true, true) if was != is => changes.differ.push((now, was)),
                (true, false) if now != NOWHERE => changes.revoked.push(now),
                (false, true) => changes.added.push(now),
                _ => {}
            }
        }
        let new_ones = known.iter().enumerate().filter(|(_, known)| !**known).map(|(at, _)| ToolIx(at as u32));
        changes.added.extend(new_ones.filter(|ix| new.permits(*ix)));
        changes.added.sort_unstable();
        changes
    }

    fn event(&self, new: &Prepared) -> Event {
        let count = |tools: usize| u32::try_from(tools).unwrap_or(u32::MAX);
        let ready = |ability| ability == Ability::Ready;
        let turned = |from: bool, to: bool| {
            let turns = |(ix, was): &&(ToolIx, Mark)| ready(was.ability) == from && ready(new.mark(*ix).ability) == to;
            count(self.differ.iter().filter(turns).count())
        };
        let changed = |(ix, was): &&(ToolIx, Mark)| was.fingerprint != new.mark(*ix).fingerprint;
        Event::Adopted {
            added: count(self.added.len()),
            down: turned(true, false),
            back: turned(false, true),
            changed: count(self.differ.iter().filter(changed).count()),
            revoked: count(self.revoked.len()),
        }
    }
}

impl Exposure {
    /// The tool list changed: from now on `catalog`, which `prepared` was made from, holds. `map` says at the old place of
    /// each tool its new one, as `Catalog::successor` gives it.
    ///
    /// The prefix stays byte for byte, and levels and the reach with it; the ledger and everything else name tools by their
    /// new places. The next tail says once what is new, what cannot run now and what can again, by name or, where there are
    /// many, by category with a count, so that its size is bounded; a change that is undone before that is not told. A
    /// schema that the model had read and that changed is shown anew. Tools that became disabled are taken away at once,
    /// which ends the epoch. What a tool requires since rises with it.
    pub fn adopt(&mut self, catalog: &Catalog, prepared: &Arc<Prepared>, map: &[ToolIx]) {
        let place =
            |ix: ToolIx| map.get(ix.index()).copied().filter(|ix| ix.index() < prepared.size()).unwrap_or(NOWHERE);
        let old = std::mem::replace(&mut self.prepared, Arc::clone(prepared));
        let same = map.iter().enumerate().all(|(at, ix)| ix.index() == at) && map.len() == old.size();
        if !same {
            self.move_tools(&place);
        }
        let changes = Changes::of(&old, prepared, &place);
        if self.is_fixed() {
            return;
        }
        self.log(changes.event(prepared), Because::ListChanged);
        self.news.add(&changes.added, &changes.differ);
        self.retell_changed(catalog, &changes.differ);
        if !changes.revoked.is_empty() {
            self.revoke(catalog, &changes.revoked);
        }
        self.close_again(catalog);
        self.raise_new(catalog, &changes.added);
    }

    fn move_tools(&mut self, place: &impl Fn(ToolIx) -> ToolIx) {
        let moved = |tools: &mut Vec<ToolIx>| {
            tools.iter_mut().for_each(|ix| *ix = place(*ix));
            tools.retain(|ix| *ix != NOWHERE);
        };
        let moved_set = |tools: &mut BTreeSet<ToolIx>| {
            *tools = tools.iter().map(|ix| place(*ix)).filter(|ix| *ix != NOWHERE).collect();
        };
        let standing = std::mem::take(&mut self.standing).into_iter().map(|(ix, standing)| (place(ix), standing));
        self.standing = standing.filter(|(ix, _)| *ix != NOWHERE).collect();
        [&mut self.core, &mut self.referable, &mut self.deferred, &mut self.read_whole, &mut self.barred]
            .into_iter()
            .for_each(moved_set);
        [&mut self.pending, &mut self.forgotten, &mut self.used, &mut self.untold].into_iter().for_each(moved);
        self.catalogue = Arc::new(self.catalogue.moved(place));
        self.news.move_tools(place);
        self.advice.move_tools(place);
        self.advice.forget(&self.prepared);
        self.watch.move_tools(place);
        for entry in &mut self.ledger {
            entry.because.move_tools(place);
            if let Some(tool) = entry.event.tool_mut() {
                *tool = place(*tool);
            }
        }
    }

    /// Schemas that changed after the model had read them are due again, as far as one answer may hold; the rest is named.
    fn retell_changed(&mut self, catalog: &Catalog, differ: &[(ToolIx, Mark)]) {
        let mut left = self.settings.answer_tokens();
        for (ix, was) in differ {
            if was.fingerprint == self.prepared.mark(*ix).fingerprint {
                continue;
            }
            self.referable.remove(ix);
            self.read_whole.remove(ix);
            let read = self.schema_shown(*ix);
            if let Some(standing) = self.standing.get_mut(ix).filter(|_| read) {
                standing.stale = standing.in_array();
                (standing.told, standing.array, standing.revealed) = (Level::Named, None, false);
                self.news.changed.insert(*ix);
                self.show_changed(catalog, *ix, &mut left);
            }
        }
    }

    fn show_changed(&mut self, catalog: &Catalog, ix: ToolIx, left: &mut u32) {
        if self.pending.contains(&ix) {
            return;
        }
        let tokens = self.prepared.cost(ix, self.told_as(ix));
        if tokens > *left {
            self.forgotten.push(ix);
            return;
        }
        *left -= tokens;
        self.pending.push(ix);
        let fingerprint = catalog.get(ix).fingerprint.clone();
        self.log(Event::ShownAgain { tool: ix, fingerprint, tokens }, Because::SchemaChanged);
    }

    /// What a tool above `Named` requires by the new list stands as high as the tool (I7). It is shown as far as the budget
    /// of an answer goes, and named beyond that.
    fn close_again(&mut self, catalog: &Catalog) {
        let mut left = self.settings.answer_tokens();
        let above: Vec<(ToolIx, Level)> = self
            .standing
            .iter()
            .filter(|(_, own)| own.level > Level::Named)
            .map(|(ix, own)| (*ix, own.level))
            .collect();
        for (by, level) in above {
            let group = self.group(catalog, by);
            for ix in group.into_iter().filter(|ix| *ix != by) {
                if self.level(ix) < level {
                    self.set(catalog, ix, level, Because::RequiredBy(by), Place::Conversation);
                    self.keep_or_name(ix, &mut left);
                }
            }
        }
    }

    /// A pending tool that is too dear is named instead.
    fn keep_or_name(&mut self, ix: ToolIx, left: &mut u32) {
        let tokens = self.prepared.cost(ix, self.level(ix));
        match left.checked_sub(tokens) {
            Some(rest) => *left = rest,
            None => {
                self.pending.retain(|pending| *pending != ix);
                self.forgotten.push(ix);
            }
        }
    }

    /// New tools that are to be always shown, and under Direct, where everything was shown, all new ones, as far as what is
    /// shown unasked may go.
    fn raise_new(&mut self, catalog: &Catalog, added: &[ToolIx]) {
        let always = |ix: &&ToolIx| catalog.get(**ix).manifest.always_load;
        let because = |ix: &ToolIx| if always(&ix) { Because::AlwaysLoad } else { Because::NewTool };
        let all = self.transport == Transport::Direct && self.catalogue.text.is_empty();
        let next = added.iter().filter(always).chain(added.iter().filter(|ix| all && !always(ix)));
        let mut purse = Purse::spoken(self.watch.unasked(&self.settings));
        let before = purse.tokens;
        for ix in next {
            let wish = Wish { tool: *ix, level: None, because: because(ix), place: Place::Conversation };
            self.try_raise(catalog, wish, &mut purse);
        }
        self.watch.spend(before - purse.tokens, &self.settings);
    }
}
