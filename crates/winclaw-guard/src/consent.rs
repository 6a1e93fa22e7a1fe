use serde_json::Value;
use winclaw_catalog::{CatalogTool, ToolIx, clean};
use winclaw_tool::{DetailKey, Lang, SideEffect, Text, detail_line};

use crate::Approve;

/// What a person is asked before a call runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    /// The tool that would run.
    pub tool: ToolIx,
    /// What this very call may do to the world: the tool's side effect, raised by what its arguments ask for.
    pub side_effect: SideEffect,
    /// One line of what the call is about. What makes the call destructive stands in it, such as `overwrite: true`.
    pub detail: String,
    /// The whole question as a sentence: title, id, side effect in words, detail, and a doubt if there is one.
    pub why: Text,
    /// Whether it is asked only because the call strays from the request after a failure.
    pub strays: bool,
}

impl Consent {
    /// What lets such a call run where nobody can be asked, for a person: the narrowest rule that does.
    pub fn how_to_allow(&self) -> Text {
        let rule = if self.side_effect <= SideEffect::Write && !self.strays { "writes" } else { "always" };
        Text::new(
            format!("allow it with --approve {rule}, or run it in a terminal to be asked"),
            format!("可用 --approve {rule} 允许，或在终端中运行以便询问"),
        )
    }
}

/// What a person said to a consent question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Run this call.
    Once,
    /// Run this and every such call of the tool until the task ends.
    ThisTask,
    /// Run this and every such call of the tool, from now on.
    Always,
    /// Do not run this call.
    No,
    /// Do not run this and no such call of the tool, from now on.
    Never,
    /// There is nobody who could answer; it does not run.
    NobodyToAsk,
}

/// Longest detail a person is shown, in characters.
const MAX_DETAIL: usize = 400;

/// Longest part of the arguments that stands in for a missing detail, in characters.
const MAX_ARGUMENTS: usize = 120;

/// Whether a call with this side effect runs without asking.
pub(crate) fn free(approve: Approve, side_effect: SideEffect) -> bool {
    match approve {
        Approve::Never => side_effect == SideEffect::Read,
        Approve::Writes => matches!(side_effect, SideEffect::Read | SideEffect::Write),
        Approve::Always => true,
    }
}

/// One line of what a call is about: the tool's detail keys, or else the head of the arguments, and at its end, where
/// no cut can reach it, each parameter that makes the call destructive.
pub(crate) fn detail(tool: &CatalogTool, arguments: &Value) -> String {
    let destructive = tool.manifest.destructive_in(arguments);
    let is_other = |key: &&String| !destructive.contains(&DetailKey::read(key).path);
    let others: Vec<String> = tool.manifest.detail_keys.iter().filter(is_other).cloned().collect();
    let about = about(&others, arguments);
    let flags = destructive.iter().map(|key| one_line(&format!("{key}: true"), MAX_ARGUMENTS));
    Some(about).into_iter().filter(|about| !about.is_empty()).chain(flags).collect::<Vec<_>>().join(", ")
}

fn about(keys: &[String], arguments: &Value) -> String {
    let line = detail_line(keys, arguments);
    match arguments {
        _ if !line.is_empty() => one_line(&line, MAX_DETAIL),
        Value::Object(map) if map.is_empty() => String::new(),
        Value::Null => String::new(),
        other => one_line(&other.to_string(), MAX_ARGUMENTS),
    }
}

pub(crate) fn one_line(text: &str, cap: usize) -> String {
    clean(&text.replace(['\n', '\r', '\t'], " "), cap)
}

/// The question before a call.
pub(crate) fn ask(ix: ToolIx, tool: &CatalogTool, arguments: &Value, schema_was_shown: bool) -> Consent {
    let side_effect = tool.manifest.side_effect_of(arguments);
    let detail = detail(tool, arguments);
    let facts = Facts {
        side_effect,
        also_loses: side_effect == SideEffect::External && !tool.manifest.destructive_in(arguments).is_empty(),
        unseen: !schema_was_shown && side_effect >= SideEffect::Destructive,
        detail: &detail,
    };
    let why = Text::new(english(tool, &facts), chinese(tool, &facts));
    Consent { tool: ix, side_effect, detail, why, strays: false }
}

/// The question with a doubt behind it.
pub(crate) fn with_doubt(why: &Text, doubt: &Text) -> Text {
    Text::new(format!("{} {}", why.en, doubt.en), format!("{}{}", why.zh, doubt.zh))
}

/// What the question says in words.
struct Facts<'a> {
    side_effect: SideEffect,
    /// Whether it may lose something beside what the side effect says.
    also_loses: bool,
    unseen: bool,
    detail: &'a str,
}

fn title(tool: &CatalogTool, lang: Lang) -> &str {
    let title = tool.manifest.title.get(lang);
    if title.is_empty() { tool.id.name() } else { title }
}

fn english(tool: &CatalogTool, facts: &Facts<'_>) -> String {
    let detail = facts.detail;
    let effect = match facts.side_effect {
        SideEffect::Read => "reads and changes nothing",
        SideEffect::Write => "makes or changes something on this computer",
        SideEffect::Destructive => "may delete or overwrite something that cannot be brought back",
        SideEffect::External => "acts on the world outside, such as sending, posting or paying",
    };
    let loses = if facts.also_loses { ", and may lose something that cannot be brought back" } else { "" };
    let about = if detail.is_empty() { ".".to_owned() } else { format!(": {detail}.") };
    let unseen = if facts.unseen { " The model called it without having seen its description." } else { "" };
    format!("“{}” ({}) {effect}{loses}{about}{unseen}", title(tool, Lang::En), tool.id)
}

fn chinese(tool: &CatalogTool, facts: &Facts<'_>) -> String {
    let detail = facts.detail;
    let effect = match facts.side_effect {
        SideEffect::Read => "只读取，不做任何更改",
        SideEffect::Write => "会在这台电脑上新建或修改内容",
        SideEffect::Destructive => "可能删除或覆盖无法恢复的内容",
        SideEffect::External => "会影响外部世界，例如发送、发布或付款",
    };
    let loses = if facts.also_loses { "，并可能丢失无法恢复的内容" } else { "" };
    let about = if detail.is_empty() { "。".to_owned() } else { format!("：{detail}。") };
    let unseen = if facts.unseen { "模型在没有看过它的说明的情况下调用了它。" } else { "" };
    format!("“{}”（{}）{effect}{loses}{about}{unseen}", title(tool, Lang::Zh), tool.id)
}

#[cfg(test)]
mod tests;
