//! A chat: the host, the model, the conversation, and what is done with a message.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::task::block_in_place;
use winclaw_agent::{EndState, Front, Options, Parts, Report};
use winclaw_model::ChatModel;
use winclaw_session::Store;
use winclaw_tool::{Problem, Text};
use winclaw_trace::{Record, TraceWriter};

use super::account::Account;
use super::attach::{Attachment, pictures, texts};
use super::complete::Known;
use super::conversation::{Conversation, Last};
use super::editor::{Choices, Editor, MARK};
use super::front::ChatFront;
use super::input::Input;
use super::pen::Pen;
use super::quiet::Quiet;
use super::stops::{Stopped, Stops};
use crate::cli::{ApproveWord, ChatArgs, ModelArgs, OutputWord, StrategyWord, TaskArgs};
use crate::complaint::{Complaint, Exit};
use crate::config::Config;
use crate::host::{Host, Opening};
use crate::screen::{Screen, Style, harmless};
use crate::shelf::{self, not_kept};
use crate::task::{self, Task};
use crate::terminal::{Ask, Terminal};

/// How many past conversations are completed.
const COMPLETED: usize = 50;

/// Everything a chat has.
pub(super) struct Chat {
    pub(super) host: Host,
    pub(super) screen: Screen,
    pub(super) model: Box<dyn ChatModel>,
    pub(super) args: ChatArgs,
    /// What runs without asking, as the person set it last.
    pub(super) approve: Option<ApproveWord>,
    pub(super) store: Option<Store>,
    pub(super) conversation: Conversation,
    /// What goes with the next message.
    pub(super) attachments: Vec<Attachment>,
    pub(super) input: Input,
    choices: Choices,
    /// As long as the editor has the terminal.
    quiet: Option<Quiet>,
    pen: Arc<Pen>,
    stops: Arc<Stops>,
    verbose: bool,
    /// How the last request or command ended that did not end well.
    exit: Exit,
}

impl Chat {
    /// Puts everything together, and takes up the conversation that `args` name.
    pub(super) async fn open(config: Config, screen: Screen, args: ChatArgs, verbose: bool) -> Result<Chat, Complaint> {
        let opening = Opening { allow: args.allow.clone(), ..Opening::default() };
        let host = Host::open(config, screen, opening)?;
        host.warn();
        // A rule that is wrong is told before the first request and not behind it.
        host.policy(args.approve)?;
        let model = task::model(&args.model, &host).await?;
        let store = open_store(&host);
        let choices = Choices::default();
        let (input, pen) = hands(&host, &choices);
        let approve = args.approve;
        let mut chat = Chat {
            screen,
            conversation: Conversation::default(),
            attachments: Vec::new(),
            stops: Arc::default(),
            exit: Exit::Done,
            quiet: input.is_editor().then(Quiet::begin),
            host,
            model,
            args,
            approve,
            store,
            input,
            choices,
            pen,
            verbose,
        };
        chat.take_up()?;
        chat.pen.keep_time();
        chat.listen();
        Ok(chat)
    }

    /// The conversation that the command line names, or a new one.
    fn take_up(&mut self) -> Result<(), Complaint> {
        match self.args.resume.clone() {
            Some(given) => self.resume(&given),
            None => {
                self.begin_anew();
                Ok(())
            }
        }
    }

    /// Leaves the conversation, which is kept, for a new one.
    pub(super) fn begin_anew(&mut self) {
        // The old one is let go first.
        self.conversation = Conversation::default();
        let (conversation, error) = Conversation::begin(self.store.as_ref(), &self.model.label());
        self.conversation = conversation;
        error.iter().for_each(|error| self.warn(self.screen.text(&not_kept(error))));
    }

    /// Ctrl-C while a task runs stops what runs.
    fn listen(&self) {
        let (stops, pen, screen) = (Arc::clone(&self.stops), Arc::clone(&self.pen), self.screen);
        let leaves_at_once = !self.input.is_editor();
        tokio::spawn(async move {
            while tokio::signal::ctrl_c().await.is_ok() {
                let stopped = stops.press();
                if stopped == Stopped::Nothing && leaves_at_once {
                    std::process::exit(Exit::Interrupted as i32);
                }
                say_stopped(&pen, &screen, stopped);
            }
        });
    }

