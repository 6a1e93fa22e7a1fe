//! `/tools` and `/why`.

use std::collections::BTreeSet;

use winclaw_catalog::{CatalogTool, State};

use super::state::Chat;
use crate::commands::tool::side_effect;
use crate::complaint::Complaint;
use crate::host::Host;
use crate::screen::{Style, columns, harmless};
use crate::terminal::one_line;

/// The ids of the tools, each with a line about it.
pub(super) fn names(host: &Host) -> Vec<(String, String)> {
    let name = |tool: &CatalogTool| (tool.id.to_string(), host.screen.text(&tool.manifest.summary).to_owned());
    host.catalog().tools().iter().map(name).collect()
}

/// Lists the tools that hold every one of `words`, or all; says which the model sees described and which cannot run.
pub(super) fn list(chat: &mut Chat, words: &str) {
    let traces = chat.host.config.traces();
    let shown: BTreeSet<String> = match chat.conversation.account(&traces) {
        Some(account) => account.shown_last().into_iter().map(str::to_owned).collect(),
        None => BTreeSet::new(),
    };
    let (screen, tools) = (chat.screen, chat.host.catalog().tools());
    let found: Vec<&CatalogTool> = tools.iter().filter(|tool| holds(tool, words)).collect();
    if found.is_empty() {
        let none = screen.word("no tool holds these words; /tools lists all", "没有工具包含这些词；/tools 列出全部");
        return screen.line(none);
    }
    let rows: Vec<Vec<String>> = found.iter().map(|tool| row(chat, tool, shown.contains(tool.id.as_str()))).collect();
    columns(&rows).iter().for_each(|line| screen.line(line));
    let key = screen.word(
        "● described to the model now   ○ named only, callable all the same   ✗ cannot run",
        "● 当前已向模型说明   ○ 仅列出名称，同样可以调用   ✗ 无法运行",
    );
    screen.line(&screen.paint(Style::Dim, key));
}

fn holds(tool: &CatalogTool, words: &str) -> bool {
    let manifest = &tool.manifest;
    let parts = [tool.id.as_str(), &manifest.title.en, &manifest.title.zh, &manifest.summary.en, &manifest.summary.zh];
    let all = format!("{} {}", parts.join(" "), manifest.category).to_lowercase();
    words.split_whitespace().all(|word| all.contains(&word.to_lowercase()))
}

fn row(chat: &Chat, tool: &CatalogTool, shown: bool) -> Vec<String> {
    let screen = &chat.screen;
    let (mark, why) = match &tool.state {
        State::Ready => (if shown { "●" } else { "○" }, None),
        State::Disabled { why } | State::Unavailable { why, .. } => ("✗", Some(why)),
        State::NeedsConfig { what } => ("✗", Some(what)),
    };
    let about = match why {
        Some(why) => format!("[{}]", screen.text(why)),
        None => screen.text(&tool.manifest.summary).to_owned(),
    };
    let effect = side_effect(screen, tool.manifest.side_effect).to_owned();
    vec![format!("{mark} {}", tool.id), effect, harmless(&one_line(&about))]
}

/// Explains the last task, or what became of one tool in it.
pub(super) fn why(chat: &mut Chat, tool: &str) -> Result<(), Complaint> {
    let screen = chat.screen;
    let id = match tool {
        "" => None,
        name => Some(chat.host.catalog().get(chat.host.find(name)?).id.to_string()),
    };
    let traces = chat.host.config.traces();
    let lines = match (chat.conversation.account(&traces), id) {
        (None, _) => vec![screen.word("there was no task yet", "还没有任务").to_owned()],
        (Some(account), None) => account.lines(&screen),
        (Some(account), Some(id)) => account.lines_about(&screen, &id),
    };
    lines.iter().for_each(|line| screen.line(line));
    Ok(())
}
