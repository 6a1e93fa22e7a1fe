//! Keys that are pressed while a task runs must not show up in its output, and must mean what they mean at the prompt.

/// While this lives the terminal shows nothing of what is typed outside of the editor and changes none of it; Ctrl-C still
/// interrupts, and what was typed is there for the next line. Does nothing where the system has no such thing.
pub(super) struct Quiet {
    #[cfg(unix)]
    before: Option<rustix::termios::Termios>,
}

impl Quiet {
    #[cfg(unix)]
    pub(super) fn begin() -> Quiet {
        use rustix::termios::{InputModes, LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let terminal = std::io::stdin();
        let before = tcgetattr(&terminal).ok();
        if let Some(mut now) = before.clone() {
            now.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON);
            // Otherwise Enter would come as the key that begins a new line.
            now.input_modes.remove(InputModes::ICRNL);
            let _ = tcsetattr(&terminal, OptionalActions::Now, &now);
        }
        Quiet { before }
    }

    #[cfg(not(unix))]
    pub(super) fn begin() -> Quiet {
        Quiet {}
    }
}

#[cfg(unix)]
impl Drop for Quiet {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        if let Some(before) = &self.before {
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, before);
        }
    }
}
