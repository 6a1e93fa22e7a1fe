//! `winclaw demo`: a scene from a plugin package, played through the whole line with real plugins.

mod stand_ins;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde::Deserialize;
use serde_json::Value;
use winclaw_agent::{Answer, Event, Front, ShownTool};
use winclaw_guard::Consent;
use winclaw_model::{ChatModel, Replay, Script};
use winclaw_net::{Exchange, NetClient};
use winclaw_tool::{Failure, Lang, Text};
use winclaw_toolbox::{Backend, BoxFuture};

use self::stand_ins::{StandIn, StandIns};

use crate::cli::{ApproveWord, DemoArgs, ExposureArgs, OutputWord, StrategyWord, TaskArgs, TransportWord};
use crate::complaint::{Complaint, Exit, io};
use crate::config::Config;
use crate::host::{Host, Opening};
use crate::screen::{Screen, Style, columns, harmless};
use crate::task::{self, Task, exit, of_model};
use crate::terminal::{one_line, reason, why_not_run};

/// A scene, as a package carries it in `demos/*.json`.
#[derive(Debug, Deserialize)]
struct Scene {
    schema: u32,
    name: String,
    #[serde(default)]
    default: bool,
    request: Text,
    /// The request in English, for who does not read its language.
    #[serde(default)]
    gloss: String,
    /// Plugins it needs.
    #[serde(default)]
    needs: Vec<String>,
    /// Recorded replies of the network.
    #[serde(default)]
    http: Value,
    /// Tools that it plays itself.
    #[serde(default)]
    stand_ins: Vec<StandIn>,
    /// What runs unasked; everything, where the scene does not say.
    #[serde(default)]
    approve: Option<ApproveWord>,
    /// What the person answers when asked about these tools; about any other nobody can be asked.
    #[serde(default)]
    answers: BTreeMap<String, bool>,
    /// What the person sees here, in a sentence, before it begins.
    #[serde(default)]
    story: Text,
    /// The replayed model.
    model: Script,
}

/// Plays a scene and says what happens at each step.
pub async fn run(config: Config, screen: Screen, args: DemoArgs, verbose: bool) -> Result<Exit, Complaint> {
    let scenes = scenes(&config.plugins_dir);
    if args.list {
        let rows: Vec<Vec<String>> =
            scenes.iter().map(|scene| vec![scene.name.clone(), harmless(screen.text(&scene.request))]).collect();
        columns(&rows).iter().for_each(|line| screen.line(line));
        return Ok(Exit::Done);
    }
    let scene = choose(scenes, args.scene.as_deref(), &config.plugins_dir)?;
    let folder = folder(args.out)?;
    let net = if args.live { None } else { Some(recorded(&scene)?) };
    let stand_ins = Arc::new(StandIns::new(scene.stand_ins.clone()));
    let beside: Vec<Arc<dyn Backend>> = vec![stand_ins.clone()];
    let host = Host::open(config, screen, Opening { folder: Some(folder), net, beside, ..Opening::default() })?;
    check_needs(&host, &scene)?;
    introduce(&host, &scene, &stand_ins, args.live);
    play(&host, scene, args.strategy, verbose).await
}

fn scenes(plugins: &Path) -> Vec<Scene> {
    let mut files: Vec<PathBuf> = entries(plugins).flat_map(|package| entries(&package.join("demos"))).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "json"));
    files.sort();
    let read = |file: PathBuf| serde_json::from_slice::<Scene>(&std::fs::read(file).ok()?).ok();
    files.into_iter().filter_map(read).filter(|scene| scene.schema == 1).collect()
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path())
}

fn choose(mut scenes: Vec<Scene>, name: Option<&str>, plugins: &Path) -> Result<Scene, Complaint> {
    let known = scenes.iter().map(|scene| scene.name.as_str()).collect::<Vec<_>>().join(", ");
    let at = match name {
        Some(name) => scenes.iter().position(|scene| scene.name == name),
        None => scenes.iter().position(|scene| scene.default).or(if scenes.is_empty() { None } else { Some(0) }),
    };
    if let Some(at) = at {
        return Ok(scenes.swap_remove(at));
    }
    let place = plugins.display();
    let complaint = match name {
        Some(name) => {
            Complaint::new(Exit::Usage, format!("there is no scene `{name}`"), format!("没有名为“{name}”的场景"))
        }
        None => Complaint::new(
            Exit::Usage,
            format!("no package in {place} carries a scene"),
            format!("{place} 中没有带演示场景的插件包"),
        ),
    };
    Err(match known.is_empty() {
        true => complaint.mend("name the plugin folder with --plugins", "请用 --plugins 指定插件文件夹"),
        false => complaint.mend(format!("the scenes are: {known}"), format!("现有场景：{known}")),
    })
}

