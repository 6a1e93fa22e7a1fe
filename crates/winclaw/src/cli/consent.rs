use clap::{Args, Subcommand, ValueEnum};
use winclaw_tool::SideEffect;

use super::{ApproveWord, JsonArgs};

#[derive(Debug, Subcommand)]
pub enum ConsentCommand {
    /// List what is allowed, asked about and forbidden, and where each rule comes from
    List(JsonArgs),
    /// Let calls run without asking
    Allow(RuleArgs),
    /// Never let calls run
    Deny(RuleArgs),
    /// Ask before calls, whatever is approved
    Ask(RuleArgs),
    /// Take rules back
    Forget(ForgetArgs),
    /// Say what would happen to a call, and by which rule; runs nothing
    Explain(ConsentExplainArgs),
}

impl ConsentCommand {
    /// Whether it prints JSON.
    pub fn wants_json(&self) -> bool {
        match self {
            ConsentCommand::List(args) => args.json,
            ConsentCommand::Explain(args) => args.json,
            _ => false,
        }
    }
}

#[derive(Debug, Args)]
pub struct RuleArgs {
    /// A tool, all tools of a plugin as plugin.*, or all as *
    pub tool: String,
    /// Only calls with this side effect; may be given several times. Without it: for allow the tool's own, else any
    #[arg(long, value_name = "EFFECT", value_enum)]
    pub side_effect: Vec<EffectWord>,
    /// Only calls that go there: a host, an e-mail address, a folder, whom it goes to, or * for anywhere; may be given several times
    #[arg(long, value_name = "DESTINATION")]
    pub to: Vec<String>,
}

#[derive(Debug, Args)]
pub struct ForgetArgs {
    /// The rules of this tool, or of plugin.* or *
    #[arg(required_unless_present = "all")]
    pub tool: Option<String>,
    /// Only the rules for this side effect
    #[arg(long, value_name = "EFFECT", value_enum)]
    pub side_effect: Option<EffectWord>,
    /// Only the rules for this destination
    #[arg(long, value_name = "DESTINATION")]
    pub to: Option<String>,
    /// Every rule
    #[arg(long, conflicts_with = "tool")]
    pub all: bool,
}

#[derive(Debug, Args)]
pub struct ConsentExplainArgs {
    /// Id, name or wire name
    pub tool: String,
    /// The arguments of a call as a JSON object
    #[arg(long, value_name = "JSON")]
    pub args: Option<String>,
    /// As if this were given to `run`
    #[arg(long, value_enum)]
    pub approve: Option<ApproveWord>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A side effect as the command line names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EffectWord {
    Read,
    Write,
    Destructive,
    External,
    Any,
}

impl EffectWord {
    /// The side effect; `None` for any.
    pub fn side_effect(self) -> Option<SideEffect> {
        match self {
            EffectWord::Read => Some(SideEffect::Read),
            EffectWord::Write => Some(SideEffect::Write),
            EffectWord::Destructive => Some(SideEffect::Destructive),
            EffectWord::External => Some(SideEffect::External),
            EffectWord::Any => None,
        }
    }
}
