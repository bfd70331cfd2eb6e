//! A case: the buffers, launches and results of one or a few kernels, as plain data, and its seeded inputs. They are
//! identical on every host: SplitMix64 (Steele, Lea and Flood 2014) as a counter-based generator.

use bytemuck::{AnyBitPattern, NoUninit};
use lanework_runtime::Dim3;
use std::fmt::Debug;

/// The inputs, launches and expected results of one or a few kernels of a unit.
pub struct Case {
    /// The source that holds the kernels.
    pub unit: &'static str,
    /// Its name in messages.
    pub name: &'static str,
    /// Named device buffers with their initial contents.
    pub buffers: Vec<(&'static str, Vec<u8>)>,
    /// Launches, in order.
    pub launches: Vec<Launch>,
    /// Checks of buffers after the launches.
    pub checks: Vec<(&'static str, Check)>,
    /// Buffers whose bits may differ between devices, with the reason; all others must agree.
    pub may_differ: Vec<(&'static str, &'static str)>,
    /// The expected outcome on the emulator.
    pub on_emulator: OnEmulator,
    /// Modules, by a part of the file's name, that the emulator does not support yet, and its error
    /// message.
    pub unsupported: Vec<(&'static str, &'static str)>,
    /// Whether it runs on a GPU: false if the kernel faults on purpose.
    pub on_gpu: bool,
}

/// Checks a buffer's bytes and describes a mismatch.
pub type Check = Box<dyn Fn(&[u8]) -> Result<(), String> + Send + Sync>;

/// One launch of an entry.
pub struct Launch {
    /// The entry's name in the PTX.
    pub entry: &'static str,
    /// Blocks.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// The parameters.
    pub arguments: Vec<Argument>,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The address of a buffer of the case.
    Buffer(&'static str),
    /// A value's bytes.
    Bytes(Vec<u8>),
}

/// The expected outcome on the emulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnEmulator {
    /// The results are right.
    Runs,
    /// The emulator does not support the kernel, or the kernel faults as expected; the message contains this text.
    Fails(&'static str),
}

impl Case {
    /// An empty case.
    pub fn new(unit: &'static str, name: &'static str) -> Case {
        Case {
            unit,
            name,
            buffers: Vec::new(),
            launches: Vec::new(),
            checks: Vec::new(),
            may_differ: Vec::new(),
            on_emulator: OnEmulator::Runs,
            unsupported: Vec::new(),
            on_gpu: true,
        }
    }

    /// With a buffer initialized to `values`.
    #[must_use]
    pub fn with<T: NoUninit>(mut self, name: &'static str, values: &[T]) -> Case {
        self.buffers.push((name, bytemuck::cast_slice(values).to_vec()));
        self
    }

    /// With a launch.
    #[must_use]
    pub fn run(
        self,
        entry: &'static str,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        arguments: &[Argument],
    ) -> Case {
        self.run_shared(entry, grid, block, 0, arguments)
    }

    /// With a launch that has `dynamic_shared` bytes of dynamic shared memory.
    #[must_use]
    pub fn run_shared(
        mut self,
        entry: &'static str,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        dynamic_shared: u32,
        arguments: &[Argument],
    ) -> Case {
        let (grid, block, arguments) = (grid.into(), block.into(), arguments.to_vec());
        self.launches.push(Launch { entry, grid, block, dynamic_shared, arguments });
        self
    }

    /// The buffer must hold exactly `values`, bit for bit.
    #[must_use]
    pub fn expects<T>(self, name: &'static str, values: &[T]) -> Case
    where
        T: AnyBitPattern + NoUninit + Debug + Send + Sync,
    {
        let expected = values.to_vec();
        self.satisfies(name, move |found: &[T]| {
            let same = |(a, b): (&T, &T)| bytemuck::bytes_of(a) == bytemuck::bytes_of(b);
            first_difference(found, &expected, same)
        })
    }

    /// Each value must be within `tolerance` of the expected one, relative to it or to 1, whichever is greater; a
    /// NaN only if one is expected.
    #[must_use]
    pub fn expects_within<T>(self, name: &'static str, values: &[T], tolerance: f64) -> Case
    where
        T: AnyBitPattern + Debug + Into<f64> + Send + Sync,
    {
        let expected = values.to_vec();
        self.satisfies(name, move |found: &[T]| {
            first_difference(found, &expected, |(a, b)| {
                let (a, b): (f64, f64) = ((*a).into(), (*b).into());
                a == b
                    || (a.is_nan() && b.is_nan())
                    || (a - b).abs() <= tolerance * b.abs().max(1.0)
            })
        })
    }

    /// The buffer must satisfy `check`.
    #[must_use]
    pub fn satisfies<T: AnyBitPattern>(
        mut self,
        name: &'static str,
        check: impl Fn(&[T]) -> Result<(), String> + Send + Sync + 'static,
    ) -> Case {
        let check = move |bytes: &[u8]| check(&from_bytes(bytes));
        self.checks.push((name, Box::new(check)));
        self
    }

    /// The bits of a buffer may differ between devices.
    #[must_use]
    pub fn may_differ(mut self, name: &'static str, why: &'static str) -> Case {
        self.may_differ.push((name, why));
        self
    }

    /// The emulator rejects or stops it with a message that contains `message`.
    #[must_use]
    pub fn fails_with(mut self, message: &'static str) -> Case {
        self.on_emulator = OnEmulator::Fails(message);
        self
    }

    /// The emulator does not support the modules whose file name contains `module` yet, and reports
    /// `message`.
    #[must_use]
    pub fn unsupported_in(mut self, module: &'static str, message: &'static str) -> Case {
        self.unsupported.push((module, message));
        self
    }

    /// It faults on purpose, which would end a GPU's context.
    #[must_use]
    pub fn not_on_gpu(mut self) -> Case {
        self.on_gpu = false;
        self
    }
}

fn first_difference<T: Debug>(
    found: &[T],
    expected: &[T],
    same: impl Fn((&T, &T)) -> bool,
) -> Result<(), String> {
    if found.len() != expected.len() {
        return Err(format!("{} values instead of {}", found.len(), expected.len()));
    }
    let wrong = || found.iter().zip(expected).enumerate().filter(|(_, pair)| !same(*pair));
    match wrong().next() {
        None => Ok(()),
        Some((i, (a, b))) => {
            Err(format!("[{i}] is {a:?} instead of {b:?}; {} differ", wrong().count()))
        }
    }
}

impl From<&'static str> for Argument {
    fn from(buffer: &'static str) -> Argument {
        Argument::Buffer(buffer)
    }
}

macro_rules! scalars {
    ($($scalar:ty)*) => {$(
        impl From<$scalar> for Argument {
            fn from(value: $scalar) -> Argument {
                Argument::Bytes(value.to_le_bytes().to_vec())
            }
        }
    )*};
}

scalars!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64);

impl From<Vec<u8>> for Argument {
    fn from(bytes: Vec<u8>) -> Argument {
        Argument::Bytes(bytes)
    }
}

/// The parameters of a launch: names of buffers, and scalars.
macro_rules! args {
    ($($argument:expr),* $(,)?) => { &[$($crate::case::Argument::from($argument)),*] };
}
pub(crate) use args;

/// Values of a type from bytes that need not be aligned for it.
fn from_bytes<T: AnyBitPattern>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
}

/// 64 pseudorandom bits that depend on the seed and the index only.
pub fn bits(seed: u64, index: usize) -> u64 {
    let mut z = seed.wrapping_mul(0xA076_1D64_78BD_642F) ^ index as u64;
    z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// `n` values made of 64 random bits each.
pub fn many<T>(seed: u64, n: usize, make: impl Fn(u64) -> T) -> Vec<T> {
    (0..n).map(|i| make(bits(seed, i))).collect()
}

/// Integers from `low` to `high`, both included.
pub fn ints(seed: u64, n: usize, low: i32, high: i32) -> Vec<i32> {
    let span = (i64::from(high) - i64::from(low) + 1) as u64;
    many(seed, n, |r| (i64::from(low) + (r % span) as i64) as i32)
}

/// 32 random bits each.
pub fn words(seed: u64, n: usize) -> Vec<u32> {
    many(seed, n, |r| (r >> 32) as u32)
}

/// Random bytes.
pub fn bytes(seed: u64, n: usize) -> Vec<u8> {
    many(seed, n, |r| (r >> 56) as u8)
}

/// Floats in -1..1, multiples of 2^-23.
pub fn floats(seed: u64, n: usize) -> Vec<f32> {
    many(seed, n, |r| (r >> 40) as f32 / 8_388_608.0 - 1.0)
}

/// Doubles in -1..1.
pub fn doubles(seed: u64, n: usize) -> Vec<f64> {
    many(seed, n, |r| (r >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
}

/// Floats that are integers from `-most` to `most`: sums of a few products of them are exact.
pub fn integer_floats(seed: u64, n: usize, most: i32) -> Vec<f32> {
    ints(seed, n, -most, most).into_iter().map(|i| i as f32).collect()
}
