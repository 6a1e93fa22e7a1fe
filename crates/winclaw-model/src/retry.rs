use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::header::HeaderMap;

use crate::ModelError;

/// How often a request is sent again after the first time.
pub(crate) const RETRIES: u32 = 2;
/// The longest wait that a vendor may ask for; when it asks for more, the error is reported at once.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// How to wait between two attempts. The default sleeps; tests put a recorder in its place.
#[derive(Clone)]
pub struct Pause(Arc<dyn Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync>);

impl Pause {
    /// Waits by calling `wait`.
    pub fn new(wait: impl Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync + 'static) -> Self {
        Pause(Arc::new(wait))
    }

    pub(crate) async fn wait(&self, time: Duration) {
        (self.0)(time).await;
    }
}

impl Default for Pause {
    fn default() -> Self {
        Pause::new(|time| Box::pin(tokio::time::sleep(time)))
    }
}

impl fmt::Debug for Pause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pause")
    }
}

/// What to wait before attempt number `attempt + 1` (from 0), or `None` when trying again cannot help: only 429 and
/// 5xx are worth it, not an exhausted quota, and not when the vendor asks for more than 30 seconds.
pub(crate) fn wait_before_next(error: &ModelError, asked: Option<Duration>, attempt: u32) -> Option<Duration> {
    let ModelError::Rejected { status, message } = error else {
        return None;
    };
    let passing = *status == 429 && !is_exhausted(message) || (500..600).contains(status) && *status != 501;
    if !passing || attempt >= RETRIES {
        return None;
    }
    let wait = asked.unwrap_or_else(|| Duration::from_millis(500) * 4u32.pow(attempt));
    (wait <= LONGEST_WAIT).then_some(wait)
}

fn is_exhausted(message: &str) -> bool {
    let message = message.to_lowercase();
    ["insufficient_quota", "exceeded your current quota", "insufficient balance"].iter().any(|it| message.contains(it))
}

/// The wait that `Retry-After-Ms` or `Retry-After` (in seconds) asks for. A date is not read; the back-off serves then.
pub(crate) fn asked_wait(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|ms| ms / 1000.0).or_else(|| number("retry-after"))?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejected(status: u16, message: &str) -> ModelError {
        ModelError::Rejected { status, message: message.into() }
    }

    #[test]
    fn only_what_may_pass_is_tried_again_and_only_twice() {
        let ms = |ms| Some(Duration::from_millis(ms));
        let cases = [
            (rejected(429, "slow down"), None, 0, ms(500)),
            (rejected(503, ""), None, 1, ms(2000)),
            (rejected(503, ""), None, 2, None),
            (rejected(429, ""), ms(7), 0, ms(7)),
            (rejected(429, ""), ms(31_000), 0, None),
            (rejected(429, "You exceeded your current quota"), None, 0, None),
            (rejected(400, ""), None, 0, None),
            (rejected(501, ""), None, 0, None),
            (ModelError::Cancelled, None, 0, None),
        ];
        for (error, asked, attempt, expected) in cases {
            assert_eq!(wait_before_next(&error, asked, attempt), expected, "{error:?} {asked:?} {attempt}");
        }
    }

    #[test]
    fn the_wait_a_vendor_asks_for_is_read() {
        let wait = |name: &'static str, value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().expect("a value"));
            asked_wait(&headers)
        };
        assert_eq!(wait("retry-after", "2"), Some(Duration::from_secs(2)));
        assert_eq!(wait("retry-after-ms", "250"), Some(Duration::from_millis(250)));
        for bad in ["-1", "soon", "Wed, 21 Oct 2099 07:28:00 GMT", "1e400"] {
            assert_eq!(wait("retry-after", bad), None, "{bad}");
        }
    }
}
