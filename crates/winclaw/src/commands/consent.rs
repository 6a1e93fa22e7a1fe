//! `winclaw consent list|allow|deny|ask|forget|explain`.

use serde_json::{Value, json};
use winclaw_catalog::{CatalogTool, State, ToolIx};
use winclaw_guard::{Decision, Guard, Limits, Origin, Pin, PolicyRule, Proposed, Ruling, Source, Verdict, seen};
use winclaw_tool::{SideEffect, ToolId};

use crate::cli::{ConsentCommand, ConsentExplainArgs, EffectWord, ForgetArgs, RuleArgs};
use crate::commands::tool::side_effect;
use crate::complaint::{Complaint, Exit};
use crate::config::Config;
use crate::host::{Host, Opening};
use crate::policy_file;
use crate::policy_fit::{self, Misfit};
use crate::screen::{Screen, Style, columns, harmless};

/// Runs the command.
pub fn run(config: Config, screen: Screen, command: ConsentCommand) -> Result<Exit, Complaint> {
    let host = Host::open(config, screen, Opening::default())?;
    match command {
        ConsentCommand::List(args) => list(&host, args.json),
        ConsentCommand::Allow(args) => add(&host, &args, Decision::Allow),
        ConsentCommand::Deny(args) => add(&host, &args, Decision::Deny),
        ConsentCommand::Ask(args) => add(&host, &args, Decision::Ask),
        ConsentCommand::Forget(args) => forget(&host, &args),
        ConsentCommand::Explain(args) => explain(&host, &args),
    }
}

fn list(host: &Host, as_json: bool) -> Result<Exit, Complaint> {
    let (screen, file) = (&host.screen, host.config.policy_file());
    let rules = policy_file::read(&file)?;
    if as_json {
        let rows: Vec<Value> = rules.iter().map(|rule| rule_json(host, rule)).collect();
        screen.json(&rows);
        return Ok(Exit::Done);
    }
    if rules.is_empty() {
        let en = format!("no rules; {} would hold them", file.display());
        let zh = format!("没有规则；规则将保存在 {}", file.display());
        screen.line(screen.word(&en, &zh));
        return Ok(Exit::Done);
    }
    let rows: Vec<Vec<String>> = rules.iter().map(|rule| row(host, rule)).collect();
    columns(&rows).iter().for_each(|line| screen.line(line));
    Ok(Exit::Done)
}

fn row(host: &Host, rule: &PolicyRule) -> Vec<String> {
    let screen = &host.screen;
    let effect =
        rule.side_effect.map_or(screen.word("any effect", "任何影响"), |effect| side_effect(screen, effect));
    let to = rule.to.as_ref().map(|to| format!("→ {}", seen(to, 120))).unwrap_or_default();
    let from = match rule.from {
        Some(Source::Answer) => screen.word("answered", "回答问题时"),
        Some(Source::Command) => screen.word("by command", "命令"),
        None => screen.word("by hand", "手写"),
    };
    let since = rule.since.as_deref().map(|day| format!(" {}", seen(day, 20))).unwrap_or_default();
    let lapsed = lapsed(host, rule).map(|why| format!("({why})")).unwrap_or_default();
    vec![
        decision(screen, rule.decision).to_owned(),
        seen(&rule.tool, 80),
        effect.to_owned(),
        to,
        format!("{from}{since}"),
        screen.paint(Style::Yellow, &lapsed),
    ]
}

fn decision(screen: &Screen, decision: Decision) -> &'static str {
    let (en, zh) = match decision {
        Decision::Allow => ("allow", "允许"),
        Decision::Ask => ("ask", "询问"),
        Decision::Deny => ("deny", "禁止"),
    };
    if screen.lang == winclaw_tool::Lang::Zh { zh } else { en }
}

