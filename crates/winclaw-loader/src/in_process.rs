use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::{OnceCell, oneshot};
use tokio::time::{sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use winclaw_abi::{HostServices, LogLevel, Plugin};
use winclaw_tool::{Failure, Outcome, ToolId};
use winclaw_toolbox::{BoxFuture, CallContext, Observer};

use crate::folder::Package;
use crate::outcome::{GRACE, cancelled, deadline, late, parse};
use crate::runner::Runner;
use crate::services::{self, Services};
use crate::verify::{refused, verify};

/// Runs a trusted plugin inside this process.
///
/// What a child contains is not contained here: a segfault, an abort or `exit` ends the host, and a tool that never
/// returns keeps its thread. It is still verified first, loaded from the cache, and held to its permissions.
pub(crate) struct InProcess {
    package: Package,
    cache: PathBuf,
    services: Arc<Services>,
    plugin: OnceCell<Plugin>,
}

impl InProcess {
    pub(crate) fn new(package: Package, cache: PathBuf, services: Arc<Services>) -> Self {
        InProcess { package, cache, services, plugin: OnceCell::new() }
    }

    async fn plugin(&self) -> Result<&Plugin, Failure> {
        self.plugin.get_or_try_init(|| self.load()).await
    }

    async fn load(&self) -> Result<Plugin, Failure> {
        let (library, sha256) = (self.package.library.clone(), self.package.sha256.clone());
        let cache = self.cache.clone();
        let task = move || load_verified(&verify(&library, &sha256, &cache)?);
        let joined = tokio::task::spawn_blocking(task).await;
        joined.unwrap_or_else(|error| Err(refused(&format!("loading it failed: {error}"))))
    }

    async fn run(&self, tool: &ToolId, arguments: Value, cx: CallContext) -> Outcome {
        let deadline = deadline(cx.timeout);
        let plugin = timeout_at(deadline, self.plugin()).await.map_err(|_| late(tool, cx.timeout))??;
        let (sender, mut answer) = oneshot::channel();
        let call = Arc::new(Call {
            services: Arc::clone(&self.services),
            observer: Arc::clone(&cx.observer),
            runtime: Handle::current(),
            cancelled: AtomicBool::new(false),
            over: CancellationToken::new(),
        });
        // The receiver is gone when the call was given up.
        let done = Box::new(move |json: String| drop(sender.send(json)));
        let arguments = arguments.to_string();
        let host: Arc<dyn HostServices> = Arc::clone(&call) as _;
        let handle = plugin.call(tool.name(), arguments.as_bytes(), host, done);
        let running = Running { plugin, handle, call };
        let cause = tokio::select! {
            biased;
            json = &mut answer => return parse(tool, &json.unwrap_or_default()),
            () = cx.cancel.cancelled() => cancelled(tool),
            () = sleep_until(deadline) => late(tool, cx.timeout),
        };
        running.stop();
        match timeout(GRACE, answer).await {
            Ok(Ok(json)) => parse(tool, &json).or(Err(cause)),
            _ => Err(cause),
        }
    }
}

impl Runner for InProcess {
    fn call<'a>(&'a self, tool: &'a ToolId, arguments: Value, cx: CallContext) -> BoxFuture<'a, Outcome> {
        Box::pin(self.run(tool, arguments, cx))
    }
}

/// Maps a library that [`verify`] has passed.
pub(crate) fn load_verified(library: &Path) -> Result<Plugin, Failure> {
    preload(library)?;
    // SAFETY: `library` lies in the private cache and holds the bytes whose hash was compared with the manifest's; that
    // they are trusted as much as this process is the person's choice (in process) or this process's purpose (child).
    let plugin = unsafe { winclaw_abi::load(library) };
    plugin.map_err(|error| {
        tracing::debug!(library = %library.display(), detail = error.detail, "a plugin cannot be loaded");
        refused(&error.message)
    })
}

/// Windows looks for the libraries a plugin needs beside it and in the system only, never in the current folder or the
/// search path. The module stays loaded, and loading it again gives the same one.
#[cfg(windows)]
fn preload(library: &Path) -> Result<(), Failure> {
    use libloading::os::windows::{LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR, LOAD_LIBRARY_SEARCH_SYSTEM32, Library};
    let flags = LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32;
    // SAFETY: as in `load_verified`.
    let loaded = unsafe { Library::load_with_flags(library, flags) };
    loaded.map(std::mem::forget).map_err(|error| refused(&format!("the system cannot load its library: {error}")))
}

#[cfg(not(windows))]
fn preload(_: &Path) -> Result<(), Failure> {
    Ok(())
}

/// A started call. Dropping it tells the plugin to stop and silences its events.
struct Running<'a> {
    plugin: &'a Plugin,
    handle: u64,
    call: Arc<Call>,
}

impl Running<'_> {
    fn stop(&self) {
        self.call.cancelled.store(true, Ordering::Release);
        self.call.over.cancel();
        self.plugin.cancel(self.handle);
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        // A call that has its answer is not known to the plugin any more, and is not touched by this.
        self.stop();
    }
}

/// What the plugin may ask for during one call.
struct Call {
    services: Arc<Services>,
    observer: Arc<dyn Observer>,
    runtime: Handle,
    cancelled: AtomicBool,
    over: CancellationToken,
}

impl Call {
    fn observer(&self) -> Option<&dyn Observer> {
        (!self.over.is_cancelled()).then_some(self.observer.as_ref())
    }
}

impl HostServices for Call {
    fn log(&self, level: LogLevel, text: &str) {
        self.observer().into_iter().for_each(|observer| observer.log(services::level(level), text));
    }

    fn progress(&self, fraction: Option<f64>, text: &str) {
        self.observer().into_iter().for_each(|observer| observer.progress(fraction, text));
    }

    fn partial(&self, text: &str) {
        self.observer().into_iter().for_each(|observer| observer.partial(text));
    }

    fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }

    fn http(&self, request: String, done: Box<dyn FnOnce(String) + Send>) {
        let (services, over) = (Arc::clone(&self.services), self.over.clone());
        // A request whose call is over is dropped with `done`, which tells the plugin so.
        self.runtime.spawn(async move {
            if let Some(answer) = over.run_until_cancelled(services.http(&request)).await {
                done(answer);
            }
        });
    }

    fn secret(&self, name: &str) -> Option<String> {
        self.services.secret(name)
    }

    fn scratch(&self) -> Option<String> {
        self.services.facts().scratch()
    }

    fn kv_get(&self, key: &str) -> Option<String> {
        self.services.kv_get(key)
    }

    fn kv_set(&self, key: &str, value: Option<&str>) -> Result<(), String> {
        self.services.kv_set(key, value)
    }

    fn query(&self, name: &str, _: &str) -> Option<String> {
        self.services.facts().query(name)
    }
}
