//! State of the C library: the open files, and the generator of `rand`. Standard output is line-buffered, as C's is on
//! a terminal.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};

/// Handle of standard input.
pub const STDIN: u64 = 1;

/// Handle of standard output.
pub const STDOUT: u64 = 2;

/// Handle of standard error.
pub const STDERR: u64 = 3;

/// C's `ENOENT`.
const NO_ENTRY: i32 = 2;

/// C's `EINVAL`.
const INVALID_ARGUMENT: i32 = 22;

/// An open file.
#[derive(Debug)]
struct OpenFile {
    file: File,
    /// Bytes read ahead, last one first.
    pushed: Vec<u8>,
    ended: bool,
}

/// The open files.
#[derive(Debug, Default)]
pub struct Files {
    open: HashMap<u64, OpenFile>,
    next: u64,
    output: Vec<u8>,
    /// Standard output, if the process keeps it instead of writing it.
    pub(crate) kept: Option<Vec<u8>>,
    /// Bytes put back to standard input.
    input: Vec<u8>,
    input_ended: bool,
}

impl Files {
    /// Opens a file as `fopen` does, or returns the system's error number.
    pub fn open(&mut self, name: &str, mode: &str) -> Result<u64, i32> {
        let mut options = OpenOptions::new();
        let both = mode.contains('+');
        match mode.as_bytes().first() {
            Some(b'r') => options.read(true).write(both),
            Some(b'w') => options.write(true).read(both).create(true).truncate(true),
            Some(b'a') => options.append(true).read(both).create(true),
            _ => return Err(INVALID_ARGUMENT),
        };
        let file = options.open(name).map_err(|why| why.raw_os_error().unwrap_or(NO_ENTRY))?;
        self.next += 1;
        let handle = 16 + self.next;
        self.open.insert(handle, OpenFile { file, pushed: Vec::new(), ended: false });
        Ok(handle)
    }

    /// Opens a file in place of a standard stream or an open file.
    pub fn reopen(&mut self, handle: u64, name: &str, mode: &str) -> Result<(), i32> {
        self.flush();
        let made = self.open(name, mode)?;
        if let Some(file) = self.open.remove(&made) {
            self.open.insert(handle, file);
        }
        Ok(())
    }

    /// Closes a file. Returns whether it was open.
    pub fn close(&mut self, handle: u64) -> bool {
        self.open.remove(&handle).is_some()
    }

    /// Writes bytes. Returns whether that succeeded.
    pub fn write(&mut self, handle: u64, bytes: &[u8]) -> bool {
        if let Some(open) = self.open.get_mut(&handle) {
            return open.file.write_all(bytes).is_ok();
        }
        match handle {
            STDOUT => {
                self.output.extend_from_slice(bytes);
                if bytes.contains(&b'\n') || self.output.len() > 1 << 16 {
                    self.flush();
                }
                true
            }
            STDERR => {
                self.flush();
                std::io::stderr().write_all(bytes).is_ok()
            }
            _ => false,
        }
    }

    /// Flushes standard output. Ignores a closed pipe.
    pub fn flush(&mut self) {
        if let Some(kept) = &mut self.kept {
            kept.append(&mut self.output);
            return;
        }
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(&self.output);
        let _ = out.flush();
        self.output.clear();
    }

    /// Reads one byte.
    pub fn byte(&mut self, handle: u64) -> Option<u8> {
        if handle == STDIN {
            self.flush();
            if let Some(byte) = self.input.pop() {
                return Some(byte);
            }
            let mut byte = [0];
            let read = std::io::stdin().lock().read(&mut byte).unwrap_or(0);
            self.input_ended = read == 0;
            return (read == 1).then_some(byte[0]);
        }
        let open = self.open.get_mut(&handle)?;
        if open.pushed.is_empty() {
            let mut block = vec![0; 1 << 14];
            let read = open.file.read(&mut block).unwrap_or(0);
            block.truncate(read);
            block.reverse();
            open.pushed = block;
        }
        let byte = open.pushed.pop();
        open.ended = byte.is_none();
        byte
    }

    /// Puts a byte back.
    pub fn unread(&mut self, handle: u64, byte: u8) {
        match self.open.get_mut(&handle) {
            Some(open) => open.pushed.push(byte),
            None => self.input.push(byte),
        }
    }

    /// Whether a read has reached the end of the file.
    pub fn ended(&self, handle: u64) -> bool {
        self.open.get(&handle).map_or(self.input_ended, |open| open.ended)
    }

    /// Sets the position in a file, as `fseek` does. Returns whether that succeeded.
    pub fn seek(&mut self, handle: u64, offset: i64, origin: u64) -> bool {
        let Some(open) = self.open.get_mut(&handle) else { return false };
        let ahead = open.pushed.len() as i64;
        open.pushed.clear();
        open.ended = false;
        let to = match origin {
            0 => SeekFrom::Start(offset.max(0) as u64),
            1 => SeekFrom::Current(offset - ahead),
            _ => SeekFrom::End(offset),
        };
        open.file.seek(to).is_ok()
    }

    /// The position in a file.
    pub fn tell(&mut self, handle: u64) -> Option<u64> {
        let open = self.open.get_mut(&handle)?;
        let ahead = open.pushed.len() as u64;
        open.file.stream_position().ok().map(|at| at - ahead)
    }
}

/// Degree and separation of the trinomial x^31 + x^3 + 1.
const DEGREE: usize = 31;

const SEPARATION: usize = 3;

/// The state of `rand`.
#[derive(Clone, Debug)]
pub struct GlibcRandom {
    state: [u32; DEGREE],
    at: usize,
}

impl GlibcRandom {
    /// The generator after `srand(seed)`.
    pub fn new(seed: u32) -> GlibcRandom {
        let mut state = [0u32; DEGREE];
        let mut word = i64::from(seed.max(1) as i32);
        for place in &mut state {
            *place = word as u32;
            // Park and Miller's minimal generator, modulo 2^31 - 1.
            word = 16807 * word % 2_147_483_647;
            if word < 0 {
                word += 2_147_483_647;
            }
        }
        let mut random = GlibcRandom { state, at: 0 };
        for _ in 0..10 * DEGREE {
            random.next();
        }
        random
    }

    /// The next number, 31 bits.
    pub fn next(&mut self) -> u32 {
        let wrapped = |at: usize| if at < DEGREE { at } else { at - DEGREE };
        let front = wrapped(self.at + SEPARATION);
        let sum = self.state[front].wrapping_add(self.state[self.at]);
        self.state[front] = sum;
        self.at = wrapped(self.at + 1);
        sum >> 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rand_matches_glibc() {
        let mut first = GlibcRandom::new(1);
        let numbers: Vec<u32> = (0..4).map(|_| first.next()).collect();
        assert_eq!(numbers, [1_804_289_383, 846_930_886, 1_681_692_777, 1_714_636_915]);
        assert_eq!(GlibcRandom::new(0).next(), 1_804_289_383);
        assert_eq!(GlibcRandom::new(42).next(), 71_876_166);
    }
}