/// Why the rule says nothing now, if it does not.
fn lapsed(host: &Host, rule: &PolicyRule) -> Option<String> {
    if rule.tool.ends_with('*') {
        return None;
    }
    let screen = &host.screen;
    let Some(tool) = host.catalog().tools().iter().find(|tool| tool.id.as_str() == rule.tool) else {
        return Some(screen.word("there is no such tool now", "目前没有此工具").to_owned());
    };
    let parts = rule.pin.as_ref()?.differs(tool);
    let texts: Vec<String> = parts.iter().map(|part| screen.text(&part.text()).to_owned()).collect();
    let words = screen.word("holds no longer, changed since", "不再有效，之后有变化");
    (!texts.is_empty()).then(|| format!("{words}: {}", texts.join(", ")))
}

fn rule_json(host: &Host, rule: &PolicyRule) -> Value {
    let mut row = serde_json::to_value(rule).unwrap_or_default();
    row["lapsed"] = json!(lapsed(host, rule));
    row
}

fn add(host: &Host, args: &RuleArgs, decision: Decision) -> Result<Exit, Complaint> {
    let (tool, known) = named(host, &args.tool, decision)?;
    let effects: Vec<Option<SideEffect>> = match (args.side_effect.is_empty(), decision, known) {
        (false, ..) => args.side_effect.iter().map(|word| word.side_effect()).collect(),
        (true, Decision::Allow, Some(tool)) => vec![Some(tool.manifest.side_effect)],
        (true, Decision::Allow, None) => return Err(which_effect(&tool)),
        (true, ..) => vec![None],
    };
    let places: Vec<Option<&String>> = if args.to.is_empty() { vec![None] } else { args.to.iter().map(Some).collect() };
    let pin = known.filter(|_| decision == Decision::Allow).map(Pin::of);
    let rule = |effect: Option<SideEffect>, to: Option<&String>| PolicyRule {
        to: to.map(|to| to.trim().to_owned()),
        pin: pin.clone(),
        from: Some(Source::Command),
        since: Some(policy_file::today()),
        ..PolicyRule::new(tool.as_str(), effect, decision)
    };
    let rules: Vec<PolicyRule> = effects.iter().flat_map(|effect| places.iter().map(|to| rule(*effect, *to))).collect();
    if rules.iter().any(|rule| rule.fault().is_some()) {
        return Err(no_destination());
    }
    let misfit = policy_fit::misfit(host.catalog(), &tool);
    if let Some(Misfit::NoTool(near)) = misfit {
        return Err(policy_fit::no_tool(&tool, near));
    }
    let gone = policy_file::put(&host.config.policy_file(), &rules)?;
    if let (Some(misfit), Some(rule)) = (&misfit, rules.first()) {
        host.warn_of(&policy_fit::warning(rule, misfit));
    }
    say(host, "+", &rules);
    say(host, "-", &gone.into_iter().filter(|old| !rules.contains(old)).collect::<Vec<_>>());
    if let Some(known) = known.filter(|_| decision == Decision::Allow) {
        what_still_asks(host, known, &effects);
    }
    Ok(Exit::Done)
}

/// The tools that `name` means, as a rule has them, and the tool itself if it is one.
fn named<'a>(host: &'a Host, name: &str, decision: Decision) -> Result<(String, Option<&'a CatalogTool>), Complaint> {
    let pattern = PolicyRule::new(name, None, decision);
    if name.ends_with('*') {
        return match pattern.fault() {
            None => Ok((name.to_owned(), None)),
            Some(_) => Err(no_pattern(name)),
        };
    }
    match host.find(name) {
        Ok(ix) => Ok((host.catalog().get(ix).id.to_string(), Some(host.catalog().get(ix)))),
        // What is not here now may be forbidden beforehand.
        Err(_) if decision != Decision::Allow && ToolId::parse(name).is_ok() => Ok((name.to_owned(), None)),
        Err(complaint) => Err(match policy_fit::misfit(host.catalog(), name) {
            Some(Misfit::NoTool(near @ Some(_))) => policy_fit::no_tool(name, near),
            _ => complaint,
        }),
    }
}

