//! What to make and what to call it: the caller's wishes, made sound before anything is touched.

use std::path::Path;

use winclaw_sdk::prelude::*;

use crate::names::{file_stem, portable};

/// File formats a model may ask for that this plugin does not make.
const OTHER_FORMATS: [&str; 14] =
    ["pdf", "doc", "odt", "rtf", "txt", "md", "xlsx", "xls", "pptx", "ppt", "epub", "tex", "csv", "json"];

/// A file format.
#[args]
#[result]
#[serde(rename_all = "lowercase")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// A Word document.
    #[default]
    Docx,
    /// A web page with its styles and images inside.
    Html,
}

impl Format {
    fn of_extension(extension: &str) -> Option<Format> {
        match extension.to_ascii_lowercase().as_str() {
            "docx" => Some(Format::Docx),
            "html" | "htm" => Some(Format::Html),
            _ => None,
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Format::Docx => "docx",
            Format::Html => "html",
        }
    }
}

/// Where the caller wants the document.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wish<'a> {
    pub path: Option<&'a str>,
    pub file_name: Option<&'a str>,
    pub format: Option<Format>,
}

/// What will be made.
#[derive(Debug, PartialEq)]
pub(crate) struct Plan {
    /// The folder as given; `.` for the working folder.
    pub folder: String,
    /// The file's name, safe on every system.
    pub name: String,
    pub format: Format,
    /// Set when the name is not the one asked for.
    pub warning: Option<String>,
}

/// Decides on folder, name and format. `is_dir` says whether a path is a folder that exists.
///
/// # Errors
/// `invalid_args` when the wishes contradict each other or name a format that cannot be made.
pub(crate) fn decide(wish: &Wish<'_>, title: &str, is_dir: &dyn Fn(&str) -> bool) -> Result<Plan, Failure> {
    let path = wish.path.map(str::trim).filter(|path| !path.is_empty());
    let file_name = wish.file_name.map(str::trim).filter(|name| !name.is_empty());
    if let Some(name) = file_name.filter(|name| name.contains(['/', '\\'])) {
        return Err(Failure::invalid_args(format!(
            "`file_name` is a name without folders; give `path`: \"{name}\" instead"
        )));
    }
    let (folder, asked) = match (path, file_name) {
        (None, name) => (".".to_owned(), name.map(str::to_owned)),
        (Some(path), name) if path.ends_with(['/', '\\']) || is_dir(path) => (path.to_owned(), name.map(str::to_owned)),
        (Some(path), None) => split(path),
        (Some(path), Some(name)) => {
            let what = format!(
                "`path` (\"{path}\") names a file and `file_name` (\"{name}\") another; give only one of them, or end `path` with `/`"
            );
            return Err(Failure::invalid_args(what));
        }
    };
    let (stem, format) = stem_and_format(asked.as_deref(), wish.format)?;
    let safe = stem.map_or_else(|| file_stem(title), portable);
    let name = format!("{safe}.{}", format.extension());
    let warning = stem
        .filter(|stem| *stem != safe)
        .map(|stem| format!("the name `{stem}` was changed to `{safe}`, which every system takes"));
    Ok(Plan { folder, name, format, warning })
}

fn split(path: &str) -> (String, Option<String>) {
    let parts = Path::new(path);
    let parent = parts.parent().map(|parent| parent.to_string_lossy().into_owned()).filter(|parent| !parent.is_empty());
    (parent.unwrap_or_else(|| ".".to_owned()), parts.file_name().map(|name| name.to_string_lossy().into_owned()))
}

fn stem_and_format(asked: Option<&str>, format: Option<Format>) -> Result<(Option<&str>, Format), Failure> {
    let Some(name) = asked else {
        return Ok((None, format.unwrap_or_default()));
    };
    let Some((stem, extension)) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) else {
        return Ok((Some(name), format.unwrap_or_default()));
    };
    match (Format::of_extension(extension), format) {
        (Some(found), None) => Ok((Some(stem), found)),
        (Some(found), Some(wanted)) if found == wanted => Ok((Some(stem), found)),
        (Some(_), Some(wanted)) => Err(Failure::invalid_args(format!(
            "`{name}` does not fit `format`: \"{0}\"; end the name in .{0} or leave `format` out",
            wanted.extension()
        ))),
        (None, _) if OTHER_FORMATS.contains(&extension.to_ascii_lowercase().as_str()) => Err(Failure::invalid_args(
            format!("`{name}`: documents are made as .docx or .html, not .{extension}; use `{stem}.docx`"),
        )),
        (None, format) => Ok((Some(name), format.unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(
        path: Option<&str>,
        file_name: Option<&str>,
        format: Option<Format>,
    ) -> Result<(String, String, Format), String> {
        let wish = Wish { path, file_name, format };
        let plan = decide(&wish, "北京天气: 3 天", &|path| path == "out").map_err(|failure| failure.message)?;
        Ok((plan.folder, plan.name, plan.format))
    }

    #[test]
    fn names_and_formats_follow_from_what_is_given() {
        use Format::{Docx, Html};
        let cases = [
            (None, None, None, ".", "北京天气 3 天.docx", Docx),
            (None, None, Some(Html), ".", "北京天气 3 天.html", Html),
            (None, Some("报告"), None, ".", "报告.docx", Docx),
            (None, Some("page.HTM"), None, ".", "page.html", Html),
            (Some("a/b.docx"), None, None, "a", "b.docx", Docx),
            (Some("v1.2"), None, None, ".", "v1.2.docx", Docx),
            (Some("new/"), None, None, "new/", "北京天气 3 天.docx", Docx),
            (Some("out"), None, Some(Html), "out", "北京天气 3 天.html", Html),
            (Some("out"), Some("x.docx"), None, "out", "x.docx", Docx),
            (Some(" "), Some(""), None, ".", "北京天气 3 天.docx", Docx),
            (None, Some("con.docx"), None, ".", "con_.docx", Docx),
        ];
        for (path, file_name, format, folder, name, made) in cases {
            let expected = Ok((folder.to_owned(), name.to_owned(), made));
            assert_eq!(plan(path, file_name, format), expected, "{path:?} {file_name:?}");
        }
    }

    #[test]
    fn contradictions_say_how_to_mend_them() {
        let cases = [
            (Some("a.docx"), None, Some(Format::Html), "end the name in .html"),
            (Some("a.pdf"), None, None, "use `a.docx`"),
            (None, Some("sub/a.docx"), None, "give `path`"),
            (Some("a.docx"), Some("b.docx"), None, "only one"),
        ];
        for (path, file_name, format, part) in cases {
            let error = plan(path, file_name, format).expect_err("a contradiction");
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_changed_name_is_told() {
        let wish = Wish { file_name: Some("a:b.docx"), ..Wish::default() };
        let plan = decide(&wish, "t", &|_| false).expect("a plan");
        assert_eq!(plan.name, "a b.docx");
        assert!(plan.warning.expect("a warning").contains("`a:b` was changed to `a b`"));
    }
}
