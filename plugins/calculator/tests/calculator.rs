//! The tools as a host calls them.

use std::time::Duration;

use calculator::answer::check;
use calculator::engine::{Limit, compute};
use calculator::{explain, plugin};
use proptest::prelude::*;
use winclaw_sdk::serde_json::{Value, json};
use winclaw_sdk::{Failure, FailureCode};
use winclaw_sdk_testing::{TestHost, conformance};

fn evaluate(expression: &str) -> Value {
    call("evaluate", json!({"expression": expression}))
}

fn call(tool: &str, arguments: Value) -> Value {
    let shown = arguments.to_string();
    TestHost::new().call(&plugin(), tool, arguments).expect(&shown).value
}

fn fails(tool: &str, arguments: Value) -> Failure {
    let shown = arguments.to_string();
    TestHost::new().call(&plugin(), tool, arguments).expect_err(&shown)
}

#[test]
fn it_keeps_the_rules_of_a_plugin() {
    conformance(&plugin());
}

#[test]
fn expressions_have_their_values() {
    for (expression, result, exact) in [
        ("1 + 2 * 3", "7", true),
        ("(1+2)*3", "9", true),
        ("15% of 200", "30", true),
        ("200 + 15%", "230", true),
        ("200 - 15%", "170", true),
        ("200 * 15%", "30", true),
        ("50% + 25%", "75%", true),
        ("10 % 3", "1", true),
        ("0.1 + 0.2", "0.3", true),
        ("1/3", "0.333333333333", false),
        ("1/3 + 1/6", "0.5", true),
        ("sqrt(2)", "1.41421356237", false),
        ("3.10686 to 2 dp", "3.11", false),
        ("-1.005 to 2 dp", "-1.01", false),
        ("2/3 to 3 sf", "0.667", false),
        ("sqrt(2) to 40 dp", "1.41421356237310", false),
        ("e^100", "2.68811714181614e43", false),
        ("1/3 to %", "33.3333333333%", false),
        ("0x10/3", "0x5.55555555555", false),
        ("2.5 to 0 dp", "3", false),
        ("sqrt(16)", "4", true),
        ("√16 + 1", "5", true),
        ("2^-2", "0.25", true),
        ("-2^2", "-4", true),
        ("20!", "2432902008176640000", true),
        ("9007199254740993 + 1", "9007199254740994", true),
        ("1,000,000 * 3", "3000000", true),
        ("0xff to binary", "11111111", true),
        ("0b1010 to decimal", "10", true),
        ("sin(30°)", "0.5", true),
        ("5 km + 300 m", "5.3 km", true),
        ("5 km + 10%", "5.5 km", true),
        ("x = 5; x^2", "25", true),
        ("5 choose 2", "10", true),
        ("3 + 4 =", "7", true),
    ] {
        let answer = evaluate(expression);
        assert_eq!((&answer["result"], &answer["exact"]), (&json!(result), &json!(exact)), "{expression}");
    }
}

#[test]
fn chinese_expressions_have_their_values() {
    for (expression, result) in [
        ("（1＋2）×3÷4", "2.25"),
        ("3 加 4 乘以 2", "11"),
        ("10减去2除以4", "9.5"),
        ("200的15%", "30"),
        ("百分之15 * 200", "30"),
        ("2的10次方等于多少？", "1024"),
        ("5的阶乘", "120"),
        ("16的平方根", "4"),
        ("3万加1.5亿", "150030000"),
        ("3斤 to kg", "1.5 kg"),
        ("1小时30分钟 to 分钟", "90 分钟"),
        ("37℃ to ℉", "98.6 °F"),
        ("１２＊３", "36"),
        ("255转换为十六进制", "ff"),
    ] {
        assert_eq!(evaluate(expression)["result"], json!(result), "{expression}");
    }
}

#[test]
fn base_and_precision_shape_the_result() {
    let answer = call("evaluate", json!({"expression": "255", "base": 16}));
    assert_eq!((&answer["result"], &answer["base"]), (&json!("ff"), &json!(16)));
    let answer = call("evaluate", json!({"expression": "2/3", "precision": 3}));
    assert_eq!((&answer["result"], &answer["exact"]), (&json!("0.667"), &json!(false)));
    let answer = call("evaluate", json!({"expression": "5 km to miles", "precision": 2}));
    assert_eq!((&answer["result"], &answer["unit"]), (&json!("3.11 miles"), &json!("miles")));
    assert_eq!(evaluate("0xff + 1")["base"], json!(16));
    assert_eq!(call("evaluate", json!({"expression": "100", "precision": 0}))["exact"], json!(true));
}

