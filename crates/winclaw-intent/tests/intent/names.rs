//! I10, D1, D16: a tool is found by what it is called, in two languages and among many.

use serde_json::json;
use winclaw_catalog::ToolEntry;

use crate::support::{Host, entry};

const VERBS: [(&str, &str); 10] = [
    ("archive", "归档"),
    ("compare", "比较"),
    ("rename", "改名"),
    ("print", "打印"),
    ("translate", "翻译"),
    ("count", "清点"),
    ("sign", "签署"),
    ("weigh", "称量"),
    ("paint", "粉刷"),
    ("borrow", "借用"),
];

const THINGS: [(&str, &str); 20] = [
    ("invoice", "发票"),
    ("ticket", "车票"),
    ("photo", "照片"),
    ("barrel", "木桶"),
    ("ladder", "梯子"),
    ("lamp", "台灯"),
    ("carpet", "地毯"),
    ("kettle", "水壶"),
    ("mirror", "镜子"),
    ("anchor", "船锚"),
    ("violin", "提琴"),
    ("helmet", "头盔"),
    ("bridge", "桥梁"),
    ("garden", "花园"),
    ("tunnel", "隧道"),
    ("engine", "引擎"),
    ("blanket", "毛毯"),
    ("compass", "罗盘"),
    ("lantern", "灯笼"),
    ("saddle", "马鞍"),
];

const PLACES: [(&str, &str); 10] = [
    ("harbour", "港口"),
    ("castle", "城堡"),
    ("village", "村庄"),
    ("library", "书院"),
    ("factory", "工厂"),
    ("island", "海岛"),
    ("valley", "山谷"),
    ("market", "集市"),
    ("station", "车站"),
    ("museum", "展馆"),
];

/// How one tool is called.
struct Called {
    id: String,
    exact: Vec<String>,
    near: Vec<String>,
}

/// The first `count` of 2,000 tools that all resemble each other, and what each is called.
fn crowd(count: usize) -> (Vec<ToolEntry>, Vec<Called>) {
    let one = |number: usize| {
        let (verb, thing) = (VERBS[number % 10], THINGS[number / 10 % 20]);
        let place = PLACES[number / 200 % 10];
        let name = format!("{}_{}_{}", verb.0, thing.0, place.0);
        let id = format!("{}.{name}", place.0);
        let alias =
            [format!("{} a {} in the {}", verb.0, thing.0, place.0), format!("{}{}{}", place.1, thing.1, verb.1)];
        let example = [
            format!("Could you {} every {} of our {} before noon?", verb.0, thing.0, place.0),
            format!("中午之前把{}里的{}全部{}好", place.1, thing.1, verb.1),
        ];
        let tool = entry(
            &id,
            json!({"category": place.0, "description": format!("{} {} {}", verb.0, thing.0, place.0),
            "aliases": {"en": [alias[0]], "zh": [alias[1]]}, "examples": example}),
        );
        let exact = vec![
            id.clone(),
            name.clone(),
            name.replace('_', " "),
            name.replace('_', "-").to_uppercase(),
            id.replace('.', "__"),
        ];
        let near = alias
            .iter()
            .chain(&example)
            .cloned()
            .chain([format!("please {}!", alias[0]), format!("请{}，谢谢", alias[1])]);
        (tool, Called { near: near.collect(), id, exact })
    };
    (0..count).map(one).unzip()
}

/// I10 for catalogs of 1 to 2,000 tools.
#[test]
fn every_name_alias_and_example_finds_its_own_tool() {
    for (count, step) in [(1, 1), (20, 1), (300, 11), (2_000, 97)] {
        let (tools, called) = crowd(count);
        let host = Host::new(tools);
        for one in called.iter().step_by(step) {
            let place = |request: &str| host.place(&host.ask(request), &one.id).unwrap_or(usize::MAX);
            one.exact.iter().for_each(|request| assert_eq!(place(request), 0, "{request} of {count}"));
            one.near.iter().for_each(|request| assert!(place(request) < 3, "{request} of {count}: {}", place(request)));
        }
    }
}

