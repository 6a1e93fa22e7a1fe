//! `policy.toml`: the rules of consent that outlast a task, read strictly and changed without losing what the person wrote.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, value};
use winclaw_guard::{Pin, Policy, PolicyRule, RuleFault, Source};

use crate::complaint::{Complaint, Exit, io};
use crate::config::write_private;

/// The whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    rule: Vec<PolicyRule>,
}

/// Every name that may stand in the file.
const NAMES: [&str; 12] = [
    "rule",
    "tool",
    "side_effect",
    "to",
    "decision",
    "pin",
    "from",
    "since",
    "publisher",
    "description",
    "parameters",
    "effects",
];

/// The rules in the file; none if there is no file.
pub fn read(file: &Path) -> Result<Vec<PolicyRule>, Complaint> {
    parse(file, &text_of(file)?)
}

/// Puts rules into the file, each in the place of those it replaces; returns those that went.
pub fn put(file: &Path, new: &[PolicyRule]) -> Result<Vec<PolicyRule>, Complaint> {
    change(file, |rules| {
        let mut policy = Policy { rules: rules.to_vec(), ..Policy::default() };
        let gone: Vec<PolicyRule> = new.iter().flat_map(|rule| policy.put(rule.clone())).collect();
        (policy.rules, gone)
    })
}

/// Takes the rules out that `goes` says of; returns them.
pub fn forget(file: &Path, goes: impl Fn(&PolicyRule) -> bool) -> Result<Vec<PolicyRule>, Complaint> {
    change(file, |rules| {
        let (gone, kept) = rules.iter().cloned().partition(|rule| goes(rule));
        (kept, gone)
    })
}

/// Today, as rules have it.
pub fn today() -> String {
    let now = jiff::ZonedDateTime::new(jiff::Timestamp::now(), jiff::tz::TimeZone::system());
    now.strftime("%Y-%m-%d").to_string()
}

/// What `edit` makes of the rules takes their place, while no other process changes the file. Comments stay with the rules
/// they stand before.
fn change(
    file: &Path,
    edit: impl FnOnce(&[PolicyRule]) -> (Vec<PolicyRule>, Vec<PolicyRule>),
) -> Result<Vec<PolicyRule>, Complaint> {
    let _lock = lock(file)?;
    let text = text_of(file)?;
    let old = parse(file, &text)?;
    let (new, gone) = edit(&old);
    if new == old {
        return Ok(gone);
    }
    let mut document: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| unreadable(file, &error.to_string()))?;
    rewrite(&mut document, &old, &new);
    write_private(file, document.to_string().as_bytes()).map_err(|error| io(file, &error))?;
    Ok(gone)
}

/// Holds the file against other processes until it is dropped. The lock is a file of its own, since the policy itself is
/// replaced by each change.
fn lock(file: &Path) -> Result<File, Complaint> {
    let path = PathBuf::from(format!("{}.lock", file.display()));
    let held = || {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let held = File::options().create(true).append(true).open(&path)?;
        held.lock()?;
        Ok(held)
    };
    held().map_err(|error| io(&path, &error))
}

fn text_of(file: &Path) -> Result<String, Complaint> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(io(file, &error)),
    }
}

fn parse(file: &Path, text: &str) -> Result<Vec<PolicyRule>, Complaint> {
    let written: Written = toml::from_str(text).map_err(|error| unreadable(file, &error.to_string()))?;
    match written.rule.iter().enumerate().find_map(|(at, rule)| Some((at, rule, rule.fault()?))) {
        Some((at, rule, fault)) => Err(faulty(file, at + 1, rule, fault)),
        None => Ok(written.rule),
    }
}

fn unreadable(file: &Path, why: &str) -> Complaint {
    let place = file.display();
    let complaint = Complaint::new(Exit::Usage, format!("{place}: {why}"), format!("{place}：{why}"));
    match misspelt(why) {
        Some("approve") => complaint.mend(
            "the approve level stands in config.toml: `winclaw config set approve …`",
            "批准级别写在 config.toml 中：winclaw config set approve …",
        ),
        Some(name) => match nearest(name) {
            Some(near) => complaint.mend(format!("did you mean `{near}`?"), format!("是否想写“{near}”？")),
            None => complaint.mend("correct the line it names, or remove it", "改正所指的那一行，或将其删除"),
        },
        None => complaint.mend("correct the line it names, or remove it", "改正所指的那一行，或将其删除"),
    }
}

