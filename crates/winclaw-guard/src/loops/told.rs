//! What the model hears of a repetition.

use winclaw_catalog::{CatalogTool, clean};

use super::Alike;

const INSTEAD: &str =
    "Use the result you have, change the arguments, use another tool, ask the user, or say what is in the way.";

const ELSEWHERE: &str = "Use the result you have, call it about something else, use another tool, ask the user, or say \
                         what is in the way.";

pub(super) fn repeated(tool: &CatalogTool, same: usize) -> String {
    format!("`{}` was not run: this call gave the same result {same} times. {INSTEAD}", tool.id)
}

pub(super) fn about_the_same(tool: &CatalogTool, times: usize) -> String {
    format!(
        "`{}` was not run: {times} calls about the same thing gave the same result, whatever the other arguments. \
         {ELSEWHERE}",
        tool.id
    )
}

pub(super) fn fails_alike(tool: &CatalogTool, alike: &Alike) -> String {
    let (told, times) = (first_line(&alike.message), alike.times);
    format!(
        "`{}` was not run: it failed in the same way {times} times, whatever the arguments: {told} {INSTEAD}",
        tool.id
    )
}

pub(super) fn cycle(tool: &CatalogTool, period: usize, rounds: usize) -> String {
    format!(
        "`{}` was not run: the same {period} calls were made {rounds} times one after another, with the same results. {INSTEAD}",
        tool.id
    )
}

pub(super) fn varied(tool: &CatalogTool, times: usize) -> String {
    format!(
        "`{}` was not run: calls that differ only in numbers gave the same result in {times} replies. {ELSEWHERE}",
        tool.id
    )
}

pub(super) fn idle(tool: &CatalogTool, replies: usize) -> String {
    format!(
        "`{}` was not run: nothing new came of your last {replies} replies, and this call was made before. {INSTEAD}",
        tool.id
    )
}

pub(super) fn keeps_failing(tool: &CatalogTool, alike: &Alike) -> String {
    format!("`{}` failed in the same way {} times before; if it does again, do something else.", tool.id, alike.times)
}

pub(super) fn unchanged(same: usize) -> String {
    format!("Nothing has changed in {same} calls: wait longer before you ask again, or go on with something else.")
}

pub(super) fn about_to_repeat(same: usize) -> String {
    let times = if same == 1 { "once".to_owned() } else { format!("{same} times") };
    format!("This call already gave the same result {times}; if it does again, it will not be run any more.")
}

pub(super) fn was_made(times: usize) -> String {
    format!(
        "This call gave one and the same result {times} times already; make it again only if something changed since."
    )
}

pub(super) fn about_to_be_the_same(times: usize) -> String {
    format!(
        "{times} calls about the same thing gave the same result, though other arguments differed; if this one does too, \
         none about it will be run any more."
    )
}

pub(super) fn goes_round(period: usize, rounds: usize) -> String {
    format!(
        "You made the same {period} calls {rounds} times one after another, with the same results; do something else now."
    )
}

pub(super) fn varies(times: usize) -> String {
    format!(
        "Calls that differ only in numbers gave the same result in {times} replies; look whether they lead anywhere."
    )
}

pub(super) fn no_news(replies: usize) -> String {
    format!(
        "Nothing new came of your last {replies} replies; do something else, ask the user, or answer with what you have."
    )
}

fn first_line(message: &str) -> String {
    clean(message.lines().next().unwrap_or(""), 300)
}
