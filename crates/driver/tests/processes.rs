//! Memory that two processes share: this test runs itself once more as the other one.

#[macro_use]
mod common;

use common::{allocate, context, download, upload};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// `CUipcMemHandle`, by value.
#[derive(Clone, Copy)]
#[repr(C)]
struct Handle([u8; 64]);

/// The variable that tells the other process what to open.
const HANDLE: &str = "LANEWORK_TEST_HANDLE";

fn open(handle: Handle) -> Result<u64, i32> {
    let mut address = 0u64;
    let code = call!("cuIpcOpenMemHandle"(&mut address => *mut u64, handle => Handle, 1 => u32));
    if code == 0 { Ok(address) } else { Err(code) }
}

/// The other process: it waits for a line, adds 1 to each word, and says so.
fn other(digits: &str) {
    let mut handle = Handle([0; 64]);
    for (byte, pair) in handle.0.iter_mut().zip(digits.as_bytes().chunks(2)) {
        let pair = std::str::from_utf8(pair).expect("digits");
        *byte = u8::from_str_radix(pair, 16).expect("digits");
    }
    let address = open(handle).expect("the memory is there");
    assert_eq!(open(handle), Ok(address)); // used twice
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).expect("a line");
    let words: Vec<u32> = download(address, 2048);
    upload(address, &words.iter().map(|word| word + 1).collect::<Vec<_>>());
    for expected in [0, 0, 1] {
        assert_eq!(call!("cuIpcCloseMemHandle"(address => u64)), expected);
    }
}

#[test]
fn memory_is_shared_with_another_process() {
    context();
    if let Ok(digits) = std::env::var(HANDLE) {
        return other(&digits);
    }
    let memory = allocate(4 * 2048);
    upload(memory, &[1u32; 2048]);
    let mut handle = Handle([0; 64]);
    assert_eq!(call!("cuIpcGetMemHandle"(&mut handle => *mut Handle, memory + 100 => u64)), 0);
    assert_eq!(download::<u32>(memory, 2048), [1; 2048]); // it kept what it held
    assert_eq!(open(handle), Err(201)); // not in the process that it is of
    let digits: String = handle.0.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut child = Command::new(std::env::current_exe().expect("a program"))
        .args(["memory_is_shared_with_another_process", "--exact", "--nocapture"])
        .env(HANDLE, digits)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    upload(memory, &[5u32; 2048]); // the other one sees what comes later, too
    child.stdin.take().expect("a pipe").write_all(b"go\n").expect("it listens");
    let said: Vec<String> = BufReader::new(child.stdout.take().expect("a pipe"))
        .lines()
        .map_while(Result::ok)
        .collect();
    assert!(child.wait().expect("it ends").success(), "{said:#?}");
    assert_eq!(download::<u32>(memory, 2048), [6; 2048]);
    assert_eq!(call!("cuMemFree"(memory => u64)), 0);
    // What is smaller than a page cannot be shared.
    let small = allocate(64);
    assert_eq!(call!("cuIpcGetMemHandle"(&mut handle => *mut Handle, small => u64)), 801);
}