    /// Says who is there and where help is; nothing without a person.
    pub(super) fn greet(&self) {
        if !self.input.is_editor() {
            return;
        }
        let help = self.screen.word("/help shows what can be done", "/help 显示可用的命令");
        let head = format!("WinClaw · {} · {help}", harmless(&self.model.label()));
        self.screen.note(&self.screen.paint(Style::Dim, &head));
    }

    /// What stands before the person's line.
    pub(super) fn mark(&self) -> String {
        match self.attachments.len() {
            0 => MARK.to_owned(),
            count => format!("[+{count}] {MARK}"),
        }
    }

    /// Prepares for the next line: completion knows what there is now.
    pub(super) fn before_line(&self) {
        if !self.input.is_editor() {
            return;
        }
        let sessions = self.store.as_ref().and_then(|store| store.list(Some(COMPLETED)).ok()).unwrap_or_default();
        let known = Known {
            tools: super::tools::names(&self.host),
            sessions: sessions.into_iter().map(|info| (info.id, info.title)).collect(),
            models: super::commands::models(self),
        };
        *self.choices.lock().unwrap_or_else(PoisonError::into_inner) = known;
    }

    /// Sends a message and shows what comes of it. Never an error: whatever happens is said.
    pub(super) async fn send(&mut self, message: String) -> Result<(), Complaint> {
        let attachments = std::mem::take(&mut self.attachments);
        let (report, trace) = match self.ask(&message, &attachments).await {
            Ok(done) => done,
            Err(complaint) => {
                self.attachments = attachments;
                return Err(complaint);
            }
        };
        self.pen.rest();
        if let Some(mut complaint) = task::complaint(&report.state) {
            let told = Text::new(format!("/trace shows the record ({trace})"), format!("/trace 显示记录（{trace}）"));
            if complaint.mend.is_empty() {
                complaint.mend = told;
            }
            match report.state {
                EndState::Interrupted => self.interrupted(),
                _ => self.complain(&complaint),
            }
        }
        Ok(())
    }

    /// Runs one request as a task, records and keeps it; returns its report and the id of its trace.
    async fn ask(&mut self, message: &str, attachments: &[Attachment]) -> Result<(Report, String), Complaint> {
        let shelf = self.conversation.shelf();
        let options = self.options(message, attachments)?;
        let (id, mut writer) = self.open_trace(message);
        let (mut records, mut lost) = (Vec::new(), None);
        let mut recorder = |record: Record| {
            let failed = writer.as_mut().and_then(|writer| writer.write(&record).err());
            lost = lost.take().or(failed);
            records.push(record);
        };
        self.link(&mut recorder);
        shelf.iter().for_each(|shelf| shelf.begin_task(&id, &self.model.label()));
        let front = Arc::new(self.front());
        let (started, before) = (Instant::now(), self.conversation.spent());
        let report = self.run(options, &front, &mut recorder).await;
        recorder(task::end(&report, started.elapsed()));
        shelf.iter().for_each(|shelf| shelf.end_task(&id, &report));
        let kept = shelf.and_then(|shelf| shelf.take_error().filter(|_| shelf.tell_once()));
        self.say_lost(lost, kept);
        let account = Account::of(&records, &front.told());
        let spent = super::commands::difference(&before, &self.conversation.spent());
        let (trace, request) = (id.clone(), message.to_owned());
        self.conversation.last = Some(Last { trace, request, spent: Some(spent), account: Some(account) });
        Ok((report, id))
    }

    /// Opens the trace of a task. On a disk that is full the task goes on without one.
    fn open_trace(&self, message: &str) -> (String, Option<TraceWriter>) {
        match task::open_trace(&self.host, self.model.as_ref(), message) {
            Ok((id, writer)) => (id, Some(writer)),
            Err(complaint) => {
                self.warn(self.screen.text(&task::no_trace(&complaint)));
                (String::new(), None)
            }
        }
    }

