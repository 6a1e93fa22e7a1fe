//! The progress bar of a long run, on the standard error of a person who watches.

use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::screen::Screen;

/// A run that takes less than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(700);

/// How far a run is. Clones are of the same run.
#[derive(Clone)]
pub struct Progress {
    bar: ProgressBar,
    begun: Instant,
    shown: Arc<AtomicBool>,
    wanted: bool,
}

impl Progress {
    /// For `total` requests. Nothing is drawn unless standard error is a terminal; where the report goes does not matter.
    pub fn new(screen: Screen, total: usize) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden());
        let words = screen.word("requests", "个请求");
        let template = format!("  [{{bar:32}}] {{pos}}/{{len}} {words}  {{eta}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style.progress_chars("=> "));
        }
        Progress { bar, begun: Instant::now(), shown: Arc::default(), wanted: stderr().is_terminal() }
    }

    /// Says how many are done.
    pub fn at(&self, done: usize) {
        if done == 1 {
            // What was built before is no measure of what is left.
            self.bar.reset_elapsed();
            self.bar.reset_eta();
        }
        if self.wanted && self.begun.elapsed() > PATIENCE && !self.shown.swap(true, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(done as u64);
    }

    /// Takes the bar off the screen.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
