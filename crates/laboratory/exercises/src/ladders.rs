//! The ladders of the course notes' experiments in CUDA C++, to climb in the page: each rung is a kernel with one idea, and a goal that the
//! rung before it misses. A learner starts with the kernel of the rung before.
//!
//! A rung is one file, which opens with its idea in English and in Chinese, and one line of a table.

use crate::expected::ExpectedResult;
use crate::goals::{Goal, Missed};

/// A ladder.
pub struct Ladder {
    /// Its name in links.
    pub name: &'static str,
    /// Its subject in English and in Chinese.
    pub title: [&'static str; 2],
    /// The problem's size in checks.
    pub small: u64,
    /// The problem's size in predictions.
    pub large: u64,
    /// The rungs, from the simplest.
    pub rungs: &'static [Rung],
}

/// A rung.
pub struct Rung {
    /// Its name in links.
    pub name: &'static str,
    /// The experiment's identifier.
    pub experiment: &'static str,
    /// The file: the idea in both languages, then the kernel.
    text: &'static str,
    /// Grid, block and arguments, as for `lanework run`; `N` is the problem's size, and `NN` its square. The last array is the result.
    launch: &'static str,
    /// The expected result.
    pub expected: ExpectedResult,
    /// Limits for counters, at the small size.
    pub goals: &'static [Goal],
    /// The limit for the predicted time on an H200 at the large size, in microseconds.
    pub most_us: Option<f64>,
}

impl Rung {
    /// A line of the file's head, without its mark.
    fn head(&self, mark: &str) -> &'static str {
        let lines = self.text.lines().take(2);
        lines.filter_map(|line| line.strip_prefix(mark)).next().unwrap_or_default()
    }

    /// The idea in English and in Chinese.
    pub fn idea(&self) -> [&'static str; 2] {
        [self.head("// Idea: "), self.head("// 思路：")]
    }

    /// The kernel, without the idea.
    pub fn source(&self) -> &'static str {
        self.text.splitn(3, '\n').last().unwrap_or_default()
    }

    /// The launch for a problem's size.
    pub fn launch(&self, size: u64) -> String {
        let mut text = String::new();
        let mut rest = self.launch;
        while let Some((before, after)) = rest.split_once('N') {
            let (base, after) = match after.strip_prefix('N') {
                Some(after) => (size * size, after),
                None => (size, after),
            };
            let digits =
                |after: &str| after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            let operand = after.get(1..).map_or(0, digits);
            let number = after.get(1..=operand).and_then(|digits| digits.parse::<u64>().ok());
            let value = match (after.as_bytes().first(), number) {
                (Some(b'/'), Some(number)) => Some(base.div_ceil(number)),
                (Some(b'*'), Some(number)) => Some(base * number),
                (Some(b'+'), Some(number)) => Some(base + number),
                _ => None,
            };
            rest = if value.is_some() { &after[1 + operand..] } else { after };
            text.push_str(before);
            text.push_str(&value.unwrap_or(base).to_string());
        }
        text + rest
    }

    /// The first limit that the counters of a kernel with the right result do not keep.
    pub fn missed(&self, counters: &lanework_emulator::Counters) -> Option<Missed> {
        let idea = self.idea()[0];
        self.goals.iter().find_map(|goal| goal.missed(counters, idea, idea))
    }

    /// The reason why a kernel with this predicted time, in microseconds, is no solution.
    pub fn too_slow(&self, microseconds: f64) -> Option<String> {
        let most = self.most_us.filter(|most| microseconds > *most)?;
        Some(format!(
            "the result is right; predicted time on an H200: {microseconds:.1} us, the goal is {most} us"
        ))
    }
}

/// All ladders.
pub fn ladders() -> &'static [Ladder] {
    LADDERS
}

const fn rung(
    name: &'static str,
    experiment: &'static str,
    text: &'static str,
    launch: &'static str,
    expected: ExpectedResult,
    goals: &'static [Goal],
) -> Rung {
    Rung { name, experiment, text, launch, expected, goals, most_us: None }
}

