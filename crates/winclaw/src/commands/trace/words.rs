//! The words of records, for a person. What was recorded, such as reasons, stands as it was recorded.

use winclaw_trace::{Record, TokenUsage};

use crate::screen::Screen;
use crate::terminal::one_line;

/// A time as people read it.
pub fn seconds(ms: u64) -> String {
    if ms < 1000 { format!("{ms} ms") } else { format!("{}.{} s", ms / 1000, ms % 1000 / 100) }
}

/// An amount of money: `0.0123 USD`.
pub fn money(micros: u64, currency: &str) -> String {
    format!("{}.{:04} {currency}", micros / 1_000_000, micros % 1_000_000 / 100)
}

/// The word for how a task ended; as it stands where it is not known.
pub fn state<'a>(screen: &Screen, state: &'a str) -> &'a str {
    let zh = match state {
        "done" => "完成",
        "tool_failed" => "工具失败",
        "denied" => "未获允许",
        "not_completed" => "未完成",
        "stopped" => "已停止",
        "model_failed" => "模型失败",
        "interrupted" => "已中断",
        "unfinished" => "没有结尾",
        "unreadable" => "无法读取",
        _ => state,
    };
    screen.word(state, zh)
}

/// What kind of record it is, and what it says.
pub fn of(screen: &Screen, record: &Record) -> (&'static str, String) {
    let kind = |en: &'static str, zh: &'static str| if screen.word("", "z").is_empty() { en } else { zh };
    match record {
        Record::Start { request, model, replayed, program, .. } => {
            let label = if *replayed { screen.word(" (replayed)", "（回放）") } else { "" };
            (kind("start", "开始"), format!("{}  [{model}{label}, {program}]", one_line(request)))
        }
        Record::Session { session_id, request_no, .. } => (
            kind("session", "会话"),
            both(
                screen,
                format!("{session_id}, request {request_no}"),
                format!("{session_id}，第 {request_no} 个请求"),
            ),
        ),
        Record::Evidence { .. } => (kind("evidence", "证据"), evidence(screen, record)),
        Record::Exposure { .. } => (kind("exposure", "展示"), exposure(screen, record)),
        Record::Request { .. } => (kind("request", "请求"), request(screen, record)),
        Record::Reply { .. } => (kind("reply", "回复"), reply(screen, record)),
        Record::ModelFailed { code, error, ms, .. } => {
            (kind("model_failed", "模型失败"), format!("{code}, {}: {}", seconds(*ms), one_line(error)))
        }
        Record::Cost { micros, total_micros, currency, .. } => {
            let (one, all) = (money(*micros, currency), money(*total_micros, currency));
            (kind("cost", "费用"), both(screen, format!("{one}, {all} so far"), format!("{one}，累计 {all}")))
        }
        Record::Call { .. } => (kind("call", "调用"), call(screen, record)),
        Record::End { .. } => (kind("end", "结束"), end(screen, record)),
        other => decision(screen, kind, other),
    }
}

/// What stands below the first row: tools with their reasons.
pub fn below(screen: &Screen, record: &Record) -> Vec<String> {
    match record {
        Record::Exposure { shown, .. } => {
            let tool = |tool: &winclaw_trace::ShownTool| {
                format!("  {} [{}, {} tokens] {}", tool.tool, level(screen, &tool.level), tool.tokens, tool.because)
            };
            shown.iter().map(tool).collect()
        }
        Record::Evidence { hits, .. } => {
            hits.iter().map(|hit| format!("  {} {:.2} {}", hit.tool, hit.score, hit.because)).collect()
        }
        _ => Vec::new(),
    }
}

fn level<'a>(screen: &Screen, level: &'a str) -> &'a str {
    match level {
        "full" => screen.word(level, "完整"),
        "brief" => screen.word(level, "简要"),
        other => other,
    }
}

fn both(screen: &Screen, en: String, zh: String) -> String {
    screen.word(&en, &zh).to_owned()
}

fn evidence(screen: &Screen, record: &Record) -> String {
    let Record::Evidence { call_no, total, margin, .. } = record else { return String::new() };
    both(
        screen,
        format!("#{call_no} {total} tools fit, margin {margin:.2}"),
        format!("#{call_no} 有 {total} 个工具相符，领先程度 {margin:.2}"),
    )
}