#[test]
fn a_percentage_says_how_it_was_read() {
    assert_eq!(evaluate("200 + 15%")["read_as"], json!("(200) * (1 + 15/100)"));
    assert_eq!(evaluate("1 + 2").get("read_as"), None);
}

#[test]
fn big_results_are_whole_or_show_their_ends() {
    let whole = evaluate("100!");
    assert_eq!(whole["result"].as_str().map(str::len), Some(158));
    let cut = evaluate("2^10000");
    let text = cut["result"].as_str().expect("text");
    assert!(
        text.starts_with("19950631168807583848") && text.ends_with("596709376") && text.chars().count() == 101,
        "{text}"
    );
    assert_eq!(cut["digits"], json!(3011));
}

#[test]
fn quantities_are_converted() {
    for (value, to, result) in [
        ("5 km", "m", "5000 m"),
        ("100 °C", "°F", "212 °F"),
        ("98.6F", "C", "37 °C"),
        ("100 degC", "K", "373.15 K"),
        ("1 hour + 30 minutes", "minutes", "90 minutes"),
        ("5公里", "英尺", "16404.1994751 英尺"),
        ("3斤", "克", "1500 克"),
        ("1 TB", "GB", "1000 GB"),
        ("72 km/h", "m/s", "20 m / s"),
        ("0xff", "base 2", "11111111"),
        ("255", "hex", "ff"),
        ("0.5", "%", "50 percent"),
        ("1/8", "fraction", "1/8"),
        ("36.5摄氏度", "华氏度", "97.7 °F"),
    ] {
        let answer = call("convert", json!({"value": value, "to": to}));
        assert_eq!(answer["result"], json!(result), "{value} to {to}");
    }
}

#[test]
fn mistakes_are_placed_and_mended() {
    for (expression, part) in [
        ("1 +", "character 4"),
        ("（1＋2", "character 1: `(` is never closed"),
        ("2 3", "between `2` and `3`"),
        ("foo + 1", "`foo` at character 1"),
        ("5 kg + 3 m", "incompatible"),
        ("100 CNY to USD", "exchange rates"),
        ("100美元", "exchange rates"),
        ("mean(1,2)", "no function `mean`"),
        ("3,5 * 2", "decimal sign"),
        ("sin 30°", "sin(30)"),
        ("2d6", "chance"),
        ("sqrt", "function and not a value"),
        ("-7 mod 3", "modulo"),
        ("@debug 1", "no meaning"),
        ("", "nothing to compute"),
    ] {
        let failure = fails("evaluate", json!({"expression": expression}));
        assert_eq!(failure.code, FailureCode::InvalidArgs, "{expression}");
        assert!(failure.message.contains(part), "{expression}: {failure}");
    }
}

#[test]
fn arguments_out_of_range_are_named() {
    for (arguments, part) in [
        (json!({"expression": "1", "base": 1}), "2 to 36"),
        (json!({"expression": "1", "precision": 200}), "0 to 100"),
        (json!({"expression": "1+".repeat(600)}), "1000"),
        (json!({"expression": "(".repeat(100)}), "too deep"),
    ] {
        let failure = fails("evaluate", arguments);
        assert!(failure.code == FailureCode::InvalidArgs && failure.message.contains(part), "{failure}");
    }
}

#[test]
fn what_has_no_result_says_so() {
    for (expression, part) in [("1 / 0", "Division by zero"), ("5 mod 0", "division by zero"), ("0^0", "undefined")] {
        let failure = fails("evaluate", json!({"expression": expression}));
        assert!(failure.message.contains(part), "{expression}: {failure}");
    }
}

#[test]
fn a_cancelled_computation_stops_at_once() {
    let running = TestHost::new().start(&plugin(), "evaluate", json!({"expression": "9^9^9"}));
    running.cancel();
    let outcome = running.wait_for(Duration::from_secs(10));
    assert_eq!(outcome.expect_err("cancelled").code, FailureCode::Cancelled);
}

