//! The images of a document: where their bytes come from and how large they are.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use pulldown_cmark::{Event, Tag};

/// Largest image in bytes.
const MAX_BYTES: usize = 20 << 20;

/// Most different images in one document.
const MAX_IMAGES: usize = 200;

/// Largest sum of all images in bytes.
const MAX_TOTAL: usize = 100 << 20;

/// A picture both Word and browsers show.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Image {
    /// The file as it is.
    pub bytes: Vec<u8>,
    /// What it is.
    pub kind: Kind,
    /// Width and height in pixels, at least 1.
    pub size: (u32, u32),
}

/// A picture format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Png,
    Jpeg,
    Gif,
}

impl Kind {
    /// The usual file extension, which is also the end of the media type.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Kind::Png => "png",
            Kind::Jpeg => "jpeg",
            Kind::Gif => "gif",
        }
    }
}

impl Image {
    /// Looks at the first bytes for format and size. The error says what was found instead.
    pub(crate) fn new(bytes: Vec<u8>) -> Result<Image, String> {
        if bytes.len() > MAX_BYTES {
            return Err(format!("it has {} bytes, more than the limit of {MAX_BYTES}", bytes.len()));
        }
        let kind = match imagesize::image_type(&bytes) {
            Ok(imagesize::ImageType::Png) => Kind::Png,
            Ok(imagesize::ImageType::Jpeg) => Kind::Jpeg,
            Ok(imagesize::ImageType::Gif) => Kind::Gif,
            _ => return Err("it is no PNG, JPEG or GIF".to_owned()),
        };
        let size = imagesize::blob_size(&bytes).map_err(|error| format!("its size cannot be read: {error}"))?;
        let side = |pixels: usize| u32::try_from(pixels.max(1)).unwrap_or(u32::MAX);
        Ok(Image { size: (side(size.width), side(size.height)), bytes, kind })
    }

    /// The image as a `data:` address.
    pub(crate) fn data_uri(&self) -> String {
        format!("data:image/{};base64,{}", self.kind.extension(), BASE64_STANDARD.encode(&self.bytes))
    }
}

/// The images that were found, by the address that stands in the text, and a sentence for each that was not.
#[derive(Debug, Default)]
pub(crate) struct Images {
    pub found: BTreeMap<String, Image>,
    pub warnings: Vec<String>,
}

/// Gives the bytes of the file at a path, at most so many, or says why it cannot.
pub(crate) type Read<'a> = dyn Fn(&str, usize) -> Result<Vec<u8>, String> + 'a;

/// Collects every image of `events`. `read` gives the bytes of a local file or says why it cannot.
///
/// Nothing is ever fetched from the network.
pub(crate) fn collect(events: &[Event<'_>], read: &Read<'_>) -> Images {
    let mut images = Images::default();
    let mut total = 0;
    let mut seen = Vec::new();
    for event in events {
        let Event::Start(Tag::Image { dest_url, .. }) = event else {
            continue;
        };
        if seen.contains(&dest_url) {
            continue;
        }
        seen.push(dest_url);
        let loaded = if images.found.len() < MAX_IMAGES && total < MAX_TOTAL {
            bytes_of(dest_url, read).and_then(Image::new)
        } else {
            Err("the document already holds as many images as it may".to_owned())
        };
        match loaded {
            Ok(image) => {
                total += image.bytes.len();
                images.found.insert(dest_url.to_string(), image);
            }
            Err(why) => images.warnings.push(format!("image `{}` is left out: {why}", short(dest_url))),
        }
    }
    images
}

fn bytes_of(url: &str, read: &Read<'_>) -> Result<Vec<u8>, String> {
    let lower = url.to_ascii_lowercase();
    if lower.starts_with("data:") {
        return decode_data(url);
    }
    if lower.starts_with("http:") || lower.starts_with("https:") || lower.starts_with("//") {
        return Err("images are not fetched from the network; save it to a file in the working folder first".to_owned());
    }
    let path = lower.strip_prefix("file://").map_or(url, |rest| &url[url.len() - rest.len()..]);
    let decoded = percent_encoding::percent_decode_str(path).decode_utf8_lossy().into_owned();
    match read(path, MAX_BYTES) {
        Err(_) if decoded != path => read(&decoded, MAX_BYTES),
        result => result,
    }
}

fn decode_data(url: &str) -> Result<Vec<u8>, String> {
    let (head, data) = url.split_once(',').ok_or("it is a data: address without a comma")?;
    if !head.to_ascii_lowercase().ends_with(";base64") {
        return Err("it is a data: address that is not base64".to_owned());
    }
    let compact: String = data.chars().filter(|c| !c.is_whitespace()).collect();
    BASE64_STANDARD.decode(compact).map_err(|error| format!("its base64 is wrong: {error}"))
}

fn short(url: &str) -> String {
    let head: String = url.chars().take(80).collect();
    if head.len() < url.len() { format!("{head}…") } else { head }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::markdown::parse;

    /// A 2 × 1 PNG, and the heads of a 3 × 2 GIF and a 5 × 4 JPEG.
    pub(crate) const PNG: &str =
        "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR4nGP4z8DAAMQACAIB/9X9kpYAAAAASUVORK5CYII=";
    const GIF: &[u8] = b"GIF89a\x03\x00\x02\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff;";
    const JPEG: &[u8] = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xc0\x00\x0b\x08\x00\x04\x00\x05\x01\x01\x11\x00\xff\xd9";

    fn none(path: &str, _: usize) -> Result<Vec<u8>, String> {
        Err(format!("no `{path}`"))
    }

    #[test]
    fn formats_and_sizes_are_read_from_the_bytes() {
        let png = BASE64_STANDARD.decode(PNG).expect("base64");
        for (bytes, kind, size) in
            [(png.as_slice(), Kind::Png, (2, 1)), (GIF, Kind::Gif, (3, 2)), (JPEG, Kind::Jpeg, (5, 4))]
        {
            let image = Image::new(bytes.to_vec()).expect("an image");
            assert_eq!((image.kind, image.size), (kind, size));
        }
        for bad in [b"".as_slice(), b"GIF89a", b"<svg/>", b"\x89PNG\r\n\x1a\n"] {
            assert!(Image::new(bad.to_vec()).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn only_local_files_and_data_addresses_are_read() {
        let read = |path: &str, _: usize| {
            if path == "图 1.gif" { Ok(GIF.to_vec()) } else { none(path, 0) }
        };
        let text = format!(
            "![a](data:image/png;base64,{PNG}) ![b](%E5%9B%BE%201.gif) ![c](https://example.org/x.png) ![d](gone.png) ![e](data:,x)"
        );
        let images = collect(&parse(&text).events, &read);
        assert_eq!(images.found.len(), 2, "{:?}", images.warnings);
        assert_eq!(images.warnings.len(), 3);
        assert!(
            images.warnings[0].contains("network") && images.warnings[1].contains("gone.png"),
            "{:?}",
            images.warnings
        );
    }
}
