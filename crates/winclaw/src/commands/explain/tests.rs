use serde_json::{Value, json};
use winclaw_agent::Ranking;
use winclaw_catalog::{Catalog, State, ToolEntry, ToolIx};
use winclaw_exposure::{HowToReach, Native, Settings, Strategy, Transport};
use winclaw_tool::{Lang, Text, ToolId};

use super::compare::Compared;
use super::json;
use super::layout::{Page, wrap};
use super::look::{Asked, Context, Look};
use super::page::{self, Extent};
use crate::screen::{Screen, width};

struct Toys {
    catalog: Catalog,
    ranking: Ranking,
    context: Context,
}

fn entry(id: &str, category: &str, more: Value) -> ToolEntry {
    let id = ToolId::parse(id).expect("an id");
    let mut manifest = json!({"name": id.name(), "category": category, "summary": format!("The {} tool", id.name()),
        "description": "", "parameters": {"type": "object"}, "side_effect": "read"});
    manifest.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    ToolEntry { id, manifest: serde_json::from_value(manifest).expect("a manifest"), state: State::Ready }
}

fn wide(words: &str, parameters: usize) -> Value {
    let properties: serde_json::Map<String, Value> = (0..parameters)
        .map(|n| (format!("field_{n}"), json!({"type": "string", "description": format!("What to put at {n}")})))
        .collect();
    let required: Vec<&String> = properties.keys().collect();
    json!({"type": "object", "description": words, "required": required, "properties": properties})
}

impl Toys {
    /// Two tools that a request for a forecast in a document needs, one too large to show, and sixty others.
    fn new() -> Toys {
        let mut entries = vec![
            entry(
                "sky.forecast",
                "sky",
                json!({"summary": {"en": "Outlook for a place", "zh": "某地的天气"},
                "aliases": {"en": ["outlook"], "zh": ["天气"]}}),
            ),
            entry(
                "paper.write",
                "paper",
                json!({"summary": {"en": "Writes a document", "zh": "写文档"},
                "depends_on": ["paper.open", {"tool": "sky.forecast", "kind": "input_from"}]}),
            ),
            entry("paper.open", "paper", json!({"summary": "Opens what is written"})),
            entry(
                "paper.print",
                "paper",
                json!({"summary": "Prints a document in any shape",
                "parameters": wide("shapes", 400)}),
            ),
        ];
        entries.extend((0..60).map(|n| entry(&format!("filler.no_{n:02}"), "filler", json!({}))));
        entries[3].state =
            State::Unavailable { why: Text::new("the printer is off", "打印机已关闭"), retryable: true };
        let (catalog, problems) = Catalog::build(entries);
        assert!(problems.is_empty(), "{problems:?}");
        Toys { ranking: Ranking::of(&catalog), catalog, context: Context::default() }
    }

    fn ix(&self, id: &str) -> ToolIx {
        self.catalog.ix(&ToolId::parse(id).expect("an id")).expect("known")
    }

    fn asked<'a>(&'a self, request: &'a str) -> Asked<'a> {
        Asked { catalog: &self.catalog, ranking: &self.ranking, request, context: &self.context }
    }

    fn lines(&self, request: &str, lang: Lang, columns: usize, extent: Extent) -> Vec<String> {
        let screen = Screen::plain(lang);
        let mut page = Page::new(screen, columns);
        let asked = self.asked(request);
        page::write(&mut page, &screen, &Look::of(asked, bridge()), asked.everything(&bridge()), extent);
        page.lines().to_vec()
    }
}

fn bridge() -> Settings {
    Settings { transport: Some(Transport::Bridge), ..Settings::default() }
}

const REQUEST: &str = "查北京天气，and write it into a document";

