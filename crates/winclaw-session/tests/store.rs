//! What a store does, case by case.

use std::path::Path;

use serde_json::{Value, json};
use winclaw_model::{Message, WireCall};
use winclaw_session::{Error, New, Store, TaskEnd, Transfer, Writer};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn store(folder: &Path) -> Store {
    let (store, problems) = Store::open(folder).expect("a store");
    assert_eq!(problems, []);
    store
}

/// A message as JSON says it, so that fields other than these tests need may come and go.
fn message(value: Value) -> Message {
    serde_json::from_value(value).expect("a message")
}

fn user(text: &str) -> Message {
    message(json!({"role": "user", "text": text}))
}

fn tool(id: &str, content: &str) -> Message {
    message(json!({"role": "tool", "call_id": id, "content": content}))
}

fn assistant(text: &str, calls: &[(&str, &str)]) -> Message {
    let calls = calls.iter().map(|(id, name)| WireCall {
        id: (*id).into(),
        name: (*name).into(),
        arguments: r#"{"place":"北京"}"#.into(),
    });
    Message::Assistant { text: text.into(), reasoning: None, calls: calls.collect(), sealed: Vec::new() }
}

fn new() -> New {
    New { cwd: "/home/k".into(), model: "acme/one".into(), ..New::default() }
}

fn begun(store: &Store, texts: &[&str]) -> Writer {
    let mut writer = store.create(new()).expect("a writer");
    texts.iter().for_each(|text| writer.append(&user(text)).expect("kept"));
    writer
}

fn texts(store: &Store, id: &str) -> Vec<String> {
    let said = store.said(id, 0, 1000).expect("messages");
    let text =
        |message: &Value| message.get("text").or(message.get("content")).and_then(Value::as_str).map(str::to_owned);
    said.iter().map(|said| text(&said.message).unwrap_or_default()).collect()
}

#[test]
fn a_conversation_comes_back_as_it_was_kept() {
    let folder = folder();
    let store = store(folder.path());
    let mut writer = store.create(new()).expect("a writer");
    let id = writer.id().to_owned();
    let conversation = [
        user("look up 北京"),
        assistant("I look.", &[("c1", "sky__forecast")]),
        tool("c1", "sunny"),
        assistant("Sun.", &[]),
    ];
    writer.begin_task("20261130-1", "acme/two").expect("noted");
    assert_eq!(store.list(None).expect("a list"), [], "a session without a message is none");
    conversation.iter().for_each(|message| writer.append(message).expect("kept"));
    writer.set_state(&json!({"v": 1})).expect("kept");
    let end = TaskEnd {
        state: "done".into(),
        input: Some(10),
        cached: Some(3),
        output: Some(5),
        cost: Some((70, "USD".into())),
    };
    writer.end_task("20261130-1", &end).expect("noted");
    drop(writer);

    let loaded = store.load(&id).expect("a session");
    assert_eq!(loaded.messages, conversation);
    assert_eq!(loaded.state, Some(json!({"v": 1})));
    assert_eq!((loaded.info.title.as_str(), loaded.info.cwd.as_str()), ("look up 北京", "/home/k"));
    assert_eq!((loaded.info.model.as_str(), loaded.info.messages, loaded.info.tasks), ("acme/two", 4, 1));
    assert_eq!(loaded.info.spent.micros.get("USD"), Some(&70));
    assert_eq!((loaded.info.spent.input, loaded.info.spent.cached, loaded.info.spent.output), (10, 3, 5));
    assert_eq!(store.tasks(&id).expect("tasks")[0].end, Some(end));
}

#[test]
fn an_id_is_found_by_its_beginning_in_any_case_and_by_last() {
    let folder = folder();
    let mut store = store(folder.path());
    assert!(matches!(store.find("last"), Err(Error::None)));
    let (first, second) = (begun(&store, &["a"]).id().to_owned(), begun(&store, &["b"]).id().to_owned());
    assert_eq!(store.find("last").expect("found"), second);
    store.take_up(&first).expect("a session").1.append(&user("more")).expect("kept");
    assert_eq!(store.find("last").expect("found"), first);
    assert_eq!(store.find(&first[..4].to_uppercase()).expect("found"), first);
    for unknown in ["a", "", "../x", "%", "_____", "北京"] {
        assert!(matches!(store.find(unknown), Err(Error::Unknown { .. })), "{unknown}");
    }
    let many: Vec<String> = (0..60).map(|_| begun(&store, &["x"]).id().to_owned()).collect();
    let doubled = many.iter().map(|id| &id[..1]).find(|head| many.iter().filter(|id| id.starts_with(head)).count() > 1);
    assert!(matches!(store.find(doubled.expect("60 ids on 27 letters")), Err(Error::Several { .. })));
    many.iter().for_each(|id| store.remove(id).expect("removed"));
    assert_eq!(store.list(None).expect("a list").len(), 2);
    assert_eq!(store.list(Some(1)).expect("a list")[0].id, first);
}

