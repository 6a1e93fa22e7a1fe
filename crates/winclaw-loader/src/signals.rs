//! What the system does to this process by signals, where the standard library has no word for it.

/// A write beyond the process's limit on file sizes (`ulimit -f`) becomes an ordinary error, `FileTooLarge`, in this
/// process and in those it starts, and does not kill it. To be called once, at the start. Nothing to do outside unix.
pub fn ignore_file_size_signal() {
    #[cfg(unix)]
    // SAFETY: a plain system call with constants; no code of ours becomes a handler.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Whether whoever started this process wants it to outlive its terminal, as `nohup` does. Always `false` outside unix.
pub fn ignores_hangup() -> bool {
    #[cfg(unix)]
    {
        // SAFETY: all zeros is a valid value of this plain structure.
        let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: with no new action the call only reads; `now` lives through it.
        let read = unsafe { libc::sigaction(libc::SIGHUP, std::ptr::null(), &raw mut now) };
        read == 0 && now.sa_sigaction == libc::SIG_IGN
    }
    #[cfg(not(unix))]
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_write_beyond_the_limit_is_an_error_and_kills_nobody() {
        use std::io::Write as _;
        // Of the thread's process as a whole, which runs this one test.
        ignore_file_size_signal();
        let limit = libc::rlimit { rlim_cur: 512, rlim_max: libc::RLIM_INFINITY };
        // SAFETY: a plain system call with a valid argument.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) }, 0);
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&[0; 512]).expect("fits");
        let error = file.write_all(&[0; 512]).expect_err("too large");
        let back = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, ..limit };
        // SAFETY: as above.
        unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const back) };
        assert_eq!(error.kind(), std::io::ErrorKind::FileTooLarge);
    }
}
