use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::json;
use winclaw_net::NetClient;
use winclaw_tool::{Failure, FileAccess, HttpRequest, Lang, Permissions, PluginManifest};
use winclaw_toolbox::LogLevel;

use crate::kv::KeyValues;
use crate::{LoadOptions, Secrets};

/// What the host does for one plugin, whichever way it runs. Every permission is checked here.
pub(crate) struct Services {
    permissions: Permissions,
    net: Arc<NetClient>,
    secrets: Secrets,
    values: KeyValues,
    facts: Facts,
}

/// What a plugin may know without asking; a child is told once, when it starts.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Facts {
    /// The plugin's own folder.
    scratch: PathBuf,
    /// The answer to the query `file_roots`.
    file_roots: String,
    lang: Lang,
    /// A fixed time, in milliseconds since 1970-01-01 UTC.
    now: Option<u64>,
}

impl Services {
    pub(crate) fn new(options: &LoadOptions, manifest: &PluginManifest) -> Self {
        // Only an empty path has no absolute form; it then stays what it is.
        let data = std::path::absolute(&options.data_dir).unwrap_or_else(|_| options.data_dir.clone());
        let own = data.join(manifest.id.as_str());
        let facts = Facts {
            scratch: own.join("scratch"),
            file_roots: file_roots(&options.file_roots, manifest.permissions.files),
            lang: options.lang,
            now: options.now,
        };
        Services {
            permissions: manifest.permissions.clone(),
            net: Arc::clone(&options.net),
            secrets: Arc::clone(&options.secrets),
            values: KeyValues::new(own),
            facts,
        }
    }

    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Answers an HTTP request given as JSON with `{"ok": …}` or `{"error": …}`.
    pub(crate) async fn http(&self, request: &str) -> String {
        let request = serde_json::from_str::<HttpRequest>(request)
            .map_err(|error| Failure::invalid_args(format!("the HTTP request is not well-formed: {error}")));
        let answer = match request {
            Ok(request) => self.net.send(&self.permissions.http, request).await,
            Err(failure) => Err(failure),
        };
        match answer {
            Ok(response) => json!({"ok": response}).to_string(),
            Err(failure) => json!({"error": failure}).to_string(),
        }
    }

    /// A secret, if the manifest declares it and the person has set it.
    pub(crate) fn secret(&self, name: &str) -> Option<String> {
        let declared = self.permissions.secrets.iter().any(|secret| secret == name);
        declared.then(|| (self.secrets)(name)).flatten()
    }

    pub(crate) fn kv_get(&self, key: &str) -> Option<String> {
        self.values.get(key)
    }

    /// The error is a failure as JSON.
    pub(crate) fn kv_set(&self, key: &str, value: Option<&str>) -> Result<(), String> {
        self.values.set(key, value).map_err(|failure| json!(failure).to_string())
    }
}

impl Facts {
    /// The plugin's own folder, which exists when this returns it.
    pub(crate) fn scratch(&self) -> Option<String> {
        std::fs::create_dir_all(&self.scratch).ok()?;
        self.scratch.to_str().map(str::to_owned)
    }

    /// The answer to a named question.
    pub(crate) fn query(&self, name: &str) -> Option<String> {
        match name {
            "file_roots" => Some(self.file_roots.clone()),
            "lang" => Some(if self.lang == Lang::Zh { "zh" } else { "en" }.to_owned()),
            "now" => Some(self.now.unwrap_or_else(real_now).to_string()),
            _ => None,
        }
    }
}

fn file_roots(roots: &[(PathBuf, bool)], access: FileAccess) -> String {
    let shown = |(path, writable): &(PathBuf, bool)| {
        let path: &Path = path;
        json!({"path": path.to_string_lossy(), "write": *writable && access == FileAccess::Write})
    };
    let roots = if access == FileAccess::None { &[] } else { roots };
    serde_json::Value::Array(roots.iter().map(shown).collect()).to_string()
}

fn real_now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The boundary's level as the toolbox names it.
pub(crate) fn level(level: winclaw_abi::LogLevel) -> LogLevel {
    match level {
        winclaw_abi::LogLevel::Error => LogLevel::Error,
        winclaw_abi::LogLevel::Warn => LogLevel::Warn,
        winclaw_abi::LogLevel::Info => LogLevel::Info,
        winclaw_abi::LogLevel::Debug | winclaw_abi::LogLevel::Trace => LogLevel::Debug,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn services(permissions: serde_json::Value) -> Services {
        let manifest =
            json!({"schema": 1, "id": "sky", "version": "1.0.0", "abi": 1, "tools": [], "permissions": permissions});
        let mut options = LoadOptions::new("plugins", "cache", "data", "host");
        options.secrets = Arc::new(|name| Some(format!("value of {name}")));
        options.file_roots = vec![("/home/me/docs".into(), true), ("/usr/share".into(), false)];
        options.now = Some(7);
        Services::new(&options, &serde_json::from_value(manifest).expect("a manifest"))
    }

    #[test]
    fn only_declared_secrets_are_told() {
        let services = services(json!({"secrets": ["SKY_KEY"]}));
        assert_eq!(services.secret("SKY_KEY").as_deref(), Some("value of SKY_KEY"));
        assert_eq!(services.secret("OTHER_KEY"), None);
    }

    #[test]
    fn file_roots_follow_the_permission() {
        let roots = |files: &str| services(json!({"files": files})).facts().query("file_roots").expect("an answer");
        assert_eq!(roots("none"), "[]");
        assert_eq!(roots("read"), r#"[{"path":"/home/me/docs","write":false},{"path":"/usr/share","write":false}]"#);
        assert_eq!(roots("write"), r#"[{"path":"/home/me/docs","write":true},{"path":"/usr/share","write":false}]"#);
    }

    #[test]
    fn queries_have_their_names_and_no_others() {
        let services = services(json!({}));
        let facts = services.facts();
        assert_eq!((facts.query("lang").as_deref(), facts.query("now").as_deref()), (Some("en"), Some("7")));
        assert_eq!(facts.query("environment"), None);
    }
}
