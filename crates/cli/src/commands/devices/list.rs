//! `lanework devices`: the GPUs of this machine, and the emulator.

use crate::args::DevicesArgs;
use lanework::{Device, DeviceInfo};
use lanework_terminal::failure::Outcome;
use lanework_terminal::output::{bytes, print, print_json};
use lanework_terminal::table::{Column, Table, prose, shown};
use lanework_terminal::words;
use serde::Serialize;

/// A device in JSON.
#[derive(Serialize)]
struct DeviceJson {
    id: String,
    name: String,
    backend: &'static str,
    compute_capability: String,
    memory_bytes: u64,
    multiprocessors: u32,
    max_threads_per_block: u32,
    max_block: [u32; 3],
    max_grid: [u32; 3],
    shared_bytes_per_block: [u32; 2],
    registers_per_multiprocessor: u32,
    l2_bytes: u64,
    clock_khz: u32,
    memory_bandwidth: u64,
    driver: String,
}

/// Lists the devices; without a GPU, prints the reason in one line.
///
/// # Errors
/// If the output cannot be written.
pub fn run(args: &DevicesArgs) -> Outcome {
    let gpus = Device::gpus();
    let why_none = match &gpus {
        Ok(gpus) if gpus.is_empty() => Some("the driver finds no GPU".to_owned()),
        Ok(_) => None,
        Err(error) => Some(error.to_string()),
    };
    let mut devices = gpus.unwrap_or_default();
    devices.push(Device::emulator().info());
    if args.json {
        return print_json(&devices.into_iter().map(json).collect::<Vec<_>>());
    }
    let mut text = String::new();
    if let Some(why) = why_none {
        text = prose(&format!("No GPU: {}", why.lines().next().unwrap_or_default()));
    }
    for info in &devices {
        text.push_str(&describe(info));
    }
    text.push_str(&format!("`--device best` runs on {}.\n", devices[0].id));
    print(&text)
}

fn describe(info: &DeviceInfo) -> String {
    let triple = |[x, y, z]: [u32; 3]| format!("{x} x {y} x {z}");
    let unknown = |known: bool, text: String| if known { text } else { "not modeled".to_owned() };
    let (major, minor) = info.compute_capability;
    let (shared, opt_in) = info.shared_per_block;
    let mut rows =
        Table::new([Column::name(info.id.as_str()), Column::text(info.name.as_str()).rank(0)]);
    for (what, value) in [
        ("compute capability", format!("{major}.{minor}")),
        ("memory", bytes(info.memory_bytes)),
        ("multiprocessors", info.multiprocessors.to_string()),
        ("threads per block", info.max_threads_per_block.to_string()),
        ("block at most", triple(info.max_block)),
        ("grid at most", triple(info.max_grid)),
        (
            "shared memory per block",
            format!("{}, on request {}", bytes(shared.into()), bytes(opt_in.into())),
        ),
        ("registers per multiprocessor", info.registers_per_multiprocessor.to_string()),
        ("L2 cache", unknown(info.l2_bytes > 0, bytes(info.l2_bytes))),
        ("clock", unknown(info.clock_khz > 0, format!("{} MHz", info.clock_khz / 1000))),
        (
            "memory bandwidth",
            unknown(
                info.memory_bandwidth > 0,
                format!("{} GB/s", info.memory_bandwidth / 1_000_000_000),
            ),
        ),
        ("driver", info.driver.clone()),
    ] {
        rows.row([words::term(what).into_owned(), value]);
    }
    shown(&rows) + "\n"
}

fn json(info: DeviceInfo) -> DeviceJson {
    let (major, minor) = info.compute_capability;
    DeviceJson {
        id: info.id,
        name: info.name,
        backend: info.backend.name(),
        compute_capability: format!("{major}.{minor}"),
        memory_bytes: info.memory_bytes,
        multiprocessors: info.multiprocessors,
        max_threads_per_block: info.max_threads_per_block,
        max_block: info.max_block,
        max_grid: info.max_grid,
        shared_bytes_per_block: info.shared_per_block.into(),
        registers_per_multiprocessor: info.registers_per_multiprocessor,
        l2_bytes: info.l2_bytes,
        clock_khz: info.clock_khz,
        memory_bandwidth: info.memory_bandwidth,
        driver: info.driver,
    }
}
