use winclaw_abi::PluginV1Ref;

use crate::export::{Export, module};

/// The plugin that `export!` made, for tests: its manifest, and the same root module that a host loads.
#[derive(Clone, Copy)]
pub struct Plugin {
    manifest: fn() -> &'static str,
    module: fn() -> PluginV1Ref,
}

impl Plugin {
    /// The plugin of an `export!`; called by what it expands to.
    #[doc(hidden)]
    pub fn of<P: Export>() -> Plugin {
        Plugin { manifest: || P::core().manifest(), module: module::<P> }
    }

    /// The manifest as JSON: what `plugin.json` holds, without `targets`.
    pub fn manifest(&self) -> &'static str {
        (self.manifest)()
    }

    /// The root module behind the same functions that a host calls.
    pub fn load(&self) -> winclaw_abi::Plugin {
        winclaw_abi::Plugin::new((self.module)())
    }
}

impl std::fmt::Debug for Plugin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Plugin")
    }
}
