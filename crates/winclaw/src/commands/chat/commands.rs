//! What the commands of a chat do.

use winclaw_agent::Spent;
use winclaw_model::{PROFILES, Usage};

use super::attach;
use super::money;
use super::past;
use super::slash::{ROWS, Slash};
use super::state::Chat;
use super::tools;
use crate::cli::{ApproveWord, TraceCommand};
use crate::commands::figures::number;
use crate::complaint::{Complaint, Exit};
use crate::screen::{Style, columns, harmless};

/// Runs a command; `rest` is what stood behind its name.
pub(super) async fn run(chat: &mut Chat, slash: Slash, rest: &str) -> Result<(), Complaint> {
    match slash {
        Slash::Help => help(chat),
        Slash::Model if rest.is_empty() => model(chat),
        Slash::Model => switch(chat, rest).await?,
        Slash::Tools => tools::list(chat, rest),
        Slash::Why => tools::why(chat, rest)?,
        Slash::Approve => approve(chat, rest)?,
        Slash::Cost => cost(chat),
        Slash::Sessions => past::list(chat, rest)?,
        Slash::Resume => chat.resume(if rest.is_empty() { "last" } else { rest })?,
        Slash::Fork => past::fork(chat)?,
        Slash::Export => past::export(chat, rest)?,
        Slash::Attach => attach_file(chat, rest)?,
        Slash::Retry => return retry(chat).await,
        Slash::Trace => trace(chat)?,
        Slash::Clear => clear(chat),
        Slash::Quit => {}
    }
    Ok(())
}

fn help(chat: &Chat) {
    let screen = &chat.screen;
    let row =
        |row: &super::slash::Row| vec![format!("  {}", row.usage(screen.lang)), row.about(screen.lang).to_owned()];
    let rows: Vec<Vec<String>> = ROWS.iter().map(row).collect();
    columns(&rows).iter().for_each(|line| screen.line(line));
    let keys = [
        ("Enter", "send; pasted lines are one message", "发送；粘贴的多行是一条消息"),
        ("Alt-Enter, Ctrl-J", "begin a new line; so does \\ at the end of one", "换行；行尾的 \\ 也表示换行"),
        ("Tab", "complete commands, tools, sessions, models and files", "补全命令、工具、会话、模型和文件"),
        ("↑ ↓, Ctrl-R", "what you entered before, and searching it", "浏览和搜索之前的输入"),
        (
            "Ctrl-C",
            "stop what runs, twice the task; at the prompt twice leaves",
            "停止当前操作，连按两次结束任务；在提示符处连按两次退出",
        ),
        ("Ctrl-D", "leave", "退出"),
    ];
    screen.line("");
    let rows: Vec<Vec<String>> =
        keys.iter().map(|(key, en, zh)| vec![format!("  {key}"), screen.word(en, zh).to_owned()]).collect();
    columns(&rows).iter().for_each(|line| screen.line(line));
}

fn model(chat: &Chat) {
    let (screen, model) = (&chat.screen, &chat.model);
    let eyes = match model.reads_images() {
        true => screen.word("reads text and pictures", "可读文本和图片"),
        false => screen.word("reads text", "可读文本"),
    };
    let window = screen.word("{n} tokens at once", "上下文 {n} 词元").replace("{n}", &number(model.window_tokens()));
    screen.line(&format!("{} · {window} · {eyes}", harmless(&model.label())));
    let providers =
        PROFILES.iter().map(|profile| profile.provider.to_string()).chain(chat.host.config.providers.keys().cloned());
    let providers: Vec<String> = providers.collect();
    let words = screen
        .word("/model provider/name goes on with another; providers:", "/model 提供方/名称 可换用其他模型；提供方：");
    screen.line(&screen.paint(Style::Dim, &format!("{words} {}", providers.join(", "))));
}

/// Another model goes on; what that costs is said before it does.
async fn switch(chat: &mut Chat, named: &str) -> Result<(), Complaint> {
    let before = chat.model.label();
    chat.switch_model(named).await?;
    let (screen, label) = (chat.screen, harmless(&chat.model.label()));
    if label == before || chat.conversation.is_empty() {
        screen.line(&screen.word("the model is now {m}", "当前模型为 {m}").replace("{m}", &label));
        return Ok(());
    }
    let tokens = u64::from(chat.conversation.tokens());
    let usage = Usage { input: Some(tokens), ..Usage::default() };
    let price = chat.model.price().and_then(|price| price.cost(&usage)).map(|cost| money::amount(&cost));
    let price = price.map(|price| screen.word(", about {p}", "，约 {p}").replace("{p}", &price)).unwrap_or_default();
    let words = screen
        .word(
            "the model is now {m}; with your next message it reads the whole conversation anew: some {n} tokens{p} that no cache holds",
            "当前模型为 {m}；下一条消息时它会重新读取整个会话：约 {n} 词元{p}，没有缓存可用",
        )
        .replace("{m}", &label)
        .replace("{n}", &number(tokens))
        .replace("{p}", &price);
    screen.line(&words);
    Ok(())
}

