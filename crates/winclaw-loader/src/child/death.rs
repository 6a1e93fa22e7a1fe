use std::process::ExitStatus;

use winclaw_tool::{Failure, FailureCode, ToolId};

/// How a child ended.
#[derive(Debug, Clone)]
pub(crate) enum Death {
    /// By itself: `how` in words, and the last lines it wrote.
    Crashed { how: String, last_lines: Vec<String> },
    /// The host ended it, and why.
    Stopped(String),
    /// It did not load its plugin.
    Refused(Failure),
}

impl Death {
    /// What a call of `tool` that was in flight is told.
    pub(crate) fn failure(&self, tool: &ToolId) -> Failure {
        match self {
            Death::Crashed { how, last_lines } => crashed(tool, how, last_lines),
            Death::Stopped(why) => {
                let message = format!(
                    "`{tool}` was lost: the process of its plugin was stopped because {why}. It starts again with the next call"
                );
                Failure::new(FailureCode::Crashed, message)
            }
            Death::Refused(failure) => failure.clone(),
        }
    }
}

fn crashed(tool: &ToolId, how: &str, last_lines: &[String]) -> Failure {
    let plugin = tool.source();
    let wrote = if last_lines.is_empty() {
        String::new()
    } else {
        format!(" The last lines it wrote: {}", last_lines.join(" | "))
    };
    let message =
        format!("`{tool}` was lost: the process of its plugin {how}. It starts again with the next call.{wrote}");
    Failure::new(FailureCode::Crashed, message).with_hint(
        format!(
            "Plugin `{plugin}` crashed and only this call was lost. If it happens again, report it to its publisher."
        ),
        format!("插件“{plugin}”崩溃，仅影响本次调用。如果再次发生，请告知其发布者。"),
    )
}

/// How a process ended, in words that follow its name.
pub(crate) fn words(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return signal_words(signal);
    }
    match status.code() {
        Some(code) if (0xc000_0000..=0xcfff_ffff).contains(&code.cast_unsigned()) => {
            exception_words(code.cast_unsigned())
        }
        Some(code) => format!("ended itself with exit code {code}"),
        None => "ended in an unknown way".to_owned(),
    }
}

#[cfg(unix)]
fn signal_words(signal: i32) -> String {
    let name = match signal {
        libc::SIGABRT => return format!("aborted itself (signal {signal})"),
        libc::SIGILL => "illegal instruction",
        libc::SIGTRAP => "trap",
        libc::SIGBUS => "bus error",
        libc::SIGFPE => "arithmetic error",
        libc::SIGKILL => "kill; the system does this when memory runs out",
        libc::SIGSEGV => "segfault; endless recursion ends so too",
        libc::SIGPIPE => "broken pipe",
        libc::SIGTERM => "terminate",
        libc::SIGXCPU => "processor time limit",
        libc::SIGSYS => "forbidden system call",
        _ => "no common name",
    };
    format!("was killed by signal {signal} ({name})")
}

/// The exceptions Windows reports as exit codes.
fn exception_words(code: u32) -> String {
    let name = match code {
        0xc000_0005 => "access violation",
        0xc000_001d => "illegal instruction",
        0xc000_0094 => "division by zero",
        0xc000_00fd => "stack overflow",
        0xc000_0409 => "aborted itself",
        _ => "no common name",
    };
    format!("was ended by exception {code:#010x} ({name})")
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    #[test]
    fn every_end_has_its_own_words() {
        let said = |raw: i32| words(ExitStatus::from_raw(raw));
        assert_eq!(said(11), "was killed by signal 11 (segfault; endless recursion ends so too)");
        assert_eq!(said(6), "aborted itself (signal 6)");
        assert_eq!(said(0), "ended itself with exit code 0");
        assert_eq!(said(3 << 8), "ended itself with exit code 3");
        assert_eq!(exception_words(0xc000_0005), "was ended by exception 0xc0000005 (access violation)");
    }

    #[test]
    fn a_crash_is_retryable_and_carries_what_the_plugin_wrote_last() {
        let tool = ToolId::parse("sky.forecast").expect("an id");
        let death = Death::Crashed { how: words(ExitStatus::from_raw(11)), last_lines: vec!["oh no".into()] };
        let failure = death.failure(&tool);
        assert_eq!((failure.code, failure.retryable), (FailureCode::Crashed, true));
        assert!(failure.message.contains("segfault") && failure.message.ends_with("oh no"), "{failure}");
    }
}
