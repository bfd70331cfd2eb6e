//! Launches of kernels that nvcc, NVRTC, Triton and Numba compiled, with their PTX.

use std::path::Path;

/// An argument of a compiled kernel.
#[derive(Clone, Copy)]
pub enum KernelArgument {
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
    pub given: &'static [KernelArgument],
}

const SUM: &[KernelArgument] =
    &[KernelArgument::Random(4 * 20_000), KernelArgument::Zeros(4), KernelArgument::Long(20_000)];
const COUNT: &[KernelArgument] =
    &[KernelArgument::Random(4 * 2000), KernelArgument::Zeros(8), KernelArgument::Word(2000)];
const TRANSPOSE: &[KernelArgument] = &[
    KernelArgument::Random(4 * 200 * 200),
    KernelArgument::Zeros(4 * 200 * 200),
    KernelArgument::Word(200),
];
const HALVES: &[KernelArgument] = &[
    KernelArgument::Random(4000),
    KernelArgument::Random(4000),
    KernelArgument::Random(4000),
    KernelArgument::Random(4000),
    KernelArgument::Word(1000),
];
const MIXED: &[KernelArgument] = &[
    KernelArgument::Random(768),
    KernelArgument::Random(64),
    KernelArgument::Random(64),
    KernelArgument::Random(256),
    KernelArgument::Random(64),
];
const MASKED: &[KernelArgument] = &[
    KernelArgument::Random(10_000),
    KernelArgument::Zeros(4),
    KernelArgument::Word(2500),
    KernelArgument::Long(0),
    KernelArgument::Long(0),
];
const PRODUCT: &[KernelArgument] = &[
    KernelArgument::Random(2 * 64 * 128),
    KernelArgument::Random(2 * 64 * 128),
    KernelArgument::Zeros(4 * 64 * 64),
    KernelArgument::Word(128),
    KernelArgument::Long(0),
    KernelArgument::Long(0),
];
/// A Numba array: two unused headers, length, item size, data, extent, stride.
const fn numba(data: KernelArgument, length: u64, item: u64) -> [KernelArgument; 7] {
    let (length, item) = (KernelArgument::Long(length), KernelArgument::Long(item));
    [KernelArgument::Long(0), KernelArgument::Long(0), length, item, data, length, item]
}

/// Concatenates two lists.
const fn join<const A: usize, const B: usize, const C: usize>(
    a: [KernelArgument; A],
    b: [KernelArgument; B],
) -> [KernelArgument; C] {
    let mut all = [KernelArgument::Long(0); C];
    let mut i = 0;
    while i < C {
        all[i] = if i < A { a[i] } else { b[i - A] };
        i += 1;
    }
    all
}
const DOT: [KernelArgument; 21] = join::<7, 14, 21>(
    numba(KernelArgument::Zeros(4 * 5000), 5000, 4),
    join::<7, 7, 14>(
        numba(KernelArgument::Zeros(4 * 5000), 5000, 4),
        numba(KernelArgument::Zeros(4), 1, 4),
    ),
);
const HISTOGRAM: [KernelArgument; 14] = join::<7, 7, 14>(
    numba(KernelArgument::Zeros(8 * 5000), 5000, 8),
    numba(KernelArgument::Zeros(4 * 8), 8, 4),
);

const fn compiled(
    file: &'static str,
    entry: &'static str,
    grid: (u32, u32),
    block: (u32, u32),
    given: &'static [KernelArgument],
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
            &[
                KernelArgument::Random(16 * 512),
                KernelArgument::Zeros(16 * 512),
                KernelArgument::Word(512),
            ],
        )
    },
    compiled(
        "wmma.sm_80",
        "wmma_half",
        (4, 4),
        (32, 1),
        &[
            KernelArgument::Random(8192),
            KernelArgument::Random(8192),
            KernelArgument::Zeros(16_384),
            KernelArgument::Word(64),
        ],
    ),
    compiled(
        "wmma.sm_80",
        "wmma_s8",
        (1, 1),
        (32, 1),
        &[KernelArgument::Random(256), KernelArgument::Random(256), KernelArgument::Zeros(1024)],
    ),
    compiled(
        "wmma.sm_80",
        "mma_tile",
        (1, 1),
        (32, 1),
        &[KernelArgument::Random(1024), KernelArgument::Zeros(512)],
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
