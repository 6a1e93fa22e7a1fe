//! `winclaw plugin list|inspect`.

use serde_json::{Value, json};
use winclaw_loader::InstalledPlugin;
use winclaw_tool::{FileAccess, Permissions};

use crate::cli::PluginCommand;
use crate::complaint::{Complaint, Exit};
use crate::config::Config;
use crate::host::{Host, Opening};
use crate::screen::{Screen, Style, columns, harmless};

use super::tool::side_effect;

/// Runs the command.
pub fn run(config: Config, screen: Screen, command: PluginCommand) -> Result<Exit, Complaint> {
    let host = Host::open(config, screen, Opening::default())?;
    match command {
        PluginCommand::List(args) => list(&host, args.json),
        PluginCommand::Inspect { id, json } => inspect(&host, &id, json)?,
    }
    Ok(Exit::Done)
}

fn list(host: &Host, as_json: bool) {
    let plugins = host.plugins.plugins();
    if as_json {
        let rows: Vec<Value> = plugins.iter().map(summary).collect();
        return host.screen.json(&json!({"plugins": rows, "problems": host.problems}));
    }
    if plugins.is_empty() {
        let folder = host.config.plugins_dir.display();
        let (en, zh) = (format!("no plugins in {folder}"), format!("{folder} 中没有插件"));
        host.screen.line(host.screen.word(&en, &zh));
    }
    let rows: Vec<Vec<String>> = plugins.iter().map(|plugin| row(&host.screen, plugin)).collect();
    columns(&rows).iter().for_each(|line| host.screen.line(line));
    for problem in &host.problems {
        host.screen.line(&host.problem_lines(problem));
    }
}

fn row(screen: &Screen, plugin: &InstalledPlugin) -> Vec<String> {
    let manifest = &plugin.manifest;
    let tools = manifest.tools.len();
    let (en, zh) = (format!("{tools} tools"), format!("{tools} 个工具"));
    vec![
        manifest.id.to_string(),
        manifest.version.clone(),
        screen.word(&en, &zh).to_owned(),
        permissions(screen, &manifest.permissions).join(screen.word("; ", "；")),
    ]
}

fn summary(plugin: &InstalledPlugin) -> Value {
    let manifest = &plugin.manifest;
    let tools: Vec<&str> = manifest.tools.iter().map(|tool| tool.name.as_str()).collect();
    json!({"id": manifest.id, "version": manifest.version, "publisher": manifest.publisher, "tools": tools,
           "permissions": manifest.permissions, "folder": plugin.folder, "runner": plugin.runner.as_str()})
}

/// What a plugin may do, in words.
fn permissions(screen: &Screen, asked: &Permissions) -> Vec<String> {
    let mut words = Vec::new();
    let mut add = |en: &str, zh: &str, names: &[String]| {
        if !names.is_empty() {
            words.push(format!("{} {}", screen.word(en, zh), names.join(", ")));
        }
    };
    add("network:", "网络：", &asked.http);
    add("secrets:", "密钥：", &asked.secrets);
    add("programs:", "程序：", &asked.processes);
    match asked.files {
        FileAccess::None => {}
        FileAccess::Read => words.push(screen.word("reads allowed folders", "读取允许的文件夹").to_owned()),
        FileAccess::Write => words.push(screen.word("writes allowed folders", "写入允许的文件夹").to_owned()),
    }
    if words.is_empty() {
        words.push(screen.word("asks for nothing", "不需要任何权限").to_owned());
    }
    words
}

fn inspect(host: &Host, id: &str, as_json: bool) -> Result<(), Complaint> {
    let (screen, plugins) = (&host.screen, host.plugins.plugins());
    let Some(plugin) = plugins.iter().find(|plugin| plugin.manifest.id.as_str() == id) else {
        return Err(not_there(host, id));
    };
    if as_json {
        let whole = json!({"summary": summary(plugin), "manifest": plugin.manifest, "library": plugin.library});
        screen.json(&whole);
        return Ok(());
    }
    let manifest = &plugin.manifest;
    screen.line(&format!("{} {}", screen.paint(Style::Bold, manifest.id.as_str()), manifest.version));
    let size = std::fs::metadata(&plugin.library).map(|file| file.len() / 1024).unwrap_or(0);
    let facts = [
        (screen.word("publisher", "发布者"), harmless(&manifest.publisher)),
        (screen.word("permissions", "权限"), harmless(&permissions(screen, &manifest.permissions).join("; "))),
        (screen.word("runs in", "运行于"), runner(screen, plugin).to_owned()),
        (screen.word("library", "库文件"), format!("{} ({size} KiB)", plugin.library.display())),
        (screen.word("signature", "签名"), screen.word("not signed", "未签名").to_owned()),
    ];
    let rows: Vec<Vec<String>> = facts.into_iter().map(|(name, value)| vec![format!("  {name}"), value]).collect();
    columns(&rows).iter().for_each(|line| screen.line(line));
    let tools: Vec<Vec<String>> = manifest
        .tools
        .iter()
        .map(|tool| {
            let effect = side_effect(screen, tool.side_effect).to_owned();
            vec![format!("  {} {}", tool.emoji, tool.name), effect, harmless(screen.text(&tool.summary))]
        })
        .collect();
    columns(&tools).iter().for_each(|line| screen.line(line));
    Ok(())
}

fn runner(screen: &Screen, plugin: &InstalledPlugin) -> &'static str {
    match plugin.runner.as_str() {
        "child" => if_zh(screen, "a process of its own", "独立进程"),
        _ => if_zh(screen, "this process, as configured", "本进程（按配置）"),
    }
}

fn if_zh(screen: &Screen, en: &'static str, zh: &'static str) -> &'static str {
    if screen.lang == winclaw_tool::Lang::Zh { zh } else { en }
}

fn not_there(host: &Host, id: &str) -> Complaint {
    let refused = host.problems.iter().find(|problem| problem.fatal && problem.subject == id);
    if let Some(problem) = refused {
        return Complaint { exit: Exit::PluginRefused, what: problem.what.clone(), mend: problem.mend.clone() };
    }
    let known: Vec<&str> = host.plugins.plugins().iter().map(|plugin| plugin.manifest.id.as_str()).collect();
    let known = known.join(", ");
    Complaint::new(Exit::Usage, format!("there is no plugin `{id}`"), format!("没有名为“{id}”的插件"))
        .mend(format!("the plugins are: {known}"), format!("现有插件：{known}"))
}
