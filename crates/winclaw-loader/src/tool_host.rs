//! The program inside a child process: `winclaw tool-host`.

mod channel;
mod hub;
mod serve;

use std::io::Write as _;
use std::path::PathBuf;

use channel::Channel;

/// What the child is asked to be.
enum Task {
    /// `--plugin-dir DIR --parent PID`: serve the plugin that the first frame names. The folder only tells a person who
    /// looks at the list of processes which plugin it is.
    Serve { parent: u32 },
    /// `--manifest LIB`: write the manifest the library reports, and end.
    Manifest(PathBuf),
}

/// The hidden subcommand `tool-host`; `args` are what follows it. Returns the exit code, if it returns.
///
/// Must be called from the main thread before anything else was started or printed: it takes stdin and stdout for its
/// channel to the host, and gives the plugin an empty stdin and stderr as stdout.
pub fn tool_host_main(args: &[String]) -> i32 {
    let Some(task) = parse(args) else {
        // Nobody is left to tell when stderr is closed.
        let _ = writeln!(std::io::stderr(), "tool-host is started by winclaw itself; it takes --manifest LIBRARY");
        return 2;
    };
    if let Task::Serve { parent } = task {
        channel::die_with(parent);
    }
    let channel = match Channel::take() {
        Ok(channel) => channel,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "tool-host has no channel to its host: {error}");
            return 2;
        }
    };
    match task {
        Task::Serve { .. } => serve::serve(channel),
        Task::Manifest(library) => serve::manifest(channel, &library),
    }
}

fn parse(args: &[String]) -> Option<Task> {
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--manifest", library] => Some(Task::Manifest(PathBuf::from(library))),
        ["--parent", parent, "--plugin-dir", _] => Some(Task::Serve { parent: parent.parse().ok()? }),
        _ => None,
    }
}
