use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use winclaw_net::NetClient;
use winclaw_tool::{Lang, PluginId};

/// Gives the value of a secret by name, if the person has set it.
pub type Secrets = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// What [`load_folder`](crate::load_folder) needs to know.
#[derive(Clone)]
pub struct LoadOptions {
    /// The folder whose subfolders are packages. It need not exist.
    pub plugins_dir: PathBuf,
    /// Where verified libraries are kept; made, and closed to other users, when the first one is loaded.
    pub cache_dir: PathBuf,
    /// Where each plugin gets a folder of its own, with its scratch folder and its key-value store.
    pub data_dir: PathBuf,
    /// The program that is started as `host_program tool-host …` for each plugin; it must call
    /// [`tool_host_main`](crate::tool_host_main) then.
    pub host_program: PathBuf,
    /// The plugins the person trusts to run inside this process.
    pub in_process: Vec<PluginId>,
    /// The door to the network.
    pub net: Arc<NetClient>,
    /// The folders plugins with file permissions may touch, and whether they may write there.
    pub file_roots: Vec<(PathBuf, bool)>,
    /// The secrets; a plugin is given only those its manifest declares.
    pub secrets: Secrets,
    /// The language plugins speak to people in.
    pub lang: Lang,
    /// What plugins are told the time is, in milliseconds since 1970-01-01 UTC. `None`: the real time.
    pub now: Option<u64>,
    /// When a crashed child is started again.
    pub restart: RestartPolicy,
}

impl LoadOptions {
    /// Options that grant nothing: no network, no file roots, no secrets, every plugin in a child.
    pub fn new(
        plugins_dir: impl Into<PathBuf>,
        cache_dir: impl Into<PathBuf>,
        data_dir: impl Into<PathBuf>,
        host_program: impl Into<PathBuf>,
    ) -> Self {
        LoadOptions {
            plugins_dir: plugins_dir.into(),
            cache_dir: cache_dir.into(),
            data_dir: data_dir.into(),
            host_program: host_program.into(),
            in_process: Vec::new(),
            net: Arc::new(NetClient::offline()),
            file_roots: Vec::new(),
            secrets: Arc::new(|_| None),
            lang: Lang::default(),
            now: None,
            restart: RestartPolicy::default(),
        }
    }
}

/// When a child that crashed is started again. `Default` is what the host uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestartPolicy {
    /// The wait after the first, second, … crash of [`window`](Self::window); the last holds for all further ones.
    /// Default none, 100 ms, 1 s.
    pub delays: Vec<Duration>,
    /// So many crashes within `window` make the plugin unavailable for `pause`. Default 3.
    pub limit: usize,
    /// How long a crash counts. Default 60 s.
    pub window: Duration,
    /// How long the plugin stays unavailable, from its last crash. Default 30 s.
    pub pause: Duration,
}

impl Default for RestartPolicy {
    fn default() -> Self {
        RestartPolicy {
            delays: vec![Duration::ZERO, Duration::from_millis(100), Duration::from_secs(1)],
            limit: 3,
            window: Duration::from_secs(60),
            pause: Duration::from_secs(30),
        }
    }
}
