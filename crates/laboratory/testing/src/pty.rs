//! A pseudo-terminal of a given width, made with POSIX calls, and a command that runs on it.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};

mod sys {
    use std::ffi::{c_char, c_int, c_ulong};

    #[repr(C)]
    pub struct WindowSize {
        pub rows: u16,
        pub columns: u16,
        pub pixels: [u16; 2],
    }

    #[cfg(target_os = "linux")]
    pub const SET_WINDOW_SIZE: c_ulong = 0x5414;
    #[cfg(target_os = "linux")]
    pub const SET_CONTROLLING: c_ulong = 0x540e;
    #[cfg(not(target_os = "linux"))]
    pub const SET_WINDOW_SIZE: c_ulong = 0x8008_7467;
    #[cfg(not(target_os = "linux"))]
    pub const SET_CONTROLLING: c_ulong = 0x2000_7461;
    pub const READ_WRITE: c_int = 2;
    pub const INTERRUPT: c_int = 2;
    pub const DEFAULT: usize = 0;

    unsafe extern "C" {
        pub fn posix_openpt(flags: c_int) -> c_int;
        pub fn grantpt(file: c_int) -> c_int;
        pub fn unlockpt(file: c_int) -> c_int;
        pub fn ptsname(file: c_int) -> *const c_char;
        pub fn open(path: *const c_char, flags: c_int, ...) -> c_int;
        pub fn ioctl(file: c_int, request: c_ulong, ...) -> c_int;
        pub fn setsid() -> c_int;
        pub fn signal(number: c_int, handler: usize) -> usize;
        pub fn _exit(code: c_int) -> !;
    }
}

/// A command on its own pseudo-terminal.
pub struct OnTerminal {
    child: Child,
    /// The master side of the pseudo-terminal.
    person: File,
    shown: Vec<u8>,
}

impl OnTerminal {
    /// Starts a command on a terminal of `columns` columns.
    ///
    /// # Panics
    /// If the system has no free pseudo-terminal, or the command does not start.
    pub fn start(mut command: Command, columns: u16) -> OnTerminal {
        // SAFETY: each call gets a descriptor that the call before it returned and the assertion after it checked.
        // `ptsname` returns a static buffer: `open` reads it before `ONE`, which every caller of it holds, is released.
        // Both descriptors are open, and no other value owns them, as `File` and `OwnedFd` require.
        let (person, program) = unsafe {
            let _alone = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let person = sys::posix_openpt(sys::READ_WRITE);
            assert!(person >= 0, "no pseudo-terminal can be opened");
            assert_eq!((sys::grantpt(person), sys::unlockpt(person)), (0, 0));
            let program = sys::open(sys::ptsname(person), sys::READ_WRITE);
            assert!(program >= 0, "the terminal cannot be opened");
            let size = sys::WindowSize { rows: 50, columns, pixels: [0; 2] };
            assert_eq!(sys::ioctl(program, sys::SET_WINDOW_SIZE, &raw const size), 0);
            (File::from_raw_fd(person), OwnedFd::from_raw_fd(program))
        };
        let copy = || program.try_clone().expect("a descriptor");
        command.stdin(copy()).stdout(copy()).stderr(copy());
        // SAFETY: the closure runs between fork and exec. It makes only the system calls `signal`, `setsid`, `ioctl`
        // and `_exit`, which POSIX allows there, and allocates nothing.
        unsafe {
            command.pre_exec(|| {
                // Tests that run in the background of a shell ignore it, and so would the command.
                sys::signal(sys::INTERRUPT, sys::DEFAULT);
                if sys::setsid() < 0 || sys::ioctl(0, sys::SET_CONTROLLING, 0) < 0 {
                    sys::_exit(125);
                }
                Ok(())
            });
        }
        let child = command.spawn().expect("the command starts");
        drop(command);
        drop(program);
        OnTerminal { child, person, shown: Vec::new() }
    }

    /// Reads more output; returns whether there was any.
    fn more(&mut self) -> bool {
        let mut part = [0; 4096];
        // Linux returns EIO once the other side is closed.
        let count = self.person.read(&mut part).unwrap_or(0);
        self.shown.extend(&part[..count]);
        count > 0
    }

    /// Reads until the terminal shows `text`.
    ///
    /// # Panics
    /// If the command ends before.
    pub fn wait_for(&mut self, text: &str) {
        while !String::from_utf8_lossy(&self.shown).contains(text) {
            assert!(self.more(), "`{text}` is not shown: {}", String::from_utf8_lossy(&self.shown));
        }
    }

    /// Types Ctrl-C.
    ///
    /// # Panics
    /// If the terminal is closed.
    pub fn interrupt(&mut self) {
        self.person.write_all(&[3]).expect("the terminal takes what is typed");
    }

    /// Waits for the end, and returns the status and all that the terminal has shown, with `\n` for line ends.
    ///
    /// # Panics
    /// If the command cannot be waited for.
    pub fn end(mut self) -> (ExitStatus, String) {
        while self.more() {}
        let status = self.child.wait().expect("the command ends");
        (status, String::from_utf8_lossy(&self.shown).replace("\r\n", "\n"))
    }
}

static ONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
