//! The words of the command line.

mod chat;
mod config;
mod consent;
mod session;
mod trace;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use chat::ChatArgs;
pub use config::{ConfigCommand, SecretCommand};
pub use consent::{ConsentCommand, ConsentExplainArgs, EffectWord, ForgetArgs, RuleArgs};
pub use session::{ExportWord, KeepArgs, RemoveArgs, SessionCommand, SessionShowArgs};
pub use trace::{
    TraceAnalyzeArgs, TraceCommand, TraceEncoding, TraceExportArgs, TraceFilter, TraceFormat, TraceListArgs,
    TracePruneArgs,
};

/// WinClaw, a tool host for AI agents
#[derive(Debug, Parser)]
#[command(name = "winclaw", version, max_term_width = 100, arg_required_else_help = true)]
pub struct Cli {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
pub struct Common {
    /// Language of messages; the default follows the locale
    #[arg(long, global = true, value_enum)]
    pub lang: Option<LangWord>,
    /// Folder of plugin packages; the default is `plugins` beside the program, then in the data folder
    #[arg(long, global = true, value_name = "DIR")]
    pub plugins: Option<PathBuf>,
    /// Folder for traces, plugin data and the library cache
    #[arg(long, global = true, value_name = "DIR", env = "WINCLAW_DATA_DIR", hide_env = true)]
    pub data_dir: Option<PathBuf>,
    /// Configuration file
    #[arg(long, global = true, value_name = "FILE", env = "WINCLAW_CONFIG", hide_env = true)]
    pub config: Option<PathBuf>,
    /// Set a key of the configuration for this once, as key=value; may be given several times
    #[arg(short = 'c', long = "set", global = true, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Say more about what happens inside; twice for all of it
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show which tools a model would see for a request, and why; needs no model and no network
    Explain(ExplainArgs),
    /// Measure exposure on tools and requests with known answers; needs no model and no network
    Eval(EvalArgs),
    /// Give a request to a model and let it use the tools
    Run(RunArgs),
    /// Talk with a model that may use the tools; the conversation is kept
    Chat(ChatArgs),
    /// Watch a request go through the whole line with a replayed model; needs no key
    Demo(DemoArgs),
    /// List, describe and call tools
    #[command(subcommand)]
    Tool(ToolCommand),
    /// List and inspect plugins
    #[command(subcommand)]
    Plugin(PluginCommand),
    /// Past tasks: list, show, add up, replay and export their records
    #[command(subcommand)]
    Trace(TraceCommand),
    /// List, show, resume, search and export past conversations
    #[command(subcommand)]
    Session(SessionCommand),
    /// Read and change the configuration, and keep secrets
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Say what may run without asking you, what is asked about, and what never runs
    #[command(subcommand)]
    Consent(ConsentCommand),
    /// Check that everything the program needs is in place
    Doctor(JsonArgs),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The request; `-` reads it from standard input
    pub text: String,
    /// How exposure is decided; full and hard are for comparison
    #[arg(long, value_enum, default_value = "progressive")]
    pub strategy: StrategyWord,
    /// Put the strategies progressive, full and hard side by side
    #[arg(long, conflicts_with_all = ["strategy", "payload"])]
    pub compare: bool,
    /// Tools the task has used so far, oldest first
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub used: Vec<String>,
    /// The step the model stated last
    #[arg(long, value_name = "TEXT")]
    pub plan: Option<String>,
    /// An earlier request of the session, oldest first; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub earlier: Vec<String>,
    /// Explain on the tools of a file, as `winclaw eval` reads it, instead of the plugins
    #[arg(long, value_name = "FILE")]
    pub tools: Option<PathBuf>,
    /// Explain for a model that reveals tools natively: by references as Anthropic's Messages, or by search results as OpenAI's Responses
    #[arg(long, value_name = "HOW", value_enum)]
    pub native: Option<NativeWord>,
    /// List every name, however many there are, and the first problems of a file of tools
    #[arg(long)]
    pub all: bool,
    /// Also print everything that is sent to the model, as it is sent
    #[arg(long)]
    pub payload: bool,
    #[command(flatten)]
    pub exposure: ExposureArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Tools: one JSON object a line, a JSON array, or an MCP tools/list result; the default is the installed plugins
    #[arg(long, value_name = "FILE")]
    pub tools: Option<PathBuf>,
    /// Requests and the tools each of them needs: one JSON object a line, or a JSON array
    #[arg(long, value_name = "FILE")]
    pub queries: PathBuf,
    /// How exposure is decided; full and hard are for comparison
    #[arg(long, value_enum, default_value = "progressive")]
    pub strategy: StrategyWord,
    /// A second strategy, to be set against the first on the same requests
    #[arg(long, value_name = "STRATEGY", value_enum)]
    pub compare: Option<StrategyWord>,
    /// How many tools from the front count as found
    #[arg(long, value_name = "K", value_delimiter = ',', default_value = "5,10,20", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub k: Vec<u32>,
    /// Also ask step by step: tools looked at for the request, and for each further search, 0 to 100 each
    #[arg(long, value_name = "A,B", num_args = 0..=1, default_missing_value = "4,3")]
    pub per_step: Option<Looks>,
    /// Searches recorded of a model, for --per-step: {id, steps} or {id, turns}, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub steps: Option<PathBuf>,
    #[command(flatten)]
    pub exposure: ExposureArgs,
    /// What chance is drawn from; the same seed gives the same intervals
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Measure the first N requests only
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,
    /// List at most N requests whose tools were not all shown at first, the worst first
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub misses: usize,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// How many tools are looked at, step by step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Looks {
    pub first: usize,
    pub further: usize,
}

impl Looks {
    /// Most tools of one look; no model reads more at once.
    const MOST: usize = 100;
}

impl std::str::FromStr for Looks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| part.trim().parse::<usize>().ok().filter(|number| *number <= Looks::MOST);
        let both = text.split_once(',').and_then(|(first, further)| Some((number(first)?, number(further)?)));
        match both.filter(|both| *both != (0, 0)) {
            Some((first, further)) => Ok(Looks { first, further }),
            None => Err(format!("write two numbers from 0 to {}, at least one above 0, such as 4,3", Looks::MOST)),
        }
    }
}

