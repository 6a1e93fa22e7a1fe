//! A task from the command line: choosing the model, recording, interrupting, and what is said at the end.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::json;
use tokio_util::sync::CancellationToken;
use winclaw_agent::{EndState, Event, Front, Interrupt, Options, Parts, Report, Session};
use winclaw_exposure::{Native, Settings, Strategy, Transport};
use winclaw_guard::Approve;
use winclaw_model::{ChatModel, Cost, ModelChoice, ModelError, NativeTools, Replay};
use winclaw_tool::{Lang, Text};
use winclaw_trace::{Record, TokenUsage, TraceWriter, redact_text};

use crate::cli::{ApproveWord, ExposureArgs, ModelArgs, OutputWord, StrategyWord, TaskArgs, TransportWord};
use crate::commands::chat::money;
use crate::complaint::{Complaint, Exit, io};
use crate::host::Host;
use crate::screen::{Screen, Style, harmless};
use crate::shelf::{Place, keeper, told};
use crate::terminal::Terminal;

/// What the model is told before anything about tools.
const BASE_PROMPT: &str = "You are WinClaw, an assistant that gets things done on this person's computer with tools. \
Answer in the language of the request. Use a tool when it brings you nearer to what was asked, and no other; when a call \
fails, read the error and mend the call. Say at the end what was done, with paths and sources, and what was not.";

/// The window and tool limit of an ordinary model, where no model is asked.
pub const WINDOW: u32 = 128_000;
pub const MAX_TOOLS: usize = 128;

/// A task to run.
pub struct Task {
    /// What the person asks.
    pub request: String,
    /// The options of the command line.
    pub args: TaskArgs,
    /// How exposure works.
    pub exposure: ExposureArgs,
    /// How exposure is decided; other than progressively only to show what comes of it.
    pub strategy: StrategyWord,
}

/// Chooses the model: a script, the one that is named, one whose key is set, or one that runs on this machine.
pub async fn model(args: &ModelArgs, host: &Host) -> Result<Box<dyn ChatModel>, Complaint> {
    if let Some(file) = &args.replay {
        let replay = Replay::from_file(file).map_err(|error| of_model(&error))?;
        return Ok(Box::new(replay));
    }
    let choice = match host.config.model_choice(args.model.as_deref())? {
        Some(choice) => choice,
        None => host.config.completed(local_model(&host.screen).await?),
    };
    winclaw_model::connect(&choice, &|name| host.config.variable(name)).map_err(|error| of_model(&error))
}

async fn local_model(screen: &Screen) -> Result<ModelChoice, Complaint> {
    let found = winclaw_model::discover_local().await;
    let first = found.first().ok_or_else(no_model)?;
    let choice = ModelChoice::from(first);
    let words = screen.word("using the local model", "使用本机模型");
    screen.note(&format!("{words} {}", choice.label()));
    Ok(choice)
}

fn no_model() -> Complaint {
    let complaint = of_model(&ModelError::none_found());
    let (en, zh) = (complaint.what.en.clone(), complaint.what.zh.clone());
    Complaint::new(complaint.exit, format!("there is no model to ask: {en}"), format!("没有可用的模型：{zh}")).mend(
        "set DEEPSEEK_API_KEY or OPENAI_API_KEY, or OPENAI_BASE_URL for a server that needs no key, or start Ollama or \
         LM Studio on this machine; `winclaw demo`, `explain` and `tool call` need no model",
        "请设置 DEEPSEEK_API_KEY 或 OPENAI_API_KEY，或将 OPENAI_BASE_URL 指向无需密钥的服务，或在本机启动 Ollama、LM Studio；\
         winclaw demo、explain 和 tool call 无需模型",
    )
}

/// The complaint of a model error, with its exit code and without secrets.
pub fn of_model(error: &ModelError) -> Complaint {
    let exit = match error {
        ModelError::Config { .. } => Exit::Usage,
        ModelError::Authentication { .. } => Exit::Authentication,
        ModelError::Cancelled => Exit::Interrupted,
        ModelError::ReplayMismatch { .. } => Exit::NotCompleted,
        _ => Exit::Unreachable,
    };
    Complaint { exit, what: error.text(), mend: error.hint().unwrap_or_default() }.clean()
}

/// Runs the task to its end, records it, says how it ended, and returns the exit code. `place` is the session it belongs
/// to, if any.
pub async fn run(
    host: &Host,
    model: &dyn ChatModel,
    task: &Task,
    place: Option<Place>,
    verbose: bool,
) -> Result<Exit, Complaint> {
    let terminal = Arc::new(Terminal::new(host.screen, task.args.output, verbose).keeping(host.config.policy_file()));
    let front: Arc<dyn Front> = terminal.clone();
    let shelf = place.as_ref().map(|place| Arc::clone(&place.shelf));
    let (report, trace) = run_with(host, model, task, &front, place).await?;
    terminal.end_line();
    let session = shelf.filter(|shelf| !shelf.is_behind()).map(|shelf| shelf.id());
    let ended = conclude(host, task.args.output, &report, &trace, session.as_deref());
    let denied = terminal.denied().filter(|_| task.args.output != OutputWord::Text);
    ended.map_err(|complaint| with_way_out(complaint, denied))
}

