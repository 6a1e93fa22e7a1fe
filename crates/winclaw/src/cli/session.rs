use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{ExposureArgs, ModelArgs, TaskArgs};

/// Where the conversation of a run goes.
#[derive(Debug, Clone, Args)]
pub struct KeepArgs {
    /// Go on with a session: its id or the beginning of one, `last`, or `new` to begin one
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Keep nothing of the conversation
    #[arg(long, conflicts_with = "session")]
    pub no_session: bool,
}

#[derive(Debug, Subcommand)]
pub enum SessionCommand {
    /// List sessions, the one that was added to last first
    List {
        /// How many; all with 0
        #[arg(short, long, value_name = "N", default_value_t = 50)]
        number: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show a session: what was said, called and answered
    Show(SessionShowArgs),
    /// Give a session one more request
    Resume(ResumeArgs),
    /// Copy a session, or its beginning, to go on from there in another way
    Fork {
        /// The session's id, the beginning of one, or `last`
        id: String,
        /// The message the copy ends with, as `session show` numbers them; the default is the last
        #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
        at: Option<u64>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Find where something was said
    Search {
        /// The words; each must be there, and what stands in double quotes must follow one another
        #[arg(required = true)]
        words: Vec<String>,
        /// At most so many places
        #[arg(short, long, value_name = "N", default_value_t = 20)]
        number: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write a session as Markdown or JSON, with secrets taken out
    Export {
        /// The session's id, the beginning of one, or `last`
        #[arg(default_value = "last")]
        id: String,
        /// The form
        #[arg(long, value_enum, default_value = "markdown")]
        format: ExportWord,
        /// The file to write; the default is standard output
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Take in a session that was exported as JSON
    Import {
        /// The file; `-` reads standard input
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Give a session another title
    Rename {
        /// The session's id, the beginning of one, or `last`
        id: String,
        /// The title; an empty one gives back that of the first request
        title: String,
    },
    /// Remove sessions for good
    Remove {
        /// The sessions' ids, beginnings of them, or `last`
        #[arg(required = true)]
        ids: Vec<String>,
        #[command(flatten)]
        how: RemoveArgs,
    },
    /// Remove old sessions for good
    Prune {
        /// Those that nothing was added to for so many days
        #[arg(long, value_name = "DAYS", required_unless_present = "keep")]
        older_than: Option<u32>,
        /// All but so many, those that were added to last
        #[arg(long, value_name = "N")]
        keep: Option<usize>,
        #[command(flatten)]
        how: RemoveArgs,
    },
}

#[derive(Debug, Args)]
pub struct SessionShowArgs {
    /// The session's id, the beginning of one, or `last`
    #[arg(default_value = "last")]
    pub id: String,
    /// The number of the first message to show
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub from: u64,
    /// How many messages to show; the default is all
    #[arg(short, long, value_name = "N")]
    pub number: Option<usize>,
    /// Show long texts whole
    #[arg(long)]
    pub full: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// The session's id, the beginning of one, or `last`
    pub id: String,
    /// The request; `-` reads it from standard input
    pub text: String,
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub task: TaskArgs,
    #[command(flatten)]
    pub exposure: ExposureArgs,
}

#[derive(Debug, Clone, Copy, Args)]
pub struct RemoveArgs {
    /// Do not ask
    #[arg(short, long)]
    pub yes: bool,
    /// Also remove the traces of their tasks
    #[arg(long)]
    pub traces: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A form of export as the command line names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportWord {
    Markdown,
    Json,
}

impl SessionCommand {
    /// Whether mistakes are to be told in JSON.
    pub fn wants_json(&self) -> bool {
        match self {
            SessionCommand::List { json, .. }
            | SessionCommand::Fork { json, .. }
            | SessionCommand::Search { json, .. }
            | SessionCommand::Import { json, .. } => *json,
            SessionCommand::Show(args) => args.json,
            SessionCommand::Resume(args) => args.task.output != super::OutputWord::Text,
            SessionCommand::Remove { how, .. } | SessionCommand::Prune { how, .. } => how.json,
            SessionCommand::Export { .. } | SessionCommand::Rename { .. } => false,
        }
    }
}
