//! `winclaw trace show`: a line for each decision, with its reason, as it is read.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use winclaw_trace::{Line, Record, TraceReader};

use super::{find, words};
use crate::complaint::{Complaint, Exit, io};
use crate::config::Config;
use crate::screen::{Screen, Style, escaped, harmless, width};

/// Columns of the names of kinds.
const KIND: usize = 12;

pub fn run(config: &Config, screen: &Screen, id: &str, as_json: bool) -> Result<Exit, Complaint> {
    let path = find::file(&config.traces(), id)?;
    if as_json {
        raw(screen, &path)?
    } else {
        page(screen, &path)?
    }
    Ok(Exit::Done)
}

/// The file as it stands, whatever it holds.
fn raw(screen: &Screen, path: &Path) -> Result<(), Complaint> {
    let file = File::open(path).map_err(|error| io(path, &error))?;
    for line in BufReader::new(file).split(b'\n') {
        let line = line.map_err(|error| io(path, &error))?;
        screen.line(&escaped(&String::from_utf8_lossy(&line)));
    }
    Ok(())
}

fn page(screen: &Screen, path: &Path) -> Result<(), Complaint> {
    let mut reader = TraceReader::open(path).map_err(|error| io(path, &error))?;
    let mut rate = UseRate::default();
    for line in reader.by_ref() {
        let line = line.map_err(|error| io(path, &error))?;
        rows_of(screen, &line).iter().for_each(|row| screen.line(row));
        rate.add(&line.record);
    }
    if let Some(words) = rate.words(screen) {
        screen.line(&screen.paint(Style::Bold, &words));
    }
    for problem in reader.problems() {
        let line = format!("{}: {}", problem.subject, screen.text(&problem.what));
        screen.note(&screen.paint(Style::Yellow, &harmless(&line)));
    }
    Ok(())
}

/// The rows of one record: when, what, and the words; tools that were shown get a row each. Steps are for programs.
fn rows_of(screen: &Screen, line: &Line) -> Vec<String> {
    if matches!(line.record, Record::Step { .. }) {
        return Vec::new();
    }
    let row = |at: &str, kind: &str, words: &str| {
        let gap = " ".repeat(KIND.saturating_sub(width(kind)));
        harmless(&format!("{at:>8}  {kind}{gap}  {words}")).trim_end().to_owned()
    };
    let (kind, said) = words::of(screen, &line.record);
    let mut rows = vec![row(&words::seconds(line.at_ms), kind, &said)];
    rows.extend(words::below(screen, &line.record).iter().map(|said| row("", "", said)));
    rows
}

/// How many of the tools that the model was shown it also called, each counted once.
#[derive(Default)]
struct UseRate {
    shown: BTreeSet<String>,
    called: BTreeSet<String>,
    asked: bool,
}

impl UseRate {
    fn add(&mut self, record: &Record) {
        match record {
            Record::Exposure { shown, .. } => {
                self.asked = true;
                self.shown.extend(shown.iter().map(|tool| tool.tool.clone()));
            }
            Record::Call { tool, .. } => drop(self.called.insert(tool.clone())),
            _ => {}
        }
    }

    /// The words; nothing without a call of a model.
    fn words(&self, screen: &Screen) -> Option<String> {
        let (all, used) = (self.shown.len(), self.shown.intersection(&self.called).count());
        let others = self.called.difference(&self.shown).count();
        let mut en = format!("tools shown {all}, called {used}");
        let mut zh = format!("展示工具 {all} 个，调用 {used} 个");
        if others > 0 {
            en += &format!("; called by name alone {others}");
            zh += &format!("；仅凭名称调用 {others} 个");
        }
        self.asked.then(|| screen.word(&en, &zh).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use winclaw_tool::Lang;

    use super::*;

    #[test]
    fn the_end_says_how_many_of_the_shown_tools_were_called() {
        let exposure = |tools: &[&str]| json!({"kind": "exposure", "shown": tools.iter().map(|tool| json!({"tool": tool})).collect::<Vec<_>>()});
        let call = |tool: &str| json!({"kind": "call", "tool": tool});
        let nine: Vec<String> = (0..9).map(|n| format!("sky.no_{n}")).collect();
        let nine: Vec<&str> = nine.iter().map(String::as_str).collect();
        let task = [exposure(&nine[..7]), call("sky.no_1"), exposure(&nine), call("sky.no_8"), call("sky.no_1")];
        let cases = [
            (&task[..], Lang::En, Some("tools shown 9, called 2")),
            (&task[..], Lang::Zh, Some("展示工具 9 个，调用 2 个")),
            (&[exposure(&[]), call("mail.send")], Lang::En, Some("tools shown 0, called 0; called by name alone 1")),
            (&[call("mail.send")], Lang::En, None),
        ];
        for (records, lang, expected) in cases {
            let mut rate = UseRate::default();
            for record in records {
                rate.add(&serde_json::from_value(record.clone()).expect("a record"));
            }
            assert_eq!(rate.words(&Screen::plain(lang)).as_deref(), expected);
        }
    }

    #[test]
    fn every_kind_has_a_row_in_both_languages_and_steers_no_terminal() {
        let hostile = "x\u{1b}[2J\u{7}y";
        let schema = winclaw_trace::schema();
        let kinds: Vec<&str> = schema["oneOf"]
            .as_array()
            .expect("kinds")
            .iter()
            .filter_map(|kind| kind["properties"]["kind"]["const"].as_str())
            .collect();
        assert!(kinds.len() > 20, "{kinds:?}");
        for kind in kinds.into_iter().filter(|kind| !matches!(*kind, "step" | "problem")) {
            let line =
                json!({"v": 1, "kind": kind, "request": hostile, "said": hostile, "name": hostile, "tool": hostile});
            let line: Line = serde_json::from_value(line).unwrap_or_else(|error| panic!("{kind}: {error}"));
            let [en, zh] = [Lang::En, Lang::Zh].map(|lang| rows_of(&Screen::plain(lang), &line));
            assert!(!en.is_empty() && en != zh, "{kind}: {en:?}");
            assert!(zh[0].contains(|c: char| ('\u{4e00}'..='\u{9fff}').contains(&c)), "{zh:?}");
            assert!(en.iter().chain(&zh).all(|row| row.chars().all(|c| !c.is_control())), "{en:?}");
        }
    }
}
