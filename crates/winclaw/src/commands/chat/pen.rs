//! The one hand that writes on the terminal while a task runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

use super::live::{BEAT, Live};
use super::markdown::Markdown;
use crate::screen::{Screen, harmless};

/// Most columns that running text takes: longer lines are hard to read.
const WIDEST: usize = 100;

/// Writes the words of answers, lines about what happens, and the line of what runs, without one spoiling another.
///
/// The line of what runs stands only where nothing else stands on the line, and is taken away before anything is written.
pub(super) struct Pen {
    screen: Screen,
    begun: Instant,
    /// Whether there is a terminal that the live line can be drawn on.
    draws: bool,
    ink: Mutex<Ink>,
}

#[derive(Default)]
struct Ink {
    /// The answer under way, where it is shown as Markdown.
    answer: Option<Markdown>,
    /// Whether something stands on the line.
    open: bool,
    live: Live,
    drawn: bool,
    /// Whether somebody else has the terminal.
    held: bool,
}

/// While this lives somebody else has the terminal, and nothing is drawn.
pub(super) struct Hold<'p>(&'p Pen);

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.0.ink().held = false;
    }
}

impl Pen {
    /// A pen for `screen`; with `draws` it may draw the live line.
    pub(super) fn new(screen: Screen, draws: bool) -> Arc<Pen> {
        Arc::new(Pen { screen, begun: Instant::now(), draws, ink: Mutex::default() })
    }

    /// Keeps the live line alive until the pen is dropped. Must be called within the runtime.
    pub(super) fn keep_time(self: &Arc<Pen>) {
        let pen = Arc::downgrade(self);
        if self.draws {
            tokio::spawn(beat(pen));
        }
    }

    /// A piece of an answer.
    pub(super) fn words(&self, text: &str) {
        let mut ink = self.ink();
        let shown = match self.screen.colours() {
            true => ink.answer.get_or_insert_with(|| Markdown::new(columns().min(WIDEST))).push(text),
            false => harmless(text),
        };
        self.write_words(&mut ink, &shown);
    }

    /// The answer, or this part of it, ends.
    pub(super) fn end_words(&self) {
        let mut ink = self.ink();
        self.end(&mut ink);
    }

    /// Lines about what happens, already harmless and coloured.
    pub(super) fn note(&self, lines: &str) {
        let mut ink = self.ink();
        self.end(&mut ink);
        self.wipe(&mut ink);
        self.screen.note(lines);
    }

    /// Something begins that the live line shows; `head` says what.
    pub(super) fn begin(&self, id: &str, head: &str) {
        let now = self.begun.elapsed();
        self.ink().live.begin(id, head, now);
    }

    /// How far it is.
    pub(super) fn progress(&self, id: &str, fraction: Option<f64>, message: &str) {
        self.ink().live.progress(id, fraction, message);
    }

    /// It ended; its line is gone.
    pub(super) fn stop(&self, id: &str) {
        let mut ink = self.ink();
        ink.live.end(id);
        self.wipe(&mut ink);
    }

    /// Ends everything, so that somebody else may write.
    pub(super) fn rest(&self) {
        let mut ink = self.ink();
        ink.live.clear();
        self.end(&mut ink);
        self.wipe(&mut ink);
    }

    /// Ends the line, so that something else may be written.
    pub(super) fn make_room(&self) {
        let mut ink = self.ink();
        self.end(&mut ink);
        self.wipe(&mut ink);
    }

    /// Gives the terminal to somebody else for a while.
    pub(super) fn hold(&self) -> Hold<'_> {
        self.make_room();
        self.ink().held = true;
        Hold(self)
    }

    fn ink(&self) -> MutexGuard<'_, Ink> {
        self.ink.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_words(&self, ink: &mut Ink, shown: &str) {
        if shown.is_empty() {
            return;
        }
        self.wipe(ink);
        self.screen.part(shown);
        ink.open = !shown.ends_with('\n');
    }

    fn end(&self, ink: &mut Ink) {
        if let Some(mut answer) = ink.answer.take() {
            let rest = answer.finish();
            self.write_words(ink, &rest);
        }
        if std::mem::take(&mut ink.open) {
            self.wipe(ink);
            self.screen.line("");
        }
    }

    fn wipe(&self, ink: &mut Ink) {
        if std::mem::take(&mut ink.drawn) {
            self.screen.draw("");
        }
    }

    fn draw(&self) {
        let mut ink = self.ink();
        if ink.open || ink.held {
            return;
        }
        // The last column stays free: a terminal that stands behind it may begin a new line.
        match ink.live.line(self.begun.elapsed(), columns().saturating_sub(1)) {
            Some(line) => {
                self.screen.draw(&line);
                ink.drawn = true;
            }
            None => self.wipe(&mut ink),
        }
    }
}

async fn beat(pen: Weak<Pen>) {
    let mut beat = tokio::time::interval(BEAT);
    loop {
        beat.tick().await;
        match pen.upgrade() {
            Some(pen) => pen.draw(),
            None => return,
        }
    }
}

/// The columns of the terminal; 80 where nobody says.
pub(super) fn columns() -> usize {
    terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(width, _)| usize::from(width.0).max(8))
}