/// Runs the task before any front; returns what it left and the id of its trace.
pub async fn run_with(
    host: &Host,
    model: &dyn ChatModel,
    task: &Task,
    front: &Arc<dyn Front>,
    place: Option<Place>,
) -> Result<(Report, String), Complaint> {
    let interrupt = Interrupt::new();
    let ctrl_c = tokio::spawn(stop_on_interrupt(interrupt.clone()));
    let spill = place.as_ref().map(|place| place.shelf.spill());
    let options = Options { spill, ..options(host, model, task)? };
    let (id, mut writer) = traced(host, model, &task.request);
    let mut lost = None;
    let mut recorder = |record: Record| {
        if let Some(error) = writer.as_mut().and_then(|writer| writer.write(&record).err()) {
            lost.get_or_insert(error);
        }
    };
    let keep = place.as_ref().map(|place| keeper(Arc::clone(&place.shelf), Arc::clone(front)));
    let keep = keep.as_deref();
    let parts = Parts { toolbox: &host.toolbox, ranking: host.ranking(), model, front, interrupt: &interrupt, keep };
    let started = Instant::now();
    let report = match place {
        Some(place) => in_session(place, &id, parts, options, &mut recorder).await,
        None => winclaw_agent::run(parts, options, &mut recorder).await,
    };
    recorder(end(&report, started.elapsed()));
    if let Some(error) = lost {
        let words = host.screen.word("the trace could not be written", "无法写入跟踪记录");
        host.screen.note(&host.screen.paint(Style::Yellow, &format!("{words}: {error}")));
    }
    ctrl_c.abort();
    Ok((report, id))
}

/// The trace of a task, or that it has none: then its id is empty, and the task goes on without.
fn traced(host: &Host, model: &dyn ChatModel, request: &str) -> (String, Option<TraceWriter>) {
    match open_trace(host, model, request) {
        Ok((id, writer)) => (id, Some(writer)),
        Err(complaint) => {
            let line = host.screen.text(&no_trace(&complaint)).to_owned();
            host.screen.note(&host.screen.paint(Style::Yellow, &harmless(&line)));
            (String::new(), None)
        }
    }
}

/// That a task has no trace: why, and how the next one has one.
pub fn no_trace(why: &Complaint) -> Text {
    let (what, mend) = (&why.what, &why.mend);
    let (gap_en, gap_zh) = if mend.is_empty() { ("", "") } else { ("; ", "；") };
    Text::new(
        format!("this task has no trace: {}{gap_en}{}", what.en, mend.en),
        format!("本任务没有跟踪记录：{}{gap_zh}{}", what.zh, mend.zh),
    )
}

/// Runs the task whose trace is `id` as the next one of a session.
async fn in_session(
    place: Place,
    id: &str,
    parts: Parts<'_>,
    options: Options,
    recorder: &mut (dyn FnMut(Record) + Send),
) -> Report {
    let Place { shelf, before, requests, after } = place;
    recorder(Record::Session { session_id: shelf.id(), request_no: requests + 1, after });
    shelf.begin_task(id, &parts.model.label());
    let (report, _) = match before {
        Some((saved, messages)) => {
            let (session, problems) = Session::restore(saved, messages, &parts, &options);
            problems.iter().for_each(|problem| parts.front.show(Event::Notice { text: told(problem) }));
            session.go_on(parts, options, recorder).await
        }
        None => Session::begin(parts, options, recorder).await,
    };
    shelf.end_task(id, &report);
    report
}

/// How soon after another Ctrl-C one ends the task and not just what runs.
const TWICE: Duration = Duration::from_secs(2);

/// Ctrl-C stops what runs: a call, a question, the model's reply. Twice, or when nothing runs, it ends the task; as does
/// the system when it asks the program to end.
pub async fn stop_on_interrupt(interrupt: Interrupt) {
    let mut last: Option<Instant> = None;
    let told_to_end = told_to_end();
    tokio::pin!(told_to_end);
    loop {
        tokio::select! {
            pressed = tokio::signal::ctrl_c() => if pressed.is_err() { return },
            () = &mut told_to_end => return interrupt.cancel_task(),
        }
        let twice = last.is_some_and(|last| last.elapsed() < TWICE);
        if twice || !interrupt.cancel_call() {
            interrupt.cancel_task();
        }
        last = Some(Instant::now());
    }
}

