//! `winclaw trace analyze`.

use std::path::{Path, PathBuf};

use winclaw_trace::{Analysis, TraceReader};

use super::{find, page, svg};
use crate::cli::TraceAnalyzeArgs;
use crate::complaint::{Complaint, Exit, io};
use crate::config::Config;
use crate::screen::{Screen, Style, harmless};

pub fn run(config: &Config, screen: &Screen, args: &TraceAnalyzeArgs) -> Result<Exit, Complaint> {
    let mut analysis = Analysis::new(args.cached_price);
    let mut left_out = 0;
    for file in files(&config.traces(), args)? {
        left_out += add(&mut analysis, &file)?;
    }
    if let Some(file) = &args.svg {
        std::fs::write(file, svg::draw(screen, &analysis)).map_err(|error| io(file, &error))?;
    }
    if args.json {
        screen.json(&page::json(&analysis));
    } else {
        page::rows(screen, &analysis).iter().for_each(|row| screen.line(&harmless(row)));
    }
    if left_out > 0 {
        let (en, zh) = (format!("{left_out} lines could not be read"), format!("有 {left_out} 行无法读取"));
        screen.note(&screen.paint(Style::Yellow, screen.word(&en, &zh)));
    }
    Ok(Exit::Done)
}

/// The traces that are asked for: those that are named, or all, and of them those that fit the filter.
fn files(folder: &Path, args: &TraceAnalyzeArgs) -> Result<Vec<PathBuf>, Complaint> {
    if !args.ids.is_empty() {
        return args.ids.iter().map(|id| find::file(folder, id)).collect();
    }
    let tasks = find::all(folder)?;
    if tasks.is_empty() {
        return Err(find::none_yet());
    }
    Ok(tasks.iter().filter(|task| find::fits(task, &args.filter)).map(|task| find::of(folder, &task.task_id)).collect())
}

/// Takes one trace in, a line at a time; gives how many of its lines could not be read.
fn add(analysis: &mut Analysis, file: &Path) -> Result<usize, Complaint> {
    let mut reader = TraceReader::open(file).map_err(|error| io(file, &error))?;
    let mut failed = None;
    analysis.task(reader.by_ref().map_while(|line| line.map_err(|error| failed = Some(error)).ok()));
    match failed {
        Some(error) => Err(io(file, &error)),
        None => Ok(reader.problems().len()),
    }
}
