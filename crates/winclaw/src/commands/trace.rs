//! `winclaw trace list|show`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use winclaw_trace::{Line, Record, Summary, TokenUsage};

use crate::cli::TraceCommand;
use crate::commands::figures;
use crate::complaint::{Complaint, Exit, io};
use crate::config::Config;
use crate::screen::{Screen, Style, columns, escaped, harmless};
use crate::terminal::one_line;

/// Runs the command.
pub fn run(config: &Config, screen: Screen, command: TraceCommand) -> Result<Exit, Complaint> {
    let folder = config.traces();
    let tasks = winclaw_trace::list(&folder).map_err(|error| io(&folder, &error))?;
    match command {
        TraceCommand::List(args) if args.json => screen.json(&tasks),
        TraceCommand::List(_) => list(&screen, &tasks),
        TraceCommand::Show { id, json } => {
            let path = folder.join(format!("{}.jsonl", find(&tasks, &id)?));
            show(&screen, &path, json)?;
        }
    }
    Ok(Exit::Done)
}

fn list(screen: &Screen, tasks: &[Summary]) {
    if tasks.is_empty() {
        return screen.line(screen.word("no tasks yet", "还没有任务记录"));
    }
    let rows: Vec<Vec<String>> = tasks.iter().map(|task| row(screen, task)).collect();
    columns(&rows).iter().for_each(|line| screen.line(line));
}

fn row(screen: &Screen, task: &Summary) -> Vec<String> {
    let calls = figures::count(*screen, usize::try_from(task.calls).unwrap_or(usize::MAX), "call", "calls", "次调用");
    let model = if task.replayed {
        format!("{} ({})", task.model, screen.word("replayed", "回放"))
    } else {
        task.model.clone()
    };
    let cells = [task.task_id.as_str(), &task.state, &calls, &seconds(task.ms), &model, &one_line(&task.request)];
    cells.iter().map(|cell| harmless(cell)).collect()
}

fn seconds(ms: u64) -> String {
    if ms < 1000 { format!("{ms} ms") } else { format!("{}.{} s", ms / 1000, ms % 1000 / 100) }
}

/// The id that `given` means: itself, a beginning that only one has, or the newest for `last`.
fn find(tasks: &[Summary], given: &str) -> Result<String, Complaint> {
    let list = ("`winclaw trace list` lists them", "运行 winclaw trace list 查看");
    if given == "last" {
        return tasks.first().map(|task| task.task_id.clone()).ok_or_else(|| {
            Complaint::new(Exit::Usage, "there is no task yet", "还没有任务记录")
                .mend("run one first, such as `winclaw demo`", "请先运行一个任务，例如 winclaw demo")
        });
    }
    let found: Vec<&str> = tasks.iter().map(|task| task.task_id.as_str()).filter(|id| id.starts_with(given)).collect();
    match found.as_slice() {
        [one] => Ok((*one).to_owned()),
        [] => Err(Complaint::new(Exit::Usage, format!("there is no task `{given}`"), format!("没有任务“{given}”"))
            .mend(list.0, list.1)),
        several if several.contains(&given) => Ok(given.to_owned()),
        several => {
            let ids = several.join(", ");
            Err(Complaint::new(
                Exit::Usage,
                format!("`{given}` begins several: {ids}"),
                format!("“{given}”对应多个：{ids}"),
            )
            .mend("write more of the id", "请写出更完整的 id"))
        }
    }
}

fn show(screen: &Screen, path: &PathBuf, as_json: bool) -> Result<(), Complaint> {
    if as_json {
        let text = std::fs::read_to_string(path).map_err(|error| io(path, &error))?;
        screen.part(&escaped(&text));
        return Ok(());
    }
    let (lines, problems) = winclaw_trace::read(path).map_err(|error| io(path, &error))?;
    let rows: Vec<Vec<String>> = lines.iter().flat_map(|line| rows_of(screen, line)).collect();
    columns(&rows).iter().for_each(|line| screen.line(line));
    if let Some(use_rate) = use_rate(screen, lines.iter().map(|line| &line.record)) {
        screen.line(&screen.paint(Style::Bold, &use_rate));
    }
    for problem in problems {
        let line = format!("{}: {}", problem.subject, screen.text(&problem.what));
        screen.note(&screen.paint(Style::Yellow, &harmless(&line)));
    }
    Ok(())
}

