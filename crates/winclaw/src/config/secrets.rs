//! Secrets: from the environment, the system's keyring, or a file that only its owner can read. Never from arguments.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use winclaw_tool::Text;

use crate::complaint::{Complaint, Exit, io};

/// What the keyring files our secrets under.
const SERVICE: &str = "winclaw";

/// Where a secret is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The system's keyring.
    Keyring,
    /// The file beside the configuration.
    File,
}

impl Source {
    /// The place as people read it.
    pub fn text(self) -> Text {
        match self {
            Source::Keyring => Text::new("keyring", "系统密钥环"),
            Source::File => Text::new("file", "文件"),
        }
    }
}

/// The secrets that are kept for the program.
#[derive(Debug, Clone)]
pub struct Secrets {
    file: PathBuf,
    keyring: bool,
}

/// `secrets.toml`: secrets themselves, and the names of those in the keyring, which cannot list them.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Kept {
    keyring: BTreeSet<String>,
    file: BTreeMap<String, String>,
}

impl Secrets {
    /// The secrets kept beside the configuration file `config`; in the keyring only if `keyring`.
    pub fn beside(config: &Path, keyring: bool) -> Secrets {
        Secrets { file: config.with_file_name("secrets.toml"), keyring }
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The secret `name`, if it is kept. A keyring that does not answer, or a file that others can read, gives none.
    pub fn get(&self, name: &str) -> Option<String> {
        let mut kept = self.read().ok()?;
        if self.keyring && kept.keyring.contains(name) {
            return keyring::get(name).ok().flatten();
        }
        kept.file.remove(name)
    }

    /// Names of all secrets, with their place.
    pub fn list(&self) -> Result<Vec<(String, Source)>, Complaint> {
        let kept = self.read()?;
        let in_keyring = kept.keyring.into_iter().map(|name| (name, Source::Keyring));
        let mut all: Vec<_> = in_keyring.chain(kept.file.into_keys().map(|name| (name, Source::File))).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(all)
    }

    /// Keeps a secret: in the keyring where one answers and is wanted, else in the file.
    pub fn set(&self, name: &str, value: &str, into_file: bool) -> Result<Source, Complaint> {
        check_name(name)?;
        let mut kept = self.read()?;
        let source = match self.keyring && !into_file && keyring::set(name, value).is_ok() {
            true => {
                kept.file.remove(name);
                kept.keyring.insert(name.to_owned());
                Source::Keyring
            }
            false => {
                kept.file.insert(name.to_owned(), value.to_owned());
                kept.keyring.remove(name);
                Source::File
            }
        };
        self.write(&kept)?;
        Ok(source)
    }

    /// Forgets a secret; whether there was one.
    pub fn remove(&self, name: &str) -> Result<bool, Complaint> {
        let mut kept = self.read()?;
        let in_keyring = kept.keyring.remove(name);
        if in_keyring {
            keyring::remove(name).map_err(|why| silent(&why))?;
        }
        let found = kept.file.remove(name).is_some() || in_keyring;
        if found {
            self.write(&kept)?;
        }
        Ok(found)
    }

    fn read(&self) -> Result<Kept, Complaint> {
        let text = match std::fs::read_to_string(&self.file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Kept::default()),
            Err(error) => return Err(io(&self.file, &error)),
        };
        self.check_private()?;
        toml::from_str(&text).map_err(|error| {
            let place = self.file.display();
            // The message may quote the line, and the line may be a secret.
            let line = error.span().map_or(0, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            Complaint::new(Exit::Usage, format!("{place}:{line}: not readable"), format!("{place}:{line}：无法读取"))
                .mend("correct that line, or set the secret anew", "请改正该行，或重新设置密钥")
        })
    }

    /// What stands in the way of using the file, if anything does.
    pub fn check_private(&self) -> Result<(), Complaint> {
        match others_can_read(&self.file) {
            false => Ok(()),
            true => {
                let place = self.file.display();
                let complaint = Complaint::new(
                    Exit::Usage,
                    format!("{place} can be read by others, so it is not used"),
                    format!("{place} 可被他人读取，因此不使用"),
                );
                Err(complaint.mend(format!("chmod 600 {place}"), format!("请运行 chmod 600 {place}")))
            }
        }
    }

    fn write(&self, kept: &Kept) -> Result<(), Complaint> {
        let text = toml::to_string(kept)
            .map_err(|error| Complaint::new(Exit::Internal, error.to_string(), error.to_string()))?;
        super::write_private(&self.file, text.as_bytes()).map_err(|error| io(&self.file, &error))
    }
}

#[cfg(unix)]
fn others_can_read(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).is_ok_and(|file| file.permissions().mode() & 0o077 != 0)
}

/// A folder of the person's profile is theirs alone.
#[cfg(not(unix))]
fn others_can_read(_: &Path) -> bool {
    false
}

/// A name as environment variables have it.
pub fn check_name(name: &str) -> Result<(), Complaint> {
    let legal = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let good = (1..=128).contains(&name.len()) && name.bytes().all(legal) && !name.as_bytes()[0].is_ascii_digit();
    if good {
        return Ok(());
    }
    let shown: String = name.chars().take(8).collect();
    Err(Complaint::new(
        Exit::Usage,
        format!("`{shown}…` is no name of a secret"),
        format!("“{shown}…”不是有效的密钥名"),
    )
    .mend(
        "a name has letters, digits and _, such as DEEPSEEK_API_KEY; the secret itself is read from standard input or asked for, never taken from the command line",
        "名称由字母、数字和 _ 组成，例如 DEEPSEEK_API_KEY；密钥本身从标准输入读取或另行询问，绝不从命令行读取",
    ))
}

