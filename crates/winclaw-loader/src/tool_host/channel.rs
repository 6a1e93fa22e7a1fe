use std::fs::File;
use std::io;

/// The private ends of the pipes to the host. Nothing a plugin prints or reads can reach them by their number.
pub(crate) struct Channel {
    pub(crate) from_host: File,
    pub(crate) to_host: File,
}

#[cfg(unix)]
mod system {
    use std::os::fd::AsFd as _;

    use super::*;

    impl Channel {
        /// Takes stdin and stdout, and puts nothing and stderr in their places.
        pub(crate) fn take() -> io::Result<Channel> {
            // Duplicates are closed on exec, so a program the plugin starts does not hold them.
            let from_host = File::from(io::stdin().as_fd().try_clone_to_owned()?);
            let to_host = File::from(io::stdout().as_fd().try_clone_to_owned()?);
            let nothing = File::open("/dev/null")?;
            replace(&nothing, libc::STDIN_FILENO)?;
            replace(&io::stderr(), libc::STDOUT_FILENO)?;
            Ok(Channel { from_host, to_host })
        }
    }

    fn replace(with: &impl std::os::fd::AsRawFd, number: i32) -> io::Result<()> {
        // SAFETY: a plain system call on a descriptor that is open while it is borrowed; 0 and 1 are owned by nobody.
        if unsafe { libc::dup2(with.as_raw_fd(), number) } < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Ties this process to its host: it is killed when the host dies, and leaves no core file when it crashes.
    pub(crate) fn die_with(parent: u32) {
        let no_core = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: plain system calls with a valid argument; a failure leaves things as they were.
        unsafe {
            libc::setrlimit(libc::RLIMIT_CORE, &raw const no_core);
            #[cfg(target_os = "linux")]
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        }
        // The host may have died before the line above; then this process has another parent by now.
        if std::os::unix::process::parent_id() != parent {
            end_now();
        }
    }

    /// Ends this process at once: no destructor, no exit handler, whatever other threads do.
    pub(crate) fn end_now() -> ! {
        // SAFETY: always sound; it does not return.
        unsafe { libc::_exit(0) }
    }
}

#[cfg(windows)]
mod system {
    use std::os::windows::io::{AsHandle as _, AsRawHandle as _};

    use windows_sys::Win32::System::Console::{STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, SetStdHandle};
    use windows_sys::Win32::System::Threading::{GetCurrentProcess, TerminateProcess};

    use super::*;

    impl Channel {
        /// Takes stdin and stdout, and puts nothing and stderr in their places.
        pub(crate) fn take() -> io::Result<Channel> {
            let from_host = File::from(io::stdin().as_handle().try_clone_to_owned()?);
            let to_host = File::from(io::stdout().as_handle().try_clone_to_owned()?);
            let nothing = File::open("NUL")?;
            replace(STD_INPUT_HANDLE, nothing.as_raw_handle())?;
            replace(STD_OUTPUT_HANDLE, io::stderr().as_raw_handle())?;
            // The process keeps it as its stdin to the end.
            std::mem::forget(nothing);
            Ok(Channel { from_host, to_host })
        }
    }

    fn replace(which: u32, with: std::os::windows::io::RawHandle) -> io::Result<()> {
        // SAFETY: a plain system call; the handle stays open to the end of the process.
        if unsafe { SetStdHandle(which, with) } == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// On Windows the end of the channel is what tells that the host died.
    pub(crate) fn die_with(_: u32) {}

    /// Ends this process at once: no destructor, no exit handler, whatever other threads do.
    pub(crate) fn end_now() -> ! {
        // SAFETY: always sound for the own process.
        unsafe { TerminateProcess(GetCurrentProcess(), 0) };
        std::process::abort()
    }
}

pub(crate) use system::{die_with, end_now};
