//! The exercises of `lanework exercise`: a kernel with one flaw, its problem, the goal, and hints.

use lanework::Counters;

/// An exercise.
pub struct Exercise {
    /// Its subject.
    pub title: &'static str,
    /// The task, in a sentence.
    pub task: &'static str,
    /// The kernel with the flaw.
    pub source: &'static str,
    /// Grid, block and arguments, as for `lanework run`. The last array is the result.
    pub launch: &'static str,
    /// The result for the other arrays.
    pub expected: fn(&[Vec<f32>]) -> Vec<f32>,
    /// A counter that decides, and its largest value.
    pub goal: Option<Goal>,
    /// Hints, each more direct than the one before.
    pub hints: &'static [&'static str],
}

/// A goal: a counter with its name, and its largest value.
#[derive(Clone, Copy)]
pub struct Goal {
    /// The name of the count.
    pub name: &'static str,
    /// The count.
    pub count: fn(&Counters) -> f64,
    /// Its largest value.
    pub most: f64,
}

/// All exercises, in order.
pub fn all() -> [Exercise; 5] {
    [
        Exercise {
            title: "bounds",
            task: "Add two arrays of 1000 elements with 1024 threads, without an access out of bounds.",
            source: include_str!("1.cu"),
            launch: "--grid 4 --block 256 rand:1000 rand:1000:2 uninit:1000 1000",
            expected: |arrays| arrays[0].iter().zip(&arrays[1]).map(|(x, y)| x + y).collect(),
            goal: None,
            hints: &[
                "the finding names the thread and the index: which i is the first that is too large?",
                "compare i with n before the first access: if (i < n)",
            ],
        },
        Exercise {
            title: "coalescing",
            task: "Let each warp load 32 neighboring numbers: 4 sectors of 32 bytes per request.",
            source: include_str!("2.cu"),
            launch: "--grid 2x8 --block 32x8 rand:64x64 uninit:64x64 64",
            expected: |arrays| arrays[0].iter().map(|x| 2.0 * x).collect(),
            goal: Some(Goal {
                name: "sectors per load",
                count: |counters| counters.global_load.sectors_per_request(),
                most: 4.0,
            }),
            hints: &[
                "threads of a warp differ in threadIdx.x; which index do they have in common now?",
                "let threadIdx.x count columns and threadIdx.y rows",
            ],
        },
        Exercise {
            title: "barriers",
            task: "Reverse 256 numbers through shared memory without a race.",
            source: include_str!("3.cu"),
            launch: "--grid 1 --block 256 rand:256 uninit:256",
            expected: |arrays| arrays[0].iter().rev().copied().collect(),
            goal: None,
            hints: &[
                "a thread reads what a thread of another warp wrote: has that thread written it yet?",
                "put __syncthreads() between the write and the read of the tile",
            ],
        },
        Exercise {
            title: "bank conflicts",
            task: "Transpose a tile without a bank conflict.",
            source: include_str!("4.cu"),
            launch: "--grid 1 --block 32x32 rand:32x32 uninit:32x32",
            expected: |arrays| (0..1024).map(|at| arrays[0][at % 32 * 32 + at / 32]).collect(),
            goal: Some(Goal {
                name: "bank conflicts",
                count: |counters| {
                    (counters.shared_load.bank_conflicts + counters.shared_store.bank_conflicts)
                        as f64
                },
                most: 0.0,
            }),
            hints: &[
                "word number w of shared memory is in bank w % 32: in which banks are the words of a column?",
                "one more word in each row moves each row to the next bank: tile[32][33]",
            ],
        },
        Exercise {
            title: "divergence",
            task: "Add 256 numbers with at most 6 divergent branches.",
            source: include_str!("5.cu"),
            launch: "--grid 1 --block 256 rand:256 uninit:1",
            expected: |arrays| vec![arrays[0].iter().sum()],
            goal: Some(Goal {
                name: "divergent branches",
                count: |counters| counters.divergent_branches as f64,
                most: 6.0,
            }),
            hints: &[
                "a warp diverges if some of its threads take the branch: let whole warps take it or not",
                "halve the active threads: for (int step = 128; step > 0; step /= 2) if (i < step) part[i] += part[i + step];",
            ],
        },
    ]
}
