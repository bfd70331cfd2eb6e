//! The command line: every command, option, default and example in one place.

use clap::{Args, Parser, Subcommand};
use lanework::Dim3;
use lanework_lab::PARAMETERS;
use std::path::PathBuf;

/// CUDA-style kernels in stable Rust: verified and explained with no GPU, timed on one.
#[derive(Debug, Parser)]
#[command(name = "lanework", version, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 all is well, 1 a check failed, 2 bad input or usage.\n\
    Start with: lanework climb transpose")]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the devices: GPUs with their limits, and the emulator.
    Devices(DevicesArgs),
    /// List the ladders, their rungs and the experiments they reproduce.
    List(ListArgs),
    /// Let every thread of a small grid print its name from the device.
    #[command(after_help = "Example: lanework hello --blocks 5 --threads 2x2")]
    Hello(HelloArgs),
    /// Climb a ladder: verify every rung, then show what makes each one faster.
    #[command(after_help = "Examples:\n  \
        lanework climb transpose\n  \
        lanework climb transpose --rows 1000 --cols 333 --type u8\n  \
        lanework climb sum-squares --size 2^20\n  \
        lanework climb sgemm --m 300 --n 200 --k 100 --alpha 0.5 --beta 1\n  \
        lanework climb transpose --size 8192 --device cuda:0 --json\n  \
        lanework climb --all")]
    Climb(ClimbArgs),
    /// Climb a ladder at several sizes and block shapes.
    #[command(
        after_help = "Example: lanework sweep transpose --block 8,16,32 --size 512,1024,2048"
    )]
    Sweep(SweepArgs),
    /// Run kernels under the sanitizer: bounds, uninitialised memory, races, barriers, async copies.
    #[command(after_help = "Examples:\n  \
        lanework check transpose --size 256\n  \
        lanework check sum-squares/single-pass --json\n\n\
        A file of PTX or CUDA C++ in place of the ladder checks any kernel; its options are shown by\n  \
        lanework check kernel.ptx --help")]
    Check(CheckArgs),
    /// Profile kernels on the emulator: what every line costs, and why.
    #[command(after_help = "Examples:\n  \
        lanework profile transpose --rung unpadded --size 1024\n  \
        lanework profile sgemm --rungs shared,tile-2d --by ptx\n\n\
        A file of PTX or CUDA C++ in place of the ladder profiles any kernel; its options are shown by\n  \
        lanework profile kernel.ptx --help")]
    Profile(ProfileArgs),
    /// Draw which addresses a warp touches, and how a block's warps diverge.
    #[command(after_help = "Examples:\n  \
        lanework look transpose/unpadded --size 1024 --line 24\n  \
        lanework look transpose/unpadded --svg picture.svg\n\n\
        A file of PTX or CUDA C++ in place of the rung draws any kernel; its options are shown by\n  \
        lanework look kernel.ptx --help")]
    Look(LookArgs),
    /// Run one rung on your own arrays.
    #[command(after_help = "Examples:\n  \
        lanework run transpose/padded --input a.npy --output b.npy\n  \
        lanework run sgemm/shared --a a.npy --b b.npy --c c.npy --beta 1 --output d.npy\n\n\
        A file of PTX or CUDA C++ in place of the rung runs any kernel; its options are shown by\n  \
        lanework run kernel.ptx --help")]
    Run(RunArgs),
    /// List the experiments of the notes with the commands that reproduce them, or run them all.
    #[command(after_help = "Example: lanework experiments --run --device emulator")]
    Experiments(ExperimentsArgs),
    /// Write the documentation's pages that are made from the kernels and from stored results.
    #[command(after_help = "Example, in the repository: lanework book && mdbook build docs")]
    Book(BookArgs),
    /// Compare the emulator's counts with those that a GPU's own counters gave.
    #[command(after_help = "Example: lanework fidelity\n\
        scripts/fidelity.sh takes the GPU's counts anew, with Nsight Compute.")]
    Fidelity(FidelityArgs),
    /// Overlap copies and kernels over chunks on several streams, and show when each ran.
    #[command(after_help = "Example: lanework streams --size 2^26 --chunks 8 --streams 3")]
    Streams(StreamsArgs),
    /// Show what is in a PTX or CUDA C++ file: entries, parameters, registers, instructions.
    #[command(after_help = "Example: lanework inspect kernel.ptx")]
    Inspect(InspectArgs),
    /// Compare the emulator with what a GPU gave for every form of every instruction.
    #[command(after_help = "Examples:\n  \
        lanework conform\n  \
        lanework conform --only cvt.rn\n  \
        lanework conform --device cuda:0 --live --tuples 65536\n  \
        lanework conform --device cuda:0 --record docs/results/h200/conformance.vectors")]
    Conform(ConformArgs),
    /// List the instructions of PTX and how near the emulator is to a GPU in each.
    #[command(after_help = "Example: lanework coverage --opcode cvt")]
    Coverage(CoverageArgs),
    /// List what known GPUs can do: multiprocessors, clocks, rates and limits, with sources.
    #[command(after_help = "Example: lanework gpus --file mine.json")]
    Gpus(GpusArgs),
}

