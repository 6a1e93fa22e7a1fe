//! What must hold of a task after every step, whatever the step was.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};
use winclaw_catalog::{RESERVED, Resolution, ToolIx};
use winclaw_exposure::{
    Because, Entry, Event, HowToReach, Level, Native, Prefix, Reach, Transport, estimate_tokens, meta,
};

use crate::support::Step;
use crate::task::{Said, Task, has_word, schemas_in};

/// A task before a step.
pub(crate) struct Before {
    levels: BTreeMap<String, Level>,
    schemas: BTreeMap<String, String>,
    permitted: BTreeSet<String>,
    reach: Reach,
    epoch: u32,
    entries: Vec<Entry>,
    said: usize,
    prefix: Arc<Prefix>,
    used: BTreeSet<String>,
}

impl Before {
    pub(crate) fn of(task: &Task, used: &BTreeSet<String>) -> Before {
        let permitted = task.catalog.permitted().map(|ix| task.name(ix).to_owned()).collect();
        Before {
            levels: task.levels(),
            schemas: task.schemas(),
            permitted,
            reach: task.exposure.reach(),
            epoch: epoch(task),
            entries: task.exposure.ledger().to_vec(),
            said: task.said.len(),
            prefix: task.prefix(),
            used: used.clone(),
        }
    }
}

fn epoch(task: &Task) -> u32 {
    task.exposure.ledger().last().map_or(1, |entry| entry.epoch)
}

/// Every promise that is about one step.
pub(crate) fn hold_after(task: &Task, step: &Step, before: &Before) {
    nothing_falls(task, step, before);
    only_a_cause_ends_an_epoch(task, step, before);
    what_was_told_stays_told(task, step, before);
    closed(task);
    nothing_disabled_is_said(task, before);
    reveals_can_be_shown(task, before);
    if epoch(task) > before.epoch {
        a_prefix_is_sound(task, &task.prefix());
    }
    if matches!(step, Step::Adopt(_)) {
        what_changed_is_told_anew(task, before);
    }
    if matches!(step, Step::Compacted) {
        what_was_used_is_at_hand(task, before);
    }
}

/// I2: levels and the reach never fall, but for what is no longer permitted; and the ledger only grows.
fn nothing_falls(task: &Task, step: &Step, before: &Before) {
    let now = task.levels();
    for (name, level) in &before.levels {
        let ix = known(task, name);
        assert!(now[name] >= *level || !task.catalog.get(ix).permitted(), "I2: {name} fell at {step:?}");
    }
    assert!(before.reach <= task.exposure.reach(), "I2: the reach fell at {step:?}");
    let kept = &task.exposure.ledger()[..before.entries.len()];
    let same = |(old, new): (&Entry, &Entry)| (old.turn, old.epoch) == (new.turn, new.epoch);
    assert!(before.entries.iter().zip(kept).all(same), "the ledger was rewritten at {step:?}");
    if !matches!(step, Step::Adopt(_)) {
        assert_eq!(before.entries, kept, "the ledger was rewritten at {step:?}");
    }
}

fn known(task: &Task, name: &str) -> ToolIx {
    match task.catalog.resolve(name) {
        Resolution::One(ix) => ix,
        other => panic!("{name} was known and now is {other:?}"),
    }
}

/// I4: the prefix is one value for the whole epoch, and every epoch that ends has a cause that fits what happened, and a
/// price.
fn only_a_cause_ends_an_epoch(task: &Task, step: &Step, before: &Before) {
    let new = &task.exposure.ledger()[before.entries.len()..];
    let opened: Vec<&Entry> = new.iter().filter(|entry| matches!(entry.event, Event::Opened { .. })).collect();
    assert_eq!(opened.len() as u32, epoch(task) - before.epoch, "I4: an epoch without a word at {step:?}");
    assert!(opened.len() <= 1, "I4: one step ended two epochs: {step:?}");
    let revoked = before.permitted.iter().any(|name| !task.catalog.get(known(task, name)).permitted());
    let weighed = new.iter().find_map(|entry| match entry.event {
        Event::Weighed { rebilling, bridging } => Some(rebilling < bridging),
        _ => None,
    });
    let expected = match step {
        Step::Compacted => Some(Because::Compacted),
        Step::Reset(_) => Some(Because::Reset),
        Step::Switch(_) => Some(Because::ModelSwitched),
        Step::NewRequest(..) => weighed.expect("it was weighed").then_some(Because::NewRequest),
        Step::Adopt(_) => revoked.then_some(Because::Revoked),
        _ => None,
    };
    assert_eq!(opened.first().map(|entry| &entry.because), expected.as_ref(), "I4: {step:?}");
    for entry in opened {
        let Event::Opened { prefix_tokens, rebilled, .. } = entry.event else { continue };
        assert!(rebilled >= prefix_tokens && prefix_tokens == task.prefix().tokens(), "I4: a price that is not so");
    }
    let same = Arc::ptr_eq(&before.prefix, &task.prefix());
    assert!(same || expected.is_some(), "I4: another prefix within the epoch at {step:?}");
}

