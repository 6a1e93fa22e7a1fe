//! Keys that are pressed while no editor reads must not show up in the output, and must mean what they mean at the prompt.

#[cfg(unix)]
use rustix::termios::{InputModes, LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// While this lives the terminal shows nothing of what is typed outside of the editor and changes none of it: it is there
/// for the next line, Ctrl-C and Ctrl-D included. Does nothing where the system has no such thing.
pub(super) struct Quiet {
    #[cfg(unix)]
    before: Option<Termios>,
}

#[cfg(unix)]
impl Quiet {
    pub(super) fn begin() -> Quiet {
        let before = tcgetattr(std::io::stdin()).ok();
        let quiet = Quiet { before };
        quiet.change(|now| {
            now.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
            // Otherwise Enter would come as the key that begins a new line.
            now.input_modes.remove(InputModes::ICRNL);
        });
        quiet
    }

    /// Whether Ctrl-C interrupts, as it must while a task runs, or is a key like the others.
    pub(super) fn interrupts(&self, wanted: bool) {
        self.change(|now| now.local_modes.set(LocalModes::ISIG, wanted));
    }

    fn change(&self, how: impl FnOnce(&mut Termios)) {
        if let Some(mut now) = self.before.as_ref().and_then(|_| tcgetattr(std::io::stdin()).ok()) {
            how(&mut now);
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &now);
        }
    }
}

#[cfg(unix)]
impl Drop for Quiet {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, before);
        }
    }
}

#[cfg(not(unix))]
impl Quiet {
    pub(super) fn begin() -> Quiet {
        Quiet {}
    }

    pub(super) fn interrupts(&self, _: bool) {}
}
