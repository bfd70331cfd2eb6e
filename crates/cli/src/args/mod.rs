//! The command line: every command, option, default and example.

mod debug;
mod grammar;
mod kernel;
mod ladder;
mod misplaced;
mod program;
#[cfg_attr(not(feature = "report"), allow(dead_code))]
mod stored;
mod timing;
mod values;

pub use debug::{DebugArgs, DebugKernelArgs, DebugOptions, DebugProgramArgs, of_child};
#[cfg(feature = "report")]
pub use grammar::PAGE;
pub use grammar::{CommandLine, Grammar, grammar, moved, with_separator};
pub use kernel::{
    CheckKernelArgs, CudaCompiler, FindingsFiles, Grid, InspectFileArgs, KernelArgs,
    LookKernelArgs, PictureOptions, PredictKernelArgs, PredictOptions, ProfileKernelArgs,
    ProfileOptions, SanitizerOptions, SourceOptions,
};
pub use ladder::{
    Arrays, CheckArgs, ClimbArgs, ClimbOptions, InspectArgs, ListArgs, LookArgs, Numbers,
    PredictArgs, Problem, ProblemOptions, ProfileArgs, RunArgs, SweepArgs, TuneArgs,
};
pub use misplaced::{not_a_kernel, tool_of_run};
pub use program::{
    DevicesArgs, DoctorArgs, ExecArgs, ExerciseArgs, ExplainArgs, GpusArgs, HelloArgs,
    InspectProgramArgs, JudgeArgs, LookProgramArgs, McpArgs, NewArgs, Program, StreamsArgs,
};
pub use stored::{HistoryArgs, ReportArgs, ReportKernelArgs, SaveOptions};
pub use timing::{
    BenchArgs, BenchKernelArgs, CompareArgs, CompareKernelArgs, KernelTiming, RooflineArgs,
};

use clap::{Parser, Subcommand};
#[cfg(all(unix, feature = "host"))]
pub use grammar::as_program;
use lanework_terminal::failure::Failure;
#[cfg(feature = "history")]
pub use stored::{ExportFormat, Filters, HistoryAction};

/// Run, check, profile and draw CUDA kernels with no GPU, and time them on one.
#[derive(Debug, Parser)]
#[command(name = "lanework", version, max_term_width = 100)]
#[command(after_help = "`lanework COMMAND --help` shows a command's options with examples.\n\
    Exit codes: 0 success, 1 a check failed, 2 bad input or usage, 3 slower.\n\
    Start with: lanework run program.cu, or without a kernel: lanework climb transpose")]