fn exposure(screen: &Screen, record: &Record) -> String {
    let Record::Exposure {
        call_no, transport, reach, named, prefix_tokens, tail_tokens, everything_tokens, shown, ..
    } = record
    else {
        return String::new();
    };
    let (shown, tokens) = (shown.len(), prefix_tokens.saturating_add(*tail_tokens));
    both(
        screen,
        format!(
            "#{call_no} {transport}, {reach}: {shown} shown, {named} named; {tokens} tokens of {everything_tokens}"
        ),
        format!(
            "#{call_no} {transport}，{reach}：展示 {shown} 个，列名 {named} 个；{tokens} / {everything_tokens} tokens"
        ),
    )
}

fn request(screen: &Screen, record: &Record) -> String {
    let Record::Request { attempt, bytes, tools, messages, sha256, .. } = record else { return String::new() };
    let sha256 = sha256.get(..12).unwrap_or(sha256);
    let (again_en, again_zh) = match attempt {
        0 | 1 => (String::new(), String::new()),
        n => (format!("attempt {n}, "), format!("第 {n} 次尝试，")),
    };
    both(
        screen,
        format!("{again_en}{bytes} bytes, {tools} tools, {messages} messages, sha256 {sha256}"),
        format!("{again_zh}{bytes} 字节，{tools} 个工具，{messages} 条消息，sha256 {sha256}"),
    )
}

fn reply(screen: &Screen, record: &Record) -> String {
    let Record::Reply { text_chars, calls, usage, cut_off, ms, text_calls, .. } = record else { return String::new() };
    let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
    let (names, took, tokens) = (names.join(", "), seconds(*ms), tokens(screen, usage));
    let mut en = format!("{text_chars} chars, calls [{names}], {took}{tokens}");
    let mut zh = format!("{text_chars} 字，调用 [{names}]，{took}{tokens}");
    if *text_calls > 0 {
        en += &format!(", {text_calls} written as text");
        zh += &format!("，其中 {text_calls} 个写在文本中");
    }
    if *cut_off {
        en += ", cut off";
        zh += "，被截断";
    }
    both(screen, en, zh)
}

fn call(screen: &Screen, record: &Record) -> String {
    let Record::Call { tool, detail, ms, outcome, result_chars, error, whole, .. } = record else {
        return String::new();
    };
    let error = error.as_ref().map(|error| format!(": {}", one_line(error))).unwrap_or_default();
    let whole = whole.as_ref().map(|file| format!(" [{file}]")).unwrap_or_default();
    let chars = both(screen, format!("{result_chars} chars"), format!("{result_chars} 字"));
    format!("{tool}({}) -> {outcome}, {}, {chars}{whole}{error}", one_line(detail), seconds(*ms))
}

fn end(screen: &Screen, record: &Record) -> String {
    let Record::End { state: ended, exit_code, calls, tokens: all, ms, .. } = record else { return String::new() };
    let calls_en = if *calls == 1 { "1 call".to_owned() } else { format!("{calls} calls") };
    let (state, took, tokens) = (state(screen, ended), seconds(*ms), tokens(screen, all));
    both(
        screen,
        format!("{state} (exit {exit_code}), {calls_en}, {took}{tokens}"),
        format!("{state}（退出码 {exit_code}），{calls} 次调用，{took}{tokens}"),
    )
}

fn tokens(screen: &Screen, usage: &TokenUsage) -> String {
    let parts = [
        (usage.input, screen.word("in", "输入")),
        (usage.cached, screen.word("cached", "缓存")),
        (usage.output, screen.word("out", "输出")),
    ];
    parts.iter().filter_map(|(tokens, name)| Some(format!(", {} {name}", (*tokens)?))).collect()
}

