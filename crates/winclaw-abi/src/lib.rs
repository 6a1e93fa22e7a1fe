//! The bytes that cross the DLL boundary and the handshake that guards it.
//!
//! A plugin exports one root module, [`PluginV1`]. The host calls it with a [`HostV1`] (what the plugin may ask for) and
//! a [`CompletionV1`] (where the result goes). Plugin authors never see this crate: winclaw-sdk writes their side. The
//! host's side is [`load`], [`Plugin`] and [`HostServices`].
//!
//! Invariants:
//! - Only `repr(C)` values and UTF-8 JSON cross the boundary; text is checked again on arrival.
//! - [`PluginV1`], [`HostV1`] and [`CompletionV1`] are frozen: a field is never added, removed or moved. New abilities
//!   come through `query` or as a second root module.
//! - No panic crosses: every function that the other side can call catches unwinding.
//! - A completion is called at most once, and exactly once when its dropping is counted.
#![allow(unsafe_code)] // The boundary is raw pointers and function tables; this crate is where they are made safe.

mod completion;
mod guard;
mod host;
#[cfg(test)]
mod layout_tests;
mod load;
mod module;
mod plugin;
mod services;

pub use completion::{CompletionV1, DROPPED_BY_HOST, DROPPED_BY_PLUGIN};
pub use host::{HostTableV1, HostV1};
pub use load::{LoadError, LoadErrorKind, load};
pub use module::{PluginV1, PluginV1Ref};
pub use plugin::Plugin;
pub use services::{HostServices, LogLevel, NoServices};

/// Version of the boundary: the number in `plugin.json` and of the root module [`PluginV1`].
pub const ABI: u32 = 1;

/// Name of the one symbol a plugin library exports.
pub const ENTRY_SYMBOL: &str = abi_stable::library::ROOT_MODULE_LOADER_NAME;

/// What [`export_module!`] expands to and winclaw-sdk builds on; not for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use abi_stable::library::{__call_root_module_loader, CheckTypeLayout, LibHeader, RootModuleResult};
    pub use abi_stable::prefix_type::PrefixTypeTrait;
    pub use abi_stable::std_types::{ROption, RSlice, RStr, RString};

    pub use crate::guard::guarded;
}

/// Exports the root module of a plugin library.
///
/// The argument is the path of a `fn() -> PluginV1Ref`. This is abi_stable's `#[export_root_module]` written out, so
/// that a plugin need not depend on abi_stable itself. Use it once in a library; winclaw-sdk's `export!` does.
///
/// A build with `panic = "abort"` is refused: there a panicking tool would take its host along.
#[macro_export]
macro_rules! export_module {
    ($module:path) => {
        #[cfg(panic = "abort")]
        ::core::compile_error!(
            "a WinClaw plugin must unwind: remove `panic = \"abort\"` from the profile in Cargo.toml"
        );

        #[allow(unsafe_code)]
        const _: () = {
            extern "C" fn winclaw_erased_module() -> $crate::__private::RootModuleResult {
                $crate::__private::__call_root_module_loader($module)
            }

            #[unsafe(export_name = "_1as_0lib_1header_0root_bmodule_bloader")]
            pub static WINCLAW_ENTRY: $crate::__private::LibHeader = {
                // SAFETY: `winclaw_erased_module` gives what `__call_root_module_loader` made of a `PluginV1Ref`.
                unsafe {
                    $crate::__private::LibHeader::from_constructor::<$crate::PluginV1Ref>(
                        winclaw_erased_module,
                        $crate::__private::CheckTypeLayout::Yes,
                    )
                }
            };
        };
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_exported_name_is_the_one_abi_stable_looks_for() {
        assert_eq!(super::ENTRY_SYMBOL, "_1as_0lib_1header_0root_bmodule_bloader");
    }
}
