//! Launches of kernels that nvcc, NVRTC, Triton and Numba compiled, with their PTX.

use std::path::Path;

/// An argument of a compiled kernel.
#[derive(Clone, Copy)]
pub enum Argument {
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
pub struct Compiled {
    /// The file of its PTX.
    pub file: &'static str,
    /// The entry; empty for the only one.
    pub entry: &'static str,
    /// Blocks in x and y.
    pub grid: (u32, u32),
    /// Threads of a block in x and y.
    pub block: (u32, u32),
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// The arguments.
    pub given: &'static [Argument],
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
/// A Numba array: two unused headers, length, item size, data, extent, stride.
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

/// Kernels of `crates/laboratory/lab/data/compilers` that need only memory.
pub const COMPILED: [Compiled; 19] = [
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

/// The histogram in local memory, under its long Numba name.
pub const LOCAL: Compiled = compiled("numba.histogram", "", (4, 1), (128, 1), &HISTOGRAM);

/// The text of a file of `crates/laboratory/lab/data/compilers`, built in.
macro_rules! texts {
    ($($file:literal),* $(,)?) => {
        &[$(($file, include_str!(concat!("../../data/compilers/", $file, ".ptx")))),*]
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

/// The PTX of `file`: from the folder `data` if the user gave one, else the built-in text.
pub fn text_of(file: &str, data: Option<&Path>) -> std::result::Result<String, String> {
    let Some(folder) = data else {
        let built_in = TEXTS.iter().find(|(name, _)| *name == file);
        return Ok(built_in.expect("tested: every file of the corpus is built in").1.to_owned());
    };
    let path = folder.join(format!("{file}.ptx"));
    std::fs::read_to_string(&path)
        .map_err(|error| format!("{} cannot be read: {error}", path.display()))
}
