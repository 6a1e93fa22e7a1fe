//! Past conversations within a chat: list, search, resume, fork, export.

use winclaw_model::Message;
use winclaw_session::{Info, Store};

use super::attach::path;
use super::conversation::{Conversation, last_exchange};
use super::state::Chat;
use crate::cli::ExportWord;
use crate::commands::figures::count;
use crate::commands::session;
use crate::complaint::{Complaint, Exit};
use crate::screen::{Style, columns, harmless};
use crate::shelf::{of_store, told};
use crate::terminal::one_line;

/// Most conversations, or places in them, that are listed.
const LISTED: usize = 20;

impl Chat {
    /// Goes on with the conversation that `given` means, and shows where it stopped.
    pub(super) fn resume(&mut self, given: &str) -> Result<(), Complaint> {
        let store = self.store.as_ref().ok_or_else(no_store)?;
        // Taken up before the present one is let go, which goes on when this fails; to go on with itself is nothing.
        let id = store.find(given).map_err(|error| of_store(&error))?;
        if self.conversation.id().as_deref() == Some(id.as_str()) {
            self.note("that is this conversation", "就是当前会话");
            return Ok(());
        }
        let (conversation, problems) = Conversation::resume(store, &id).map_err(|error| of_store(&error))?;
        let info = store.info(&id).map_err(|error| of_store(&error))?;
        self.conversation = conversation;
        problems.iter().for_each(|problem| self.warn(self.screen.text(&told(problem))));
        let said = self.store.as_ref().map(|store| last_exchange(store, &id)).transpose();
        self.show_where_it_stopped(&info, &said.map_err(|error| of_store(&error))?.unwrap_or_default());
        Ok(())
    }

    fn show_where_it_stopped(&self, info: &Info, said: &[Message]) {
        if !self.input.is_editor() {
            return;
        }
        let messages = count(self.screen, usize::try_from(info.messages).unwrap_or(0), "message", "messages", "条消息");
        let head = format!("{} · {} · {messages}", info.id, harmless(&one_line(&info.title)));
        self.screen.note(&self.screen.paint(Style::Bold, &head));
        for message in said {
            match message {
                Message::User { text, .. } => {
                    self.screen.note(&self.screen.paint(Style::Dim, &format!("› {}", harmless(&one_line(text)))));
                }
                Message::Assistant { text, .. } if !text.trim().is_empty() => self.show_again(text),
                _ => {}
            }
        }
    }
}

/// Lists the conversations, or the places where `words` were said.
pub(super) fn list(chat: &Chat, words: &str) -> Result<(), Complaint> {
    let store = chat.store.as_ref().ok_or_else(no_store)?;
    let screen = &chat.screen;
    let rows = match words {
        "" => all(chat, store)?,
        words => found(store, words)?,
    };
    if rows.is_empty() {
        let (en, zh) = match words {
            "" => ("no conversation is kept yet", "还没有保存的会话"),
            _ => ("these words were not said", "没有说过这些词"),
        };
        screen.line(screen.word(en, zh));
        return Ok(());
    }
    columns(&rows).iter().for_each(|line| screen.line(line));
    let key = screen.word("/resume ID goes on with one", "/resume ID 继续其中一个");
    screen.line(&screen.paint(Style::Dim, key));
    Ok(())
}

fn all(chat: &Chat, store: &Store) -> Result<Vec<Vec<String>>, Complaint> {
    let here = chat.conversation.id();
    let row = |info: Info| {
        let mark = if here.as_deref() == Some(info.id.as_str()) { "●" } else { " " };
        let messages = count(chat.screen, usize::try_from(info.messages).unwrap_or(0), "message", "messages", "条消息");
        vec![format!("{mark} {}", info.id), messages, harmless(&info.model), harmless(&one_line(&info.title))]
    };
    let infos = store.list(Some(LISTED)).map_err(|error| of_store(&error))?;
    Ok(infos.into_iter().map(row).collect())
}

fn found(store: &Store, words: &str) -> Result<Vec<Vec<String>>, Complaint> {
    let hits = store.search(words, LISTED).map_err(|error| of_store(&error))?;
    let row = |hit: winclaw_session::Hit| {
        let place = format!("  {} #{}", hit.id, hit.number);
        let around = [hit.snippet.before, hit.snippet.hit, hit.snippet.after].concat();
        vec![place, harmless(&one_line(&hit.title)), harmless(&one_line(&around))]
    };
    Ok(hits.into_iter().map(row).collect())
}

/// Goes on in a copy.
pub(super) fn fork(chat: &mut Chat) -> Result<(), Complaint> {
    let id = chat.conversation.id().filter(|_| !chat.conversation.is_empty());
    let id = id.ok_or_else(|| Complaint::new(Exit::Usage, "nothing was said yet", "还没有说过任何内容"))?;
    let store = chat.store.as_mut().ok_or_else(no_store)?;
    let copy = store.fork(&id, None).map_err(|error| of_store(&error))?;
    // The copy has no tasks of its own yet; what was asked and decided last is that of the other.
    let last = chat.conversation.last.clone();
    chat.resume(&copy)?;
    chat.conversation.last = last;
    let words = chat.screen.word("this is a copy; the other one is", "这是副本；原会话为");
    chat.screen.line(&format!("{words} {id}"));
    Ok(())
}

/// Writes the conversation to a file that must be new: Markdown, or JSON by its ending.
pub(super) fn export(chat: &Chat, typed: &str) -> Result<(), Complaint> {
    let id = chat.conversation.id().filter(|_| !chat.conversation.is_empty());
    let id = id.ok_or_else(|| Complaint::new(Exit::Usage, "nothing was said yet", "还没有说过任何内容"))?;
    let path = if typed.is_empty() { format!("winclaw-{id}.md").into() } else { path(typed) };
    if path.exists() {
        let shown = harmless(&path.display().to_string());
        let (en, zh) = (format!("{shown} exists already"), format!("{shown} 已存在"));
        return Err(Complaint::new(Exit::Usage, en, zh).mend("name another file", "请换一个文件名"));
    }
    let is_json = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
    let form = if is_json { ExportWord::Json } else { ExportWord::Markdown };
    session::export::export(&chat.host.config, &chat.screen, &id, form, Some(&path)).map(drop)
}

fn no_store() -> Complaint {
    Complaint::new(Exit::Internal, "conversations cannot be kept here", "此处无法保存会话")
}
