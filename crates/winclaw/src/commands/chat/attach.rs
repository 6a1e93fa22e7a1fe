//! Files that go with a message.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use winclaw_agent::Attached;
use winclaw_model::Image;

use crate::complaint::{Complaint, Exit};
use crate::screen::harmless;

/// Longest text, in bytes: some 60 000 tokens, which half of the smaller windows can hold.
const MAX_TEXT: u64 = 256 * 1024;

/// Largest picture, in bytes. As base64 it takes 5 MB, which is what Anthropic's API allows for one picture; the others
/// allow more.
const MAX_PICTURE: u64 = 3_750_000;

/// A file beside the next message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attachment {
    /// Its name, without the folder.
    pub(super) name: String,
    /// Its size in bytes.
    pub(super) bytes: usize,
    pub(super) what: What,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    Text(String),
    Picture(Image),
}

/// The path that was typed: without quotes around it, and with `~` for the home folder.
pub(super) fn path(typed: &str) -> PathBuf {
    let typed = typed.trim();
    let quoted = |mark: char| typed.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    let typed = quoted('"').or_else(|| quoted('\'')).unwrap_or(typed);
    let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
    match (typed.strip_prefix("~/").or(typed.strip_prefix("~\\")), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(typed),
    }
}

/// Reads the file at `path`, of which at most the allowed size is read.
///
/// Errors, all with exit code 2: it cannot be read, is no ordinary file, is empty or too large, is neither text nor a
/// picture, or is a picture and the model does not read those.
pub(super) fn read(path: &Path, reads_pictures: bool) -> Result<Attachment, Complaint> {
    let shown = harmless(&path.display().to_string());
    let unreadable = |error: io::Error| complaint(&shown, &error.to_string(), &error.to_string());
    // Asked before it is opened: to open a pipe waits for whoever writes to it.
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(complaint(&shown, "is no ordinary file", "不是普通文件"));
    }
    let mut bytes = Vec::new();
    let most = MAX_TEXT.max(MAX_PICTURE);
    File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    let name = path.file_name().map(|name| harmless(&name.to_string_lossy())).unwrap_or_default();
    let size = bytes.len();
    let what = match picture_type(&bytes) {
        Some(media_type) => picture(&shown, media_type, &bytes, reads_pictures)?,
        None => What::Text(text(&shown, bytes)?),
    };
    Ok(Attachment { name: name.replace(['\n', '\t', '"'], " "), bytes: size, what })
}

/// The kind of picture by its first bytes, as the vendors name it: the four kinds that all of them read.
fn picture_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

fn picture(shown: &str, media_type: &str, bytes: &[u8], reads_pictures: bool) -> Result<What, Complaint> {
    if !reads_pictures {
        let (en, zh) = ("is a picture, and this model reads text only", "是图片，而当前模型只能读文本");
        return Err(complaint(shown, en, zh).mend("/model chooses another model", "可用 /model 换用其他模型"));
    }
    if bytes.len() as u64 > MAX_PICTURE {
        return Err(complaint(shown, "is a picture of more than 3.75 MB", "图片超过 3.75 MB")
            .mend("make it smaller first", "请先缩小图片"));
    }
    Ok(What::Picture(Image { media_type: media_type.to_owned(), data: STANDARD.encode(bytes) }))
}

fn text(shown: &str, bytes: Vec<u8>) -> Result<String, Complaint> {
    let not_text = || {
        complaint(
            shown,
            "is neither text nor a picture in PNG, JPEG, GIF or WebP",
            "既不是文本，也不是 PNG、JPEG、GIF 或 WebP 图片",
        )
        .mend("name its path in your message, and let a tool read it", "请在消息中写明其路径，由工具读取")
    };
    let text = decoded(&bytes).ok_or_else(not_text)?;
    if bytes.len() as u64 > MAX_TEXT {
        return Err(complaint(shown, "is a text of more than 256 KiB", "文本超过 256 KiB").mend(
            "name its path in your message, and let a tool read the part that matters",
            "请在消息中写明其路径，由工具读取所需部分",
        ));
    }
    if text.trim().is_empty() {
        return Err(complaint(shown, "is empty", "是空文件"));
    }
    Ok(text)
}

