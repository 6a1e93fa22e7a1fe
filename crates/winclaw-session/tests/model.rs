//! Whatever is done to a store, in whatever order, it holds what a plain list would.

use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};
use winclaw_model::Message;
use winclaw_session::{New, Store};

#[derive(Debug, Clone)]
enum Op {
    Create,
    Append(usize, String),
    Amend(usize, usize, String),
    /// Drops the messages given to the model whose bit is set, and puts another first.
    Rewrite(usize, u16, Option<String>),
    State(usize, u8),
    Fork(usize, usize),
    Rename(usize, String),
    Remove(usize),
    Reopen,
}

fn op() -> impl Strategy<Value = Op> {
    let text = "[ab]{1,3}|北京[ab]";
    prop_oneof![
        1 => Just(Op::Create),
        6 => (any::<usize>(), text).prop_map(|(of, text)| Op::Append(of, text)),
        2 => (any::<usize>(), any::<usize>(), text).prop_map(|(of, at, text)| Op::Amend(of, at, text)),
        2 => (any::<usize>(), any::<u16>(), prop::option::of(text)).prop_map(|(of, drop, new)| Op::Rewrite(of, drop, new)),
        2 => (any::<usize>(), any::<u8>()).prop_map(|(of, state)| Op::State(of, state)),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(of, at)| Op::Fork(of, at)),
        1 => (any::<usize>(), text).prop_map(|(of, title)| Op::Rename(of, title)),
        1 => any::<usize>().prop_map(Op::Remove),
        1 => Just(Op::Reopen),
    ]
}

#[derive(Debug, Clone, PartialEq)]
struct Row {
    key: usize,
    /// As it was first said, and as the model is given it.
    said: String,
    body: String,
    folded: bool,
    stand_in: bool,
}

#[derive(Debug, Clone, Default)]
struct Toy {
    id: String,
    title: String,
    rows: Vec<Row>,
    /// Keys of what the model is given.
    given: Vec<usize>,
    /// What was kept behind which key; the last is that of now.
    states: Vec<(usize, u8)>,
    next: usize,
}

impl Toy {
    fn row(&mut self, key: usize) -> &mut Row {
        self.rows.iter_mut().find(|row| row.key == key).expect("a row")
    }

    fn bodies(&self) -> Vec<String> {
        let body = |key: &usize| self.rows.iter().find(|row| row.key == *key).expect("a row").body.clone();
        self.given.iter().map(body).collect()
    }

    fn said(&self) -> Vec<&Row> {
        self.rows.iter().filter(|row| !row.stand_in).collect()
    }

    fn fresh(&mut self, text: &str, stand_in: bool) -> Row {
        self.next += 1;
        Row { key: self.next, said: text.into(), body: text.into(), folded: false, stand_in }
    }

    fn append(&mut self, text: &str) {
        if self.title.is_empty() {
            self.title = text.into();
        }
        let row = self.fresh(text, false);
        self.given.push(row.key);
        self.rows.push(row);
    }

    fn amend(&mut self, at: usize, text: &str) {
        let key = self.given[at];
        let row = self.row(key);
        if !text.starts_with(&row.said) {
            row.said = text.into();
        }
        row.body = text.into();
    }

    /// Message for message: the next that stood there before stays, others come in front of it.
    fn rewrite(&mut self, texts: &[String]) {
        let (old, bodies) = (self.given.clone(), self.bodies());
        let mut from = 0;
        let mut kept = Vec::new();
        for text in texts {
            let found = (from..old.len()).find(|at| bodies[*at] == *text);
            kept.push(found.map(|at| old[at]));
            from = found.map_or(from, |at| at + 1);
        }
        for key in old.iter().filter(|key| !kept.contains(&Some(**key))) {
            self.row(*key).folded = true;
        }
        self.rows.retain(|row| !(row.stand_in && row.folded));
        self.given.clear();
        let mut waiting = Vec::new();
        for (text, kept) in texts.iter().zip(kept) {
            match kept {
                None => waiting.push(self.fresh(text, true)),
                Some(key) => {
                    let at = self.rows.iter().position(|row| row.key == key).expect("a row");
                    self.given.extend(waiting.iter().map(|row: &Row| row.key).chain([key]));
                    self.rows.splice(at..at, waiting.drain(..));
                }
            }
        }
        self.given.extend(waiting.iter().map(|row| row.key));
        self.rows.append(&mut waiting);
    }

    fn set_state(&mut self, state: u8) {
        let last = self.rows.iter().map(|row| row.key).max().unwrap_or(0);
        // Every message here is a person's, so a state stays once a message came behind it.
        let newest = self.said().iter().map(|row| row.key).max().unwrap_or(0);
        self.states.retain(|(after, _)| *after < newest);
        self.states.push((last, state));
    }

    fn fork(&self, id: String, count: usize) -> Toy {
        let end = self.said()[count - 1].key;
        let at = self.rows.iter().position(|row| row.key == end).expect("a row");
        let folded_later = self.rows[at + 1..].iter().any(|row| row.folded || row.stand_in);
        let mut rows = self.rows[..=at].to_vec();
        if folded_later {
            rows.retain(|row| !row.stand_in);
            rows.iter_mut().for_each(|row| row.folded = false);
        }
        let newest = self.said().iter().map(|row| row.key).max();
        let state = match newest == Some(end) {
            _ if folded_later => None,
            true => self.states.last(),
            false => self.states.iter().rfind(|(after, _)| *after <= end),
        };
        let given = rows.iter().filter(|row| !row.folded).map(|row| row.key).collect();
        let last = rows.iter().map(|row| row.key).max().unwrap_or(0);
        let states = state.map(|(_, state)| (last, *state)).into_iter().collect();
        Toy { id, title: self.title.clone(), rows, given, states, next: self.next }
    }
}

