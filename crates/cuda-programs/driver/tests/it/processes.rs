//! Sharing memory between processes. The test re-runs itself as the other process.

use crate::common::{allocate, context, download, upload};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// `CUipcMemHandle`, by value.
#[derive(Clone, Copy)]
#[repr(C)]
struct Handle([u8; 64]);

/// The variable that passes the handle to open.
const HANDLE: &str = "LANEWORK_TEST_HANDLE";

fn open(handle: Handle) -> Result<u64, i32> {
    let mut address = 0u64;
    let code = call!("cuIpcOpenMemHandle"(&mut address => *mut u64, handle => Handle, 1 => u32));
    if code == 0 { Ok(address) } else { Err(code) }
}

fn handle_of(digits: &str) -> Handle {
    let mut handle = Handle([0; 64]);
    for (byte, pair) in handle.0.iter_mut().zip(digits.as_bytes().chunks(2)) {
        let pair = std::str::from_utf8(pair).expect("digits");
        *byte = u8::from_str_radix(pair, 16).expect("digits");
    }
    handle
}

/// The other process: waits for a line, adds 1 to each word, and answers.
fn other(digits: &str) {
    let handle = handle_of(digits);
    let address = open(handle).expect("the memory is there");
    assert_eq!(open(handle), Ok(address)); // two references
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
    assert_eq!(download::<u32>(memory, 2048), [1; 2048]); // its contents are unchanged
    assert_eq!(open(handle), Err(201)); // not in the exporting process
    let digits: String = handle.0.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut child = Command::new(std::env::current_exe().expect("a program"))
        .args(["processes::memory_is_shared_with_another_process", "--exact", "--nocapture"])
        .env(HANDLE, digits)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    upload(memory, &[5u32; 2048]); // the other process sees later writes, too
    child.stdin.take().expect("a pipe").write_all(b"go\n").expect("it listens");
    let said: Vec<String> = BufReader::new(child.stdout.take().expect("a pipe"))
        .lines()
        .map_while(Result::ok)
        .collect();
    assert!(child.wait().expect("it ends").success(), "{said:#?}");
    assert_eq!(download::<u32>(memory, 2048), [6; 2048]);
    assert_eq!(call!("cuMemFree"(memory => u64)), 0);
}

/// The variable that passes the concatenated handles to open.
const SMALL: &str = "LANEWORK_TEST_SMALL_HANDLES";

/// Sizes around a page.
const SIZES: [usize; 12] = [1, 3, 64, 511, 512, 513, 1000, 3584, 3585, 4090, 4095, 4097];

/// The other process adds 1 to each byte.
fn other_of_small(digits: &str) {
    for (digits, size) in digits.as_bytes().chunks(128).zip(SIZES) {
        let digits = std::str::from_utf8(digits).expect("digits");
        let handle = handle_of(digits);
        // Invalid handles, and handles past the end of the file.
        for (at, value) in [(16, u64::MAX), (16, 1 << 40), (16, 0), (32, u64::MAX), (32, 1 << 40)] {
            let mut wrong = handle;
            wrong.0[at..at + 8].copy_from_slice(&value.to_le_bytes());
            assert_eq!(open(wrong), Err(1), "{at} {value:x}");
        }
        let address = open(handle).expect("the memory is there");
        let bytes: Vec<u8> = download(address, size);
        assert!(bytes.iter().all(|byte| *byte == size as u8), "{size}");
        upload(address, &bytes.iter().map(|byte| byte.wrapping_add(1)).collect::<Vec<_>>());
        // Exactly these bytes can be accessed; the next ones belong to another allocation.
        let mut range = (0u64, 0usize);
        let code = call!("cuMemGetAddressRange"(&mut range.0 => *mut u64, &mut range.1 => *mut usize, address => u64));
        assert_eq!((code, range), (0, (address, size)));
        let beyond = call!("cuMemsetD8"(address => u64, 0 => u8, size + 1 => usize));
        assert_eq!(beyond, 1);
        assert_eq!(call!("cuIpcCloseMemHandle"(address => u64)), 0);
    }
}

#[test]
fn host_memory_of_any_size_is_shared_in_place() {
    context();
    if let Ok(digits) = std::env::var(SMALL) {
        return other_of_small(&digits);
    }
    let memory = SIZES.map(|size| {
        let memory = allocate(size);
        upload(memory, &vec![size as u8; size]);
        memory
    });
    let mut digits = String::new();
    for address in memory {
        let mut handle = Handle([0; 64]);
        assert_eq!(call!("cuIpcGetMemHandle"(&mut handle => *mut Handle, address => u64)), 0);
        assert_eq!(open(handle), Err(201)); // not in the exporting process
        digits.extend(handle.0.iter().map(|byte| format!("{byte:02x}")));
    }
    let ended = Command::new(std::env::current_exe().expect("a program"))
        .args(["processes::host_memory_of_any_size_is_shared_in_place", "--exact", "--nocapture"])
        .env(SMALL, digits)
        .output()
        .expect("it starts");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    for (address, size) in memory.into_iter().zip(SIZES) {
        let bytes: Vec<u8> = download(address, size);
        assert!(bytes.iter().all(|byte| *byte == (size as u8).wrapping_add(1)), "{size}");
        assert_eq!(call!("cuMemFree"(address => u64)), 0);
    }
    // Exported memory is never recycled for an allocation of the same size.
    for size in SIZES {
        assert!(size > 3584 || !memory.contains(&allocate(size)), "{size}");
    }
}
