use std::time::Duration;

use reqwest::Url;
use serde_json::Value;

use crate::{Profile, http};

/// How long a server on this machine may take to list its models.
const PROBE: Duration = Duration::from_millis(300);
/// Longest list of models that is read, in bytes.
const MAX_LIST: usize = 1024 * 1024;

/// A model that a server on this machine offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalModel {
    /// The provider, `ollama` or `lmstudio`.
    pub provider: String,
    /// The model's name.
    pub name: String,
    /// The base URL of its chat completions.
    pub base_url: String,
}

/// Where to look for servers; the default is where they listen when nobody moved them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServers {
    /// The root of Ollama; its models are listed at `/api/tags`.
    pub ollama: String,
    /// The root of LM Studio; its models are listed at `/v1/models`.
    pub lmstudio: String,
}

impl Default for LocalServers {
    fn default() -> Self {
        let root =
            |provider| Profile::of(provider).map_or("", |profile| profile.base_url.trim_end_matches("/v1")).into();
        LocalServers { ollama: root("ollama"), lmstudio: root("lmstudio") }
    }
}

/// The chat models of Ollama (127.0.0.1:11434) and LM Studio (127.0.0.1:1234), Ollama's first, each in the server's
/// order. Takes at most 300 ms; a server that is absent or answers nonsense has none.
pub async fn discover_local() -> Vec<LocalModel> {
    LocalServers::default().discover().await
}

impl LocalServers {
    /// As [`discover_local`], at these places.
    pub async fn discover(&self) -> Vec<LocalModel> {
        let (ollama, lmstudio) = tokio::join!(
            models("ollama", &self.ollama, "/api/tags", "/models", "name"),
            models("lmstudio", &self.lmstudio, "/v1/models", "/data", "id"),
        );
        [ollama, lmstudio].concat()
    }
}

async fn models(provider: &str, root: &str, path: &str, list: &str, name: &str) -> Vec<LocalModel> {
    let root = root.trim_end_matches('/');
    let answer = tokio::time::timeout(PROBE, get(&format!("{root}{path}"))).await.ok().flatten();
    let names = answer.as_ref().and_then(|answer| answer.pointer(list)).and_then(Value::as_array);
    let names = names.into_iter().flatten().filter_map(|model| model.get(name).and_then(Value::as_str));
    let chats = names.filter(|name| !name.is_empty() && !name.to_ascii_lowercase().contains("embed"));
    let found = |name: &str| LocalModel {
        provider: provider.to_owned(),
        name: name.to_owned(),
        base_url: format!("{root}/v1"),
    };
    chats.map(found).collect()
}

async fn get(url: &str) -> Option<Value> {
    let url = Url::parse(url).ok()?;
    let client = http::client(PROBE, &url).no_proxy().build().ok()?;
    let mut response = client.get(url).send().await.ok()?.error_for_status().ok()?;
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.ok()? {
        body.extend_from_slice(&bytes);
        if body.len() > MAX_LIST {
            return None;
        }
    }
    serde_json::from_slice(&body).ok()
}
