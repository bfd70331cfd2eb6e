//! Loads of fragments: by `ldmatrix` if the layout in shared memory allows it, else by each lane's own accesses. Also `ldmatrix`,
//! `stmatrix` and `movmatrix` as single instructions: 8 x 8 matrices of 16-bit elements, one row per lane's address.

use crate::data::place::{Place, Space};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::{Register, Value};
use crate::scalar::number::{Element, IndexValue};
use crate::scalar::var::{IntoVar, Scalar, Var};
use crate::tensor_cores::element::{MatrixElement, pack, put, unit_bits};
use crate::tensor_cores::fragment::{Fragment, FragmentA, FragmentB, FragmentC, Right, Role};
use crate::tensor_cores::layout::{
    At, Part, add, constant, index, plus, position, row_of_lane, warp_row, word,
};
use crate::tensor_cores::tile::source::Source;
use lanework_ptx::{Operand, ScalarType};

/// Whether `ldmatrix` can load fragments of `T` from `S`, and whether it has to transpose.
fn matrix_rows<P: Role, T: MatrixElement, S: Source>(source: S) -> Option<bool> {
    let along = match P::PART {
        Part::B => !S::BY_ROWS,
        _ => S::BY_ROWS,
    };
    let fits =
        S::SPACE == Space::Shared && source.alignment() == 16 && T::REGISTER == ScalarType::B32;
    (fits && (along || unit_bits::<T>() == 16)).then_some(!along)
}

/// The extent of one 8 x 8 matrix of a fragment's registers: rows and columns.
fn matrix_extent<P: Role, T: MatrixElement>() -> (u32, u32) {
    let along = 128 / unit_bits::<T>();
    match P::PART {
        Part::B => (along, 8),
        _ => (8, along),
    }
}

impl<P: Role, T: MatrixElement, const R: u32, const C: u32> Fragment<P, T, R, C> {
    /// Loads the fragment that starts at row `row` and column `column` of the matrix. Every lane of the warp takes part.
    ///
    /// From shared memory this is `ldmatrix`, with `.trans` for 16-bit elements that are stored transposed. From global memory, or if
    /// `ldmatrix` does not support the type or the layout, each lane loads its elements, adjacent ones in one load.
    #[track_caller]
    pub fn load<S: Source<Element = T::Storage>>(
        source: S,
        row: impl IndexValue,
        column: impl IndexValue,
    ) -> Self {
        here();
        let start = with(|b| (word(b, row.parts()), word(b, column.parts())));
        let this = with(|b| Self::declare(b, false));
        let registers = this.registers();
        match matrix_rows::<P, T, S>(source).filter(|_| P::PART != Part::C) {
            Some(transposed) => {
                let steps = Self::steps();
                load_matrices(source, &registers, transposed, steps, start);
            }
            None => this.load_elements(source, start),
        }
        this
    }

    /// Distances of the second and third registers' matrices from the first one's.
    fn steps() -> [(u32, u32); 2] {
        let (rows, columns) = matrix_extent::<P, T>();
        match (P::PART, Self::layout().lines()) {
            (Part::B, _) => [(rows, 0), (2 * rows, 0)],
            (_, 1) => [(0, columns), (0, 2 * columns)],
            _ => [(rows, 0), (0, columns)],
        }
    }

    /// Loads each lane's elements by its own loads.
    fn load_elements<S: Source<Element = T::Storage>>(self, source: S, start: At) {
        let layout = self.layout_here();
        let per = layout.per_register;
        let run = layout.run();
        let along = if P::PART == Part::B { !S::BY_ROWS } else { S::BY_ROWS };
        let at = |i: u32, count: u32| {
            let place = with(|b| {
                let (row, column) = layout.place(i);
                let warp = warp_row(b, layout.warps());
                let here = (position(b, row), position(b, column));
                let here = plus(b, here, (warp, constant(0)));
                plus(b, start, here)
            });
            source.spot(index(place.0), index(place.1), count)
        };
        let size = unit_bits::<T>() / 8;
        let together = along && source.alignment() >= size * run.max(per);
        for (which, register) in self.registers().into_iter().enumerate() {
            let first = which as u32 * per;
            if together && per > 1 {
                let place = at(first, per);
                with(|b| load_word(b, register, place));
                continue;
            }
            let parts: Vec<Value> =
                (first..first + per).map(|i| at(i, 1).load_with("").value).collect();
            with(|b| {
                let word = pack(b, &parts, T::Storage::SCALAR);
                put(b, register, word, T::REGISTER);
            });
        }
    }
}

