//! Whether an answer says that there is no tool for the task.

/// Words between a denial and `tool`, at most.
const AFTER_NO: usize = 2;
const AFTER_VERB: usize = 6;

/// Characters between a Chinese denial and 工具, at most.
const AFTER_ZH: usize = 12;

const VERBS: [&[&str]; 9] = [
    &["don't", "have"],
    &["do", "not", "have"],
    &["doesn't", "have"],
    &["does", "not", "have"],
    &["can't", "find"],
    &["cannot", "find"],
    &["couldn't", "find"],
    &["lack"],
    &["lacks"],
];

const DENIALS_ZH: [&str; 6] = ["没有", "缺少", "缺乏", "找不到", "不具备", "无可用"];

/// What between a denial and 工具 makes it a report of what was done.
const DONE_ZH: [&str; 4] = ["调用", "使用", "用到", "。"];

/// Whether `answer` says, in English or Chinese, that there is no tool for what was asked.
///
/// It looks for a denial shortly before the word tool, so it errs towards `false`; what it takes for a denial by
/// mistake costs one more model call.
pub fn says_no_tool(answer: &str) -> bool {
    let folded = answer.to_lowercase().replace('\u{2019}', "'");
    folded.split(['.', '!', '?', ';', '\n']).any(in_english) || in_chinese(&folded)
}

fn in_english(sentence: &str) -> bool {
    let words: Vec<&str> =
        sentence.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    let tool_within = |from: usize, gap: usize| words.iter().skip(from).take(gap + 1).any(|word| is_tool(word));
    (0..words.len()).any(|at| {
        let verb = VERBS.iter().find(|verb| words[at..].starts_with(verb));
        (words[at] == "no" && tool_within(at + 1, AFTER_NO))
            || verb.is_some_and(|verb| tool_within(at + verb.len(), AFTER_VERB))
    })
}

fn is_tool(word: &str) -> bool {
    matches!(word, "tool" | "tools")
}

fn in_chinese(text: &str) -> bool {
    DENIALS_ZH.iter().any(|denial| {
        text.match_indices(denial).any(|(at, _)| {
            let after: String = text[at + denial.len()..].chars().take(AFTER_ZH + 2).collect();
            let before_tool = after.split_once("工具").map(|(before, _)| before);
            before_tool.is_some_and(|before| !DONE_ZH.iter().any(|done| before.contains(done)))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denial_of_tools_is_heard_in_both_languages() {
        let denials = [
            "I don’t have a tool that can do that.",
            "Sorry, there are no suitable tools for this.",
            "I do not have access to any such tool",
            "我没有可以查询天气的工具。",
            "抱歉，找不到合适的工具来完成。",
        ];
        for answer in denials {
            assert!(says_no_tool(answer), "{answer}");
        }
    }

    #[test]
    fn other_answers_are_not_taken_for_one() {
        let answers = [
            "",
            "The file has no errors. The tool wrote it.",
            "I had no trouble; the report is done.",
            "本次没有调用工具，直接回答：42。",
            "没有问题。工具已经运行。",
        ];
        for answer in answers {
            assert!(!says_no_tool(answer), "{answer}");
        }
    }
}
