//! `winclaw doctor`.

use serde_json::{Value, json};
use winclaw_model::ModelChoice;

use crate::cli::JsonArgs;
use crate::complaint::{Complaint, Exit};
use crate::config::Config;
use crate::host::{Host, Opening};
use crate::screen::{Screen, Style, columns, harmless};

/// One thing that was looked at.
struct Check {
    name: &'static str,
    good: Good,
    words: String,
}

/// How a check came out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Good {
    Yes,
    Maybe,
    No,
}

impl Check {
    fn new(name: &'static str, good: Good, words: impl Into<String>) -> Self {
        Check { name, good, words: words.into() }
    }
}

/// Looks at everything and says it; ends with 2 when something that is needed is missing.
pub async fn run(config: Config, screen: Screen, args: JsonArgs) -> Result<Exit, Complaint> {
    let host = Host::open(config, screen, Opening::default())?;
    let mut checks = vec![program(), config_file(&host)];
    checks.extend(project(&host));
    checks.extend([data_dir(&host), sessions(&host), policy(&host), secrets(&host), keyring(&host), plugins(&host)]);
    checks.extend([network(&screen), model(&host).await]);
    checks.extend(memory(&screen));
    if args.json {
        let rows: Vec<Value> = checks.iter().map(row_json).collect();
        // A path or a vendor's word may hold what must not be shown to whoever reads a report.
        screen.json(&winclaw_trace::redact(&json!({"checks": rows, "problems": host.problems})));
    } else {
        let rows: Vec<Vec<String>> = checks.iter().map(|check| row(&screen, check)).collect();
        columns(&rows).iter().for_each(|line| screen.line(line));
        let problems = host.problems.iter().map(|problem| host.problem_lines(problem));
        problems.for_each(|lines| screen.line(&winclaw_trace::redact_text(&lines)));
    }
    let bad = checks.iter().any(|check| check.good == Good::No);
    Ok(if bad { Exit::Usage } else { Exit::Done })
}

fn row(screen: &Screen, check: &Check) -> Vec<String> {
    let mark = match check.good {
        Good::Yes => screen.paint(Style::Green, "✓"),
        Good::Maybe => screen.paint(Style::Yellow, "!"),
        Good::No => screen.paint(Style::Red, "✗"),
    };
    vec![format!("{mark} {}", check.name), harmless(&winclaw_trace::redact_text(&check.words))]
}

fn row_json(check: &Check) -> Value {
    let state = match check.good {
        Good::Yes => "ok",
        Good::Maybe => "attention",
        Good::No => "missing",
    };
    json!({"check": check.name, "state": state, "message": check.words})
}

fn program() -> Check {
    let words = format!("winclaw {} for {}", env!("CARGO_PKG_VERSION"), winclaw_loader::TARGET);
    Check::new("program", Good::Yes, words)
}

fn config_file(host: &Host) -> Check {
    let place = host.config.file.display();
    let words = match host.config.file.is_file() {
        true => place.to_string(),
        false => format!("{place} ({})", host.screen.word("absent; defaults apply", "不存在，使用默认值")),
    };
    Check::new("config", Good::Yes, words)
}

fn data_dir(host: &Host) -> Check {
    let folder = &host.config.data_dir;
    let probe = folder.join(".doctor");
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&probe, b""))
        .and_then(|()| std::fs::remove_file(&probe));
    match written {
        Ok(()) => Check::new("data", Good::Yes, folder.display().to_string()),
        Err(error) => Check::new("data", Good::No, format!("{}: {error}", folder.display())),
    }
}

fn plugins(host: &Host) -> Check {
    let (count, tools) = (host.plugins.plugins().len(), host.catalog().tools().len());
    let folder = host.config.plugins_dir.display();
    let words = match host.screen.lang {
        winclaw_tool::Lang::En => format!("{count} plugins, {tools} tools in {folder}"),
        winclaw_tool::Lang::Zh => format!("{folder} 中有 {count} 个插件、{tools} 个工具"),
    };
    let refused = host.problems.iter().any(|problem| problem.fatal);
    let good = if count == 0 || refused { Good::Maybe } else { Good::Yes };
    Check::new("plugins", good, words)
}

/// Says what the environment says; asks nobody.
fn network(screen: &Screen) -> Check {
    let set = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];
    let names: Vec<&str> = set.into_iter().filter(|name| std::env::var_os(name).is_some()).collect();
    let words = match names.is_empty() {
        true => screen.word("no proxy", "无代理").to_owned(),
        false => format!("{} {}", screen.word("proxy by", "代理来自"), names.join(", ")),
    };
    Check::new("network", Good::Yes, words)
}

/// The model that would be asked, whether its key is there, and where from; nobody is asked.
async fn model(host: &Host) -> Check {
    let choice = match host.config.model_choice(None) {
        Ok(Some(choice)) => choice,
        Ok(None) => return local_model(host).await,
        Err(complaint) => return Check::new("model", Good::No, host.screen.text(&complaint.what)),
    };
    match winclaw_model::connect(&choice, &|name| host.config.variable(name)) {
        Ok(model) => Check::new("model", Good::Yes, format!("{}{}", model.label(), where_from(host, &choice))),
        Err(error) => {
            Check::new("model", Good::No, format!("{}: {}", choice.label(), error.text().get(host.screen.lang)))
        }
    }
}

