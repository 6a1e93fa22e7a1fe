use std::io;

use jiff::Timestamp;

/// Longest task id, in bytes.
const MAX: usize = 64;

/// A name for a task that sorts by the time it began: `YYYYMMDD-HHMMSS-xxxx`, in UTC.
///
/// `now_unix_ms` is the wall clock in milliseconds since 1970. `entropy` tells tasks of one second apart; its low 16
/// bits become the last four hexadecimal digits. A time past the year 9999 counts as the last moment of it.
///
/// ```
/// assert_eq!(winclaw_trace::new_task_id(1_796_055_588_000, 0x3fa2), "20261130-161948-3fa2");
/// ```
pub fn new_task_id(now_unix_ms: u64, entropy: u32) -> String {
    let ms = i64::try_from(now_unix_ms).unwrap_or(i64::MAX);
    let time = Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MAX);
    format!("{}-{:04x}", time.strftime("%Y%m%d-%H%M%S"), entropy & 0xffff)
}

/// Refuses an id that could name a file outside the trace folder.
pub(crate) fn check(task_id: &str) -> io::Result<()> {
    let legal = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    if (1..=MAX).contains(&task_id.len()) && task_id.bytes().all(legal) {
        return Ok(());
    }
    let what = format!("task id `{}`: use 1 to {MAX} of a-z, A-Z, 0-9, - and _", task_id.escape_debug());
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_time_and_are_legal_at_both_ends_of_it() {
        let times = [0, 1_000, 951_782_400_000, 1_796_055_588_000, 4_102_444_800_000, u64::MAX];
        let ids: Vec<String> = times.iter().map(|&ms| new_task_id(ms, u32::MAX)).collect();
        assert!(ids.is_sorted(), "{ids:?}");
        assert!(ids.iter().all(|id| check(id).is_ok() && id.len() == 20), "{ids:?}");
    }

    #[test]
    fn an_id_cannot_leave_the_folder() {
        for bad in ["", "..", "a/b", "a\\b", "C:x", "a\0", "北京", &"x".repeat(65)] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
    }
}
