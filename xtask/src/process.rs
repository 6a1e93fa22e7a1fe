//! Running other programs and saying what is run.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Why a command of xtask failed, with the exit code to end with.
#[derive(Debug)]
pub struct Failed {
    what: String,
    code: u8,
}

impl Failed {
    /// A failure with exit code 1.
    pub fn new(what: impl fmt::Display) -> Self {
        Failed { what: what.to_string(), code: 1 }
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        self.code
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl From<winclaw_package::PackageError> for Failed {
    fn from(error: winclaw_package::PackageError) -> Self {
        Failed::new(error)
    }
}

/// Says a line on standard error, where it does not mix with what a program prints.
#[expect(clippy::print_stderr, reason = "a command-line program speaks here")]
pub fn say(line: &str) {
    eprintln!("{line}");
}

/// Prints a result on standard output.
#[expect(clippy::print_stdout, reason = "a command-line program's result goes to standard output")]
pub fn print(line: &str) {
    println!("{line}");
}

/// The folder of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// The cargo that runs us.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Runs `command` to its end, after saying it.
pub fn run(command: &mut Command) -> Result<(), Failed> {
    let line = words(command);
    say(&format!("$ {line}"));
    let status = command.status().map_err(|error| Failed::new(format!("cannot run `{line}`: {error}")))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    if status.success() { Ok(()) } else { Err(Failed { what: format!("`{line}` failed ({status})"), code }) }
}

/// Whether `program` stands in a folder of PATH.
pub fn exists(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).any(|folder| folder.join(&name).is_file())
}

fn words(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once(program).chain(arguments).collect::<Vec<_>>().join(" ")
}