#[test]
fn a_second_writer_is_refused_and_harms_nothing() {
    let folder = folder();
    let (mut store, other) = (store(folder.path()), store(folder.path()));
    let mut writer = begun(&store, &["a"]);
    let id = writer.id().to_owned();
    for refused in [other.take_up(&id).map(drop), store.remove(&id)] {
        assert!(matches!(refused, Err(Error::InUse { .. })), "{refused:?}");
    }
    let copy = store.fork(&id, None).expect("a copy of what is in use");
    store.rename(&id, "another name").expect("renamed");
    writer.append(&user("b")).expect("the writer goes on");
    drop(writer);
    assert_eq!(texts(&store, &id), ["a", "b"]);
    assert_eq!(texts(&store, &copy), ["a"]);
    let (_, mut writer) = other.take_up(&id).expect("free again");
    writer.append(&user("c")).expect("kept");
    assert_eq!(store.info(&id).expect("a session").title, "another name");
}

#[test]
fn folding_changes_what_a_model_is_given_and_not_what_people_read() {
    let folder = folder();
    let mut store = store(folder.path());
    let mut writer = store.create(new()).expect("a writer");
    let id = writer.id().to_owned();
    let long =
        [user("a"), assistant("", &[("c1", "sky__forecast")]), tool("c1", "a long result"), user("b"), user("c")];
    long.iter().for_each(|message| writer.append(message).expect("kept"));
    let folded = [user("a"), assistant("", &[("c1", "sky__forecast")]), tool("c1", "[folded]"), user("b"), user("c")];
    writer.rewrite(&folded).expect("kept");
    assert_eq!(store.load(&id).expect("a session").messages, folded);
    let further = [user("a\nsummary"), user("c")];
    writer.rewrite(&further).expect("kept");
    writer.append(&user("d")).expect("kept");
    writer.amend(2, &user("d, and a note for the model")).expect("kept");
    let given = [user("a\nsummary"), user("c"), user("d, and a note for the model")];
    assert_eq!(store.load(&id).expect("a session").messages, given);
    assert_eq!(texts(&store, &id), ["a", "", "a long result", "b", "c", "d"]);
    assert_eq!(store.info(&id).expect("a session").messages, 6);
    let whole: Vec<bool> = store.said(&id, 0, 9).expect("messages").iter().map(|said| said.whole).collect();
    assert_eq!(whole, [false, false, false, false, true, true]);
    assert!(
        store.search("a long result", 9).expect("hits").len() == 1
            && store.search("summary", 9).expect("hits").is_empty()
    );

    // A copy of all goes on as the session does; one that ends before the fold begins whole.
    let copy = store.fork(&id, None).expect("a copy");
    assert_eq!(store.load(&copy).expect("a session").messages, given);
    let early = store.fork(&id, Some(3)).expect("a copy");
    assert_eq!(store.load(&early).expect("a session").messages, long[..3]);
    assert_eq!(texts(&store, &early), ["a", "", "a long result"]);
    assert_eq!(store.info(&early).expect("a session").forked_from, Some((id.clone(), 3)));
    for bad in [0, 7] {
        assert!(matches!(store.fork(&id, Some(bad)), Err(Error::NoMessage { count: 6, .. })), "{bad}");
    }
}

#[test]
fn a_fork_takes_the_state_of_its_place() {
    let folder = folder();
    let mut store = store(folder.path());
    let mut writer = begun(&store, &["one"]);
    writer.append(&assistant("1", &[])).expect("kept");
    writer.set_state(&json!(1)).expect("kept");
    writer.append(&user("two")).expect("kept");
    writer.set_state(&json!("in between")).expect("kept");
    writer.append(&assistant("2", &[])).expect("kept");
    writer.set_state(&json!(2)).expect("kept");
    let id = writer.id().to_owned();
    let state = |store: &mut Store, at| {
        let copy = store.fork(&id, at).expect("a copy");
        store.load(&copy).expect("a session").state
    };
    assert_eq!(state(&mut store, None), Some(json!(2)));
    assert_eq!(state(&mut store, Some(2)), Some(json!(1)));
    assert_eq!(state(&mut store, Some(3)), Some(json!(1)), "the last one that was saved before");
    assert_eq!(state(&mut store, Some(1)), None);
}