/// Options that every command on a device takes.
#[derive(Debug, Args)]
pub struct On {
    /// Where to run: best (a GPU if there is one), emulator, or cuda:N.
    #[arg(long, default_value = "best", value_name = "DEVICE")]
    pub device: String,
}

#[derive(Debug, Args)]
pub struct DevicesArgs {
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ListArgs {
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct HelloArgs {
    /// Blocks, 1 to 32.
    #[arg(long, default_value = "5", value_parser = up_to_32, value_name = "N")]
    pub blocks: u32,
    /// Threads of a block, X by Y, each 1 to 32.
    #[arg(long, default_value = "2x2", value_parser = threads, value_name = "XxY")]
    pub threads: Dim3,
    #[command(flatten)]
    pub on: On,
}

#[derive(Debug, Args)]
pub struct ClimbArgs {
    /// The ladder; `lanework list` shows them.
    #[arg(required_unless_present = "all")]
    pub ladder: Option<String>,
    /// Climb every ladder, each on its default problem.
    #[arg(long, conflicts_with = "ladder")]
    pub all: bool,
    #[command(flatten)]
    pub problem: Problem<false>,
    #[command(flatten)]
    pub arrays: Arrays,
    #[command(flatten)]
    pub how: Climbing,
}

#[derive(Debug, Args)]
pub struct SweepArgs {
    /// The ladder; `lanework list` shows them.
    pub ladder: String,
    #[command(flatten)]
    pub problem: Problem<true>,
    #[command(flatten)]
    pub how: Climbing,
}

/// Options that climbs and sweeps share.
#[derive(Debug, Args)]
pub struct Climbing {
    #[command(flatten)]
    pub numbers: Numbers,
    /// Only these rungs, separated by commas.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub rungs: Vec<String>,
    /// Longest time to sample one rung on a GPU, in seconds.
    #[arg(long, default_value = "15", value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: f64,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub on: On,
}

/// What the numbers of a problem are.
#[derive(Debug, Args)]
pub struct Numbers {
    /// Element type, such as f32, bf16, u8 or i64; each ladder has its own default.
    #[arg(long = "type", value_name = "TYPE", help_heading = "Problem")]
    pub element: Option<String>,
    /// Factor of the product, for the ladders that scale.
    #[arg(long, value_name = "X", allow_negative_numbers = true, help_heading = "Problem")]
    pub alpha: Option<f64>,
    /// Factor of the old C, for the ladders that scale.
    #[arg(long, value_name = "X", allow_negative_numbers = true, help_heading = "Problem")]
    pub beta: Option<f64>,
    /// Seed of the random elements.
    #[arg(long, default_value = "1", value_name = "N", help_heading = "Problem")]
    pub seed: u64,
}

/// The user's own arrays, instead of random ones.
#[derive(Debug, Args)]
pub struct Arrays {
    /// The input of a ladder with one input: a .npy file in C order.
    #[arg(long, value_name = "FILE", help_heading = "Problem")]
    pub input: Option<PathBuf>,
    /// The matrix A, as .npy.
    #[arg(long, value_name = "FILE", help_heading = "Problem")]
    pub a: Option<PathBuf>,
    /// The matrix B, as .npy.
    #[arg(long, value_name = "FILE", help_heading = "Problem")]
    pub b: Option<PathBuf>,
    /// The matrix C that is added to, as .npy.
    #[arg(long, value_name = "FILE", help_heading = "Problem")]
    pub c: Option<PathBuf>,
}

impl Arrays {
    /// The files that were given, by name.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, &PathBuf)> {
        let all = [("input", &self.input), ("a", &self.a), ("b", &self.b), ("c", &self.c)];
        all.into_iter().filter_map(|(name, path)| Some((name, path.as_ref()?)))
    }
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// The rung, as ladder/rung.
    pub rung: String,
    #[command(flatten)]
    pub arrays: Arrays,
    /// Where to write the result as .npy.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub problem: Problem<false>,
    #[command(flatten)]
    pub numbers: Numbers,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub on: On,
}

#[derive(Debug, Args)]
pub struct ExperimentsArgs {
    /// Run every command, and show what it verified and measured.
    #[arg(long)]
    pub run: bool,
    /// Keep the results so far, and the JSON of every climb, in this folder.
    #[arg(long, value_name = "FOLDER", requires = "run")]
    pub output: Option<PathBuf>,
    /// Longest time to sample one rung on a GPU, in seconds.
    #[arg(long, default_value = "5", value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: f64,
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub on: On,
}

/// `lanework run FILE`: run an entry of a PTX or CUDA C++ file.
#[derive(Debug, Parser)]
#[command(name = "lanework run", max_term_width = 100)]
#[command(after_help = "An argument is one of\n  \
    f32:2.0             a scalar: f16 to f64, u8 to u64, i8 to i64, or PTX's s32, b64\n  \
    in:x.npy            memory that holds the file's array\n  \
    inout:y.npy         the same, written back to the file afterwards\n  \
    out:z.npy:f32:2x3   memory to be written to a new file, of this type and shape\n  \
    zeros:f32:1000      zeros; also uninit:TYPE:N and rand:TYPE:N[:SEED]\n  \
    tensormap:32x64:in:x.npy  a tensor map of the memory that follows, by tiles of 32 rows and 64\n                      \
    columns; after the tile ,swizzle32 to ,swizzle128 or ,nan; arg:1 for\n                      \
    the memory means that of the first argument\n\
    Memory that is not given is filled with 0xCD.\n\n\
    Example: lanework run saxpy.ptx --grid 4 --block 256 --arg f32:2.0 --arg in:x.npy \\\n               \
    --arg inout:y.npy --arg u32:1000")]
pub struct KernelArgs {
    /// The file: .ptx, or .cu where NVRTC, nvcc or clang can compile it.
    pub file: PathBuf,
    /// The entry; may be left out where there is only one.
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    /// Blocks, as N, XxY or XxYxZ.
    #[arg(long, default_value = "1", value_name = "SHAPE", value_parser = crate::commands::kernel::dimensions)]
    pub grid: Dim3,
    /// Threads of a block, as N, XxY or XxYxZ.
    #[arg(long, default_value = "1", value_name = "SHAPE", value_parser = crate::commands::kernel::dimensions)]
    pub block: Dim3,
    /// Blocks of a cluster, as N, XxY or XxYxZ; without it the kernel's own, if it has one.
    #[arg(long, value_name = "SHAPE", value_parser = crate::commands::kernel::dimensions)]
    pub cluster: Option<Dim3>,
    /// The kernel's arguments, in order.
    #[arg(long = "arg", value_name = "ARG", allow_hyphen_values = true)]
    pub arguments: Vec<String>,
    /// Bytes of dynamic shared memory per block.
    #[arg(long, default_value = "0", value_name = "BYTES")]
    pub shared: u32,
    /// Warp instructions, of all warps together, after which the emulator stops; without --device, this
    /// and the next two run on the emulator.
    #[arg(long, value_name = "N")]
    pub max_instructions: Option<u64>,
    /// Seconds after which the emulator stops.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,
    /// Bytes of memory that the emulator has.
    #[arg(long, value_name = "BYTES", value_parser = extent)]
    pub memory_limit: Option<u64>,
    /// Say how near each form of instruction in the entry is to a GPU: exact, or within which bound.
    #[arg(long)]
    pub fidelity: bool,
    /// Run on both devices, such as emulator,cuda:0, and show where their results differ.
    #[arg(long, value_name = "DEVICES", conflicts_with = "device")]
    pub compare: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub on: On,
}

/// Kernels are checked, profiled and drawn on the emulator: what chooses a device is not shown there.
fn on_the_emulator(argument: clap::Arg) -> clap::Arg {
    let chooses = matches!(argument.get_id().as_str(), "compare" | "device" | "fidelity");
    if chooses { argument.hide(true) } else { argument }
}

/// What the sanitizer looks for, and where its findings go.
#[derive(Debug, Args)]
pub struct Looking {
    /// Only these kinds of errors, separated by commas: out-of-bounds, misaligned, use-after-free,
    /// leak, uninitialized, race, barrier-divergence, deadlock, inactive-lane, async-order.
    #[arg(long, value_delimiter = ',', value_name = "KINDS", help_heading = "Sanitizer")]
    pub only: Vec<String>,
    /// Not these kinds.
    #[arg(long, value_delimiter = ',', value_name = "KINDS", help_heading = "Sanitizer")]
    pub skip: Vec<String>,
    /// Report memory that is still allocated at the end, too.
    #[arg(long, help_heading = "Sanitizer")]
    pub leaks: bool,
    /// Write the findings to this file as SARIF, too.
    #[arg(long, value_name = "FILE", help_heading = "Sanitizer")]
    pub sarif: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The ladder, or one rung of it as ladder/rung; `lanework list` shows them.
    pub ladder: String,
    #[command(flatten)]
    pub problem: Problem<false>,
    #[command(flatten)]
    pub numbers: Numbers,
    #[command(flatten)]
    pub arrays: Arrays,
    /// Only these rungs, separated by commas.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub rungs: Vec<String>,
    #[command(flatten)]
    pub looking: Looking,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// What `--arg` takes, in short, for the commands that take what `run` does.
const FORMS_OF_ARGUMENTS: &str = "An argument is one of\n  \
    f32:2.0             a scalar: f16 to f64, u8 to u64, i8 to i64, or PTX's s32, b64\n  \
    in:x.npy            memory that holds the file's array\n  \
    zeros:f32:1000      zeros; also uninit:TYPE:N and rand:TYPE:N[:SEED]\n\
and what else `lanework run k.ptx --help` lists";

/// `lanework check FILE`: check an entry of a PTX or CUDA C++ file.
#[derive(Debug, Parser)]
#[command(name = "lanework check", max_term_width = 100)]
#[command(mut_args(on_the_emulator))]
#[command(after_help = format!(
    "{FORMS_OF_ARGUMENTS}; memory of `uninit:` and `out:` counts\n\
    as never written.\n\n\
    Example: lanework check saxpy.cu --grid 4 --block 256 --arg f32:2.0 --arg rand:f32:1000 \\\n         \
    --arg zeros:f32:1000 --arg u32:1000 --sarif saxpy.sarif"
))]
pub struct CheckKernelArgs {
    #[command(flatten)]
    pub kernel: KernelArgs,
    #[command(flatten)]
    pub looking: Looking,
}

