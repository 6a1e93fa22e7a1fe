//! Ctrl-C while a task runs.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use winclaw_agent::Interrupt;

/// How soon after another Ctrl-C one ends the task, whatever runs by then.
const TWICE: Duration = Duration::from_secs(2);

/// What a Ctrl-C did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stopped {
    /// Nothing runs.
    Nothing,
    /// What runs this moment: a call, a question, a reply of the model.
    One,
    /// The task.
    Task,
}

/// The interrupt of the task that runs, and when it was used.
#[derive(Debug, Default)]
pub(super) struct Stops(Mutex<Option<(Interrupt, Option<Instant>)>>);

impl Stops {
    /// A task begins.
    pub(super) fn begin(&self) -> Interrupt {
        let interrupt = Interrupt::new();
        *self.current() = Some((interrupt.clone(), None));
        interrupt
    }

    /// The task ended.
    pub(super) fn end(&self) {
        *self.current() = None;
    }

    /// The person pressed Ctrl-C: once stops what runs, twice ends the task.
    pub(super) fn press(&self) -> Stopped {
        self.press_at(Instant::now())
    }

    fn press_at(&self, now: Instant) -> Stopped {
        let mut current = self.current();
        let Some((interrupt, last)) = current.as_mut() else { return Stopped::Nothing };
        let twice = last.replace(now).is_some_and(|last| now.duration_since(last) < TWICE);
        if !twice && interrupt.cancel_call() {
            return Stopped::One;
        }
        interrupt.cancel_task();
        Stopped::Task
    }

    fn current(&self) -> std::sync::MutexGuard<'_, Option<(Interrupt, Option<Instant>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_nothing_to_stop_alone_a_press_ends_the_task() {
        let stops = Stops::default();
        assert_eq!(stops.press(), Stopped::Nothing);
        let interrupt = stops.begin();
        assert_eq!(stops.press(), Stopped::Task);
        assert!(interrupt.is_cancelled());
        assert!(!stops.begin().is_cancelled(), "the next task runs");
        stops.end();
        assert_eq!(stops.press(), Stopped::Nothing);
    }
}
