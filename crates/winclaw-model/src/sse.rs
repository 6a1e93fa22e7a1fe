/// Cuts a byte stream into lines at LF, CRLF or CR, however the bytes arrive. Lines are handed out whole, as bytes, so
/// a character is never decoded by halves.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    buffer: Vec<u8>,
    /// The last byte seen was a CR; an LF right after it belongs to the same line end.
    after_cr: bool,
}

impl Lines {
    /// Takes more bytes and calls `each` for every line that is now complete, without its end.
    pub(crate) fn feed(&mut self, bytes: &[u8], mut each: impl FnMut(&[u8])) {
        for &byte in bytes {
            match byte {
                b'\n' if self.after_cr => {}
                b'\n' | b'\r' => {
                    each(&self.buffer);
                    self.buffer.clear();
                }
                other => self.buffer.push(other),
            }
            self.after_cr = byte == b'\r';
        }
    }

    /// What came after the last line end, if anything.
    pub(crate) fn rest(&mut self) -> Option<Vec<u8>> {
        let rest = std::mem::take(&mut self.buffer);
        (!rest.is_empty()).then_some(rest)
    }
}

/// What one line of a server-sent event stream means here.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// The end of an event.
    Blank,
    /// Data, without the field name and one leading space.
    Data(&'a str),
    /// A comment, a keep-alive or a field that carries nothing of use.
    Other,
    /// Not a line of an event stream, or not UTF-8.
    Junk,
}

/// Reads one line.
pub(crate) fn read(line: &[u8]) -> Line<'_> {
    let Ok(line) = std::str::from_utf8(line) else {
        return Line::Junk;
    };
    if line.is_empty() {
        return Line::Blank;
    }
    let (field, value) = line.split_once(':').unwrap_or((line, ""));
    match field {
        "data" => Line::Data(value.strip_prefix(' ').unwrap_or(value)),
        "" | "event" | "id" | "retry" => Line::Other,
        _ => Line::Junk,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(parts: &[&[u8]]) -> Vec<String> {
        let (mut lines, mut out) = (Lines::default(), Vec::new());
        for part in parts {
            lines.feed(part, |line| out.push(String::from_utf8_lossy(line).into_owned()));
        }
        out.extend(lines.rest().map(|rest| String::from_utf8_lossy(&rest).into_owned()));
        out
    }

    #[test]
    fn every_line_end_counts_once_wherever_the_bytes_are_cut() {
        let text = b"a\r\n\r\nb\n\nc\rd\r\r\ne";
        for cut in 0..=text.len() {
            assert_eq!(lines(&[&text[..cut], &text[cut..]]), ["a", "", "b", "", "c", "d", "", "e"], "cut at {cut}");
        }
    }

    #[test]
    fn fields_are_told_from_comments_and_junk() {
        let cases: [(&[u8], Line<'_>); 8] = [
            (b"", Line::Blank),
            (b"data: {}", Line::Data("{}")),
            (b"data:  x", Line::Data(" x")),
            (b"data", Line::Data("")),
            (b": keep-alive", Line::Other),
            (b"event: message", Line::Other),
            (b"hello", Line::Junk),
            (b"data: \xff", Line::Junk),
        ];
        for (line, expected) in cases {
            assert_eq!(read(line), expected, "{line:?}");
        }
    }
}
