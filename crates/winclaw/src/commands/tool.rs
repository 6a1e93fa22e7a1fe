//! `winclaw tool list|describe|call`.

use std::io::Read as _;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use winclaw_agent::{Answer, Event, Front, Watch};
use winclaw_catalog::{CatalogTool, State, ToolIx};
use winclaw_guard::{Consent, Guard, Limits, Origin, Proposed, Verdict};
use winclaw_tool::{Lang, Outcome, SideEffect};

use crate::cli::{OutputWord, ToolCallArgs, ToolCommand};
use crate::complaint::{Complaint, Exit};
use crate::config::Config;
use crate::host::{Host, Opening};
use crate::screen::{Screen, Style, columns, harmless};
use crate::task::cancel_on_interrupt;
use crate::terminal::Terminal;

/// The id of the one call of `tool call`, in its events.
const CALL: &str = "call";

/// Runs the command.
pub async fn run(config: Config, screen: Screen, command: ToolCommand, verbose: bool) -> Result<Exit, Complaint> {
    match command {
        ToolCommand::List(args) => {
            let host = Host::open(config, screen, Opening::default())?;
            host.warn();
            list(&host, args.json);
        }
        ToolCommand::Describe { name, json } => {
            let host = Host::open(config, screen, Opening::default())?;
            describe(&host, host.find(&name)?, json);
        }
        ToolCommand::Call(args) => {
            let opening = Opening { allow: args.allow.clone(), ..Opening::default() };
            let host = Host::open(config, screen, opening)?;
            return call(&host, &args, verbose).await;
        }
    }
    Ok(Exit::Done)
}

fn list(host: &Host, as_json: bool) {
    let tools = host.catalog().tools();
    if as_json {
        let rows: Vec<Value> = tools.iter().map(row_json).collect();
        return host.screen.json(&rows);
    }
    if tools.is_empty() {
        let folder = host.config.plugins_dir.display();
        let en = format!("no tools: there are no plugin packages in {folder}");
        let zh = format!("没有工具：{folder} 中没有插件包");
        return host.screen.line(host.screen.word(&en, &zh));
    }
    let rows: Vec<Vec<String>> = tools.iter().map(|tool| row(&host.screen, tool)).collect();
    columns(&rows).iter().for_each(|line| host.screen.line(line));
}

fn row(screen: &Screen, tool: &CatalogTool) -> Vec<String> {
    let effect = side_effect(screen, tool.manifest.side_effect).to_owned();
    let summary = harmless(screen.text(&tool.manifest.summary));
    let summary = match state(screen, &tool.state) {
        Some(state) => format!("[{state}] {summary}"),
        None => summary,
    };
    vec![tool.id.to_string(), tool.manifest.category.clone(), effect, summary]
}

fn row_json(tool: &CatalogTool) -> Value {
    json!({"id": tool.id, "wire_name": tool.wire_name, "category": tool.manifest.category,
           "side_effect": tool.manifest.side_effect, "summary": tool.manifest.summary, "state": state_word(&tool.state)})
}

fn state_word(state: &State) -> &'static str {
    match state {
        State::Ready => "ready",
        State::Disabled { .. } => "disabled",
        State::Unavailable { .. } => "unavailable",
        State::NeedsConfig { .. } => "needs_config",
    }
}

fn state<'a>(screen: &Screen, state: &'a State) -> Option<&'a str> {
    match state {
        State::Ready => None,
        State::Disabled { why } | State::Unavailable { why, .. } => Some(screen.text(why)),
        State::NeedsConfig { what } => Some(screen.text(what)),
    }
}

/// A side effect in words.
pub fn side_effect(screen: &Screen, effect: SideEffect) -> &'static str {
    let (en, zh) = match effect {
        SideEffect::Read => ("reads", "只读"),
        SideEffect::Write => ("writes", "写入"),
        SideEffect::Destructive => ("may destroy", "可能破坏"),
        SideEffect::External => ("acts outside", "影响外部"),
    };
    if screen.lang == Lang::Zh { zh } else { en }
}

fn describe(host: &Host, tool: ToolIx, as_json: bool) {
    let (screen, known) = (&host.screen, host.catalog().get(tool));
    if as_json {
        let whole = json!({"id": known.id, "wire_name": known.wire_name, "state": state_word(&known.state),
                           "fingerprint": known.fingerprint, "manifest": known.manifest});
        return screen.json(&whole);
    }
    let manifest = &known.manifest;
    let title = format!("{} {}", manifest.emoji, screen.text(&manifest.title));
    screen.line(&format!("{}  {}", screen.paint(Style::Bold, title.trim()), known.id));
    screen.line(&harmless(known.full_description()));
    let mut facts = vec![
        (screen.word("summary", "简介"), screen.text(&manifest.summary).to_owned()),
        (screen.word("wire name", "线上名称"), known.wire_name.clone()),
        (screen.word("category", "类别"), manifest.category.clone()),
        (screen.word("side effect", "影响"), side_effect(screen, manifest.side_effect).to_owned()),
        (screen.word("detail keys", "要点参数"), manifest.detail_keys.join(", ")),
        (screen.word("leans on", "依赖"), edges(known)),
        (screen.word("aliases", "别名"), manifest.aliases.iter().collect::<Vec<_>>().join(", ")),
        (screen.word("examples", "示例"), manifest.examples.join(" | ")),
        (screen.word("time limit", "时限"), format!("{} ms", manifest.timeout_ms)),
    ];
    if let Some(state) = state(screen, &known.state) {
        facts.push((screen.word("state", "状态"), state.to_owned()));
    }
    let rows: Vec<Vec<String>> = facts
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| vec![format!("  {name}"), harmless(&value)])
        .collect();
    columns(&rows).iter().for_each(|line| screen.line(line));
    screen.line(&format!("  {}", screen.word("parameters", "参数")));
    let schema = serde_json::to_string_pretty(&manifest.parameters).unwrap_or_default();
    screen.line(&harmless(&schema));
}

