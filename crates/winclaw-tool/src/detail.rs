use serde_json::Value;

/// Longest rendering of one detail value, in characters; longer ones end in `…`.
const MAX_VALUE: usize = 60;

/// Follows a dotted path such as `target.city` into `value`.
pub fn lookup<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |inner, key| inner.get(key))
}

/// One line that says what a call is about: the values of `keys` in order, as `key: value, key: value`.
///
/// Keys that the arguments do not have are left out; values are cut to 60 characters and freed of control characters,
/// so that the line can be shown on a terminal. Empty when no key has a value.
pub fn detail_line(keys: &[String], arguments: &Value) -> String {
    let shown = keys.iter().filter_map(|key| Some(format!("{key}: {}", short(lookup(arguments, key)?))));
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
}
