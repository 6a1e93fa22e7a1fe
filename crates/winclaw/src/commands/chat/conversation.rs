//! The conversation of a chat: what the agent goes on from, where it is kept, and what its last task left.

use std::path::Path;
use std::sync::Arc;

use winclaw_agent::{Keeper, Options, Parts, Report, Saved, Session, Spent};
use winclaw_exposure::estimate_tokens;
use winclaw_model::Message;
use winclaw_session::{Error, Store};
use winclaw_tool::Problem;
use winclaw_trace::Record;

use super::account::Account;
use crate::shelf::{Place, Shelf, keeper};

/// What the last task of a conversation left.
#[derive(Debug, Clone, Default)]
pub(super) struct Last {
    /// The id of its trace.
    pub(super) trace: String,
    /// The message it began with, without what was attached.
    pub(super) request: String,
    /// What it took; `None` for a task of an earlier process.
    pub(super) spent: Option<Spent>,
    /// What was shown and decided; `None` until somebody asks about a task of an earlier process.
    pub(super) account: Option<Account>,
}

/// A conversation and its place in the store.
#[derive(Default)]
pub(super) struct Conversation {
    shelf: Option<Arc<Shelf>>,
    session: Option<Session>,
    /// A conversation from the store that no task has gone on with yet.
    stored: Option<(Saved, Vec<Message>)>,
    /// How many requests it had.
    pub(super) requests: u64,
    pub(super) last: Option<Last>,
}

impl Conversation {
    /// A new one, kept in `store` if there is one, for `model`.
    pub(super) fn begin(store: Option<&Store>, model: &str) -> (Conversation, Option<Error>) {
        match store.map(|store| Place::begin(store, model)).transpose() {
            Ok(place) => (Conversation { shelf: place.map(|place| place.shelf), ..Conversation::default() }, None),
            Err(error) => (Conversation::default(), Some(error)),
        }
    }

    /// The session `id`, to be gone on with; and what of it this version cannot read.
    pub(super) fn resume(store: &Store, id: &str) -> Result<(Conversation, Vec<Problem>), Error> {
        let (place, problems) = Place::take_up(store, id)?;
        let request = last_exchange(store, id)?.first().map(words).unwrap_or_default();
        let conversation = Conversation {
            shelf: Some(place.shelf),
            session: None,
            stored: place.before,
            requests: place.requests,
            last: place.after.map(|trace| Last { trace, request, ..Last::default() }),
        };
        Ok((conversation, problems))
    }

    /// Its id in the store, if it is kept.
    pub(super) fn id(&self) -> Option<String> {
        self.shelf.as_ref().map(|shelf| shelf.id())
    }

    /// Where it is kept, if it is.
    pub(super) fn shelf(&self) -> Option<Arc<Shelf>> {
        self.shelf.clone()
    }

    /// Whether nothing was said yet.
    pub(super) fn is_empty(&self) -> bool {
        self.messages().is_empty()
    }

    /// What was said, as the model is given it.
    pub(super) fn messages(&self) -> &[Message] {
        match (&self.session, &self.stored) {
            (Some(session), _) => session.messages(),
            (None, Some((_, messages))) => messages,
            (None, None) => &[],
        }
    }

    /// What it took so far, as far as vendors say.
    pub(super) fn spent(&self) -> Spent {
        match (&self.session, &self.stored) {
            (Some(session), _) => session.spent().clone(),
            (None, Some((saved, _))) => saved.spent().clone(),
            (None, None) => Spent::default(),
        }
    }

    /// Estimated tokens of what was said: what another model has to read.
    pub(super) fn tokens(&self) -> u32 {
        let words = |message: &Message| estimate_tokens(&serde_json::to_string(message).unwrap_or_default());
        self.messages().iter().map(words).fold(0, u32::saturating_add)
    }

    /// Runs a request to its end. What a session from the store lost is told to `problems`.
    pub(super) async fn go_on(
        &mut self,
        mut parts: Parts<'_>,
        options: Options,
        recorder: &mut (dyn FnMut(Record) + Send),
        problems: &dyn Fn(&[Problem]),
    ) -> Report {
        let keep: Option<Box<Keeper>> = self.shelf.clone().map(|shelf| keeper(shelf, Arc::clone(parts.front)));
        parts.keep = keep.as_deref();
        let before = match (self.session.take(), self.stored.take()) {
            (Some(session), _) => Some(session),
            (None, Some((saved, messages))) => {
                let (session, found) = Session::restore(saved, messages, &parts, &options);
                problems(&found);
                Some(session)
            }
            (None, None) => None,
        };
        let (report, session) = match before {
            Some(session) => session.go_on(parts, options, recorder).await,
            None => Session::begin(parts, options, recorder).await,
        };
        self.session = Some(session);
        self.requests += 1;
        report
    }

    /// What was decided in its last task; read from the trace in `traces` when it ran in an earlier process.
    pub(super) fn account(&mut self, traces: &Path) -> Option<&Account> {
        let last = self.last.as_mut()?;
        if last.account.is_none() {
            let (lines, _) = winclaw_trace::read(&traces.join(format!("{}.jsonl", last.trace))).ok()?;
            let records: Vec<Record> = lines.into_iter().map(|line| line.record).collect();
            last.account = Some(Account::of(&records, &[]));
        }
        last.account.as_ref()
    }
}

/// Messages that are read at once on the way back to the last request.
const PAGE: u64 = 100;

/// The last thing the person said in session `id` and what followed, as it was said: without what was put behind it for
/// the model. Nothing where the person said nothing.
pub(super) fn last_exchange(store: &Store, id: &str) -> Result<Vec<Message>, Error> {
    let mut end = store.info(id)?.messages;
    let mut later: Vec<Message> = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(PAGE);
        let page = store.said(id, start, usize::try_from(end - start).unwrap_or(usize::MAX))?;
        // What this version cannot read is not shown; `session show` tells of it.
        let read = page.into_iter().filter_map(|said| serde_json::from_value(said.message).ok());
        let mut messages: Vec<Message> = read.collect();
        messages.append(&mut later);
        if let Some(asked) = messages.iter().rposition(|message| matches!(message, Message::User { .. })) {
            return Ok(messages.split_off(asked));
        }
        (later, end) = (messages, start);
    }
    Ok(Vec::new())
}

fn words(message: &Message) -> String {
    match message {
        Message::User { text, .. } => text.clone(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use winclaw_session::New;

    use super::*;

    fn answer(text: &str) -> Message {
        Message::Assistant { text: text.to_owned(), reasoning: None, calls: Vec::new(), sealed: Vec::new() }
    }

    #[test]
    fn the_last_exchange_is_what_was_said_and_not_what_was_put_behind_it_for_the_model() {
        let folder = tempfile::tempdir().expect("a folder");
        let (store, _) = Store::open(folder.path()).expect("a store");
        let mut writer = store.create(New::default()).expect("a session");
        let id = writer.id().to_owned();
        writer.append(&answer("hello")).expect("kept");
        assert_eq!(last_exchange(&store, &id).expect("read"), []);
        writer.append(&Message::user("tidy up")).expect("kept");
        writer.amend(1, &Message::user("tidy up\n\nLikely useful now: notes__add")).expect("kept");
        (0..PAGE + 7).for_each(|n| writer.append(&answer(&n.to_string())).expect("kept"));
        let said = last_exchange(&store, &id).expect("read");
        assert_eq!(said.len() as u64, PAGE + 8);
        assert_eq!(said.first(), Some(&Message::user("tidy up")));
    }
}
