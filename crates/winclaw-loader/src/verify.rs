use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use winclaw_tool::{Failure, FailureCode};

use crate::bounds;

/// Most bytes of a library.
const MAX_LIBRARY: u64 = 1024 * 1024 * 1024;

/// Checks the bytes of `library` and gives the path of the copy that may be loaded.
///
/// The order is that of the design: hash of the very bytes, signature, bounds and machine, private copy. Nothing of the
/// library has run when this returns, and what was checked is what lies at the returned path: the cache is written by
/// this function only and closed to other users.
pub(crate) fn verify(library: &Path, sha256: &str, cache: &Path) -> Result<PathBuf, Failure> {
    let unreadable = |error: io::Error| refused(&format!("its library {} cannot be read: {error}", library.display()));
    if fs::metadata(library).map_err(unreadable)?.len() > MAX_LIBRARY {
        return Err(refused(&format!("its library is larger than {MAX_LIBRARY} bytes")));
    }
    let bytes = fs::read(library).map_err(unreadable)?;
    same_hash(&bytes, sha256)?;
    // Signing: the signature over these same bytes and the manifest is checked here, once packages carry one.
    bounds::check(bytes.as_slice(), bytes.len() as u64)
        .map_err(|fault| refused(&format!("its library {}", fault.text().en)))?;
    keep(&bytes, sha256, library, cache).map_err(|error| not_copied(cache, &error))
}

/// The copy could not be made. Where that says something of the disk and nothing of the plugin, it may be tried again.
fn not_copied(cache: &Path, error: &io::Error) -> Failure {
    use io::ErrorKind::{FileTooLarge, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    let folder = cache.display();
    let why = format!("its library cannot be copied to the cache {folder}: {error}");
    let unavailable = || Failure::unavailable(format!("the plugin was not loaded: {why}"));
    match error.kind() {
        StorageFull | QuotaExceeded | FileTooLarge => {
            let (en, zh) = (format!("Make room in {folder} and try again."), format!("请在 {folder} 腾出空间后重试。"));
            unavailable().with_hint(en, zh)
        }
        ReadOnlyFilesystem | PermissionDenied => {
            let en = format!("Make {folder} writable for you and try again.");
            unavailable().with_hint(en, format!("请使 {folder} 对您可写后重试。"))
        }
        _ => refused(&why),
    }
}

fn same_hash(bytes: &[u8], expected: &str) -> Result<(), Failure> {
    use std::fmt::Write as _;
    let digest = Sha256::digest(bytes);
    let found = digest.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    });
    if found == expected {
        return Ok(());
    }
    let message = format!("its library is not the one its manifest names (SHA-256 {found}, expected {expected})");
    Err(refused(&message).with_hint(
        "The plugin's files were changed or damaged after it was packaged; install it again.",
        "插件文件在打包后被修改或损坏，请重新安装该插件。",
    ))
}

/// Puts `bytes` into the cache under their hash, unless they lie there already, whole.
fn keep(bytes: &[u8], sha256: &str, library: &Path, cache: &Path) -> io::Result<PathBuf> {
    private_folder(cache)?;
    let cache = cache.canonicalize()?;
    let extension = library.extension().and_then(|extension| extension.to_str()).unwrap_or("so");
    let place = cache.join(format!("{sha256}.{extension}"));
    let ours = fs::symlink_metadata(&place).is_ok_and(|found| found.is_file());
    if ours && fs::read(&place).is_ok_and(|kept| kept == bytes) {
        return Ok(place);
    }
    let mut copy = tempfile::NamedTempFile::new_in(&cache)?;
    copy.write_all(bytes)?;
    copy.as_file().sync_all()?;
    copy.persist(&place)?;
    Ok(place)
}

/// Makes `folder`, or closes it to other users if it exists.
#[cfg(unix)]
fn private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    if fs::metadata(folder)?.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Folders below a person's profile are private by their inherited access list.
#[cfg(not(unix))]
fn private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// The plugin is not run. Trying again does not help.
pub(crate) fn refused(why: &str) -> Failure {
    Failure::new(FailureCode::Incompatible, format!("the plugin was not loaded: {why}")).with_hint(
        "Install the plugin again, or a version made for this host.",
        "请重新安装该插件，或安装适用于本程序的版本。",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(bytes: &[u8]) -> String {
        Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_verified_library_lies_in_a_private_cache_under_its_hash() {
        use std::os::unix::fs::PermissionsExt as _;
        let room = tempfile::tempdir().expect("a folder");
        let (library, cache) = (room.path().join("lib.so"), room.path().join("cache"));
        let bytes = fs::read(std::env::current_exe().expect("a path")).expect("the test's own file");
        fs::write(&library, &bytes).expect("written");
        let sha256 = hash(&bytes);
        let place = verify(&library, &sha256, &cache).expect("verified");
        assert_eq!(fs::read(&place).expect("the copy"), bytes);
        assert!(place.ends_with(format!("{sha256}.so")));
        assert_eq!(fs::metadata(&cache).expect("the cache").permissions().mode() & 0o777, 0o700);

        fs::write(&place, "damaged in the cache").expect("written");
        fs::set_permissions(&cache, fs::Permissions::from_mode(0o755)).expect("opened");
        verify(&library, &sha256, &cache).expect("verified again");
        assert_eq!(fs::read(&place).expect("the copy"), bytes);
        assert_eq!(fs::metadata(&cache).expect("the cache").permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_cache_without_room_says_nothing_against_the_plugin() {
        use io::ErrorKind;
        let of = |kind: ErrorKind| not_copied(Path::new("/cache"), &kind.into());
        for kind in [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::FileTooLarge] {
            let failure = of(kind);
            assert_eq!((failure.code, failure.retryable), (FailureCode::Unavailable, true), "{kind}");
            assert!(failure.hint.is_some_and(|hint| hint.en.contains("Make room in /cache")), "{kind}");
        }
        for kind in [ErrorKind::ReadOnlyFilesystem, ErrorKind::PermissionDenied] {
            let failure = of(kind);
            assert_eq!((failure.code, failure.retryable), (FailureCode::Unavailable, true), "{kind}");
            assert!(failure.hint.is_some_and(|hint| hint.en.contains("writable")), "{kind}");
        }
        assert_eq!(of(ErrorKind::InvalidData).code, FailureCode::Incompatible);
    }

    #[test]
    fn bytes_that_are_not_the_named_ones_never_reach_the_cache() {
        let room = tempfile::tempdir().expect("a folder");
        let (library, cache) = (room.path().join("lib.so"), room.path().join("cache"));
        fs::write(&library, "some bytes").expect("written");
        let failure = verify(&library, &hash(b"other bytes"), &cache).expect_err("refused");
        assert_eq!((failure.code, failure.retryable), (FailureCode::Incompatible, false));
        assert!(failure.message.contains("SHA-256") && failure.hint.is_some(), "{failure}");
        let failure = verify(&library, &hash(b"some bytes"), &cache).expect_err("not a library");
        assert!(failure.message.contains("not a library"), "{failure}");
        assert!(!cache.exists());
    }
}
