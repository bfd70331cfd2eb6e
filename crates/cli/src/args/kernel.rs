//! The options of the commands on a kernel from a PTX or CUDA C++ file, and those that they share with rungs and
//! programs.

use super::values::{dimensions, macro_definition, positive, shared_bytes};
use clap::{Args, Parser, ValueEnum};
use lanework::{Dim3, PtxShape, ReportKind};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::check_writable;
use lanework_terminal::{On, seconds};
use std::path::PathBuf;

/// A compiler of CUDA C++.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CudaCompiler {
    /// Lanework's own; needs nothing installed
    Own,
    /// NVIDIA's library; device code only
    Nvrtc,
    /// NVIDIA's compiler
    Nvcc,
    /// Clang with NVIDIA's headers
    Clang,
}

/// The compilation of CUDA C++ sources.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct SourceOptions {
    /// The compiler of .cu files [default: NVRTC, nvcc or clang if one is installed, else Lanework's own].
    #[arg(long, value_name = "NAME")]
    pub compiler: Option<CudaCompiler>,
    /// Search this folder for included files, too; may be repeated.
    #[arg(short = 'I', long = "include", value_name = "FOLDER")]
    pub include: Vec<PathBuf>,
    /// Define a macro in the sources; may be repeated.
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]", value_parser = macro_definition)]
    pub define: Vec<String>,
    /// Whether to compile for the debugger: without optimization, and with the names of variables.
    #[arg(skip)]
    pub debug: bool,
}

impl SourceOptions {
    /// The folders and macros as options of nvcc, clang and NVRTC.
    pub fn words(&self) -> Vec<String> {
        let folders = self.include.iter().map(|folder| format!("-I{}", folder.display()));
        folders.chain(self.define.iter().map(|macro_| format!("-D{macro_}"))).collect()
    }
}