    fn options(&self, message: &str, attachments: &[Attachment]) -> Result<Options, Complaint> {
        let options = task::options(&self.host, self.model.as_ref(), &self.task(message))?;
        let spill = self.conversation.shelf().map(|shelf| shelf.spill());
        Ok(Options { attached: texts(attachments), images: pictures(attachments), spill, ..options })
    }

    /// Lets the task run, with Ctrl-C in hand.
    async fn run(
        &mut self,
        options: Options,
        front: &Arc<ChatFront>,
        recorder: &mut (dyn FnMut(Record) + Send),
    ) -> Report {
        let (interrupt, front) = (self.stops.begin(), Arc::clone(front) as Arc<dyn Front>);
        let parts = Parts {
            toolbox: &self.host.toolbox,
            ranking: self.host.ranking(),
            model: self.model.as_ref(),
            front: &front,
            interrupt: &interrupt,
            keep: None,
        };
        let (pen, screen) = (Arc::clone(&self.pen), self.screen);
        let problems = move |found: &[Problem]| say_problems(&pen, &screen, found);
        self.quiet.iter().for_each(|quiet| quiet.interrupts(true));
        let report = self.conversation.go_on(parts, options, recorder, &problems).await;
        self.quiet.iter().for_each(|quiet| quiet.interrupts(false));
        self.stops.end();
        report
    }

    fn task(&self, message: &str) -> Task {
        let (allow, max_turns) = (self.args.allow.clone(), self.args.max_turns);
        let args = TaskArgs { approve: self.approve, output: OutputWord::Text, allow, max_turns };
        let (request, exposure) = (message.to_owned(), self.args.exposure.clone());
        Task { request, args, exposure, strategy: StrategyWord::Progressive }
    }

    /// The trace says of which conversation it is, and what came before.
    fn link(&self, recorder: &mut dyn FnMut(Record)) {
        if let Some(session_id) = self.conversation.id() {
            let after = self.conversation.last.as_ref().map(|last| last.trace.clone());
            recorder(Record::Session { session_id, request_no: self.conversation.requests + 1, after });
        }
    }

    fn front(&self) -> ChatFront {
        let terminal =
            Terminal::new(self.screen, OutputWord::Text, self.verbose).keeping(self.host.config.policy_file());
        let terminal = match self.input.is_editor() {
            true => terminal.asking(self.asking()),
            false => terminal,
        };
        ChatFront::new(self.screen, Arc::clone(&self.pen), terminal)
    }

    /// Questions of a task go through the editor, where Ctrl-C is a key: it stops the call that the question is about.
    fn asking(&self) -> Arc<Ask> {
        let (input, screen) = (self.input.clone(), self.screen);
        let (stops, pen) = (Arc::clone(&self.stops), Arc::clone(&self.pen));
        Arc::new(move |question: String| {
            let (input, stops, pen) = (input.clone(), Arc::clone(&stops), Arc::clone(&pen));
            Box::pin(async move {
                let hold = pen.hold();
                let answer = block_in_place(|| input.answer(&screen, &question));
                drop(hold);
                if answer.is_none() {
                    say_stopped(&pen, &screen, stops.press());
                    // What was asked is over; whoever waits for the answer is told so and lets go of this.
                    std::future::pending::<()>().await;
                }
                answer
            })
        })
    }

    fn say_lost(&self, trace: Option<io::Error>, kept: Option<winclaw_session::Error>) {
        if let Some(error) = trace {
            let words = self.screen.word("the trace could not be written", "无法写入跟踪记录");
            self.warn(&format!("{words}: {error}"));
        }
        kept.iter().for_each(|error| self.warn(self.screen.text(&not_kept(error))));
    }

    fn interrupted(&mut self) {
        self.note_exit(Exit::Interrupted);
        self.note("stopped; say how to go on", "已停止；请说明如何继续");
    }

    /// Says what is wrong; the chat goes on.
    pub(super) fn complain(&mut self, complaint: &Complaint) {
        self.note_exit(complaint.exit);
        self.pen.make_room();
        crate::complain(&self.screen, complaint, false);
    }

