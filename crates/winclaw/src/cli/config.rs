//! The words of `winclaw config`.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print what one key is set to
    Get {
        /// The key, such as trace.keep_days
        key: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Set a key in your configuration file
    Set {
        /// The key, such as trace.keep_days
        key: String,
        /// The value; lists with commas between, or as TOML
        value: String,
        /// Set it in the project's file of the current folder instead
        #[arg(long)]
        project: bool,
    },
    /// Take a key out of your configuration file
    Unset {
        /// The key, such as trace.keep_days
        key: String,
        /// Take it out of the project's file instead
        #[arg(long)]
        project: bool,
    },
    /// Print where the files are
    Path {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List what is set
    List {
        /// Also say where each value comes from
        #[arg(long)]
        origin: bool,
        /// List every key, also those that are not set
        #[arg(long)]
        all: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Let the project's file of this folder set everything, as it stands now
    Trust {
        /// Trust it no longer
        #[arg(long)]
        forget: bool,
    },
    /// Keep, list and forget secrets such as API keys
    #[command(subcommand)]
    Secret(SecretCommand),
}

#[derive(Debug, Subcommand)]
pub enum SecretCommand {
    /// Keep a secret; it is asked for, or read from standard input
    Set {
        /// Its name, such as DEEPSEEK_API_KEY
        name: String,
        /// Keep it in a file for you alone instead of the system's keyring
        #[arg(long)]
        file: bool,
    },
    /// List the names of the secrets that are kept
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Forget a secret
    Remove {
        /// Its name
        name: String,
    },
}