/// `lanework run FILE`: run an entry of a PTX or CUDA C++ file.
#[derive(Clone, Debug, Parser)]
#[command(name = "lanework run", max_term_width = 100)]
#[command(
    after_help = "The kernel's arguments come after the file, in order or as NAME=VALUE with the names of its source. A value is\n  \
    2.0, 1000, 2^20     a number, in the parameter's type; f32:2.0 states the type: f16 to f64, u8 to u64,\n                      \
    i8 to i64, or PTX's s32, b64\n  \
    x.npy               memory initialized with the array of the file\n  \
    zeros:1000          memory of 1000 zeros; zeros:20x50 has a shape, and zeros:f32:1000 states the type;\n                      \
    also uninit:N and rand:N[:SEED]\n  \
    struct:f32:2,in:x.npy  a struct, float4 or __half2 by value: scalars and memory, laid out as in C\n  \
    tensormap:32x64:in:x.npy  a tensor map of the memory that follows, with tiles of 32 rows and 64\n                      \
    columns; options after the tile: ,swizzle32 to ,swizzle128 and ,nan;\n                      \
    arg:1 as the memory uses that of the first argument\n\
    Uninitialized memory is filled with 0xCD. -o NAME=FILE writes memory to a file after the launch;\n\
    inout:y.npy reads and writes one file.\n\n\
    Examples:\n  \
    lanework run saxpy.cu --block 256 2.0 x.npy y.npy 1000 -o y=z.npy\n  \
    lanework run saxpy.cu --grid 4 --block 256 a=2.0 x=rand:1000 y=zeros:1000 n=1000\n  \
    lanework run main.ptx library.ptx 2.0 zeros:f32:1\n  \
    lanework run saxpy.cu --entry saxpy --grid 4 --block 256 --compare emulator,cuda:0 \\\n      \
    2.0 rand:1000 zeros:1000 1000"
)]
pub struct KernelArgs {
    /// The file: .ptx or .cu. Several files are linked: a name declared `.extern` in one is defined in another. After it,
    /// the kernel's arguments.
    #[arg(value_name = "FILE|ARG", required = true, allow_negative_numbers = true)]
    pub operands: Vec<PathBuf>,
    /// Write an argument to a file after the launch.
    #[arg(short = 'o', long = "output", value_name = "NAME=FILE")]
    pub outputs: Vec<String>,
    #[command(flatten)]
    pub source: SourceOptions,
    /// The entry; may be omitted if there is only one.
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    /// Blocks of the grid, as N, XxY or XxYxZ [default: auto, the number that covers the arrays, found by running the
    /// first blocks].
    #[arg(long, value_name = "SHAPE", value_parser = grid)]
    pub grid: Option<Grid>,
    /// Threads of a block, as N, XxY or XxYxZ [default: those that the kernel requires].
    #[arg(long, value_name = "SHAPE", value_parser = dimensions)]
    pub block: Option<Dim3>,
    /// Blocks of a cluster, as N, XxY or XxYxZ [default: the cluster that the kernel declares].
    #[arg(long, value_name = "SHAPE", value_parser = dimensions)]
    pub cluster: Option<Dim3>,
    /// Launch cooperatively (cudaLaunchCooperativeKernel): all blocks are resident at the same time, so grid.sync()
    /// works; a grid that does not fit is refused.
    #[arg(long)]
    pub cooperative: bool,
    /// The same as an argument after the file.
    #[arg(long = "arg", value_name = "ARG", allow_hyphen_values = true)]
    pub arguments: Vec<String>,
    /// Bytes of dynamic shared memory per block, for `extern __shared__` arrays: the third value of `<<<grid, block, bytes>>>`.
    #[arg(long, value_name = "BYTES", value_parser = shared_bytes)]
    pub shared: Option<u32>,
    /// Stop the launch after this many instructions: each instruction counts once for every warp that runs it. A limit for
    /// kernels that may not end. This option and the next two choose the emulator if --device is not given.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub max_instructions: Option<u64>,
    /// Seconds after which the emulator stops.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,
    /// Memory of the emulator, in bytes.
    #[arg(long, value_name = "BYTES", value_parser = positive)]
    pub memory_limit: Option<u64>,
    /// List the fidelity of each instruction form of the entry: measured on an H200, or unmeasured.
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
    /// Whether it is the second kernel of a comparison, whose options have names of their own.
    #[arg(skip)]
    pub is_second: bool,
}

/// The second kernel of a comparison, where it differs.
#[derive(Clone, Debug, Default, Args)]
pub struct SecondKernel {
    /// The entry of the second file, if it differs.
    #[arg(long, value_name = "NAME")]
    pub entry_b: Option<String>,
    /// Blocks of the second grid, if they differ; `auto` as for --grid.
    #[arg(long, value_name = "SHAPE", value_parser = grid)]
    pub grid_b: Option<Grid>,
    /// Threads of the second kernel's blocks, if they differ.
    #[arg(long, value_name = "SHAPE", value_parser = dimensions)]
    pub block_b: Option<Dim3>,
    /// Bytes of dynamic shared memory of the second kernel's blocks, if they differ.
    #[arg(long, value_name = "BYTES", value_parser = shared_bytes)]
    pub shared_b: Option<u32>,
    /// Define a macro in the second file; it replaces the -D of this name. May be repeated.
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = macro_definition)]
    pub define_b: Vec<String>,
}

impl SecondKernel {
    /// The options of the second kernel, in another file. Options that the second kernel lacks are the first kernel's.
    ///
    /// # Errors
    /// If a macro has two values: both files would get the last one.
    pub fn of(&self, first: &KernelArgs, file: &str) -> Result<KernelArgs, Failure> {
        let SecondKernel { entry_b, grid_b, block_b, shared_b, define_b } = self;
        if let Some([one, other]) = redefined(&first.source.define) {
            return Err(Failure::input(
                format_args!(
                    "-D {one} and -D {other} define one macro twice, and both files get every -D"
                ),
                format_args!(
                    "give -D {one} for the first file and --define-b {other} for the second"
                ),
            ));
        }
        if let Some([one, other]) = redefined(define_b) {
            return Err(Failure::input(
                format_args!("--define-b {one} and --define-b {other} define one macro twice"),
                "give one of them",
            ));
        }
        let replaced =
            |one: &&String| !define_b.iter().any(|of_b| macro_name(of_b) == macro_name(one));
        let define = first.source.define.iter().filter(replaced).chain(define_b).cloned().collect();
        Ok(KernelArgs {
            source: SourceOptions { define, ..first.source.clone() },
            entry: entry_b.clone().or_else(|| first.entry.clone()),
            grid: grid_b.or(first.grid),
            block: block_b.or(first.block),
            shared: shared_b.or(first.shared),
            is_second: true,
            ..first.on_file(file)
        })
    }
}

