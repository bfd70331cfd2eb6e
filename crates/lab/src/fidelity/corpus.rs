//! The launches that counts are compared on: every rung, PTX of several compilers, and the probes.

use super::probes::{MORE, PROBES, module, patterns, sweep};
use crate::families::{Family, families};
use crate::inputs::random_elements;
use crate::request::Request;
use lanework::sim::Blocks;
use lanework::{Backend, Buffer, Device, Dim3, Error, Job, Profile, PtxArg, PtxShape, Result};
use std::path::Path;

/// A launch that was made: its name in the corpus, the entry, and what the emulator counted.
pub struct Launched {
    /// Which launch it is.
    pub name: String,
    /// The kernel's name in its module.
    pub entry: String,
    /// The counts; `None` on a GPU.
    pub profile: Option<Profile>,
}

/// Called with every launch, in order.
pub type Each<'a> = &'a mut dyn FnMut(Launched) -> Result<()>;

/// The device of the launches, and what is called with each.
struct Run<'a> {
    device: &'a Device,
    each: Each<'a>,
}

/// The problems that each ladder is launched on: one of even extents and one of odd ones.
const PROBLEMS: [(&str, &[(&str, u64)]); 12] = [
    ("vector-add", &[("size", 1 << 16)]),
    ("vector-add", &[("size", 10_007)]),
    ("sum-squares", &[("size", 1 << 16)]),
    ("sum-squares", &[("size", 9_973)]),
    ("transpose", &[("size", 512)]),
    ("transpose", &[("rows", 203), ("cols", 333)]),
    ("matmul", &[("size", 128)]),
    ("matmul", &[("m", 70), ("n", 90), ("k", 50)]),
    ("sgemm", &[("size", 256)]),
    ("sgemm", &[("m", 130), ("n", 150), ("k", 70)]),
    ("int-matmul", &[("size", 128)]),
    ("int-matmul", &[("m", 64), ("n", 32), ("k", 48)]),
];

/// An argument of a compiled kernel.
#[derive(Clone, Copy)]
enum Argument {
    /// Memory of this many random bytes.
    Random(usize),
    /// Memory of this many zero bytes.
    Zeros(usize),
    /// 32 bits.
    Word(u32),
    /// 64 bits.
    Long(u64),
}

/// A launch of a compiled kernel.
struct Compiled {
    file: &'static str,
    entry: &'static str,
    grid: (u32, u32),
    block: (u32, u32),
    shared: u32,
    given: &'static [Argument],
}

const SUM: &[Argument] =
    &[Argument::Random(4 * 20_000), Argument::Zeros(4), Argument::Long(20_000)];
const COUNT: &[Argument] = &[Argument::Random(4 * 2000), Argument::Zeros(8), Argument::Word(2000)];
const TRANSPOSE: &[Argument] =
    &[Argument::Random(4 * 200 * 200), Argument::Zeros(4 * 200 * 200), Argument::Word(200)];
const HALVES: &[Argument] = &[
    Argument::Random(4000),
    Argument::Random(4000),
    Argument::Random(4000),
    Argument::Random(4000),
    Argument::Word(1000),
];
const MIXED: &[Argument] = &[
    Argument::Random(768),
    Argument::Random(64),
    Argument::Random(64),
    Argument::Random(256),
    Argument::Random(64),
];
const MASKED: &[Argument] = &[
    Argument::Random(10_000),
    Argument::Zeros(4),
    Argument::Word(2500),
    Argument::Long(0),
    Argument::Long(0),
];
const PRODUCT: &[Argument] = &[
    Argument::Random(2 * 64 * 128),
    Argument::Random(2 * 64 * 128),
    Argument::Zeros(4 * 64 * 64),
    Argument::Word(128),
    Argument::Long(0),
    Argument::Long(0),
];
/// A Numba array: two headers that are not used, length, item size, data, extent, stride.
const fn numba(data: Argument, length: u64, item: u64) -> [Argument; 7] {
    let (length, item) = (Argument::Long(length), Argument::Long(item));
    [Argument::Long(0), Argument::Long(0), length, item, data, length, item]
}

