use serde_json::Value;
use winclaw_abi::__private::{PrefixTypeTrait, ROption, RSlice, RStr, RString, guarded};
use winclaw_abi::{CompletionV1, HostV1, PluginV1, PluginV1Ref};
use winclaw_tool::{Failure, FailureCode, PluginManifest, ToolManifest};

use crate::call::{self, Call};
use crate::caught::caught;
use crate::{Args, Context, ToolDef};

/// A crate that was made a plugin by `export!`.
pub trait Export: 'static {
    /// The plugin, made on first use.
    fn core() -> &'static Core;
}

/// A plugin: its manifest and its tools.
#[derive(Debug)]
pub struct Core {
    manifest: String,
    tools: Vec<Loaded>,
}

#[derive(Debug)]
struct Loaded {
    def: ToolDef,
    parameters: Value,
}

impl Core {
    /// Joins what `plugin.toml` says (`author`, as `export!` wrote it) with what the code says.
    pub fn new(author: &str, version: Option<&str>, tools: &[ToolDef]) -> Core {
        let mut manifest: PluginManifest =
            serde_json::from_str(author).expect("export! embeds a manifest that it has just written");
        if let Some(version) = version {
            manifest.version = version.to_owned();
        }
        manifest.abi = winclaw_abi::ABI;
        let loaded: Vec<Loaded> =
            tools.iter().map(|def| Loaded { def: *def, parameters: (def.parameters)() }).collect();
        manifest.tools = loaded.iter().filter_map(|tool| joined(&manifest.tools, tool)).collect();
        let manifest = serde_json::to_string(&manifest).expect("a manifest has only string keys");
        Core { manifest, tools: loaded }
    }

    /// The manifest as JSON, without `targets`.
    pub fn manifest(&self) -> &str {
        &self.manifest
    }

    fn tool(&self, name: &str) -> Result<&Loaded, Failure> {
        self.tools.iter().find(|tool| tool.def.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.tools.iter().map(|tool| tool.def.name).collect();
            let message = format!("this plugin has no tool `{name}`; it has: {}", known.join(", "));
            Failure::new(FailureCode::Incompatible, message)
        })
    }

    fn start(&self, name: &str, bytes: &[u8], host: HostV1, call: &std::sync::Arc<Call>) -> Result<(), Failure> {
        let tool = self.tool(name)?;
        let args = Args::from_bytes(tool.def.name, &tool.parameters, bytes)?;
        let context = Context { host, call: std::sync::Arc::clone(call) };
        call::run(call, (tool.def.start)(args, context)?)
    }
}

fn joined(tables: &[ToolManifest], tool: &Loaded) -> Option<ToolManifest> {
    let mut manifest = tables.iter().find(|table| table.name == tool.def.name)?.clone();
    if manifest.description.is_empty() {
        manifest.description = tool.def.description.to_owned();
    }
    manifest.parameters = tool.parameters.clone();
    manifest.side_effect = tool.def.side_effect;
    Some(manifest)
}

/// The root module of the plugin `P`.
pub fn module<P: Export>() -> PluginV1Ref {
    PluginV1 { manifest: manifest::<P>, call: start::<P>, cancel, query }.leak_into_prefix()
}

extern "C" fn manifest<P: Export>() -> RString {
    guarded(RString::new(), || P::core().manifest().into())
}

extern "C" fn start<P: Export>(tool: RStr<'_>, args: RSlice<'_, u8>, host: HostV1, done: CompletionV1) -> u64 {
    guarded(0, move || {
        let call = Call::open(done);
        let tool = String::from_utf8_lossy(tool.as_str().as_bytes());
        if let Err(failure) = caught(|| P::core().start(&tool, args.as_slice(), host, &call)) {
            call.answer(Err(failure));
        }
        call.handle()
    })
}

extern "C" fn cancel(handle: u64) {
    guarded((), || call::cancel(handle));
}

/// `sdk` (input empty): the version of this crate that the plugin was built with.
extern "C" fn query(name: RStr<'_>, _input: RStr<'_>) -> ROption<RString> {
    match name.as_str() {
        "sdk" => ROption::RSome(env!("CARGO_PKG_VERSION").into()),
        _ => ROption::RNone,
    }
}

/// Whether `name` is one of `names`; for the checks that `export!` writes.
pub const fn has(names: &[&str], name: &str) -> bool {
    let mut at = 0;
    while at < names.len() {
        if same(names[at], name) {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether no two of `names` are the same; for the checks that `export!` writes.
pub const fn distinct(mut names: &[&str]) -> bool {
    while let [first, rest @ ..] = names {
        if has(rest, first) {
            return false;
        }
        names = rest;
    }
    true
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_whole() {
        assert!(has(&["a", "forecast"], "forecast"));
        assert!(!has(&["a", "forecasts", "forecas"], "forecast") && !has(&[], ""));
        assert!(distinct(&["a", "b"]) && distinct(&[]) && !distinct(&["a", "b", "a"]));
    }
}
