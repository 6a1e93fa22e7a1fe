use std::path::PathBuf;

use winclaw_sdk::files::{Access, Clash, Entry, Folders};
use winclaw_sdk::prelude::*;

use crate::images::{self, Images};
use crate::plan::{self, Format, Plan, Wish};
use crate::text::Script;
use crate::{Meta, docx, html, markdown, tree};

/// Longest Markdown text in bytes.
const MAX_MARKDOWN: usize = 4 << 20;

/// Longest title and author in characters.
const MAX_TITLE: usize = 300;

/// What document to make.
#[args]
#[derive(Debug, Default)]
pub struct CreateArgs {
    /// The whole content as Markdown: headings, lists, task lists, tables, links, images by path, code, quotes,
    /// footnotes. Write real content, not placeholders.
    pub markdown: String,
    /// Title shown at the top and used for the file name. Default: the first heading.
    #[serde(default)]
    pub title: Option<String>,
    /// Where to write: a file such as "reports/weather.docx", or a folder ending in "/". Relative paths start at the
    /// working folder. Default: the working folder, with a name made from the title.
    #[serde(default)]
    pub path: Option<String>,
    /// Only the file's name, when no folder is needed. Give this or `path`.
    #[serde(default)]
    pub file_name: Option<String>,
    /// "docx" for Word or "html" for a web page. Default: from the file's extension, else docx.
    #[serde(default)]
    pub format: Option<Format>,
    /// Whether an existing file may be replaced.
    #[serde(default)]
    pub overwrite: bool,
    /// The author, kept in the document's properties.
    #[serde(default)]
    pub author: Option<String>,
    /// The document's date as YYYY-MM-DD, kept in its properties.
    #[serde(default)]
    pub date: Option<String>,
}

/// The document that was made.
#[result]
#[derive(Debug)]
pub struct Created {
    /// Its absolute path.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: usize,
    /// Its format.
    pub format: Format,
    /// Its title.
    pub title: String,
    /// How many headings it has.
    pub headings: usize,
    /// How many tables it has.
    pub tables: usize,
    /// How many images are inside it.
    pub images: usize,
    /// What could not be kept as asked, in sentences; left out when there is nothing to say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A document in memory.
struct Document {
    source: markdown::Source,
    images: Images,
    meta: Meta,
}

/// Make a Word document (.docx) or a web page (.html) from Markdown and save it. Returns the absolute path and size.
///
/// Collect the facts first, then call this once with the complete text. Images must be local files inside the allowed
/// folders; nothing is fetched from the network. An existing file is kept unless `overwrite` is true.
#[tool(side_effect = "write")]
pub(crate) fn create(args: CreateArgs, cx: &Context) -> Result<Created, Failure> {
    check(&args)?;
    let folders = Folders::of(cx);
    let mut document = Document::read(&args, &folders);
    cx.check_cancelled()?;
    let wish = Wish { path: args.path.as_deref(), file_name: args.file_name.as_deref(), format: args.format };
    let plan = plan::decide(&wish, &document.meta.title, &|path| is_dir(&folders, path))?;
    let entry = entry(&folders, &plan)?;
    let bytes = document.write(plan.format);
    cx.check_cancelled()?;
    entry.save(&bytes, Clash::overwrite(args.overwrite))?;
    let mut warnings = std::mem::take(&mut document.source.warnings);
    warnings.append(&mut document.images.warnings);
    warnings.extend(plan.warning);
    Ok(Created {
        path: entry.path,
        bytes: bytes.len(),
        format: plan.format,
        title: document.meta.title,
        headings: document.source.headings,
        tables: document.source.tables,
        images: document.images.found.len(),
        warnings,
    })
}

fn is_dir(folders: &Folders, path: &str) -> bool {
    folders.find(path, Access::Read).is_ok_and(|place| place.is_dir())
}

/// Where the document goes; its folder is made when it is missing.
fn entry(folders: &Folders, plan: &Plan) -> Result<Entry, Failure> {
    let folder = match plan.folder.as_str() {
        "." => folders.first(Access::Write),
        path => folders.find(path, Access::Write),
    }?;
    folder.make_dir()?;
    folder.join(&plan.name).entry()
}

/// The bytes of an image, or why it cannot be had.
fn image(folders: &Folders, path: &str, most: usize) -> Result<Vec<u8>, String> {
    let read = folders.find(path, Access::Read).and_then(|place| match place.found()? {
        Some(_) => place.read(most as u64),
        None => Err(Failure::tool_failed("there is no such file")),
    });
    read.map_err(|failure| failure.message)
}

fn check(args: &CreateArgs) -> Result<(), Failure> {
    let long = |text: &Option<String>| text.as_ref().is_some_and(|text| text.chars().count() > MAX_TITLE);
    let what = if args.markdown.trim().is_empty() {
        "`markdown` is empty; give the whole text of the document".to_owned()
    } else if args.markdown.len() > MAX_MARKDOWN {
        format!("`markdown` has {} bytes; the limit is {MAX_MARKDOWN}, so split the document", args.markdown.len())
    } else if long(&args.title) || long(&args.author) {
        format!("`title` and `author` may have at most {MAX_TITLE} characters")
    } else if args.date.as_deref().is_some_and(|date| !is_date(date)) {
        "`date` must be YYYY-MM-DD, such as 2025-03-01".to_owned()
    } else {
        return Ok(());
    };
    Err(Failure::invalid_args(what))
}

fn is_date(text: &str) -> bool {
    let parts: Vec<Option<u32>> = text.split('-').map(|part| part.parse().ok()).collect();
    let form = text.len() == 10
        && text.bytes().enumerate().all(|(n, b)| if n == 4 || n == 7 { b == b'-' } else { b.is_ascii_digit() });
    form && matches!(parts[..], [Some(1..), Some(1..=12), Some(1..=31)])
}

impl Document {
    fn read(args: &CreateArgs, folders: &Folders) -> Document {
        let source = markdown::parse(&args.markdown);
        let images = images::collect(&source.events, &|path, most| image(folders, path, most));
        let given = args.title.as_ref().map(|title| one_line(title)).filter(|title| !title.is_empty());
        let repeated = source.opens_with_title && source.title == given;
        let title = given.clone().or_else(|| source.title.clone()).unwrap_or_else(|| "Document".to_owned());
        let meta = Meta {
            script: Script::of(&format!("{title}{}", args.markdown)),
            heading: given.filter(|_| !repeated),
            author: args.author.as_ref().map(|author| one_line(author)).filter(|author| !author.is_empty()),
            date: args.date.clone(),
            title,
        };
        Document { source, images, meta }
    }

    fn write(&self, format: Format) -> Vec<u8> {
        match format {
            Format::Docx => docx::write(&tree::build(&self.source.events), &self.images, &self.meta),
            Format::Html => html::write(&self.source.events, &self.images, &self.meta).into_bytes(),
        }
    }
}

fn one_line(text: &str) -> String {
    crate::text::legal(text).split_whitespace().collect::<Vec<_>>().join(" ")
}