/// The name of a macro in its definition.
fn macro_name(definition: &str) -> &str {
    definition.split(['=', '(']).next().unwrap_or(definition)
}

/// The first two different definitions of one macro.
fn redefined(definitions: &[String]) -> Option<[&String; 2]> {
    definitions.iter().enumerate().find_map(|(index, one)| {
        let differs = |other: &&String| macro_name(other) == macro_name(one) && *other != one;
        definitions[index + 1..].iter().find(differs).map(|other| [one, other])
    })
}

/// The shape of a grid of one block, and of a block of one thread.
const ONE: Dim3 = Dim3 { x: 1, y: 1, z: 1 };

/// The grid of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    /// The blocks that cover the arrays.
    Auto,
    /// These blocks.
    Of(Dim3),
}

/// `auto`, `N`, `XxY` or `XxYxZ`.
fn grid(text: &str) -> Result<Grid, String> {
    if text == "auto" { Ok(Grid::Auto) } else { dimensions(text).map(Grid::Of) }
}

impl KernelArgs {
    /// The files: the operands up to the first that is neither PTX nor CUDA C++.
    pub fn files(&self) -> &[PathBuf] {
        let is_file = |path: &PathBuf| {
            path.extension().is_some_and(|kind| kind == "ptx" || kind == "cu")
                && !path.to_string_lossy().contains('=')
        };
        let end = self.operands.iter().position(|operand| !is_file(operand));
        &self.operands[..end.unwrap_or(self.operands.len())]
    }

    /// The kernel's arguments as typed, those of --arg last.
    pub fn values(&self) -> Vec<String> {
        let operands = self.operands[self.files().len()..].iter();
        let operands = operands.map(|operand| operand.to_string_lossy().into_owned());
        operands.chain(self.arguments.iter().cloned()).collect()
    }

    /// The same on another file.
    pub fn on_file(&self, file: &str) -> KernelArgs {
        let rest = &self.operands[self.files().len()..];
        let operands = [&[PathBuf::from(file)], rest].concat();
        KernelArgs { operands, compare: None, ..self.clone() }
    }

    /// The names of the files.
    pub fn names(&self) -> String {
        let names: Vec<String> =
            self.files().iter().map(|file| file.display().to_string()).collect();
        names.join(" and ")
    }

    /// The shape of the launch; one block where the grid is to follow from the data.
    pub fn shape(&self) -> PtxShape {
        PtxShape {
            grid: match self.grid {
                Some(Grid::Of(grid)) => grid,
                Some(Grid::Auto) | None => ONE,
            },
            block: self.block.unwrap_or(ONE),
            dynamic_shared: self.shared.unwrap_or(0),
            cluster: self.cluster,
            cooperative: self.cooperative,
        }
    }
}

/// Hides the options that choose a device or write arrays: `check`, `profile` and `look` use the emulator.
pub(super) fn hide_device(argument: clap::Arg) -> clap::Arg {
    let chooses =
        matches!(argument.get_id().as_str(), "compare" | "device" | "fidelity" | "outputs");
    if chooses { argument.hide(true) } else { argument }
}

/// As [`hide_device`]; `--compare` of a prediction takes another file.
fn for_prediction(argument: clap::Arg) -> clap::Arg {
    match argument.get_id().as_str() {
        "compare" => argument.value_name("FILE").help(
            "State which file is faster, this one or FILE, and by how much; both get the other options, except where \
             --entry-b, --grid-b, --block-b, --shared-b or --define-b says otherwise",
        ),
        _ => hide_device(argument),
    }
}

