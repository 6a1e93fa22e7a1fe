//! A host and a plugin that meet in one process, through the very functions that cross the boundary.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use winclaw_abi::__private::{PrefixTypeTrait, ROption, RSlice, RStr, RString};
use winclaw_abi::{CompletionV1, HostServices, HostV1, LogLevel, NoServices, Plugin, PluginV1, PluginV1Ref};

/// Notes every call, and panics in all of them when told to.
#[derive(Default)]
struct Noting {
    notes: Mutex<Vec<String>>,
    panics: bool,
}

impl Noting {
    fn note(&self, what: String) {
        assert!(!self.panics, "the host panics");
        self.notes.lock().expect("the notes").push(what);
    }
}

impl HostServices for Noting {
    fn log(&self, level: LogLevel, text: &str) {
        self.note(format!("log {} {text}", level.as_str()));
    }
    fn progress(&self, fraction: Option<f64>, text: &str) {
        self.note(format!("progress {fraction:?} {text}"));
    }
    fn partial(&self, text: &str) {
        self.note(format!("partial {text}"));
    }
    fn cancelled(&self) -> bool {
        self.note("cancelled".into());
        true
    }
    fn http(&self, request: String, done: Box<dyn FnOnce(String) + Send>) {
        self.note(format!("http {request}"));
        done("reply".into());
    }
    fn secret(&self, name: &str) -> Option<String> {
        self.note(format!("secret {name}"));
        Some("word".into())
    }
    fn scratch(&self) -> Option<String> {
        self.note("scratch".into());
        Some("/own".into())
    }
    fn kv_get(&self, key: &str) -> Option<String> {
        self.note(format!("kv_get {key}"));
        None
    }
    fn kv_set(&self, key: &str, value: Option<&str>) -> Result<(), String> {
        self.note(format!("kv_set {key} {value:?}"));
        value.map(|_| ()).ok_or_else(|| "refused".into())
    }
    fn query(&self, name: &str, input: &str) -> Option<String> {
        self.note(format!("query {name} {input}"));
        Some(format!("{name}:{input}"))
    }
}

fn reply_to(host: &HostV1, request: &str) -> String {
    let (sender, replies) = channel();
    host.http(request.to_owned(), Box::new(move |reply| sender.send(reply).expect("the test listens")));
    replies.recv().expect("a reply")
}

#[test]
fn each_ability_reaches_the_host_and_its_answer_comes_back() {
    let noting = Arc::new(Noting::default());
    let host = HostV1::new(noting.clone()).clone();
    host.log(LogLevel::Warn, "北京");
    host.progress(None, "a");
    host.progress(Some(7.0), "b");
    host.partial("half");
    assert!(host.cancelled());
    assert_eq!(reply_to(&host, "{}"), "reply");
    assert_eq!((host.secret("k").as_deref(), host.scratch().as_deref()), (Some("word"), Some("/own")));
    assert_eq!(host.kv_get("key"), None);
    assert_eq!((host.kv_set("key", Some("v")), host.kv_set("key", None)), (Ok(()), Err("refused".to_owned())));
    assert_eq!(host.query("name", "input").as_deref(), Some("name:input"));
    let notes = noting.notes.lock().expect("the notes").join("\n");
    let expected = "log warn 北京\nprogress None a\nprogress Some(1.0) b\npartial half\ncancelled\nhttp {}\nsecret k\n\
                    scratch\nkv_get key\nkv_set key Some(\"v\")\nkv_set key None\nquery name input";
    assert_eq!(notes, expected);
}

#[test]
fn a_host_that_panics_counts_as_one_that_grants_nothing() {
    let host = HostV1::new(Arc::new(Noting { panics: true, ..Noting::default() }));
    host.log(LogLevel::Info, "x");
    host.progress(None, "x");
    host.partial("x");
    assert!(!host.cancelled());
    assert_eq!(reply_to(&host, "{}"), winclaw_abi::DROPPED_BY_HOST);
    assert_eq!((host.secret("x"), host.scratch(), host.kv_get("x"), host.query("x", "")), (None, None, None, None));
    assert!(host.kv_set("x", None).is_err());
}

#[test]
fn the_services_live_as_long_as_the_last_handle() {
    let services: Arc<NoServices> = Arc::new(NoServices);
    let first = HostV1::new(services.clone());
    let second = first.clone();
    assert_eq!(Arc::strong_count(&services), 3);
    drop(first);
    assert!(reply_to(&second, "{}").contains("no network"));
    drop(second);
    assert_eq!(Arc::strong_count(&services), 1);
}

static CANCELLED: AtomicU64 = AtomicU64::new(0);

extern "C" fn manifest() -> RString {
    "{}".into()
}

extern "C" fn call(tool: RStr<'_>, args: RSlice<'_, u8>, host: HostV1, done: CompletionV1) -> u64 {
    host.partial(tool.as_str());
    match tool.as_str() {
        "echo" => done.complete(String::from_utf8_lossy(args.as_slice())),
        _ => drop(done),
    }
    7
}

extern "C" fn cancel(handle: u64) {
    CANCELLED.store(handle, Ordering::SeqCst);
}

extern "C" fn query(name: RStr<'_>, input: RStr<'_>) -> ROption<RString> {
    if name.as_str() == "known" { ROption::RSome(input.into()) } else { ROption::RNone }
}

fn module() -> PluginV1Ref {
    PluginV1 { manifest, call, cancel, query }.leak_into_prefix()
}

#[test]
fn a_plugin_is_called_in_plain_types() {
    let plugin = Plugin::new(module());
    let (sender, answers) = channel();
    let answer = |tool: &str, args: &[u8]| {
        let sender = sender.clone();
        let done = Box::new(move |json| sender.send(json).expect("the test listens"));
        assert_eq!(plugin.call(tool, args, Arc::new(NoServices), done), 7);
        answers.recv().expect("an answer")
    };
    assert_eq!(plugin.manifest(), "{}");
    assert_eq!(answer("echo", b"{\"a\":1}"), "{\"a\":1}");
    assert_eq!(answer("echo", b"\xff"), "\u{fffd}");
    assert_eq!(answer("other", b""), winclaw_abi::DROPPED_BY_PLUGIN);
    assert_eq!((plugin.query("known", "x").as_deref(), plugin.query("other", "x")), (Some("x"), None));
    plugin.cancel(9);
    assert_eq!(CANCELLED.load(Ordering::SeqCst), 9);
}