/// How to profile.
#[derive(Debug, Args)]
pub struct Profiling {
    /// The GPU that occupancy and the model of the caches are for; `lanework gpus` lists them.
    #[arg(long, value_name = "NAME", default_value = "H200")]
    pub gpu: String,
    /// What the listing goes by: line of the source, or ptx.
    #[arg(long, value_name = "WHAT", default_value = "line", value_parser = ["line", "ptx"])]
    pub by: String,
    /// Count a sample of about so many blocks, spread over the grid, instead of all.
    #[arg(long, value_name = "N", value_parser = extent)]
    pub sample: Option<u64>,
}

#[derive(Debug, Args)]
pub struct ProfileArgs {
    /// The ladder, or one rung of it as ladder/rung; `lanework list` shows them.
    pub ladder: String,
    #[command(flatten)]
    pub problem: Problem<false>,
    #[command(flatten)]
    pub numbers: Numbers,
    #[command(flatten)]
    pub arrays: Arrays,
    /// Only these rungs, separated by commas.
    #[arg(long, visible_alias = "rung", value_delimiter = ',', value_name = "NAMES")]
    pub rungs: Vec<String>,
    #[command(flatten)]
    pub how: Profiling,
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
}

/// `lanework profile FILE`: profile an entry of a PTX or CUDA C++ file.
#[derive(Debug, Parser)]
#[command(name = "lanework profile", max_term_width = 100)]
#[command(mut_args(on_the_emulator))]
#[command(after_help = format!(
    "{FORMS_OF_ARGUMENTS}.\n\n\
    Example: lanework profile saxpy.cu --grid 4 --block 256 --arg f32:2.0 --arg rand:f32:1000 \\\n         \
    --arg zeros:f32:1000 --arg u32:1000"
))]
pub struct ProfileKernelArgs {
    #[command(flatten)]
    pub kernel: KernelArgs,
    #[command(flatten)]
    pub how: Profiling,
    /// The same as --sample.
    #[arg(long, value_name = "N", value_parser = extent, conflicts_with = "sample")]
    pub blocks: Option<u64>,
}

