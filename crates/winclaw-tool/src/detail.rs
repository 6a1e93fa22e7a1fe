use serde_json::Value;

/// Longest rendering of one detail value, in characters; longer ones end in `…`.
const MAX_VALUE: usize = 60;

/// Follows a dotted path such as `target.city` into `value`.
pub fn lookup<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |inner, key| inner.get(key))
}

/// Name of the parameter that chooses one of a tool's actions.
pub(crate) const ACTION: &str = "action";

/// An entry of `detail_keys`, read. This is the only place that knows the form.
///
/// `target.city` is the parameter at this dotted path. `send:to` is the parameter `to`, and counts only for calls whose
/// argument `action` is the string `send`. What stands before the first `:` is the action, so that a path may hold more
/// of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DetailKey<'a> {
    /// The action it counts for. `None`: every call.
    pub action: Option<&'a str>,
    /// The dotted path of the parameter.
    pub path: &'a str,
}

impl<'a> DetailKey<'a> {
    /// Reads an entry. Every text is one: whether its names are real only the tool's manifest knows
    /// ([`ToolManifest::detail_fault`](crate::ToolManifest::detail_fault)).
    pub fn read(entry: &'a str) -> DetailKey<'a> {
        match entry.split_once(':') {
            Some((action, path)) => DetailKey { action: Some(action), path },
            None => DetailKey { action: None, path: entry },
        }
    }

    /// The parameter of the tool itself that the path starts from: `target` of `target.city`.
    pub fn parameter(&self) -> &'a str {
        self.path.split('.').next().unwrap_or(self.path)
    }

    /// Its value in a call; `None` if the arguments do not have it, or the call is of another action.
    pub fn value_in<'v>(&self, arguments: &'v Value) -> Option<&'v Value> {
        let counts = self.action.is_none_or(|action| arguments.get(ACTION).is_some_and(|given| given == action));
        if counts { lookup(arguments, self.path) } else { None }
    }
}

/// What a call is about: each path of `keys` that has a value in `arguments` with that value, in the order of `keys`.
/// Entries are read as [`DetailKey`] says; a path that two of them lead to counts once.
pub fn details<'a>(keys: &'a [String], arguments: &'a Value) -> Vec<(&'a str, &'a Value)> {
    let mut found: Vec<(&str, &Value)> = Vec::new();
    for key in keys.iter().map(|key| DetailKey::read(key)) {
        if let Some(value) = key.value_in(arguments).filter(|_| found.iter().all(|(path, _)| *path != key.path)) {
            found.push((key.path, value));
        }
    }
    found
}

/// One line that says what a call is about: its [`details`], as `path: value, path: value`.
///
/// Keys that the arguments do not have, and those of another action, are left out; values are cut to 60 characters and
/// freed of control characters, so that the line can be shown on a terminal. Empty when no key has a value.
pub fn detail_line(keys: &[String], arguments: &Value) -> String {
    let shown = details(keys, arguments).into_iter().map(|(path, value)| format!("{path}: {}", short(value)));
    shown.collect::<Vec<_>>().join(", ")
}

fn short(value: &Value) -> String {
    let whole = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut shown: String = whole.chars().take(MAX_VALUE).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if whole.chars().nth(MAX_VALUE).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_line_follows_the_order_of_the_keys_and_skips_what_is_absent() {
        let keys = ["to.city".to_owned(), "days".to_owned(), "unit".to_owned()];
        let arguments = json!({"days": 3, "to": {"city": "北京"}});
        assert_eq!(detail_line(&keys, &arguments), "to.city: 北京, days: 3");
    }

    #[test]
    fn escape_sequences_and_long_values_cannot_spoil_a_terminal() {
        let line = detail_line(&["t".to_owned()], &json!({"t": format!("\u{1b}[2J{}", "字".repeat(80))}));
        assert!(!line.contains('\u{1b}'));
        assert!(line.ends_with('…') && line.chars().count() < 70, "{line}");
    }

    #[test]
    fn a_key_of_an_action_counts_for_the_calls_of_that_action_alone() {
        let keys = ["box", "send:to", "send:note.title", "move:to", "any:to:day"].map(str::to_owned);
        let arguments =
            |action: Value| json!({"action": action, "to": "bob", "box": "in", "note": {"title": "hi"}, "to:day": 3});
        let cases = [
            (json!("send"), "box: in, to: bob, note.title: hi"),
            (json!("move"), "box: in, to: bob"),
            (json!("any"), "box: in, to:day: 3"),
            (json!("Send"), "box: in"),
            (json!(["send"]), "box: in"),
            (json!(null), "box: in"),
        ];
        for (action, line) in cases {
            assert_eq!(detail_line(&keys, &arguments(action.clone())), line, "{action}");
        }
        assert_eq!(detail_line(&keys, &json!({"to": "bob"})), "");
        assert_eq!(detail_line(&keys, &json!("send")), "");
    }

    #[test]
    fn a_key_is_read_in_one_way_and_a_value_stands_once() {
        let read = |key| (DetailKey::read(key).action, DetailKey::read(key).path, DetailKey::read(key).parameter());
        assert_eq!(read("to.city"), (None, "to.city", "to"));
        assert_eq!(read("send:to.city"), (Some("send"), "to.city", "to"));
        assert_eq!(read(":"), (Some(""), "", ""));
        let keys = ["to", "send:to", "to"].map(str::to_owned);
        assert_eq!(detail_line(&keys, &json!({"action": "send", "to": "bob"})), "to: bob");
    }
}
