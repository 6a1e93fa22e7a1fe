//! Where a conversation is kept while it grows, and how it is taken up again.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use winclaw_agent::{Event, Front, Keeper, Kept, Report, Saved};
use winclaw_model::Message;
use winclaw_session::{Error, New, Store, TaskEnd, Writer};
use winclaw_tool::{Problem, Text};

use crate::complaint::{Complaint, Exit};

/// The writer of the session, shared with the task that runs. An error is told once; nothing is lost by it, since the
/// writer keeps what it could not write.
pub struct Shelf {
    writer: Mutex<Writer>,
    error: Mutex<Option<Error>>,
    told: AtomicBool,
}

impl Shelf {
    /// A shelf on which `writer` puts things.
    pub fn new(writer: Writer) -> Self {
        Shelf { writer: Mutex::new(writer), error: Mutex::new(None), told: AtomicBool::new(false) }
    }

    /// The session's id.
    pub fn id(&self) -> String {
        self.writer().id().to_owned()
    }

    /// The folder for whole results that were cut.
    pub fn spill(&self) -> PathBuf {
        self.writer().spill()
    }

    /// A task begins whose trace is `trace`.
    pub fn begin_task(&self, trace: &str, model: &str) {
        let done = self.writer().begin_task(trace, model);
        self.note(done);
    }

    /// What a task tells of its conversation.
    pub fn keep(&self, kept: Kept<'_>) {
        let mut writer = self.writer();
        let done = match kept {
            Kept::Appended(message) => writer.append(message),
            Kept::Amended { at, message } => writer.amend(at, message),
            Kept::Rewritten(messages) => writer.rewrite(messages),
            // A state is plain data with text keys, which always has a JSON form.
            Kept::State(saved) => writer.set_state(&serde_json::to_value(saved).unwrap_or_default()),
        };
        drop(writer);
        self.note(done);
    }

    /// The task ended so.
    pub fn end_task(&self, trace: &str, report: &Report) {
        let end = TaskEnd {
            state: report.state.as_str().to_owned(),
            input: report.usage.input,
            cached: report.usage.cached,
            output: report.usage.output,
            cost: report.cost.as_ref().map(|cost| (cost.amount, cost.currency.to_string())),
        };
        let done = self.writer().end_task(trace, &end);
        self.note(done);
    }

    /// What went wrong since it was last asked.
    pub fn take_error(&self) -> Option<Error> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether an error is to be told: the first of a conversation is.
    pub fn tell_once(&self) -> bool {
        !self.told.swap(true, Ordering::Relaxed)
    }

    /// Whether something of the conversation could not be written yet.
    pub fn is_behind(&self) -> bool {
        self.writer().is_behind()
    }

    /// Whether all of the conversation is written, after one more try.
    pub fn is_kept(&self) -> bool {
        let mut writer = self.writer();
        writer.flush().is_ok() && !writer.is_behind()
    }

    fn note(&self, done: Result<(), Error>) {
        if let Err(error) = done {
            self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        // A transaction is whole or was not made, whatever panicked beside it.
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What tells `shelf` of a conversation; the first error is shown by `front`, and the task goes on.
pub fn keeper(shelf: Arc<Shelf>, front: Arc<dyn Front>) -> Box<Keeper> {
    Box::new(move |kept: Kept<'_>| {
        shelf.keep(kept);
        if let Some(error) = shelf.take_error()
            && shelf.tell_once()
        {
            front.show(Event::Notice { text: not_kept(&error) });
        }
    })
}

/// A session that one more request goes to.
pub struct Place {
    /// Where it is kept.
    pub shelf: Arc<Shelf>,
    /// What it goes on from; `None` for a new one.
    pub before: Option<(Saved, Vec<Message>)>,
    /// How many requests it had.
    pub requests: u64,
    /// The id of its last task.
    pub after: Option<String>,
}

impl Place {
    /// A new session in `store`, for `model`.
    pub fn begin(store: &Store, model: &str) -> Result<Place, Error> {
        let cwd = std::env::current_dir().map(|folder| folder.display().to_string()).unwrap_or_default();
        let writer = store.create(New { cwd, model: model.to_owned(), ..New::default() })?;
        Ok(Place { shelf: Arc::new(Shelf::new(writer)), before: None, requests: 0, after: None })
    }

    /// The session `id` of `store`, to be gone on with; and what of it this version cannot read.
    pub fn take_up(store: &Store, id: &str) -> Result<(Place, Vec<Problem>), Error> {
        let (loaded, writer) = store.take_up(id)?;
        let tasks = store.tasks(id)?;
        // A state of another form is as good as none; the agent begins anew with the messages.
        let saved = loaded.state.and_then(|state| serde_json::from_value(state).ok()).unwrap_or_default();
        let place = Place {
            shelf: Arc::new(Shelf::new(writer)),
            before: Some((saved, loaded.messages)),
            requests: tasks.len() as u64,
            after: tasks.into_iter().next_back().map(|task| task.trace).filter(|trace| !trace.is_empty()),
        };
        Ok((place, loaded.problems))
    }
}

/// The complaint of an error of the store.
pub fn of_store(error: &Error) -> Complaint {
    let exit = if matches!(error, Error::Form { .. }) { Exit::Internal } else { Exit::Usage };
    Complaint { exit, what: error.what(), mend: error.mend() }
}

/// That a conversation is not kept, or not yet: what is wrong and how to mend it.
pub fn not_kept(error: &Error) -> Text {
    let (what, mend) = (error.what(), error.mend());
    let join = |head: &str, what: &str, gap: &str, mend: &str| match mend.is_empty() {
        true => format!("{head}{what}"),
        false => format!("{head}{what}{gap}{mend}"),
    };
    Text::new(
        join("the conversation is not kept: ", &what.en, "; ", &mend.en),
        join("对话未保存：", &what.zh, "；", &mend.zh),
    )
}

/// Opens the sessions in `folder` to add to them; a problem is something to tell once.
pub fn open(folder: &Path) -> Result<(Store, Vec<Text>), Error> {
    let (store, problems) = Store::open(folder)?;
    Ok((store, problems.iter().map(told).collect()))
}

/// A problem in one line.
pub fn told(problem: &Problem) -> Text {
    let join = |what: &str, gap: &str, mend: &str| format!("{what}{gap}{mend}");
    Text::new(join(&problem.what.en, " ", &problem.mend.en), join(&problem.what.zh, "", &problem.mend.zh))
}
