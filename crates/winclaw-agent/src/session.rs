use std::collections::BTreeSet;
use std::sync::Arc;

use winclaw_catalog::{ToolIx, evidence::Evidence};
use winclaw_exposure::Settings;
use winclaw_guard::Origins;
use winclaw_model::Message;
use winclaw_toolbox::Toolbox;
use winclaw_trace::Record;

use crate::change::Change;
use crate::history::History;
use crate::lens::Lens;
use crate::spent::Spent;
use crate::steps::Weighed;
use crate::task::Task;
use crate::{Keeper, Kept, Options, Parts, Report};

/// A conversation of several requests: what was said, shown and used goes on from one to the next.
///
/// Each request is a task of its own, with its own limits, guard and trace; the traces of a session replay when they
/// are read one after another. The exposure engine decides by price whether a request opens a new epoch. A further request
/// may go to another model: where the label or the exposure settings are others, the session goes on with those in a new
/// epoch. A clone is a fork: both go on by themselves.
#[derive(Clone)]
pub struct Session {
    pub(crate) toolbox: Arc<Toolbox>,
    pub(crate) lens: Lens,
    pub(crate) history: History,
    pub(crate) used: Vec<ToolIx>,
    /// Earlier requests, latest first.
    pub(crate) earlier: Vec<String>,
    /// The plain estimate of the prefix in the last request.
    pub(crate) prefix_tokens: u32,
    /// Those the exposure works with, as they were given.
    pub(crate) settings: Settings,
    /// The label of its model.
    pub(crate) model: String,
    /// Where its content came from.
    pub(crate) origins: Origins,
    /// What all requests took.
    pub(crate) spent: Spent,
    /// Names of tools that the model's vendor does not take.
    pub(crate) without: BTreeSet<String>,
}

impl Session {
    /// Runs the first request of a session. As [`run`](crate::run), and gives what the next request goes on from.
    pub async fn begin(
        parts: Parts<'_>,
        options: Options,
        recorder: &mut (dyn FnMut(Record) + Send),
    ) -> (Report, Session) {
        Task::begin(parts, options, recorder).run().await
    }

    /// Runs a further request. Takes the toolbox and its ranking from the session, whatever `parts` say; follows their
    /// changes as a task does.
    pub async fn go_on(
        self,
        parts: Parts<'_>,
        options: Options,
        recorder: &mut (dyn FnMut(Record) + Send),
    ) -> (Report, Session) {
        Task::go_on(self, parts, options, recorder).run().await
    }

    /// The conversation so far.
    pub fn messages(&self) -> &[Message] {
        self.history.messages()
    }

    /// What all requests so far took, tokens and money.
    pub fn spent(&self) -> &Spent {
        &self.spent
    }

    /// Tells who stores the session everything beside the messages.
    pub(crate) fn keep_state(&self, keep: Option<&Keeper>) {
        if let Some(keep) = keep {
            keep(Kept::State(&self.saved()));
        }
    }

    /// A session with no conversation yet, on what the backends of `parts` offer now.
    pub(crate) fn open(parts: &Parts<'_>, options: &Options) -> (Session, Evidence) {
        let change = Change::of(parts.toolbox);
        let toolbox = change.as_ref().map_or(parts.toolbox, |change| &change.toolbox);
        let ranking = change.as_ref().map_or(parts.ranking, |change| &change.ranking);
        let asked = Weighed { message: options.request.clone(), ..Weighed::default() };
        let (lens, evidence) = Lens::begin(toolbox.catalog(), ranking, options.exposure.clone(), asked);
        let session = Session {
            toolbox: Arc::clone(toolbox),
            lens,
            history: History::default(),
            used: Vec::new(),
            earlier: Vec::new(),
            prefix_tokens: 0,
            settings: options.exposure.clone(),
            model: parts.model.label(),
            origins: Origins::default(),
            spent: Spent::default(),
            without: BTreeSet::new(),
        };
        (session, evidence)
    }
}
