use serde_json::{Value, json};
use winclaw_session::{Info, Said, Store, TaskRow};

use super::find;
use super::part::{Part, Parts, folded, minute, moment, size, spent};
use crate::cli::SessionShowArgs;
use crate::complaint::{Complaint, Exit};
use crate::config::Config;
use crate::screen::{Screen, Style, harmless};
use crate::shelf::of_store;

/// Messages that are read at once.
pub const PAGE: usize = 200;

/// Characters of one text that are shown without `--full`.
const SHOWN: usize = 2_000;

/// Shows a session, page by page, so that the longest takes no more room than a short one.
pub fn show(config: &Config, screen: &Screen, args: &SessionShowArgs) -> Result<Exit, Complaint> {
    let (store, id) = find(config, screen, &args.id)?;
    let info = store.info(&id).map_err(|error| of_store(&error))?;
    let tasks = store.tasks(&id).map_err(|error| of_store(&error))?;
    if args.from > info.messages.max(1) {
        return Err(of_store(&winclaw_session::Error::NoMessage { id, number: args.from, count: info.messages }));
    }
    if args.json {
        let mut messages = Vec::new();
        pages(&store, &id, args, |said| messages.extend(said.iter().map(|said| json!(said))))?;
        screen.json(&json!({"session": info, "tasks": tasks, "messages": messages}));
        return Ok(Exit::Done);
    }
    head(screen, &info, &tasks).iter().for_each(|line| screen.line(line));
    let mut parts = named_before(&store, &id, args.from)?;
    let most = if args.full { usize::MAX } else { SHOWN };
    pages(&store, &id, args, |page| {
        for said in page {
            let mut text = String::new();
            lines(screen, said, &parts.of(&said.message), most).iter().for_each(|line| {
                text.push_str(line);
                text.push('\n');
            });
            screen.part(&text);
        }
    })?;
    Ok(Exit::Done)
}

/// Gives `to` the messages that are asked for, a page at a time.
fn pages(store: &Store, id: &str, args: &SessionShowArgs, mut to: impl FnMut(&[Said])) -> Result<(), Complaint> {
    let (mut after, mut left) = (args.from - 1, args.number.unwrap_or(usize::MAX));
    while left > 0 {
        let page = store.said(id, after, left.min(PAGE)).map_err(|error| of_store(&error))?;
        if page.is_empty() {
            break;
        }
        after += page.len() as u64;
        left -= page.len();
        to(&page);
    }
    Ok(())
}

/// The names of calls just before the first message, for results that stand at the top.
fn named_before(store: &Store, id: &str, from: u64) -> Result<Parts, Complaint> {
    let mut parts = Parts::default();
    let after = (from - 1).saturating_sub(PAGE as u64);
    let before = usize::try_from(from - 1 - after).unwrap_or(PAGE);
    if before > 0 {
        let said = store.said(id, after, before).map_err(|error| of_store(&error))?;
        said.iter().for_each(|said| drop(parts.of(&said.message)));
    }
    Ok(parts)
}

fn head(screen: &Screen, info: &Info, tasks: &[TaskRow]) -> Vec<String> {
    let title = if info.title.is_empty() { screen.word("(without a title)", "（无标题）") } else { &info.title };
    let facts =
        [moment(info.created_ms), info.model.clone(), size(screen, info), spent(screen, info), info.cwd.clone()];
    let facts: Vec<String> = facts.iter().filter(|fact| !fact.is_empty()).map(|fact| harmless(fact)).collect();
    let mut lines = vec![
        format!("{}  {}", screen.paint(Style::Bold, &info.id), screen.paint(Style::Bold, &harmless(title))),
        screen.paint(Style::Dim, &format!("  {}", facts.join(" · "))),
    ];
    if let Some((parent, after)) = &info.forked_from {
        let en = format!("  forked from {parent} after message {after}");
        let zh = format!("  自会话 {parent} 第 {after} 条消息之后分支");
        lines.push(screen.paint(Style::Dim, &harmless(screen.word(&en, &zh))));
    }
    let traces: Vec<&str> = tasks.iter().map(|task| task.trace.as_str()).filter(|trace| !trace.is_empty()).collect();
    if let Some((last, rest)) = traces.split_last() {
        let more = if rest.is_empty() { String::new() } else { format!(" (+{})", rest.len()) };
        let words = screen.word("trace of the last request", "最近请求的跟踪记录");
        lines.push(screen.paint(Style::Dim, &format!("  {words}: winclaw trace show {}{more}", harmless(last))));
    }
    lines
}

