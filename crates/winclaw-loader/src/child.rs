//! Plugins that run in a process of their own: started on the first call, replaced after a crash.

mod death;
mod flight;
mod health;
mod live;
mod spawn;
mod tasks;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use tokio::time::{Instant, sleep_until};
use winclaw_tool::{Failure, Outcome, ToolId};
use winclaw_toolbox::{BoxFuture, CallContext};

use crate::LoadOptions;
use crate::folder::Package;
use crate::frame::Start;
use crate::outcome::{cancelled, deadline, late};
use crate::runner::Runner;
use crate::services::Services;

pub(crate) use death::words;
pub(crate) use spawn::environment;

use flight::Flight;
use health::Health;
use live::Live;

/// Runs a plugin in at most one child at a time.
pub(crate) struct ChildRunner {
    package: Package,
    cache: PathBuf,
    host_program: PathBuf,
    services: Arc<Services>,
    health: Arc<Mutex<Health>>,
    slot: tokio::sync::Mutex<Option<Arc<Live>>>,
}

impl ChildRunner {
    pub(crate) fn new(package: Package, options: &LoadOptions, services: Arc<Services>) -> Self {
        ChildRunner {
            package,
            cache: options.cache_dir.clone(),
            host_program: options.host_program.clone(),
            services,
            health: Arc::new(Mutex::new(Health::new(options.restart.clone()))),
            slot: tokio::sync::Mutex::new(None),
        }
    }

    async fn run(&self, tool: &ToolId, arguments: &RawValue, cx: CallContext) -> Outcome {
        let deadline = deadline(cx.timeout);
        let started = tokio::select! {
            biased;
            () = cx.cancel.cancelled() => return Err(cancelled(tool)),
            started = self.start(tool, arguments, &cx) => started?,
            () = sleep_until(deadline) => return Err(late(tool, cx.timeout)),
        };
        started.land(&cx, deadline).await
    }

    /// Puts the call into a child that takes calls.
    async fn start(&self, tool: &ToolId, arguments: &RawValue, cx: &CallContext) -> Result<Flight, Failure> {
        loop {
            let live = self.live(tool).await?;
            live.settled().await;
            // A child that closed in between never saw the call, so another one may have it.
            if let Some(flight) = Live::take_off(&live, tool, arguments, Arc::clone(&cx.observer))? {
                return Ok(flight);
            }
        }
    }

    /// The child that takes calls, started if there is none. One caller starts it, the others wait.
    async fn live(&self, tool: &ToolId) -> Result<Arc<Live>, Failure> {
        let mut slot = self.slot.lock().await;
        if let Some(live) = slot.as_ref().filter(|live| live.takes_calls()) {
            return Ok(Arc::clone(live));
        }
        let wait = health::locked(&self.health).next_start(Instant::now(), tool)?;
        tokio::time::sleep(wait).await;
        let live = self.launch().await?;
        *slot = Some(Arc::clone(&live));
        Ok(live)
    }

    async fn launch(&self) -> Result<Arc<Live>, Failure> {
        let start = Start {
            library: self.package.library.clone(),
            sha256: self.package.sha256.clone(),
            cache: self.cache.clone(),
            facts: self.services.facts().clone(),
        };
        let command = spawn::command(&self.host_program, &self.package.folder);
        let child = spawn::spawn(command).await.map_err(|error| self.not_started(&error))?;
        Live::launch(
            child,
            self.package.manifest.id.clone(),
            start,
            Arc::clone(&self.services),
            Arc::clone(&self.health),
        )
    }

    fn not_started(&self, error: &std::io::Error) -> Failure {
        let program = self.host_program.display();
        Failure::unavailable(format!(
            "the process for plugin `{}` cannot be started: {error}",
            self.package.manifest.id
        ))
        .with_hint(
            format!("Check that {program} can be run and that the system is not out of processes or memory."),
            format!("请检查 {program} 是否可以运行，以及系统的进程数和内存是否充足。"),
        )
    }
}

impl Runner for ChildRunner {
    fn call<'a>(&'a self, tool: &'a ToolId, arguments: Value, cx: CallContext) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let raw = to_raw_value(&arguments).map_err(|error| Failure::invalid_args(error.to_string()))?;
            drop(arguments);
            self.run(tool, &raw, cx).await
        })
    }
}

impl Drop for ChildRunner {
    fn drop(&mut self) {
        if let Some(live) = self.slot.get_mut() {
            live.kill("the host closed its plugins");
        }
    }
}