/// A register's scalars, which are adjacent, in one load.
fn load_word<U>(b: &mut Builder, register: Register, place: Place<U>) {
    let name = format!("ld.{}.b32", place.space.word());
    let operands = vec![register.name().into(), place.operand(b)];
    b.emit(&name, operands);
}

/// `ldmatrix` of up to four registers' matrices at a time.
fn load_matrices<S: Source>(
    source: S,
    registers: &[Register],
    transposed: bool,
    steps: [(u32, u32); 2],
    start: At,
) {
    let at = with(|b| {
        let lane = row_of_lane(b, S::BY_ROWS, registers.len(), steps);
        plus(b, start, lane)
    });
    let place = source.spot(index(at.0), index(at.1), 16 / S::Element::SCALAR.size());
    with(|b| load_rows(b, registers, transposed, place));
}

impl<T: MatrixElement, const K: u32, const N: u32> FragmentB<T, K, N> {
    /// Loads two adjacent fragments, columns `column` to `column + 2 * N - 1`, with one `ldmatrix` instead of two.
    ///
    /// ```
    /// # use half::{bf16, f16};
    /// # use lanework::prelude::*;
    /// /// `c = a * transpose(a)` of 16 x 16 elements, from a tile by `ldmatrix`.
    /// #[kernel(block = 32)]
    /// fn example(a: &[f16], c: &mut [f32]) {
    ///     let tile = SharedTile::<f16, 16, 16, Swizzle32>::new();
    ///     for i in (thread_idx.x..256).step_by(32) {
    ///         tile[[i / 16, i % 16]] = a[i];
    ///     }
    ///     sync_warp(FULL_MASK);
    ///     let left = FragmentA::<f16, 16, 16>::load(tile, 0, 0);
    ///     let right = FragmentB::<f16, 16, 8>::load_pair(tile.t(), 0, 0);
    ///     #[unroll]
    ///     for i in 0..2u32 {
    ///         let mut sum = FragmentC::<f32, 16, 8>::zero();
    ///         sum.mma(left, right[i]);
    ///         sum.store(c.matrix(16), 0, 8 * i);
    ///     }
    /// }
    /// # let device = Device::emulator();
    /// # let a: Vec<f16> = (0..256).map(|i| f16::from_f32((i / 16) as f32)).collect();
    /// # let a = device.upload(&a)?;
    /// # let mut c = device.zeros::<f32>(256)?;
    /// # example(&a, &mut c).grid(1).block(32).launch(&device)?;
    /// assert_eq!(c.download()?[3 * 16 + 9], 16.0 * 3.0 * 9.0);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn load_pair<S: Source<Element = T::Storage>>(
        source: S,
        row: impl IndexValue,
        column: impl IndexValue,
    ) -> [Self; 2] {
        here();
        let (row, column) = (row.parts(), column.parts());
        let start = with(|b| (word(b, row), word(b, column)));
        let pair = with(|b| [Self::declare(b, false), Self::declare(b, false)]);
        let registers: Vec<Register> = pair.iter().flat_map(|this| this.registers()).collect();
        let steps = match registers.len() {
            2 => Some([(0, N), (0, 0)]),
            4 => Some([Self::steps()[0], (0, N)]),
            _ => None,
        };
        match (matrix_rows::<Right, T, S>(source), steps) {
            (Some(transposed), Some(steps)) => {
                load_matrices(source, &registers, transposed, steps, start);
            }
            _ => {
                pair[0].load_elements(source, start);
                let next = with(|b| (start.0, add(b, start.1, constant(N))));
                pair[1].load_elements(source, next);
            }
        }
        pair
    }
}

