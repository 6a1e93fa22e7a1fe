//! fend, held to a time limit and without chance, clock and network.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use fend_core::{Context, CustomUnitAttribute, Interrupt, SpanKind};

use crate::units::CHINESE;

/// How long one computation may take.
pub const TIME_LIMIT: Duration = Duration::from_secs(5);

/// When a computation must end.
pub struct Limit<'a> {
    deadline: Instant,
    cancelled: &'a (dyn Fn() -> bool + Sync),
    asked: AtomicU32,
}

impl<'a> Limit<'a> {
    /// Ends after `time`, or soon after `cancelled` says so.
    pub fn new(time: Duration, cancelled: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Limit { deadline: Instant::now() + time, cancelled, asked: AtomicU32::new(0) }
    }

    /// Whether the time is up.
    pub fn is_over(&self) -> bool {
        Instant::now() >= self.deadline
    }
}

impl Interrupt for Limit<'_> {
    fn should_interrupt(&self) -> bool {
        // fend asks after every step; the clock and the host are asked after each 64th.
        self.asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(64) && (self.is_over() || (self.cancelled)())
    }
}

/// Stack for reading an expression: fend goes some 15 calls deeper for each sign or power, and a thousand characters
/// may hold a thousand of them.
const STACK_BYTES: usize = 128 << 20;

/// Does `work` on a thread whose stack is large enough for any expression that is accepted.
///
/// # Errors
/// When the system gives no thread. A panic in `work` goes on in the caller.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("calculator".into()).stack_size(STACK_BYTES);
        match thread.spawn_scoped(scope, work)?.join() {
            Ok(done) => Ok(done),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// What fend computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// The value with its unit, without the word "approx.".
    pub text: String,
    /// Its number alone; `None` for a word such as `true`.
    pub number: Option<String>,
    /// What stands after the number: its unit, and the space before it.
    pub tail: String,
    /// Whether the value is exact, not rounded.
    pub exact: bool,
}

/// Computes `expression`, which is written for fend.
///
/// # Errors
/// fend's own words.
pub fn compute(expression: &str, limit: &Limit<'_>) -> Result<Value, String> {
    let mut context = Context::new();
    for (name, definition) in CHINESE {
        context.define_custom_unit_v1(name, name, definition, &CustomUnitAttribute::None);
    }
    let result = fend_core::evaluate_with_interrupt(expression, &mut context, limit)?;
    let text = result.get_main_result();
    let mut spans = result.get_main_result_spans().skip_while(|span| span.kind() != SpanKind::Number);
    let number = spans.next().map(|span| span.string().to_owned());
    let tail: String = spans.map(|span| span.string()).collect();
    let exact = !text.contains("approx. ");
    Ok(Value { text: text.replace("approx. ", "").trim().to_owned(), number, tail, exact })
}
