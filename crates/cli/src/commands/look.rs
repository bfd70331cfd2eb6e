//! `lanework look`: draws the sectors and banks that a warp accesses, and how a block's warps diverge.

use crate::args::{LookArgs, LookKernelArgs, PictureOptions};
use crate::failure::{Failure, Outcome};
use crate::output::{print, print_json, write};
use crate::pictures::{self, Picture};
use crate::sources::Sources;
use crate::subject::{Each, RungSelection, each_rung, entry_of_file, partial_run};
use lanework::sim::{AccessKind, Blocks, Keep, Space, Touch, Wanted};
use lanework_lab::{By, ProfileRecord, Subject, pattern, profile, specs};
use serde::Serialize;
use std::path::Path;

/// Draws a rung.
///
/// # Errors
/// Unknown names, problems that do not fit, a line that accesses no memory.
pub fn run(args: &LookArgs) -> Outcome {
    if !args.rung.contains('/') {
        return Err(Failure::input(
            format_args!("`{}` is neither a .ptx or .cu file nor a rung", args.rung),
            "give a file, or ladder/rung, such as transpose/unpadded; `lanework list` shows all",
        ));
    }
    let asked = RungSelection {
        target: &args.rung,
        rungs: &[],
        problem: &args.problem,
        numbers: &args.numbers,
        arrays: &args.arrays,
    };
    draw(&args.picture, args.json, &mut |each| each_rung(&asked, each))
}

/// Draws an entry of a file.
///
/// # Errors
/// Invalid PTX, arguments that do not match, a line that accesses no memory.
pub fn run_kernel(args: &LookKernelArgs) -> Outcome {
    if args.kernel.json {
        lanework::print_on_stderr();
    }
    draw(&args.picture, args.kernel.json, &mut |each| entry_of_file(&args.kernel, true, each))
}

/// The most steps of a block that are drawn.
const STEPS: usize = 1 << 22;
/// The most accesses of the line that are kept.
const TOUCHES: usize = 1 << 12;

/// A picture in JSON: what is drawn of the accesses.
#[derive(Serialize)]
struct PictureJson<'a> {
    kernel: &'a str,
    block: u64,
    warp: u32,
    file: Option<&'a str>,
    line: u32,
    accesses: Vec<AccessJson>,
}

/// The first access of an instruction by the warp, in JSON.
#[derive(Serialize)]
struct AccessJson {
    /// The instruction, by its number.
    instruction: u32,
    space: &'static str,
    kind: &'static str,
    /// Bytes of each lane.
    bytes: u32,
    /// Active lanes.
    mask: u32,
    /// By lane; `None` where it is not active.
    addresses: Vec<Option<u64>>,
    /// The stride, or how else the addresses go.
    pattern: String,
}

impl AccessJson {
    fn of(touch: &Touch) -> AccessJson {
        let lanes = touch.addresses.iter().enumerate();
        AccessJson {
            instruction: touch.place.instruction,
            space: match touch.space {
                Space::Global => "global",
                Space::Shared => "shared",
                Space::Local => "local",
                Space::Constant => "constant",
            },
            kind: match touch.kind {
                AccessKind::Load => "load",
                AccessKind::Store => "store",
                AccessKind::Atomic => "atomic",
            },
            bytes: touch.bytes,
            mask: touch.mask,
            addresses: lanes
                .map(|(lane, at)| (touch.mask >> lane & 1 != 0).then_some(*at))
                .collect(),
            pattern: pattern(touch),
        }
    }
}

fn draw(
    options: &PictureOptions,
    json: bool,
    subjects: &mut dyn FnMut(Each<'_>) -> Outcome,
) -> Outcome {
    subjects(&mut |name: &str, subject: &mut dyn Subject, sources: &Sources| {
        // All blocks run where they may wait for each other.
        let blocks = match subject.waits() {
            true => Blocks::All,
            false => Blocks::Range { first: options.block_index, count: 1 },
        };
        let (grid, _, _) = subject.shape();
        if options.block_index >= grid.count() {
            return Err(Failure::input(
                format_args!("there is no block {}", options.block_index),
                format_args!("the grid has blocks 0 to {}", grid.count() - 1),
            ));
        }
        let gpu = specs().gpu("H200").expect("tested: every GPU of the table is found");
        let record = profile(subject, blocks, By::Source, gpu).map_err(partial_run)?;
        let (line, file, instructions) = chosen(&record, options.line)?;
        let wanted = Wanted {
            steps: true,
            accesses: Keep::Of(instructions.clone()),
            most: STEPS,
            only: Some(options.block_index..options.block_index + 1),
        };
        let mut trace = subject.trace(blocks, wanted).map_err(partial_run)?;
        trace.touches.truncate(TOUCHES);
        let touches: Vec<_> = trace
            .touches
            .iter()
            .filter(|touch| touch.place.warp == options.warp)
            .cloned()
            .collect();
        let Some(first) = touches.first() else {
            return Err(Failure::input(
                format_args!(
                    "warp {} of block {} accesses no memory in line {line}",
                    options.warp, options.block_index
                ),
                "choose another with --line, --warp or --block-index; `lanework profile` lists the lines",
            ));
        };
        // A line may load and store: the first access of each instruction is drawn.
        let mut shown = vec![first.clone()];
        for touch in &touches {
            if shown.iter().all(|seen| seen.place.instruction != touch.place.instruction) {
                shown.push(touch.clone());
            }
        }
        if json {
            return print_json(&PictureJson {
                kernel: name,
                block: options.block_index,
                warp: options.warp,
                file: file.as_deref(),
                line,
                accesses: shown.iter().map(AccessJson::of).collect(),
            });
        }
        let picture = Picture {
            title: format!("{name}, block {}, warp {}", options.block_index, options.warp),
            code: format!(
                "{}  {}",
                place(file.as_deref(), line),
                sources.line(file.as_deref(), line)
            ),
            touches: shown,
            warp: options.warp,
            instructions,
            steps: trace.steps,
        };
        if let Some(path) = &options.svg {
            write(path, &pictures::svg(&picture))?;
            return print(&format!("{} is drawn in {}\n", picture.title, path.display()));
        }
        print(&pictures::text(&picture))
    })
}

/// A line of a file, or of the PTX.
fn place(file: Option<&str>, line: u32) -> String {
    let name =
        file.map(|file| Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or(file));
    format!("{}:{line}", name.unwrap_or("ptx"))
}

/// A line, its file and its instructions.
type Chosen = (u32, Option<String>, Vec<u32>);

/// The line of this number, or the one with the largest share that accesses global or shared memory.
fn chosen(record: &ProfileRecord, line: Option<u32>) -> Result<Chosen, Failure> {
    let accesses = |sectors: u64, wavefronts: u64| sectors + wavefronts > 0;
    let mut lines: Vec<_> = record
        .lines
        .iter()
        .filter(|one| accesses(one.counters.sectors(), one.counters.wavefronts()))
        .collect();
    lines.sort_by(|a, b| b.share.total_cmp(&a.share));
    let found = match line {
        Some(line) => lines.iter().find(|one| one.line == line),
        None => lines.first(),
    };
    let Some(found) = found else {
        let known: Vec<String> = lines.iter().map(|one| one.line.to_string()).collect();
        return Err(Failure::input(
            match line {
                Some(line) => format!("line {line} accesses no global or shared memory"),
                None => "the kernel accesses no global or shared memory".to_owned(),
            },
            format_args!("lines that do: {}", known.join(", ")),
        ));
    };
    Ok((found.line, found.file.clone(), found.instructions.clone()))
}