/// How many of the tools that the model was shown it also called, each counted once; nothing without a call of a model.
fn use_rate<'a>(screen: &Screen, records: impl Iterator<Item = &'a Record>) -> Option<String> {
    let (mut shown, mut called) = (BTreeSet::new(), BTreeSet::new());
    let mut asked = false;
    for record in records {
        match record {
            Record::Exposure { shown: tools, .. } => {
                asked = true;
                shown.extend(tools.iter().map(|tool| tool.tool.as_str()));
            }
            Record::Call { tool, .. } => drop(called.insert(tool.as_str())),
            _ => {}
        }
    }
    let (all, used) = (shown.len(), shown.intersection(&called).count());
    let others = called.difference(&shown).count();
    let (mut en, mut zh) = (format!("tools shown {all}, called {used}"), format!("展示工具 {all} 个，调用 {used} 个"));
    if others > 0 {
        en += &format!("; called by name alone {others}");
        zh += &format!("；仅凭名称调用 {others} 个");
    }
    asked.then(|| screen.word(&en, &zh).to_owned())
}

/// The rows of one record: when, what, and the words; tools that were shown get a row each. Steps are for programs.
fn rows_of(screen: &Screen, line: &Line) -> Vec<Vec<String>> {
    if matches!(line.record, Record::Step { .. }) {
        return Vec::new();
    }
    let at = format!("{:>8}", seconds(line.at_ms));
    let (what, words) = words(screen, &line.record);
    let mut rows = vec![vec![at, what.to_owned(), harmless(&words)]];
    if let Record::Exposure { shown, .. } = &line.record {
        rows.extend(shown.iter().map(|tool| {
            let words = format!("  {} [{}, {} tokens] {}", tool.tool, tool.level, tool.tokens, tool.because);
            vec![String::new(), String::new(), harmless(&words)]
        }));
    }
    rows
}

fn words(screen: &Screen, record: &Record) -> (&'static str, String) {
    match record {
        Record::Start { request, model, replayed, program, .. } => {
            let label = if *replayed { screen.word(" (replayed)", "（回放）") } else { "" };
            ("start", format!("{}  [{model}{label}, {program}]", one_line(request)))
        }
        Record::Exposure { .. } => ("exposure", exposure(record)),
        Record::Request { bytes, tools, messages, sha256, .. } => {
            ("request", format!("{bytes} bytes, {tools} tools, {messages} messages, sha256 {}", short(sha256)))
        }
        Record::Reply { .. } => ("reply", reply(record)),
        Record::Call { .. } => ("call", call(record)),
        Record::End { state, exit_code, calls, tokens, ms, .. } => {
            let calls = if *calls == 1 { "1 call".to_owned() } else { format!("{calls} calls") };
            ("end", format!("{state} (exit {exit_code}), {calls}, {}{}", seconds(*ms), cost(tokens)))
        }
        other => decision(other),
    }
}

fn exposure(record: &Record) -> String {
    let Record::Exposure {
        call_no, transport, reach, named, prefix_tokens, tail_tokens, everything_tokens, shown, ..
    } = record
    else {
        return String::new();
    };
    let (shown, tokens) = (shown.len(), prefix_tokens + tail_tokens);
    format!("#{call_no} {transport}, {reach}: {shown} shown, {named} named; {tokens} tokens of {everything_tokens}")
}

fn reply(record: &Record) -> String {
    let Record::Reply { text_chars, calls, usage, cut_off, ms, .. } = record else { return String::new() };
    let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
    let cut = if *cut_off { ", cut off" } else { "" };
    format!("{text_chars} chars, calls [{}], {}{}{cut}", names.join(", "), seconds(*ms), cost(usage))
}

