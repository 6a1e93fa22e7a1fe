use std::panic::{AssertUnwindSafe, catch_unwind};

use abi_stable::std_types::{RStr, RString};

/// Runs `body`; if it panics, the panic ends here and `fallback` is the result.
///
/// The payload of the panic is leaked: dropping it runs foreign code that may panic again, outside of any catch.
pub fn guarded<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => value,
        Err(payload) => {
            std::mem::forget(payload);
            fallback
        }
    }
}

/// The text of a string from the other side, with anything that is not UTF-8 replaced.
pub(crate) fn owned(text: RString) -> String {
    let bytes: Vec<u8> = text.into_bytes().into_vec();
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// As [`owned`], for a borrowed string.
pub(crate) fn borrowed(text: RStr<'_>) -> String {
    String::from_utf8_lossy(text.as_str().as_bytes()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct PanicsOnDrop;

    impl Drop for PanicsOnDrop {
        fn drop(&mut self) {
            panic!("the payload panics too");
        }
    }

    #[test]
    fn a_panic_and_a_payload_that_panics_end_here() {
        assert_eq!(guarded(1, || panic!("boom")), 1);
        assert_eq!(guarded(2, || std::panic::panic_any(PanicsOnDrop)), 2);
        assert_eq!(guarded(3, || 4), 4);
    }

    #[test]
    fn text_arrives_whole() {
        assert_eq!(owned(RString::from("北京")), "北京");
        assert_eq!(borrowed(RStr::from_str("北京")), "北京");
    }
}
