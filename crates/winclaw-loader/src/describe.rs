use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::child::{environment, words};
use crate::frame::read;

/// How long a library may take to load and report its manifest.
const LIMIT: Duration = Duration::from_secs(30);

/// What the child answers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Described {
    Manifest(String),
    Error(String),
}

/// Why a library did not say what it is.
#[derive(Debug, thiserror::Error)]
pub enum DescribeError {
    /// The child could not be started.
    #[error("{program} cannot be started: {error}")]
    Start {
        /// The host program.
        program: String,
        /// What the system said.
        error: io::Error,
    },
    /// The library is not a plugin, or not one of this host's boundary.
    #[error("{0}")]
    Refused(String),
    /// The process that loaded the library did not answer.
    #[error("the process that loaded the library {0} before it answered")]
    Ended(String),
    /// It took too long.
    #[error("the library did not report its manifest within {} s", LIMIT.as_secs())]
    Late,
}

/// Asks a built library for its manifest: the JSON of `plugin.json` without `targets`.
///
/// The library is loaded, unverified, in a child: `host_program tool-host --manifest library`. It is meant for whoever
/// has just built it. Blocks for at most 30 s.
pub fn describe(host_program: &Path, library: &Path) -> Result<String, DescribeError> {
    let mut command = Command::new(host_program);
    command.args(["tool-host", "--manifest"]).arg(library).env_clear().envs(environment());
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let start = |error| DescribeError::Start { program: host_program.display().to_string(), error };
    let mut child = command.spawn().map_err(start)?;
    let mut stdout = child.stdout.take();
    let reader = thread::spawn(move || stdout.as_mut().and_then(|stdout| read::<Described>(stdout).ok().flatten()));
    let ended = wait(&mut child)?;
    match reader.join().ok().flatten() {
        Some(Described::Manifest(manifest)) => Ok(manifest),
        Some(Described::Error(why)) => Err(DescribeError::Refused(why)),
        None => Err(DescribeError::Ended(ended)),
    }
}

/// Waits for the end of the child, and says how it ended; kills it at the limit.
fn wait(child: &mut Child) -> Result<String, DescribeError> {
    let end = Instant::now() + LIMIT;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(words(status)),
            Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(2)),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(DescribeError::Late);
            }
            Err(error) => return Ok(format!("is lost ({error})")),
        }
    }
}