impl Rung {
    /// The same rung with a limit for its predicted time.
    const fn within_us(self, most: f64) -> Rung {
        Rung { most_us: Some(most), ..self }
    }
}

/// The file of a rung.
macro_rules! kernel {
    ($path:literal) => {
        include_str!(concat!("ladders/", $path, ".cu"))
    };
}

fn greeting(x: u32, y: u32, block: u32) -> String {
    format!("Hello World from Thread ({x}, {y}) in Block {block}!")
}

fn greetings() -> Vec<String> {
    let threads = (0..2).flat_map(|y| (0..4).map(move |x| (x, y)));
    threads.flat_map(|(x, y)| (0..3).map(move |block| greeting(x, y, block))).collect()
}

const SQUARES: ExpectedResult = ExpectedResult::Sum(|arrays| arrays[0].iter().map(|x| x * x).sum());

const TRANSPOSED: ExpectedResult = ExpectedResult::Elements(
    |arrays, numbers| {
        let n = numbers[0] as usize;
        (0..n * n).map(|at| arrays[0][at % n * n + at / n]).collect()
    },
    0.0,
);

/// The element of a product of matrices with this many numbers from row to row.
fn dot(arrays: &[Vec<f64>], n: usize, pitch: usize, row: usize, column: usize) -> f64 {
    (0..n).map(|k| arrays[0][row * pitch + k] * arrays[1][k * pitch + column]).sum()
}

/// `c = alpha a b + beta c`, from n, alpha and beta.
const SGEMM: ExpectedResult = ExpectedResult::Elements(
    |arrays, numbers| {
        let n = numbers[0] as usize;
        let result =
            |at: usize| numbers[1] * dot(arrays, n, n, at / n, at % n) + numbers[2] * arrays[2][at];
        (0..n * n).map(result).collect()
    },
    1e-4,
);

/// The product within an error, from n and the number of elements from row to row.
const fn product_within(error: f64) -> ExpectedResult {
    let elements = |arrays: &[Vec<f64>], numbers: &[f64]| {
        let (n, pitch) = (numbers[0] as usize, numbers[1] as usize);
        let result = |at: usize| match (at / pitch, at % pitch) {
            (row, column) if column < n => dot(arrays, n, pitch, row, column),
            _ => f64::NAN,
        };
        (0..n * pitch).map(result).collect::<Vec<f64>>()
    };
    ExpectedResult::Elements(elements, error)
}

const INT_PRODUCT: ExpectedResult = ExpectedResult::Elements(
    |arrays, numbers| {
        let n = numbers[0] as usize;
        (0..n * n).map(|at| dot(arrays, n, n, at / n, at % n)).collect()
    },
    0.0,
);

