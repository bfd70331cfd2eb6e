//! `lanework look`: draws the sectors and banks that a warp accesses, and how a block's warps diverge.

use crate::args::{LookArgs, LookKernelArgs, LookProgramArgs, PictureOptions, ProblemOptions};
use crate::findings::sources;
use crate::pictures;
use crate::problem::check_no_path;
use crate::problem::subject::{Each, RungSelection, each_rung, entry_of_file, partial_run};
use crate::program::{self, Ended};
use lanework::emulator::{Blocks, Keep, Place, TraceConfig, TracedAccess};
use lanework::ptx::cpp_names;
use lanework::report::pictures::{Picture, svg};
use lanework::report::{By, Choice, Sources, choose, first_of_each, pattern};
use lanework::tool::{self, Record};
use lanework_lab::{Subject, profile, specs};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{check_writable, print, print_json, width, write};
use serde::Serialize;
use std::path::Path;

/// Draws a rung.
///
/// # Errors
/// Unknown names, problems that do not fit, a line that accesses no memory.
pub fn run(args: &LookArgs) -> Outcome {
    check_no_path(&args.rung)?;
    if !args.rung.contains('/') {
        return Err(Failure::input(
            format_args!("`{}` is neither a .ptx or .cu file nor a rung", args.rung),
            "give a file, or ladder/rung, such as transpose/unpadded; `lanework list` shows all",
        ));
    }
    let asked = RungSelection { target: &args.rung, rungs: &[], problem: &args.problem };
    draw(&args.picture, args.json, &mut |each| each_rung(&asked, each))
}

/// Draws the most expensive line of a rung on a problem; nothing if the rung accesses no memory by loads and stores.
///
/// # Errors
/// Problems that do not fit, a rung that is wrong.
pub fn draw_rung(rung: &str, problem: &ProblemOptions) -> Outcome {
    let asked = RungSelection { target: rung, rungs: &[], problem };
    let options = PictureOptions { line: None, block_index: 0, warp: 0, svg: None };
    match draw(&options, false, &mut |each| each_rung(&asked, each)) {
        Err(Failure::Input(_)) => Ok(()),
        drawn => drawn,
    }
}

/// Draws a kernel that a program launches.
///
/// # Errors
/// A program that does not launch it, a line that accesses no memory.
pub fn run_program(args: &LookProgramArgs) -> Outcome {
    let LookProgramArgs { kernel, launch, picture, program } = args;
    let line = picture.line.unwrap_or(0);
    let asked = format!("{kernel}\t{launch}\t{line}\t{}\t{}", picture.block_index, picture.warp);
    let ended = program::run(program, "look", &[("LANEWORK_TOOL_LOOK", asked)])?;
    let of_process = |process: &Vec<Record>| {
        process.iter().find_map(|record| match record {
            Record::Picture(found) => {
                let text = Ended::module(process, found.module).map(str::to_owned);
                Some((found.clone(), text))
            }
            _ => None,
        })
    };
    let Some((found, text)) = ended.processes.iter().find_map(of_process) else {
        ended.own()?;
        let what = match (kernel.as_str(), launch) {
            ("", 1) => "the program's first launch could not be drawn".to_owned(),
            ("", launch) => format!("no process launches {launch} kernels"),
            (kernel, 1) => format!("the program does not launch `{kernel}`"),
            (kernel, launch) => format!("no process launches `{kernel}` {launch} times"),
        };
        return Err(ended.without_kernel(&what));
    };
    let tool::Picture { profile, refused, file, line, instructions, touches, steps, .. } = *found;
    if let Some((what, help)) = refused {
        return Err(Failure::input(what, help));
    }
    let sources = sources();
    text.iter().for_each(|text| sources.insert_ptx(text));
    let choice = Choice { file, line, instructions };
    let name = &cpp_names::readable(&profile.kernel);
    let accesses = Accesses { name, choice, shown: touches, steps };
    accesses.draw(picture, program.json, &sources)?;
    ended.own()
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

/// A picture as JSON: the drawn accesses.
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
    /// By lane; `None` if it is not active.
    addresses: Vec<Option<u64>>,
    /// The stride, or another description of the addresses.
    pattern: String,
}

