use std::fmt;
use std::time::Duration;

use axum::body::Bytes;
use futures_util::{Stream, StreamExt, stream};

/// A piece of a stream, or the end of the connection.
pub(super) type Piece = Result<Bytes, Dropped>;

/// The pieces cut to `size` bytes; 0 leaves them.
pub(super) fn cut(pieces: Vec<Bytes>, size: usize) -> Vec<Bytes> {
    if size == 0 {
        return pieces;
    }
    pieces.iter().flat_map(|piece| piece.chunks(size).map(Bytes::copy_from_slice)).collect()
}

/// The pieces up to `bytes` bytes in all.
pub(super) fn up_to(pieces: Vec<Bytes>, bytes: usize) -> Vec<Bytes> {
    let mut left = bytes;
    let mut out = Vec::new();
    for piece in pieces {
        let kept = piece.len().min(left);
        left -= kept;
        out.push(piece.slice(..kept));
        if left == 0 {
            break;
        }
    }
    out
}

/// How a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Closed,
    Dropped,
    Silent,
}

/// Ends a connection in the middle.
#[derive(Debug)]
pub(super) struct Dropped;

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the test drops the connection")
    }
}

impl std::error::Error for Dropped {}

/// Sends the pieces with `pace` between them, and ends as told.
pub(super) fn paced(pieces: Vec<Bytes>, pace: Duration, end: End) -> impl Stream<Item = Piece> + Send {
    let sent = stream::unfold((pieces.into_iter(), true), move |(mut pieces, first)| async move {
        let piece = pieces.next()?;
        match (first, pace.is_zero()) {
            (true, _) => {}
            // Without a pause hyper would gather all pieces into one write.
            (false, true) => tokio::task::yield_now().await,
            (false, false) => tokio::time::sleep(pace).await,
        }
        Some((Ok(piece), (pieces, false)))
    });
    sent.chain(ending(end))
}

fn ending(end: End) -> stream::BoxStream<'static, Piece> {
    match end {
        End::Closed => stream::empty().boxed(),
        End::Dropped => stream::iter([Err(Dropped)]).boxed(),
        End::Silent => stream::pending().boxed(),
    }
}