/// The lines of a message: a head with its number, then its parts.
fn lines(screen: &Screen, said: &Said, parts: &[Part], most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let number = if at == 0 { said.number.to_string() } else { String::new() };
        let (head, text) = words(screen, part);
        let time = if at == 0 { minute(said.at_ms) } else { String::new() };
        let note = if at == 0 { folded(screen, said) } else { "" };
        let head = format!("{number:>4}  {}  {time}{note}", screen.paint(Style::Bold, &harmless(&head)));
        if at == 0 {
            lines.push(String::new());
        }
        lines.push(head.trim_end().to_owned());
        lines.extend(
            cut(screen, &text, most).lines().map(|line| format!("      {}", harmless(line)).trim_end().to_owned()),
        );
    }
    lines
}

fn words(screen: &Screen, part: &Part) -> (String, String) {
    match part {
        Part::Request { text, pictures } => {
            let more = if *pictures > 0 { format!(" (+{pictures} 🖼)") } else { String::new() };
            (format!("{}{more}", screen.word("you", "您")), text.clone())
        }
        Part::Answer(text) => (screen.word("model", "模型").to_owned(), text.clone()),
        Part::Call { name, arguments } => (format!("→ {name}"), pretty(arguments)),
        Part::Result { name, content } => (format!("← {name}"), pretty(content)),
        Part::Strange(text) => ("?".to_owned(), text.clone()),
    }
}

/// JSON set out in lines where it is long; other text as it is.
pub fn pretty(text: &str) -> String {
    const SHORT: usize = 100;
    match serde_json::from_str::<Value>(text) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) if text.len() > SHORT => {
            serde_json::to_string_pretty(&value).unwrap_or_else(|_| text.to_owned())
        }
        _ => text.to_owned(),
    }
}

fn cut(screen: &Screen, text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => {
            let left = text[end..].chars().count();
            let (en, zh) = (
                format!("… {left} more characters; --full shows all"),
                format!("……还有 {left} 个字符；--full 显示全部"),
            );
            format!("{}\n{}", &text[..end], screen.word(&en, &zh))
        }
    }
}

#[cfg(test)]
mod tests {
    use winclaw_tool::Lang;

    use super::*;

    #[test]
    fn long_texts_are_cut_with_a_count_and_nothing_hostile_is_shown() {
        let screen = Screen::plain(Lang::En);
        let said = Said { number: 3, at_ms: 0, whole: false, message: Value::Null };
        let long = Part::Request { text: format!("\u{1b}[2J{}", "北".repeat(3000)), pictures: 1 };
        let page = lines(&screen, &said, &[long], 100).join("\n");
        assert!(page.contains("   3  you (+1 🖼)") && page.contains("(folded for the model)"), "{page}");
        assert!(page.contains("2904 more characters; --full shows all") && !page.contains('\u{1b}'), "{page}");
        let call = Part::Call { name: "sky__forecast".into(), arguments: r#"{"place":"北京"}"#.into() };
        let result =
            Part::Result { name: "sky__forecast".into(), content: format!(r#"{{"text":"{}"}}"#, "x".repeat(120)) };
        let page = lines(&screen, &said, &[call, result], 500).join("\n");
        assert!(page.contains("→ sky__forecast") && page.contains("      {\"place\":\"北京\"}"), "{page}");
        assert!(page.contains("← sky__forecast") && page.contains("        \"text\": \"xxx"), "{page}");
    }
}