fn no_pattern(name: &str) -> Complaint {
    Complaint::new(Exit::Usage, format!("`{name}` names no tools"), format!("“{name}”不指任何工具")).mend(
        "name one tool, all of a plugin as plugin.*, or all as * (in quotes, for the shell)",
        "写一个工具、一个插件的全部（plugin.*）或全部（*，在 shell 中加引号）",
    )
}

fn which_effect(tool: &str) -> Complaint {
    Complaint::new(
        Exit::Usage,
        format!("`{tool}` are many tools: which of their calls shall run?"),
        format!("“{tool}”是多个工具：允许哪些调用？"),
    )
    .mend(
        "say --side-effect read, write, destructive, external or any",
        "请用 --side-effect 指定 read、write、destructive、external 或 any",
    )
}

fn no_destination() -> Complaint {
    Complaint::new(Exit::Usage, "--to names no destination", "--to 没有指明目的地").mend(
        "name a host, an e-mail address, a folder, whom a call goes to, or * for anywhere",
        "写主机、邮箱地址、文件夹、接收者，或用 * 表示任何地方",
    )
}

fn say(host: &Host, mark: &str, rules: &[PolicyRule]) {
    for rule in rules {
        host.screen.line(&format!("{mark} {}", seen(&rule.line(), 400)));
    }
}

/// What an allowance does not cover, so that nobody is surprised by a question.
fn what_still_asks(host: &Host, tool: &CatalogTool, effects: &[Option<SideEffect>]) {
    let screen = &host.screen;
    let keys = tool.manifest.destructive_if.join(", ");
    let covered = effects.iter().any(|effect| effect.is_none_or(|effect| effect == SideEffect::Destructive));
    if !keys.is_empty() && !covered {
        let en = format!(
            "  calls with {keys} may destroy something and are not covered; they need --side-effect destructive"
        );
        let zh = format!("  带 {keys} 的调用可能造成破坏，不在此列；需另加 --side-effect destructive");
        screen.note(&harmless(screen.word(&en, &zh)));
    }
}

fn forget(host: &Host, args: &ForgetArgs) -> Result<Exit, Complaint> {
    let name = args.tool.as_deref().unwrap_or("*");
    let tool = named(host, name, Decision::Deny).map_or_else(|_| name.to_owned(), |(tool, _)| tool);
    let effect = args.side_effect.map(EffectWord::side_effect);
    let goes = |rule: &PolicyRule| {
        args.all
            || (rule.tool == tool
                && effect.is_none_or(|effect| rule.side_effect == effect)
                && args.to.as_ref().is_none_or(|to| rule.to.as_ref() == Some(to)))
    };
    let gone = policy_file::forget(&host.config.policy_file(), goes)?;
    if gone.is_empty() {
        return Err(Complaint::new(
            Exit::Usage,
            format!("there is no such rule for `{tool}`"),
            format!("“{tool}”没有这样的规则"),
        )
        .mend("`winclaw consent list` lists every rule", "运行 winclaw consent list 查看所有规则"));
    }
    say(host, "-", &gone);
    Ok(Exit::Done)
}

fn explain(host: &Host, args: &ConsentExplainArgs) -> Result<Exit, Complaint> {
    let ix = host.find(&args.tool)?;
    match &args.args {
        Some(text) => explain_call(host, args, ix, text),
        None => explain_tool(host, args, host.catalog().get(ix)),
    }
}

