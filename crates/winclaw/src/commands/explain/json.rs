//! The explanation for programs. Schema 1; fields are only ever added.

use std::sync::Arc;

use serde_json::{Value, json};
use winclaw_catalog::ToolIx;
use winclaw_exposure::Row;
use winclaw_tool::ToolSpec;

use super::look::{Context, Look};
use super::words::{id, rest, via};
use crate::commands::figures::rounded;

/// Longest request that is repeated, in characters; `request_chars` says how long it was.
const MAX_REQUEST: usize = 2_000;

/// The request, or the beginning of a very long one.
pub fn request(text: &str) -> String {
    text.chars().take(MAX_REQUEST).collect()
}

/// Everything that `look` found. `payload`: also everything that is sent.
pub fn of(look: &Look<'_>, everything: u32, payload: bool) -> Value {
    let surface = &look.surface;
    let mut value = json!({
        "schema": 1, "request": request(look.asked.request), "request_chars": look.asked.request.chars().count(),
        "context": context(look), "needs": look.asked.needs(),
        "strategy": look.settings.strategy,
        "transport": surface.transport, "transport_because": look.overview.transport_because,
        "reach": surface.reach, "reach_because": look.overview.reach_because, "margin": look.evidence.margin,
        "tools": look.rows.iter().map(|row| tool(look, row)).collect::<Vec<_>>(),
        "epoch": surface.epoch,
        "weighed": look.weighed.map(|(rebilling, bridging)| json!({"rebilling": rebilling, "bridging": bridging})),
        "deferred": deferred(look), "categories": look.evidence.categories,
        "catalogue": look.overview.catalogue, "budgets": look.overview.budgets, "tail": surface.tail,
        "tokens": {"prefix": surface.tokens.prefix, "tail": surface.tokens.tail, "everything": everything}
    });
    if payload && let Some(map) = value.as_object_mut() {
        let prefix = &surface.prefix;
        map.insert(
            "payload".into(),
            json!({"system": prefix.system, "tools": specs(&prefix.tools), "deferred": specs(&prefix.deferred), "message": look.message()}),
        );
    }
    rounded(value)
}

fn specs(of: &[Arc<ToolSpec>]) -> Vec<&ToolSpec> {
    of.iter().map(Arc::as_ref).collect()
}

fn context(look: &Look<'_>) -> Value {
    let Context { used, plan, earlier } = look.asked.context;
    let used: Vec<String> = used.iter().map(|tool| name(look, *tool)).collect();
    let earlier: Vec<String> = earlier.iter().map(|text| request(text)).collect();
    json!({"used": used, "plan": plan.as_deref().map(request), "earlier": earlier})
}

fn name(look: &Look<'_>, tool: ToolIx) -> String {
    id(look.asked.catalog, tool)
}

fn tool(look: &Look<'_>, row: &Row) -> Value {
    let catalog = look.asked.catalog;
    let hit = look.hit(row.tool);
    let requires: Vec<String> = catalog.closure(row.tool).into_iter().map(|tool| name(look, tool)).collect();
    let edge = hit
        .and_then(|hit| hit.via)
        .map(|edge| json!({"from": name(look, edge.from), "edge": edge.edge, "words": via(catalog, edge)}));
    let rest = hit.and_then(|hit| rest(hit.score, hit.terms.iter().map(|term| term.score)));
    json!({"tool": name(look, row.tool), "wire_name": catalog.get(row.tool).wire_name, "level": row.level,
           "because": row.because.text(catalog), "score": hit.map(|hit| hit.score),
           "exact": hit.is_some_and(|hit| hit.exact), "terms": hit.map(|hit| &hit.terms), "rest": rest, "via": edge,
           "requires": requires, "tokens": row.tokens, "how_to_reach": row.how_to_reach,
           "extra_turns": row.how_to_reach.extra_turns()})
}

fn deferred(look: &Look<'_>) -> Vec<Value> {
    let one = |(tool, tokens, because): &(ToolIx, u32, winclaw_exposure::Because)| json!({"tool": name(look, *tool), "tokens": tokens, "because": because.text(look.asked.catalog)});
    look.deferred.iter().map(one).collect()
}
