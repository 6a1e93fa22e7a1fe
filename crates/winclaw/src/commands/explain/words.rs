//! Numbers, terms and edges in words for a person.

use winclaw_catalog::evidence::{Edge, Hit, Term, Via};
use winclaw_catalog::{Catalog, ToolIx};
use winclaw_exposure::{Because, field_text, telling};
use winclaw_tool::Text;

use crate::screen::{Screen, harmless};

/// Longest request that is repeated, in characters; and longest need, plan step, or term.
pub const MAX_REQUEST: usize = 300;
pub const MAX_PART: usize = 80;

/// `number` with a comma between thousands.
pub fn number(number: impl Into<u64>) -> String {
    let digits = number.into().to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// One line of a text from outside, short and harmless.
pub fn short(text: &str, most: usize) -> String {
    let one_line: Vec<&str> = text.split_whitespace().collect();
    winclaw_catalog::clean(&one_line.join(" "), most)
}

/// Terms with the field that has them and what they added, such as `文档 example 4.1, Word alias 6.0`. One word that
/// counted twice in a field, by itself and by what it means, is told once.
pub fn terms(screen: &Screen, terms: &[&Term]) -> String {
    let mut told: Vec<(&str, &str, f32)> = Vec::new();
    for term in terms {
        match told.iter_mut().find(|(text, field, _)| *text == term.text && *field == term.field) {
            Some((.., score)) => *score += term.score,
            None => told.push((&term.text, &term.field, term.score)),
        }
    }
    let word = |(text, field, score): &(&str, &str, f32)| {
        format!("{} {} {score:.1}", short(text, MAX_PART), screen.text(&field_text(field)))
    };
    let words: Vec<String> = told.iter().map(word).collect();
    words.join(screen.word(", ", "、"))
}

/// An edge in words, from the tool it brought.
pub fn via(catalog: &Catalog, via: Via) -> Text {
    let id = id(catalog, via.from);
    let both = |en: String, zh: String| Text { en, zh };
    match via.edge {
        Edge::InputFrom => both(format!("its result feeds {id}"), format!("它的结果可供 {id} 使用")),
        Edge::FollowsUsed => both(format!("follows {id}, which was used"), format!("可接在已使用的 {id} 之后")),
        Edge::OftenWith => both(format!("often used with {id}"), format!("常与 {id} 一起使用")),
        Edge::Mentioned => both(format!("named with {id} in a description"), format!("说明中与 {id} 一同提及")),
        Edge::SameSource => both(format!("of the source of {id}, which was used"), format!("与已使用的 {id} 同源")),
        Edge::Used => Text::new("used before, and the request goes on from there", "此前用过，请求由此继续"),
    }
}

/// The id of a tool, `?` for one that is not of the catalogue.
pub fn id(catalog: &Catalog, tool: ToolIx) -> String {
    catalog.tools().get(tool.index()).map_or_else(|| "?".to_owned(), |tool| harmless(tool.id.as_str()))
}

/// Why a tool stands where it stands: the reason, what else of the request fits it, and the edge it came by.
pub fn reasons(screen: &Screen, catalog: &Catalog, because: &Because, hit: Option<&Hit>) -> Vec<String> {
    let found: Vec<&Term> = hit.map(|hit| telling(&hit.terms)).unwrap_or_default();
    let fitting: Vec<&Term> = found.iter().copied().filter(|term| term.field != "exact").collect();
    let fits = |en: &str, zh: &str| format!("{}{}", screen.word(en, zh), terms(screen, &fitting));
    let also = (!fitting.is_empty()).then(|| fits("also fits: ", "另外相符："));
    let mut lines = match because {
        Because::Terms { .. } if !fitting.is_empty() => vec![fits("fits the request: ", "与请求相符：")],
        Because::Guess { .. } if !fitting.is_empty() => vec![fits("a guess, fits weakly: ", "只是猜测，弱相符：")],
        other => std::iter::once(harmless(screen.text(&other.text(catalog)))).chain(also).collect(),
    };
    let told = matches!(because, Because::Feeds(_) | Because::FollowsFrom(_) | Because::OftenWith(_));
    let edge = hit.and_then(|hit| hit.via).filter(|_| !told);
    lines.extend(edge.map(|edge| {
        let words = via(catalog, edge);
        format!("{}{}", screen.word("lifted by an edge: ", "因关联而提升："), screen.text(&words))
    }));
    lines
}