/// What to draw.
#[derive(Debug, Args)]
pub struct Drawing {
    /// The line of the kernel's file whose accesses are drawn [default: the one that costs most].
    #[arg(long, value_name = "N")]
    pub line: Option<u32>,
    /// The block, by linear index.
    #[arg(long, value_name = "N", default_value = "0")]
    pub block_index: u64,
    /// The warp of the block.
    #[arg(long, value_name = "N", default_value = "0")]
    pub warp: u32,
    /// Write the picture to this file, as SVG.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct LookArgs {
    /// The rung, as ladder/rung.
    pub rung: String,
    #[command(flatten)]
    pub problem: Problem<false>,
    #[command(flatten)]
    pub numbers: Numbers,
    #[command(flatten)]
    pub arrays: Arrays,
    #[command(flatten)]
    pub drawing: Drawing,
}

/// `lanework look FILE`: draw an entry of a PTX or CUDA C++ file.
#[derive(Debug, Parser)]
#[command(name = "lanework look", max_term_width = 100)]
#[command(mut_args(on_the_emulator))]
#[command(after_help = format!(
    "{FORMS_OF_ARGUMENTS}.\n\n\
    Example: lanework look saxpy.cu --grid 4 --block 256 --arg f32:2.0 --arg rand:f32:1000 \\\n         \
    --arg zeros:f32:1000 --arg u32:1000 --line 3 --svg saxpy.svg"
))]
pub struct LookKernelArgs {
    #[command(flatten)]
    pub kernel: KernelArgs,
    #[command(flatten)]
    pub drawing: Drawing,
}