#[test]
fn what_a_later_version_wrote_is_kept() {
    let folder = folder();
    let mut store = store(folder.path());
    let later = |text: &str| json!({"role": "user", "text": text, "mood": {"of": "later"}});
    let strange = json!({"role": "oracle", "verse": "…"});
    let transfer = Transfer {
        title: String::new(),
        cwd: String::new(),
        model: String::new(),
        tasks: Vec::new(),
        messages: vec![later("a"), strange.clone(), later("b")],
    };
    let id = store.take_in(&transfer).expect("a session");
    let (loaded, mut writer) = store.take_up(&id).expect("a session");
    assert_eq!(loaded.messages, [user("a"), user("b")]);
    assert_eq!(loaded.problems.len(), 1);
    writer.amend(1, &user("b, amended")).expect("the second that this version knows");
    writer.amend(1, &user("another")).expect("kept");
    writer.rewrite(&[user("another")]).expect("folded");
    drop(writer);
    let copy = store.fork(&id, None).expect("a copy");
    for id in [id, copy] {
        let said: Vec<Value> = store.said(&id, 0, 9).expect("messages").into_iter().map(|said| said.message).collect();
        assert_eq!(said, [later("a"), strange.clone(), later("another")]);
        assert_eq!(store.load(&id).expect("a session").messages, [user("another")]);
    }
}

#[test]
fn both_languages_are_found_by_words_of_any_length() {
    let folder = folder();
    let mut store = store(folder.path());
    let mut first = begun(&store, &["查北京天气，写成 Word 文档"]);
    first.append(&assistant("先查天气。", &[("c1", "sky__forecast")])).expect("kept");
    first.append(&tool("c1", "{\"summary\":\"北京 晴\",\"note\":\"50% of a \\\"day\\\"\"}")).expect("kept");
    let second = begun(&store, &["look up the Harbour in Äußere Mongolei", "and again: the harbour, the harbour"]);
    let ids = (first.id().to_owned(), second.id().to_owned());
    drop((first, second));
    let (first, second) = ids;
    let found = |store: &Store, query: &str| {
        let hits = store.search(query, 50).expect("hits");
        hits.into_iter().map(|hit| (hit.id, hit.number)).collect::<Vec<_>>()
    };
    let one = |number| (first.clone(), number);
    assert_eq!(found(&store, "天气"), [one(0), one(2), one(1)], "the title first, then the latest");
    assert_eq!(found(&store, "查北京"), [one(0), one(1)]);
    assert_eq!(found(&store, "晴"), [one(3)]);
    assert_eq!(found(&store, "文档 WORD"), [one(0), one(1)]);
    assert_eq!(found(&store, "forecast 北京"), [one(2)]);
    assert_eq!(found(&store, "50%"), [one(3)]);
    assert_eq!(found(&store, "a \"day"), [one(3)], "a quote that is not closed is still one");
    assert_eq!((found(&store, "_"), found(&store, "\\")), (vec![one(2)], vec![one(3)]), "letters as any others");
    let other = |number| (second.clone(), number);
    assert_eq!(found(&store, "harbour"), [other(0), other(2), other(1)], "where it stands twice comes first");
    assert_eq!(found(&store, "äußere"), [other(0), other(1)]);
    assert_eq!(found(&store, "ÄU"), [other(0), other(1)]);
    assert_eq!(found(&store, "\"the harbour in\""), [other(0), other(1)]);
    for none in ["", "  ", "\"\"", "absent", "harbour 北京", "* OR NOT", "'; DROP TABLE messages", "%_"] {
        assert_eq!(found(&store, none), [], "{none:?}");
    }
    store.remove(&first).expect("removed");
    assert_eq!(found(&store, "天气"), []);
}

#[test]
fn a_removed_session_leaves_no_word_on_disk() {
    let folder = folder();
    let mut store = store(folder.path());
    let writer = begun(&store, &["the password is xyzzyplugh"]);
    let id = writer.id().to_owned();
    let spill = writer.spill();
    std::fs::create_dir_all(&spill).expect("a folder");
    std::fs::write(spill.join("1.txt"), "xyzzyplugh").expect("written");
    drop(writer);
    let kept = begun(&store, &["another"]).id().to_owned();
    store.remove(&id).expect("removed");
    store.tidy().expect("tidied");
    drop(store);
    assert!(!spill.exists());
    for entry in std::fs::read_dir(folder.path()).expect("the folder").filter_map(Result::ok) {
        let bytes = std::fs::read(entry.path()).unwrap_or_default();
        for word in ["xyzzyplugh", "xyz"] {
            assert!(!bytes.windows(word.len()).any(|found| found == word.as_bytes()), "{:?}", entry.path());
        }
    }
    let (store, _) = Store::open(folder.path()).expect("a store");
    assert_eq!(texts(&store, &kept), ["another"]);
}