/// Cancels when the person interrupts the program.
pub async fn cancel_on_interrupt(cancel: CancellationToken) {
    tokio::select! {
        pressed = tokio::signal::ctrl_c() => if pressed.is_err() { return },
        () = told_to_end() => {}
    }
    cancel.cancel();
}

/// Returns when the system asks the program to end: SIGTERM, or SIGHUP when its terminal is gone, unless it was started
/// to outlive that. Never where the system has no such thing.
#[cfg(unix)]
pub async fn told_to_end() {
    use tokio::signal::unix::{Signal, SignalKind, signal};
    let next = |signal: Option<Signal>| async move {
        match signal {
            Some(mut signal) => drop(signal.recv().await),
            None => std::future::pending().await,
        }
    };
    let hangup = (!winclaw_loader::ignores_hangup()).then(|| signal(SignalKind::hangup()).ok()).flatten();
    tokio::select! {
        () = next(signal(SignalKind::terminate()).ok()) => {}
        () = next(hangup) => {}
    }
}

/// Returns when the system asks the program to end; here it never does.
#[cfg(not(unix))]
pub async fn told_to_end() {
    std::future::pending().await
}

/// The options of a task, from the command line, the configuration and the model.
pub fn options(host: &Host, model: &dyn ChatModel, task: &Task) -> Result<Options, Complaint> {
    Ok(Options {
        exposure: Settings {
            native: model.native().map(native),
            strategy: strategy(task.strategy),
            ..settings(&task.exposure, model.window_tokens(), model.max_tools())
        },
        policy: host.policy(task.args.approve)?,
        max_turns: task.args.max_turns.unwrap_or(host.config.max_turns),
        ..Options::new(&task.request)
    })
}

/// What exposure makes of the vendor's way to reveal tools.
fn native(by: NativeTools) -> Native {
    match by {
        NativeTools::References => Native::References,
        NativeTools::SearchResult => Native::SearchResult,
    }
}

/// The strategy that a word of the command line means.
pub fn strategy(word: StrategyWord) -> Strategy {
    match word {
        StrategyWord::Progressive => Strategy::Progressive,
        StrategyWord::Full => Strategy::Full,
        StrategyWord::Hard => Strategy::Hard,
    }
}

/// The exposure settings of the command line, over those of a model.
pub fn settings(args: &ExposureArgs, window: u32, max_tools: usize) -> Settings {
    Settings {
        window_tokens: args.window.unwrap_or(window),
        max_tools,
        transport: match args.transport {
            TransportWord::Auto => None,
            TransportWord::Direct => Some(Transport::Direct),
            TransportWord::Bridge => Some(Transport::Bridge),
        },
        base_prompt: BASE_PROMPT.into(),
        ..Settings::default()
    }
}

/// The guard's rule for a word of the command line; without one only reads run unasked.
pub fn approval(word: Option<ApproveWord>) -> Approve {
    match word {
        None | Some(ApproveWord::Never) => Approve::Never,
        Some(ApproveWord::Writes) => Approve::Writes,
        Some(ApproveWord::Always) => Approve::Always,
    }
}

/// Opens the trace of a task and writes its head; returns the task's id.
///
/// Errors: the folder or the file cannot be written.
pub fn open_trace(host: &Host, model: &dyn ChatModel, request: &str) -> Result<(String, TraceWriter), Complaint> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let started_unix_ms = u64::try_from(now.as_millis()).unwrap_or(0);
    let id = winclaw_trace::new_task_id(started_unix_ms, now.subsec_nanos() ^ std::process::id());
    let folder = host.config.traces();
    crate::commands::trace::prune::at_start(&host.config, &id);
    let writer = TraceWriter::create(&folder, &id).map_err(|error| unwritable(&folder, &error))?;
    let mut writer = writer.hiding(crate::hidden::secrets());
    let start = Record::Start {
        task_id: id.clone(),
        started_unix_ms,
        program: format!("winclaw {}", env!("CARGO_PKG_VERSION")),
        model: model.label(),
        replayed: model.replayed(),
        request: request.into(),
        lang: if host.screen.lang == Lang::Zh { "zh" } else { "en" }.into(),
    };
    if let Err(error) = writer.write(&start) {
        writer.discard();
        return Err(unwritable(&folder, &error));
    }
    Ok((id, writer))
}

/// Traces cannot be written to `folder`.
fn unwritable(folder: &Path, error: &std::io::Error) -> Complaint {
    io(folder, error).mend(
        "make room on its disk and the folder writable for you, or choose another --data-dir",
        "请腾出磁盘空间并使该文件夹对您可写，或选择另一个 --data-dir",
    )
}

