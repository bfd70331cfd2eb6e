//! `ldmatrix`, `stmatrix` and `movmatrix` as single instructions: 8 x 8 matrices of 16-bit elements,
//! one row per lane's address.

use crate::data::place::{Place, Space};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::{Register, Value};
use crate::scalar::number::Element;
use crate::scalar::var::{IntoVar, Var};
use lanework_ptx::{Operand, ScalarType};

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

/// Loads `N` (1, 2 or 4) matrices of 8 rows of 16 bytes from shared memory: lane `8 * j + r` gives the
/// address of row `r` of matrix `j`, and every lane gets 4 bytes of each, of row `lane / 4`
/// (`ldmatrix`). [`FragmentA::load`](crate::prelude::FragmentA) computes the addresses itself.
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

/// As [`ldmatrix`], with every matrix of 16-bit elements transposed on the way (`ldmatrix.trans`).
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
///     // Transposed on the way in and on the way out: the same again.
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

/// Stores `N` (1, 2 or 4) matrices of 8 rows of 16 bytes to shared memory, as [`ldmatrix`] loads them
/// (`stmatrix`, from sm_90).
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

/// As [`stmatrix`], with every matrix of 16-bit elements transposed on the way (`stmatrix.trans`).
#[track_caller]
pub fn stmatrix_trans<const N: usize, T: Element>(row: Place<T>, words: [impl IntoVar<u32>; N]) {
    here();
    stored(true, row, words.map(|word| word.into_var().value));
}

/// Transposes an 8 x 8 matrix of 16-bit elements that the warp holds as [`ldmatrix`] loads one
/// (`movmatrix`).
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
