use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub enum TraceCommand {
    /// List past tasks, newest first
    List(TraceListArgs),
    /// Show one task: what was shown and why, what was called, how long, what it cost
    Show {
        /// The task's id, the beginning of one, or `last`
        #[arg(default_value = "last")]
        id: String,
        /// Print the record as it stands, one JSON line a decision
        #[arg(long)]
        json: bool,
    },
    /// Add tasks up: whether tools were shown in time, rises, loops, failures, tokens saved, cost and times
    Analyze(TraceAnalyzeArgs),
    /// Do again what decided what the model was shown, and compare it byte for byte; needs the same tools
    Replay {
        /// The task's id, the beginning of one, or `last`
        #[arg(default_value = "last")]
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write tasks as OpenTelemetry spans, or send them to a collector; without their contents unless asked
    Export(TraceExportArgs),
    /// Remove old traces, as each task does by itself once a day
    Prune(TracePruneArgs),
    /// Print the JSON Schema of a line of a trace
    Schema,
}

impl TraceCommand {
    /// Whether a complaint should be JSON too.
    pub fn wants_json(&self) -> bool {
        match self {
            TraceCommand::List(args) => args.json,
            TraceCommand::Show { json, .. } | TraceCommand::Replay { json, .. } => *json,
            TraceCommand::Analyze(args) => args.json,
            TraceCommand::Prune(args) => args.json,
            TraceCommand::Export(_) | TraceCommand::Schema => false,
        }
    }
}

/// Which tasks.
#[derive(Debug, Clone, Default, Args)]
pub struct TraceFilter {
    /// Only tasks that ended like this: done, tool_failed, denied, not_completed, stopped, model_failed, interrupted, unfinished
    #[arg(long, value_name = "STATE")]
    pub state: Option<String>,
    /// Only tasks that began since then: 30m, 12h, 7d, or a day such as 2026-11-30
    #[arg(long, value_name = "WHEN")]
    pub since: Option<Since>,
    /// Only tasks whose request or model holds this text
    #[arg(long, value_name = "TEXT")]
    pub text: Option<String>,
}

#[derive(Debug, Args)]
pub struct TraceListArgs {
    #[command(flatten)]
    pub filter: TraceFilter,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct TraceAnalyzeArgs {
    /// Ids of tasks, beginnings of ids, or `last`; the default is every task
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    #[command(flatten)]
    pub filter: TraceFilter,
    /// What a token from the provider's cache costs, in hundredths of one that is not
    #[arg(long, value_name = "PERCENT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub cached_price: u32,
    /// Also draw it, into this SVG file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct TraceExportArgs {
    /// Ids of tasks, beginnings of ids, or `last`
    #[arg(value_name = "ID", default_value = "last")]
    pub ids: Vec<String>,
    /// The form: OpenTelemetry's OTLP, one JSON message a task and line
    #[arg(long, value_enum, default_value = "otlp")]
    pub format: TraceFormat,
    /// The file to write; the default is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "endpoint")]
    pub out: Option<PathBuf>,
    /// Send to the collector at this address instead; headers are taken from OTEL_EXPORTER_OTLP_HEADERS
    #[arg(long, value_name = "URL")]
    pub endpoint: Option<String>,
    /// How it is sent
    #[arg(long, value_enum, default_value = "protobuf", requires = "endpoint")]
    pub encoding: TraceEncoding,
    /// Also what was said: the request, arguments and errors, redacted as the trace is
    #[arg(long)]
    pub content: bool,
}

#[derive(Debug, Args)]
pub struct TracePruneArgs {
    /// Only say what would go
    #[arg(long)]
    pub dry_run: bool,
    /// Keep what changed within so many days; 0 for any; the default is trace.keep_days
    #[arg(long, value_name = "DAYS")]
    pub keep_days: Option<u32>,
    /// Keep so many megabytes of the newest; 0 for any; the default is trace.keep_mb
    #[arg(long, value_name = "MB")]
    pub keep_mb: Option<u64>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A form of export as the command line names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TraceFormat {
    Otlp,
}

/// An encoding as the command line names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TraceEncoding {
    Protobuf,
    Json,
}

/// A moment in the past.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// So many milliseconds ago.
    Ago(u64),
    /// So many milliseconds after 1970.
    At(u64),
}

impl Since {
    /// The moment in milliseconds after 1970, when it is `now` such.
    pub fn unix_ms(self, now: u64) -> u64 {
        match self {
            Since::Ago(ms) => now.saturating_sub(ms),
            Since::At(ms) => ms,
        }
    }
}

impl FromStr for Since {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let ago = || {
            let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
            let minutes = match unit {
                "m" => 1,
                "h" => 60,
                "d" => 24 * 60,
                "w" => 7 * 24 * 60,
                _ => return None,
            };
            number.parse::<u64>().ok()?.checked_mul(minutes)?.checked_mul(60_000)
        };
        if let Some(ms) = ago() {
            return Ok(Since::Ago(ms));
        }
        let day = || text.parse::<jiff::civil::Date>().ok()?.to_zoned_datetime(jiff::tz::TimeZone::system()).ok();
        let moment = || text.parse::<jiff::Timestamp>().ok();
        let at = moment().or_else(|| Some(day()?.timestamp())).map(jiff::Timestamp::as_millisecond);
        match at.and_then(|ms| u64::try_from(ms).ok()) {
            Some(ms) => Ok(Since::At(ms)),
            None => Err("write a time span as 30m, 12h, 7d or 4w, or a day as 2026-11-30".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_span_or_a_day() {
        let cases = [("30m", 1_800_000), ("12h", 43_200_000), ("7d", 604_800_000), ("1w", 604_800_000), ("0d", 0)];
        for (text, ms) in cases {
            assert_eq!(text.parse(), Ok(Since::Ago(ms)), "{text}");
        }
        assert_eq!("2026-11-30T00:00:00Z".parse(), Ok(Since::At(1_795_996_800_000)));
        assert!(matches!("2026-11-30".parse(), Ok(Since::At(_))));
        for bad in ["", "d", "-3d", "7", "7x", "2026-13-01", "99999999999999999999d", "北京", "１d"] {
            let error = bad.parse::<Since>().expect_err(bad);
            assert!(error.contains("12h"), "{error}");
        }
        assert_eq!((Since::Ago(5).unix_ms(3), Since::Ago(1).unix_ms(3), Since::At(9).unix_ms(3)), (0, 2, 9));
    }
}
