//! `winclaw trace replay`: what the model was shown, made again from the trace and the tools, and compared.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use winclaw_agent::{ReplayError, Replayed, replay_exposure};
use winclaw_trace::{Record, TraceReader};

use super::find;
use crate::complaint::{Complaint, Exit, io};
use crate::config::Config;
use crate::host::{Host, Opening};
use crate::screen::Screen;

/// Most tasks of a session that are read, so that traces that name each other in a ring end.
const MOST: usize = 1_000;

pub fn run(config: Config, screen: Screen, id: &str, as_json: bool) -> Result<Exit, Complaint> {
    let file = find::file(&config.traces(), id)?;
    let records = session(&config.traces(), &file)?;
    let host = Host::open(config, screen, Opening::default())?;
    let shown = replay_exposure(&[Arc::clone(host.toolbox.catalog())], &records).map_err(|error| complaint(&error))?;
    let asked = asked(&records);
    if as_json {
        screen.json(&json!({"same": true, "calls": shown.iter().map(call).collect::<Vec<_>>()}));
    } else {
        let (en, zh) = (
            format!("the same: {} model calls shown again byte for byte", shown.len()),
            format!("一致：{} 次模型调用的展示逐字节相同", shown.len()),
        );
        screen.line(screen.word(&en, &zh));
        if asked != shown.len() {
            let (en, zh) = (format!("of {asked} in the trace"), format!("跟踪记录中共 {asked} 次"));
            screen.line(screen.word(&en, &zh));
        }
    }
    Ok(Exit::Done)
}

fn call(shown: &Replayed) -> serde_json::Value {
    json!({"call_no": shown.call_no, "prefix_sha256": shown.prefix_sha256, "tail": shown.tail})
}

fn asked(records: &[Record]) -> usize {
    records.iter().filter(|record| matches!(record, Record::Exposure { .. })).count()
}

/// What decided the exposure in the trace `file`, after all that did in the tasks before it in its session.
fn session(folder: &Path, file: &Path) -> Result<Vec<Record>, Complaint> {
    let mut chain: Vec<Vec<Record>> = Vec::new();
    let mut next: Option<PathBuf> = Some(file.to_owned());
    while let Some(file) = next.filter(|_| chain.len() < MOST) {
        let (records, after) = read(&file)?;
        chain.push(records);
        next = after.map(|id| find::of(folder, &id));
    }
    Ok(chain.into_iter().rev().flatten().collect())
}

/// The records that a replay needs, and the task before this one in its session.
fn read(file: &Path) -> Result<(Vec<Record>, Option<String>), Complaint> {
    let (mut records, mut before) = (Vec::new(), None);
    for line in TraceReader::open(file).map_err(|error| io(file, &error))? {
        match line.map_err(|error| io(file, &error))?.record {
            Record::Session { after, .. } => before = after,
            record @ (Record::Step { .. } | Record::Exposure { .. }) => records.push(record),
            _ => {}
        }
    }
    Ok((records, before))
}

/// What differs ends with 6; what cannot be compared, with 2.
fn complaint(error: &ReplayError) -> Complaint {
    let usage = |en: String, zh: String| Complaint::new(Exit::Usage, en, zh);
    match error {
        ReplayError::NoSteps => {
            usage("the trace does not say how its exposure began".into(), "跟踪记录没有说明展示是如何开始的".into())
                .mend(
                    "it is of an older version, or goes on from a task whose trace is gone",
                    "它来自较旧的版本，或接续的任务记录已被移除",
                )
        }
        ReplayError::Catalog { sha256 } => {
            let short = sha256.get(..12).unwrap_or(sha256);
            usage(
                format!("the tools are not those of the trace ({short}…)"),
                format!("工具与跟踪记录中的不同（{short}…）"),
            )
            .mend(
                "give the same plugins with --plugins, with the same ones disabled",
                "请用 --plugins 给出相同的插件，并禁用相同的工具",
            )
        }
        ReplayError::Differs { call_no, what } => Complaint::new(
            Exit::NotCompleted,
            format!("model call {call_no} differs: its {what} is not the one in the trace"),
            format!("第 {call_no} 次模型调用不同：{what} 与跟踪记录不一致"),
        )
        .mend(
            "the program changed since, or words that decided something were redacted",
            "程序此后有改动，或起作用的文字已被隐去",
        ),
        other => usage(other.to_string(), other.to_string()),
    }
}
