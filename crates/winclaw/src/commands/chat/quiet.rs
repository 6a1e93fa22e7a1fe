//! Keys that are pressed while a task runs must not show up in its output.

/// While this lives the terminal does not show what is typed; Ctrl-C still interrupts, and what was typed is there for the
/// next line. Does nothing where the system has no such thing.
pub(super) struct Quiet {
    #[cfg(unix)]
    before: Option<rustix::termios::Termios>,
}

impl Quiet {
    #[cfg(unix)]
    pub(super) fn begin() -> Quiet {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let terminal = std::io::stdin();
        let before = tcgetattr(&terminal).ok();
        if let Some(mut now) = before.clone() {
            now.local_modes.remove(LocalModes::ECHO);
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
