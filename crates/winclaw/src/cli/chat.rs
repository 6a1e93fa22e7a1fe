use std::path::PathBuf;

use clap::Args;

use super::{ApproveWord, ExposureArgs, ModelArgs};

#[derive(Debug, Args)]
pub struct ChatArgs {
    /// Go on with a past conversation: its id, the beginning of one, or `last`
    #[arg(long, value_name = "SESSION")]
    pub resume: Option<String>,
    #[command(flatten)]
    pub model: ModelArgs,
    /// What runs without asking you first: never = reads only, writes = reads and writes, always = everything
    #[arg(long, value_enum)]
    pub approve: Option<ApproveWord>,
    /// A folder that tools may read and write, beside the current one; may be given several times
    #[arg(long = "allow", value_name = "DIR")]
    pub allow: Vec<PathBuf>,
    /// Model calls after which a task ends as not completed
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub max_turns: Option<u32>,
    #[command(flatten)]
    pub exposure: ExposureArgs,
}