#[rustfmt::skip]
const LADDERS: &[Ladder] = &[
    Ladder { name: "hello", title: ["Hello world", "你好，世界"], small: 1, large: 1, rungs: &[
        rung("one-thread", "B1", kernel!("hello/1-one-thread"), "--grid 1 --block 1", ExpectedResult::Lines(|| vec![greeting(0, 0, 0)]), &[]),
        rung("threads", "B1", kernel!("hello/2-threads"), "--grid 3 --block 4x2", ExpectedResult::Lines(greetings), &[]),
        rung("leaders", "B1", kernel!("hello/3-leaders"), "--grid 3 --block 4x2", ExpectedResult::Lines(|| (0..3).map(|block| greeting(0, 0, block)).collect()), &[]),
    ] },
    Ladder { name: "sum-squares", title: ["Sum of squares", "平方和"], small: 1 << 16, large: 1 << 20, rungs: &[
        rung("one-thread", "A1", kernel!("sum_squares/1-one-thread"), "--grid 1 --block 1 rand:N uninit:1 N", SQUARES, &[]),
        rung("chunked", "A2", kernel!("sum_squares/2-chunked"), "--grid 1 --block 256 rand:N uninit:256 N", SQUARES, &[Goal::global_loads(2048.0)]),
        rung("interleaved", "A3", kernel!("sum_squares/3-interleaved"), "--grid 1 --block 256 rand:N uninit:256 N", SQUARES, &[Goal::sectors_per_load(4.0)]),
        rung("many-blocks", "A4", kernel!("sum_squares/4-many-blocks"), "--grid 32 --block 256 rand:N uninit:8192 N", SQUARES, &[Goal::global_loads(2048.0)]).within_us(25.0),
        rung("block-serial", "A5", kernel!("sum_squares/5-block-serial"), "--grid 32 --block 256 rand:N uninit:32 N", SQUARES, &[Goal::global_loads(2048.0), Goal::barriers(256.0)]),
        rung("tree-interleaved", "A6", kernel!("sum_squares/6-tree-interleaved"), "--grid 32 --block 256 rand:N uninit:32 N", SQUARES, &[Goal::few_shared_loads(3040.0)]),
        rung("tree-halving", "A7", kernel!("sum_squares/7-tree-halving"), "--grid 32 --block 256 rand:N uninit:32 N", SQUARES, &[Goal::few_shared_loads(800.0)]),
        rung("tree-unrolled", "A8", kernel!("sum_squares/8-tree-unrolled"), "--grid 32 --block 256 rand:N uninit:32 N", SQUARES, &[Goal::few_shared_loads(448.0), Goal::warp_instructions(20_000.0)]),
    ] },
    Ladder { name: "transpose", title: ["Transpose", "转置"], small: 128, large: 2048, rungs: &[
        rung("naive", "B2", kernel!("transpose/1-naive"), "--grid N/32xN/32 --block 32x32 rand:NxN uninit:NxN N", TRANSPOSED, &[]),
        rung("row-order", "B6", kernel!("transpose/2-row-order"), "--grid N/32xN/32 --block 32x32 rand:NxN uninit:NxN N", TRANSPOSED, &[Goal::shared_loads(512.0)]),
        rung("direct", "B5", kernel!("transpose/3-direct"), "--grid N/32xN/32 --block 32x32 rand:NxN uninit:NxN N", TRANSPOSED, &[Goal::sectors_per_load(4.0)]),
        rung("unpadded", "B4", kernel!("transpose/4-unpadded"), "--grid N/32xN/32 --block 32x32 rand:NxN uninit:NxN N", TRANSPOSED, &[Goal::sectors_per_load(4.0), Goal::sectors_per_store(4.0)]).within_us(40.0),
        rung("padded", "B3", kernel!("transpose/5-padded"), "--grid N/32xN/32 --block 32x32 rand:NxN uninit:NxN N", TRANSPOSED, &[Goal::sectors_per_load(4.0), Goal::sectors_per_store(4.0), Goal::no_bank_conflicts()]),
    ] },
    Ladder { name: "matmul", title: ["Matrix product: C = alpha A B + beta C", "矩阵乘积：C = alpha A B + beta C"], small: 128, large: 2048, rungs: &[
        rung("uncoalesced", "D1", kernel!("matmul/1-uncoalesced"), "--grid N/32xN/32 --block 32x32 rand:NxN rand:NxN:2 rand:NxN:3 N 0.5 2", SGEMM, &[]),
        rung("coalesced", "D2, C2", kernel!("matmul/2-coalesced"), "--grid N/32xN/32 --block 32x32 rand:NxN rand:NxN:2 rand:NxN:3 N 0.5 2", SGEMM, &[Goal::sectors_per_load(3.0), Goal::sectors_per_store(4.0)]).within_us(8000.0),
        rung("shared", "D3, C3", kernel!("matmul/3-shared"), "--grid N/32xN/32 --block 32x32 rand:NxN rand:NxN:2 rand:NxN:3 N 0.5 2", SGEMM, &[Goal::global_loads(4608.0)]),
        rung("tile-1d", "D", kernel!("matmul/4-tile-1d"), "--grid N/64xN/64 --block 512 rand:NxN rand:NxN:2 rand:NxN:3 N 0.5 2", SGEMM, &[Goal::global_loads(2560.0), Goal::few_shared_loads(73_728.0)]),
        rung("tile-2d", "D", kernel!("matmul/5-tile-2d"), "--grid N/64xN/64 --block 64 rand:NxN rand:NxN:2 rand:NxN:3 N 0.5 2", SGEMM, &[Goal::global_loads(2560.0), Goal::few_shared_loads(16_384.0)]).within_us(800.0),
    ] },
    Ladder { name: "exact", title: ["Exact matrix product", "精确的矩阵乘积"], small: 122, large: 1002, rungs: &[
        rung("naive", "A9", kernel!("exact/1-naive"), "--grid NN/256 --block 256 rand:NxN rand:NxN:2 uninit:NxN N N", product_within(1e-4), &[]),
        rung("kahan", "A10", kernel!("exact/2-kahan"), "--grid NN/256 --block 256 rand:NxN rand:NxN:2 uninit:NxN N N", product_within(1e-6), &[]),
        rung("row-shared", "A11", kernel!("exact/3-row-shared"), "--grid N --block 256 --shared N*4 rand:NxN rand:NxN:2 uninit:NxN N N", product_within(1e-6), &[Goal::global_loads(61_000.0)]),
        rung("pitched", "A12", kernel!("exact/4-pitched"), "--grid N --block 256 --shared N*4 rand:NxN+6 rand:NxN+6:2 uninit:NxN+6 N N+6", product_within(1e-6), &[Goal::global_loads(61_000.0), Goal::sectors_per_load(4.0)]),
        rung("blocked", "A13", kernel!("exact/5-blocked"), "--grid N/16xN/16 --block 16x16 rand:NxN+6 rand:NxN+6:2 uninit:NxN+6 N N+6", product_within(1e-6), &[Goal::global_loads(8192.0)]),
        rung("zero-padded", "A14", kernel!("exact/6-zero-padded"), "--grid N/16xN/16 --block 16x16 rand:N+6xN+6 rand:N+6xN+6:2 uninit:N+6xN+6 N+6 N+6", product_within(1e-6), &[Goal::global_loads(8192.0), Goal::warp_instructions(480_000.0)]),
    ] },
    Ladder { name: "int-matmul", title: ["Matrix product of integers", "整数矩阵乘积"], small: 128, large: 2048, rungs: &[
        rung("naive", "E1", kernel!("int_matmul/1-naive"), "--grid N/16xN/16 --block 16x16 rand:NxN rand:NxN:2 uninit:NxN N", INT_PRODUCT, &[]),
        rung("register-tile", "E2", kernel!("int_matmul/2-register-tile"), "--grid N/32xN/32 --block 16x16 rand:NxN rand:NxN:2 uninit:NxN N", INT_PRODUCT, &[Goal::global_loads(65_536.0)]),
        rung("shared-tile", "E3", kernel!("int_matmul/3-shared-tile"), "--grid N/16xN/16 --block 16x16 rand:NxN rand:NxN:2 uninit:NxN N", INT_PRODUCT, &[Goal::global_loads(8192.0)]),
    ] },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rung_opens_with_its_idea_in_both_languages() {
        for rung in ladders().iter().flat_map(|ladder| ladder.rungs) {
            let [english, chinese] = rung.idea();
            assert!(!english.is_empty() && !chinese.is_empty(), "{}", rung.name);
            assert!(rung.source().contains("__global__ void"), "{}", rung.name);
            assert!(!rung.source().contains("Idea:"), "{}", rung.name);
        }
    }

    #[test]
    fn launches_compute_with_the_problem_size() {
        let of = |ladder: usize, rung: usize, size| ladders()[ladder].rungs[rung].launch(size);
        assert_eq!(of(1, 0, 64), "--grid 1 --block 1 rand:64 uninit:1 64");
        assert_eq!(of(2, 0, 100), "--grid 4x4 --block 32x32 rand:100x100 uninit:100x100 100");
        assert!(of(4, 3, 122).starts_with("--grid 122 --block 256 --shared 488 rand:122x128 "));
        assert!(of(4, 0, 122).starts_with("--grid 59 "), "{}", of(4, 0, 122));
    }
}
