use super::body::{PartWriter, Place};
use super::table::TEXT_WIDTH;
use crate::text::{is_cjk, is_cjk_punctuation};
use crate::tree::{Format, Piece};

/// Units of a drawing in one twentieth of a point, and in one pixel at 96 to the inch.
const EMU_PER_TWIP: u64 = 635;
const EMU_PER_PIXEL: u64 = 9_525;

/// Tallest image, in twentieths of a point: a page of text with room for a heading.
const MAX_HEIGHT: u64 = 12_000;

const DRAWING: &str = "http://schemas.openxmlformats.org/drawingml/2006/main";
const PICTURE: &str = "http://schemas.openxmlformats.org/drawingml/2006/picture";
const INLINE: &str = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing";

impl PartWriter<'_, '_> {
    /// The runs of a paragraph, with neighbours of one link inside one hyperlink.
    pub(crate) fn pieces(&mut self, pieces: &[Piece], place: &Place) {
        let mut rest = pieces;
        while let Some(first) = rest.first() {
            let link = link_of(first);
            let count = rest.iter().take_while(|piece| link_of(piece) == link).count().max(1);
            let opened = link.is_some_and(|url| self.open_link(url));
            for piece in &rest[..count] {
                self.piece(piece, opened, place);
            }
            if opened {
                self.xml.close("w:hyperlink");
            }
            rest = &rest[count..];
        }
    }

    /// Opens a hyperlink; `false` when there is nothing to point to, as for an anchor without its heading.
    fn open_link(&mut self, url: &str) -> bool {
        if let Some(anchor) = url.strip_prefix('#') {
            let decoded = percent_encoding::percent_decode_str(anchor).decode_utf8_lossy();
            let Some((_, name)) = self.shared.bookmarks.of(&decoded) else {
                return false;
            };
            self.xml.open("w:hyperlink", &[("w:anchor", &name), ("w:history", "1")]);
        } else {
            let id = self.relations.link(url);
            self.xml.open("w:hyperlink", &[("r:id", &id), ("w:history", "1")]);
        }
        true
    }

    fn piece(&mut self, piece: &Piece, linked: bool, place: &Place) {
        match piece {
            Piece::Text(text, format) => self.run(text, format, linked),
            Piece::Break => {
                self.xml.open("w:r", &[]).leaf("w:br", &[]).close("w:r");
            }
            Piece::Image { url, alt } => self.image(url, alt, place),
            Piece::Note(n) => {
                self.xml.open("w:r", &[]).open("w:rPr", &[]).value("w:rStyle", "FootnoteReference").close("w:rPr");
                self.xml.leaf("w:footnoteReference", &[("w:id", &(n + 1).to_string())]).close("w:r");
            }
        }
    }

    fn run(&mut self, text: &str, format: &Format, linked: bool) {
        self.xml.open("w:r", &[]);
        self.run_properties(text, format, linked);
        for (n, line) in text.split('\n').enumerate() {
            if n > 0 {
                self.xml.leaf("w:br", &[]);
            }
            self.text(line);
        }
        self.xml.close("w:r");
    }

    /// Order matters here: Word reads run properties in the order of the schema.
    fn run_properties(&mut self, text: &str, format: &Format, linked: bool) {
        self.xml.open("w:rPr", &[]);
        if format.code || linked {
            self.xml.value("w:rStyle", if format.code { "InlineCode" } else { "Hyperlink" });
        }
        if text.chars().any(|c| is_cjk(c) || is_cjk_punctuation(c)) && text.chars().any(is_cjk) {
            self.xml.leaf("w:rFonts", &[("w:hint", "eastAsia")]);
        }
        let switches = [
            (format.bold, "w:b"),
            (format.bold, "w:bCs"),
            (format.italic, "w:i"),
            (format.italic, "w:iCs"),
            (format.strike, "w:strike"),
        ];
        for (_, name) in switches.into_iter().filter(|(on, _)| *on) {
            self.xml.leaf(name, &[]);
        }
        self.xml.close("w:rPr");
    }

    /// One line of text, with its spaces kept and its tabs as tabs.
    pub(crate) fn text(&mut self, line: &str) {
        for (n, part) in line.split('\t').enumerate() {
            if n > 0 {
                self.xml.leaf("w:tab", &[]);
            }
            if !part.is_empty() {
                self.xml.element("w:t", &[("xml:space", "preserve")], part);
            }
        }
    }

