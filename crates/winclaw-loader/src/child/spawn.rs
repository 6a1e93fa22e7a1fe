use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::OnceLock;
use std::sync::mpsc::{self, Sender};
use std::thread;

use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// The environment variables a child may see; `LC_` stands for all that begin so.
///
/// What a person exports for their own programs (keys, tokens, preloaded libraries) is not among them.
const ENVIRONMENT: [&str; 31] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    "LC_",
    "TZ",
    "TZDIR",
    "TMPDIR",
    "TEMP",
    "TMP",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_CURRENT_DESKTOP",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "USERPROFILE",
    "USERNAME",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "RUST_BACKTRACE",
];

/// Whether a child may see the variable `name`. Windows does not tell upper from lower case.
fn allowed(name: &str) -> bool {
    let upper = if cfg!(windows) { name.to_ascii_uppercase() } else { name.to_owned() };
    ENVIRONMENT.iter().any(|known| *known == upper || (known.ends_with('_') && upper.starts_with(known)))
}

/// The allowed part of this process's environment, plus what makes child output UTF-8.
pub(crate) fn environment() -> impl Iterator<Item = (String, String)> {
    let own =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    own.filter(|(name, _)| allowed(name)).chain([("PYTHONUTF8".to_owned(), "1".to_owned())])
}

/// The command that starts a child for the plugin in `folder`.
pub(crate) fn command(host_program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(host_program);
    command.args(["tool-host", "--parent", &std::process::id().to_string(), "--plugin-dir"]).arg(folder);
    command.env_clear().envs(environment());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    // Its own group: an interrupt typed at the terminal reaches the host only, and killing it takes what it started.
    #[cfg(unix)]
    command.process_group(0);
    // No console window flashes up beside a program without one.
    #[cfg(windows)]
    command.creation_flags(windows_sys::Win32::System::Threading::CREATE_NO_WINDOW);
    command
}

struct Job {
    command: Command,
    runtime: Handle,
    reply: oneshot::Sender<io::Result<Child>>,
}

/// Starts `command`. Must be awaited inside a Tokio runtime, to which the child then belongs.
///
/// All children are started by one thread that lives as long as the process: on Linux a child asks to be killed when
/// its parent dies, and "parent" there means the thread that started it.
pub(crate) async fn spawn(command: Command) -> io::Result<Child> {
    static STARTER: OnceLock<Result<Sender<Job>, String>> = OnceLock::new();
    let starter = STARTER.get_or_init(|| starter().map_err(|error| error.to_string()));
    let starter = starter.as_ref().map_err(|error| io::Error::other(error.clone()))?;
    let (reply, started) = oneshot::channel();
    let gone = || io::Error::other("the thread that starts children is gone");
    starter.send(Job { command, runtime: Handle::current(), reply }).map_err(|_| gone())?;
    started.await.map_err(|_| gone())?
}

fn starter() -> io::Result<Sender<Job>> {
    let (sender, jobs) = mpsc::channel::<Job>();
    let work = move || {
        for mut job in jobs {
            let _inside = job.runtime.enter();
            // When nobody waits any more, the child is dropped, which kills it.
            drop(job.reply.send(job.command.spawn()));
        }
    };
    thread::Builder::new().name("winclaw-starter".into()).spawn(work)?;
    Ok(sender)
}

/// Kills the whole process group of a child that may still run.
#[cfg(unix)]
pub(crate) fn kill_group(child: &mut Child) {
    if let Some(group) = child.id().and_then(|id| i32::try_from(id).ok()) {
        // SAFETY: a plain system call; the id is that of a child that was not waited for, so it is not used anew.
        unsafe { libc::killpg(group, libc::SIGKILL) };
    }
    // The group may be gone, or not be made yet.
    let _ = child.start_kill();
}

/// Kills a child that may still run.
#[cfg(not(unix))]
pub(crate) fn kill_group(child: &mut Child) {
    let _ = child.start_kill();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_preloads_of_the_person_are_not_handed_on() {
        for name in ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR"] {
            assert!(allowed(name), "{name}");
        }
        for name in ["OPENAI_API_KEY", "LD_PRELOAD", "LD_LIBRARY_PATH", "HTTP_PROXY", "LC", "PATHX", ""] {
            assert!(!allowed(name), "{name}");
        }
    }
}
