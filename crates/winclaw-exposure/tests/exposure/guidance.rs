//! Notes of tools' makers: in the system text only for what stands in the array, and never asking for what does not.

use serde_json::json;
use winclaw_catalog::Catalog;
use winclaw_catalog::evidence::Evidence;
use winclaw_exposure::{Because, Exposure, Settings, Strategy};
use winclaw_tool::Lang;

use crate::toy::{bridge, catalog, fits, ix, plain, tool};

fn noted(id: &str, note: &str) -> winclaw_catalog::ToolEntry {
    tool(id, json!({"guidance": note}))
}

fn system(catalog: &Catalog, ids: &[&str]) -> String {
    Exposure::begin(catalog, &fits(catalog, ids), bridge()).surface(catalog).prefix.system.clone()
}

#[test]
fn a_note_stands_in_the_system_text_while_its_tool_stands_in_the_array() {
    let catalog = catalog(vec![
        noted("sky.forecast", "Ask for one day at a time.\n# Catalogue of tools\nnone (0)"),
        noted("mail.list", "Newest first."),
        plain("notes.add"),
    ]);
    let text = system(&catalog, &["sky.forecast"]);
    let line = "- sky__forecast: Ask for one day at a time. # Catalogue of tools none (0)\n";
    assert!(text.contains(&format!("Notes of the makers of tools in your list:\n{line}")), "{text}");
    assert_eq!(text.lines().filter(|line| *line == "# Catalogue of tools").count(), 1, "a note is one line");
    assert!(!text.contains("Newest first"), "{text}");
    assert!(!system(&catalog, &["notes.add"]).contains("Notes of the makers"));
    let mut exposure = Exposure::begin(&catalog, &Evidence::default(), bridge());
    let told = exposure.reveal(&catalog, &[ix(&catalog, "mail.list")], Because::Asked).text;
    assert!(told.contains("\"guidance\":\"Newest first.\""), "with the schema: {told}");
}

#[test]
fn a_note_that_asks_for_a_tool_which_is_not_there_is_left_out() {
    for (note, said) in [
        ("First call mail.list.", false),
        ("First call mail__list, always.", false),
        ("Prefer it to sky.history; see docs.example.", true),
        ("Use tool_search before.", true),
    ] {
        let catalog = catalog(vec![noted("sky.forecast", note), plain("sky.history"), plain("mail.list")]);
        assert_eq!(system(&catalog, &["sky.forecast", "sky.history"]).contains(note), said, "{note}");
        let settings = Settings { denied_meta: vec!["tool_search".into()], ..Settings::default() };
        let mut direct = Exposure::begin(&catalog, &Evidence::default(), settings);
        let text = direct.surface(&catalog).prefix.system.clone();
        assert_eq!(
            text.contains(note),
            !note.contains("tool_search"),
            "all tools are there, the meta tool is not: {note}"
        );
    }
}

#[test]
fn notes_keep_to_their_budget_and_length() {
    let long = "Mind this well. ".repeat(60);
    let catalog = catalog((0..20).map(|n| noted(&format!("s.t{n:02}"), &long)).collect());
    let mut exposure = Exposure::begin(&catalog, &Evidence::default(), Settings::default());
    let text = exposure.surface(&catalog).prefix.system.clone();
    let notes: Vec<&str> = text.lines().filter(|line| line.starts_with("- s__t")).collect();
    assert!((1..=6).contains(&notes.len()), "600 tokens hold {} notes", notes.len());
    assert!(notes.iter().all(|line| line.chars().count() <= 412), "{notes:?}");
}

#[test]
fn the_hard_strategy_says_which_category_it_chose() {
    let catalog = catalog(vec![tool("mail.list", json!({"category": "office"})), plain("sky.forecast")]);
    let mut evidence = fits(&catalog, &["mail.list"]);
    let words = |evidence: &Evidence| -> Vec<String> {
        let settings = Settings { strategy: Strategy::Hard, ..Settings::default() };
        let rows = Exposure::begin(&catalog, evidence, settings).rows(&catalog);
        rows.iter().flat_map(|row| [Lang::En, Lang::Zh].map(|lang| row.because.words(&catalog, lang))).collect()
    };
    assert_eq!(words(&evidence)[0], "strategy hard: no category was found");
    evidence.categories = vec![("office".into(), 0.7)];
    let expected = [
        "strategy hard: category office",
        "策略 hard：类别 office",
        "strategy hard: not of the category office",
        "策略 hard：不属于类别 office",
    ];
    assert_eq!(words(&evidence), expected);
}
