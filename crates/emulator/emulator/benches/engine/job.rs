//! A kernel's work: its buffers and arguments, and the reference its output is held against.

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

    /// An output of so many 32-bit words, filled with 0xCD.
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

    /// Holds an output against the reference; says where it differs first, and how often.
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
