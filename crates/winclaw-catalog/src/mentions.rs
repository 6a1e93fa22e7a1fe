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
        let named = known(tools, names, &token).or_else(|| bare(tools, names, tool.id.source(), &token));
        found.extend(named.filter(|&other| other != own));
    }
    found
}

/// The tool with this id or wire name. Every id has a dot, every wire name a `_`; most words have neither.
fn known(tools: &[CatalogTool], names: &Names, token: &Token<'_>) -> Option<ToolIx> {
    let has = |sign| token.text.as_bytes().contains(&sign);
    let by_id = has(b'.').then(|| place(tools, token.text)).flatten();
    by_id.or_else(|| has(b'_').then(|| names.by_wire_name(tools, token.text)).flatten())
}

fn bare(tools: &[CatalogTool], names: &Names, source: &str, token: &Token<'_>) -> Option<ToolIx> {
    if !token.quoted && !is_identifier(token.text) {
        return None;
    }
    let candidates = names.by_bare_name(tools, token.text);
    let of_source = candidates.iter().find(|ix| tools[ix.index()].id.source() == source);
    of_source.or(candidates.first().filter(|_| candidates.len() == 1)).copied()
}

struct Token<'a> {
    text: &'a str,
    quoted: bool,
}

/// Runs of what may stand in a name, without punctuation at their ends, that are longer than one letter.
fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + bytes[at..].iter().position(|b| is_part(*b))?;
        at = start + bytes[start..].iter().position(|b| !is_part(*b)).unwrap_or(bytes.len() - start);
        Some((start, at))
    })
    .filter_map(move |(start, end)| {
        let is_punctuation = |at: &usize| matches!(bytes[*at], b'.' | b'-');
        let start = (start..end).find(|at| !is_punctuation(at))?;
        let end = (start..end).rfind(|at| !is_punctuation(at))? + 1;
        let is_quote = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(|b| b"`'\"".contains(b));
        let quoted = is_quote(start.checked_sub(1)) && is_quote(Some(end));
        (end - start > 1).then(|| Token { text: &text[start..end], quoted })
    })
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn is_identifier(name: &str) -> bool {
    let bytes = name.as_bytes();
    let camel = bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    camel || bytes.iter().any(|b| matches!(b, b'_' | b'-' | b'.'))
}