    fn image(&mut self, url: &str, alt: &str, place: &Place) {
        let Some((path, image)) = self.shared.media.place(self.shared.images, url) else {
            let italic = Format { italic: true, ..Format::default() };
            return self.run(&crate::missing_image(url, alt), &italic, false);
        };
        let (width, height) = fitted(image.size, TEXT_WIDTH.saturating_sub(place.indent() + place.taken));
        let relation = self.relations.part("image", &path);
        self.shared.drawings += 1;
        let id = self.shared.drawings.to_string();
        self.drawing(&id, alt, &relation, &width.to_string(), &height.to_string());
    }

    fn drawing(&mut self, id: &str, alt: &str, relation: &str, width: &str, height: &str) {
        let extent = [("cx", width), ("cy", height)];
        let name = format!("Image {id}");
        let identity = [("id", id), ("name", name.as_str()), ("descr", alt)];
        let xml = &mut self.xml;
        xml.open("w:r", &[]).open("w:drawing", &[]);
        xml.open("wp:inline", &[("xmlns:wp", INLINE), ("distT", "0"), ("distB", "0"), ("distL", "0"), ("distR", "0")]);
        xml.leaf("wp:extent", &extent).leaf("wp:docPr", &identity);
        xml.open("wp:cNvGraphicFramePr", &[])
            .leaf("a:graphicFrameLocks", &[("xmlns:a", DRAWING), ("noChangeAspect", "1")]);
        xml.close("wp:cNvGraphicFramePr")
            .open("a:graphic", &[("xmlns:a", DRAWING)])
            .open("a:graphicData", &[("uri", PICTURE)]);
        xml.open("pic:pic", &[("xmlns:pic", PICTURE)]).open("pic:nvPicPr", &[]).leaf("pic:cNvPr", &identity);
        xml.leaf("pic:cNvPicPr", &[])
            .close("pic:nvPicPr")
            .open("pic:blipFill", &[])
            .leaf("a:blip", &[("r:embed", relation)]);
        xml.open("a:stretch", &[])
            .leaf("a:fillRect", &[])
            .close("a:stretch")
            .close("pic:blipFill")
            .open("pic:spPr", &[]);
        xml.open("a:xfrm", &[]).leaf("a:off", &[("x", "0"), ("y", "0")]).leaf("a:ext", &extent).close("a:xfrm");
        xml.open("a:prstGeom", &[("prst", "rect")])
            .leaf("a:avLst", &[])
            .close("a:prstGeom")
            .close("pic:spPr")
            .close("pic:pic");
        xml.close("a:graphicData").close("a:graphic").close("wp:inline").close("w:drawing").close("w:r");
    }
}

fn link_of(piece: &Piece) -> Option<&str> {
    match piece {
        Piece::Text(_, format) => format.link.as_deref(),
        _ => None,
    }
}

/// Size in drawing units of an image of `size` pixels, made smaller when it is wider or taller than the text.
fn fitted((width, height): (u32, u32), room: usize) -> (u64, u64) {
    let (width, height) = (u64::from(width) * EMU_PER_PIXEL, u64::from(height) * EMU_PER_PIXEL);
    let (most_wide, most_high) = (room as u64 * EMU_PER_TWIP, MAX_HEIGHT * EMU_PER_TWIP);
    let scaled = |side: u64, most: u64, of: u64| (u128::from(side) * u128::from(most) / u128::from(of)) as u64;
    let (width, height) =
        if width > most_wide { (most_wide, scaled(height, most_wide, width)) } else { (width, height) };
    let (width, height) =
        if height > most_high { (scaled(width, most_high, height), most_high) } else { (width, height) };
    (width.max(1), height.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_keep_their_shape_and_never_leave_the_page() {
        let page = (TEXT_WIDTH as u64 * EMU_PER_TWIP, MAX_HEIGHT * EMU_PER_TWIP);
        assert_eq!(fitted((100, 50), TEXT_WIDTH), (952_500, 476_250));
        assert_eq!(fitted((10_000, 5_000), TEXT_WIDTH), (page.0, page.0 / 2));
        assert_eq!(fitted((100, 10_000), TEXT_WIDTH), (page.1 / 100, page.1));
        let extreme = fitted((u32::MAX, 1), TEXT_WIDTH);
        assert_eq!(extreme, (page.0, 1));
        assert!(fitted((u32::MAX, u32::MAX), TEXT_WIDTH).1 <= page.1);
    }
}
