//! The frozen layouts, written down. A failure here means that plugins in the field would be refused or misread: take
//! the change back, and offer the new ability through `query` or a second root module.

use std::mem::{align_of, offset_of, size_of};

use abi_stable::StableAbi;
use abi_stable::abi_stability::PrefixStableAbi;
use abi_stable::type_layout::{TLData, TypeLayout};

use crate::module::PluginV1_Prefix;
use crate::{CompletionV1, HostTableV1, HostV1, PluginV1};

const WORD: usize = size_of::<usize>();

macro_rules! assert_layout {
    ($type:ty, $size:expr, [$($field:ident),* $(,)?]) => {
        let offsets = [$(offset_of!($type, $field)),*];
        let expected: Vec<usize> = (0..offsets.len()).map(|place| place * WORD).collect();
        assert_eq!(offsets.to_vec(), expected, "offsets of {}", stringify!($type));
        assert_eq!((size_of::<$type>(), align_of::<$type>()), ($size * WORD, WORD), "size of {}", stringify!($type));
    };
}

#[test]
fn sizes_and_offsets_are_frozen() {
    assert_layout!(PluginV1, 4, [manifest, call, cancel, query]);
    assert_layout!(CompletionV1, 3, [context, complete, dropped]);
    assert_layout!(HostV1, 2, [context, table]);
    assert_layout!(
        HostTableV1,
        12,
        [clone, drop, log, progress, partial, cancelled, http, secret, scratch, kv_get, kv_set, query]
    );
}

fn described(layout: &'static TypeLayout) -> String {
    let fields = match layout.data() {
        TLData::Struct { fields } => fields,
        TLData::PrefixType(module) => module.fields,
        other => panic!("{other} is neither a struct nor a module"),
    };
    let lines = fields.iter().map(|field| {
        let functions = field.function_range().iter().map(|function| function.to_string());
        let ty = if field.is_function() { functions.collect() } else { field.full_type().to_string() };
        format!("    {}: {}\n", field.name(), ty.split_whitespace().collect::<Vec<_>>().join(" "))
    });
    format!("{}\n{}", layout.name(), lines.collect::<String>())
}

#[test]
fn the_types_of_the_fields_are_frozen() {
    let layouts = [PluginV1_Prefix::LAYOUT, HostV1::LAYOUT, HostTableV1::LAYOUT, CompletionV1::LAYOUT];
    expect_test::expect_file!["layout.txt"].assert_eq(&layouts.map(described).concat());
}
