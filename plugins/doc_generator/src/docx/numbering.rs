use super::xml::{W, Xml};

/// Deepest level of a list in Word, counted from 0.
pub(crate) const MAX_LEVEL: usize = 8;

/// Indent of one level, in twentieths of a point.
pub(crate) const STEP: usize = 440;

/// How far the bullet or number stands left of its text.
const HANGING: &str = "360";

/// Numbering ids of the lists that never count; ordered lists follow after these.
const BULLET: usize = 1;
const OPEN_TASK: usize = 2;
const DONE_TASK: usize = 3;

/// The lists of a document. Each ordered list is a numbering of its own, so that each starts at its own number.
#[derive(Default)]
pub(crate) struct Numbering {
    ordered: Vec<(usize, u64)>,
}

impl Numbering {
    /// The numbering id of a bulleted item; `task` is whether its box is ticked.
    pub(crate) fn bullet(&self, task: Option<bool>) -> String {
        match task {
            None => BULLET,
            Some(false) => OPEN_TASK,
            Some(true) => DONE_TASK,
        }
        .to_string()
    }

    /// Opens an ordered list at `level` that starts with `start`, and gives its numbering id.
    pub(crate) fn ordered(&mut self, level: usize, start: u64) -> String {
        self.ordered.push((level, start.min(i32::MAX as u64)));
        (DONE_TASK + self.ordered.len()).to_string()
    }

    /// The numbering part.
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut xml = Xml::new();
        xml.open("w:numbering", &[("xmlns:w", W)]);
        shape(&mut xml, "1", |level| ("bullet", ["•", "◦", "▪"][level % 3].to_owned()));
        shape(&mut xml, "2", |_| ("bullet", "☐".to_owned()));
        shape(&mut xml, "3", |_| ("bullet", "☑".to_owned()));
        shape(&mut xml, "4", |level| (["decimal", "lowerLetter", "lowerRoman"][level % 3], format!("%{}.", level + 1)));
        for id in [BULLET, OPEN_TASK, DONE_TASK] {
            let id = id.to_string();
            xml.open("w:num", &[("w:numId", &id)]).value("w:abstractNumId", &id).close("w:num");
        }
        for (n, (level, start)) in self.ordered.iter().enumerate() {
            xml.open("w:num", &[("w:numId", &(DONE_TASK + 1 + n).to_string())]).value("w:abstractNumId", "4");
            xml.open("w:lvlOverride", &[("w:ilvl", &level.to_string())]).value("w:startOverride", &start.to_string());
            xml.close("w:lvlOverride").close("w:num");
        }
        xml.close("w:numbering");
        xml.finish()
    }
}

fn shape(xml: &mut Xml, id: &str, look: impl Fn(usize) -> (&'static str, String)) {
    xml.open("w:abstractNum", &[("w:abstractNumId", id)]).value("w:multiLevelType", "multilevel");
    for level in 0..=MAX_LEVEL {
        let (format, text) = look(level);
        xml.open("w:lvl", &[("w:ilvl", &level.to_string())]).value("w:start", "1").value("w:numFmt", format);
        xml.value("w:lvlText", &text).value("w:lvlJc", "left");
        let left = (STEP * (level + 1)).to_string();
        xml.open("w:pPr", &[]).leaf("w:ind", &[("w:left", &left), ("w:hanging", HANGING)]).close("w:pPr");
        if format == "bullet" {
            let font = if text.starts_with(['☐', '☑']) { "Segoe UI Symbol" } else { "Arial" };
            let fonts = [("w:ascii", font), ("w:hAnsi", font), ("w:cs", font), ("w:hint", "default")];
            xml.open("w:rPr", &[]).leaf("w:rFonts", &fonts).close("w:rPr");
        }
        xml.close("w:lvl");
    }
    xml.close("w:abstractNum");
}