#[test]
fn the_page_says_what_is_shown_why_and_how_the_rest_is_reached() {
    let page = Toys::new().lines(REQUEST, Lang::En, 120, Extent::default()).join("\n");
    for words in [
        "needs       查北京天气 | and write it into a document",
        "transport   bridge: it was asked for",
        "天气 alias",
        "document summary",
        "required by paper.write",
        "needs paper.open",
        "its result feeds paper.write",
        "called by name, details one question away (61)",
        "and 37 more (--all)",
        "Deferred",
        "paper.print [unavailable now]",
        "names and summaries",
        "Likely useful now: ",
        "showing everything would take about",
    ] {
        assert!(page.contains(words), "lacks {words:?}:\n{page}");
    }
    let all = Toys::new().lines(REQUEST, Lang::En, 120, Extent { all: true, payload: false }).join("\n");
    assert!(all.contains("filler.no_59") && !page.contains("filler.no_59"), "{all}");
}

#[test]
fn the_chinese_page_says_the_same() {
    let page = Toys::new().lines(REQUEST, Lang::Zh, 120, Extent::default()).join("\n");
    for words in [
        "需求",
        "天气 别名",
        "paper.write 需要它",
        "按名称调用",
        "因预算不足而推迟",
        "暂不可用",
        "名称和简介",
        "展示全部约需",
    ] {
        assert!(page.contains(words), "lacks {words:?}:\n{page}");
    }
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let toys = Toys::new();
    for lang in [Lang::En, Lang::Zh] {
        for columns in [24, 40, 61, 100] {
            let mut lines = toys.lines(REQUEST, lang, columns, Extent { all: true, payload: false });
            let screen = Screen::plain(lang);
            let mut page = Page::new(screen, columns);
            Compared::of(toys.asked(REQUEST), &bridge()).write(&mut page, &screen, true);
            lines.extend(page.lines().to_vec());
            let wide: Vec<&String> = lines.iter().filter(|line| width(line) > columns).collect();
            assert!(wide.is_empty(), "{columns} columns: {wide:#?}");
        }
    }
}

#[test]
fn the_payload_is_what_is_sent_byte_for_byte() {
    let toys = Toys::new();
    let look = Look::of(toys.asked(REQUEST), bridge());
    let page = toys.lines(REQUEST, Lang::En, 40, Extent { all: false, payload: true });
    let text = page.join("\n");
    assert!(look.surface.prefix.system.lines().all(|line| page.contains(&line.to_owned())), "{text}");
    for spec in &look.surface.prefix.tools {
        assert!(page.contains(&serde_json::to_string(&**spec).expect("json")), "{} is not there:\n{text}", spec.name);
    }
    let tail = look.surface.tail.clone().expect("advice");
    assert!(text.contains(&format!("{REQUEST}\n\n{tail}")), "{text}");
    let value = json::of(&look, 1, true);
    assert_eq!(value["payload"]["system"], json!(look.surface.prefix.system));
    assert_eq!(value["payload"]["message"], json!(format!("{REQUEST}\n\n{tail}")));
    assert!(json::of(&look, 1, false).get("payload").is_none());
}

#[test]
fn a_model_that_reveals_natively_is_explained_with_what_is_held_back() {
    let toys = Toys::new();
    let native = Settings { native: Some(Native::References), ..Settings::default() };
    let look = Look::of(toys.asked(REQUEST), native);
    let value = json::of(&look, 1, true);
    assert_eq!(value["transport"], "native");
    let because = value["transport_because"]["en"].as_str().expect("a reason");
    assert!(because.contains("at most 6,000 are shown whole"), "{because}");
    let (sent, held) = (value["payload"]["tools"].as_array(), value["payload"]["deferred"].as_array());
    let (sent, held) = (sent.expect("tools").len(), held.expect("deferred").len());
    assert!(held >= 60 && sent < 12, "{sent} sent, {held} held back");
}

#[test]
fn the_json_has_each_tool_with_its_terms_edge_and_way() {
    let toys = Toys::new();
    let look = Look::of(toys.asked(REQUEST), bridge());
    let value = json::of(&look, 9_000, false);
    assert_eq!(value["schema"], 1);
    assert_eq!(value["needs"], json!(["查北京天气", "and write it into a document"]));
    assert_eq!(value["tools"].as_array().map(Vec::len), Some(64));
    let of = |id: &str| {
        let tools = value["tools"].as_array().expect("tools").iter();
        tools.clone().find(|tool| tool["tool"] == id).expect("a tool").clone()
    };
    assert_eq!(of("sky.forecast")["via"]["edge"], "input_from");
    assert_eq!(of("sky.forecast")["via"]["from"], "paper.write");
    assert_eq!(of("paper.write")["requires"], json!(["paper.open"]));
    assert_eq!((&of("filler.no_00")["how_to_reach"], &of("filler.no_00")["extra_turns"]), (&json!("named"), &json!(1)));
    assert_eq!(value["deferred"][0]["tool"], "paper.print");
    assert_eq!(value["catalogue"], "summaries");
    assert!(value["budgets"].as_array().is_some_and(|budgets| budgets.len() >= 4), "{value}");
    assert_eq!(value["tokens"]["everything"], 9_000);
}