/// Two lists in one.
const fn join<const A: usize, const B: usize, const C: usize>(
    a: [Argument; A],
    b: [Argument; B],
) -> [Argument; C] {
    let mut all = [Argument::Long(0); C];
    let mut i = 0;
    while i < C {
        all[i] = if i < A { a[i] } else { b[i - A] };
        i += 1;
    }
    all
}
const DOT: [Argument; 21] = join::<7, 14, 21>(
    numba(Argument::Zeros(4 * 5000), 5000, 4),
    join::<7, 7, 14>(numba(Argument::Zeros(4 * 5000), 5000, 4), numba(Argument::Zeros(4), 1, 4)),
);
const HISTOGRAM: [Argument; 14] = join::<7, 7, 14>(
    numba(Argument::Zeros(8 * 5000), 5000, 8),
    numba(Argument::Zeros(4 * 8), 8, 4),
);

const fn compiled(
    file: &'static str,
    entry: &'static str,
    grid: (u32, u32),
    block: (u32, u32),
    given: &'static [Argument],
) -> Compiled {
    Compiled { file, entry, grid, block, shared: 0, given }
}

/// Kernels of `crates/ptx/tests/data` that need nothing but memory.
const COMPILED: [Compiled; 19] = [
    compiled("reduce.sm_75", "_Z3sumILi128EEvPKfPfl", (16, 1), (128, 1), SUM),
    compiled("reduce.sm_75", "_Z3sumILi512EEvPKfPfl", (16, 1), (512, 1), SUM),
    compiled("reduce.sm_75", "count_positive", (8, 1), (256, 1), COUNT),
    compiled("reduce.compute_52.nvrtc", "_Z3sumILi128EEvPKfPfl", (16, 1), (128, 1), SUM),
    compiled("reduce.compute_80.nvrtc", "_Z3sumILi512EEvPKfPfl", (16, 1), (512, 1), SUM),
    compiled("reduce.sm_90.lineinfo", "_Z3sumILi128EEvPKfPfl", (16, 1), (128, 1), SUM),
    compiled("reduce.sm_90.lineinfo", "count_positive", (8, 1), (256, 1), COUNT),
    compiled("transpose.sm_80.lineinfo", "transpose", (7, 7), (32, 32), TRANSPOSE),
    compiled("transpose.sm_80.debug", "transpose", (7, 7), (32, 32), TRANSPOSE),
    compiled("transpose.compute_90.nvrtc", "transpose", (7, 7), (32, 32), TRANSPOSE),
    compiled("types.sm_90", "halves", (4, 1), (256, 1), HALVES),
    compiled("types.sm_90", "mixed", (1, 1), (32, 1), MIXED),
    Compiled {
        shared: 2048,
        ..compiled(
            "cooperative.sm_80",
            "staged_copy",
            (1, 1),
            (128, 1),
            &[Argument::Random(16 * 512), Argument::Zeros(16 * 512), Argument::Word(512)],
        )
    },
    compiled(
        "wmma.sm_80",
        "wmma_half",
        (4, 4),
        (32, 1),
        &[
            Argument::Random(8192),
            Argument::Random(8192),
            Argument::Zeros(16_384),
            Argument::Word(64),
        ],
    ),
    compiled(
        "wmma.sm_80",
        "wmma_s8",
        (1, 1),
        (32, 1),
        &[Argument::Random(256), Argument::Random(256), Argument::Zeros(1024)],
    ),
    compiled(
        "wmma.sm_80",
        "mma_tile",
        (1, 1),
        (32, 1),
        &[Argument::Random(1024), Argument::Zeros(512)],
    ),
    Compiled {
        shared: 1024,
        ..compiled("triton.masked_sum.sm_80", "masked_sum", (10, 1), (128, 1), MASKED)
    },
    Compiled {
        shared: 32_768,
        ..compiled("triton.product.sm_80", "product", (1, 1), (128, 1), PRODUCT)
    },
    compiled("numba.dot", "", (8, 1), (128, 1), &DOT),
];