/// The folder the tools work in: the demo's own below the current one, so that playing it again harms nothing.
fn folder(out: Option<PathBuf>) -> Result<PathBuf, Complaint> {
    let folder = out.unwrap_or_else(|| PathBuf::from("winclaw-demo"));
    std::fs::create_dir_all(&folder).map_err(|error| io(&folder, &error))?;
    Ok(folder)
}

fn recorded(scene: &Scene) -> Result<NetClient, Complaint> {
    let exchanges = if scene.http.is_null() { Ok(Vec::new()) } else { Exchange::list(&scene.http) };
    let wrong = |why: String| {
        Complaint::new(Exit::Usage, format!("scene {}: {why}", scene.name), format!("场景 {}：{why}", scene.name))
    };
    exchanges.map(NetClient::recorded).map_err(|error| wrong(error.to_string()))
}

fn check_needs(host: &Host, scene: &Scene) -> Result<(), Complaint> {
    let there: BTreeSet<&str> = host.plugins.plugins().iter().map(|plugin| plugin.manifest.id.as_str()).collect();
    let missing: Vec<&str> = scene.needs.iter().map(String::as_str).filter(|id| !there.contains(id)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let missing = missing.join(", ");
    Err(Complaint::new(
        Exit::Usage,
        format!("the scene needs plugins that are not here: {missing}"),
        format!("场景所需的插件不存在：{missing}"),
    )
    .mend("`winclaw plugin list` says what is here and what is wrong", "运行 winclaw plugin list 查看现有插件及问题"))
}

async fn play(host: &Host, scene: Scene, strategy: StrategyWord, verbose: bool) -> Result<Exit, Complaint> {
    let screen = host.screen;
    let request = screen.text(&scene.request).to_owned();
    let stage = Arc::new(Stage { answers: scene.answers, strategy, ..Stage::new(screen, verbose) });
    let front: Arc<dyn Front> = stage.clone();
    stage.step(screen.word("The request", "请求"));
    screen.line(&format!("   {request}"));
    if screen.lang == Lang::En && !scene.gloss.is_empty() {
        screen.line(&screen.paint(Style::Dim, &format!("   ({})", harmless(&scene.gloss))));
    }
    let model: Box<dyn ChatModel> = Box::new(Replay::new(scene.model));
    let task = Task { request: request.clone(), args: task_args(scene.approve), exposure: exposure_args(), strategy };
    let (report, trace) = task::run_with(host, model.as_ref(), &task, &front, None).await?;
    stage.end_line();
    if let winclaw_agent::EndState::ModelFailed(error) = &report.state {
        // A script cannot go on after a tool has failed; what failed is what the person must hear.
        return Err(stage.failure().map_or_else(|| of_model(error), |failure| Complaint::of_failure(&failure)));
    }
    if let Some(complaint) = task::complaint(&report.state) {
        let (mark, what) = (screen.word("It ends here", "到此为止"), screen.text(&complaint.what));
        screen.line("");
        screen.line(&screen.paint(Style::Red, &harmless(&format!("✗ {mark}: {what} ({})", complaint.exit as u8))));
    }
    conclude(host, &stage, &request, &trace);
    Ok(exit(&report.state))
}

fn introduce(host: &Host, scene: &Scene, stand_ins: &StandIns, live: bool) {
    let (screen, plugins) = (host.screen, host.plugins.plugins().len());
    let net = match live {
        true => screen.word("the network is real", "网络是真实的"),
        false => screen.word("replies of the network are recorded", "网络回复是录制的"),
    };
    let en =
        format!("Scene `{}`: the model is REPLAYED from a script, {net}; the {plugins} plugins are real.", scene.name);
    let zh = format!("场景“{}”：模型为【回放】脚本，{net}；{plugins} 个插件是真实的。", scene.name);
    screen.line(&screen.paint(Style::Bold, screen.word(&en, &zh)));
    let names = stand_ins.names();
    if !names.is_empty() {
        let words =
            screen.word("Played by the scene, since no plugin here has them", "以下工具由场景扮演，此处没有相应插件");
        screen.line(&format!("{words}: {names}"));
    }
    if !scene.story.is_empty() {
        screen.line(&harmless(screen.text(&scene.story)));
    }
}

/// A scene writes only into the demo's own folder, and may replace there what it left before.
fn task_args(approve: Option<ApproveWord>) -> TaskArgs {
    TaskArgs {
        approve: approve.or(Some(ApproveWord::Always)),
        output: OutputWord::Text,
        allow: Vec::new(),
        max_turns: None,
    }
}

fn exposure_args() -> ExposureArgs {
    ExposureArgs { transport: TransportWord::Auto, window: None }
}

fn conclude(host: &Host, stage: &Stage, request: &str, trace: &str) {
    let screen = host.screen;
    screen.line("");
    for path in stage.left() {
        let size = std::fs::metadata(&path).map(|file| file.len()).unwrap_or(0);
        let words = screen.word("left", "生成文件");
        screen.line(&screen.paint(Style::Green, &format!("{words}: {path} ({size} bytes)")));
    }
    let program = std::env::current_exe().map_or_else(|_| "winclaw".into(), |exe| exe.display().to_string());
    screen.line(&format!(
        "{}: {program} trace show {trace}",
        screen.word("what was decided, and why", "每个决定及其原因")
    ));
    screen.line(screen.word(
        "The same on your own model, with one variable set:",
        "用您自己的模型运行同样的请求，只需设置一个变量：",
    ));
    let request = request.replace('"', "\\\"");
    screen.line(&format!("  DEEPSEEK_API_KEY=sk-… {program} run --approve writes \"{request}\""));
}

/// Prints a task step by step.
struct Stage {
    screen: Screen,
    verbose: bool,
    answers: BTreeMap<String, bool>,
    strategy: StrategyWord,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    steps: u32,
    line_open: bool,
    shown: Vec<String>,
    left: Vec<String>,
    failure: Option<Failure>,
}

impl Stage {
    fn new(screen: Screen, verbose: bool) -> Self {
        Stage {
            screen,
            verbose,
            answers: BTreeMap::new(),
            strategy: StrategyWord::Progressive,
            state: Mutex::default(),
        }
    }

    fn with<T>(&self, use_it: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        use_it(&mut state)
    }

    fn step(&self, title: &str) {
        self.end_line();
        let number = self.with(|state| {
            state.steps += 1;
            state.steps
        });
        self.screen.line("");
        self.screen.line(&self.screen.paint(Style::Bold, &format!("{number}. {title}")));
    }

    fn end_line(&self) {
        if self.with(|state| std::mem::take(&mut state.line_open)) {
            self.screen.line("");
        }
    }

    /// Files that tools said they left, in order.
    fn left(&self) -> Vec<String> {
        self.with(|state| state.left.clone())
    }

    /// The last failure of a tool, if one failed.
    fn failure(&self) -> Option<Failure> {
        self.with(|state| state.failure.clone())
    }

    fn text(&self, text: &str) {
        if !self.with(|state| state.line_open) {
            self.step(self.screen.word("The model (replayed) says", "模型（回放）说"));
            self.screen.part("   ");
            self.with(|state| state.line_open = true);
        }
        self.screen.part(&harmless(text).replace('\n', "\n   "));
    }

    /// What the model is shown; later only what is new.
    fn exposure(&self, event: &Event) {
        let Event::Exposure { call_no, shown, named, tokens, everything_tokens } = event else { return };
        let names: Vec<String> = shown.iter().map(|tool| tool.tool.clone()).collect();
        let before = self.with(|state| std::mem::replace(&mut state.shown, names));
        let new: Vec<&ShownTool> = shown.iter().filter(|tool| !before.contains(&tool.tool)).collect();
        if new.is_empty() {
            return;
        }
        let screen = self.screen;
        self.step(match call_no {
            1 => screen.word("What the model is shown, and why", "展示给模型的工具及原因"),
            _ => screen.word("Shown from now on too", "从现在起也展示"),
        });
        let row = |tool: &&ShownTool| {
            vec![format!("   {}", tool.tool), tool.level.clone(), harmless(screen.text(&tool.because))]
        };
        columns(&new.iter().map(row).collect::<Vec<_>>()).iter().for_each(|line| screen.line(line));
        let en = format!(
            "   {named} more tools are only named and stay callable; {tokens} tokens, every schema would be {everything_tokens}"
        );
        let zh = format!(
            "   另有 {named} 个工具仅列出名称，仍可调用；共 {tokens} token，展示全部需 {everything_tokens} token"
        );
        let hard = (
            format!("   {named} other tools are hidden and cannot be called; {tokens} tokens"),
            format!("   另有 {named} 个工具被隐藏，无法调用；共 {tokens} token"),
        );
        let (en, zh) = if self.strategy == StrategyWord::Hard { hard } else { (en, zh) };
        screen.line(&screen.paint(Style::Dim, screen.word(&en, &zh)));
    }

    fn call(&self, event: &Event) {
        let Event::CallStarted { tool, title, emoji, detail, .. } = event else {
            return;
        };
        let title = if title.is_empty() { tool.as_str() } else { self.screen.text(title) };
        self.step(&harmless(&format!("{emoji} {title}  {detail}")));
        self.screen.line(&self.screen.paint(Style::Dim, &format!("   {tool}")));
    }

    fn ended(&self, event: &Event) {
        let Event::CallEnded { ms, result, failure, .. } = event else {
            return;
        };
        if let Some(failure) = failure {
            self.with(|state| state.failure = Some(failure.clone()));
            let line = format!("   ✗ {ms} ms  {}", reason(&self.screen, failure));
            return self.screen.line(&self.screen.paint(Style::Red, &harmless(&line)));
        }
        let result = result.clone().unwrap_or_default();
        if let Some(path) = result.get("path").and_then(Value::as_str).filter(|path| Path::new(path).is_file()) {
            self.with(|state| state.left.push(path.to_owned()));
        }
        self.screen.line(&self.screen.paint(Style::Green, &format!("   ✓ {ms} ms")));
        self.screen.line(&self.screen.paint(Style::Dim, &format!("   {}", harmless(&one_line(&result.to_string())))));
    }
}

impl Stage {
    /// What WinClaw noticed, and what is done about it.
    fn noticed(&self, what: &str, said: &str) {
        let words = self.screen.word("WinClaw notices", "WinClaw 注意到");
        self.step(&harmless(&format!("{words}: {what}")));
        let words = self.screen.word("the model is told", "告诉模型");
        let line = format!("   {words}: {}", one_line(said));
        self.screen.line(&self.screen.paint(Style::Yellow, &harmless(&line)));
    }

    /// A question to the person, and the answer that the scene gives for them.
    fn asked(&self, consent: &Consent) -> Answer {
        self.step(self.screen.word("WinClaw asks the person", "WinClaw 询问用户"));
        self.screen.line(&format!("   {}", harmless(self.screen.text(&consent.why))));
        let (answer, words) = match self.answers.get(consent.id.as_str()) {
            Some(true) => (Answer::Once, self.screen.word("yes, this once", "是，仅此一次")),
            Some(false) => (Answer::No, self.screen.word("no", "否")),
            None => (Answer::NobodyToAsk, self.screen.word("nobody is here to answer", "无人应答")),
        };
        let who = self.screen.word("The person (scripted)", "用户（剧本）");
        self.screen.line(&self.screen.paint(Style::Bold, &format!("   {who}: {words}")));
        answer
    }
}

impl Front for Stage {
    fn show(&self, event: Event) {
        match &event {
            // What the person is asked follows as a question.
            Event::Drift { rung: "consent", .. } => {}
            Event::Drift { said, .. } => {
                self.noticed(self.screen.word("a call leads away", "一次调用偏离了请求"), said)
            }
            Event::Loop { text, said, .. } => self.noticed(self.screen.text(text), said),
            Event::Text { text } => self.text(text),
            Event::TextEnd => self.end_line(),
            Event::Exposure { .. } => self.exposure(&event),
            Event::CallStarted { .. } => self.call(&event),
            Event::CallEnded { .. } => self.ended(&event),
            Event::NotRun { name, tool, rule, failure, .. } => {
                self.end_line();
                let why = why_not_run(&self.screen, *rule, failure);
                let line = format!("   - {}: {why}", tool.as_ref().unwrap_or(name));
                self.screen.line(&self.screen.paint(Style::Yellow, &harmless(&line)));
            }
            Event::Log { level, message, .. } if self.verbose => {
                self.screen.note(&harmless(&format!("   [{level}] {message}")))
            }
            _ => {}
        }
    }

    fn consent<'a>(&'a self, consent: &'a Consent, _: &'a Value) -> BoxFuture<'a, Answer> {
        Box::pin(async { self.asked(consent) })
    }

    fn ask<'a>(&'a self, _: &'a str, _: &'a [String]) -> BoxFuture<'a, Option<String>> {
        Box::pin(async { None })
    }
}