impl<T: MatrixElement, const M: u32, const K: u32> FragmentA<T, M, K> {
    /// Makes a left factor of 16-bit elements from the registers of `sums`, results of 8 columns each, as flash attention does between
    /// its two products. The kernel is rejected if the shapes do not agree.
    #[track_caller]
    pub fn from_sums<const N: u32, const COUNT: usize>(sums: [FragmentC<T, M, N>; COUNT]) -> Self {
        here();
        with(|b| {
            if T::BITS != 16 || N * COUNT as u32 != K {
                b.error(
                    format!(
                        "{COUNT} sums of {M} x {N} {} are not a factor of {M} x {K} 16-bit elements",
                        T::NAME
                    ),
                    format!("convert them with `.to::<bf16>()`, and pass sums with {K} columns in total"),
                );
            }
            let this = Self::declare(b, false);
            let from = sums.iter().flat_map(|sum| sum.registers());
            for (to, from) in this.registers().into_iter().zip(from) {
                put(b, to, Value::Register(from), T::REGISTER);
            }
            this
        })
    }
}

fn check<T>(b: &mut Builder, place: Place<T>, count: usize, what: &str) {
    if place.space != Space::Shared {
        b.error(format!("`{what}` needs rows in shared memory"), "copy them to a tile first");
    }
    if ![1, 2, 4].contains(&count) {
        b.error(format!("`{what}` moves 1, 2 or 4 matrices, not {count}"), "choose one of them");
    }
}

/// `ldmatrix` into registers.
pub(crate) fn load_rows<T>(b: &mut Builder, to: &[Register], transposed: bool, from: Place<T>) {
    check(b, from, to.len(), "ldmatrix");
    let trans = if transposed { ".trans" } else { "" };
    let name = format!("ldmatrix.sync.aligned.m8n8.x{}{trans}.shared.b16", to.len());
    let list = to.iter().map(|register| register.name().into()).collect();
    let operands = vec![Operand::Vector(list), from.operand(b)];
    b.emit(&name, operands);
}

/// `stmatrix` from registers.
pub(crate) fn store_rows<T>(b: &mut Builder, to: Place<T>, transposed: bool, from: &[Value]) {
    check(b, to, from.len(), "stmatrix");
    let trans = if transposed { ".trans" } else { "" };
    let name = format!("stmatrix.sync.aligned.m8n8.x{}{trans}.shared.b16", from.len());
    let list = from.iter().map(|value| b.bit_operand(*value, ScalarType::B32)).collect();
    let operands = vec![to.operand(b), Operand::Vector(list)];
    b.emit(&name, operands);
}

fn loaded<const N: usize, T: Element>(transposed: bool, from: Place<T>) -> [Var<u32>; N] {
    with(|b| {
        let registers: [Register; N] = std::array::from_fn(|_| b.register(ScalarType::B32, false));
        load_rows(b, &registers, transposed, from);
        registers.map(|register| Var::new(Value::Register(register)))
    })
}

/// Loads `N` (1, 2 or 4) matrices of 8 rows of 16 bytes from shared memory (`ldmatrix`): lane `8 * j + r` provides the address of
/// row `r` of matrix `j`, and every lane receives 4 bytes of row `lane / 4` of each matrix.
/// [`FragmentA::load`](crate::prelude::FragmentA) computes the addresses itself.
///
/// ```
/// # use half::{bf16, f16};
/// # use lanework::prelude::*;
/// #[kernel(block = 32)]
/// fn example(out: &mut [u32]) {
///     let words = shared::<u32>([8, 4]);
///     let lane = thread_idx.x;
///     words[[lane / 4, lane % 4]] = lane;
///     sync_warp(FULL_MASK);
///     let [word] = ldmatrix::<1, _>(&mut words[[lane % 8, 0]]);
///     out[lane] = word;
/// }
/// # let device = Device::emulator();
/// # let mut out = device.zeros::<u32>(32)?;
/// # example(&mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?, std::array::from_fn::<u32, 32, _>(|lane| lane as u32));
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn ldmatrix<const N: usize, T: Element>(row: Place<T>) -> [Var<u32>; N] {
    here();
    loaded(false, row)
}

