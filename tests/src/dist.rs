use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The folder of the product under test: `winclaw` and `plugins/` beside it.
///
/// `WINCLAW_DIST` names it, as under `cargo xtask test`; otherwise `cargo xtask dist` builds it, once for all tests of a
/// nextest run, and once for each test binary under other runners.
///
/// # Panics
/// When it cannot be built; what cargo said is in the message.
pub fn dist() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| named().map_or_else(built_once, PathBuf::from))
}

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests stand in the repository")
}

/// The folder that the environment names; an empty name is none.
fn named() -> Option<std::ffi::OsString> {
    std::env::var_os("WINCLAW_DIST").filter(|folder| !folder.is_empty())
}

fn built_once() -> PathBuf {
    let place = profile_folder().join("winclaw-tests");
    fs::create_dir_all(&place).expect("a folder beside the tests");
    let lock = File::create(place.join("lock")).expect("a lock file");
    // Tests of one run stand in many processes; the first builds while the others wait. The lock goes with the file.
    lock.lock().expect("the lock");
    let stamp = place.join("built");
    let run = std::env::var("NEXTEST_RUN_ID").ok();
    if let Some(folder) = run.as_ref().and_then(|run| built_by(&stamp, run)) {
        return folder;
    }
    let folder = build();
    if let Some(run) = run {
        fs::write(&stamp, format!("{run}\n{}", folder.display())).expect("the stamp is written");
    }
    folder
}

fn built_by(stamp: &Path, run: &str) -> Option<PathBuf> {
    let text = fs::read_to_string(stamp).ok()?;
    let (by, folder) = text.split_once('\n')?;
    (by == run).then(|| PathBuf::from(folder))
}

/// Cargo's folder of the profile, above `deps`, where the test binaries stand.
fn profile_folder() -> PathBuf {
    let test = std::env::current_exe().expect("the path of the test");
    test.ancestors().nth(2).expect("a test stands in a folder of the target folder").to_owned()
}

fn build() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo).args(["xtask", "dist"]).current_dir(root()).output().expect("cargo runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "`cargo xtask dist` failed:\n{said}");
    let folder = String::from_utf8(output.stdout).expect("a path in UTF-8");
    PathBuf::from(folder.trim())
}