fn silent(why: &str) -> Complaint {
    Complaint::new(
        Exit::Unreachable,
        format!("the system's keyring does not answer: {why}"),
        format!("系统密钥环没有响应：{why}"),
    )
    .mend("unlock it, or use the file with --file", "请将其解锁，或用 --file 存入文件")
}

/// Whether the system's keyring answers, in words why not.
pub fn keyring_answers() -> Result<(), String> {
    keyring::answers()
}

/// The system's keyring. Every error is words without the secret.
mod keyring {
    use std::sync::Arc;

    use keyring_core::{CredentialStore, Entry};

    use super::SERVICE;

    fn entry(name: &str) -> Result<Entry, String> {
        let store: Arc<CredentialStore> = store()?;
        store.build(SERVICE, name, None).map_err(|error| error.to_string())
    }

    #[cfg(any(target_os = "linux", target_os = "freebsd"))]
    fn store() -> Result<Arc<CredentialStore>, String> {
        let store = zbus_secret_service_keyring_store::Store::new().map_err(|error| error.to_string())?;
        Ok(store)
    }

    #[cfg(target_os = "windows")]
    fn store() -> Result<Arc<CredentialStore>, String> {
        let store = windows_native_keyring_store::Store::new().map_err(|error| error.to_string())?;
        Ok(store)
    }

    #[cfg(target_os = "macos")]
    fn store() -> Result<Arc<CredentialStore>, String> {
        let store = apple_native_keyring_store::keychain::Store::new().map_err(|error| error.to_string())?;
        Ok(store)
    }

    #[cfg(not(any(target_os = "linux", target_os = "freebsd", target_os = "windows", target_os = "macos")))]
    fn store() -> Result<Arc<CredentialStore>, String> {
        Err("none on this system".into())
    }

    /// A call to the keyring blocks and may bring a runtime of its own; it gets a thread of its own.
    fn apart<T: Send + 'static>(ask: impl FnOnce() -> Result<T, String> + Send + 'static) -> Result<T, String> {
        std::thread::spawn(ask).join().unwrap_or_else(|_| Err("it broke down".into()))
    }

    pub(super) fn answers() -> Result<(), String> {
        apart(|| store().map(drop))
    }

    pub(super) fn get(name: &str) -> Result<Option<String>, String> {
        let name = name.to_owned();
        apart(move || match entry(&name)?.get_password() {
            Ok(secret) => Ok(Some(secret)),
            Err(keyring_core::Error::NoEntry) => Ok(None),
            Err(error) => Err(error.to_string()),
        })
    }

    pub(super) fn set(name: &str, value: &str) -> Result<(), String> {
        let (name, value) = (name.to_owned(), value.to_owned());
        apart(move || entry(&name)?.set_password(&value).map_err(|error| error.to_string()))
    }

    pub(super) fn remove(name: &str) -> Result<(), String> {
        let name = name.to_owned();
        apart(move || match entry(&name)?.delete_credential() {
            Ok(()) | Err(keyring_core::Error::NoEntry) => Ok(()),
            Err(error) => Err(error.to_string()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(folder: &Path) -> Secrets {
        Secrets::beside(&folder.join("config.toml"), false)
    }

    #[test]
    fn a_secret_is_kept_in_a_file_for_its_owner_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let secrets = secrets(folder.path());
        assert_eq!(secrets.get("A_KEY"), None);
        assert_eq!(secrets.set("A_KEY", "v1", false).expect("kept"), Source::File);
        assert_eq!(secrets.get("A_KEY").as_deref(), Some("v1"));
        assert_eq!(secrets.list().expect("names"), [("A_KEY".to_owned(), Source::File)]);
        #[cfg(unix)]
        assert!(!others_can_read(secrets.file()));
        assert!(secrets.remove("A_KEY").expect("gone") && !secrets.remove("A_KEY").expect("gone"));
        assert_eq!(secrets.get("A_KEY"), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_read_is_not_used() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let secrets = secrets(folder.path());
        secrets.set("A_KEY", "v1", false).expect("kept");
        std::fs::set_permissions(secrets.file(), std::fs::Permissions::from_mode(0o644)).expect("changed");
        assert_eq!(secrets.get("A_KEY"), None);
        assert!(secrets.list().expect_err("refused").mend.en.contains("chmod 600"));
        assert!(secrets.set("B_KEY", "v2", false).is_err());
    }

    #[test]
    fn a_broken_file_is_not_quoted() {
        let folder = tempfile::tempdir().expect("a folder");
        let secrets = secrets(folder.path());
        super::super::write_private(secrets.file(), b"[file]\nA_KEY = hunter2\n").expect("written");
        let complaint = secrets.list().expect_err("no TOML");
        assert!(complaint.what.en.contains(":2") && !complaint.what.en.contains("hunter2"), "{complaint:?}");
    }

    #[test]
    fn a_secret_given_as_a_name_is_refused_and_not_repeated() {
        let complaint = check_name("sk-0123456789abcdef").expect_err("no name");
        assert!(!complaint.what.en.contains("9abcdef") && complaint.mend.en.contains("standard input"));
        assert!(check_name("DEEPSEEK_API_KEY").is_ok());
    }
}
