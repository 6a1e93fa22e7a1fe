//! `winclaw trace prune`, and the same at the start of a task.

use std::path::PathBuf;
use std::time::SystemTime;

use serde_json::json;
use winclaw_trace::{Keep, Pruned, Why, is_due};

use crate::cli::TracePruneArgs;
use crate::commands::figures;
use crate::complaint::{Complaint, Exit, io};
use crate::config::Config;
use crate::screen::{Screen, Style, harmless};

pub fn run(config: &Config, screen: &Screen, args: &TracePruneArgs) -> Result<Exit, Complaint> {
    let days = args.keep_days.unwrap_or(config.trace_keep_days);
    let megabytes = args.keep_mb.unwrap_or(config.trace_keep_mb);
    let folder = config.traces();
    let pruned =
        winclaw_trace::prune(&folder, &spill(config), keep(days, megabytes), SystemTime::now(), None, args.dry_run)
            .map_err(|error| io(&folder, &error))?;
    if args.json {
        screen.json(&json!({"dry_run": args.dry_run, "keep_days": days, "keep_mb": megabytes, "pruned": pruned}));
    } else {
        page(screen, &pruned, args.dry_run);
    }
    Ok(if pruned.failed.is_empty() { Exit::Done } else { Exit::Internal })
}

/// Removes what is too old or too much when it is time to look, before the task `id` begins. What goes wrong is told at
/// the next `trace prune`, and keeps no task from running.
pub fn at_start(config: &Config, id: &str) {
    let (folder, spill, now) = (config.traces(), spill(config), SystemTime::now());
    let keep = keep(config.trace_keep_days, config.trace_keep_mb);
    if is_due(&folder, &spill, keep, now) {
        let _ = winclaw_trace::prune(&folder, &spill, keep, now, Some(id), false);
    }
}

/// Where the whole results of tasks are that were cut.
fn spill(config: &Config) -> PathBuf {
    config.sessions().join("spill")
}

fn keep(days: u32, megabytes: u64) -> Keep {
    Keep { days, bytes: megabytes.saturating_mul(1 << 20) }
}

fn page(screen: &Screen, pruned: &Pruned, dry_run: bool) {
    for file in &pruned.removed {
        let why = match file.why {
            Why::Age => screen.word("too old", "过旧"),
            Why::Size => screen.word("too much", "超量"),
        };
        screen.line(&harmless(&format!("{}  {}  {why}", file.path.display(), bytes(file.bytes))));
    }
    pruned.failed.iter().for_each(|why| screen.note(&screen.paint(Style::Yellow, &harmless(why))));
    let count = |of: usize| figures::count(*screen, of, "file", "files", "个文件");
    let size = bytes(pruned.removed.iter().map(|file| file.bytes).sum());
    let (gone, kept, kept_size) = (count(pruned.removed.len()), count(pruned.kept), bytes(pruned.kept_bytes));
    let (verb_en, verb_zh) = if dry_run { ("would go", "将移除") } else { ("removed", "已移除") };
    let en = format!("{gone} ({size}) {verb_en}, {kept} ({kept_size}) kept, {} of them in use", pruned.busy);
    let zh = format!("{verb_zh} {gone}（{size}），保留 {kept}（{kept_size}），其中 {} 个正在使用", pruned.busy);
    screen.line(screen.word(&en, &zh));
}

fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{} KiB", bytes / 1_024),
        _ => format!("{}.{} MiB", bytes >> 20, ((bytes & 0xf_ffff) * 10) >> 20),
    }
}
