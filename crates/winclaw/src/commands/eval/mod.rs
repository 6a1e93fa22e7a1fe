//! `winclaw eval`: how well exposure does on a catalogue and requests with known answers. No model, no network.

mod labels;
mod page;
mod progress;

use std::path::Path;

use serde_json::Value;
use winclaw_eval::{
    Comparison, Dataset, EvalError, EvalReport, Options, Tools, compare, evaluate, read_queries, read_tools,
};
use winclaw_exposure::Strategy;
use winclaw_tool::ProblemKind;

use self::page::Page;
use self::progress::Progress;
use crate::cli::EvalArgs;
use crate::commands::figures;
use crate::complaint::{Complaint, Exit};
use crate::config::Config;
use crate::host::{Host, Opening};
use crate::screen::Screen;
use crate::task::{MAX_TOOLS, WINDOW, settings, strategy};

/// What was measured.
struct Measured {
    first: EvalReport,
    second: Option<(EvalReport, Comparison)>,
}

/// Runs the command.
pub async fn run(config: Config, screen: Screen, args: EvalArgs) -> Result<Exit, Complaint> {
    let dataset = read(config, screen, &args)?;
    let strategies = strategies(&args)?;
    let options = options(&args);
    let progress = Progress::new(screen, dataset.requests.len() * strategies.len());
    let bar = progress.clone();
    let work = tokio::task::spawn_blocking(move || measure(&dataset, &options, &strategies, &bar));
    let measured = tokio::select! {
        measured = work => measured.map_err(|error| broken(&error))?,
        () = interrupted() => {
            progress.clear();
            return Err(Complaint::new(Exit::Interrupted, "interrupted", "已中断"));
        }
    };
    progress.clear();
    match args.json {
        true => screen.json(&json(&measured)),
        false => Page { screen, measured: &measured }.print(),
    }
    Ok(Exit::Done)
}

/// Waits for an interrupt; for good where the system cannot tell of one.
async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn broken(error: &tokio::task::JoinError) -> Complaint {
    Complaint::new(Exit::Internal, format!("measuring failed: {error}"), format!("评测失败：{error}"))
}

fn read(config: Config, screen: Screen, args: &EvalArgs) -> Result<Dataset, Complaint> {
    let tools = match &args.tools {
        Some(file) => read_tools(file).map_err(|error| unusable(&error))?,
        None => installed(config, screen)?,
    };
    if tools.catalog.tools().is_empty() {
        return Err(no_tools());
    }
    let queries = read_queries(&args.queries, &tools).map_err(|error| unusable(&error))?;
    let mut dataset = Dataset::new(tools, queries);
    if let Some(file) = &args.steps {
        dataset.read_steps(file).map_err(|error| unusable(&error))?;
    }
    dataset.truncate(args.limit.map_or(usize::MAX, |limit| limit as usize));
    if dataset.requests.is_empty() {
        return Err(no_requests(&args.queries, &dataset));
    }
    Ok(dataset)
}

/// The tools of the plugins that are there.
fn installed(config: Config, screen: Screen) -> Result<Tools, Complaint> {
    let host = Host::open(config, screen, Opening::default())?;
    host.warn();
    if host.catalog().tools().is_empty() {
        return Err(figures::no_tools(&host.config));
    }
    Ok(Tools::of_host(host.catalog().clone(), Vec::new()))
}

/// The complaint of a file of tools or requests that cannot be used.
pub fn unusable(error: &EvalError) -> Complaint {
    let (what, mend, place) = (error.what(), error.mend(), error.place());
    Complaint::new(Exit::Usage, format!("{place}: {}", what.en), format!("{place}：{}", what.zh))
        .mend(mend.en.clone(), mend.zh.clone())
}

fn no_tools() -> Complaint {
    Complaint::new(Exit::Usage, "no tool of this file can be used", "该文件中的工具均无法使用").mend(
        "`winclaw explain x --all --tools FILE` lists what is wrong with them",
        "运行 winclaw explain x --all --tools FILE 查看问题",
    )
}

/// Every request named tools that are not there; the first of them is said.
fn no_requests(file: &Path, dataset: &Dataset) -> Complaint {
    let first = dataset.problems.iter().find(|problem| problem.fatal && problem.kind == ProblemKind::Claim);
    let (en, zh) = first.map_or_else(Default::default, |problem| (problem.what.en.clone(), problem.what.zh.clone()));
    let file = file.display();
    Complaint::new(
        Exit::Usage,
        format!("{file}: no request can be measured, for none of the tools they need is known. {en}"),
        format!("{file}：没有可评测的请求，因为它们需要的工具都不存在。{zh}"),
    )
    .mend(
        "write the ids as the file of tools has them (`winclaw tool list` shows those of the plugins)",
        "请按工具文件中的写法填写 id（运行 winclaw tool list 查看插件的工具 id）",
    )
}

fn strategies(args: &EvalArgs) -> Result<Vec<Strategy>, Complaint> {
    let (first, second) = (strategy(args.strategy), args.compare.map(strategy));
    if second == Some(first) {
        let name = first.as_str();
        return Err(Complaint::new(
            Exit::Usage,
            format!("--compare {name} is the strategy that is measured already"),
            format!("--compare {name} 与所评测的策略相同"),
        )
        .mend("compare with another one: progressive, full or hard", "请与另一种策略比较：progressive、full 或 hard"));
    }
    Ok(std::iter::once(first).chain(second).collect())
}

fn options(args: &EvalArgs) -> Options {
    let settings = settings(&args.exposure, WINDOW, MAX_TOOLS);
    let mut ks: Vec<usize> = args.k.iter().map(|k| *k as usize).collect();
    ks.sort_unstable();
    ks.dedup();
    Options {
        ks,
        window_tokens: settings.window_tokens,
        max_tools: settings.max_tools,
        transport: settings.transport,
        seed: args.seed,
        per_step: args.per_step.map(|looks| (looks.first, looks.further)).or(args.steps.as_ref().map(|_| (4, 3))),
        misses: args.misses,
        ..Options::default()
    }
}

fn measure(dataset: &Dataset, options: &Options, strategies: &[Strategy], bar: &Progress) -> Measured {
    let one = |place: usize, strategy: Strategy| {
        let before = place * dataset.requests.len();
        let options = Options { strategy, ..options.clone() };
        evaluate(dataset, &options, &mut |done, _| bar.at(before + done))
    };
    let first = one(0, strategies[0]);
    let second = strategies.get(1).map(|strategy| {
        let second = one(1, *strategy);
        let comparison = compare(&first, &second);
        (second, comparison)
    });
    Measured { first, second }
}

/// The first report, and beside its keys the second and the comparison.
fn json(measured: &Measured) -> Value {
    let value = |report: &EvalReport| serde_json::to_value(report).unwrap_or_default();
    let mut whole = value(&measured.first);
    if let (Some(map), Some((second, comparison))) = (whole.as_object_mut(), &measured.second) {
        map.insert("compared_with".into(), value(second));
        map.insert("comparison".into(), serde_json::to_value(comparison).unwrap_or_default());
    }
    figures::rounded(whole)
}
