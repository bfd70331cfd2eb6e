//! A kernel's work: its buffers and arguments, the reference that its output is compared with, and the inputs and instruction
//! counts of every kernel.
//!
//! The counts are sums over the labeled parts of the PTX next to the sources: change a kernel and
//! they must be counted again, or the run is refused.

/// A buffer's contents before the kernel runs.
pub struct Buffer {
    /// Its name in messages.
    pub name: &'static str,
    /// Its bytes.
    pub contents: Vec<u8>,
}

impl Buffer {
    /// A buffer of 32-bit words.
    pub fn words(name: &'static str, words: &[u32]) -> Buffer {
        Buffer { name, contents: words.iter().flat_map(|word| word.to_le_bytes()).collect() }
    }

    /// A buffer of floats.
    pub fn floats(name: &'static str, values: &[f32]) -> Buffer {
        Buffer { name, contents: values.iter().flat_map(|value| value.to_le_bytes()).collect() }
    }

    /// An output of `words` 32-bit words, filled with 0xCD.
    pub fn output(name: &'static str, words: usize) -> Buffer {
        Buffer { name, contents: vec![0xCD; words * 4] }
    }
}

/// One kernel argument.
pub enum Argument {
    /// A 32-bit integer.
    Int(u32),
    /// A 32-bit float.
    Float(f32),
    /// The address of a buffer, by its index.
    Buffer(usize),
}

/// The expected output.
pub enum Reference {
    /// These words, bit for bit.
    Words(Vec<u32>),
    /// Floats no farther from the exact values than the bounds.
    Near {
        /// The values in double precision.
        exact: Vec<f64>,
        /// The largest error allowed for each.
        bounds: Vec<f64>,
    },
}

/// The work of one kernel. The last buffer is the output.
pub struct Job {
    /// The buffers.
    pub buffers: Vec<Buffer>,
    /// The arguments, in order.
    pub arguments: Vec<Argument>,
    /// The expected contents of the last buffer.
    pub reference: Reference,
    /// PTX instructions that the lanes execute, counted by hand from the PTX.
    pub lane_instructions: u64,
}

impl Job {
    /// The index of the output buffer.
    pub fn output(&self) -> usize {
        self.buffers.len() - 1
    }

    /// Compares an output with the reference. Describes the first difference and the number of differences.
    pub fn check(&self, output: &[u8]) -> Result<(), String> {
        let words: Vec<u32> =
            output.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        let wrong: Vec<String> = match &self.reference {
            Reference::Words(expected) => words
                .iter()
                .zip(expected)
                .enumerate()
                .filter(|(_, (word, expected))| word != expected)
                .map(|(i, (word, expected))| format!("[{i}] is {word:#x}, should be {expected:#x}"))
                .collect(),
            Reference::Near { exact, bounds } => words
                .iter()
                .zip(exact.iter().zip(bounds))
                .enumerate()
                .map(|(i, (word, (exact, bound)))| {
                    (i, f64::from(f32::from_bits(*word)), exact, bound)
                })
                .filter(|(_, value, exact, bound)| {
                    let error = (value - *exact).abs();
                    error.is_nan() || error > **bound
                })
                .map(|(i, value, exact, bound)| {
                    format!("[{i}] is {value:e}, should be {exact:e} within {bound:.1e}")
                })
                .collect(),
        };
        match wrong.first() {
            Some(first) => Err(format!("wrong output: {first} ({} wrong in all)", wrong.len())),
            None => Ok(()),
        }
    }
}

/// The products are of matrices of this size.
const SIZE: usize = 512;

/// Words in the tables of `gather` and `xorshift`: 256 KiB, so that the host's cache holds them.
const TABLE: u32 = 1 << 16;

/// Steps of each thread of `xorshift`.
const STEPS: u32 = 256;

/// Instructions per thread of `sgemm_naive`: before the loop, 128 rounds of 4 products, after it.
pub const NAIVE_INSTRUCTIONS: u64 = 18 + 6 + 8 + 128 * 22 + 2 + 6;

/// Instructions per thread of `sgemm_naive_u32`.
pub const NAIVE_U32_INSTRUCTIONS: u64 = 19 + 6 + 11 + 128 * 40 + 2 + 6;

/// Instructions per thread of `sgemm_tiled`: before the loop, 32 tiles, after it.
pub const TILED_INSTRUCTIONS: u64 = 15 + 22 + 32 * 59 + 7;

/// C = A B for square matrices of [`SIZE`].
///
/// The bound is sqrt(K) u (|A||B|): the random-walk growth of K roundings of size u. Inputs rounded to
/// 10 bits of mantissa instead of 23 would miss it by far.
pub fn product(threads: u64, instructions_per_thread: u64) -> Job {
    let (a, b) = (uniform(1, SIZE * SIZE), uniform(2, SIZE * SIZE));
    let mut exact = vec![0.0; SIZE * SIZE];
    let mut bounds = vec![0.0; SIZE * SIZE];
    let growth = (SIZE as f64).sqrt() * f64::from(f32::EPSILON) / 2.0;
    for row in 0..SIZE {
        let (sums, errors) = (&mut exact[row * SIZE..][..SIZE], &mut bounds[row * SIZE..][..SIZE]);
        for k in 0..SIZE {
            let left = f64::from(a[row * SIZE + k]);
            for column in 0..SIZE {
                let term = left * f64::from(b[k * SIZE + column]);
                sums[column] += term;
                errors[column] += term.abs() * growth;
            }
        }
    }
    Job {
        buffers: vec![
            Buffer::floats("a", &a),
            Buffer::floats("b", &b),
            Buffer::output("c", SIZE * SIZE),
        ],
        arguments: vec![
            Argument::Int(SIZE as u32),
            Argument::Buffer(0),
            Argument::Buffer(1),
            Argument::Buffer(2),
        ],
        reference: Reference::Near { exact, bounds },
        lane_instructions: threads * instructions_per_thread,
    }
}

