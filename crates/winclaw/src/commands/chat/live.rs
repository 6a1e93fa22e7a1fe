//! The one line that shows what runs now.

use std::time::Duration;

use unicode_width::UnicodeWidthChar as _;

use crate::screen::{harmless, width};

/// How often the line is drawn anew.
pub(super) const BEAT: Duration = Duration::from_millis(120);

const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// What runs now, oldest first.
#[derive(Debug, Default)]
pub(super) struct Live {
    running: Vec<Running>,
}

#[derive(Debug)]
struct Running {
    id: String,
    head: String,
    since: Duration,
    fraction: Option<f64>,
    message: String,
}

impl Live {
    /// Something begins; `head` says what, `now` is the time since the program began. What runs already under this id is
    /// called so from now on.
    pub(super) fn begin(&mut self, id: &str, head: &str, now: Duration) {
        let head = line(head);
        if let Some(running) = self.running.iter_mut().find(|running| running.id == id) {
            running.head = head;
            return;
        }
        self.running.push(Running { id: id.to_owned(), head, since: now, fraction: None, message: String::new() });
    }

    /// How far it is; what is not known is left out.
    pub(super) fn progress(&mut self, id: &str, fraction: Option<f64>, message: &str) {
        for running in self.running.iter_mut().filter(|running| running.id == id) {
            running.fraction = fraction.filter(|part| part.is_finite()).map(|part| part.clamp(0.0, 1.0));
            running.message = line(message);
        }
    }

    /// It ended.
    pub(super) fn end(&mut self, id: &str) {
        self.running.retain(|running| running.id != id);
    }

    /// Nothing runs any more.
    pub(super) fn clear(&mut self) {
        self.running.clear();
    }

    /// The line at `now`, at most `columns` wide; `None` when nothing runs.
    pub(super) fn line(&self, now: Duration, columns: usize) -> Option<String> {
        let running = self.running.last()?;
        let ran = now.saturating_sub(running.since);
        let beat = usize::try_from(now.as_millis() / BEAT.as_millis()).unwrap_or(0);
        let time = clock(ran);
        let more = match self.running.len() - 1 {
            0 => String::new(),
            count => format!(" +{count}"),
        };
        let percent = running.fraction.map(|part| format!("{:.0} %", part * 100.0));
        let about = [percent.as_deref().unwrap_or_default(), &running.message];
        let about: Vec<&str> = about.into_iter().filter(|part| !part.is_empty()).collect();
        let about = if about.is_empty() { String::new() } else { format!(" · {}", about.join(" ")) };
        // The time always fits; what is cut is the rest.
        let room = columns.saturating_sub(width(&time) + width(&more) + 5);
        let middle = cut(&format!("{}{about}", running.head), room);
        let whole = format!("{} {middle} · {time}{more}", SPINNER[beat % SPINNER.len()]);
        Some(cut(&whole, columns))
    }
}

/// How long, in few characters: `0 s`, `59 s`, `1:05`, `1:00:00`.
pub(super) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes}:{seconds:02}"),
        (hours, minutes, seconds) => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// `text` on one line, without what could spoil a terminal.
fn line(text: &str) -> String {
    harmless(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The front of `text` that fits `columns`, with `…` where something was left out.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut taken = 0;
    let fits = |c: &char| {
        taken += c.width().unwrap_or(0);
        taken < columns
    };
    let mut front: String = text.chars().take_while(fits).collect();
    if columns > 0 {
        front.push('…');
    }
    front
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_line_says_what_runs_how_far_it_is_and_for_how_long() {
        let mut live = Live::default();
        assert_eq!(live.line(SECOND, 80), None);
        live.begin("a", "🌤 Forecast  北京", SECOND);
        assert_eq!(live.line(SECOND * 4, 80).as_deref(), Some("⠸ 🌤 Forecast 北京 · 3 s"));
        live.progress("a", Some(0.5), "step 2\u{1b}[2J\nof 4");
        assert_eq!(live.line(SECOND * 66, 80).as_deref(), Some("⠋ 🌤 Forecast 北京 · 50 % step 2[2J of 4 · 1:05"));
        live.progress("a", Some(f64::NAN), "");
        live.begin("b", "Notes", SECOND);
        assert_eq!(live.line(SECOND, 80).as_deref(), Some("⠇ Notes · 0 s +1"));
        live.end("b");
        live.end("a");
        assert_eq!(live.line(SECOND, 80), None);
    }

    #[test]
    fn times_are_short() {
        for (seconds, words) in [(0, "0 s"), (59, "59 s"), (60, "1:00"), (3599, "59:59"), (3661, "1:01:01")] {
            assert_eq!(clock(Duration::from_secs(seconds)), words);
        }
    }

    proptest! {
        #[test]
        fn the_line_is_one_line_and_fits(head in "\\PC{0,40}|[北京🔥\n\u{1b}]{0,40}", message in "\\PC{0,40}", columns in 0_usize..80) {
            let mut live = Live::default();
            live.begin("a", &head, Duration::ZERO);
            live.progress("a", Some(0.3), &message);
            let line = live.line(Duration::from_secs(100_000), columns).expect("a line");
            prop_assert!(width(&line) <= columns, "{:?}", line);
            prop_assert!(!line.chars().any(char::is_control), "{:?}", line);
        }
    }
}
