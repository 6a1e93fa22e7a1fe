//! The question in words.

use serde_json::Value;
use winclaw_catalog::{CatalogTool, clean};
use winclaw_tool::{DetailKey, SideEffect, Text, detail_line};

use crate::consent::Because;

/// Longest detail a person is shown, in characters.
const MAX_DETAIL: usize = 400;

/// Longest part of the arguments that stands in for a missing detail, in characters.
const MAX_ARGUMENTS: usize = 120;

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

/// The tool's title, or its name where it has none. It cannot end the quotes it stands in.
pub(crate) fn title(tool: &CatalogTool) -> Text {
    let or_name = |title: &str| match title.trim() {
        "" => tool.id.name().to_owned(),
        title => one_line(&title.replace(['“', '”', '"'], "'"), MAX_ARGUMENTS),
    };
    Text::new(or_name(&tool.manifest.title.en), or_name(&tool.manifest.title.zh))
}

/// What a side effect means, as the end of a sentence that begins with the tool.
pub(crate) fn effect(side_effect: SideEffect) -> Text {
    match side_effect {
        SideEffect::Read => Text::new("reads and changes nothing", "只读取，不做任何更改"),
        SideEffect::Write => Text::new("makes or changes something on this computer", "会在这台电脑上新建或修改内容"),
        SideEffect::Destructive => {
            Text::new("may delete or overwrite something that cannot be brought back", "可能删除或覆盖无法恢复的内容")
        }
        SideEffect::External => Text::new(
            "acts on the world outside, such as sending, posting or paying",
            "会影响外部世界，例如发送、发布或付款",
        ),
    }
}

/// The whole question.
pub(crate) fn question(tool: &CatalogTool, effects: &[SideEffect], detail: &str, because: &[Because]) -> Text {
    let title = title(tool);
    let means = effect(effects.first().copied().unwrap_or(tool.manifest.side_effect));
    let loses = effects.len() > 1;
    let (loses_en, loses_zh) = match loses {
        true => (", and may lose something that cannot be brought back", "，并可能丢失无法恢复的内容"),
        false => ("", ""),
    };
    let about = |open: &str, end: &str| if detail.is_empty() { end.to_owned() } else { format!("{open}{detail}{end}") };
    let reasons: Vec<Text> = because.iter().map(Because::text).collect();
    let en = reasons.iter().map(|text| format!(" {}", text.en)).collect::<String>();
    let zh = reasons.iter().map(|text| text.zh.as_str()).collect::<String>();
    Text::new(
        format!("“{}” ({}) {}{loses_en}{}{en}", title.en, tool.id, means.en, about(": ", ".")),
        format!("“{}”（{}）{}{loses_zh}{}{zh}", title.zh, tool.id, means.zh, about("：", "。")),
    )
}