/// The histogram in local memory, whose name is as long as Numba makes it.
const LOCAL: Compiled = compiled("numba.histogram", "", (4, 1), (128, 1), &HISTOGRAM);

/// The text of a file of `crates/ptx/tests/data`, built in.
macro_rules! texts {
    ($($file:literal),* $(,)?) => {
        &[$(($file, include_str!(concat!("../../../ptx/tests/data/", $file, ".ptx")))),*]
    };
}

/// The PTX of compilers, by the name of its file.
static TEXTS: &[(&str, &str)] = texts![
    "reduce.sm_75",
    "reduce.compute_52.nvrtc",
    "reduce.compute_80.nvrtc",
    "reduce.sm_90.lineinfo",
    "transpose.sm_80.lineinfo",
    "transpose.sm_80.debug",
    "transpose.compute_90.nvrtc",
    "types.sm_90",
    "cooperative.sm_80",
    "wmma.sm_80",
    "triton.masked_sum.sm_80",
    "triton.product.sm_80",
    "numba.dot",
    "numba.histogram",
];

/// The PTX of `file`: of `data` where the user gave a folder, else what is built in.
fn text_of(file: &str, data: Option<&Path>) -> std::result::Result<String, String> {
    let Some(folder) = data else {
        let built_in = TEXTS.iter().find(|(name, _)| *name == file);
        return Ok(built_in.expect("tested: every file of the corpus is built in").1.to_owned());
    };
    let path = folder.join(format!("{file}.ptx"));
    std::fs::read_to_string(&path)
        .map_err(|error| format!("{} cannot be read: {error}", path.display()))
}

/// Launches everything once, in the same order each time; `wanted` chooses by name, and `data` is a
/// folder of the compilers' PTX to take in place of what is built in.
///
/// # Errors
/// When a launch fails, or `each` does.
pub fn launch_corpus(
    device: &Device,
    data: Option<&Path>,
    wanted: &dyn Fn(&str) -> bool,
    each: Each<'_>,
) -> Result<()> {
    let mut run = Run { device, each };
    for family in families() {
        run.rungs(&family, wanted)?;
    }
    for one in COMPILED.iter().chain([&LOCAL]) {
        run.compiled(one, data, wanted)?;
    }
    run.probes(wanted)
}

