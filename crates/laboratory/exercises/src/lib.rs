//! The exercises of `lanework exercise` and of the page. Each has a kernel with one flaw, a task, a goal, and hints. `ladders` has the rungs that
//! the page offers as lessons.

mod expected;
mod goals;
mod ladders;

pub use expected::ExpectedResult;
pub use goals::{Goal, Missed};
pub use ladders::{Ladder, Rung, ladders};

use lanework_emulator::Counters;

/// An exercise.
pub struct Exercise {
    /// The exercise's subject.
    pub title: &'static str,
    /// The task, in one sentence.
    pub task: &'static str,
    /// The kernel with the flaw.
    pub source: &'static str,
    /// Grid, block and arguments, as for `lanework run`. The last array is the result.
    pub launch: &'static str,
    /// Computes the expected result from the other arrays.
    pub expected: fn(&[Vec<f32>]) -> Vec<f32>,
    /// The limit for one counter, if a correct result is not enough.
    pub goal: Option<Goal>,
    /// Further limits, which a kernel that avoids the exercise's subject does not keep.
    pub lesson: &'static [Goal],
    /// Hints, from vague to direct.
    pub hints: &'static [&'static str],
    /// A solution, for tests: a part of the source and its replacement.
    pub solution: (&'static str, &'static str),
}

impl Exercise {
    /// The first limit that the counters of a kernel with the right result do not keep.
    pub fn missed(&self, counters: &Counters) -> Option<Missed> {
        let goals = self.goal.into_iter().map(|goal| (goal, self.hints[0]));
        // The hints are about the goal.
        let lessons = self.lesson.iter().map(|lesson| (*lesson, self.task));
        goals.chain(lessons).find_map(|(goal, help)| goal.missed(counters, help, self.task))
    }
}

