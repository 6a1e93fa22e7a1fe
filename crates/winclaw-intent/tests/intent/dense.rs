//! Optional vectors: what they may do to a ranking, and what not.

use std::collections::BTreeMap;

use winclaw_catalog::{Catalog, ToolIx};
use winclaw_intent::{Dense, Index, Query, Script};

use crate::support::{Host, office};

/// Vectors of English alone, one number for each field of life. For a text they do not know they make something up, as
/// models do.
struct Toy {
    tools: Vec<(ToolIx, [f32; 3])>,
    weight: BTreeMap<Script, f32>,
}

/// Words of sky, letters and code.
const FIELDS: [&[&str]; 3] =
    [&["umbrella", "rain", "wind", "soaked"], &["letter", "parcel", "correspondence"], &["function", "symbol", "code"]];

impl Toy {
    fn of(catalog: &Catalog, weight: &[(Script, f32)]) -> Toy {
        let vector = |ix: ToolIx| (ix, vector(&catalog.get(ix).manifest.description));
        Toy { tools: catalog.permitted().map(vector).collect(), weight: weight.iter().copied().collect() }
    }
}

fn vector(text: &str) -> [f32; 3] {
    let text = text.to_lowercase();
    FIELDS.map(|words| words.iter().filter(|word| text.contains(**word)).count() as f32)
}

impl Dense for Toy {
    fn weight(&self, script: Script) -> f32 {
        self.weight.get(&script).copied().unwrap_or(0.0)
    }

    fn nearest(&self, text: &str, most: usize) -> Vec<(ToolIx, f32)> {
        let asked = vector(text);
        let dot = |of: &[f32; 3]| asked.iter().zip(of).map(|(a, b)| a * b).sum::<f32>();
        let mut near: Vec<(ToolIx, f32)> = self.tools.iter().map(|(ix, of)| (*ix, dot(of))).collect();
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        near.truncate(most);
        near
    }
}

fn with(weight: &[(Script, f32)]) -> Host {
    let Host { catalog, index } = Host::new(office());
    let toy = Toy::of(&catalog, weight);
    Host { index: index.with_dense(Box::new(toy)), catalog }
}

#[test]
fn vectors_that_know_english_leave_chinese_alone() {
    let (plain, english) = (Host::new(office()), with(&[(Script::Latin, 1.0)]));
    for request in ["明天要带伞吗", "帮我写一份周报", "用 GitHub 翻译一下", "公众号", "，", "", "в городе"]
    {
        assert_eq!(plain.ask(request), english.ask(request), "{request}");
    }
    let other = english.ask("shall I get soaked");
    assert_ne!(plain.ask("shall I get soaked"), other);
}

#[test]
fn a_paraphrase_finds_what_no_word_finds() {
    let (plain, english) = (Host::new(office()), with(&[(Script::Latin, 1.0)]));
    for (request, id) in [("is an umbrella wise", "sky.forecast"), ("answer the correspondence", "mail.send")] {
        let first = |host: &Host| host.place(&host.ask(request), id).unwrap_or(usize::MAX);
        assert!(first(&english) < first(&plain).min(3), "{request}: {:?}", english.ids(&english.ask(request)));
    }
    let evidence = english.ask("is an umbrella wise");
    assert_eq!(evidence.hits[0].terms[0].field, "meaning");
    assert!(evidence.hits.iter().all(|hit| hit.score > 0.0), "{evidence:?}");
}

#[test]
fn names_stay_first_and_disabled_tools_stay_out() {
    let english = with(&[(Script::Latin, 5.0)]);
    let evidence = english.ask("code.find_text for my umbrella");
    assert!(evidence.hits[0].exact && english.id(evidence.hits[0].tool) == "code.find_text", "{evidence:?}");
    let strange = Strange(vec![(ToolIx(9_999), f32::NAN), (ToolIx(0), f32::NAN), (ToolIx(0), 1.0)]);
    let (catalog, _) = Catalog::build(office());
    let index = Index::build(&catalog).with_dense(Box::new(strange));
    let found = index.weigh(&catalog, &Query { message: "zzz", ..Query::default() });
    assert_eq!(found.hits.iter().map(|hit| hit.tool).collect::<Vec<_>>(), [ToolIx(0)]);
}

/// Answers that no honest model gives.
struct Strange(Vec<(ToolIx, f32)>);

impl Dense for Strange {
    fn weight(&self, _: Script) -> f32 {
        f32::INFINITY
    }

    fn nearest(&self, _: &str, _: usize) -> Vec<(ToolIx, f32)> {
        self.0.clone()
    }
}
