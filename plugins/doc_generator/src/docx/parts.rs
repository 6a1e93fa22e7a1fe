use std::collections::BTreeMap;

use super::xml::Xml;
use crate::images::{Image, Images};

/// Base of the relationship types of Office documents.
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// The relationships of one part: what it refers to outside itself.
#[derive(Default)]
pub(crate) struct Relations(Vec<Relation>);

struct Relation {
    kind: &'static str,
    target: String,
    external: bool,
}

impl Relations {
    /// Refers to another part; `kind` is the last word of the relationship type, such as `styles`.
    pub(crate) fn part(&mut self, kind: &'static str, target: &str) -> String {
        self.add(Relation { kind, target: target.to_owned(), external: false })
    }

    /// Refers to a web address.
    pub(crate) fn link(&mut self, url: &str) -> String {
        self.add(Relation { kind: "hyperlink", target: url.to_owned(), external: true })
    }

    fn add(&mut self, new: Relation) -> String {
        let same = |old: &Relation| (old.kind, &old.target) == (new.kind, &new.target);
        let at = self.0.iter().position(same).unwrap_or_else(|| {
            self.0.push(new);
            self.0.len() - 1
        });
        format!("rId{}", at + 1)
    }

    /// Whether the part refers to nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The relationships part.
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut xml = Xml::new();
        xml.open("Relationships", &[("xmlns", "http://schemas.openxmlformats.org/package/2006/relationships")]);
        for (n, relation) in self.0.iter().enumerate() {
            let (id, kind) = (format!("rId{}", n + 1), format!("{OFFICE}/{}", relation.kind));
            let mut attributes = vec![("Id", id.as_str()), ("Type", &kind), ("Target", &relation.target)];
            attributes.extend(relation.external.then_some(("TargetMode", "External")));
            xml.leaf("Relationship", &attributes);
        }
        xml.close("Relationships");
        xml.finish()
    }
}

/// The image files of a package, each once.
#[derive(Default)]
pub(crate) struct Media<'a>(Vec<(&'a str, &'a Image)>);

impl<'a> Media<'a> {
    /// The image at `url` and its place in the package, when it was found.
    pub(crate) fn place(&mut self, images: &'a Images, url: &str) -> Option<(String, &'a Image)> {
        let (key, image) = images.found.get_key_value(url)?;
        let at = self.0.iter().position(|(known, _)| known == key).unwrap_or_else(|| {
            self.0.push((key, image));
            self.0.len() - 1
        });
        Some((path(at, image), image))
    }

    /// Paths below `word/` and bytes, in order of first use.
    pub(crate) fn files(&self) -> impl Iterator<Item = (String, &'a [u8])> {
        self.0.iter().enumerate().map(|(at, (_, image))| (path(at, image), image.bytes.as_slice()))
    }
}

fn path(at: usize, image: &Image) -> String {
    format!("media/image{}.{}", at + 1, image.kind.extension())
}

/// The bookmarks of a document's headings, by the id links use.
///
/// Word allows letters, digits and `_` in a name and forty characters, so that the ids themselves cannot serve.
#[derive(Default)]
pub(crate) struct Bookmarks(BTreeMap<String, usize>);

impl Bookmarks {
    /// Names every heading before the first link is written.
    pub(crate) fn new<'a>(ids: impl Iterator<Item = &'a str>) -> Bookmarks {
        Bookmarks(ids.enumerate().map(|(n, id)| (id.to_owned(), n + 1)).collect())
    }

    /// Number and name of the bookmark of the heading `id`.
    pub(crate) fn of(&self, id: &str) -> Option<(String, String)> {
        self.0.get(id).map(|n| (n.to_string(), format!("_heading_{n}")))
    }
}