fn call(record: &Record) -> String {
    let Record::Call { tool, detail, ms, outcome, result_chars, error, .. } = record else { return String::new() };
    let error = error.as_ref().map(|error| format!(": {}", one_line(error))).unwrap_or_default();
    format!("{tool}({detail}) -> {outcome}, {}, {result_chars} chars{error}", seconds(*ms))
}

fn decision(record: &Record) -> (&'static str, String) {
    match record {
        Record::Resolve { name, resolution, .. } => ("resolve", format!("{name} = {resolution}")),
        Record::Verdict { tool, verdict, rule, reason, .. } => {
            let rule = rule.as_ref().map(|rule| format!(" [{rule}]")).unwrap_or_default();
            ("verdict", format!("{tool}: {verdict}{rule} {}", one_line(reason)))
        }
        Record::Aside { name, arguments, outcome, detail, .. } => {
            ("aside", format!("{name} {} -> {outcome} {}", one_line(arguments), one_line(detail)))
        }
        Record::Consent { tool, asked, answer, .. } => ("consent", format!("{tool}: {} -> {answer}", one_line(asked))),
        Record::Rise { cause, tools, reach } => ("rise", format!("{cause}: {} (reach {reach})", tools.join(", "))),
        Record::Epoch { epoch, transport, cause, rebilled, .. } => {
            ("epoch", format!("{epoch}: {cause} ({transport}, {rebilled} tokens billed again)"))
        }
        Record::Tools { .. } => ("tools", tools(record)),
        Record::Compacted { results, turns, cut, before_tokens, after_tokens } => {
            let what = format!("{results} results to a line, {turns} turns left out, {cut} results cut");
            ("fold", format!("{what}: {before_tokens} to {after_tokens} tokens"))
        }
        Record::Problem { problem } => ("problem", format!("{}: {}", problem.subject, problem.what.en)),
        _ => ("?", String::new()),
    }
}

fn tools(record: &Record) -> String {
    let Record::Tools { count, new, gone, back, changed, .. } = record else { return String::new() };
    let lists = [("new", new), ("gone", gone), ("back", back), ("changed", changed)];
    let told = lists.iter().filter(|(_, ids)| !ids.is_empty()).map(|(what, ids)| format!("{what}: {}", ids.join(", ")));
    format!("{count} tools; {}", told.collect::<Vec<_>>().join("; "))
}

fn cost(usage: &TokenUsage) -> String {
    let part = |name: &str, tokens: Option<u64>| tokens.map(|tokens| format!(", {tokens} {name}")).unwrap_or_default();
    format!("{}{}{}", part("in", usage.input), part("cached", usage.cached), part("out", usage.output))
}

fn short(sha256: &str) -> &str {
    sha256.get(..12).unwrap_or(sha256)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use winclaw_tool::Lang;

    use super::*;

    #[test]
    fn the_end_says_how_many_of_the_shown_tools_were_called() {
        let exposure = |tools: &[&str]| json!({"kind": "exposure", "shown": tools.iter().map(|tool| json!({"tool": tool})).collect::<Vec<_>>()});
        let call = |tool: &str| json!({"kind": "call", "tool": tool});
        let nine: Vec<String> = (0..9).map(|n| format!("sky.no_{n}")).collect();
        let nine: Vec<&str> = nine.iter().map(String::as_str).collect();
        let task = [exposure(&nine[..7]), call("sky.no_1"), exposure(&nine), call("sky.no_8"), call("sky.no_1")];
        let cases = [
            (&task[..], Lang::En, Some("tools shown 9, called 2")),
            (&task[..], Lang::Zh, Some("展示工具 9 个，调用 2 个")),
            (&[exposure(&[]), call("mail.send")], Lang::En, Some("tools shown 0, called 0; called by name alone 1")),
            (&[call("mail.send")], Lang::En, None),
        ];
        for (records, lang, expected) in cases {
            let records: Vec<Record> =
                records.iter().map(|record| serde_json::from_value(record.clone()).expect("a record")).collect();
            assert_eq!(use_rate(&Screen::plain(lang), records.iter()).as_deref(), expected);
        }
    }
}
