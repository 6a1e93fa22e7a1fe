//! Terms and edges in words for a person.

use winclaw_catalog::evidence::{Edge, Hit, Term, Via};
use winclaw_catalog::{Catalog, ToolIx};
use winclaw_exposure::{Because, field_text, telling};
use winclaw_tool::Text;

use crate::screen::{Screen, harmless};

/// Longest request that is repeated, in characters; and longest need, plan step, or term.
pub const MAX_REQUEST: usize = 300;
pub const MAX_PART: usize = 80;

/// One line of a text from outside, short and harmless.
pub fn short(text: &str, most: usize) -> String {
    let one_line: Vec<&str> = text.split_whitespace().collect();
    winclaw_catalog::clean(&one_line.join(" "), most)
}

/// Stands before a word that a tool has in other words.
pub const ALIKE: &str = "≈ ";

/// A remainder below this share of the score is not told of.
const SMALL: f32 = 0.05;

/// One part of a score, in words and to one decimal, as it is printed.
struct Told<'a> {
    text: &'a str,
    field: &'a str,
    alike: bool,
    score: f32,
}

/// One word that counted twice in a field, by itself and by what it means, is told once.
fn told<'a>(terms: &[&'a Term]) -> Vec<Told<'a>> {
    let mut told: Vec<Told<'a>> = Vec::new();
    for term in terms {
        match told.iter_mut().find(|told| told.text == term.text && told.field == term.field) {
            Some(told) => {
                told.score += term.score;
                told.alike &= term.alike;
            }
            None => told.push(Told { text: &term.text, field: &term.field, alike: term.alike, score: term.score }),
        }
    }
    told.iter_mut().for_each(|told| told.score = tenths(told.score));
    told
}

fn tenths(number: f32) -> f32 {
    (number * 10.0).round() / 10.0
}

/// What is left of `score` beside `parts`; nothing when it is less than a twentieth of the score.
pub fn rest(score: f32, parts: impl IntoIterator<Item = f32>) -> Option<f32> {
    let rest = score - parts.into_iter().sum::<f32>();
    (rest.abs() >= SMALL * score.abs() && rest != 0.0).then_some(rest)
}

/// The parts of a score, such as `文档 example 4.1, ≈ Word alias 6.0, other words, needs and edges 2.0`; they sum to it.
fn parts(screen: &Screen, hit: &Hit, fitting: &[&Term]) -> String {
    let named = hit.terms.iter().filter(|term| term.field == "exact").map(|term| tenths(term.score)).sum::<f32>();
    let told = told(fitting);
    let word = |told: &Told<'_>| {
        let (mark, field) = (if told.alike { ALIKE } else { "" }, field_text(told.field));
        format!("{mark}{} {} {:.1}", short(told.text, MAX_PART), screen.text(&field), told.score)
    };
    let mut words: Vec<String> = told.iter().map(word).collect();
    if named > 0.0 {
        words.push(format!("{} {named:.1}", screen.word("being named", "被点名")));
    }
    let rest = rest(tenths(hit.score), told.iter().map(|told| told.score).chain([named])).map(tenths);
    words.extend(
        rest.filter(|rest| *rest != 0.0)
            .map(|rest| format!("{} {rest:.1}", screen.word("other words, needs and edges", "其他词、需求与关联"))),
    );
    words.join(screen.word(", ", "、"))
}

/// Whether `hit` has a word that is told and that its tool has in other words.
pub fn has_alike(hit: &Hit) -> bool {
    told(&telling(&hit.terms)).iter().any(|told| told.alike)
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
    let parts = hit.map(|hit| parts(screen, hit, &fitting)).unwrap_or_default();
    let fits = |en: &str, zh: &str| format!("{}{parts}", screen.word(en, zh));
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

#[cfg(test)]
mod tests {
    use super::*;
    use winclaw_tool::Lang;

    fn hit(score: f32, terms: &[(&str, &'static str, f32, bool)]) -> Hit {
        let term = |&(text, field, score, alike): &(&str, &'static str, f32, bool)| Term {
            text: text.to_owned(),
            field: field.into(),
            score,
            alike,
        };
        Hit { tool: ToolIx(0), score, exact: false, terms: terms.iter().map(term).collect(), via: None }
    }

    fn words(hit: &Hit, lang: Lang) -> String {
        let fitting: Vec<&Term> = hit.terms.iter().filter(|term| term.field != "exact").collect();
        parts(&Screen::plain(lang), hit, &fitting)
    }

    #[test]
    fn the_parts_of_a_score_sum_to_it() {
        let cases = [
            (
                hit(10.0, &[("rain", "alias", 6.0, false), ("sun", "summary", 3.9, false)]),
                "rain alias 6.0, sun summary 3.9",
            ),
            (hit(10.0, &[("rain", "alias", 3.0, false)]), "rain alias 3.0, other words, needs and edges 7.0"),
            (hit(4.1, &[("rain", "alias", 3.0, false), ("rain", "alias", 1.1, true)]), "rain alias 4.1"),
            (hit(2.0, &[("wet", "alias", 2.0, true)]), "≈ wet alias 2.0"),
            (hit(9.0, &[("sky", "exact", 6.0, false), ("rain", "name", 3.0, false)]), "rain name 3.0, being named 6.0"),
        ];
        for (hit, expected) in cases {
            assert_eq!(words(&hit, Lang::En), expected);
        }
        let chinese = words(&hit(10.0, &[("雨", "alias", 3.0, false)]), Lang::Zh);
        assert_eq!(chinese, "雨 别名 3.0、其他词、需求与关联 7.0");
        assert!(has_alike(&hit(2.0, &[("wet", "alias", 2.0, true)])) && !has_alike(&hit(1.0, &[])));
        assert_eq!(rest(10.0, [9.6]), None);
        assert_eq!(rest(0.0, []), None);
    }
}