pub struct Arguments {
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a kernel of a file, or a rung of a ladder, on your own arrays, or a whole program from its source.
    #[command(after_help = "Examples:\n  \
        lanework run saxpy.cu --block 256 2.0 x.npy y.npy 1000 -o y=z.npy\n  \
        lanework run program.cu -- 1000\n  \
        lanework run transpose/padded --input a.npy --output b.npy\n  \
        lanework run sgemm/shared --a a.npy --b b.npy --c c.npy --beta 1 \\\n      --output d.npy")]
    Run(RunArgs),
    /// Check a kernel: bounds, uninitialized memory, races, barriers, async copies.
    #[command(after_help = "Examples:\n  \
        lanework check kernel.cu --block 256 rand:1000 uninit:1000\n  \
        lanework check transpose --size 256\n  \
        lanework check sum-squares/single-pass --json")]
    Check(CheckArgs),
    /// Profile a kernel on the emulator: the cost of every line, with reasons.
    #[command(after_help = "Examples:\n  \
        lanework profile kernel.cu --block 256 rand:1000 zeros:1000\n  \
        lanework profile before.cu --against after.cu --block 256 rand:1000 zeros:1000\n  \
        lanework profile transpose/unpadded --against transpose/padded\n  \
        lanework profile transpose --rung unpadded --size 1024\n  \
        lanework profile sgemm --rungs shared,tile-2d --by ptx")]
    Profile(ProfileArgs),
    /// Predict the time of a kernel on a GPU without one, and explain it by line.
    #[command(after_help = "Examples:\n  \
        lanework predict sgemm/tile-2d --size 4096\n  \
        lanework predict transpose --size 8192 --gpu a100\n  \
        lanework predict transpose/unpadded --compare transpose/padded --size 4096\n  \
        lanework predict kernel.cu --block 256 rand:2^20 zeros:2^20\n\n\
        A few blocks run on the emulator, and their instructions are replayed on a model of one multiprocessor and of \
        the memory that it shares. The interval is meant to contain four of five measured times of kernels like those that the model \
        was compared with; the page `time` of the documentation has the figures.")]
    Predict(PredictArgs),
    /// Draw the sectors and banks that a warp accesses, and how a block's warps diverge.
    #[command(after_help = "Examples:\n  \
        lanework look kernel.cu --block 256 rand:1000 zeros:1000\n  \
        lanework look transpose/unpadded --size 1024 --warp 3\n  \
        lanework look transpose/unpadded --svg picture.svg")]
    Look(LookArgs),
    /// Debug a kernel of a file, or those that a program launches: stop at any instruction, go back, ask who wrote a value.
    #[command(after_help = "Examples:\n  \
        lanework debug kernel.cu --block 256 rand:1000 zeros:1000\n  \
        lanework debug program.cu -- 1000\n  \
        lanework debug transpose/padded --size 64 --script commands.txt")]
    Debug(DebugArgs),
    /// Show the contents of a kernel: entries, parameters, registers, instructions, and the PTX of a rung.
    #[command(after_help = "Examples:\n  \
        lanework inspect kernel.ptx\n  \
        lanework inspect kernel.cu --json\n  \
        lanework inspect transpose/padded --type f64\n  \
        lanework inspect sgemm    every rung, without its PTX\n  \
        lanework inspect --kernel saxpy -- cargo run")]
    Inspect(InspectArgs),
    /// Run a program, such as an unmodified CUDA program, and check, profile or trace every kernel that it launches.
    #[command(after_help = "Examples:\n  \
        lanework exec -- cargo run\n  \
        lanework exec --check --sarif found.sarif -- cargo test\n  \
        lanework exec --profile --json -- cargo run --release\n  \
        lanework exec --report kernels.html -- ./program\n  \
        lanework exec --trace launches.json -- ./program input.txt\n  \
        lanework exec --plain --gpus 2 -- python script.py\n  \
        lanework exec --check --gpu l20 -- ./program\n\n\
        The program runs on the emulator, even if it requests a GPU: a CUDA program (C++, numba, CuPy) loads the \
        driver of the emulator in place of NVIDIA's, and needs PTX in its fatbins, as `nvcc -arch=sm_90` puts it there.\n\
        Its output comes first, the report last.\n\
        Exit codes: 1 for findings, 10 to 13 for an incomplete check, else the program's own. `LANEWORK_TOOL=check cargo run`, \
        or profile, does the same without this command: each process prints its report on standard error when it ends.\n\
        `look` and `inspect` take programs, too: lanework look --kernel saxpy -- cargo run")]
    Exec(ExecArgs),
    /// Test an untrusted kernel: right, wrong or refused, with the first reason.
    #[command(after_help = "Examples:\n  \
        lanework judge task.toml candidate.cu\n  \
        lanework judge task.toml candidate.ptx --json --seed 7\n  \
        lanework judge task.toml --kinds    check the task file, list the kinds of reasons\n\n\
        The page `judge` of the documentation has a whole task file.\n\
        Exit codes: 0 right, 1 not right, 2 bad input, or a reference or compiler that failed.")]
    Judge(JudgeArgs),
    /// Explain a name in a report: the kind of a finding, a counter, or the kind of a verdict.
    #[command(after_help = "Examples:\n  \
        lanework explain race\n  \
        lanework explain shared_load.bank_conflicts\n  \
        lanework explain    every name")]
    Explain(ExplainArgs),
    /// Serve these commands to a language model, by MCP on standard input and output.
    #[command(after_help = "Examples:\n  \
        lanework mcp\n  \
        lanework mcp --folder kernels --time-limit 30\n\n\
        A client starts it. Its tools are inspect, check, profile, look, \
        predict, judge and explain. On Linux they can read only the folder and the system's programs and libraries, and \
        write only temporary files.")]
    Mcp(McpArgs),
    /// Make a project: a kernel, its reference on the host, a checked test, a benchmark.
    #[command(after_help = "Examples:\n  \
        lanework new my-kernels\n  \
        lanework new my-kernels --published    with the published library, also in a checkout")]
    New(NewArgs),
    /// Solve an exercise: repair a kernel until it is right and reaches the goal.
    #[command(after_help = "Examples:\n  \
        lanework exercise\n  \
        lanework exercise 1    writes exercise-1.cu; after your edit, checks it\n  \
        lanework exercise 1 --hint\n  \
        lanework exercise transpose    lists the rungs of a ladder\n  \
        lanework exercise transpose/padded    writes the kernel before it; then checks it")]
    Exercise(ExerciseArgs),
    /// List the ladders and their rungs.
    #[command(after_help = "Examples:\n  lanework list\n  lanework list --json")]
    List(ListArgs),
    /// Run a ladder: verify every rung, then show what makes each one faster.
    #[command(after_help = "Examples:\n  \
        lanework climb transpose\n  \
        lanework climb transpose --rows 1000 --cols 333 --type u8\n  \
        lanework climb sum-squares --size 2^20\n  \
        lanework climb sgemm --m 300 --n 200 --k 100 --alpha 0.5 --beta 1\n  \
        lanework climb transpose --explain padded\n  \
        lanework climb transpose --size 8192 --device cuda:0 --json\n  \
        lanework climb --all")]
    Climb(ClimbArgs),
    /// Climb a ladder at every combination of sizes, blocks, tiles and element types.
    #[command(after_help = "Examples:\n  \
        lanework sweep transpose --block 8,16,32 --size 512,1024,2048\n  \
        lanework sweep transpose --size 512..16384*2 --type f32,bf16\n  \
        lanework sweep int-matmul --tile 4..32*2 --size 64..256+64 --rungs shared-tile\n  \
        lanework sweep sgemm --device cuda:0 --save\n  \
        lanework sweep sgemm --device cuda:0 --resume\n\n\
        A list is separated by commas; 512..16384*2 multiplies from 512 to 16384, 64..256+64 adds. Impossible \
        points are shown with the reason. With --save each point is stored as soon as it is done: after an \
        interruption the same command with --resume continues with the next one.")]
    Sweep(SweepArgs),
    /// Time a kernel of a file, or a rung of a ladder, on a GPU.
    #[command(after_help = "Examples:\n  \
        lanework bench transpose/padded --size 8192 --cache both\n  \
        lanework bench sgemm/cublas --size 4096 --time-limit 5\n  \
        lanework bench saxpy.cu --block 256 2.0 rand:2^20 rand:2^20:2 2^20 \\\n      \
        --bytes 12582912")]
    Bench(BenchArgs),
    /// Compare two kernels on a GPU, interleaved, or two stored runs, with a verdict: FAST, SLOW or AMBIGUOUS.
    #[command(after_help = "Examples:\n  \
        lanework compare transpose/unpadded transpose/padded --size 8192\n  \
        lanework compare before.ptx after.ptx --grid 4096 --block 256 rand:f32:2^20 zeros:f32:2^20\n  \
        lanework compare 12 15\n  \
        lanework compare --last\n  \
        lanework compare sgemm --revision 4f2a91c 8d03b7e\n\n\
        Exit codes: 3 if the second is slower, 0 if it is not or the verdict is ambiguous.")]
    Compare(CompareArgs),
    /// Measure a GPU's upper bounds, and how close the rungs of a ladder get.
    #[command(after_help = "Examples:\n  \
        lanework roofline\n  \
        lanework roofline sgemm --size 4096\n  \
        lanework roofline transpose --device emulator --gpu h200\n\n\
        On the emulator, which does not model time, rungs are placed by their counts under the nominal ceilings \
        of --gpu: the result is a bound, a time that no run on that GPU can beat.")]
    Roofline(RooflineArgs),
    /// Find the fastest rung and parameters for a problem on a GPU, and keep the choice.
    #[command(after_help = "Examples:\n  \
        lanework tune sgemm --size 4096\n  \
        lanework tune transpose --rows 5000 --cols 3000 --type bf16 --hot\n  \
        lanework tune int-matmul --size 1024 --tile 4..32*2 --rungs shared-tile\n  \
        lanework tune --list\n\n\
        Each candidate is timed briefly; those close to the fastest are compared interleaved, and the simpler one \
        is kept unless the other is FAST. A choice applies to the GPU, its driver, the shape class and this \
        version; programs look it up with lanework::tuned. Its file is lanework/tuned.tsv in your data folder.")]
    Tune(TuneArgs),
    /// List, show, export or delete the runs that --save has stored.
    #[command(after_help = "Examples:\n  \
        lanework climb transpose --save\n  \
        lanework history\n  \
        lanework history --ladder sgemm --gpu H200 --since 7d --verdict verified\n  \
        lanework history show 12\n  \
        lanework history export 12 --format samples --output samples.csv\n  \
        lanework history delete 12 13\n\n\
        The store is one SQLite file with every sample: the one of --store, else of LANEWORK_STORE, else \
        lanework/history.sqlite in your data folder ($XDG_DATA_HOME or ~/.local/share on Linux). Only --save \
        and --store write to it, and only `history delete` deletes.")]
    History(HistoryArgs),
    /// Write everything about the ladders into one HTML file: charts, roofline, sources with counters.
    #[command(after_help = "Examples:\n  \
        lanework report --open\n  \
        lanework report transpose sgemm -o report.html\n  \
        lanework report kernel.cu --block 256 rand:1000 zeros:1000\n  \
        lanework report program.cu -o page.html -- 1000\n  \
        lanework report --device cuda:0 --records report.json\n  \
        lanework report --from climb.json sweep.json\n  \
        lanework report --runs 12,14\n\n\
        The file needs no network and no other file. On the emulator it shows counts and bounds, no times.")]
    Report(ReportArgs),
    /// List the devices: GPUs with their limits, and the emulator.
    #[command(after_help = "Examples:\n  lanework devices\n  lanework devices --json")]
    Devices(DevicesArgs),
    /// Test this installation: the emulator, the compilers, the libraries for CUDA programs, the GPU.
    #[command(after_help = "Examples:\n  lanework doctor\n  lanework doctor --json\n\n\
        Each part is tested by running a small kernel, and missing parts come with the command that adds them.\n\
        Exit codes: 0, or 1 if a part is installed and does not work.")]
    Doctor(DoctorArgs),
    /// List known GPUs: multiprocessors, clocks, rates and limits, with sources.
    #[command(after_help = "Examples:\n  lanework gpus\n  lanework gpus --file mine.json")]
    Gpus(GpusArgs),
    /// Print a line from every thread of a small grid.
    #[command(after_help = "Example:\n  lanework hello --blocks 5 --threads 2x2")]
    Hello(HelloArgs),
    /// Overlap copies and kernels over chunks on several streams, and show when each ran.
    #[command(after_help = "Example:\n  lanework streams --size 2^26 --chunks 8 --streams 3")]
    Streams(StreamsArgs),
}

/// The failure of a command whose feature this build lacks.
#[cfg_attr(
    all(
        feature = "history",
        feature = "host",
        feature = "judge",
        feature = "mcp",
        feature = "report",
        feature = "tui"
    ),
    allow(dead_code)
)]
pub fn built_without(feature: &str) -> Failure {
    Failure::input(
        format_args!("lanework was built without the feature `{feature}`"),
        format_args!("build it with: cargo build --release -p lanework-cli --features {feature}"),
    )
}
