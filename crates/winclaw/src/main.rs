//! WinClaw, a tool host for AI agents: the command line and the composition root.
//!
//! Invariants:
//! - Nothing is sent anywhere unless a command's own words say so: `explain`, `eval`, `tool list`, `plugin` and `trace` use no
//!   network (but `trace export --endpoint`); `run` asks the model that was chosen; tools reach the hosts their manifests name.
//! - Without a terminal nothing waits for a prompt.
//! - What comes from outside is freed of control characters before a terminal sees it.
//! - Every end has one of the exit codes of [`complaint::Exit`], and with `--output json` one JSON line on standard error.

#![allow(unreachable_pub, reason = "a program exports nothing; pub here means: for the other modules")]

mod cli;
mod commands;
mod complaint;
mod config;
mod hidden;
mod host;
mod policy_file;
mod policy_fit;
mod question;
mod screen;
mod shelf;
mod task;
mod terminal;
mod words;

use std::process::ExitCode;

use clap::FromArgMatches as _;

use crate::cli::{Cli, Command, OutputWord};
use crate::complaint::{Complaint, Exit};
use crate::config::Config;
use crate::screen::{Screen, Style};

fn main() -> ExitCode {
    winclaw_loader::ignore_file_size_signal();
    let arguments: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    if arguments.get(1).is_some_and(|word| word == "tool-host") {
        return ExitCode::from(u8::try_from(winclaw_loader::tool_host_main(&arguments[2..])).unwrap_or(1));
    }
    let lang = words::early_lang(&arguments);
    let parsed = words::command(lang).try_get_matches_from(&arguments);
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return misused(&error, &arguments, Screen::new(lang)),
    };
    hidden::learn_environment();
    start_log(cli.common.verbose);
    let json = wants_json(&cli.command);
    match run(cli) {
        Ok(exit) => ExitCode::from(exit as u8),
        Err((screen, complaint)) => {
            complain(&screen, &complaint, json);
            ExitCode::from(complaint.exit as u8)
        }
    }
}

/// Help and version are no mistakes; a mistake is said in the form that the words themselves ask for.
fn misused(error: &clap::Error, arguments: &[String], screen: Screen) -> ExitCode {
    let wants_json = arguments.iter().any(|word| matches!(word.as_str(), "--json" | "json" | "stream-json"))
        || arguments.iter().any(|word| word.starts_with("--output=") && word.ends_with("json"));
    if !error.use_stderr() || !wants_json {
        error.exit();
    }
    let text = error.to_string();
    let what = text.trim().strip_prefix("error: ").unwrap_or(&text);
    let complaint = Complaint::new(Exit::Usage, what, what)
        .mend("`winclaw help` shows every command", "运行 winclaw help 查看所有命令");
    complain(&screen, &complaint, true);
    ExitCode::from(Exit::Usage as u8)
}

fn run(cli: Cli) -> Result<Exit, (Screen, Complaint)> {
    let screen = Screen::new(words::lang_of(cli.common.lang));
    if let Command::Config(command) = cli.command {
        // It mends what the others cannot even read.
        let config = Config::load(&cli.common);
        let screen = config.as_ref().map_or(screen, |config| Screen::new(config.lang));
        return commands::config::run(&cli.common, screen, command).map_err(|complaint| (screen, complaint));
    }
    let config = Config::load(&cli.common).map_err(|complaint| (screen, complaint))?;
    let screen = Screen::new(config.lang);
    if let Some(text) = config.held_back_text() {
        screen.note(&screen.paint(Style::Yellow, &screen::harmless(screen.text(&text))));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| {
        let why = error.to_string();
        (screen, Complaint::new(Exit::Internal, format!("cannot start: {why}"), format!("无法启动：{why}")))
    })?;
    let done = runtime.block_on(dispatch(config, screen, cli.command, cli.common.verbose > 0));
    // A thread that still waits for the person's answer must not keep the program.
    runtime.shutdown_timeout(std::time::Duration::from_millis(200));
    done.map_err(|complaint| (screen, complaint))
}

async fn dispatch(config: Config, screen: Screen, command: Command, verbose: bool) -> Result<Exit, Complaint> {
    match command {
        Command::Explain(args) => commands::explain::run(config, screen, &args),
        Command::Eval(args) => commands::eval::run(config, screen, args).await,
        Command::Run(args) => commands::run::run(config, screen, args, verbose).await,
        Command::Chat(args) => commands::chat::run(config, screen, args, verbose).await,
        Command::Demo(args) => commands::demo::run(config, screen, args, verbose).await,
        Command::Tool(command) => commands::tool::run(config, screen, command, verbose).await,
        Command::Consent(command) => commands::consent::run(config, screen, command),
        Command::Plugin(command) => commands::plugin::run(config, screen, command),
        Command::Trace(command) => commands::trace::main(config, screen, command).await,
        Command::Session(command) => commands::session::run(config, screen, command, verbose).await,
        // Answered before there was a configuration.
        Command::Config(_) => Ok(Exit::Done),
        Command::Doctor(args) => commands::doctor::run(config, screen, args).await,
        Command::Completions { shell } => {
            let mut command = words::command(config.lang);
            // Into memory first: on a closed pipe it would panic.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut command, "winclaw", &mut script);
            screen.part(&String::from_utf8_lossy(&script));
            Ok(Exit::Done)
        }
    }
}

fn wants_json(command: &Command) -> bool {
    match command {
        Command::Run(args) => args.task.output != OutputWord::Text,
        Command::Tool(cli::ToolCommand::Call(args)) => args.output != OutputWord::Text,
        Command::Tool(cli::ToolCommand::List(args)) | Command::Doctor(args) => args.json,
        Command::Tool(cli::ToolCommand::Describe { json, .. }) => *json,
        Command::Plugin(cli::PluginCommand::List(args)) => args.json,
        Command::Plugin(cli::PluginCommand::Inspect { json, .. }) => *json,
        Command::Trace(command) => command.wants_json(),
        Command::Config(command) => match command {
            cli::ConfigCommand::Get { json, .. }
            | cli::ConfigCommand::Path { json }
            | cli::ConfigCommand::List { json, .. }
            | cli::ConfigCommand::Secret(cli::SecretCommand::List { json }) => *json,
            _ => false,
        },
        Command::Session(command) => command.wants_json(),
        Command::Consent(command) => command.wants_json(),
        Command::Explain(args) => args.json,
        Command::Eval(args) => args.json,
        Command::Chat(_) | Command::Demo(_) | Command::Completions { .. } => false,
    }
}

fn complain(screen: &Screen, complaint: &Complaint, json: bool) {
    if json {
        return screen.note(&screen::escaped(&complaint.json_line(screen.lang)));
    }
    let (complaint, head) = (complaint.clean(), screen.paint(Style::Red, screen.word("error", "错误")));
    screen.note(&format!("{head}: {}", screen::harmless(screen.text(&complaint.what))));
    if !complaint.mend.is_empty() {
        screen.note(&format!("  {}", screen::harmless(screen.text(&complaint.mend))));
    }
}

/// Diagnostics of the program itself, on standard error; `WINCLAW_LOG` takes a filter such as `winclaw_loader=debug`.
fn start_log(verbose: u8) {
    use tracing_subscriber::EnvFilter;
    let default = if verbose > 1 { "winclaw=debug,winclaw_loader=debug,winclaw_model=debug" } else { "off" };
    let filter = EnvFilter::try_from_env("WINCLAW_LOG").unwrap_or_else(|_| EnvFilter::new(default));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(hidden::stderr).init();
}
