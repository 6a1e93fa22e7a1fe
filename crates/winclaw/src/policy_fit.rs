//! Whether the rules of consent mean tools that are here: a prohibition with a slip of the pen would prohibit nothing.

use winclaw_catalog::{Catalog, CatalogTool};
use winclaw_guard::{Decision, PolicyRule};
use winclaw_tool::Text;

use crate::complaint::{Complaint, Exit};

/// Least likeness of a name that is offered for another.
const LEAST: f64 = 0.6;

/// Why the tool of a rule means nothing here.
#[derive(Debug, PartialEq, Eq)]
pub enum Misfit {
    /// The plugin is here and has no such tool; the nearest that it has, if one is near.
    NoTool(Option<String>),
    /// No plugin of that name is here; the nearest tool, or `plugin.*`, if one is near.
    NoPlugin(Option<String>),
}

/// What is wrong with the tool of a rule (an id, `plugin.*` or `*`), if anything. Disabled tools are here as well.
pub fn misfit(catalog: &Catalog, tool: &str) -> Option<Misfit> {
    let (plugin, name) = tool.split_once('.')?;
    let tools = || catalog.tools().iter();
    if tools().any(|here| here.id.as_str() == tool) {
        return None;
    }
    let of_plugin = |here: &&CatalogTool| here.id.source() == plugin;
    match (tools().any(|here| of_plugin(&here)), name) {
        (true, "*") => None,
        (true, _) => Some(Misfit::NoTool(nearest(tool, tools().filter(of_plugin).map(|here| here.id.to_string())))),
        (false, "*") => Some(Misfit::NoPlugin(nearest(tool, tools().map(|here| format!("{}.*", here.id.source()))))),
        (false, _) => Some(Misfit::NoPlugin(nearest(tool, tools().map(|here| here.id.to_string())))),
    }
}

fn nearest(tool: &str, known: impl Iterator<Item = String>) -> Option<String> {
    let likeness = known.map(|known| (strsim::normalized_damerau_levenshtein(tool, &known), known));
    let best = likeness.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= LEAST).then_some(best.1)
}

/// Looks at rules that are about to hold: what the person should be warned of.
///
/// Errors: a prohibition of a tool that its plugin does not have.
pub fn check(catalog: &Catalog, rules: &[PolicyRule]) -> Result<Vec<Text>, Complaint> {
    let mut warnings = Vec::new();
    for rule in rules {
        match misfit(catalog, &rule.tool) {
            Some(Misfit::NoTool(near)) if rule.decision == Decision::Deny => {
                return Err(prohibits_nothing(&rule.tool, near));
            }
            Some(misfit) => warnings.push(warning(rule, &misfit)),
            None => {}
        }
    }
    warnings.dedup();
    Ok(warnings)
}

/// The complaint of a command that names a tool its plugin does not have.
pub fn no_tool(tool: &str, near: Option<String>) -> Complaint {
    let (plugin, _) = tool.split_once('.').unwrap_or((tool, ""));
    let complaint = Complaint::new(
        Exit::Usage,
        format!("the plugin `{plugin}` has no tool `{tool}`"),
        format!("插件“{plugin}”没有工具“{tool}”"),
    );
    match near {
        Some(near) => complaint.mend(format!("did you mean `{near}`?"), format!("是否想写“{near}”？")),
        None => complaint.mend("`winclaw tool list` lists every tool", "运行 winclaw tool list 查看所有工具"),
    }
}

fn prohibits_nothing(tool: &str, near: Option<String>) -> Complaint {
    let Complaint { exit, what, mend } = no_tool(tool, near);
    let complaint = Complaint::new(
        exit,
        format!("a rule denies `{tool}` and so prohibits nothing: {}", what.en),
        format!("禁止“{tool}”的规则不起作用：{}", what.zh),
    );
    complaint.mend(
        format!("{} `winclaw consent forget {tool}` takes the rule out", gap(&mend.en, ";")),
        format!("{}运行 winclaw consent forget {tool} 可删除该规则", gap(&mend.zh, "；")),
    )
}

/// A question ends by itself; anything else gets `mark`.
fn gap(text: &str, mark: &str) -> String {
    if text.ends_with(['?', '？']) { text.to_owned() } else { format!("{text}{mark}") }
}

/// That a rule fits nothing now, on one line.
pub fn warning(rule: &PolicyRule, misfit: &Misfit) -> Text {
    let (tool, decision) = (&rule.tool, rule.decision.as_str());
    let (why_en, why_zh, near) = match misfit {
        Misfit::NoTool(near) => ("its plugin has no such tool", "其插件没有此工具", near),
        Misfit::NoPlugin(near) => ("no such plugin is installed", "没有安装此插件", near),
    };
    let (ask_en, ask_zh) = match near {
        Some(near) => (format!("; did you mean `{near}`?"), format!("；是否想写“{near}”？")),
        None => Default::default(),
    };
    Text::new(
        format!("the rule `{decision} {tool}` fits nothing now: {why_en}{ask_en}"),
        format!("规则“{decision} {tool}”目前不起作用：{why_zh}{ask_zh}"),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use winclaw_catalog::{State, ToolEntry};
    use winclaw_tool::ToolId;

    use super::*;

    fn catalog() -> Catalog {
        let entry = |id: &str| {
            let manifest = json!({"name": "x", "category": "c", "summary": "", "description": "",
                "parameters": {"type": "object"}, "side_effect": "read"});
            let manifest = serde_json::from_value(manifest).expect("a manifest");
            let state = if id == "mail.read" { State::Disabled { why: Text::default() } } else { State::Ready };
            ToolEntry { id: ToolId::parse(id).expect("an id"), manifest, state }
        };
        Catalog::build(["mail.read", "mail.send", "notes.add"].map(entry).into()).0
    }

    fn rule(tool: &str, decision: Decision) -> PolicyRule {
        PolicyRule::new(tool, None, decision)
    }

    #[test]
    fn what_is_here_fits_and_what_is_not_is_told_with_the_nearest() {
        let catalog = catalog();
        for fits in ["mail.send", "mail.read", "mail.*", "*"] {
            assert_eq!(misfit(&catalog, fits), None, "{fits}");
        }
        let near = |name: &str| Some(name.to_owned());
        let cases = [
            ("mail.sned", Misfit::NoTool(near("mail.send"))),
            ("mail.whatever_else", Misfit::NoTool(None)),
            ("mial.send", Misfit::NoPlugin(near("mail.send"))),
            ("note.*", Misfit::NoPlugin(near("notes.*"))),
            ("sky.forecast", Misfit::NoPlugin(None)),
        ];
        for (tool, expected) in cases {
            assert_eq!(misfit(&catalog, tool), Some(expected), "{tool}");
        }
    }

    #[test]
    fn a_prohibition_that_prohibits_nothing_is_an_error_and_all_else_a_warning() {
        let catalog = catalog();
        let complaint = check(&catalog, &[rule("*", Decision::Ask), rule("mail.sned", Decision::Deny)]);
        let complaint = complaint.expect_err("a slip");
        assert_eq!(complaint.exit, Exit::Usage);
        for text in [&complaint.mend.en, &complaint.mend.zh] {
            assert!(text.contains("mail.send") && text.contains("forget mail.sned"), "{text}");
        }
        let others = [
            rule("mail.sned", Decision::Allow),
            rule("mail.sned", Decision::Ask),
            rule("sky.forecast", Decision::Deny),
            rule("mail.send", Decision::Deny),
        ];
        assert_eq!(check(&catalog, &others).expect("warnings").len(), 3);
    }
}