/// The transpose of a 1024 x 1024 matrix; each thread moves four elements.
pub fn transpose(threads: u64) -> Job {
    let n = ((4 * threads) as f64).sqrt() as usize;
    let src: Vec<u32> = uniform(3, n * n).into_iter().map(f32::to_bits).collect();
    let expected = (0..n * n).map(|i| src[i % n * n + i / n]).collect();
    Job {
        buffers: vec![Buffer::words("src", &src), Buffer::output("dst", n * n)],
        arguments: vec![Argument::Int(n as u32), Argument::Buffer(0), Argument::Buffer(1)],
        reference: Reference::Words(expected),
        lane_instructions: threads * 54,
    }
}

/// z = a x + y, one thread per element.
pub fn saxpy(threads: u64) -> Job {
    let n = threads as usize;
    let (a, x, y) = (0.75, uniform(4, n), uniform(5, n));
    let expected = x.iter().zip(&y).map(|(x, y)| x.mul_add(a, *y).to_bits()).collect();
    Job {
        buffers: vec![Buffer::floats("x", &x), Buffer::floats("y", &y), Buffer::output("z", n)],
        arguments: vec![
            Argument::Int(n as u32),
            Argument::Float(a),
            Argument::Buffer(0),
            Argument::Buffer(1),
            Argument::Buffer(2),
        ],
        reference: Reference::Words(expected),
        lane_instructions: threads * 23,
    }
}

/// Table words found through an index array.
pub fn gather(threads: u64) -> Job {
    let index: Vec<u32> = random(6).map(|word| word % TABLE).take(TABLE as usize).collect();
    let table: Vec<u32> = random(7).take(TABLE as usize).collect();
    let sum = |i: u32| {
        (0..8).fold(0, |sum: u32, j| {
            sum.wrapping_add(table[index[((i + j * 4096) % TABLE) as usize] as usize])
        })
    };
    Job {
        reference: Reference::Words((0..threads as u32).map(sum).collect()),
        buffers: vec![
            Buffer::words("index", &index),
            Buffer::words("table", &table),
            Buffer::output("sums", threads as usize),
        ],
        arguments: vec![
            Argument::Int(TABLE),
            Argument::Buffer(0),
            Argument::Buffer(1),
            Argument::Buffer(2),
        ],
        lane_instructions: threads * 86,
    }
}

/// Table words at xorshift-generated places.
pub fn xorshift(threads: u64) -> Job {
    let table: Vec<u32> = random(8).take(TABLE as usize).collect();
    let sum = |i: u32| {
        let (mut state, mut sum) = (i + 1, 0u32);
        for _ in 0..STEPS {
            state = xorshift_step(state);
            sum = sum.wrapping_add(table[(state % TABLE) as usize]);
        }
        sum
    };
    Job {
        reference: Reference::Words((0..threads as u32).map(sum).collect()),
        buffers: vec![Buffer::words("table", &table), Buffer::output("sums", threads as usize)],
        arguments: vec![
            Argument::Int(TABLE),
            Argument::Int(STEPS),
            Argument::Buffer(0),
            Argument::Buffer(1),
        ],
        lane_instructions: threads * (12 + 7 + 2 + u64::from(STEPS) / 4 * 47 + 2 + 5),
    }
}

/// Collatz steps of 1, 2, ..., in one divergent loop.
pub fn collatz(threads: u64) -> Job {
    collatz_job(
        threads,
        |first, odd, halvings| {
            if first == 1 { 10 + 5 } else { 11 + 8 * (odd + halvings) + 5 }
        },
    )
}

/// Collatz steps of 1, 2, ..., in a divergent loop inside another.
pub fn collatz_nested(threads: u64) -> Job {
    collatz_job(threads, |first, odd, halvings| {
        let inner_loops = odd + u64::from(first % 2 == 0);
        10 + 5 * (odd + 1) + inner_loops + 6 * halvings + 2 * (odd + 1) + 3 * odd + 4
    })
}

/// `instructions` counts one thread's instructions from its number, its odd steps and its halvings. No
/// sequence from up to 131,072 exceeds 32 bits.
fn collatz_job(threads: u64, instructions: impl Fn(u64, u64, u64) -> u64) -> Job {
    let mut lane_instructions = 0;
    let mut steps = Vec::new();
    for first in 1..=threads {
        let (mut value, mut odd, mut halvings) = (first, 0, 0);
        while value != 1 {
            if value % 2 == 0 {
                value /= 2;
                halvings += 1;
            } else {
                value = 3 * value + 1;
                odd += 1;
            }
        }
        lane_instructions += instructions(first, odd, halvings);
        steps.push((odd + halvings) as u32);
    }
    Job {
        buffers: vec![Buffer::output("steps", steps.len())],
        arguments: vec![Argument::Int(1), Argument::Buffer(0)],
        reference: Reference::Words(steps),
        lane_instructions,
    }
}

/// Floats uniform in [-1, 1).
fn uniform(seed: u32, count: usize) -> Vec<f32> {
    random(seed).map(|word| (word >> 8) as f32 / (1 << 23) as f32 - 1.0).take(count).collect()
}

/// Random words, the same for the same seed.
fn random(seed: u32) -> impl Iterator<Item = u32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9) | 1;
    std::iter::repeat_with(move || {
        state = xorshift_step(state);
        state.wrapping_mul(0x2545_F491)
    })
}

fn xorshift_step(mut state: u32) -> u32 {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    state
}
