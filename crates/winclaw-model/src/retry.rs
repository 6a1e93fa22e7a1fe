use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::future::BoxFuture;
use reqwest::header::HeaderMap;

use crate::ModelError;

/// How often a request is sent again after the first time.
pub(crate) const RETRIES: u32 = 2;
/// The longest wait that a vendor may ask for; when it asks for more, the error is reported at once.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// Statuses besides 5xx that may pass by themselves.
const PASSING: [u16; 2] = [408, 429];

/// How to wait between two attempts. The default sleeps, with jitter; tests put a recorder in its place.
#[derive(Clone)]
pub struct Pause {
    wait: Arc<dyn Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync>,
    jitter: Arc<dyn Fn() -> f64 + Send + Sync>,
    now: Arc<dyn Fn() -> SystemTime + Send + Sync>,
}

impl Pause {
    /// Waits by calling `wait`, without jitter.
    pub fn new(wait: impl Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync + 'static) -> Self {
        Pause { wait: Arc::new(wait), jitter: Arc::new(|| 0.0), now: Arc::new(SystemTime::now) }
    }

    /// The same with jitter: a wait of our own is longer by up to half of itself, by what `jitter` says from 0 to 1.
    pub fn with_jitter(mut self, jitter: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        self.jitter = Arc::new(jitter);
        self
    }

    /// The same with another clock, which serves to understand a date in `Retry-After`.
    pub fn with_clock(mut self, now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.now = Arc::new(now);
        self
    }

    pub(crate) async fn wait(&self, time: Duration) {
        (self.wait)(time).await;
    }

    pub(crate) fn now(&self) -> SystemTime {
        (self.now)()
    }

    /// What to wait before attempt number `attempt + 1` (from 0), or `None` when trying again cannot help.
    ///
    /// Worth it are 408, 429 and 5xx, but not an exhausted quota and not 501; and a connection that failed before any byte
    /// of an answer (`unheard`). A body that is itself refused is never sent again. Not when the vendor asks for more
    /// than 30 seconds. What the vendor asks for is kept to; else half a second, then two, with jitter.
    pub(crate) fn before_next(&self, failed: &Failed, attempt: u32) -> Option<Duration> {
        let passing = match &failed.error {
            ModelError::Rejected { status, message } => {
                PASSING.contains(status) && !is_exhausted(message) || (500..600).contains(status) && *status != 501
            }
            ModelError::Unreachable { .. } => failed.unheard,
            _ => false,
        };
        if !passing || attempt >= RETRIES {
            return None;
        }
        let own = || {
            let wait = Duration::from_millis(500) * 4u32.pow(attempt);
            wait + wait.mul_f64((self.jitter)().clamp(0.0, 1.0) / 2.0)
        };
        let wait = failed.asked_wait.unwrap_or_else(own);
        (wait <= LONGEST_WAIT).then_some(wait)
    }
}

impl Default for Pause {
    fn default() -> Self {
        Pause::new(|time| Box::pin(tokio::time::sleep(time))).with_jitter(random)
    }
}

impl fmt::Debug for Pause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pause")
    }
}

/// A number from 0 to 1; good enough to keep two programs from trying again at the same moment.
fn random() -> f64 {
    let bits = RandomState::new().build_hasher().finish() >> 32;
    f64::from(u32::try_from(bits).unwrap_or(0)) / f64::from(u32::MAX)
}

/// A failed attempt.
#[derive(Debug)]
pub(crate) struct Failed {
    /// Why.
    pub(crate) error: ModelError,
    /// How long the vendor asks to wait before the next.
    pub(crate) asked_wait: Option<Duration>,
    /// The connection failed before any byte of an answer, so nothing was given to anyone.
    pub(crate) unheard: bool,
}

impl From<ModelError> for Failed {
    fn from(error: ModelError) -> Self {
        Failed { error, asked_wait: None, unheard: false }
    }
}

fn is_exhausted(message: &str) -> bool {
    let message = message.to_lowercase();
    let words = ["insufficient_quota", "exceeded your current quota", "insufficient balance", "余额不足", "欠费"];
    words.iter().any(|it| message.contains(it))
}