/// What is said of each side effect the tool may have.
fn explain_tool(host: &Host, args: &ConsentExplainArgs, tool: &CatalogTool) -> Result<Exit, Complaint> {
    let policy = host.policy(args.approve)?;
    let own = tool.manifest.side_effect;
    let may_lose = !tool.manifest.destructive_if.is_empty() && own != SideEffect::Destructive;
    let effects = std::iter::once(own).chain(may_lose.then_some(SideEffect::Destructive));
    let rulings: Vec<(SideEffect, Ruling)> = effects.map(|effect| (effect, policy.ruling(tool, effect))).collect();
    if args.json {
        let rows: Vec<Value> =
            rulings.iter().map(|(effect, ruling)| ruling_json(host, tool, *effect, ruling)).collect();
        host.screen.json(&rows);
        return Ok(Exit::Done);
    }
    host.screen.line(&host.screen.paint(Style::Bold, tool.id.as_str()));
    say_state(host, tool);
    let rows: Vec<Vec<String>> = rulings.iter().map(|(effect, ruling)| ruling_row(host, *effect, ruling)).collect();
    columns(&rows).iter().for_each(|line| host.screen.line(line));
    for because in rulings.iter().flat_map(|(_, ruling)| &ruling.because) {
        host.screen.line(&format!("  ! {}", harmless(host.screen.text(&because.text()))));
    }
    Ok(Exit::Done)
}

/// A tool that cannot run at all is not helped by any rule.
fn say_state(host: &Host, tool: &CatalogTool) {
    if tool.state != State::Ready {
        let words = host.screen.word("it cannot run now, whatever the rules say", "无论规则如何，它目前都不能运行");
        host.screen.line(&host.screen.paint(Style::Yellow, &format!("  {words}")));
    }
}

fn ruling_row(host: &Host, effect: SideEffect, ruling: &Ruling) -> Vec<String> {
    let screen = &host.screen;
    let by = format!("{} {}", screen.word("by", "依据："), harmless(screen.text(&ruling.text())));
    vec![format!("  {}", side_effect(screen, effect)), decision(screen, ruling.decision).to_owned(), by]
}

fn ruling_json(host: &Host, tool: &CatalogTool, effect: SideEffect, ruling: &Ruling) -> Value {
    let because: Vec<&str> = ruling.because.iter().map(|because| because.as_str()).collect();
    json!({"tool": tool.id, "side_effect": effect, "decision": ruling.decision, "by": ruling.as_trace(),
           "why": host.screen.text(&ruling.text()), "because": because})
}

/// What would happen to this very call.
fn explain_call(host: &Host, args: &ConsentExplainArgs, ix: ToolIx, text: &str) -> Result<Exit, Complaint> {
    let (catalog, screen) = (host.catalog(), &host.screen);
    let tool = catalog.get(ix);
    let mut guard = Guard::new(Limits::default(), host.policy(args.approve)?);
    let proposed = Proposed {
        tool: ix,
        raw_arguments: text,
        cut_off: false,
        position: 0,
        schema_was_shown: true,
        near: true,
        origin: Origin::default(),
    };
    let verdict = guard.judge(catalog, &proposed);
    let Some(ruling) = guard.ruling() else {
        return match verdict {
            Verdict::NotRun { failure, .. } => Err(Complaint::of_failure(&failure)),
            _ => {
                say_state(host, tool);
                Ok(Exit::Done)
            }
        };
    };
    let (effect, command, question) = match &verdict {
        Verdict::AskUser { consent, .. } => {
            let command = consent.command().map(|command| (consent.command_does(), command));
            (consent.side_effect, command, Some(consent.why.clone()))
        }
        Verdict::Run { arguments, .. } | Verdict::RunWithAdvice { arguments, .. } => {
            (tool.manifest.side_effect_of(arguments), None, None)
        }
        Verdict::NotRun { .. } => (tool.manifest.side_effect, None, None),
    };
    if args.json {
        let mut row = ruling_json(host, tool, effect, ruling);
        row["allow_with"] = json!(command.map(|(_, command)| command));
        screen.json(&row);
        return Ok(Exit::Done);
    }
    columns(&[ruling_row(host, effect, ruling)]).iter().for_each(|line| screen.line(line.trim_start()));
    question.iter().for_each(|why| screen.line(&harmless(screen.text(why))));
    if let Some((words, command)) = command {
        screen.line(&format!("{}: {command}", screen.text(&words)));
    }
    Ok(Exit::Done)
}