/// All exercises, in order.
pub fn all() -> [Exercise; 8] {
    [
        Exercise {
            title: "bounds",
            task: "Add two arrays of 1000 elements with 1024 threads, without an access out of bounds.",
            source: include_str!("kernels/1.cu"),
            launch: "--grid 4 --block 256 rand:1000 rand:1000:2 uninit:1000 1000",
            expected: |arrays| arrays[0].iter().zip(&arrays[1]).map(|(x, y)| x + y).collect(),
            goal: None,
            lesson: const { &[Goal::global_loads(64.0)] },
            hints: &[
                "the finding names the thread and the index: which i is the first that is too large?",
                "compare i with n before the first access: if (i < n)",
            ],
            solution: ("    z[i] =", "    if (i < n) z[i] ="),
        },
        Exercise {
            title: "coalescing",
            task: "Let each warp load 32 neighboring numbers: 4 sectors of 32 bytes per request.",
            source: include_str!("kernels/2.cu"),
            launch: "--grid 2x8 --block 32x8 rand:64x64 uninit:64x64 64",
            expected: |arrays| arrays[0].iter().map(|x| 2.0 * x).collect(),
            goal: Some(Goal::sectors_per_load(4.0)),
            lesson: const { &[Goal::sectors_per_store(4.0), Goal::global_loads(128.0)] },
            hints: &[
                "threads of a warp differ in threadIdx.x; which index do they have in common now?",
                "let threadIdx.x count columns and threadIdx.y rows",
            ],
            solution: (
                "int row = blockIdx.x * blockDim.x + threadIdx.x;\n    int column = blockIdx.y * blockDim.y + threadIdx.y;",
                "int column = blockIdx.x * blockDim.x + threadIdx.x;\n    int row = blockIdx.y * blockDim.y + threadIdx.y;",
            ),
        },
        Exercise {
            title: "barriers",
            task: "Reverse 256 numbers through shared memory without a race.",
            source: include_str!("kernels/3.cu"),
            launch: "--grid 1 --block 256 rand:256 uninit:256",
            expected: |arrays| arrays[0].iter().rev().copied().collect(),
            goal: None,
            lesson: const { &[Goal::shared_loads(8.0), Goal::global_loads(8.0)] },
            hints: &[
                "a thread reads what a thread of another warp wrote: has that thread written it yet?",
                "put __syncthreads() between the write and the read of the tile",
            ],
            solution: ("    y[i] =", "    __syncthreads();\n    y[i] ="),
        },
        Exercise {
            title: "bank conflicts",
            task: "Transpose a tile without a bank conflict.",
            source: include_str!("kernels/4.cu"),
            launch: "--grid 1 --block 32x32 rand:32x32 uninit:32x32",
            expected: |arrays| (0..1024).map(|at| arrays[0][at % 32 * 32 + at / 32]).collect(),
            goal: Some(Goal::no_bank_conflicts()),
            lesson: const { &[Goal::shared_loads(32.0), Goal::global_loads(32.0)] },
            hints: &[
                "word number w of shared memory is in bank w % 32: in which banks are the words of a column?",
                "one more word in each row moves each row to the next bank: tile[32][33]",
            ],
            solution: ("tile[32][32]", "tile[32][33]"),
        },
        Exercise {
            title: "divergence",
            task: "Add 256 numbers with at most 6 divergent branches: the 5 steps in which one warp adds its last 32 numbers, and the thread that writes the sum.",
            source: include_str!("kernels/5.cu"),
            launch: "--grid 1 --block 256 rand:256 uninit:1",
            expected: |arrays| vec![arrays[0].iter().sum()],
            goal: Some(Goal {
                name: "divergent branches",
                count: |counters| counters.divergent_branches as f64,
                least: 0.0,
                most: 6.0,
            }),
            lesson: const {
                &[Goal::global_loads(8.0), Goal::few_shared_loads(32.0), Goal::no_atomics()]
            },
            hints: &[
                "a warp diverges if some of its threads take the branch: let whole warps take it or not",
                "halve the active threads: for (int step = 128; step > 0; step /= 2) if (i < step) part[i] += part[i + step];",
            ],
            solution: (
                "for (int step = 1; step < 256; step *= 2) {\n        if (i % (2 * step) == 0) part",
                "for (int step = 128; step > 0; step /= 2) {\n        if (i < step) part",
            ),
        },
        Exercise {
            title: "tiling",
            task: "Multiply two matrices of 64 x 64 numbers with at most 1024 load requests to global memory.",
            source: include_str!("kernels/6.cu"),
            launch: "--grid 4x4 --block 16x16 rand:64x64 rand:64x64:2 uninit:64x64",
            expected: |arrays| {
                let dot = |row: usize, column: usize| -> f32 {
                    (0..64).map(|k| arrays[0][row * 64 + k] * arrays[1][k * 64 + column]).sum()
                };
                (0..64 * 64).map(|at| dot(at / 64, at % 64)).collect()
            },
            goal: Some(Goal {
                name: "load requests",
                count: |counters| counters.global_load.requests as f64,
                least: 0.0,
                most: 1024.0,
            }),
            lesson: const { &[Goal::no_atomics()] },
            hints: &[
                "the threads of a block need the same numbers: let each thread load one number of a tile into shared memory",
                "for each tile of 16 columns of a and 16 rows of b: load both, __syncthreads(), add 16 products, __syncthreads()",
            ],
            solution: (
                "    for (int k = 0; k < 64; k++) sum += a[row * 64 + k] * b[k * 64 + column];",
                "    __shared__ float as[16][16], bs[16][16];
    for (int k = 0; k < 64; k += 16) {
        as[threadIdx.y][threadIdx.x] = a[row * 64 + k + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * 64 + column];
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }",
            ),
        },
        Exercise {
            title: "shuffles",
            task: "Add 256 numbers with one barrier: each of the 8 warps arrives at it once.",
            source: include_str!("kernels/7.cu"),
            launch: "--grid 1 --block 256 rand:256 uninit:1",
            expected: |arrays| vec![arrays[0].iter().sum()],
            goal: Some(Goal {
                name: "barrier arrivals",
                count: |counters| counters.barriers as f64,
                least: 0.0,
                most: 8.0,
            }),
            lesson: const {
                &[Goal::global_loads(8.0), Goal::few_shared_loads(8.0), Goal::barriers(8.0)]
            },
            hints: &[
                "first add the 32 numbers of each warp, then the 8 sums: only between the two must warps wait",
                "for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);",
            ],
            solution: (
                "    part[i] = x[i];
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (i < step) part[i] += part[i + step];
        __syncthreads();
    }
    if (i == 0) *total = part[0];",
                "    float value = x[i];
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
    if (i % 32 == 0) part[i / 32] = value;
    __syncthreads();
    if (i == 0) {
        float all = 0;
        for (int warp = 0; warp < 8; warp++) all += part[warp];
        *total = all;
    }",
            ),
        },
        Exercise {
            title: "atomics",
            task: "Count 1024 numbers in 8 bins with at most 4 atomic requests to global memory.",
            source: include_str!("kernels/8.cu"),
            launch: "--grid 4 --block 256 rand:1024 zeros:8",
            expected: |arrays| {
                let mut bins = vec![0.0; 8];
                arrays[0].iter().for_each(|x| bins[(x * x * 8.0) as usize & 7] += 1.0);
                bins
            },
            goal: Some(Goal {
                name: "atomic requests",
                count: |counters| counters.global_atomic.requests as f64,
                least: 0.0,
                most: 4.0,
            }),
            lesson: const { &[Goal::global_loads(32.0)] },
            hints: &[
                "let each block count in shared memory first: atomics of shared memory do not leave the multiprocessor",
                "clear 8 counters, __syncthreads(), add to them, __syncthreads(), and let 8 threads add them to global memory",
            ],
            solution: (
                "    atomicAdd(&bins[bin], 1.0f);",
                "    __shared__ float own[8];
    if (threadIdx.x < 8) own[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&own[bin], 1.0f);
    __syncthreads();
    if (threadIdx.x < 8) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);",
            ),
        },
    ]
}
