//! Secrets that are known by their value, which nothing that is printed or kept may hold: keys of the environment, and
//! those that were looked up.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;
use std::sync::RwLock;

use winclaw_trace::{Secrets, is_secret_name, redact_text};

use crate::screen::harmless;

/// What is known, and the pattern of it.
static KNOWN: RwLock<Option<Known>> = RwLock::new(None);

struct Known {
    values: Vec<String>,
    secrets: Secrets,
}

/// Learns every variable whose name says that it holds a secret, and lets a fault of the program be told without it.
pub fn learn_environment() {
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    learn(variables.filter(|(name, value)| holds_secret(name, value)).map(|(_, value)| value));
    std::panic::set_hook(Box::new(|fault| {
        // Nothing can be done where standard error is gone.
        let _ = writeln!(stderr(), "{fault}");
    }));
}

/// Whether a variable holds a secret: its name says so, and its value is no file or folder. `PWD` is the current folder,
/// and variables such as `AWS_WEB_IDENTITY_TOKEN` may name a file.
fn holds_secret(name: &str, value: &str) -> bool {
    is_secret_name(name) && name != "PWD" && !Path::new(value).exists()
}

/// Learns more values.
pub fn learn(values: impl IntoIterator<Item = String>) {
    let Ok(mut known) = KNOWN.write() else { return };
    let mut all = known.take().map(|known| known.values).unwrap_or_default();
    all.extend(values);
    all.sort();
    all.dedup();
    *known = Some(Known { secrets: Secrets::of(&all), values: all });
}

/// Everything that is known.
pub fn secrets() -> Secrets {
    let known = KNOWN.read().ok();
    known.and_then(|known| known.as_ref().map(|known| known.secrets.clone())).unwrap_or_default()
}

/// `text` without known values.
pub fn hide(text: &str) -> Cow<'_, str> {
    let known = KNOWN.read().ok();
    match known.as_ref().and_then(|known| known.as_ref()) {
        Some(known) => known.secrets.hide(text),
        None => Cow::Borrowed(text),
    }
}

/// `text` from outside, such as a vendor's error, without known values and what looks like a secret.
pub fn clean(text: &str) -> String {
    redact_text(&hide(text)).into_owned()
}

/// Standard error for what the program says of itself: without secrets and control characters.
pub fn stderr() -> impl Write {
    Clean(io::stderr())
}

struct Clean<W>(W);

impl<W: Write> Write for Clean<W> {
    /// Takes everything at once, as lines come.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        self.0.write_all(clean(&harmless(&text)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_current_folder_is_no_secret() {
        assert!(!holds_secret("PWD", "/no/such/folder/any/more"));
        assert!(!holds_secret("SKY_TOKEN", env!("CARGO_MANIFEST_DIR")));
        assert!(!holds_secret("HOME", "a value"));
        assert!(holds_secret("SKY_TOKEN", "a value") && holds_secret("DB_PASSWORD", "a value"));
    }

    #[test]
    fn what_was_learnt_is_hidden_from_then_on() {
        let secret = "a plain word 7 that nobody else says";
        assert_eq!(hide(secret), secret);
        learn([secret.to_owned()]);
        assert_eq!(hide(&format!("it is {secret}.")), "it is [redacted].");
        assert_eq!(secrets().hide(secret), "[redacted]");
        let mut out = Clean(Vec::new());
        write!(out, "{}", format_args!("x\u{1b}[2J {secret} password={}", "horse-7")).expect("written");
        assert!(!String::from_utf8_lossy(&out.0).contains("nobody"), "{:?}", out.0);
    }
}