/// I10 for names in which there is no letter.
#[test]
fn a_tool_called_by_a_sign_is_found_by_it() {
    let mut tools = vec![
        entry("sky.☂", json!({"description": "Rain."})),
        entry("sky.forecast", json!({"description": "Rain.", "aliases": {"en": ["☀☀", "?"]}})),
        entry("sky.rain", json!({"description": "☂ and sky"})),
        entry("port.★", json!({"description": "Ships."})),
    ];
    tools.push(entry("port.🔥", json!({"description": "Ships."})));
    let host = Host::new(tools);
    let cases = [
        ("🔥", "port.🔥"),
        ("★", "port.★"),
        (" ☂ ", "sky.☂"),
        ("☂\u{FE0F}", "sky.☂"),
        ("sky.☂", "sky.☂"),
        ("port.★", "port.★"),
        ("please use ☂️, and soon", "sky.☂"),
        ("用🔥查一下", "port.🔥"),
        ("(★)!", "port.★"),
        ("what of ☀☀☀", "sky.forecast"),
        ("?", "sky.forecast"),
    ];
    for (request, id) in cases {
        let hits = host.ask(request).hits;
        assert_eq!(hits.first().map(|hit| (host.id(hit.tool), hit.exact)), Some((id, true)), "{request}");
    }
    for request in ["how is it?", "don't use ★", "☀", "!", "→"] {
        assert!(host.ask(request).hits.iter().all(|hit| !hit.exact), "{request}");
    }
}

/// D1: however many tools speak of the words, the one that is called so comes first, and counts against no limit.
#[test]
fn find_symbol_finds_find_symbol() {
    let praise = "find symbol find symbol find symbol";
    let mut tools: Vec<ToolEntry> = (0..150)
        .map(|n| entry(&format!("near.find_symbol_{n}"), json!({"description": praise, "examples": [praise]})))
        .collect();
    tools.push(entry("code.find_symbol", json!({"description": "Where it is defined."})));
    let host = Host::new(tools);
    for request in [
        "find symbol",
        "find_symbol",
        "Find Symbol",
        "findSymbol",
        "FIND-SYMBOL",
        "code.find_symbol",
        "ｆｉｎｄ symbol",
    ] {
        let evidence = host.ask(request);
        assert_eq!((host.id(evidence.hits[0].tool), evidence.hits[0].exact), ("code.find_symbol", true), "{request}");
    }
    let asked = host.ask("please find symbol main in the parser");
    assert_eq!(host.id(asked.hits[0].tool), "code.find_symbol");
}

/// D16: Chinese finds tools that are described or called in Chinese, among many that are not.
#[test]
fn chinese_is_never_lost() {
    let (mut tools, _) = crowd(200);
    tools.extend([
        entry("media.post", json!({"description": "发布公众号文章"})),
        entry("desk.weekly", json!({"description": "Weekly report.", "aliases": {"zh": ["周报"]}})),
        entry("lang.turn", json!({"description": "Other tongues.", "aliases": {"zh": ["翻译文字"]}})),
        entry("sky.forecast", json!({"description": "Rain.", "examples": ["明天要带伞吗"]})),
    ]);
    let host = Host::new(tools);
    let cases = [
        ("公众号", "media.post"),
        ("帮我发一篇公众号", "media.post"),
        ("周报", "desk.weekly"),
        ("写周报", "desk.weekly"),
        ("本周的周报还没交", "desk.weekly"),
        ("翻译文字", "lang.turn"),
        ("把这段文字翻译一下", "lang.turn"),
        ("要带伞吗", "sky.forecast"),
        ("伞", "sky.forecast"),
    ];
    for (request, id) in cases {
        let evidence = host.ask(request);
        assert!(host.place(&evidence, id).is_some_and(|place| place < 5), "{request}: {:?}", host.ids(&evidence));
    }
    // Where nothing is known, that is what the evidence says, for the next stage to offer the categories.
    let nothing = host.ask("鑫鑫");
    assert!(nothing.hits.is_empty() && nothing.categories.is_empty() && nothing.margin == 0.0);
}

/// One shared character is a hit only where there is nothing better.
#[test]
fn a_single_character_takes_no_seat_where_words_speak() {
    let host = Host::new(vec![
        entry("desk.weekly", json!({"description": "周报汇总"})),
        entry("port.crane", json!({"description": "桥吊与码头"})),
        entry("port.tide", json!({"description": "潮水"})),
    ]);
    assert_eq!(host.ids(&host.ask("过桥的周报")), ["desk.weekly"]);
    assert_eq!(host.ids(&host.ask("过桥")), ["port.crane"]);
    assert_eq!(host.ids(&host.ask("桥")), ["port.crane"]);
}