#[test]
fn long_chains_are_answered() {
    let cases = [
        ("-".repeat(900), "1", ""),
        ("1^".repeat(450), "1", ""),
        ("1+".repeat(450), "1", ""),
        ("1*".repeat(450), "1", ""),
        ("1;".repeat(450), "1", ""),
        ("sqrt ".repeat(150), "(1)", ""),
        ("(".repeat(40), "1", ")"),
        (String::new(), "1", "!"),
        ("not ".repeat(240), "true", ""),
        ("a=".repeat(450), "1", ""),
        ("1 of ".repeat(190), "1", ""),
        ("1 to ".repeat(190), "1", ""),
        ("2 m ".repeat(200), "", ""),
        ("+-".repeat(450), "1", ""),
    ];
    for (head, middle, tail) in cases {
        let expression = format!("{head}{middle}{}", tail.repeat(if tail == ")" { 40 } else { 900 }));
        let outcome = TestHost::new().call(&plugin(), "evaluate", json!({"expression": expression}));
        assert!(outcome.as_ref().map_or_else(|failure| failure.code != FailureCode::Panicked, |_| true), "{outcome:?}");
    }
}

#[test]
fn every_computation_ends_at_its_limit() {
    for expression in
        ["9^9^9", "1000000!", "1e999999999", "1/3 to 100000000 dp", "1000000 choose 500000", "1/1000000007 to float"]
    {
        let limit = Limit::new(Duration::from_millis(50), &|| false);
        assert_eq!(compute(expression, &limit), Err("interrupted".to_owned()), "{expression}");
        let checked = check("expression", expression).expect(expression);
        let failure = explain::error("interrupted", &checked, &limit);
        assert!(failure.message.contains("too large"), "{failure}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Rounding agrees with whole numbers, half away from zero.
    #[test]
    fn rounding_agrees_with_i128(over in -1_000_000_i128..1_000_000, under in 1_i128..5_000, places in 0_u8..6) {
        let scale = 10_i128.pow(u32::from(places));
        let scaled = (over.abs() * scale * 2 + under) / (under * 2);
        let answer = call("evaluate", json!({"expression": format!("({over}) / {under}"), "precision": places}));
        let shown = answer["result"].as_str().expect("text");
        let (before, after) = shown.trim_start_matches('-').split_once('.').unwrap_or((shown.trim_start_matches('-'), ""));
        let digits = format!("{before}{after:0<width$}", width = usize::from(places));
        prop_assert_eq!(digits.parse::<i128>().expect("digits"), scaled, "{}", shown);
        prop_assert_eq!(shown.starts_with('-'), over < 0 && scaled != 0, "{}", shown);
    }

    #[test]
    fn whole_numbers_agree_with_i128(a in -1_000_000_000_000_i128..1_000_000_000_000, b in 1_i128..1_000_000_000, c in -1000_i128..1000) {
        let answer = evaluate(&format!("({a}) * {b} + ({c}) - {b}"));
        prop_assert_eq!(&answer["result"], &json!((a * b + c - b).to_string()));
        prop_assert_eq!(&answer["exact"], &json!(true));
    }

    #[test]
    fn any_text_is_answered(text in "[0-9a-z+*/^()%!., 加减的√-]{0,16}") {
        // Powers and factorials of chance digits may run into the time limit.
        prop_assume!(!text.contains(['^', '!']));
        let _ = TestHost::new().call(&plugin(), "evaluate", json!({"expression": text}));
    }
}

#[test]
fn the_readme_shows_the_real_output() {
    let readme = include_str!("../README.md");
    let rows = readme.lines().filter_map(|line| line.strip_prefix("| `calculator."));
    let mut seen = 0;
    for row in rows.filter(|row| row.contains('{')) {
        let (call_text, shown) = row.split_once("` | `").expect("two cells");
        let (tool, arguments) = call_text.split_once(' ').expect("a tool and its arguments");
        let arguments: Value = winclaw_sdk::serde_json::from_str(arguments).expect("arguments");
        let shown: Value =
            winclaw_sdk::serde_json::from_str(shown.trim_end_matches(" |").trim_end_matches('`')).expect(shown);
        assert_eq!(call(tool, arguments), shown, "{row}");
        seen += 1;
    }
    assert!(seen >= 4, "the table of examples is gone");
}
