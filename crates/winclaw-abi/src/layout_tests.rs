//! The frozen layouts, written down. A failure here means that plugins in the field would be refused or misread: take
//! the change back, and offer the new ability through `query` or a second root module.

use std::mem::{align_of, offset_of, size_of};

use abi_stable::StableAbi;

use crate::{CompletionV1, HostTableV1, HostV1, PluginV1, PluginV1Ref};

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
        [
            clone, drop, log, progress, partial, cancelled, http, secret, scratch, kv_get, kv_set, query
        ]
    );
}

fn fields<T: StableAbi>() -> Vec<String> {
    let layout = T::LAYOUT.get_fields().expect("a struct");
    layout
        .iter()
        .map(|field| {
            field
                .full_type()
                .to_string()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect()
}

#[test]
fn the_types_of_the_fields_are_frozen() {
    expect_test::expect_file!["layout.txt"].assert_eq(&format!(
        "PluginV1\n{}\nHostV1\n{}\nHostTableV1\n{}\nCompletionV1\n{}\n",
        fields::<PluginV1Ref>().join("\n"),
        fields::<HostV1>().join("\n"),
        fields::<HostTableV1>().join("\n"),
        fields::<CompletionV1>().join("\n"),
    ));
}