/// I5: a schema that is before the model stays so within an epoch, unless the tool changed or may not be used any more.
fn what_was_told_stays_told(task: &Task, step: &Step, before: &Before) {
    if epoch(task) > before.epoch {
        return;
    }
    let now = task.schemas();
    for (name, fingerprint) in &before.schemas {
        let tool = task.catalog.get(known(task, name));
        let same = tool.permitted() && tool.fingerprint == *fingerprint;
        assert!(!same || now.contains_key(name), "I5: {name} was taken back at {step:?}");
    }
}

/// I7: whatever a tool requires stands as high as the tool, as far as it is permitted.
fn closed(task: &Task) {
    for ix in task.catalog.all().filter(|ix| task.exposure.level(*ix) > Level::Named) {
        let level = task.exposure.level(ix);
        for required in task.catalog.closure(ix).into_iter().filter(|ix| task.catalog.get(*ix).permitted()) {
            let other = task.exposure.level(required);
            assert!(
                other >= level,
                "I7: {} is {level:?}, {}, which it requires, {other:?}",
                task.name(ix),
                task.name(required)
            );
        }
    }
}

/// I16: nothing disabled has a level, a place in the prefix or a word in what the model is sent unasked.
fn nothing_disabled_is_said(task: &Task, before: &Before) {
    let prefix = task.prefix();
    let said = &task.said[before.said..];
    for ix in task.catalog.all().filter(|ix| !task.catalog.get(*ix).permitted()) {
        let name = task.name(ix);
        assert_eq!(task.exposure.level(ix), Level::Named, "I16: {name}");
        assert_eq!(task.exposure.how_to_reach(&task.catalog, ix), HowToReach::Disabled);
        let specs = prefix.tools.iter().chain(&prefix.deferred).map(AsRef::as_ref);
        assert!(!specs.chain(said.iter().flat_map(|said| &said.reveals)).any(|spec| spec.name == *name), "I16: {name}");
        assert!(!has_word(&prefix.system, name), "I16: {name} is in the system text");
        let schema = format!("{{\"name\":\"{name}\"");
        assert!(!said.iter().any(|said| said.text.contains(&schema)), "I16: {name} was shown");
        assert!(!said.iter().any(|said| said.tail && has_word(&said.text, name)), "I16: {name} is in a tail");
    }
}

/// Under References a result refers only to what stands in the request as it was sent, byte for byte: anything else is
/// refused with the whole request. Without the vendor's blocks there are none.
fn reveals_can_be_shown(task: &Task, before: &Before) {
    for spec in task.said[before.said..].iter().flat_map(|said| &said.reveals) {
        assert_eq!(task.exposure.transport(), Transport::Native, "{} was revealed", spec.name);
        let there = before.prefix.deferred.iter().chain(&before.prefix.tools).any(|deferred| **deferred == *spec);
        assert!(
            there || task.settings.native == Some(Native::SearchResult),
            "{} was referred to and is not there",
            spec.name
        );
    }
}

/// I8, I11 and what the system text says, of a prefix that was just made.
pub(crate) fn a_prefix_is_sound(task: &Task, prefix: &Prefix) {
    let settings = &task.settings;
    assert!(prefix.tools.len() <= settings.max_tools.max(RESERVED.len()), "I11: {} tools", prefix.tools.len());
    let names: Vec<&str> = prefix.tools.iter().chain(&prefix.deferred).map(|spec| spec.name.as_str()).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "I8: two tools of one name");
    let specs = meta::specs(settings);
    for spec in prefix.tools.iter().chain(&prefix.deferred) {
        match RESERVED.contains(&spec.name.as_str()) {
            true => assert!(specs.contains(spec), "I8: {} was taken", spec.name),
            false => assert_eq!(task.name(known(task, &spec.name)), spec.name, "I8"),
        }
    }
    everything_else_is_deferred(task, prefix);
    speaks_of_what_is_there(prefix);
}

fn everything_else_is_deferred(task: &Task, prefix: &Prefix) {
    let refers = task.exposure.transport() == Transport::Native && task.settings.native == Some(Native::References);
    let in_array: BTreeSet<&String> = prefix.tools.iter().map(|spec| &spec.name).collect();
    let rest =
        task.catalog.permitted().map(|ix| &task.catalog.get(ix).wire_name).filter(|name| !in_array.contains(name));
    let expected: Vec<&String> = if refers { rest.collect() } else { Vec::new() };
    assert_eq!(prefix.deferred.iter().map(|spec| &spec.name).collect::<Vec<_>>(), expected);
}