impl Run<'_> {
    fn rungs(&mut self, family: &Family, wanted: &dyn Fn(&str) -> bool) -> Result<()> {
        let ladder = (family.ladder)();
        for (_, parameters) in PROBLEMS.iter().filter(|(name, _)| *name == ladder.name) {
            let request = Request::new(Backend::Emulator);
            let request = parameters
                .iter()
                .fold(request, |request, (name, value)| request.with(name, *value));
            let case = family.case(&request)?;
            let size: Vec<String> = parameters.iter().map(|(_, value)| value.to_string()).collect();
            for rung in &ladder.rungs {
                let name = format!("{}/{} {}", ladder.name, rung.name, size.join("x"));
                if !wanted(&name) || case.skips(rung.name, self.device).is_some() {
                    continue;
                }
                let mut trial = case.trial(rung.name, self.device)?;
                let mut job = trial.job()?;
                let Job::Kernel(kernel) = &job else { continue };
                let entry = kernel.module().entries().next().map(|entry| entry.name.clone());
                let profile = match self.device.backend() {
                    Backend::Emulator => Some(job.profile(Blocks::All)?),
                    Backend::Cuda => {
                        job.launch()?;
                        self.device.synchronize()?;
                        None
                    }
                };
                (self.each)(Launched { name, entry: entry.unwrap_or_default(), profile })?;
            }
        }
        Ok(())
    }

    fn compiled(
        &mut self,
        one: &Compiled,
        data: Option<&Path>,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<()> {
        let short = one.entry.trim_start_matches("_Z3").split("EEv").next().unwrap_or_default();
        let name = format!("{} {}", one.file, short.replace("ILi", " "));
        let name = name.trim_end().to_owned();
        if !wanted(&name) {
            return Ok(());
        }
        let text = text_of(one.file, data).map_err(|why| Error::Launch {
            kernel: name.clone(),
            why,
            help: "leave out the folder to use the PTX that is built in".to_owned(),
        })?;
        let module = self.device.load_ptx(&text)?;
        let only = module.module().entries().next().map(|entry| entry.name.clone());
        let entry = match one.entry {
            "" => only.unwrap_or_default(),
            entry => entry.to_owned(),
        };
        let mut buffers = Vec::new();
        for (index, given) in one.given.iter().enumerate() {
            buffers.push(match given {
                Argument::Random(bytes) => {
                    // Small numbers, so that sums of floats stay finite and indices in range.
                    let words: Vec<u8> = random_elements::<u8>(*bytes, index as u64 + 1);
                    Some(self.device.upload(&words)?)
                }
                Argument::Zeros(bytes) => Some(self.device.zeros::<u8>(*bytes)?),
                _ => None,
            });
        }
        let arguments: Vec<PtxArg<'_>> = one
            .given
            .iter()
            .zip(&buffers)
            .map(|(given, buffer)| match (given, buffer) {
                (_, Some(buffer)) => PtxArg::Memory(buffer),
                (Argument::Word(word), _) => PtxArg::Bytes(word.to_le_bytes().to_vec()),
                (Argument::Long(long), _) => PtxArg::Bytes(long.to_le_bytes().to_vec()),
                _ => PtxArg::Bytes(Vec::new()),
            })
            .collect();
        let shape = PtxShape {
            grid: Dim3::from(one.grid),
            block: Dim3::from(one.block),
            dynamic_shared: one.shared,
            cluster: None,
        };
        self.launch(name, &module, &entry, shape, &arguments)
    }

    fn probes(&mut self, wanted: &dyn Fn(&str) -> bool) -> Result<()> {
        let module = self.device.load_ptx(&module())?;
        let data: Buffer<u8> = self.device.zeros(32_768)?;
        let out: Buffer<u8> = self.device.zeros(128)?;
        let shape = PtxShape::new(1, 32);
        for (index, probe) in PROBES.iter().chain(MORE).enumerate() {
            let plain = if index < PROBES.len() { patterns(probe) } else { Vec::new() };
            let plain = plain.into_iter().map(|pattern| ("probe", pattern));
            let sweep = sweep(probe, index).into_iter().map(|pattern| ("sweep", pattern));
            for (kind, pattern) in plain.chain(sweep) {
                let name = format!("{kind}/{} {}", probe.name, pattern.name);
                if !wanted(&name) {
                    continue;
                }
                let bytes: Vec<u8> =
                    pattern.offsets.iter().flat_map(|offset| offset.to_le_bytes()).collect();
                let offsets = self.device.upload(&bytes)?;
                let arguments =
                    [PtxArg::Memory(&offsets), PtxArg::Memory(&data), PtxArg::Memory(&out)];
                self.launch(name, &module, probe.name, shape, &arguments)?;
            }
        }
        Ok(())
    }

    fn launch(
        &mut self,
        name: String,
        module: &lanework::PtxModule,
        entry: &str,
        shape: PtxShape,
        arguments: &[PtxArg<'_>],
    ) -> Result<()> {
        let profile = match self.device.backend() {
            Backend::Emulator => Some(module.profile(entry, shape, arguments, Blocks::All)?),
            Backend::Cuda => {
                // SAFETY: the corpus gives each kernel memory as large as it needs; the emulator,
                // which runs the same launches, checks that in a test.
                unsafe { module.launch(entry, shape, arguments) }?;
                None
            }
        };
        (self.each)(Launched { name, entry: entry.to_owned(), profile })
    }
}
