use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long a run may take, unless it says otherwise. Generous: machines that build at the same time are slow.
const LIMIT: Duration = Duration::from_secs(60);

/// Variables that a program finds its way by; no other is handed on.
const HANDED_ON: [&str; 8] =
    ["PATH", "TMPDIR", "TEMP", "TMP", "SystemRoot", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LLVM_PROFILE_FILE"];

/// A program about to be run, with an empty standard input and its output kept in files.
#[derive(Debug)]
pub struct Run {
    command: Command,
    /// Where output is kept: this path with `.out` and `.err`.
    files: PathBuf,
    limit: Duration,
    clean: bool,
}

impl Run {
    pub(crate) fn new(program: &Path, files: &Path, folder: &Path) -> Run {
        let mut command = Command::new(program);
        command.env_clear().current_dir(folder).stdin(Stdio::null()).env("LANG", "C");
        for name in HANDED_ON {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.stdout(create(&files.with_extension("out"))).stderr(create(&files.with_extension("err")));
        Run { command, files: files.to_owned(), limit: LIMIT, clean: false }
    }

    pub(crate) fn expect_clean_output(mut self) -> Run {
        self.clean = true;
        self
    }

    /// The same with more arguments.
    pub fn args(mut self, arguments: &[&str]) -> Run {
        self.command.args(arguments);
        self
    }

    /// The same with a variable.
    pub fn env(mut self, name: &str, value: &str) -> Run {
        self.command.env(name, value);
        self
    }

    /// The same with `text` on standard input.
    ///
    /// # Panics
    /// As every function here: when the machine refuses a file or a process.
    pub fn stdin(mut self, text: &str) -> Run {
        let file = self.files.with_extension("in");
        fs::write(&file, text).expect("written");
        self.command.stdin(File::open(&file).expect("standard input"));
        self
    }

    /// The same with a standard output that nobody reads any more.
    pub fn closed_stdout(mut self) -> Run {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        self.command.stdout(writer);
        self
    }

    /// The same with another time limit.
    pub fn limit(mut self, limit: Duration) -> Run {
        self.limit = limit;
        self
    }

    /// Starts it with pipes to its standard input and output.
    #[cfg(target_os = "linux")]
    pub(crate) fn with_pipes(mut self) -> Child {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped());
        self.command.spawn().unwrap_or_else(|error| panic!("{:?}: {error}", self.command.get_program()))
    }

    /// Runs it to its end.
    pub fn run(self) -> Done {
        self.start().wait()
    }

    /// Starts it.
    pub fn start(mut self) -> Running {
        let line = words(&self.command);
        let child = self.command.spawn().unwrap_or_else(|error| panic!("{:?}: {error}", self.command.get_program()));
        let (begun, limit, clean) = (Instant::now(), self.limit, self.clean);
        Running { child, files: self.files, begun, limit, clean, line, peak_kib: 0 }
    }
}

/// The command as a person would write it, for messages.
fn words(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

fn create(path: &Path) -> File {
    File::create(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A program that runs. It is killed when this is dropped.
#[derive(Debug)]
pub struct Running {
    child: Child,
    files: PathBuf,
    begun: Instant,
    limit: Duration,
    clean: bool,
    line: String,
    peak_kib: u64,
}

impl Running {
    /// Waits until it printed `words`.
    ///
    /// # Panics
    /// When it ends before, or takes longer than its limit.
    pub fn wait_for(&mut self, words: &str) {
        loop {
            let ended = self.child.try_wait().expect("a child can be asked").is_some();
            let (stdout, stderr) = self.output();
            if stdout.contains(words) || stderr.contains(words) {
                return;
            }
            let why = if ended { "ended" } else { "took too long" };
            let wait_on = !ended && self.begun.elapsed() < self.limit;
            assert!(wait_on, "{} {why} without saying {words:?}\n{stdout}\n{stderr}", self.line);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Interrupts it as Ctrl-C does.
    #[cfg(unix)]
    pub fn interrupt(&self) {
        // The shell's own `kill`, which needs no package.
        let line = format!("kill -INT {}", self.child.id());
        let status = Command::new("sh").args(["-c", &line]).status().expect("a shell");
        assert!(status.success(), "{line}: {status}");
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// When it takes longer than its limit, or printed what it must not; the message holds what it printed.
    pub fn wait(mut self) -> Done {
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child can be asked") {
                break status;
            }
            if self.begun.elapsed() > self.limit {
                let (stdout, stderr) = self.output();
                panic!("{} did not end within {:?}\n{stdout}\n{stderr}", self.line, self.limit);
            }
            self.peak_kib = self.peak_kib.max(resident_peak(self.child.id()));
            std::thread::sleep(Duration::from_millis(3));
        };
        self.done(status)
    }

    fn done(&self, status: ExitStatus) -> Done {
        let (stdout, stderr) = self.output();
        let (took, line, peak_kib) = (self.begun.elapsed(), self.line.clone(), self.peak_kib);
        let done = Done { status, stdout, stderr, took, line, peak_kib };
        if self.clean {
            done.check_clean();
        }
        done
    }

    /// What it printed so far; `\u{fffd}` for what is not UTF-8.
    fn output(&self) -> (String, String) {
        let read = |extension: &str| {
            let bytes = fs::read(self.files.with_extension(extension)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        (read("out"), read("err"))
    }
}

/// The highest resident size of a process so far, in KiB.
fn resident_peak(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse().ok()).unwrap_or(0)
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A program that ended.
#[derive(Debug, Clone)]
pub struct Done {
    /// How it ended.
    pub status: ExitStatus,
    /// What it printed on standard output.
    pub stdout: String,
    /// What it printed on standard error.
    pub stderr: String,
    /// How long it took.
    pub took: Duration,
    /// The most memory the program itself held at once, without its children, in KiB, as last seen before its end; 0 where
    /// the system does not say.
    pub peak_kib: u64,
    line: String,
}

impl Done {
    /// Everything about it, for messages.
    pub fn told(&self) -> String {
        let Done { status, stdout, stderr, line, .. } = self;
        format!("{line}\n{status}\n-- stdout:\n{stdout}\n-- stderr:\n{stderr}")
    }

    /// The same, having ended with the exit code `code`.
    ///
    /// # Panics
    /// When it ended otherwise.
    #[track_caller]
    pub fn exits(self, code: i32) -> Done {
        assert_eq!(self.status.code(), Some(code), "{}", self.told());
        self
    }

    /// The same, having said each of `words` on standard error.
    ///
    /// # Panics
    /// When it did not.
    #[track_caller]
    pub fn complains(self, words: &[&str]) -> Done {
        for words in words {
            assert!(self.stderr.contains(words), "standard error lacks {words:?}\n{}", self.told());
        }
        self
    }

    /// The same, having said each of `words` on standard output.
    ///
    /// # Panics
    /// When it did not.
    #[track_caller]
    pub fn says(self, words: &[&str]) -> Done {
        for words in words {
            assert!(self.stdout.contains(words), "standard output lacks {words:?}\n{}", self.told());
        }
        self
    }

    /// Standard output as JSON.
    ///
    /// # Panics
    /// When it is none.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("no JSON ({error})\n{}", self.told()))
    }

    /// The one line of JSON on standard error.
    ///
    /// # Panics
    /// When there is another line, or none.
    #[track_caller]
    pub fn error_json(&self) -> Value {
        let mut lines = self.stderr.lines();
        let (first, rest) = (lines.next().unwrap_or_default(), lines.count());
        let json = serde_json::from_str(first).ok().filter(|_| rest == 0);
        json.unwrap_or_else(|| panic!("standard error is not one line of JSON\n{}", self.told()))
    }

    /// The file that a document or other result was left in: the only one in `folder` with `extension`.
    ///
    /// # Panics
    /// When there are several, or none.
    #[track_caller]
    pub fn left(&self, folder: &Path, extension: &str) -> PathBuf {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        let mut found: Vec<PathBuf> =
            entries.filter(|path| path.extension().is_some_and(|end| end == extension)).collect();
        assert_eq!(found.len(), 1, "one .{extension} in {}: {found:?}\n{}", folder.display(), self.told());
        found.remove(0)
    }

    fn check_clean(&self) {
        let hostile = |c: &char| (c.is_control() && !"\n\t".contains(*c)) || *c == '\u{fffd}';
        let found = self.stdout.chars().chain(self.stderr.chars()).find(hostile);
        assert_eq!(found, None, "a control character was printed\n{}", self.told());
        assert!(!self.stderr.contains("panicked at"), "it panicked\n{}", self.told());
    }
}
