use super::*;

/// What an [`Appender`] needs of a file.
pub(super) trait Store {
    /// Writes all of `bytes` at `offset` and flushes; may leave a part behind when it fails.
    fn put(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;
    /// Drops everything from `len` on.
    fn cut(&mut self, len: u64) -> io::Result<()>;
}

impl Store for File {
    fn put(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(offset))?;
        self.write_all(bytes)?;
        self.flush()
    }

    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.set_len(len)
    }
}

/// Appends whole lines or nothing.
#[derive(Debug)]
pub(super) struct Appender<S> {
    pub(super) store: S,
    /// Length of the file up to its last whole line.
    good: u64,
    /// Whether something may stand after it.
    torn: bool,
}

impl<S: Store> Appender<S> {
    /// Goes on after the first `good` bytes of `store`, which are whole lines.
    pub(super) fn new(store: S, good: u64) -> Self {
        Appender { store, good, torn: false }
    }

    pub(super) fn append(&mut self, line: &[u8]) -> io::Result<()> {
        if self.torn {
            self.mend()?;
        }
        if let Err(error) = self.store.put(self.good, line) {
            self.torn = true;
            // Should this fail too, the next append tries again before it writes.
            let _ = self.mend();
            return Err(error);
        }
        self.good += line.len() as u64;
        Ok(())
    }

    fn mend(&mut self) -> io::Result<()> {
        self.store.cut(self.good)?;
        self.torn = false;
        Ok(())
    }
}

/// How many bytes of `file` are whole lines. Reads from its end, a block at a time.
pub(super) fn whole_len(file: &mut File) -> io::Result<u64> {
    use std::io::Read as _;
    const BLOCK: u64 = 1 << 16;
    let mut end = file.metadata()?.len();
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        file.seek(SeekFrom::Start(start))?;
        let mut block = Vec::new();
        (&mut *file).take(end - start).read_to_end(&mut block)?;
        if let Some(at) = block.iter().rposition(|&b| b == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}
