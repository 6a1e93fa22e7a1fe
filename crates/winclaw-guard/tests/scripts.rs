//! Loops are stopped within their bound and honest work is let be: the scripts in `tests/scripts/`, and the numbers they
//! must reach.

mod scripts {
    pub(crate) mod play;
    pub(crate) mod read;
    pub(crate) mod tools;
}

use scripts::play::{Played, play};
use scripts::read::{Script, read};

/// Least share of loops that are stopped within their bound, in percent.
const LEAST_STOPPED: usize = 95;

/// Highest share of honest scripts that end or come to where the model must answer, in percent.
const MOST_STOPPED: usize = 1;

/// Highest share of honest scripts in which a single call is not run, in percent.
const MOST_REFUSED: usize = 5;

struct Set {
    played: Vec<(Script, Played)>,
}

impl Set {
    fn of(texts: &[&str]) -> Set {
        let scripts = texts.iter().flat_map(|text| read(text));
        Set { played: scripts.map(|script| (play(&script), script)).map(|(played, script)| (script, played)).collect() }
    }

    /// Names of the scripts of which `is_wrong` holds.
    fn wrong(&self, is_wrong: impl Fn(&Script, &Played) -> bool) -> Vec<&str> {
        let wrong = self.played.iter().filter(|(script, played)| is_wrong(script, played));
        wrong.map(|(script, _)| script.name.as_str()).collect()
    }

    fn table(&self) -> String {
        let row = |(script, played): &(Script, Played)| {
            let of = |value: Option<usize>| value.map_or_else(|| "–".to_owned(), |value| value.to_string());
            let (bound, hint, refusal, stopped) =
                (of(script.bound), of(played.first_hint), of(played.first_refusal), of(played.stopped_in));
            format!("{:<64} bound {bound:>3} hint {hint:>3} refusal {refusal:>3} stopped {stopped:>3}\n", script.name)
        };
        self.played.iter().map(row).collect()
    }

    /// At most this share of the set may be wrong, in percent.
    fn hold(&self, most_wrong: usize, is_wrong: impl Fn(&Script, &Played) -> bool) {
        let wrong = self.wrong(is_wrong);
        let told = format!("{}{} of {} wrong: {wrong:#?}", self.table(), wrong.len(), self.played.len());
        if std::env::var_os("SCRIPTS_TABLE").is_some() {
            std::io::Write::write_all(&mut std::io::stderr(), told.as_bytes()).expect("standard error takes it");
        }
        assert!(wrong.len() * 100 <= self.played.len() * most_wrong, "{told}");
    }
}

fn not_in_time(script: &Script, played: &Played) -> bool {
    played.stopped_in.is_none_or(|reply| Some(reply) > script.bound)
}

const LOOPS: [&str; 3] = [
    include_str!("scripts/loops.jsonl"),
    include_str!("scripts/held-loops.jsonl"),
    include_str!("scripts/later-loops.jsonl"),
];
const HONEST: [&str; 3] = [
    include_str!("scripts/honest.jsonl"),
    include_str!("scripts/held-honest.jsonl"),
    include_str!("scripts/later-honest.jsonl"),
];

#[test]
fn loops_are_stopped_within_their_bound() {
    Set::of(&LOOPS).hold(100 - LEAST_STOPPED, not_in_time);
    Set::of(&LOOPS[1..]).hold(100 - LEAST_STOPPED, not_in_time);
}

#[test]
fn honest_work_is_not_stopped() {
    Set::of(&HONEST).hold(MOST_STOPPED, |_, played| played.must_answer_in.is_some());
}

#[test]
fn hardly_a_call_of_honest_work_is_refused() {
    Set::of(&HONEST[..1]).hold(MOST_STOPPED, |_, played| played.first_refusal.is_some());
    Set::of(&HONEST).hold(MOST_REFUSED, |_, played| played.first_refusal.is_some());
}

#[test]
fn there_are_sixty_of_each_kind_and_a_third_was_held_back() {
    let count = |text: &str| read(text).len();
    let (loops, honest) = (LOOPS.map(count), HONEST.map(count));
    for [tuned, held, later] in [loops, honest] {
        let held = held + later;
        assert!(tuned + held >= 60 && held * 3 >= tuned + held, "{tuned} {held}");
    }
}

#[test]
fn every_loop_hears_a_hint_before_anything_is_refused() {
    for (script, played) in Set::of(&LOOPS).played {
        let in_time = played.first_hint.is_some() && played.first_hint <= played.first_refusal;
        assert!(in_time || script.is_malformed(), "{}: {played:?}", script.name);
    }
}
