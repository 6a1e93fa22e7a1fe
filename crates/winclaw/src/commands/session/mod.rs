//! `winclaw session list|show|resume|fork|search|export|import|rename|remove|prune`.

pub mod export;
mod list;
mod markdown;
mod part;
mod remove;
mod show;

use winclaw_session::{Error, Store};

use crate::cli::{RunArgs, SessionCommand};
use crate::complaint::{Complaint, Exit};
use crate::config::Config;
use crate::screen::{Screen, Style, harmless};
use crate::shelf::{of_store, told};

/// Runs the command.
pub async fn run(config: Config, screen: Screen, command: SessionCommand, verbose: bool) -> Result<Exit, Complaint> {
    match command {
        SessionCommand::List { number, json } => list::list(&config, &screen, number, json),
        SessionCommand::Search { words, number, json } => {
            list::search(&config, &screen, &words.join(" "), number, json)
        }
        SessionCommand::Show(args) => show::show(&config, &screen, &args),
        SessionCommand::Resume(args) => {
            let keep = crate::cli::KeepArgs { session: Some(args.id), no_session: false };
            let (text, model, task, exposure) = (args.text, args.model, args.task, args.exposure);
            super::run::run(config, screen, RunArgs { text, model, task, exposure, keep }, verbose).await
        }
        SessionCommand::Fork { id, at, json } => fork(&config, &screen, &id, at, json),
        SessionCommand::Export { id, format, output } => {
            export::export(&config, &screen, &id, format, output.as_deref())
        }
        SessionCommand::Import { file, json } => export::import(&config, &screen, &file, json),
        SessionCommand::Rename { id, title } => rename(&config, &screen, &id, &title),
        SessionCommand::Remove { ids, how } => remove::remove(&config, &screen, &ids, how),
        SessionCommand::Prune { older_than, keep, how } => remove::prune(&config, &screen, older_than, keep, how),
    }
}

/// The store, to look at; `None` where nothing was ever kept.
fn look(config: &Config, screen: &Screen) -> Result<Option<Store>, Complaint> {
    let found = Store::look(&config.sessions()).map_err(|error| of_store(&error))?;
    Ok(found.map(|(store, problems)| {
        for problem in &problems {
            screen.note(&screen.paint(Style::Yellow, &harmless(screen.text(&told(problem)))));
        }
        store
    }))
}

/// The store, and the whole id that `given` means in it.
fn find(config: &Config, screen: &Screen, given: &str) -> Result<(Store, String), Complaint> {
    let Some(store) = look(config, screen)? else {
        let given = given.to_owned();
        return Err(of_store(&if given == "last" { Error::None } else { Error::Unknown { given } }));
    };
    let id = store.find(given).map_err(|error| of_store(&error))?;
    Ok((store, id))
}

fn fork(config: &Config, screen: &Screen, given: &str, at: Option<u64>, json: bool) -> Result<Exit, Complaint> {
    let (mut store, id) = find(config, screen, given)?;
    let copy = store.fork(&id, at).map_err(|error| of_store(&error))?;
    say_id(screen, &copy, json);
    Ok(Exit::Done)
}

/// The id of a new session for programs, and for people how to go on with it.
fn say_id(screen: &Screen, id: &str, json: bool) {
    if json {
        return screen.json(&serde_json::json!({"id": id}));
    }
    screen.line(id);
    let words = screen.word("go on with it", "继续该会话");
    screen.note(&screen.paint(Style::Dim, &format!("{words}: winclaw session resume {id} \"…\"")));
}

fn rename(config: &Config, screen: &Screen, given: &str, title: &str) -> Result<Exit, Complaint> {
    let (mut store, id) = find(config, screen, given)?;
    let title = store.rename(&id, title).map_err(|error| of_store(&error))?;
    screen.line(&format!("{id}  {}", harmless(&title)));
    Ok(Exit::Done)
}
