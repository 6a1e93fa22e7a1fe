use std::collections::BTreeSet;

use crate::resolve::Names;
use crate::{CatalogTool, ToolIx, place};

/// Most tools one description brings in.
const MAX: usize = 16;

/// The first tools that the description of `own` names: by id, by wire name, or by a bare name that reads as one.
///
/// A bare name means a tool of the same source before one of another, and the latter only if no two have it. It counts
/// if it is quoted or could not be an ordinary word (`find_symbol`, `findSymbol`).
pub(crate) fn mentioned(tools: &[CatalogTool], names: &Names, own: ToolIx) -> BTreeSet<ToolIx> {
    let tool = &tools[own.index()];
    let mut found = BTreeSet::new();
    for token in tokens(tool.full_description()) {
        if found.len() == MAX {
            break;
        }
        let named = known(tools, names, token.text).or_else(|| bare(tools, names, tool.id.source(), &token));
        found.extend(named.filter(|&other| other != own));
    }
    found
}

/// The tool with this id or wire name. Every id has a dot, every wire name a `_`; most words have neither.
fn known(tools: &[CatalogTool], names: &Names, name: &str) -> Option<ToolIx> {
    let by_id = || name.contains('.').then(|| place(tools, name)).flatten();
    by_id().or_else(|| name.contains('_').then(|| names.by_wire_name(name)).flatten())
}

fn bare(tools: &[CatalogTool], names: &Names, source: &str, token: &Token<'_>) -> Option<ToolIx> {
    if !token.quoted && !is_identifier(token.text) {
        return None;
    }
    let candidates = names.by_bare_name(token.text);
    let of_source = candidates.iter().find(|ix| tools[ix.index()].id.source() == source);
    of_source.or(candidates.first().filter(|_| candidates.len() == 1)).copied()
}

struct Token<'a> {
    text: &'a str,
    quoted: bool,
}

/// Runs of what may stand in a name, without punctuation at their ends.
fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.split(move |c| !is_part(c)).filter_map(move |run| {
        let name = run.trim_matches(['.', '-']);
        let start = name.as_ptr() as usize - text.as_ptr() as usize;
        let end = start + name.len();
        let quoted = text[..start].ends_with(['`', '\'', '"']) && text[end..].starts_with(['`', '\'', '"']);
        (name.len() > 1).then_some(Token { text: name, quoted })
    })
}

fn is_identifier(name: &str) -> bool {
    let camel = name.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    camel || name.contains(['_', '-', '.'])
}