/// The wait that `Retry-After-Ms` or `Retry-After` asks for, the latter in seconds or as a date. A date counts from the
/// server's own `Date` where there is one, since clocks differ; one that has passed asks for no wait.
pub(crate) fn asked_wait(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    if let Some(seconds) = number("retry-after-ms").map(|ms| ms / 1000.0).or_else(|| number("retry-after")) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = |name: &str| httpdate::parse_http_date(text(name)?).ok();
    let until = date("retry-after")?;
    Some(until.duration_since(date("date").unwrap_or(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejected(status: u16, message: &str) -> Failed {
        ModelError::Rejected { status, message: message.into() }.into()
    }

    fn asks(mut failed: Failed, ms: u64) -> Failed {
        failed.asked_wait = Some(Duration::from_millis(ms));
        failed
    }

    fn unreachable(unheard: bool) -> Failed {
        let error = ModelError::Unreachable { url: "u".into(), reason: "r".into(), local: false };
        Failed { unheard, ..error.into() }
    }

    fn pause() -> Pause {
        Pause::new(|_| Box::pin(std::future::ready(())))
    }

    #[test]
    fn only_what_may_pass_is_tried_again_and_only_twice() {
        let ms = |ms| Some(Duration::from_millis(ms));
        let cases = [
            (rejected(429, "slow down"), 0, ms(500)),
            (rejected(503, ""), 1, ms(2000)),
            (rejected(529, ""), 1, ms(2000)),
            (rejected(503, ""), 2, None),
            (asks(rejected(429, ""), 7), 0, ms(7)),
            (asks(rejected(429, ""), 31_000), 0, None),
            (rejected(429, "You exceeded your current quota"), 0, None),
            (rejected(408, ""), 0, ms(500)),
            (rejected(501, ""), 0, None),
            (unreachable(true), 0, ms(500)),
            (unreachable(false), 0, None),
            (ModelError::Cancelled.into(), 0, None),
        ];
        for (failed, attempt, expected) in cases {
            assert_eq!(pause().before_next(&failed, attempt), expected, "{failed:?} {attempt}");
        }
        for invalid in [400, 401, 403, 404, 413, 422] {
            assert_eq!(pause().before_next(&asks(rejected(invalid, ""), 1), 0), None, "{invalid}");
        }
    }

    #[test]
    fn jitter_is_exactly_what_its_source_says_and_never_shortens_what_was_asked() {
        let wait = |jitter: f64, failed: Failed| pause().with_jitter(move || jitter).before_next(&failed, 0);
        let ms = |ms| Some(Duration::from_millis(ms));
        assert_eq!(wait(0.5, rejected(503, "")), ms(625));
        assert_eq!(wait(9.0, rejected(503, "")), ms(750));
        assert_eq!(wait(1.0, asks(rejected(503, ""), 100)), ms(100));
        assert!((0..100).all(|_| (0.0..=1.0).contains(&random())));
    }

    #[test]
    fn the_wait_a_vendor_asks_for_is_read() {
        let now = httpdate::parse_http_date("Wed, 21 Oct 2026 07:28:00 GMT").expect("a date");
        let wait = |given: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in given {
                headers.insert(*name, value.parse().expect("a value"));
            }
            asked_wait(&headers, now)
        };
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(wait(&[("retry-after", "2")]), seconds(2));
        assert_eq!(wait(&[("retry-after-ms", "250"), ("retry-after", "9")]), Some(Duration::from_millis(250)));
        assert_eq!(wait(&[("retry-after", "Wed, 21 Oct 2026 07:28:07 GMT")]), seconds(7));
        let own_clock = ("date", "Wed, 21 Oct 2026 07:28:05 GMT");
        assert_eq!(wait(&[("retry-after", "Wed, 21 Oct 2026 07:28:07 GMT"), own_clock]), seconds(2));
        assert_eq!(wait(&[("retry-after", "Wed, 21 Oct 2020 07:28:00 GMT")]), seconds(0));
        for bad in ["-1", "soon", "1e400", ""] {
            assert_eq!(wait(&[("retry-after", bad)]), None, "{bad}");
        }
    }
}
