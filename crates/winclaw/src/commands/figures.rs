//! Numbers, counts and lists of problems, alike on the pages of `explain` and `eval`.

use serde_json::Value;
use winclaw_eval::{About, ProblemGroup};
use winclaw_tool::Lang;

use crate::complaint::{Complaint, Exit};
use crate::config::Config;
use crate::screen::{Screen, harmless};
use crate::terminal::one_line;

/// Most kinds of problems that are listed.
pub const PROBLEMS: usize = 5;

/// `millionths` as a decimal number: two decimals from one on, else as many as show two digits.
pub fn decimal(millionths: u64) -> String {
    let digits = match millionths {
        1_000_000.. => 2,
        10_000.. => 4,
        _ => 6,
    };
    let fraction = format!("{:06}", millionths % 1_000_000);
    format!("{}.{}", millionths / 1_000_000, &fraction[..digits])
}

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

/// So many of a thing: `1 tool`, `1,200 tools`; Chinese has one form, which brings its measure word: `个工具`.
pub fn count(screen: Screen, of: usize, one: &str, many: &str, zh: &str) -> String {
    let number = number(of as u64);
    match screen.lang {
        Lang::Zh => format!("{number} {zh}"),
        _ if of == 1 => format!("{number} {one}"),
        _ => format!("{number} {many}"),
    }
}

/// `value` with every fraction to six decimals, so that no sum shows how a machine adds.
pub fn rounded(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            number.as_f64().map_or(Value::Number(number), |number| Value::from((number * 1e6).round() / 1e6))
        }
        Value::Array(items) => items.into_iter().map(rounded).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, rounded(value))).collect(),
        other => other,
    }
}

/// Problems that are mended alike, in a line: whose they are, what is wrong, how to mend it.
pub fn problem_line(screen: Screen, group: &ProblemGroup) -> String {
    let ProblemGroup { count: all, about, subjects, first } = group;
    let (what, mend) = (screen.text(&first.what), screen.text(&first.mend));
    let whose = match (*subjects, about) {
        (1, _) if *all == 1 => screen.word("", "").to_owned(),
        (1, _) => count(screen, *all, "problem", "problems", "个问题") + screen.word(", the first: ", "，首先："),
        (_, About::Tools) => count(screen, *subjects, "tool", "tools", "个工具"),
        (_, About::Requests) => count(screen, *subjects, "request", "requests", "个请求"),
    };
    let line = match *subjects {
        1 => format!("{}: {whose}{what} {mend}", first.subject),
        _ => format!("{whose}{}{}: {what} {mend}", screen.word(", such as ", "，例如 "), first.subject),
    };
    harmless(&one_line(&line))
}

/// The complaint that the folder of plugins is not there, or has no tool that works.
pub fn no_tools(config: &Config) -> Complaint {
    let folder = config.plugins_dir.display();
    let complaint = match config.plugins_dir.is_dir() {
        false => Complaint::new(
            Exit::Usage,
            format!("there are no tools, for there is no plugin folder {folder}"),
            format!("没有工具：插件文件夹 {folder} 不存在"),
        ),
        true => Complaint::new(
            Exit::Usage,
            format!("there are no tools in the plugin folder {folder}"),
            format!("插件文件夹 {folder} 中没有工具"),
        ),
    };
    complaint.mend(
        "give a folder of plugins with --plugins, or a file of tools with --tools; `winclaw plugin list` shows what is installed",
        "请用 --plugins 给出插件文件夹，或用 --tools 给出工具文件；运行 winclaw plugin list 查看已安装的插件",
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use winclaw_tool::{Problem, ProblemKind, Text};

    use super::*;

    #[test]
    fn numbers_have_commas_and_counts_their_form() {
        let cases = [
            (0, "0 tools", "0 个"),
            (1, "1 tool", "1 个"),
            (2, "2 tools", "2 个"),
            (12_345, "12,345 tools", "12,345 个"),
        ];
        for (of, en, zh) in cases {
            assert_eq!(count(Screen::plain(Lang::En), of, "tool", "tools", "个"), en);
            assert_eq!(count(Screen::plain(Lang::Zh), of, "tool", "tools", "个"), zh);
        }
        assert_eq!(number(1_234_567_u32), "1,234,567");
    }

    #[test]
    fn fractions_are_short_and_other_values_stay() {
        let given = json!({"a": [919.127_999_999_999_9, null, 3], "b": {"c": -0.000_000_4, "d": "0.1234567"}});
        let found = rounded(given).to_string();
        assert_eq!(found, r#"{"a":[919.128,null,3],"b":{"c":-0.0,"d":"0.1234567"}}"#);
    }

    #[test]
    fn a_group_of_problems_says_how_many_have_it() {
        let first = Problem {
            kind: ProblemKind::Claim,
            subject: "sky.rain".into(),
            what: Text::new("Wrong.", "错误。"),
            mend: Text::new("Mend it.", "请改正。"),
            fatal: false,
        };
        let line = |about, count, subjects, lang| {
            problem_line(Screen::plain(lang), &ProblemGroup { count, about, subjects, first: first.clone() })
        };
        let cases = [
            (About::Tools, 1, 1, "sky.rain: Wrong. Mend it."),
            (About::Tools, 3, 1, "sky.rain: 3 problems, the first: Wrong. Mend it."),
            (About::Tools, 3_850, 3_850, "3,850 tools, such as sky.rain: Wrong. Mend it."),
            (About::Requests, 3, 2, "2 requests, such as sky.rain: Wrong. Mend it."),
        ];
        for (about, count, subjects, words) in cases {
            assert_eq!(line(about, count, subjects, Lang::En), words);
        }
        assert_eq!(line(About::Tools, 2, 2, Lang::Zh), "2 个工具，例如 sky.rain: 错误。 请改正。");
    }
}
