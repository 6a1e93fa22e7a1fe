use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_lite::FutureExt as _;
use winclaw_tool::{Failure, FailureCode};

/// Runs `body`; a panic in it becomes a `panicked` failure with the panic's message.
pub(crate) fn caught<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| Err(panicked(payload)))
}

/// As [`caught`], at every await.
pub(crate) async fn caught_async<T>(body: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    AssertUnwindSafe(body).catch_unwind().await.unwrap_or_else(|payload| Err(panicked(payload)))
}

fn panicked(payload: Box<dyn Any + Send>) -> Failure {
    let message = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        // Dropping a payload of the author's own type could panic again, with nothing to catch it.
        _ => {
            std::mem::forget(payload);
            "without a message".to_owned()
        }
    };
    Failure::new(FailureCode::Panicked, format!("the tool's code panicked: {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_of_a_panic_is_kept() {
        let message = |body: fn() -> Result<(), Failure>| caught(body).expect_err("a panic").message;
        assert_eq!(message(|| panic!("plain")), "the tool's code panicked: plain");
        assert_eq!(message(|| panic!("number {}", 7)), "the tool's code panicked: number 7");
        assert_eq!(message(|| std::panic::panic_any(7)), "the tool's code panicked: without a message");
    }

    #[test]
    fn a_panic_after_an_await_is_caught() {
        let body = async {
            futures_lite::future::yield_now().await;
            if true {
                panic!("late");
            }
            Ok(())
        };
        let failure = futures_lite::future::block_on(caught_async(body)).expect_err("a panic");
        assert_eq!(failure.code, FailureCode::Panicked);
    }
}