/// The forms of an argument, in short, for the commands that take the arguments of `run`.
pub const FORMS_OF_ARGUMENTS: &str = "The kernel's arguments come after the file, in order or as NAME=VALUE. A value is\n  \
    2.0, 1000           a number, in the parameter's type; f32:2.0 states the type\n  \
    x.npy               memory initialized with the array of the file\n  \
    zeros:1000          memory of 1000 zeros; also uninit:N and rand:N[:SEED]; zeros:f32:1000 states the type\n\
    `lanework run --help` lists all forms. Rungs of ladders have other options: `lanework check transpose --help`";

/// `lanework check FILE`: check an entry of a PTX or CUDA C++ file.
#[derive(Debug, Parser)]
#[command(name = "lanework check", max_term_width = 100)]
#[command(mut_args(hide_device))]
#[command(after_help = format!(
    "{FORMS_OF_ARGUMENTS}.\n\
    Memory of `uninit:` counts as uninitialized.\n\n\
    Example:\n  \
    lanework check saxpy.cu --grid 4 --block 256 2.0 rand:1000 zeros:1000 1000 --sarif saxpy.sarif"
))]
pub struct CheckKernelArgs {
    #[command(flatten)]
    pub kernel: KernelArgs,
    #[command(flatten)]
    pub sanitizer: SanitizerOptions,
}

/// `lanework profile FILE`: profile an entry of a PTX or CUDA C++ file.
#[derive(Debug, Parser)]
#[command(name = "lanework profile", max_term_width = 100)]
#[command(mut_args(hide_device))]
#[command(after_help = format!(
    "{FORMS_OF_ARGUMENTS}.\n\n\
    Example:\n  \
    lanework profile saxpy.cu --grid 4 --block 256 2.0 rand:1000 zeros:1000 1000"
))]
pub struct ProfileKernelArgs {
    #[command(flatten)]
    pub kernel: KernelArgs,
    #[command(flatten)]
    pub second: SecondKernel,
    #[command(flatten)]
    pub options: ProfileOptions,
    /// The same as --sample.
    #[arg(long, value_name = "N", value_parser = positive, conflicts_with = "sample")]
    pub blocks: Option<u64>,
}

/// `lanework predict FILE`: predict the time of an entry of a PTX or CUDA C++ file.
#[derive(Debug, Parser)]
#[command(name = "lanework predict", max_term_width = 100)]
#[command(mut_args(for_prediction))]
#[command(after_help = format!(
    "{FORMS_OF_ARGUMENTS}.\n\n\
    Example:\n  \
    lanework predict saxpy.cu --grid 4096 --block 256 2.0 rand:2^20 zeros:2^20 2^20 --gpu h200\n  \
    lanework predict saxpy.cu --compare saxpy4.cu --grid 4096 --block 256 \\\n      \
    2.0 rand:2^20 zeros:2^20 2^20"
))]
pub struct PredictKernelArgs {
    #[command(flatten)]
    pub kernel: KernelArgs,
    #[command(flatten)]
    pub second: SecondKernel,
    #[command(flatten)]
    pub options: PredictOptions,
}

/// `lanework look FILE`: draw an entry of a PTX or CUDA C++ file.
#[derive(Debug, Parser)]
#[command(name = "lanework look", max_term_width = 100)]
#[command(mut_args(hide_device))]
#[command(after_help = format!(
    "{FORMS_OF_ARGUMENTS}.\n\n\
    Example:\n  \
    lanework look saxpy.cu --grid 4 --block 256 2.0 rand:1000 zeros:1000 1000 --line 3 --svg saxpy.svg"
))]
pub struct LookKernelArgs {
    #[command(flatten)]
    pub kernel: KernelArgs,
    #[command(flatten)]
    pub picture: PictureOptions,
}