/// As [`ldmatrix`], but transposes every matrix of 16-bit elements (`ldmatrix.trans`).
///
/// ```
/// # use lanework::prelude::*;
/// use half::f16;
///
/// #[kernel(block = 32)]
/// fn example(x: &[f16], out: &mut [f16]) {
///     let (from, to) = (shared::<f16>([8, 8]), shared::<f16>([8, 8]));
///     let (row, column) = (thread_idx.x / 8, thread_idx.x % 8);
///     from[[row, column]] = x[thread_idx.x];
///     from[[row + 4, column]] = x[32 + thread_idx.x];
///     sync_warp(FULL_MASK);
///     // Transposing in the load and in the store restores the matrix.
///     let words = ldmatrix_trans::<1, _>(&mut from[[column, 0]]);
///     stmatrix_trans(&mut to[[column, 0]], words);
///     sync_warp(FULL_MASK);
///     out[thread_idx.x] = to[[row, column]];
/// }
/// # let device = Device::emulator();
/// # let x: Vec<f16> = (0..64).map(|i| f16::from_f32(i as f32)).collect();
/// # let x = device.upload(&x)?;
/// # let mut out = device.zeros::<f16>(32)?;
/// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?, x.download()?[..32]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn ldmatrix_trans<const N: usize, T: Element>(row: Place<T>) -> [Var<u32>; N] {
    here();
    loaded(true, row)
}

fn stored<const N: usize, T: Element>(transposed: bool, row: Place<T>, words: [Value; N]) {
    with(|b| store_rows(b, row, transposed, &words));
}

/// Stores `N` (1, 2 or 4) matrices of 8 rows of 16 bytes to shared memory, the inverse of [`ldmatrix`] (`stmatrix`, from sm_90).
///
/// ```
/// # use half::{bf16, f16};
/// # use lanework::prelude::*;
/// #[kernel(block = 32)]
/// fn example(out: &mut [u32]) {
///     let words = shared::<u32>([8, 4]);
///     let lane = thread_idx.x;
///     stmatrix(&mut words[[lane % 8, 0]], [lane]);
///     sync_warp(FULL_MASK);
///     out[lane] = words[[lane / 4, lane % 4]];
/// }
/// # let device = Device::emulator();
/// # let mut out = device.zeros::<u32>(32)?;
/// # example(&mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?, std::array::from_fn::<u32, 32, _>(|lane| lane as u32));
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn stmatrix<const N: usize, T: Element>(row: Place<T>, words: [impl IntoVar<u32>; N]) {
    here();
    stored(false, row, words.map(|word| word.into_var().value));
}

/// As [`stmatrix`], but transposes every matrix of 16-bit elements (`stmatrix.trans`).
#[track_caller]
pub fn stmatrix_trans<const N: usize, T: Element>(row: Place<T>, words: [impl IntoVar<u32>; N]) {
    here();
    stored(true, row, words.map(|word| word.into_var().value));
}

/// Transposes an 8 x 8 matrix of 16-bit elements that the warp holds in the layout of [`ldmatrix`] (`movmatrix`).
///
/// ```
/// # use half::{bf16, f16};
/// # use lanework::prelude::*;
/// #[kernel(block = 32)]
/// fn example(out: &mut [u32]) {
///     // Row r holds the numbers 8 r to 8 r + 7, two in a word.
///     let first = 2 * thread_idx.x;
///     out[thread_idx.x] = movmatrix(first | (first + 1) << 16);
/// }
/// # let device = Device::emulator();
/// # let mut out = device.zeros::<u32>(32)?;
/// # example(&mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?[4], 1 | 9 << 16); // row 1: column 1 of rows 0 and 1
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn movmatrix(word: impl IntoVar<u32>) -> Var<u32> {
    here();
    let word = word.into_var().value;
    Var::new(with(|b| {
        let from = b.bit_operand(word, ScalarType::B32);
        let from = match from {
            Operand::Immediate(_) => {
                let register = b.register(ScalarType::B32, false);
                b.assign(register, word, ScalarType::U32);
                register.name().into()
            }
            other => other,
        };
        b.emit_to("movmatrix.sync.aligned.m8n8.trans.b16", ScalarType::U32, vec![from])
    }))
}