fn approve(chat: &mut Chat, word: &str) -> Result<(), Complaint> {
    let chosen = match word {
        "" => chat.approve.or(chat.host.config.approve).unwrap_or(ApproveWord::Never),
        "never" => ApproveWord::Never,
        "writes" => ApproveWord::Writes,
        "always" => ApproveWord::Always,
        other => {
            let (en, zh) = (format!("`{other}` is no rule"), format!("“{other}”不是规则"));
            return Err(Complaint::new(Exit::Usage, en, zh)
                .mend("write never, writes or always", "请写 never、writes 或 always"));
        }
    };
    if !word.is_empty() {
        chat.approve = Some(chosen);
    }
    let (en, zh) = match chosen {
        ApproveWord::Never => ("never: only what reads runs without asking you", "never：只有读取操作无需询问"),
        ApproveWord::Writes => {
            ("writes: what reads or writes here runs without asking you", "writes：读取和本机写入无需询问")
        }
        ApproveWord::Always => ("always: everything runs without asking you", "always：所有操作都无需询问"),
    };
    chat.screen.line(chat.screen.word(en, zh));
    Ok(())
}

fn cost(chat: &Chat) {
    let screen = &chat.screen;
    let last = chat.conversation.last.as_ref().and_then(|last| last.spent.as_ref());
    let mut rows = Vec::new();
    if let Some(last) = last {
        rows.push(vec![screen.word("last task", "上个任务").to_owned(), money::spent(screen, last)]);
    }
    let whole = chat.conversation.spent();
    rows.push(vec![screen.word("session", "整个会话").to_owned(), money::spent(screen, &whole)]);
    columns(&rows).iter().for_each(|line| screen.line(line));
}

/// What was spent between two moments of a session.
pub(super) fn difference(before: &Spent, after: &Spent) -> Spent {
    let minus = |after: Option<u64>, before: Option<u64>| after.map(|after| after.saturating_sub(before.unwrap_or(0)));
    let (a, b) = (after.usage, before.usage);
    let usage = Usage {
        input: minus(a.input, b.input),
        cached: minus(a.cached, b.cached),
        written: minus(a.written, b.written),
        output: minus(a.output, b.output),
    };
    let costs = after.costs.iter().map(|cost| {
        let same = before.costs.iter().find(|before| before.currency == cost.currency);
        winclaw_model::Cost { amount: cost.amount.saturating_sub(same.map_or(0, |same| same.amount)), ..cost.clone() }
    });
    Spent { usage, costs: costs.filter(|cost| cost.amount > 0).collect() }
}

fn attach_file(chat: &mut Chat, typed: &str) -> Result<(), Complaint> {
    match typed {
        "" => {}
        "none" => chat.attachments.clear(),
        typed => {
            let attachment = attach::read(&attach::path(typed), chat.model.reads_images())?;
            chat.attachments.push(attachment);
        }
    }
    let screen = &chat.screen;
    if chat.attachments.is_empty() {
        screen.line(screen.word("nothing goes with your next message", "下一条消息没有附件"));
    }
    for attachment in &chat.attachments {
        let words = screen.word("goes with your next message: {f}, {n} bytes", "下一条消息将附上：{f}，{n} 字节");
        screen.line(&words.replace("{f}", &attachment.name).replace("{n}", &number(attachment.bytes as u64)));
    }
    Ok(())
}

async fn retry(chat: &mut Chat) -> Result<(), Complaint> {
    let request =
        chat.conversation.last.as_ref().map(|last| last.request.clone()).filter(|request| !request.is_empty());
    match request {
        Some(request) => chat.send(request).await,
        None => Err(no_task()),
    }
}

fn trace(chat: &Chat) -> Result<(), Complaint> {
    let last = chat.conversation.last.as_ref().map(|last| last.trace.clone());
    let id = last.filter(|id| !id.is_empty()).ok_or_else(no_task)?;
    let show = TraceCommand::Show { id, json: false };
    crate::commands::trace::run(&chat.host.config, chat.screen, show).map(drop)
}

fn no_task() -> Complaint {
    Complaint::new(Exit::Usage, "there was no task in this conversation yet", "本会话还没有任务")
}

fn clear(chat: &mut Chat) {
    chat.attachments.clear();
    chat.begin_anew();
    if chat.input.is_editor() {
        chat.screen.wipe();
    }
    chat.note("a new conversation; /sessions lists the others", "新的会话；/sessions 列出其他会话");
}

/// The models that completion offers: the one in use, those the configuration names, and every provider.
pub(super) fn models(chat: &Chat) -> Vec<String> {
    let config = &chat.host.config;
    let mut all = vec![chat.model.label()];
    all.extend(config.model.clone());
    all.extend(config.models.keys().cloned());
    for profile in PROFILES.iter() {
        let provider = &profile.provider;
        all.push(match &profile.default_model {
            Some(name) => format!("{provider}/{name}"),
            None => format!("{provider}/"),
        });
    }
    all.extend(config.providers.keys().map(|provider| format!("{provider}/")));
    all.sort();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use winclaw_model::Cost;

    use super::*;

    #[test]
    fn what_one_task_took_is_the_difference() {
        let spent = |input, amount| Spent {
            usage: Usage { input: Some(input), output: Some(1), ..Usage::default() },
            costs: vec![Cost { amount, currency: "USD".into() }],
        };
        let one = difference(&spent(10, 5), &spent(30, 8));
        assert_eq!((one.usage.input, one.usage.output, one.costs[0].amount), (Some(20), Some(0), 3));
        assert_eq!(difference(&Spent::default(), &spent(30, 8)), spent(30, 8));
        assert_eq!(difference(&Spent::default(), &Spent::default()), Spent::default());
    }
}