    fn note_exit(&mut self, exit: Exit) {
        self.exit = exit;
    }

    /// A line about what happened.
    pub(super) fn note(&self, en: &str, zh: &str) {
        self.pen.note(&self.screen.paint(Style::Dim, self.screen.word(en, zh)));
    }

    pub(super) fn warn(&self, line: &str) {
        self.pen.note(&self.screen.paint(Style::Yellow, &harmless(line)));
    }

    /// Shows words of the model again, as they were shown when they came.
    pub(super) fn show_again(&self, words: &str) {
        self.pen.words(words);
        self.pen.rest();
    }

    /// The editor cannot have the terminal: plain lines from now on. Where there was none, there is no input at all.
    pub(super) fn without_editor(&mut self, error: &io::Error) -> Result<(), Complaint> {
        if !self.input.is_editor() {
            let why = error.to_string();
            return Err(Complaint::new(
                Exit::Usage,
                format!("cannot read standard input: {why}"),
                format!("无法读取标准输入：{why}"),
            )
            .mend("give messages as lines of UTF-8 text", "请以 UTF-8 文本逐行提供消息"));
        }
        let words = self.screen.word("the line editor cannot be used here", "此处无法使用行编辑器");
        self.warn(&format!("{words}: {error}"));
        self.input = Input::lines();
        self.quiet = None;
        Ok(())
    }

    /// The last words, and the exit code: that of the last failure where nobody watched, otherwise that all is well.
    pub(super) fn leave(self) -> Exit {
        // What could not be written yet gets its last try here.
        let kept = self.conversation.shelf().is_some_and(|shelf| shelf.is_kept());
        if let Some(id) = self.conversation.id().filter(|_| kept && !self.conversation.is_empty()) {
            let words = self.screen.word("go on with", "继续会话");
            self.screen.note(&self.screen.paint(Style::Dim, &format!("{words}: winclaw chat --resume {id}")));
        }
        if self.input.is_editor() { Exit::Done } else { self.exit }
    }

    /// Another model goes on with the conversation.
    pub(super) async fn switch_model(&mut self, named: &str) -> Result<(), Complaint> {
        let args = ModelArgs { model: Some(named.to_owned()), replay: None };
        self.model = task::model(&args, &self.host).await?;
        Ok(())
    }
}

fn open_store(host: &Host) -> Option<Store> {
    let warn = |text: &Text| host.screen.note(&host.screen.paint(Style::Yellow, &harmless(host.screen.text(text))));
    match shelf::open(&host.config.sessions()) {
        Ok((store, problems)) => {
            problems.iter().for_each(warn);
            Some(store)
        }
        Err(error) => {
            warn(&not_kept(&error));
            None
        }
    }
}

/// What reads and what writes.
fn hands(host: &Host, choices: &Choices) -> (Input, Arc<Pen>) {
    let screen = host.screen;
    if !Input::has_terminal() {
        return (Input::lines(), Pen::new(screen, false));
    }
    let (editor, error) = Editor::new(&screen, &host.config.data_dir, Arc::clone(choices));
    if let Some(error) = error {
        let words = screen.word("what you enter is not remembered", "输入历史无法保存");
        screen.note(&screen.paint(Style::Yellow, &harmless(&format!("{words}: {error}"))));
    }
    (Input::Editor(Arc::new(Mutex::new(editor))), Pen::new(screen, true))
}

fn say_stopped(pen: &Pen, screen: &Screen, stopped: Stopped) {
    let line = match stopped {
        Stopped::Nothing => return,
        Stopped::One => screen.word("stopping this; Ctrl-C again ends the task", "正在停止；再按 Ctrl-C 结束任务"),
        Stopped::Task => screen.word("ending the task", "正在结束任务"),
    };
    pen.note(&screen.paint(Style::Yellow, line));
}

fn say_problems(pen: &Pen, screen: &Screen, problems: &[Problem]) {
    for problem in problems {
        pen.note(&screen.paint(Style::Yellow, &harmless(screen.text(&problem.what))));
    }
}
