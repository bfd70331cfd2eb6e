//! Commands on devices: `lanework devices` (the GPUs of this machine, and the emulator), `gpus` (the table of known
//! GPUs), `hello` (every thread of a small grid prints a line) and `streams` (copies and kernels in sequence, and
//! overlapped).

use crate::args::{DevicesArgs, GpusArgs, HelloArgs, StreamsArgs};
use lanework::{Backend, Device, DeviceInfo};
use lanework_lab::{Specs, StreamsRecord, StreamsRequest, overlap, specs};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{bytes, duration, print, print_json, read_text, thousands, width};
use lanework_terminal::progress::Progress;
use lanework_terminal::table::{Column, Table, listed, prose, shown};
use lanework_terminal::words;
use serde::Serialize;
use std::borrow::Cow;
use std::path::Path;

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
pub fn list(args: &DevicesArgs) -> Outcome {
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

/// Shows the table of GPUs and of the limits of their multiprocessors.
///
/// # Errors
/// If the user's file cannot be read or is not such a table.
pub fn gpus(args: &GpusArgs) -> Outcome {
    let specs = with_file(args.file.as_deref())?;
    if args.json {
        return print_json(specs.as_ref());
    }
    let mut gpus = Table::new([
        Column::name("GPU"),
        Column::number("capability").short("cap."),
        Column::number("SMs"),
        Column::number("MHz"),
        Column::number("memory"),
        Column::number("GB/s"),
        Column::number("L2 MiB"),
        Column::number("FP32"),
        Column::number("TF32"),
        Column::number("BF16"),
    ]);
    let rate = |rate: Option<f64>| rate.map_or("-".to_owned(), |rate| rate.to_string());
    for gpu in &specs.gpus {
        gpus.row([
            gpu.name.clone(),
            gpu.compute_capability.clone(),
            gpu.multiprocessors.to_string(),
            gpu.clock_mhz.to_string(),
            format!("{} GB", gpu.memory_gb),
            gpu.bandwidth_gb_s.to_string(),
            gpu.l2_mb.to_string(),
            gpu.fp32_tflops.to_string(),
            rate(gpu.tf32_tflops),
            rate(gpu.bf16_tflops),
        ]);
    }
    let mut limits = Table::new([
        Column::name("capability"),
        Column::number("FP32 FMA/clock"),
        Column::number("threads"),
        Column::number("blocks"),
        Column::number("registers"),
        Column::number("shared bytes"),
        Column::number("per block"),
    ]);
    for arch in &specs.architectures {
        limits.row([
            arch.compute_capability.clone(),
            arch.fp32_per_sm.to_string(),
            arch.threads_per_sm.to_string(),
            arch.blocks_per_sm.to_string(),
            arch.registers_per_sm.to_string(),
            arch.shared_per_sm.to_string(),
            arch.shared_per_block.to_string(),
        ]);
    }
    let mut text = shown(&gpus);
    text.push_str(&prose("Rates in TFLOP/s, dense; TF32 and BF16 on tensor cores."));
    text.push_str(&format!("\nLimits of a multiprocessor\n{}\nSources\n", shown(&limits)));
    for gpu in &specs.gpus {
        text.push_str(&listed("  ", &format!("{}: {}", gpu.name, gpu.source)));
    }
    print(&text)
}

/// The table, extended by the user's file if there is one.
///
/// # Errors
/// If the file cannot be read or is not such a table.
pub fn with_file(file: Option<&Path>) -> Result<Cow<'static, Specs>, Failure> {
    let Some(path) = file else { return Ok(Cow::Borrowed(specs())) };
    let name = path.display();
    let help = "write it like the output of `lanework gpus --json`";
    let text = read_text(path, help)?;
    let extended = specs().extended(&text).map_err(|why| {
        Failure::input(format_args!("{name} is not a table of GPUs: {why}"), help)
    })?;
    Ok(Cow::Owned(extended))
}

/// Prints a line from every thread on the device, and one from the host.
///
/// # Errors
/// If the device is unknown.
pub fn hello(args: &HelloArgs) -> Outcome {
    let device = Device::open(&args.on.device)?;
    lanework_ladders::intro::say_hello(&device, args.blocks, args.threads)?;
    print(&format!(
        "Hello World from the host! {} blocks of {}x{} threads ran on {}.\n\
         The threads of a warp print in x-then-y order; the order of blocks is unspecified.\n",
        args.blocks,
        args.threads.x,
        args.threads.y,
        device.info().name
    ))
}

/// Maximum width of the timeline, and the width of its labels.
const WIDTH: usize = 96;
const BESIDE: usize = 12;

/// Runs the copies and kernels in sequence and overlapped, verifies both results, and draws the timeline of the
/// overlapped run.
///
/// # Errors
/// A request without chunks, an unknown device, or a wrong result.
pub fn streams(args: &StreamsArgs) -> Outcome {
    let device = Device::open(&args.on.device)?;
    let (size, steps) = match device.backend() {
        Backend::Cuda => (1 << 26, 2000),
        Backend::Emulator => (1 << 16, 20),
    };
    let request = StreamsRequest {
        elements: args.size.unwrap_or(size) as usize,
        chunks: args.chunks as usize,
        streams: args.streams as usize,
        steps: args.steps.unwrap_or(steps),
        seed: args.seed,
    };
    let record = {
        let progress = Progress::new("running");
        overlap(&device, &request, &mut |what| progress.say(what))?
    };
    if args.json {
        print_json(&record)?;
    } else {
        print(&describe_streams(&record))?;
    }
    match record.verified {
        true => Ok(()),
        false => Err(Failure::Check("a result differs from the host's".to_owned())),
    }
}

/// The run as text, with a row per stream.
fn describe_streams(record: &StreamsRecord) -> String {
    let mut text = format!(
        "streams: {} u32 in {} chunks, {} multiply-adds each, on {}: {}\n",
        thousands(record.elements as u64),
        record.chunks,
        record.steps,
        record.device.name,
        if record.verified { "bit-exact" } else { "WRONG" },
    );
    let (Some(serial), Some(overlapped)) = (record.serial_ns, record.overlapped_ns) else {
        text.push_str(
            "The emulator does not model time: it ran every copy and kernel in order, at once.\n",
        );
        return text;
    };
    text.push_str(&format!(
        "one stream {}, {} streams {}: {:.2}x\n\n",
        duration(serial),
        record.streams,
        duration(overlapped),
        serial / overlapped
    ));
    let most = width().map_or(WIDTH, |columns| columns.saturating_sub(BESIDE).clamp(16, WIDTH));
    for stream in 0..record.streams {
        let mut row = vec![' '; most];
        for span in record.timeline.iter().filter(|span| span.stream == stream) {
            let column = |ns: f64| ((ns / overlapped * most as f64) as usize).min(most - 1);
            let letter = match span.what {
                "upload" => '>',
                "kernel" => char::from_digit(span.chunk as u32 % 36, 36).unwrap_or('#'),
                _ => '<',
            };
            row[column(span.start_ns)..=column(span.end_ns)].fill(letter);
        }
        text.push_str(&format!("stream {stream:<2} |{}|\n", row.into_iter().collect::<String>()));
    }
    text.push_str(&format!(
        "           0{:>width$}\n> upload, < download, a digit: the kernel of that chunk\n",
        duration(overlapped),
        width = most - 1
    ));
    text
}
