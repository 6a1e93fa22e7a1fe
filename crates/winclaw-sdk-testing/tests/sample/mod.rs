//! A plugin as an author writes it, for the tests of this crate.

use std::time::Duration;

use winclaw_sdk::prelude::*;

winclaw_sdk::export!(
    plugin = "tests/sample/plugin.toml",
    tools = [forecast, take_note, circumstances, misbehave, stall]
);

#[args]
struct ForecastArgs {
    /// The city or address.
    place: String,
    /// How many days, counting today.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 7))]
    days: u8,
    /// Units of the numbers.
    unit: Option<Unit>,
}

fn one() -> u8 {
    1
}

#[args]
#[result]
#[derive(Debug, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Unit {
    /// Celsius and metres.
    Metric,
    /// Fahrenheit and miles.
    Imperial,
}

#[data]
struct Sky {
    words: String,
}

#[result]
struct Forecast {
    place: String,
    words: String,
    unit: Unit,
}

/// Weather for a place,
/// for up to seven days.
#[tool(name = "forecast", side_effect = "read")]
async fn forecast(args: ForecastArgs, cx: &Context) -> Result<Forecast, Failure> {
    cx.progress(Some(0.5), "asking");
    let url = format!("https://api.example.org/sky?place={}&days={}", args.place, args.days);
    let sky: Sky = cx.http(HttpRequest::get(url)).await?.success()?.json()?;
    cx.info("answered");
    Ok(Forecast { place: args.place, words: sky.words, unit: args.unit.unwrap_or(Unit::Metric) })
}

#[args]
struct NoteArgs {
    /// Under which name.
    name: String,
    /// What to store; nothing removes the note.
    text: Option<String>,
}

/// Not what the model reads.
#[tool(name = "note", side_effect = "write")]
fn take_note(args: NoteArgs, cx: &Context) -> Result<Option<String>, Failure> {
    let before = cx.kv_get(&args.name);
    match args.text {
        Some(text) => cx.kv_set(&args.name, &text)?,
        None => cx.kv_remove(&args.name)?,
    }
    Ok(before)
}

/// What the host says about itself.
#[tool(side_effect = "read")]
fn circumstances(cx: &Context) -> Result<Value, Failure> {
    let scratch = cx.scratch()?;
    let roots: Vec<_> = cx.file_roots().iter().map(|root| json!({"path": root.path, "write": root.write})).collect();
    cx.partial("half");
    Ok(json!({
        "lang": cx.locale(), "now_ms": cx.now_ms(), "roots": roots, "scratch_exists": scratch.is_dir(),
        "secret": cx.secret("SKY_KEY").map_err(|failure| failure.code).ok(), "extra": cx.query("extra", ""),
    }))
}

#[args]
struct MisbehaveArgs {
    /// How.
    how: How,
}

#[args]
#[serde(rename_all = "snake_case")]
enum How {
    Panic,
    PanicLate,
    PanicOddly,
    PanicOnDrop,
    Never,
    Slowly,
    Twice,
    AskElsewhere,
    BlockingHttp,
}

struct PanicsOnDrop;

impl Drop for PanicsOnDrop {
    fn drop(&mut self) {
        panic!("in a drop");
    }
}

/// Fails in a chosen way.
#[tool(side_effect = "read")]
async fn misbehave(args: MisbehaveArgs, cx: &Context) -> Result<&'static str, Failure> {
    match args.how {
        How::Panic => panic!("at once"),
        How::PanicLate => {
            cx.http(HttpRequest::get("https://api.example.org/late")).await.ok();
            panic!("after an await")
        }
        How::PanicOddly => std::panic::panic_any(7_u8),
        How::PanicOnDrop => {
            let _guard = PanicsOnDrop;
            std::future::pending().await
        }
        How::Never => std::future::pending().await,
        How::Slowly => {
            std::thread::sleep(Duration::from_secs(3));
            Ok("late")
        }
        How::Twice => Ok("once"),
        How::AskElsewhere => cx.http(HttpRequest::get("https://elsewhere.example.com/")).await.map(|_| "allowed"),
        How::BlockingHttp => cx.http_blocking(HttpRequest::get("https://api.example.org/b")).map(|_| "answered"),
    }
}

#[args]
struct StallArgs {
    /// Whether to panic rather than wait.
    #[serde(default)]
    panic: bool,
}

/// Holds its thread until it is cancelled.
#[tool(side_effect = "read")]
fn stall(args: StallArgs, cx: &Context) -> Result<(), Failure> {
    assert!(!args.panic, "on a thread of the pool");
    cx.info("holding");
    while !cx.cancelled() {
        std::thread::sleep(Duration::from_millis(1));
    }
    cx.info("let go");
    cx.check_cancelled()
}