impl AccessJson {
    fn of(touch: &TracedAccess) -> AccessJson {
        let lanes = touch.addresses.iter().enumerate();
        AccessJson {
            instruction: touch.place.instruction,
            space: touch.space.name(),
            kind: touch.kind.name(),
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
    options.svg.as_deref().map_or(Ok(()), check_writable)?;
    subjects(&mut |name: &str, subject: &mut dyn Subject, sources: &Sources| {
        // All blocks run if they may wait for each other.
        let blocks = match subject.waits() {
            true => Blocks::All,
            false => Blocks::Range { first: options.block_index, count: 1 },
        };
        let (grid, block, _) = subject.shape();
        if options.block_index >= grid.count() {
            return Err(Failure::input(
                format_args!("there is no block {}", options.block_index),
                format_args!("the grid has blocks 0 to {}", grid.count() - 1),
            ));
        }
        let warps = block.count().div_ceil(32);
        if u64::from(options.warp) >= warps {
            return Err(Failure::input(
                format_args!("there is no warp {}", options.warp),
                format_args!("each block has warps 0 to {}", warps - 1),
            ));
        }
        let gpu = specs().gpu("H200").expect("tested: every GPU of the table is found");
        let record = profile(subject, blocks, By::Source, gpu).map_err(partial_run)?;
        let refused = |(what, help)| Failure::input(what, help);
        let Choice { line, file, instructions } = choose(&record, options.line).map_err(refused)?;
        let wanted = TraceConfig {
            steps: true,
            accesses: Keep::Of(instructions.clone()),
            most: STEPS,
            only: Some(options.block_index..options.block_index + 1),
        };
        let mut trace = subject.trace(blocks, wanted).map_err(partial_run)?;
        trace.touches.truncate(TOUCHES);
        let shown = first_of_each(&trace.touches, options.warp);
        let accesses = Accesses {
            name,
            choice: Choice { file, line, instructions },
            shown,
            steps: trace.steps,
        };
        accesses.draw(options, json, sources)
    })
}

/// A line of a file, or of the PTX.
fn place(file: Option<&str>, line: u32) -> String {
    let name =
        file.map(|file| Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or(file));
    format!("{}:{line}", name.unwrap_or("ptx"))
}

/// The accesses of a warp at a line.
struct Accesses<'a> {
    name: &'a str,
    choice: Choice,
    shown: Vec<TracedAccess>,
    steps: Vec<(Place, u32)>,
}

impl Accesses<'_> {
    /// Draws them, as text, as an SVG file, or as JSON.
    fn draw(self, options: &PictureOptions, json: bool, sources: &Sources) -> Outcome {
        let Accesses { name, choice: Choice { file, line, instructions }, shown, steps } = self;
        if shown.is_empty() {
            return Err(Failure::input(
                format_args!(
                    "warp {} of block {} accesses no memory in line {line}",
                    options.warp, options.block_index
                ),
                "choose another with --line, --warp or --block-index; `lanework profile` lists the lines",
            ));
        }
        if json {
            return print_json(&PictureJson {
                kernel: name,
                block: options.block_index,
                warp: shown[0].place.warp,
                file: file.as_deref(),
                line,
                accesses: shown.iter().map(AccessJson::of).collect(),
            });
        }
        let warp = shown[0].place.warp;
        let picture = Picture {
            title: format!("{name}, block {}, warp {warp}", options.block_index),
            code: format!(
                "{}  {}",
                place(file.as_deref(), line),
                sources.line(file.as_deref(), line)
            ),
            touches: shown,
            warp,
            instructions,
            steps,
        };
        if let Some(path) = &options.svg {
            write(path, &svg(&picture))?;
            return print(&format!("{} is drawn in {}\n", picture.title, path.display()));
        }
        print(&pictures::text(&picture, width().unwrap_or(usize::MAX)))
    }
}