/// The text in `bytes`: UTF-8, UTF-16 with its mark, or an older encoding that fits; `None` when it is no text.
fn decoded(bytes: &[u8]) -> Option<String> {
    if let Some((encoding, skip)) = encoding_rs::Encoding::for_bom(bytes) {
        let (text, broken) = encoding.decode_without_bom_handling(&bytes[skip..]);
        return (!broken).then(|| text.into_owned()).filter(|text| is_text(text));
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Some(text.to_owned()).filter(|text| is_text(text));
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, chardetng::Utf8Detection::Deny);
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?.into_owned();
    Some(text).filter(|text| is_text(text))
}

/// Whether there are no characters that no text holds. Escape sequences are let through: logs hold them, and the screen
/// never sees them.
fn is_text(text: &str) -> bool {
    let odd = |c: &char| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}' | '\u{1b}' | '\u{8}');
    !text.chars().any(|c| odd(&c))
}

fn complaint(shown: &str, en: &str, zh: &str) -> Complaint {
    Complaint::new(Exit::Usage, format!("{shown}: {en}"), format!("{shown}：{zh}"))
}

/// The texts among `attachments`, as the model reads them behind the message.
pub(super) fn texts(attachments: &[Attachment]) -> Vec<Attached> {
    let text = |attachment: &Attachment| match &attachment.what {
        What::Text(text) => Some(Attached { name: attachment.name.clone(), text: text.clone() }),
        What::Picture(_) => None,
    };
    attachments.iter().filter_map(text).collect()
}

/// The pictures among `attachments`.
pub(super) fn pictures(attachments: &[Attachment]) -> Vec<Image> {
    let picture = |attachment: &Attachment| match &attachment.what {
        What::Picture(image) => Some(image.clone()),
        What::Text(_) => None,
    };
    attachments.iter().filter_map(picture).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

    fn file(bytes: &[u8]) -> Result<Attachment, Complaint> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a b.txt");
        std::fs::write(&path, bytes).expect("written");
        read(&path, true)
    }

    fn text_of(bytes: &[u8]) -> String {
        match file(bytes).expect("a text").what {
            What::Text(text) => text,
            What::Picture(_) => panic!("a picture"),
        }
    }

    #[test]
    fn a_text_is_read_in_its_encoding_and_goes_with_the_message() {
        let text = file("北京\n".as_bytes()).expect("a text");
        assert_eq!(texts(&[text]), [Attached { name: "a b.txt".into(), text: "北京\n".into() }]);
        assert_eq!(text_of(b"\xef\xbb\xbfabc"), "abc");
        assert_eq!(text_of(b"\xff\xfea\0b\0"), "ab");
        let (gbk, _, _) = encoding_rs::GBK.encode("今天天气很好，我们去北京的公园散步。");
        assert_eq!(text_of(&gbk), "今天天气很好，我们去北京的公园散步。");
        assert_eq!(text_of(b"\x1b[31mred\x1b[0m\r\n"), "\u{1b}[31mred\u{1b}[0m\r\n");
    }

    #[test]
    fn what_cannot_go_with_a_message_is_refused_with_a_way_out() {
        let refused = |bytes: &[u8], words: &str| {
            let complaint = file(bytes).expect_err(words);
            assert!(complaint.what.en.contains(words), "{complaint:?}");
            assert_eq!(complaint.exit, Exit::Usage);
        };
        refused(b"", "is empty");
        refused(b"\x7fELF\0\0\x01", "neither text nor a picture");
        refused(&vec![b'a'; 256 * 1024 + 1], "more than 256 KiB");
        refused(&[PNG, &vec![0; 4_000_000]].concat(), "more than 3.75 MB");
        let folder = tempfile::tempdir().expect("a folder");
        assert!(read(folder.path(), true).expect_err("a folder").what.zh.contains("不是普通文件"));
        assert!(read(&folder.path().join("none"), true).is_err());
    }

    #[test]
    fn a_picture_goes_to_models_that_read_pictures() {
        let picture = file(PNG).expect("a picture");
        assert_eq!(pictures(std::slice::from_ref(&picture))[0].media_type, "image/png");
        assert!(texts(&[picture]).is_empty());
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.png");
        std::fs::write(&path, PNG).expect("written");
        let complaint = read(&path, false).expect_err("a model without eyes");
        assert!(complaint.what.en.contains("reads text only") && complaint.mend.en.contains("/model"), "{complaint:?}");
    }

    #[test]
    fn a_path_is_taken_as_people_write_it() {
        assert_eq!(path(" \"a b.txt\" "), PathBuf::from("a b.txt"));
        assert_eq!(path("it's"), PathBuf::from("it's"));
        assert!(!path("~/x").starts_with("~"));
    }
}