/// Where the model was named, and where its key is; never the key.
fn where_from(host: &Host, choice: &ModelChoice) -> String {
    let (screen, config) = (host.screen, &host.config);
    let named = config.settings.get("model").map(|setting| screen.text(&setting.place.text()).to_owned());
    let profile = choice.profile.as_ref().or_else(|| winclaw_model::Profile::of(&choice.provider));
    let variable = profile.map(|profile| profile.key_variable.to_string()).unwrap_or_default();
    let kept = || config.secrets.list().ok()?.into_iter().find(|(name, _)| *name == variable).map(|(_, source)| source);
    let key = match std::env::var_os(&variable) {
        Some(_) => Some(screen.word("the environment", "环境变量").to_owned()),
        None => kept().map(|source| screen.text(&source.text()).to_owned()),
    };
    let named = named.map(|place| format!("{} {place}", screen.word("named in", "来自")));
    let key = key.map(|place| format!("{variable} {} {place}", screen.word("from", "来自")));
    let parts: Vec<String> = named.into_iter().chain(key).collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

/// The file of the project, where there is one.
fn project(host: &Host) -> Option<Check> {
    let project = host.config.places.project.as_ref()?.display().to_string();
    Some(match host.config.held_back_text() {
        None => Check::new("project", Good::Yes, project),
        Some(text) => Check::new("project", Good::Maybe, host.screen.text(&text)),
    })
}

/// Whether past conversations can be read.
fn sessions(host: &Host) -> Check {
    let folder = host.config.sessions();
    let looked = winclaw_session::Store::look(&folder).and_then(|found| match found {
        None => Ok((0, Vec::new())),
        Some((store, problems)) => store.list(None).map(|list| (list.len(), problems)),
    });
    match looked {
        Ok((count, problems)) => {
            let words = format!("{count} {}", host.screen.word("kept", "个已保存"));
            let told: Vec<&str> = problems.iter().map(|problem| host.screen.text(&problem.what)).collect();
            let good = if told.is_empty() { Good::Yes } else { Good::Maybe };
            Check::new("sessions", good, [words.as_str()].into_iter().chain(told).collect::<Vec<_>>().join("; "))
        }
        Err(error) => Check::new("sessions", Good::Maybe, error.to_string()),
    }
}

/// Whether the rules of consent can be read.
fn policy(host: &Host) -> Check {
    match host.policy(None) {
        Ok(policy) => {
            Check::new("policy", Good::Yes, format!("{} {}", policy.rules.len(), host.screen.word("rules", "条规则")))
        }
        Err(complaint) => Check::new("policy", Good::No, host.screen.text(&complaint.what)),
    }
}

/// How many secrets are kept, and whether their file is as it must be; none is read out.
fn secrets(host: &Host) -> Check {
    match host.config.secrets.list() {
        Ok(all) => Check::new("secrets", Good::Yes, format!("{} {}", all.len(), host.screen.word("kept", "个已保存"))),
        Err(complaint) => {
            let (what, mend) = (host.screen.text(&complaint.what), host.screen.text(&complaint.mend));
            Check::new("secrets", Good::No, format!("{what}; {mend}"))
        }
    }
}

fn keyring(host: &Host) -> Check {
    let screen = host.screen;
    if host.config.settings.switch("secrets.keyring") == Some(false) {
        return Check::new("keyring", Good::Yes, screen.word("not used, as configured", "按配置不使用"));
    }
    match crate::config::secrets::keyring_answers() {
        Ok(()) => Check::new("keyring", Good::Yes, screen.word("answers", "可用")),
        Err(why) => {
            let words = screen
                .word("does not answer; secrets go into a file for you alone", "没有响应；密钥将存入仅您可读的文件");
            Check::new("keyring", Good::Maybe, format!("{words} ({why})"))
        }
    }
}

/// The most memory this process has held, where the system says so.
fn memory(screen: &Screen) -> Option<Check> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(Check::new("memory", Good::Yes, format!("{} {}", peak.trim(), screen.word("at most so far", "（目前最高）"))))
}

/// Servers on this machine's own loopback address.
async fn local_model(host: &Host) -> Check {
    match winclaw_model::discover_local().await.first() {
        Some(found) => Check::new("model", Good::Yes, ModelChoice::from(found).label()),
        None => Check::new(
            "model",
            Good::Maybe,
            host.screen.word(
                "none: set the key of a provider, such as DEEPSEEK_API_KEY, or start Ollama or LM Studio; `winclaw demo` needs none",
                "无：请设置某个提供方的密钥（如 DEEPSEEK_API_KEY），或启动 Ollama / LM Studio；winclaw demo 无需模型",
            ),
        ),
    }
}