/// `lanework inspect FILE`: show the contents of a PTX or CUDA C++ file.
#[derive(Debug, Parser)]
#[command(name = "lanework inspect", max_term_width = 100)]
#[command(after_help = "Examples:\n  \
    lanework inspect kernel.ptx\n  \
    lanework inspect kernel.cu --json")]
pub struct InspectFileArgs {
    /// The file: .ptx or .cu.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub source: SourceOptions,
    /// Maximum total size of the module's variables, in bytes.
    #[arg(long, value_name = "BYTES", value_parser = positive, default_value = "2^30")]
    pub memory_limit: u64,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// The kinds of errors that the sanitizer reports, and where the report goes.
#[derive(Debug, Args)]
pub struct SanitizerOptions {
    #[arg(long, value_delimiter = ',', value_name = "KINDS", help_heading = "Sanitizer", help = format!(
        "Report only these kinds of errors, separated by commas: {}",
        ReportKind::ALL.map(ReportKind::name).join(", ")
    ))]
    pub only: Vec<String>,
    /// Omit these kinds.
    #[arg(long, value_delimiter = ',', value_name = "KINDS", help_heading = "Sanitizer")]
    pub skip: Vec<String>,
    /// Also report memory that is still allocated at the end.
    #[arg(long, help_heading = "Sanitizer")]
    pub leaks: bool,
    /// Also warn of copies into shared memory that threads have read without a later proxy fence.
    #[arg(long, help_heading = "Sanitizer")]
    pub proxy_fences: bool,
    #[command(flatten, next_help_heading = "Sanitizer")]
    pub files: FindingsFiles,
}

/// Other forms in which the findings of a check are written.
#[derive(Debug, Default, Args)]
pub struct FindingsFiles {
    /// Also write the findings to this file, as SARIF.
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Also write the findings to this file, as JUnit's XML: every kernel is a test case.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Also print the findings on standard error as annotations, which GitHub Actions shows at the source lines.
    #[arg(long)]
    pub github: bool,
}

impl FindingsFiles {
    /// Checks that the files can be written, before anything runs.
    ///
    /// # Errors
    /// If one cannot.
    pub fn check_writable(&self) -> Outcome {
        self.sarif.iter().chain(&self.junit).try_for_each(|path| check_writable(path))
    }
}

/// Coverage and layout of a profile.
#[derive(Debug, Args)]
pub struct ProfileOptions {
    /// The GPU whose occupancy and caches are modeled; `lanework gpus` lists them.
    #[arg(long, value_name = "NAME", default_value = "H200")]
    pub gpu: String,
    /// List by source line, or by PTX instruction.
    #[arg(long, value_name = "WHAT", default_value = "line", value_parser = ["line", "ptx"])]
    pub by: String,
    /// Compare line by line with another file, which gets the same arguments and options (except --grid-b and the
    /// like), or with another rung.
    #[arg(long, value_name = "FILE|RUNG")]
    pub against: Option<String>,
    /// Count a sample of about N blocks, spread over the grid, instead of all blocks.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub sample: Option<u64>,
}

/// The GPU of a prediction, and the caches before the kernel.
#[derive(Debug, Args)]
pub struct PredictOptions {
    /// The GPU; `lanework gpus` lists them.
    #[arg(long, value_name = "NAME", default_value = "H200")]
    pub gpu: String,
    /// All caches are flushed before the kernel, as Nsight Compute measures (the default).
    #[arg(long, conflicts_with = "warm")]
    pub cold: bool,
    /// Launches back to back on the same data.
    #[arg(long)]
    pub warm: bool,
}

/// The line, block and warp that are drawn.
#[derive(Debug, Args)]
pub struct PictureOptions {
    /// The source line whose accesses are drawn [default: the most expensive line].
    #[arg(long, value_name = "N")]
    pub line: Option<u32>,
    /// The block, by linear index.
    #[arg(long, value_name = "N", default_value = "0")]
    pub block_index: u64,
    /// The warp of the block.
    #[arg(long, value_name = "N", default_value = "0")]
    pub warp: u32,
    /// Write the picture to this file as SVG.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}