fn edges(tool: &CatalogTool) -> String {
    let word = |edge: &winclaw_tool::Dependency| {
        let kind = serde_json::to_value(edge.kind).ok().and_then(|kind| kind.as_str().map(str::to_owned));
        format!("{} ({})", edge.tool, kind.unwrap_or_default())
    };
    tool.manifest.depends_on.iter().map(word).collect::<Vec<_>>().join(", ")
}

async fn call(host: &Host, args: &ToolCallArgs, verbose: bool) -> Result<Exit, Complaint> {
    let tool = host.find(&args.name)?;
    let raw = arguments(&args.args)?;
    let front = Arc::new(Terminal::new(host.screen, args.output, verbose).keeping(host.config.policy_file()));
    let arguments = judged(host, args, tool, &raw, front.as_ref()).await?;
    let cancel = CancellationToken::new();
    let interrupt = tokio::spawn(cancel_on_interrupt(cancel.clone()));
    let begun = std::time::Instant::now();
    front.show(Event::started(host.catalog(), CALL, tool, &arguments));
    let observer = Arc::new(Watch::new(front.clone(), CALL));
    let outcome = host.toolbox.run(tool, arguments, cancel, observer).await;
    interrupt.abort();
    say(host, args.output, tool, front.as_ref(), &outcome, begun.elapsed())
}

/// The arguments as the guard lets them run, after the person's consent where that is needed.
async fn judged(
    host: &Host,
    args: &ToolCallArgs,
    tool: ToolIx,
    raw: &str,
    front: &Terminal,
) -> Result<Value, Complaint> {
    let mut guard = Guard::new(Limits::default(), host.policy(args.approve)?);
    let proposed = Proposed {
        tool,
        raw_arguments: raw,
        cut_off: false,
        position: 0,
        schema_was_shown: true,
        near: true,
        origin: Origin::default(),
    };
    match guard.judge(host.catalog(), &proposed) {
        Verdict::Run { arguments, .. } | Verdict::RunWithAdvice { arguments, .. } => Ok(arguments),
        Verdict::NotRun { failure, .. } => Err(Complaint::of_failure(&failure)),
        Verdict::AskUser { arguments, consent, .. } => match front.consent(&consent, &arguments).await {
            Answer::Once | Answer::ThisTask | Answer::Always => Ok(arguments),
            Answer::No => Err(denied(host, &consent, "you said no", "您选择了否")),
            Answer::Never => Err(denied(host, &consent, "you said never", "您选择了永不")),
            Answer::NobodyToAsk => {
                let complaint = denied(host, &consent, "nobody can be asked here", "此处无法询问");
                Err(Complaint { mend: consent.how_to_allow(), ..complaint })
            }
        },
    }
}

fn denied(host: &Host, consent: &Consent, en: &str, zh: &str) -> Complaint {
    let id = &host.catalog().get(consent.tool).id;
    let words = |lang| side_effect(&Screen::new(lang), consent.side_effect);
    let (en_effect, zh_effect) = (words(Lang::En), words(Lang::Zh));
    Complaint::new(
        Exit::Denied,
        format!("{id} ({en_effect}) was not run: {en}"),
        format!("{id}（{zh_effect}）未运行：{zh}"),
    )
}

fn arguments(text: &str) -> Result<String, Complaint> {
    if text != "-" {
        return Ok(text.to_owned());
    }
    let mut read = String::new();
    let done = std::io::stdin().read_to_string(&mut read).map(|_| read);
    done.map_err(|error| Complaint::new(Exit::Usage, format!("standard input: {error}"), format!("标准输入：{error}")))
}

fn say(
    host: &Host,
    output: OutputWord,
    tool: ToolIx,
    front: &Terminal,
    outcome: &Outcome,
    took: std::time::Duration,
) -> Result<Exit, Complaint> {
    if outcome.is_ok() || output != OutputWord::Text {
        front.show(Event::ended(host.catalog(), CALL, tool, outcome.clone(), took));
    }
    match outcome {
        Ok(result) if output == OutputWord::Text => host.screen.line(&harmless(&pretty(&result.value))),
        Ok(result) if output == OutputWord::Json => host.screen.json(&result.value),
        Ok(_) => {}
        Err(failure) => return Err(Complaint::of_failure(failure)),
    }
    Ok(Exit::Done)
}

fn pretty(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}