#[test]
fn a_task_in_progress_keeps_the_tools_it_used_and_follows_the_plan() {
    let mut toys = Toys::new();
    let fresh = Look::of(toys.asked("再来一次"), bridge());
    assert!(fresh.shown().all(|row| row.tool != toys.ix("sky.forecast")));
    toys.context = Context {
        used: vec![toys.ix("sky.forecast")],
        plan: Some("write a document".to_owned()),
        earlier: vec!["outlook".to_owned()],
    };
    let look = Look::of(toys.asked("再来一次"), bridge());
    let shown: Vec<ToolIx> = look.shown().map(|row| row.tool).collect();
    assert!(shown.contains(&toys.ix("sky.forecast")), "{shown:?}");
    assert!(shown.contains(&toys.ix("paper.write")), "{shown:?}");
    let page = toys.lines("再来一次", Lang::En, 100, Extent::default()).join("\n");
    for words in ["earlier", "used        sky.forecast", "plan        write a document"] {
        assert!(page.contains(words), "lacks {words:?}:\n{page}");
    }
}

#[test]
fn side_by_side_tells_what_hard_hides_and_what_full_costs() {
    let toys = Toys::new();
    let compared = Compared::of(toys.asked(REQUEST), &bridge());
    let value = compared.json();
    let strategies = value["strategies"].as_array().expect("strategies");
    let of = |name: &str| strategies.iter().find(|one| one["strategy"] == name).expect("a strategy");
    assert_eq!(of("progressive")["unreachable"], json!([]));
    assert_eq!(of("full")["shown"], 64);
    let hidden = of("hard")["unreachable"].as_array().expect("ids").len();
    assert!(hidden >= 60, "{hidden}");
    let lost = |tool: &Value| tool["in"]["hard"]["lot"] == "hidden";
    let recommended = value["recommended"].as_array().expect("tools");
    assert!(recommended.iter().any(lost), "{value}");
    assert!(recommended.iter().all(|tool| tool["in"]["full"]["of"] == 64), "{value}");

    let screen = Screen::plain(Lang::En);
    let mut page = Page::new(screen, 100);
    compared.write(&mut page, &screen, false);
    let text = page.lines().join("\n");
    for words in [
        "progressive",
        "hidden",
        "Cannot be reached under hard",
        "of 64",
        "alphabetical",
        "own evidence",
        "  1. ",
        "progressive hides none",
    ] {
        assert!(text.contains(words), "lacks {words:?}:\n{text}");
    }
}

#[test]
fn what_a_vendor_would_refuse_is_said_of_full() {
    let entries = (0..200).map(|n| entry(&format!("filler.no_{n}"), "filler", json!({}))).collect();
    let (catalog, _) = Catalog::build(entries);
    let toys = Toys { ranking: Ranking::of(&catalog), catalog, context: Context::default() };
    let value = Compared::of(toys.asked("no 7"), &Settings::default()).json();
    let limits: Vec<&Value> =
        value["strategies"].as_array().expect("strategies").iter().map(|one| &one["limit"]).collect();
    assert_eq!(limits[..2], ["kept", "too_many_tools"]);
}