fn decision(
    screen: &Screen,
    kind: impl Fn(&'static str, &'static str) -> &'static str,
    record: &Record,
) -> (&'static str, String) {
    match record {
        Record::SetAside { tool, why, .. } => (kind("set_aside", "搁置"), format!("{tool}: {}", one_line(why))),
        Record::Resolve { name, resolution, .. } => (kind("resolve", "解析"), format!("{name} = {resolution}")),
        Record::Repair { tool, repair, at, said, .. } => {
            (kind("repair", "修复"), format!("{tool} {at} [{repair}] {}", one_line(said)))
        }
        Record::Verdict { tool, verdict, rule, reason, .. } => {
            let rule = rule.as_ref().map(|rule| format!(" [{rule}]")).unwrap_or_default();
            (kind("verdict", "裁决"), format!("{tool}: {}{rule} {}", verdict_word(screen, verdict), one_line(reason)))
        }
        Record::Consent { .. } => (kind("consent", "同意"), consent(screen, record)),
        Record::Aside { name, arguments, outcome, detail, .. } => {
            (kind("aside", "旁路"), format!("{name} {} -> {outcome} {}", one_line(arguments), one_line(detail)))
        }
        Record::Loop { pattern, tools, times, rung, said } => {
            let what = format!("{pattern} ×{times} -> {rung} [{}]", tools.join(", "));
            (kind("loop", "循环"), format!("{what} {}", one_line(said)))
        }
        Record::Drift { tool, rung, why, said, .. } => {
            (kind("drift", "偏离"), format!("{tool} -> {rung}: {} {}", one_line(why), one_line(said)))
        }
        other => change(screen, kind, other),
    }
}

fn verdict_word<'a>(screen: &Screen, verdict: &'a str) -> &'a str {
    let zh = match verdict {
        "run" => "运行",
        "run_with_advice" => "运行并建议",
        "ask_user" => "询问用户",
        "not_run" => "不运行",
        other => other,
    };
    screen.word(verdict, zh)
}

fn consent(screen: &Screen, record: &Record) -> String {
    let Record::Consent { tool, asked, answer, scope, rule, .. } = record else { return String::new() };
    let asked = if asked.is_empty() { String::new() } else { format!("{} ", one_line(asked)) };
    let scope = if scope.is_empty() { String::new() } else { format!(" ({scope})") };
    let rule = if rule.is_empty() { String::new() } else { format!(" {} {rule}", screen.word("by", "依据")) };
    format!("{tool}: {asked}-> {answer}{scope}{rule}")
}

fn change(
    screen: &Screen,
    kind: impl Fn(&'static str, &'static str) -> &'static str,
    record: &Record,
) -> (&'static str, String) {
    match record {
        Record::Rise { cause, tools, reach } => {
            let words = screen.word("reach", "范围");
            (kind("rise", "展开"), format!("{cause}: {} ({words} {reach})", tools.join(", ")))
        }
        Record::Epoch { epoch, transport, cause, rebilled, .. } => (
            kind("epoch", "前缀"),
            both(
                screen,
                format!("{epoch}: {cause} ({transport}, {rebilled} tokens billed again)"),
                format!("{epoch}：{cause}（{transport}，重新计费 {rebilled} tokens）"),
            ),
        ),
        Record::Tools { .. } => (kind("tools", "工具"), tools(screen, record)),
        Record::Compacted { results, turns, cut, before_tokens, after_tokens } => (
            kind("fold", "折叠"),
            both(
                screen,
                format!(
                    "{results} results to a line, {turns} turns left out, {cut} results cut: {before_tokens} to {after_tokens} tokens"
                ),
                format!(
                    "{results} 个结果缩为一行，略去 {turns} 轮，截短 {cut} 个结果：{before_tokens} 到 {after_tokens} tokens"
                ),
            ),
        ),
        Record::Problem { problem } => {
            (kind("problem", "问题"), format!("{}: {}", problem.subject, screen.text(&problem.what)))
        }
        _ => (kind("?", "未知"), String::new()),
    }
}

fn tools(screen: &Screen, record: &Record) -> String {
    let Record::Tools { count, new, gone, back, changed, .. } = record else { return String::new() };
    let word = |en, zh| screen.word(en, zh);
    let lists = [
        (word("new", "新增"), new),
        (word("gone", "移除"), gone),
        (word("back", "恢复"), back),
        (word("changed", "改动"), changed),
    ];
    let told = lists.iter().filter(|(_, ids)| !ids.is_empty()).map(|(what, ids)| format!("{what}: {}", ids.join(", ")));
    let told = told.collect::<Vec<_>>().join("; ");
    both(screen, format!("{count} tools; {told}"), format!("{count} 个工具；{told}"))
}