/// How much a model is shown.
#[derive(Debug, Clone, Args)]
pub struct ExposureArgs {
    /// How hidden tools are reached: all shown (direct), or by meta tools (bridge); auto chooses by size
    #[arg(long, value_enum, default_value = "auto")]
    pub transport: TransportWord,
    /// The model's context window in tokens; the default is the model's own
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(1000..))]
    pub window: Option<u32>,
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// The request; `-` reads it from standard input
    pub text: String,
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub task: TaskArgs,
    #[command(flatten)]
    pub exposure: ExposureArgs,
    #[command(flatten)]
    pub keep: KeepArgs,
}

#[derive(Debug, Clone, Args)]
pub struct ModelArgs {
    /// The model, as provider/name: openai/…, openai-responses/…, anthropic/…, deepseek/…, ollama/…, lmstudio/…,
    /// openrouter/…, gemini/…, qwen/…, kimi/…, glm/…, or a provider of your own
    #[arg(short, long, value_name = "PROVIDER/NAME")]
    pub model: Option<String>,
    /// Replay a file of scripted replies instead of asking a model
    #[arg(long, value_name = "FILE", conflicts_with = "model")]
    pub replay: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub struct TaskArgs {
    /// What runs without asking you first: never = reads only, writes = reads and writes, always = everything
    #[arg(long, value_enum)]
    pub approve: Option<ApproveWord>,
    /// Form of the output
    #[arg(long, value_enum, default_value = "text")]
    pub output: OutputWord,
    /// A folder that tools may read and write, beside the current one; may be given several times
    #[arg(long = "allow", value_name = "DIR")]
    pub allow: Vec<PathBuf>,
    /// Model calls after which the task ends as not completed
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub max_turns: Option<u32>,
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// The scene; the default is the first that a package marks as such
    pub scene: Option<String>,
    /// How exposure is decided; full and hard are for comparison
    #[arg(long, value_enum, default_value = "progressive")]
    pub strategy: StrategyWord,
    /// Ask the real network instead of the recorded replies
    #[arg(long)]
    pub live: bool,
    /// Folder for what the demo leaves; the default is the current one
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// List the scenes
    #[arg(long)]
    pub list: bool,
}

#[derive(Debug, Subcommand)]
pub enum ToolCommand {
    /// List every tool
    List(JsonArgs),
    /// Show one tool: what it does, its parameters, what it may do to the world
    Describe {
        /// Id, name or wire name
        name: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Call a tool without a model
    Call(ToolCallArgs),
}

#[derive(Debug, Args)]
pub struct ToolCallArgs {
    /// Id, name or wire name
    pub name: String,
    /// The arguments as a JSON object; `-` reads them from standard input
    #[arg(long, default_value = "{}")]
    pub args: String,
    /// A folder that tools may read and write, beside the current one; may be given several times
    #[arg(long = "allow", value_name = "DIR")]
    pub allow: Vec<PathBuf>,
    /// What runs without asking you first: never = reads only, writes = reads and writes, always = everything
    #[arg(long, value_enum)]
    pub approve: Option<ApproveWord>,
    /// Form of the output
    #[arg(long, value_enum, default_value = "text")]
    pub output: OutputWord,
}

#[derive(Debug, Subcommand)]
pub enum PluginCommand {
    /// List the plugins, and what is wrong with those that were left out
    List(JsonArgs),
    /// Show everything about a plugin without running it
    Inspect {
        /// The plugin's id
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Clone, Args)]
pub struct JsonArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A language as the command line names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LangWord {
    En,
    Zh,
}

/// A strategy as the command line names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StrategyWord {
    Progressive,
    Full,
    Hard,
}

/// A transport as the command line names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TransportWord {
    Auto,
    Direct,
    Bridge,
}

/// How a model reveals tools natively, as the command line names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NativeWord {
    References,
    SearchResult,
}

/// An approval rule as the command line names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ApproveWord {
    Never,
    Writes,
    Always,
}

/// A form of output as the command line names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputWord {
    Text,
    Json,
    StreamJson,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_holds_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn looks_are_two_numbers_within_bounds() {
        let good = [("4,3", (4, 3)), (" 0 , 1", (0, 1)), ("100,0", (100, 0))];
        for (text, (first, further)) in good {
            assert_eq!(text.parse(), Ok(Looks { first, further }), "{text}");
        }
        for bad in ["", "4", "0,0", "101,1", "1,101", "-1,3", "99999999999999999999,1", "a,b", "1,2,3"] {
            let error = bad.parse::<Looks>().expect_err(bad);
            assert!(error.contains("from 0 to 100") && error.contains("above 0"), "{error}");
        }
    }
}
