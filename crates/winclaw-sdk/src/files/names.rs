//! Names of files: which cannot be given to a new one, and which is the next when one is taken.

use std::path::{Component, Path};

use crate::Failure;

/// Longest name on the usual file systems: bytes on Unix, UTF-16 units on Windows.
const MAX_NAME: usize = 255;

/// Refuses a path whose parts this system cannot create or, on Windows, would take for something else.
///
/// # Errors
/// `invalid_args`, naming the part and what is wrong with it.
pub fn check(path: &Path) -> Result<(), Failure> {
    let names =
        path.components().filter_map(|part| if let Component::Normal(name) = part { name.to_str() } else { None });
    for name in names {
        if let Some(why) = fault(name, cfg!(windows)) {
            let shown: String = name.chars().take(60).collect();
            return Err(Failure::invalid_args(format!("`{shown}` cannot be a name here: {why}")));
        }
    }
    Ok(())
}

/// What is wrong with `name`, if anything.
fn fault(name: &str, windows: bool) -> Option<String> {
    let length = if windows { name.encode_utf16().count() } else { name.len() };
    if length > MAX_NAME {
        return Some(format!("it is longer than {MAX_NAME} {}", if windows { "characters" } else { "bytes" }));
    }
    if !windows {
        return None;
    }
    if let Some(bad) = name.chars().find(|&c| c.is_control() || "<>:\"|?*".contains(c)) {
        return Some(format!("Windows does not allow `{}`", bad.escape_debug()));
    }
    if name.ends_with(['.', ' ']) {
        return Some("Windows does not allow a dot or space at the end".to_owned());
    }
    is_device(name).then(|| "Windows keeps it for a device".to_owned())
}

/// Whether Windows opens a device when asked for a file of this name, whatever its extension: `con`, `NUL.txt`, `com1`.
pub fn is_device(name: &str) -> bool {
    let base = name.split('.').next().unwrap_or("").trim_end().to_uppercase();
    let numbered = |prefix: &str| {
        let digit = base.strip_prefix(prefix).unwrap_or("");
        digit.chars().count() == 1 && digit.chars().all(|c| c.is_ascii_digit() || "¹²³".contains(c))
    };
    matches!(base.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") || numbered("COM") || numbered("LPT")
}

/// The name with ` (n)` before its extension, as file managers write it: `report (2).txt`.
pub fn numbered(name: &str, n: u32) -> String {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => format!("{stem} ({n}).{extension}"),
        _ => format!("{name} ({n})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_names_are_judged_as_windows_does() {
        for bad in ["con", "NUL.txt", "com1.log", "LPT²", "a:b", "what?", "dot.", "space ", "a\tb", "aux .c"] {
            assert!(fault(bad, true).is_some(), "{bad}");
            assert!(fault(bad, false).is_none(), "{bad}");
        }
        for good in ["报告.docx", "console.txt", "com10", ".gitignore", "a b"] {
            assert_eq!(fault(good, true), None, "{good}");
        }
    }

    #[test]
    fn length_counts_what_the_system_counts() {
        let chinese = "字".repeat(100);
        assert!(fault(&chinese, false).is_some() && fault(&chinese, true).is_none());
        assert!(check(Path::new(&format!("ok/{}", "a".repeat(256)))).is_err());
        assert!(check(Path::new("./ok/../fine")).is_ok());
    }

    #[test]
    fn numbers_go_before_the_extension() {
        assert_eq!(numbered("报告.docx", 2), "报告 (2).docx");
        assert_eq!(numbered("plain", 3), "plain (3)");
        assert_eq!(numbered(".hidden", 2), ".hidden (2)");
    }
}