/// The last record of a task.
pub fn end(report: &Report, took: Duration) -> Record {
    Record::End {
        state: report.state.as_str().into(),
        exit_code: exit(&report.state) as i32,
        calls: report.calls.into(),
        tokens: TokenUsage { input: report.usage.input, cached: report.usage.cached, output: report.usage.output },
        ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        answer_chars: report.answer.chars().count() as u64,
    }
}

/// The exit code of an end.
pub fn exit(state: &EndState) -> Exit {
    match state {
        EndState::Done => Exit::Done,
        EndState::ToolFailed { .. } => Exit::ToolFailed,
        EndState::Denied { .. } => Exit::Denied,
        EndState::NotCompleted { .. } => Exit::NotCompleted,
        EndState::Stopped { .. } => Exit::Stopped,
        EndState::ModelFailed(error) => of_model(error).exit,
        EndState::Interrupted => Exit::Interrupted,
    }
}

/// What is said of an end that is not simply done.
pub fn complaint(state: &EndState) -> Option<Complaint> {
    let new = |en: &str, zh: &str| Some(Complaint::new(exit(state), en, zh));
    match state {
        EndState::Done => None,
        EndState::ToolFailed { tool } => new(
            &format!("a tool the task needed failed: {tool}; the trace says why"),
            &format!("任务所需的工具失败了：{tool}；原因见跟踪记录"),
        ),
        EndState::Denied { tool } => new(
            &format!("something the task needed was not allowed: {tool}; what would allow it was said with the call"),
            &format!("任务所需的操作未获允许：{tool}；该调用处已说明如何允许"),
        ),
        EndState::NotCompleted { why } => {
            new(&format!("not completed: {}", why.en), &format!("任务未完成：{}", why.zh))
        }
        EndState::Stopped { why } => new(&format!("stopped: {}", why.en), &format!("已停止：{}", why.zh)),
        EndState::ModelFailed(error) => Some(of_model(error)),
        EndState::Interrupted => new("interrupted; what ran so far is in the trace", "已中断；已运行的内容见跟踪记录"),
    }
}

fn conclude(
    host: &Host,
    output: OutputWord,
    report: &Report,
    trace: &str,
    session: Option<&str>,
) -> Result<Exit, Complaint> {
    if output != OutputWord::Text {
        let usage = &report.usage;
        host.screen.json(
            &json!({"event": "end", "state": report.state.as_str(), "exit_code": exit(&report.state) as u8,
                    "answer": report.answer, "calls": report.calls, "turns": report.turns,
                    "trace": Some(trace).filter(|id| !id.is_empty()),
                    "session": session, "cost": report.cost.as_ref().map(cost),
                    "tokens": {"input": usage.input, "cached": usage.cached, "output": usage.output}}),
        );
    }
    if let (OutputWord::Text, Some(line)) = (output, spent_line(host.screen, report)) {
        host.screen.note(&host.screen.paint(Style::Dim, &line));
    }
    if let (OutputWord::Text, Some(session)) = (output, session) {
        let words = host.screen.word("session", "会话");
        host.screen.note(&host.screen.paint(Style::Dim, &format!("{words}: winclaw session resume {session} \"…\"")));
    }
    let Some(mut complaint) = complaint(&report.state) else { return Ok(Exit::Done) };
    if trace.is_empty() {
        return Err(complaint);
    }
    let told = trace_line(trace);
    match output {
        OutputWord::Text => host.screen.note(&host.screen.paint(Style::Dim, host.screen.text(&told))),
        _ if complaint.mend.is_empty() => complaint.mend = told,
        _ => {}
    }
    Err(complaint)
}

/// Where no line of the calls was shown, the complaint itself names the call that was denied and what would allow it.
fn with_way_out(complaint: Complaint, denied: Option<(String, Text)>) -> Complaint {
    match denied {
        Some((call, mend)) if complaint.exit == Exit::Denied => {
            let what = Text::new(format!("not allowed: {call}"), format!("未获允许：{call}"));
            Complaint { what: Text::new(redact_text(&what.en), redact_text(&what.zh)), mend, ..complaint }
        }
        _ => complaint,
    }
}

fn cost(cost: &Cost) -> serde_json::Value {
    json!({"micros": cost.amount, "currency": cost.currency})
}

/// What the task took, in a line; nothing where nothing is known.
fn spent_line(screen: Screen, report: &Report) -> Option<String> {
    let tokens = report.usage.input.map(|_| money::tokens(&screen, &report.usage));
    let parts: Vec<String> = tokens.into_iter().chain(report.cost.as_ref().map(money::amount)).collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// A line that says where the record of a task is read.
fn trace_line(id: &str) -> Text {
    Text::new(format!("trace: winclaw trace show {id}"), format!("跟踪记录：winclaw trace show {id}"))
}
