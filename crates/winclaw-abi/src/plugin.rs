use std::sync::Arc;

use abi_stable::std_types::RSlice;

use crate::guard::owned;
use crate::{CompletionV1, HostServices, HostV1, PluginV1Ref};

/// A loaded plugin, in plain Rust types. Copying it is free; a loaded library stays loaded.
#[derive(Clone, Copy)]
pub struct Plugin(PluginV1Ref);

impl Plugin {
    /// The plugin behind a root module.
    pub fn new(module: PluginV1Ref) -> Self {
        Plugin(module)
    }

    /// The manifest as JSON: `plugin.json` without `targets`.
    pub fn manifest(&self) -> String {
        owned(self.0.manifest()())
    }

    /// Starts a call and returns its handle for [`Plugin::cancel`].
    ///
    /// `done` is given `{"ok": value}` or `{"error": failure}` exactly once, on any thread, possibly before this
    /// returns. `args` is meant to be a JSON object; anything else is answered with an error.
    pub fn call(
        &self,
        tool: &str,
        args: &[u8],
        host: Arc<dyn HostServices>,
        done: Box<dyn FnOnce(String) + Send>,
    ) -> u64 {
        self.0.call()(tool.into(), RSlice::from_slice(args), HostV1::new(host), CompletionV1::new(done))
    }

    /// Ends a call; it is answered with `cancelled` if it was not answered yet.
    pub fn cancel(&self, handle: u64) {
        self.0.cancel()(handle);
    }

    /// Answers a question by name; `None` when the plugin does not know the name.
    pub fn query(&self, name: &str, input: &str) -> Option<String> {
        self.0.query()(name.into(), input.into()).into_option().map(owned)
    }
}

impl std::fmt::Debug for Plugin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Plugin")
    }
}
