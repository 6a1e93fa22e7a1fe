//! The numbers of a report in words, each once for every table it stands in.

use crate::screen::Screen;

/// The keys of what is compared, in the order of the page; `K` stands for each k.
pub const COMPARED: [&str; 18] = [
    "recall_at.K",
    "all_gold_at.K",
    "ndcg_at_10",
    "first_look_all",
    "first_look_recall",
    "schema_tokens_mean",
    "prefix_tokens_mean",
    "eventual_recall",
    "eventual_all",
    "reach.recommended.tools",
    "reach.recommended.schema_tokens",
    "reach.extended.tools",
    "reach.extended.schema_tokens",
    "reach.full.tools",
    "reach.full.schema_tokens",
    "per_step.recall",
    "per_step.all",
    "per_step.tools_mean",
];

/// The number under `key` in words; a key that is not known is its own word.
pub fn label(screen: Screen, key: &str) -> String {
    let both = |en: String, zh: String| screen.word(&en, &zh).to_owned();
    if let Some(k) = key.strip_prefix("recall_at.") {
        return both(
            format!("needed tools among the first {k} (recall@{k})"),
            format!("前 {k} 个中的所需工具（recall@{k}）"),
        );
    }
    if let Some(k) = key.strip_prefix("all_gold_at.") {
        return both(
            format!("requests with all of them among the first {k}"),
            format!("所需工具全在前 {k} 个中的请求"),
        );
    }
    if let Some(words) = key.strip_prefix("reach.").and_then(|rest| rest.split_once('.')) {
        return match words {
            (reach, "tools") => both(format!("at reach {reach}: tools"), format!("范围 {reach}：工具数")),
            (reach, _) => {
                both(format!("at reach {reach}: tokens of schemas"), format!("范围 {reach}：参数定义的 token"))
            }
        };
    }
    if let Some(of) = key.strip_prefix("per_step.") {
        let (en, zh) = step(of);
        return both(format!("step by step: {en}"), format!("逐步查询：{zh}"));
    }
    let (en, zh) = plain(key);
    both(en.to_owned(), zh.to_owned())
}

/// A number of `per_step`, under its own headline.
pub fn step(key: &str) -> (&str, &str) {
    match key {
        "recall" => ("needed tools found", "找到的所需工具"),
        "all" => ("requests with all of them found", "全部找到的请求"),
        "tools_mean" => ("tools looked at", "查看的工具数"),
        "tools_p95" => ("95th percentile", "第 95 百分位"),
        other => (other, other),
    }
}

fn plain(key: &str) -> (&str, &str) {
    match key {
        "ndcg_at_10" => ("nDCG@10", "nDCG@10"),
        "first_look_all" => ("requests with all needed tools shown", "所需工具全部已展示的请求"),
        "first_look_recall" => ("needed tools shown", "已展示的所需工具"),
        "schema_tokens_mean" => ("tokens of schemas", "参数定义的 token"),
        "prefix_tokens_mean" => ("tokens before the conversation", "对话之前的 token"),
        "eventual_recall" => ("needed tools found in the end", "最终找到的所需工具"),
        "eventual_all" => ("requests with all of them found", "全部找到的请求"),
        "turns_to_reveal_p50" => ("turns until all are found, median", "全部找到所需的轮次，中位数"),
        "turns_to_reveal_p95" => ("turns until all are found, 95th percentile", "全部找到所需的轮次，第 95 百分位"),
        "turns_to_reveal_max" => ("turns until all are found, most", "全部找到所需的轮次，最多"),
        "closure_broken" => ("shown tools that lacked a tool they require", "已展示但缺少其依赖的工具"),
        "pass_us_p50" => ("one pass (ranking, exposure, payload), median", "一次处理（排序、展示、载荷），中位数"),
        "pass_us_p99" => ("99th percentile", "第 99 百分位"),
        other => (other, other),
    }
}

/// Where `key` stands among [`COMPARED`].
pub fn place(key: &str) -> usize {
    let is = |known: &str| match known.strip_suffix('K') {
        Some(of_k) => key.starts_with(of_k),
        None => key == known,
    };
    COMPARED.iter().position(|known| is(known)).unwrap_or(COMPARED.len())
}

/// The k of a key such as `recall_at.20`; 0 where there is none.
pub fn k_of(key: &str) -> usize {
    key.rsplit('.').next().and_then(|k| k.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use winclaw_tool::Lang;

    use super::*;

    #[test]
    fn every_key_that_is_compared_has_words_and_a_place() {
        let turns = ["turns_to_reveal_p50", "turns_to_reveal_p95", "turns_to_reveal_max", "closure_broken"];
        let keys = COMPARED.iter().map(|key| key.replace('K', "10"));
        let keys: Vec<String> = keys.chain(turns.map(str::to_owned)).collect();
        for key in &keys {
            for lang in [Lang::En, Lang::Zh] {
                let words = label(Screen::plain(lang), key);
                assert!(words != *key && !words.contains('_'), "{key}: {words}");
            }
            assert!(turns.contains(&key.as_str()) || place(key) < COMPARED.len(), "{key}");
        }
        let mut sorted = vec!["ndcg_at_10", "per_step.all", "recall_at.20", "recall_at.5"];
        sorted.sort_by_key(|key| (place(key), k_of(key)));
        assert_eq!(sorted, ["recall_at.5", "recall_at.20", "ndcg_at_10", "per_step.all"]);
    }
}