/// The system text speaks of no meta tool the model does not have.
fn speaks_of_what_is_there(prefix: &Prefix) {
    let usage = prefix.system.split("# Catalogue of tools").next().unwrap_or_default();
    for name in RESERVED {
        let there = prefix.tools.iter().any(|tool| tool.name == name);
        assert!(there || !usage.contains(name), "{name} is spoken of and not there: {usage}");
    }
}

/// A schema that the model had read and that changed is in the next request as it is now, or named there as changed.
fn what_changed_is_told_anew(task: &Task, before: &Before) {
    let next = task.exposure.clone().surface(&task.catalog);
    let tail = next.tail.unwrap_or_default();
    for (name, fingerprint) in &before.schemas {
        let tool = task.catalog.get(known(task, name));
        if tool.fingerprint == *fingerprint || !tool.permitted() {
            continue;
        }
        let current =
            next.prefix.tools.iter().any(|spec| spec.name == *name && tool.manifest.description == spec.description);
        assert!(current || has_word(&tail, name), "{name} changed, and the model was not told: {tail}");
    }
}

/// I15: after a compaction every tool the task used has its name before the model, and its schema where all of them take
/// no more than a tenth of the window.
fn what_was_used_is_at_hand(task: &Task, before: &Before) {
    let mut later = task.exposure.clone();
    let next = later.surface(&task.catalog);
    let tail = next.tail.unwrap_or_default();
    let in_tail: Vec<Value> = schemas_in(&tail);
    let used: Vec<ToolIx> = before.used.iter().map(|name| known(task, name)).collect();
    let all_fit = used.iter().map(|ix| whole(task, *ix)).sum::<f32>() * 10.0 <= task.settings.window_tokens as f32;
    for ix in used.into_iter().filter(|ix| task.catalog.get(*ix).permitted()) {
        let name = task.name(ix);
        let shown =
            next.prefix.tools.iter().any(|spec| spec.name == *name) || in_tail.iter().any(|own| own["name"] == *name);
        let named = has_word(&tail, name) || has_word(&next.prefix.system, name);
        assert!(shown || named, "I15: {name} was used and is nowhere: {tail}");
        assert!(shown || !all_fit, "I15: {name} was used, and its schema is gone: {tail}");
        assert_ne!(later.how_to_reach(&task.catalog, ix), HowToReach::Search, "I15: {name}");
    }
}

/// What the whole schema of a tool and of all it requires takes, in real tokens.
fn whole(task: &Task, ix: ToolIx) -> f32 {
    let group = task.catalog.closure(ix).into_iter().chain([ix]);
    let text = |ix| format!("{:?}", task.catalog.get(ix).manifest);
    let tokens: u32 = group.map(|ix| estimate_tokens(&text(ix))).sum();
    tokens as f32 * task.exposure.scale()
}

/// Every schema that rose is in the array, or in what the model still has of the conversation.
pub(crate) fn every_rise_was_sent(task: &Task) {
    let last = &task.surfaces.last().expect("a surface").prefix;
    let mut sent: BTreeSet<String> = last.tools.iter().map(|spec| spec.name.clone()).collect();
    for said in &task.said[task.texts_from..] {
        sent.extend(schemas_in(&said.text).iter().filter_map(|schema| Some(schema["name"].as_str()?.to_owned())));
    }
    sent.extend(task.said[task.blocks_from..].iter().flat_map(|said| &said.reveals).map(|spec| spec.name.clone()));
    for shown in task.exposure.shown() {
        assert!(sent.contains(task.name(shown.tool)), "{} rose and was never shown", task.name(shown.tool));
    }
}

/// I18: the same schema stands in the conversation once, unless its tool was disabled in between.
pub(crate) fn no_schema_was_sent_twice(task: &Task) {
    let mut seen = BTreeSet::new();
    let revoked = task.exposure.ledger().iter().filter(|entry| matches!(entry.event, Event::Revoked { .. }));
    let revoked: BTreeSet<&str> = revoked.filter_map(|entry| Some(task.name(entry.event.tool()?))).collect();
    let from = task.texts_from.max(task.blocks_from);
    for (at, said) in task.said[from..].iter().enumerate() {
        let blocks = said
            .reveals
            .iter()
            .map(|spec| json!({"name": spec.name, "description": spec.description, "parameters": spec.parameters}));
        for mut schema in schemas_in(&said.text).into_iter().chain(blocks) {
            // What stands beside the schema proper does not make it another.
            if let Some(map) = schema.as_object_mut() {
                map.retain(|key, _| matches!(key.as_str(), "name" | "description" | "parameters"));
            }
            let fresh =
                seen.insert(schema.to_string()) || revoked.contains(schema["name"].as_str().unwrap_or_default());
            assert!(fresh, "I18: sent again in {at}: {schema}\n{}", conversation(&task.said[from..]));
        }
    }
}

fn conversation(said: &[Said]) -> String {
    said.iter().map(|said| format!("- {}\n", said.text)).collect()
}
