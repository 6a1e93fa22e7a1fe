//! `winclaw chat`: a conversation at a terminal, or of lines from a pipe.
//!
//! Invariants:
//! - Only [`pen`] writes while a task runs; only one reader has the terminal at a time.
//! - What comes from models, tools, files and pastes is freed of control characters before the terminal sees it.
//! - Whatever goes wrong in a task or a command, the chat goes on; only its input ends it.
//! - Without a terminal nothing waits for a prompt: each line is a message, and questions count as not answered.

mod account;
mod attach;
mod commands;
mod complete;
mod conversation;
mod editor;
mod front;
mod history;
mod input;
mod live;
mod markdown;
pub mod money;
mod past;
mod pen;
mod quiet;
mod slash;
mod state;
mod stops;
mod tools;

use tokio::task::block_in_place;

use self::editor::Entered;
use self::slash::{Line, Slash};
use self::state::Chat;
use crate::cli::ChatArgs;
use crate::complaint::{Complaint, Exit};
use crate::config::Config;
use crate::screen::Screen;

/// Talks until the input ends or the person leaves.
pub async fn run(config: Config, screen: Screen, args: ChatArgs, verbose: bool) -> Result<Exit, Complaint> {
    let mut chat = Chat::open(config, screen, args, verbose).await?;
    chat.greet();
    let mut interrupted = false;
    loop {
        chat.before_line();
        match block_in_place(|| chat.input.next(&chat.mark())) {
            Ok(Entered::Text(text)) => {
                interrupted = false;
                if act(&mut chat, &text).await == After::Leave {
                    break;
                }
            }
            Ok(Entered::Interrupt { behind_keys: false }) if interrupted => break,
            Ok(Entered::Interrupt { .. }) => {
                interrupted = true;
                chat.note("Ctrl-C again, Ctrl-D or /quit leaves", "再按一次 Ctrl-C、按 Ctrl-D 或输入 /quit 退出");
            }
            Ok(Entered::End) => break,
            Err(error) => chat.without_editor(&error)?,
        }
    }
    Ok(chat.leave())
}

#[derive(PartialEq, Eq)]
enum After {
    GoOn,
    Leave,
}

async fn act(chat: &mut Chat, entered: &str) -> After {
    let done = match slash::read(entered) {
        Line::Empty => Ok(()),
        Line::Message(text) => chat.send(text).await,
        Line::Command(Slash::Quit, _) => return After::Leave,
        Line::Command(slash, rest) => commands::run(chat, slash, &rest).await,
        Line::Mistake(what) => Err(Complaint { exit: Exit::Usage, what, mend: winclaw_tool::Text::default() }),
    };
    if let Err(complaint) = done {
        chat.complain(&complaint);
    }
    After::GoOn
}
