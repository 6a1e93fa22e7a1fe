//! What host and child say to each other: one JSON value per frame, after its length as four bytes, low byte first.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::io::{self, Read};
use std::path::PathBuf;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use winclaw_tool::Failure;

use crate::services::Facts;

/// Most bytes of one frame: 64 MiB.
pub(crate) const MAX_FRAME: usize = 64 * 1024 * 1024;

/// From the host to the child.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToChild {
    /// The first frame.
    Start(Start),
    /// Run a tool. Calls may follow [`ToChild::Start`] at once.
    Call { id: u64, tool: String, arguments: Box<RawValue> },
    /// End a call. Answered by [`ToHost::Released`] when nothing of it runs any more.
    Cancel { id: u64 },
    /// The answer to [`ToHost::Ask`].
    Answer { ask: u64, text: Option<String> },
}

/// What the child needs to verify and load its plugin.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Start {
    pub(crate) library: PathBuf,
    pub(crate) sha256: String,
    pub(crate) cache: PathBuf,
    pub(crate) facts: Facts,
}

/// From the child to the host.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToHost {
    /// The plugin was not loaded, and the child ends.
    Refused(Failure),
    /// A call has its outcome.
    Done { id: u64, outcome: Box<RawValue> },
    /// A cancelled call has let go of everything.
    Released { id: u64 },
    /// A log line of a call.
    Log { id: u64, level: u8, text: String },
    /// How far a call is.
    Progress { id: u64, fraction: Option<f64>, text: String },
    /// A piece of a call's result.
    Partial { id: u64, text: String },
    /// The plugin asks for something; `ask` numbers the answer.
    Ask { id: u64, ask: u64, what: Ask },
}

/// What a plugin may ask for, and what its answer's text is.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ask {
    /// An HTTP exchange; the answer is `{"ok": …}` or `{"error": …}`.
    Http(String),
    /// A secret; its value or nothing.
    Secret(String),
    /// A stored value or nothing.
    KvGet(String),
    /// Stores or removes a value; nothing, or a failure as JSON.
    KvSet { key: String, value: Option<String> },
}

/// Why a frame cannot be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EncodeError {
    /// It is too long.
    #[error("it has {0} bytes, the most is {MAX_FRAME}")]
    TooLarge(usize),
    /// It is not JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// The bytes of one frame, length and all, to be written with one write.
pub(crate) fn encode<T: Serialize>(frame: &T) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, frame)?;
    let head = head(bytes.len() - 4)?;
    bytes[..4].copy_from_slice(&head);
    Ok(bytes)
}

fn head(length: usize) -> Result<[u8; 4], EncodeError> {
    match u32::try_from(length) {
        Ok(small) if length <= MAX_FRAME => Ok(small.to_le_bytes()),
        _ => Err(EncodeError::TooLarge(length)),
    }
}

/// Reads one frame; `None` at the end of the stream.
pub(crate) fn read<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut head = [0; 4];
    match from.read_exact(&mut head) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = length(head)?;
    let mut body = Vec::with_capacity(length.min(64 * 1024));
    from.take(length as u64).read_to_end(&mut body)?;
    decode(&body, length)
}

/// As [`read`], without blocking.
pub(crate) async fn read_async<T: DeserializeOwned>(from: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<T>> {
    let mut head = [0; 4];
    match from.read_exact(&mut head).await {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    };
    let length = length(head)?;
    let mut body = Vec::with_capacity(length.min(64 * 1024));
    from.take(length as u64).read_to_end(&mut body).await?;
    decode(&body, length)
}

fn length(head: [u8; 4]) -> io::Result<usize> {
    let length = u32::from_le_bytes(head) as usize;
    if length <= MAX_FRAME { Ok(length) } else { Err(io::Error::other(format!("a frame of {length} bytes"))) }
}

fn decode<T: DeserializeOwned>(body: &[u8], length: usize) -> io::Result<Option<T>> {
    if body.len() < length {
        return Ok(None);
    }
    serde_json::from_slice(body).map(Some).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_read_back_one_after_the_other_and_a_cut_one_is_the_end() {
        let raw = RawValue::from_string("{\"a\": [1,\n2]}".to_owned()).expect("json");
        let first = encode(&ToChild::Call { id: 7, tool: "echo".into(), arguments: raw }).expect("a frame");
        let second = encode(&ToChild::Cancel { id: 7 }).expect("a frame");
        let stream = [first.as_slice(), &second].concat();
        let mut from = stream.as_slice();
        let call = read::<ToChild>(&mut from).expect("read").expect("a frame");
        assert!(matches!(call, ToChild::Call { id: 7, arguments, .. } if arguments.get() == "{\"a\": [1,\n2]}"));
        assert!(matches!(read(&mut from), Ok(Some(ToChild::Cancel { id: 7 }))));
        assert!(matches!(read::<ToChild>(&mut from), Ok(None)));
        for end in 1..first.len() {
            assert!(matches!(read::<ToChild>(&mut &first[..end]), Ok(None)), "{end}");
        }
    }

    #[test]
    fn a_length_past_the_cap_is_an_error_and_nothing_is_set_aside_for_it() {
        let mut huge = u32::MAX.to_le_bytes().to_vec();
        huge.extend_from_slice(b"{}");
        assert!(read::<ToChild>(&mut huge.as_slice()).is_err());
        assert_eq!(head(MAX_FRAME).expect("it fits"), 0x0400_0000_u32.to_le_bytes());
        assert!(matches!(head(MAX_FRAME + 1), Err(EncodeError::TooLarge(_))));
    }

    #[test]
    fn what_is_no_frame_is_an_error() {
        let mut garbage = 4_u32.to_le_bytes().to_vec();
        garbage.extend_from_slice(b"oops");
        assert!(read::<ToChild>(&mut garbage.as_slice()).is_err());
    }
}
