//! Tiles that may fault on a GPU, each in a separate process, because after a fault a process cannot
//! use the GPU. `tiles.txt` records the outcome on an H200; the emulator must agree.
//!
//! `LANEWORK_HOPPER_RECORD=FILE` writes such lines on a machine with a GPU.

use crate::On;
use crate::tensors::{Subject, TENSORS, add, load, store};
use lanework::{Device, Result, Swizzle, TensorElement};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The outcomes on an H200, one line per tile.
const RECORDED: &str = include_str!("tiles.txt");
/// The environment variable that names the tile of a child process.
const ALONE: &str = "LANEWORK_HOPPER_ALONE";
/// Concurrent processes.
const AT_ONCE: usize = 8;

type Run = fn(&On, &Subject, u64) -> Result<Option<usize>>;
const KINDS: [(&str, Run, &[usize]); 3] =
    [("load", load, &[1, 2, 3, 4, 5]), ("store", store, &[1, 2, 3]), ("add", add, &[2])];

/// A tile and the operation on it.
struct Tile {
    name: String,
    run: Run,
    subject: Subject,
}

impl Tile {
    /// The outcome on a device, in a word or two.
    fn outcome(&self, on: &On) -> String {
        match (self.run)(on, &self.subject, 7) {
            Ok(None) => "runs".to_owned(),
            Ok(Some(byte)) => format!("differs at {byte}"),
            Err(_) => "stops".to_owned(),
        }
    }
}

/// Starts of tiles, in bytes of the first dimension and elements of the second.
const STARTS: [(i32, i32); 12] = [
    (0, 0),
    (1, 0),
    (2, 0),
    (4, 1),
    (8, 0),
    (12, 2),
    (16, 0),
    (24, 0),
    (-4, 0),
    (-8, 1),
    (-16, 0),
    (0, -1),
];

/// All tiles: rows of 64 bytes, in tensors with rows of 160 bytes.
fn tiles() -> Vec<Tile> {
    use TensorElement::{F32, U8, U16, U32, U64};
    let mut tiles = Vec::new();
    for (kind, run, dimensions) in KINDS {
        for &dimensions in dimensions {
            let elements: &[TensorElement] = match (kind, dimensions) {
                ("add", _) => &[U32],
                (_, 1 | 2) => &[U8, U16, U32, U64],
                _ => &[F32],
            };
            for &element in elements {
                let swizzles: &[Swizzle] = match (dimensions, element) {
                    (2, U32) => &[Swizzle::None, Swizzle::B64],
                    _ => &[Swizzle::None],
                };
                for &swizzle in swizzles {
                    for (first, second) in STARTS {
                        let size = element.bytes() as i32;
                        if first % size != 0 || (dimensions == 1 && second != 0 && first == 0) {
                            continue;
                        }
                        let mut at = vec![0; dimensions];
                        at[0] = first / size;
                        if dimensions > 1 {
                            at[1] = second;
                        }
                        let name = format!(
                            "{kind} {dimensions}d {element:?} {swizzle:?} at {first} bytes and {second}"
                        );
                        let subject = subject(element, dimensions, swizzle, at);
                        tiles.push(Tile { name, run, subject });
                    }
                }
            }
        }
    }
    tiles
}

fn subject(element: TensorElement, dimensions: usize, swizzle: Swizzle, at: Vec<i32>) -> Subject {
    let size = element.bytes();
    let mut extent = vec![160 / size];
    let mut tile = vec![(64 / size) as u32];
    let mut strides = Vec::new();
    for d in 1..dimensions {
        strides.push(160 * 4u64.pow(d as u32 - 1));
        extent.push(4);
        tile.push(2);
    }
    let steps = vec![1; dimensions];
    Subject { element, extent, strides, tile, steps, swizzle, nan_outside: false, at }
}

/// Runs only in a process that was started for one tile.
#[test]
fn the_tile_of_this_process() {
    let Ok(name) = std::env::var(ALONE) else { return };
    let tile = tiles().into_iter().find(|tile| tile.name == name).expect("a known tile");
    let device = Device::open("cuda:0").expect("a GPU");
    println!("OUTCOME {}", tile.outcome(&On::new(device, TENSORS)));
}

fn in_a_process(tile: &Tile) -> String {
    let mut command = Command::new(std::env::current_exe().expect("a path"));
    command
        .args(["alone::the_tile_of_this_process", "--exact", "--nocapture"])
        .env(ALONE, &tile.name);
    let output = command.output().expect("the process starts");
    let said = String::from_utf8_lossy(&output.stdout);
    let outcome = said.split("OUTCOME ").nth(1).and_then(|rest| rest.lines().next());
    outcome.map_or_else(|| format!("ends: {said}"), str::to_owned)
}

#[test]
fn an_h200_faults_at_the_tiles_that_the_emulator_rejects() {
    let on = On::new(Device::emulator(), TENSORS);
    let mut wrong = Vec::new();
    for tile in tiles() {
        let recorded = RECORDED.lines().find_map(|line| line.strip_prefix(&tile.name));
        let recorded = recorded.and_then(|rest| rest.strip_prefix(": ")).unwrap_or("not recorded");
        let emulated = tile.outcome(&on);
        if emulated != recorded {
            wrong.push(format!("{}: the emulator {emulated}, an H200 {recorded}", tile.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn this_gpu_matches_the_record() {
    let devices = Device::for_tests("tiles in separate processes");
    let gpu = devices.iter().find(|device| device.backend() == lanework::Backend::Cuda);
    if gpu.is_none_or(|gpu| gpu.info().compute_capability < (9, 0)) {
        return;
    }
    let (tiles, next) = (tiles(), AtomicUsize::new(0));
    let outcomes = Mutex::new(vec![String::new(); tiles.len()]);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(tile) = tiles.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let place = tiles.iter().position(|one| one.name == tile.name).expect("there");
                    let line = format!("{}: {}", tile.name, in_a_process(tile));
                    outcomes.lock().unwrap_or_else(PoisonError::into_inner)[place] = line;
                }
            });
        }
    });
    let outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(path) = std::env::var_os("LANEWORK_HOPPER_RECORD") {
        let text = outcomes.join("\n") + "\n";
        return std::fs::write(path, text).expect("a writable record");
    }
    let known: Vec<&str> = RECORDED.lines().collect();
    let wrong: Vec<&String> =
        outcomes.iter().filter(|line| !known.contains(&line.as_str())).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