/// A store and what it should hold; sessions in the order they were last added to.
struct Bench<'a> {
    folder: &'a Path,
    store: Store,
    toys: Vec<Toy>,
}

impl Bench<'_> {
    /// Moves the session that `of` means to the end, and gives its place.
    fn pick(&mut self, of: usize) -> Option<usize> {
        (!self.toys.is_empty()).then(|| of % self.toys.len())
    }

    fn touch(&mut self, at: usize) {
        let toy = self.toys.remove(at);
        self.toys.push(toy);
    }

    fn run(&mut self, op: &Op) {
        match op {
            Op::Create => {
                let mut writer = self.store.create(New::default()).expect("a writer");
                writer.append(&Message::user("a")).expect("kept");
                let mut toy = Toy { id: writer.id().into(), ..Toy::default() };
                toy.append("a");
                self.toys.push(toy);
            }
            Op::Reopen => self.store = Store::open(self.folder).expect("a store").0,
            Op::Append(of, _) | Op::Amend(of, ..) | Op::Rewrite(of, ..) | Op::State(of, _) => self.write(*of, op),
            Op::Fork(of, count) => {
                let Some(at) = self.pick(*of) else { return };
                let count = count % self.toys[at].said().len() + 1;
                let id = self.store.fork(&self.toys[at].id, Some(count as u64)).expect("a copy");
                self.toys.push(self.toys[at].fork(id, count));
            }
            Op::Rename(of, title) => {
                let Some(at) = self.pick(*of) else { return };
                self.toys[at].title = self.store.rename(&self.toys[at].id, title).expect("renamed");
            }
            Op::Remove(of) => {
                let Some(at) = self.pick(*of) else { return };
                self.store.remove(&self.toys.remove(at).id).expect("removed");
            }
        }
    }

    fn write(&mut self, of: usize, op: &Op) {
        let Some(at) = self.pick(of) else { return };
        let toy = &mut self.toys[at];
        let (_, mut writer) = self.store.take_up(&toy.id).expect("a session");
        match op {
            Op::Append(_, text) => {
                writer.append(&Message::user(text)).expect("kept");
                toy.append(text);
            }
            Op::Amend(_, place, text) if !toy.given.is_empty() => {
                let place = place % toy.given.len();
                writer.amend(place, &Message::user(text)).expect("kept");
                toy.amend(place, text);
            }
            Op::Rewrite(_, drop, new) => {
                let bodies = toy.bodies().into_iter().enumerate();
                let left = bodies.filter(|(at, _)| drop >> (at % 16) & 1 == 0).map(|(_, body)| body);
                let texts: Vec<String> = new.clone().into_iter().chain(left).collect();
                writer.rewrite(&texts.iter().map(Message::user).collect::<Vec<_>>()).expect("kept");
                toy.rewrite(&texts);
            }
            Op::State(_, state) => {
                writer.set_state(&json!(state)).expect("kept");
                toy.set_state(*state);
            }
            _ => return,
        }
        self.touch(at);
    }

    fn check(&self) {
        let listed: Vec<(String, String, usize)> = self
            .store
            .list(None)
            .expect("a list")
            .into_iter()
            .map(|info| (info.id, info.title, info.messages as usize))
            .collect();
        let expected: Vec<_> =
            self.toys.iter().rev().map(|toy| (toy.id.clone(), toy.title.clone(), toy.said().len())).collect();
        assert_eq!(listed, expected);
        let text = |message: &Value| message["text"].as_str().expect("a text").to_owned();
        for toy in &self.toys {
            let loaded = self.store.load(&toy.id).expect("a session");
            let given: Vec<String> =
                loaded.messages.iter().map(|message| text(&serde_json::to_value(message).expect("JSON"))).collect();
            assert_eq!(given, toy.bodies());
            assert_eq!(loaded.state, toy.states.last().map(|(_, state)| json!(state)));
            let said = self.store.said(&toy.id, 0, 1000).expect("messages");
            let said: Vec<(String, bool)> = said.iter().map(|said| (text(&said.message), said.whole)).collect();
            let expected: Vec<_> = toy.said().iter().map(|row| (row.said.clone(), !row.folded)).collect();
            assert_eq!(said, expected);
        }
        self.check_search();
    }

    /// The index and reading find the very same places that hold the words.
    fn check_search(&self) {
        for query in ["ab", "aba", "北京", "北京a", "bb b"] {
            let mut found: Vec<(String, u64)> =
                self.store.search(query, 10_000).expect("hits").into_iter().map(|hit| (hit.id, hit.number)).collect();
            found.sort();
            let holds = |text: &str| query.split(' ').all(|word| text.contains(word));
            let mut expected = Vec::new();
            for toy in &self.toys {
                expected.extend(holds(&toy.title).then(|| (toy.id.clone(), 0)));
                let places = toy.said().into_iter().enumerate().filter(|(_, row)| holds(&row.said));
                expected.extend(places.map(|(at, _)| (toy.id.clone(), at as u64 + 1)));
            }
            expected.sort();
            assert_eq!(found, expected, "{query}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn a_store_holds_what_a_plain_list_would(ops in prop::collection::vec(op(), 1..50)) {
        let folder = tempfile::tempdir().expect("a folder");
        let (store, _) = Store::open(folder.path()).expect("a store");
        let mut bench = Bench { folder: folder.path(), store, toys: Vec::new() };
        bench.run(&Op::Create);
        ops.iter().for_each(|op| bench.run(op));
        bench.check();
        bench.run(&Op::Reopen);
        bench.check();
    }
}
