//! The kernels: one row each. nvcc 13.0 (`-arch=sm_80 -ptx`) compiled the PTX from the `.cu` file next
//! to it. The `.cl` file is the same kernel in OpenCL C, with the index types and the unrolling that are
//! fastest with `PoCL`.

use crate::job;
use crate::job::Job;

/// Class of a kernel by its bottleneck in the emulator, which determines the required speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A matrix product with affine addresses.
    Product,
    /// A short kernel with affine addresses: a block executes a few hundred warp instructions.
    Short,
    /// Addresses that are not affine over the lanes.
    NotAffine,
    /// Divergent branches.
    Divergent,
}

/// The counters of a correct run.
#[derive(Clone, Copy, Debug)]
pub struct Traffic {
    /// Global 32-byte sectors per load request.
    pub load_sectors: f64,
    /// Global 32-byte sectors per store request.
    pub store_sectors: f64,
    /// Shared-memory bank conflicts, loads and stores together.
    pub bank_conflicts: u64,
}

/// One kernel of the benchmark.
pub struct Case {
    /// Its name, which is also its entry's.
    pub name: &'static str,
    /// The class, which determines the required speed.
    pub class: Class,
    /// The PTX module.
    pub ptx: &'static str,
    /// The same kernel in OpenCL C.
    pub opencl: &'static str,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads per block in x, y and z.
    pub block: [u32; 3],
    /// Makes inputs and reference, given the number of threads.
    pub job: fn(u64) -> Job,
    /// The counters, if they can be computed by hand.
    pub traffic: Option<Traffic>,
}

impl Case {
    /// Threads in the grid.
    pub fn threads(&self) -> u64 {
        self.grid.iter().chain(&self.block).map(|&extent| u64::from(extent)).product()
    }
}

/// Every kernel, in the order of the table.
pub const CASES: &[Case] = &[
    Case {
        name: "sgemm_naive",
        class: Class::Product,
        ptx: include_str!("../kernels/sgemm_naive.ptx"),
        opencl: include_str!("../kernels/sgemm_naive.cl"),
        grid: [32, 32, 1],
        block: [16, 16, 1],
        job: |threads| job::product(threads, job::NAIVE_INSTRUCTIONS),
        // A warp spans two rows of the block: one sector of each row of A, or 16 words of B.
        traffic: Some(Traffic { load_sectors: 2.0, store_sectors: 4.0, bank_conflicts: 0 }),
    },
    Case {
        name: "sgemm_naive_u32",
        class: Class::Product,
        ptx: include_str!("../kernels/sgemm_naive_u32.ptx"),
        opencl: include_str!("../kernels/sgemm_naive_u32.cl"),
        grid: [32, 32, 1],
        block: [16, 16, 1],
        job: |threads| job::product(threads, job::NAIVE_U32_INSTRUCTIONS),
        traffic: Some(Traffic { load_sectors: 2.0, store_sectors: 4.0, bank_conflicts: 0 }),
    },
    Case {
        name: "sgemm_tiled",
        class: Class::Product,
        ptx: include_str!("../kernels/sgemm_tiled.ptx"),
        opencl: include_str!("../kernels/sgemm_tiled.cl"),
        grid: [32, 32, 1],
        block: [16, 16, 1],
        job: |threads| job::product(threads, job::TILED_INSTRUCTIONS),
        // Two rows of 16 words; the tile's rows are broadcast or read side by side.
        traffic: Some(Traffic { load_sectors: 4.0, store_sectors: 4.0, bank_conflicts: 0 }),
    },
    Case {
        name: "transpose_padded",
        class: Class::Short,
        ptx: include_str!("../kernels/transpose_padded.ptx"),
        opencl: include_str!("../kernels/transpose_padded.cl"),
        grid: [32, 32, 1],
        block: [32, 8, 1],
        job: job::transpose,
        traffic: Some(Traffic { load_sectors: 4.0, store_sectors: 4.0, bank_conflicts: 0 }),
    },
    Case {
        name: "saxpy",
        class: Class::Short,
        ptx: include_str!("../kernels/saxpy.ptx"),
        opencl: include_str!("../kernels/saxpy.cl"),
        grid: [4096, 1, 1],
        block: [256, 1, 1],
        job: job::saxpy,
        traffic: Some(Traffic { load_sectors: 4.0, store_sectors: 4.0, bank_conflicts: 0 }),
    },
    Case {
        name: "gather",
        class: Class::NotAffine,
        ptx: include_str!("../kernels/gather.ptx"),
        opencl: include_str!("../kernels/gather.cl"),
        grid: [4096, 1, 1],
        block: [256, 1, 1],
        job: job::gather,
        traffic: None,
    },
    Case {
        name: "xorshift",
        class: Class::NotAffine,
        ptx: include_str!("../kernels/xorshift.ptx"),
        opencl: include_str!("../kernels/xorshift.cl"),
        grid: [256, 1, 1],
        block: [256, 1, 1],
        job: job::xorshift,
        traffic: None,
    },
    Case {
        name: "collatz",
        class: Class::Divergent,
        ptx: include_str!("../kernels/collatz.ptx"),
        opencl: include_str!("../kernels/collatz.cl"),
        grid: [512, 1, 1],
        block: [256, 1, 1],
        job: job::collatz,
        traffic: None,
    },
    Case {
        name: "collatz_nested",
        class: Class::Divergent,
        ptx: include_str!("../kernels/collatz_nested.ptx"),
        opencl: include_str!("../kernels/collatz_nested.cl"),
        grid: [512, 1, 1],
        block: [256, 1, 1],
        job: job::collatz_nested,
        traffic: None,
    },
];