/// The name of a field that is none, as the reader quotes it.
fn misspelt(why: &str) -> Option<&str> {
    why.split_once("unknown field `")?.1.split('`').next()
}

fn nearest(name: &str) -> Option<&'static str> {
    let near = |known: &&'static str| (strsim::normalized_damerau_levenshtein(name, known), *known);
    let best = NAMES.iter().map(near).max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= 0.5).then_some(best.1)
}

fn faulty(file: &Path, number: usize, rule: &PolicyRule, fault: RuleFault) -> Complaint {
    let place = file.display();
    let (tool, to) = (&rule.tool, rule.to.as_deref().unwrap_or(""));
    let (en, zh) = match fault {
        RuleFault::Tool => (format!("tool = \"{tool}\" is no tool"), format!("tool = \"{tool}\" 不是工具")),
        RuleFault::To => (format!("to = \"{to}\" is no destination"), format!("to = \"{to}\" 不是目的地")),
    };
    let complaint = Complaint::new(
        Exit::Usage,
        format!("{place}: rule {number}: {en}"),
        format!("{place}：第 {number} 条规则：{zh}"),
    );
    match fault {
        RuleFault::Tool => complaint.mend(
            "name one tool as plugin.tool, all of a plugin as plugin.*, or all as *",
            "写一个工具（plugin.tool）、一个插件的全部（plugin.*）或全部（*）",
        ),
        RuleFault::To => complaint.mend(
            "name a host, an e-mail address, a folder, whom a call goes to, or *",
            "写主机、邮箱地址、文件夹、接收者，或 *",
        ),
    }
}

/// Makes the rules of the document the `new` ones: what is gone is taken out, what is new stands at the end.
fn rewrite(document: &mut DocumentMut, old: &[PolicyRule], new: &[PolicyRule]) {
    let item = document.entry("rule").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    if !item.is_array_of_tables() {
        *item = Item::ArrayOfTables(std::mem::take(item).into_array_of_tables().unwrap_or_default());
    }
    let Some(tables) = item.as_array_of_tables_mut() else { return };
    let mut left: Vec<&PolicyRule> = new.iter().collect();
    for (at, rule) in old.iter().enumerate().rev() {
        match left.iter().rposition(|kept| *kept == rule) {
            Some(place) => {
                left.remove(place);
            }
            None => {
                tables.remove(at);
            }
        }
    }
    left.into_iter().for_each(|rule| tables.push(table(rule)));
    if tables.is_empty() {
        document.remove("rule");
    }
}

fn table(rule: &PolicyRule) -> Table {
    let mut table = Table::new();
    let mut set = |name: &str, text: Option<&str>| {
        if let Some(text) = text {
            table[name] = value(text);
        }
    };
    set("tool", Some(&rule.tool));
    set("side_effect", rule.side_effect.map(|effect| effect.as_str()));
    set("to", rule.to.as_deref());
    set("decision", Some(rule.decision.as_str()));
    set("from", rule.from.map(source));
    set("since", rule.since.as_deref());
    if let Some(pin) = &rule.pin {
        table["pin"] = value(pinned(pin));
    }
    table
}

/// How a rule came to be, as the file has it.
pub fn source(from: Source) -> &'static str {
    match from {
        Source::Answer => "answer",
        Source::Command => "command",
    }
}

fn pinned(pin: &Pin) -> InlineTable {
    let parts = [
        ("publisher", &pin.publisher),
        ("description", &pin.description),
        ("parameters", &pin.parameters),
        ("effects", &pin.effects),
    ];
    parts.into_iter().map(|(name, text)| (name, toml_edit::Value::from(text.as_str()))).collect()
}

#[cfg(test)]
mod tests {
    use winclaw_guard::Decision;
    use winclaw_tool::SideEffect;

