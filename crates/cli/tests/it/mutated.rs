//! Files that the command reads, with bytes changed: whatever is in them, the command ends soon, by exit code 0, 1 or 2, and reports no
//! bug of its own.
//!
//! `LANEWORK_MUTATIONS=1000-2000 cargo test -p lanework-cli --test it mutated` runs others.

#[path = "../../../cuda-programs/driver/tests/common/child.rs"]
mod child;
#[path = "../../../emulator/emulator-tests/tests/it/verdicts/random.rs"]
mod random;

use random::{Random, seeds};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LANEWORK: &str = env!("CARGO_BIN_EXE_lanework");
const LONGEST: Duration = Duration::from_secs(60);

/// Replacements for numbers.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "65536",
    "2147483648",
    "4294967295",
    "18446744073709551615",
    "99999999999999999999999",
    "1e400",
    "nan",
];

/// The runs of bytes for which something holds.
fn runs(bytes: &[u8], is: impl Fn(&u8) -> bool) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|byte| is(byte)).count();
        if length > 0 {
            found.push((at, at + length));
        }
        at += length + 1;
    }
    found
}

/// Bytes flipped, cut, repeated; numbers made huge; words in the place of others.
fn mutated(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len());
        let end = (at + [1, 2, 10, 100, 1000][random.below(5)]).min(bytes.len());
        match random.below(7) {
            0 if at < bytes.len() => bytes[at] = random.next() as u8,
            1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let copy = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, copy));
            }
            4 => {
                let numbers = runs(&bytes, u8::is_ascii_digit);
                if let Some((from, to)) = numbers.get(random.below(numbers.len())).copied() {
                    drop(bytes.splice(from..to, NUMBERS[random.below(NUMBERS.len())].bytes()));
                }
            }
            5 if random.below(4) == 0 => bytes.truncate(at),
            _ => {
                let words =
                    runs(&bytes, |byte| byte.is_ascii_alphanumeric() || b"._%".contains(byte));
                if let (Some(one), Some(other)) =
                    (words.get(random.below(words.len())), words.get(random.below(words.len())))
                {
                    let with = bytes[other.0..other.1].to_vec();
                    drop(bytes.splice(one.0..one.1, with));
                }
            }
        }
    }
    bytes
}

/// A `.npy` file of a hundred floats.
fn npy() -> Vec<u8> {
    let mut header = "{'descr': '<f4', 'fortran_order': False, 'shape': (10, 10), }".to_owned();
    header.push_str(&" ".repeat(63 - (10 + header.len()) % 64));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend((0..100).flat_map(|i| (i as f32).to_le_bytes()));
    bytes
}

fn file(path: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// Runs the command in a folder; returns its error, if any.
fn failure(folder: &Path, line: &str) -> Option<String> {
    let mut command = Command::new(LANEWORK);
    let ended = child::run(command.args(line.split_whitespace()).current_dir(folder), LONGEST);
    let child::Ended { status, said } = ended;
    match status {
        None => Some(format!("`{line}` does not end: {said}")),
        Some(status) if !matches!(status.code(), Some(0..=2)) => {
            Some(format!("`{line}` ends with {status}: {said}"))
        }
        Some(_) if said.contains("panicked") || said.contains("has a bug") => {
            Some(format!("`{line}`: {said}"))
        }
        Some(_) => None,
    }
}

const SAXPY: &str =
    "--grid 2 --block 64 --arg f32:2 --arg zeros:f32:100 --arg zeros:f32:100 --arg u32:100";
const LIMITS: &str = "--time-limit 5 --max-instructions 200000";

#[test]
fn the_command_takes_any_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| -> PathBuf { folder.path().join(name) };
    let write = |name: &str, bytes: &[u8]| std::fs::write(at(name), bytes).expect("written");
    let climbed =
        Command::new(LANEWORK).args(["climb", "transpose", "--size", "32", "--json"]).output();
    let records = climbed.expect("the command runs").stdout;
    let saxpy = file("tests/data/saxpy.ptx");
    write("saxpy.ptx", &saxpy);
    let lines = [
        format!("run m.ptx --device emulator {SAXPY} {LIMITS}"),
        format!("check m.ptx {SAXPY} {LIMITS}"),
        format!("profile m.ptx {SAXPY} {LIMITS}"),
        format!("look m.ptx {SAXPY}"),
        "inspect m.ptx --json".to_owned(),
        "run saxpy.ptx --device emulator --block 100 --arg f32:2 --arg in:m.npy --arg zeros:f32:100 --arg u32:100".to_owned(),
        "run transpose/padded --input m.npy --device emulator".to_owned(),
        "judge m.toml saxpy.ptx --json".to_owned(),
        "report --no-kernels --from m.json --output m.html".to_owned(),
    ];
    let mut wrong = Vec::new();
    for seed in seeds("LANEWORK_MUTATIONS", 0..8) {
        let mut random = Random::new(seed);
        for line in &lines {
            write("m.ptx", &mutated(&saxpy, &mut random));
            write("m.npy", &mutated(&npy(), &mut random));
            write(
                "m.toml",
                &mutated(&file("../laboratory/judge/tests/tasks/saxpy.toml"), &mut random),
            );
            write("m.json", &mutated(&records, &mut random));
            wrong.extend(failure(folder.path(), line).map(|what| format!("{seed}: {what}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
