//! `winclaw trace`: past tasks, read from their traces.

mod analyze;
mod export;
mod find;
mod list;
mod page;
pub mod prune;
mod replay;
mod show;
mod svg;
mod words;

use crate::cli::TraceCommand;
use crate::complaint::{Complaint, Exit};
use crate::config::Config;
use crate::screen::{Screen, escaped};

/// Runs the command.
pub async fn main(config: Config, screen: Screen, command: TraceCommand) -> Result<Exit, Complaint> {
    match command {
        TraceCommand::Replay { id, json } => replay::run(config, screen, &id, json),
        TraceCommand::Export(args) => export::run(&config, &screen, &args).await,
        other => run(&config, screen, other),
    }
}

/// Runs a command that needs neither tools nor the network.
pub fn run(config: &Config, screen: Screen, command: TraceCommand) -> Result<Exit, Complaint> {
    match command {
        TraceCommand::List(args) => list::run(config, &screen, &args),
        TraceCommand::Show { id, json } => show::run(config, &screen, &id, json),
        TraceCommand::Analyze(args) => analyze::run(config, &screen, &args),
        TraceCommand::Prune(args) => prune::run(config, &screen, &args),
        TraceCommand::Schema => {
            let schema = serde_json::to_string_pretty(&winclaw_trace::schema()).unwrap_or_default();
            screen.line(&escaped(&schema));
            Ok(Exit::Done)
        }
        // Answered where there are tools and the network.
        TraceCommand::Replay { .. } | TraceCommand::Export(_) => Ok(Exit::Done),
    }
}