    use super::*;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("deep").join("policy.toml");
        (folder, file)
    }

    fn rule(tool: &str, decision: Decision) -> PolicyRule {
        let pin = Pin {
            publisher: "“Somebody” \\ \"x\"".into(),
            description: "d".into(),
            parameters: "p".into(),
            effects: "e".into(),
        };
        let rule = PolicyRule::new(tool, Some(SideEffect::External), decision);
        PolicyRule {
            to: Some("bob@example.org".into()),
            pin: Some(pin),
            from: Some(Source::Answer),
            since: Some(today()),
            ..rule
        }
    }

    #[test]
    fn what_is_put_is_read_back_and_takes_the_place_of_what_was_said_before() {
        let (_folder, file) = folder();
        assert_eq!(read(&file).expect("no file, no rules"), []);
        let (allow, other, deny) =
            (rule("mail.send", Decision::Allow), rule("mail.*", Decision::Ask), rule("mail.send", Decision::Deny));
        assert_eq!(put(&file, &[allow.clone(), other.clone()]).expect("put"), []);
        assert_eq!(read(&file).expect("rules"), [allow.clone(), other.clone()]);
        assert_eq!(put(&file, std::slice::from_ref(&deny)).expect("put"), [allow]);
        assert_eq!(read(&file).expect("rules"), [other.clone(), deny.clone()]);
        assert_eq!(forget(&file, |rule| rule.tool == "mail.*").expect("forgotten"), [other]);
        assert_eq!(forget(&file, |_| true).expect("forgotten"), [deny]);
        assert_eq!(read(&file).expect("rules"), []);
    }

    #[test]
    fn comments_of_the_person_stay() {
        let (_folder, file) = folder();
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        let text = "# mine\n\n# no mails\n[[rule]]\ntool = \"mail.*\" # all of it\ndecision = \"deny\"\n\n# goes\n[[rule]]\ntool = \"x.y\"\ndecision = \"ask\"\n# end\n";
        std::fs::write(&file, text).expect("written");
        put(&file, &[rule("notes.add", Decision::Allow)]).expect("put");
        forget(&file, |rule| rule.tool == "x.y").expect("forgotten");
        let now = std::fs::read_to_string(&file).expect("read");
        for kept in ["# mine", "# no mails", "# all of it", "# end", "notes.add"] {
            assert!(now.contains(kept), "{kept}: {now}");
        }
        assert!(!now.contains("x.y"), "{now}");
        assert_eq!(read(&file).expect("rules").len(), 2);
    }

    #[test]
    fn a_list_in_one_line_is_read_and_changed_too() {
        let (_folder, file) = folder();
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(&file, "rule = [{ tool = \"*\", decision = \"ask\" }]\n").expect("written");
        put(&file, &[rule("notes.add", Decision::Allow)]).expect("put");
        assert_eq!(read(&file).expect("rules").len(), 2);
    }

    #[test]
    fn each_mistake_is_named_with_what_would_be_right() {
        let cases = [
            ("[[rule]]\ntool = \"a.b\"\ndecison = \"deny\"", "decison", "`decision`"),
            ("[[rules]]\ntool = \"a.b\"", "rules", "`rule`"),
            ("approve = \"always\"", "approve", "config.toml"),
            ("[[rule]]\ntool = \"a.b\"\ndecision = \"sometimes\"", "sometimes", "correct the line"),
            ("[[rule]]\ntool = \"a.b\"\nside_effect = \"writes\"\ndecision = \"deny\"", "writes", "correct the line"),
            ("[[rule]]\ntool = \"a.b\"\nto = 3\ndecision = \"deny\"", "line 3", "correct the line"),
            ("[[rule]]\ndecision = \"deny\"", "tool", "correct the line"),
            ("[[rule]]\ntool = \"a.b*\"\ndecision = \"deny\"", "rule 1", "plugin.*"),
            ("[[rule]]\ntool = \"a.b\"\nto = \" \"\ndecision = \"deny\"", "rule 1", "a host"),
            ("[[rule", "line 1", "correct the line"),
        ];
        for (text, what, mend) in cases {
            let complaint = parse(Path::new("policy.toml"), text).expect_err(text);
            assert_eq!(complaint.exit, Exit::Usage);
            assert!(complaint.what.en.contains(what), "{text}: {complaint:?}");
            assert!(complaint.mend.en.contains(mend), "{text}: {complaint:?}");
        }
    }

    #[test]
    fn many_at_once_lose_nothing() {
        let (_folder, file) = folder();
        std::thread::scope(|scope| {
            for n in 0..8 {
                let file = &file;
                scope.spawn(move || {
                    for m in 0..8 {
                        put(file, &[rule(&format!("p{n}.t{m}"), Decision::Allow)]).expect("put");
                    }
                });
            }
        });
        assert_eq!(read(&file).expect("rules").len(), 64);
    }
}