#[derive(Debug, Args)]
pub struct InspectArgs {
    /// The file: .ptx, or .cu where NVRTC, nvcc or clang can compile it.
    pub file: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ConformArgs {
    /// Only forms whose names start so, such as `add.rn`.
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
    /// Vectors of another GPU, in place of the built-in ones of an H200.
    #[arg(long, value_name = "FILE")]
    pub vectors: Option<PathBuf>,
    /// Run on a GPU, and store what it gives in this file.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Compare with a GPU now instead of with stored vectors.
    #[arg(long)]
    pub live: bool,
    /// Operands of each form [default: 384 with --record, 16384 with --live].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub tuples: Option<u32>,
    /// Print the PTX that runs the forms, and do nothing else.
    #[arg(long)]
    pub ptx: bool,
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub on: On,
}

#[derive(Debug, Args)]
pub struct CoverageArgs {
    /// Only this instruction, with every form of it.
    #[arg(long, value_name = "NAME")]
    pub opcode: Option<String>,
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct BookArgs {
    /// Folder of the book's sources.
    #[arg(long, value_name = "FOLDER", default_value = "docs/src")]
    pub output: PathBuf,
    /// Folder of the stored results.
    #[arg(long, value_name = "FOLDER", default_value = "docs/results")]
    pub results: PathBuf,
    /// Write nothing; fail when a page is not up to date.
    #[arg(long)]
    pub check: bool,
}

#[derive(Debug, Args)]
pub struct FidelityArgs {
    /// Folder of the PTX that compilers made, in place of what is built in.
    #[arg(long, value_name = "FOLDER")]
    pub data: Option<PathBuf>,
    /// Only launches whose name has this in it.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub only: String,
    /// With --launch, leave out launches whose name has this in it.
    #[arg(long, value_name = "TEXT")]
    pub skip: Option<String>,
    /// Launch everything once on this GPU, under a hardware profiler, and list the launches.
    #[arg(long, value_name = "DEVICE")]
    pub launch: Option<String>,
    /// Read what the script wrote into this folder, and write the GPU's counts to the file of --results.
    #[arg(long, value_name = "FOLDER", conflicts_with = "launch")]
    pub ncu: Option<PathBuf>,
    /// The file of the GPU's counts, in place of the built-in ones of an H200
    /// [with --ncu: docs/results/h200/fidelity.json].
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct StreamsArgs {
    /// Elements of 4 bytes [default: 2^26 on a GPU, 2^16 on the emulator].
    #[arg(long, value_name = "N", value_parser = extent)]
    pub size: Option<u64>,
    /// Chunks that they are cut into.
    #[arg(long, value_name = "N", default_value = "8", value_parser = extent)]
    pub chunks: u64,
    /// Streams that the chunks take turns on.
    #[arg(long, value_name = "N", default_value = "3", value_parser = extent)]
    pub streams: u64,
    /// Multiply-adds on each element [default: 2000 on a GPU, 20 on the emulator].
    #[arg(long, value_name = "N")]
    pub steps: Option<u32>,
    /// Seed of the random elements.
    #[arg(long, default_value = "1", value_name = "N")]
    pub seed: u64,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub on: On,
}

#[derive(Debug, Args)]
pub struct GpusArgs {
    /// A JSON file of more GPUs, of the form of `lanework gpus --json`.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// The ladders' own parameters, each an option: a value, or a list where `LISTS`.
#[derive(Clone, Debug, Default)]
pub struct Problem<const LISTS: bool>(pub Vec<(&'static str, Vec<u64>)>);

impl<const LISTS: bool> Args for Problem<LISTS> {
    fn augment_args(command: clap::Command) -> clap::Command {
        PARAMETERS.into_iter().fold(command, |command, parameter| {
            let about = if LISTS { "several separated by commas" } else { "where it applies" };
            let mut option = clap::Arg::new(parameter.name)
                .long(parameter.name)
                .help(format!("{}, {about}", parameter.help))
                .value_name("N")
                .value_parser(extent)
                .help_heading("Problem");
            if LISTS {
                option = option.value_delimiter(',').action(clap::ArgAction::Append);
            }
            command.arg(option)
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl<const LISTS: bool> clap::FromArgMatches for Problem<LISTS> {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        let given = PARAMETERS.into_iter().filter_map(|parameter| {
            Some((parameter.name, matches.get_many(parameter.name)?.copied().collect()))
        });
        Ok(Problem(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = clap::FromArgMatches::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A whole number, or a power of two as `2^28`.
fn extent(text: &str) -> Result<u64, String> {
    let value = match text.split_once('^') {
        Some(("2", exponent)) => exponent.parse().ok().and_then(|e| 1u64.checked_shl(e)),
        _ => text.parse().ok(),
    };
    let help = "give a whole number, such as 1024 or 2^10";
    value.filter(|&value| value <= 1 << 40).ok_or_else(|| help.to_owned())
}

/// A whole number from 1 to 32.
fn up_to_32(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count @ 1..=32) => Ok(count),
        _ => Err("give a whole number from 1 to 32".to_owned()),
    }
}

/// `XxY`, each from 1 to 32.
fn threads(text: &str) -> Result<Dim3, String> {
    let remedy = "give two whole numbers from 1 to 32 as XxY, such as 4x2";
    let (x, y) = text.split_once(['x', 'X']).ok_or(remedy)?;
    Ok(Dim3::from((up_to_32(x).map_err(|_| remedy)?, up_to_32(y).map_err(|_| remedy)?)))
}

/// A positive number of seconds.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 3600.0 => Ok(seconds),
        _ => Err("give a number of seconds over 0 and up to 3600".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
        KernelArgs::command().debug_assert();
        CheckKernelArgs::command().debug_assert();
    }

    #[test]
    fn shapes_outside_one_to_thirty_two_are_refused() {
        assert_eq!(threads("2x3"), Ok(Dim3::from((2, 3))));
        for text in ["0x1", "33x1", "1", "1x", "ax2", "1x2x3", "-1x2"] {
            assert!(threads(text).is_err(), "{text}");
        }
    }

    #[test]
    fn extents_are_whole_numbers_or_powers_of_two() {
        assert_eq!(extent("17"), Ok(17));
        assert_eq!(extent("2^28"), Ok(1 << 28));
        for text in ["-1", "NaN", "1.5", "18446744073709551616", "", "2^64", "3^2"] {
            assert!(extent(text).is_err(), "{text}");
        }
    }
}
