//! Loads and stores of local memory in their common form: one element per lane, all lanes active and at the same address, each in
//! its own memory. Anything else falls back to the general handlers of [`crate::instructions::access`].

use crate::instructions::access::{Load, Store, collect};
use crate::machine::context::{Body, wide};
use crate::machine::slot::{Elem, SCALAR, Scalar, WIDE as WIDE_FORM};
use crate::machine::{Op, Warp};
use crate::memory::guest;
use std::marker::PhantomData;

/// The host address of the first lane's element, and the distance to the next lane's; `None` if the access is of another form,
/// outside, or not aligned.
///
/// # Safety
/// As for [`Body::run`], and the assembler chose the handler for the width of the address operand, which is in scalar form.
#[inline(always)]
unsafe fn place<T: Elem, const WIDE: bool>(op: &Op, warp: &Warp) -> Option<(*mut T, usize)> {
    let form = if WIDE { SCALAR | WIDE_FORM } else { SCALAR };
    // SAFETY: `op.b` is a register in scalar form, as this function requires; the worker owns the context while its warps run.
    let (scalar, context) = unsafe { (*warp.known(op.b, form).cast::<Scalar>(), &*warp.context) };
    let [first, second] = scalar.base;
    let differs = (first ^ second) | scalar.stride;
    // 32-bit addresses wrap as their register does.
    let low = |word: u64| if WIDE { word } else { word & 0xffff_ffff };
    let offset = low(first.wrapping_add(op.imm));
    let (bytes, size) = (size_of::<T>() as u64, context.local_bytes);
    let inside = offset < size.saturating_sub(bytes - 1) && offset & (bytes - 1) == 0;
    if warp.mask != u32::MAX || low(differs) != 0 || !inside {
        return None;
    }
    let start = u64::from(warp.index) * 32 * size + offset;
    Some((context.local.wrapping_add(start as usize).cast(), size as usize))
}

/// A load.
pub struct LoadLocal<T, const WIDE: bool>(PhantomData<T>);

// SAFETY: `run` returns what `Op::next` gives, or what the general handler returns.
unsafe impl<T: Elem, const WIDE: bool> Body for LoadLocal<T, WIDE> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `place` found each lane's bytes inside its own local memory; `op` was assembled for this warp's register
        // file (`Body::run`), and the assembler chose this handler for the form of its registers.
        unsafe {
            let Some((from, step)) = place::<T, WIDE>(op, warp) else {
                return wide::<Load<T>>(op, warp);
            };
            let to = warp.known(op.a, if T::WIDE { WIDE_FORM } else { 0 });
            let load = |i: usize| guest::load(from.wrapping_byte_add(step * i));
            match T::WIDE {
                false => collect::words(to.cast(), |i| load(i).to32()),
                true => collect::wide(to.cast(), |i| load(i).to64()),
            }
            op.next(warp)
        }
    }
}

/// A store.
pub struct StoreLocal<T, const WIDE: bool>(PhantomData<T>);

// SAFETY: `run` returns what `Op::next` gives, or what the general handler returns.
unsafe impl<T: Elem, const WIDE: bool> Body for StoreLocal<T, WIDE> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: as in `LoadLocal`.
        unsafe {
            let Some((mut to, step)) = place::<T, WIDE>(op, warp) else {
                return wide::<Store<T>>(op, warp);
            };
            let from = warp.known(op.d, if T::WIDE { WIDE_FORM } else { 0 }).cast::<T>();
            for i in 0..32 {
                guest::store(to, from.add(i).read());
                to = to.wrapping_byte_add(step);
            }
            op.next(warp)
        }
    }
}
