use winclaw_session::{Hit, Info};

use super::look;
use super::part::{moment, size, spent};
use crate::complaint::{Complaint, Exit};
use crate::config::Config;
use crate::screen::{Screen, Style, columns, harmless};
use crate::shelf::of_store;

/// Lists the sessions; no message is read.
pub fn list(config: &Config, screen: &Screen, most: usize, json: bool) -> Result<Exit, Complaint> {
    let sessions = match look(config, screen)? {
        // One more than is shown, to know whether there are more.
        Some(store) => store.list((most > 0).then_some(most + 1)).map_err(|error| of_store(&error))?,
        None => Vec::new(),
    };
    let shown = if most > 0 { &sessions[..most.min(sessions.len())] } else { &sessions[..] };
    if json {
        screen.json(&shown);
        return Ok(Exit::Done);
    }
    if shown.is_empty() {
        screen.line(screen.word("no sessions yet", "还没有会话"));
    }
    let rows: Vec<Vec<String>> = shown.iter().map(|info| row(screen, info)).collect();
    columns(&rows).iter().for_each(|line| screen.line(line));
    if shown.len() < sessions.len() {
        screen.note(screen.word("there are more: --number 0 lists all", "还有更多：用 --number 0 列出全部"));
    }
    Ok(Exit::Done)
}

fn row(screen: &Screen, info: &Info) -> Vec<String> {
    let cells =
        [&info.id, &moment(info.updated_ms), &size(screen, info), &spent(screen, info), &info.model, &info.title];
    cells.iter().map(|cell| harmless(cell)).collect()
}

/// Finds where words were said.
pub fn search(config: &Config, screen: &Screen, words: &str, most: usize, json: bool) -> Result<Exit, Complaint> {
    let hits = match look(config, screen)? {
        Some(store) => store.search(words, most).map_err(|error| of_store(&error))?,
        None => Vec::new(),
    };
    if json {
        screen.json(&hits);
        return Ok(Exit::Done);
    }
    if hits.is_empty() {
        screen.line(screen.word("nothing was found", "没有找到"));
    }
    let rows: Vec<Vec<String>> = hits.iter().map(|hit| found(screen, hit)).collect();
    columns(&rows).iter().for_each(|line| screen.line(line));
    Ok(Exit::Done)
}

fn found(screen: &Screen, hit: &Hit) -> Vec<String> {
    let place = if hit.number == 0 { String::new() } else { hit.number.to_string() };
    let whose = match hit.role.as_str() {
        "title" => screen.word("title", "标题"),
        "user" => screen.word("you", "您"),
        "assistant" => screen.word("model", "模型"),
        "tool" => screen.word("result", "结果"),
        other => other,
    };
    let snippet = &hit.snippet;
    let marked = screen.paint(Style::Yellow, &harmless(&snippet.hit));
    let words = format!("{}{marked}{}", harmless(&snippet.before), harmless(&snippet.after));
    vec![harmless(&hit.id), place, harmless(whose), words]
}
