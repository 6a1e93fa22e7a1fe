use std::io::Read as _;
use std::path::Path;

use serde_json::{Value, json};
use winclaw_session::{Store, TaskRow, Transfer};

use super::show::PAGE;
use super::{find, markdown, say_id};
use crate::cli::ExportWord;
use crate::complaint::{Complaint, Exit, io};
use crate::config::{Config, write_private};
use crate::screen::{Screen, escaped, harmless};
use crate::shelf::of_store;

/// The form of exported JSON; raised when an older program would misread it.
const FORM: u64 = 1;

/// The longest file that is taken in, in bytes.
const LONGEST: u64 = 1 << 30;

/// Writes a session to a file or to standard output. Secrets are taken out by the trace's own rules, since an export is
/// made to be handed on.
pub fn export(
    config: &Config,
    screen: &Screen,
    given: &str,
    form: ExportWord,
    to: Option<&Path>,
) -> Result<Exit, Complaint> {
    let (store, id) = find(config, screen, given)?;
    let transfer = redacted(&whole(&store, &id)?)?;
    let text = match form {
        ExportWord::Markdown => markdown::document(screen, &transfer),
        ExportWord::Json => {
            let mut out = json!({"winclaw_session": FORM, "program": format!("winclaw {}", env!("CARGO_PKG_VERSION"))});
            merge(&mut out, json!(transfer));
            escaped(&serde_json::to_string_pretty(&out).unwrap_or_default()) + "\n"
        }
    };
    match to {
        None => screen.part(&text),
        Some(file) => {
            // What people said is theirs alone until they hand it on.
            write_private(file, text.as_bytes()).map_err(|error| io(file, &error))?;
            screen.line(&harmless(&file.display().to_string()));
        }
    }
    Ok(Exit::Done)
}

fn whole(store: &Store, id: &str) -> Result<Transfer, Complaint> {
    let wrong = |error| of_store(&error);
    let info = store.info(id).map_err(wrong)?;
    let tasks = store.tasks(id).map_err(wrong)?;
    let mut messages = Vec::new();
    loop {
        let page = store.said(id, messages.len() as u64, PAGE).map_err(wrong)?;
        if page.is_empty() {
            return Ok(Transfer { title: info.title, cwd: info.cwd, model: info.model, tasks, messages });
        }
        messages.extend(page.into_iter().map(|said| said.message));
    }
}

fn redacted(transfer: &Transfer) -> Result<Transfer, Complaint> {
    let value = crate::hidden::secrets().redact(&json!(transfer));
    serde_json::from_value(value).map_err(|error| {
        let why = error.to_string();
        Complaint::new(Exit::Internal, format!("the session cannot be exported: {why}"), format!("无法导出会话：{why}"))
    })
}

fn merge(out: &mut Value, more: Value) {
    if let (Some(out), Value::Object(more)) = (out.as_object_mut(), more) {
        out.extend(more);
    }
}

/// Takes in a session that was exported as JSON, here or elsewhere.
pub fn import(config: &Config, screen: &Screen, file: &Path, json: bool) -> Result<Exit, Complaint> {
    let value: Value = serde_json::from_str(&read(file)?).map_err(|error| no_session(file, &error.to_string()))?;
    match value.get("winclaw_session").and_then(Value::as_u64) {
        Some(form) if form > FORM => return Err(newer(file)),
        Some(_) => {}
        None => return Err(no_session(file, "winclaw_session")),
    }
    let transfer: Transfer = serde_json::from_value(value).map_err(|error| no_session(file, &error.to_string()))?;
    if transfer.messages.iter().any(|message| !message.is_object()) {
        return Err(no_session(file, "messages"));
    }
    let (mut store, _) = Store::open(&config.sessions()).map_err(|error| of_store(&error))?;
    let id = store.take_in(&without_traces(transfer)).map_err(|error| of_store(&error))?;
    say_id(screen, &id, json);
    Ok(Exit::Done)
}

/// The traces of an imported session are elsewhere; a file from outside must not name ones of ours, which `session remove
/// --traces` would then remove.
fn without_traces(transfer: Transfer) -> Transfer {
    let tasks = transfer.tasks.into_iter().map(|task| TaskRow { trace: String::new(), ..task }).collect();
    Transfer { tasks, ..transfer }
}

fn read(file: &Path) -> Result<String, Complaint> {
    let mut text = String::new();
    let read = match file == Path::new("-") {
        true => std::io::stdin().take(LONGEST).read_to_string(&mut text),
        false => std::fs::File::open(file).and_then(|open| open.take(LONGEST).read_to_string(&mut text)),
    };
    read.map(|_| text).map_err(|error| io(file, &error))
}

fn no_session(file: &Path, why: &str) -> Complaint {
    let file = file.display();
    Complaint::new(
        Exit::Usage,
        format!("{file} is no session that was exported as JSON ({why})"),
        format!("{file} 不是以 JSON 导出的会话（{why}）"),
    )
    .mend("make one by `winclaw session export ID --format json`", "请用 winclaw session export ID --format json 导出")
}

fn newer(file: &Path) -> Complaint {
    let file = file.display();
    Complaint::new(
        Exit::Usage,
        format!("{file} was exported by a newer version of the program"),
        format!("{file} 由更新版本的程序导出"),
    )
    .mend("take it in with that version", "请用该版本导入")
}