#[test]
fn every_request_has_a_bounded_answer() {
    let toys = Toys::new();
    let long = "天气 outlook\u{0}\u{202e} ".repeat(60_000);
    for request in ["x", "天", "🙂🙂", "\u{0}outlook\u{0}", "天気を調べて погода 날씨 outlook", long.as_str()]
    {
        let lines = toys.lines(request, Lang::En, 80, Extent::default());
        let text = lines.join("\n");
        assert!(text.len() < 20_000, "{} bytes for {} characters", text.len(), request.chars().count());
        assert!(!text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{text:?}");
        let value = json::of(&Look::of(toys.asked(request), bridge()), 1, false);
        assert!(value.to_string().len() < 200_000);
        assert_eq!(value["request_chars"], json!(request.chars().count()));
    }
    assert!(toys.lines(&long, Lang::En, 80, Extent::default())[..8].join(" ").contains("characters)"));
}

#[test]
fn a_catalogue_without_tools_is_explained_too() {
    let (catalog, _) = Catalog::build(Vec::new());
    let toys = Toys { ranking: Ranking::of(&catalog), catalog, context: Context::default() };
    let page = toys.lines("anything", Lang::En, 60, Extent::default()).join("\n");
    assert!(page.contains("Shown with their parameters (0)") && !page.contains('%'), "{page}");
    for strategy in [Strategy::Full, Strategy::Hard] {
        let look = Look::of(toys.asked("anything"), Settings { strategy, ..Settings::default() });
        assert!(look.rows.is_empty());
    }
    let compared = Compared::of(toys.asked("anything"), &Settings::default());
    compared.json();
    let screen = Screen::plain(Lang::En);
    let mut page = Page::new(screen, 100);
    compared.write(&mut page, &screen, false);
    let text = page.lines().join("\n");
    assert!(text.contains("points to no tool") && !text.contains('%') && !text.contains("of these 0"), "{text}");
}

#[test]
fn where_everything_is_shown_the_page_says_so() {
    let toys = Toys::new();
    for (lang, words) in [(Lang::En, "everything is shown"), (Lang::Zh, "已展示全部工具")] {
        let screen = Screen::plain(lang);
        let settings = Settings { transport: Some(Transport::Direct), ..Settings::default() };
        let asked = toys.asked(REQUEST);
        let mut page = Page::new(screen, 120);
        page::write(
            &mut page,
            &screen,
            &Look::of(asked, settings.clone()),
            asked.everything(&settings),
            Extent::default(),
        );
        let last = page.lines().last().expect("a line");
        assert!(last.contains(words) && !last.contains('%'), "{last}");
    }
}

#[test]
fn the_parts_of_each_score_sum_to_it_in_json() {
    let toys = Toys::new();
    let value = json::of(&Look::of(toys.asked(REQUEST), bridge()), 1, false);
    for tool in value["tools"].as_array().expect("tools") {
        let Some(score) = tool["score"].as_f64() else { continue };
        let terms = tool["terms"].as_array().expect("terms").iter();
        let parts: f64 = terms.map(|term| term["score"].as_f64().expect("a score")).sum();
        let rest = tool["rest"].as_f64().unwrap_or_default();
        assert!((score - parts - rest).abs() < 0.05 * score + 1e-3, "{tool}");
    }
}

#[test]
fn hard_hides_and_says_so() {
    let toys = Toys::new();
    let look = Look::of(toys.asked("outlook"), Settings { strategy: Strategy::Hard, ..Settings::default() });
    assert!(look.rows.iter().any(|row| row.how_to_reach == HowToReach::Hidden));
    let screen = Screen::plain(Lang::En);
    let mut page = Page::new(screen, 100);
    page::write(&mut page, &screen, &look, 1, Extent::default());
    let text = page.lines().join("\n");
    assert!(text.contains("cannot be reached under this strategy (63)"), "{text}");
}

#[test]
fn lines_break_at_spaces_and_between_wide_characters() {
    assert_eq!(wrap("one two three", 7), ["one two", "three"]);
    assert_eq!(wrap("查北京天气，写成文档", 12), ["查北京天气，", "写成文档"]);
    assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
    assert_eq!(wrap("", 10), [""]);
    for room in 1..30 {
        let text = "mixed 北京 words（和）标点。and-a-long-word-without-a-space 🙂🙂🙂";
        let lines = wrap(text, room);
        assert!(lines.iter().all(|line| width(line) <= room.max(3)), "{room}: {lines:?}");
        let kept = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        assert_eq!(kept(&lines.concat()), kept(text));
    }
}
