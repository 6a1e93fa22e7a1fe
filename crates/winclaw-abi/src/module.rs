use abi_stable::StableAbi;
use abi_stable::library::RootModule;
use abi_stable::sabi_types::VersionStrings;
use abi_stable::std_types::{ROption, RSlice, RStr, RString};

use crate::{CompletionV1, HostV1};

/// The root module of a plugin library, version 1. Layout is frozen.
///
/// Each function may be called from any thread, several at once. None may panic, block for long, or run a tool's body
/// before it returns.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = PluginV1Ref)))]
#[sabi(missing_field(panic))]
pub struct PluginV1 {
    /// The plugin's manifest as JSON: `plugin.json` without `targets`.
    pub manifest: extern "C" fn() -> RString,
    /// Starts a call and returns its handle, which is unique in the process and never 0 for a call that still runs.
    ///
    /// `args` is meant to be a JSON object in UTF-8; anything else is answered with `invalid_args`. `done` is answered
    /// exactly once, on any thread, possibly before this function returns.
    pub call: extern "C" fn(tool: RStr<'_>, args: RSlice<'_, u8>, host: HostV1, done: CompletionV1) -> u64,
    /// Ends a call: it is answered with `cancelled` at once, if it was not answered yet. Unknown handles do nothing.
    pub cancel: extern "C" fn(handle: u64),
    /// Answers a question by name, with an input whose form the name defines; nothing when the name is not known.
    #[sabi(last_prefix_field)]
    pub query: extern "C" fn(name: RStr<'_>, input: RStr<'_>) -> ROption<RString>,
}

impl RootModule for PluginV1Ref {
    const BASE_NAME: &'static str = "winclaw_plugin";
    const NAME: &'static str = "winclaw_plugin";
    /// Version of the module, not of this crate: a release of WinClaw must not refuse the plugins of the one before.
    const VERSION_STRINGS: VersionStrings = VersionStrings::new("1.0.0");

    abi_stable::declare_root_module_statics! {PluginV1Ref}
}
