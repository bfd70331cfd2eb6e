//! `fma.f32` in WebAssembly with relaxed SIMD: a multiply-add instruction that computes four lanes, which the compiler does not find in
//! a loop over lanes. The other handlers are those of [`hot3`].

use crate::instructions::alu::operation::{AluOperation, hot3};
use crate::machine::context::{Body, WideTiers};
use crate::machine::lanes::{Source, put_words};
use crate::machine::slot::Lanes;
use crate::machine::{Op, Warp};
use crate::number::fused::fused;
use std::arch::wasm32::{f32x4_neg, f32x4_relaxed_madd, f32x4_splat, v128, v128_load, v128_store};
use std::sync::OnceLock;

/// The negated product.
const PRODUCT: u8 = 1;
/// The negated addend.
const ADDEND: u8 = 2;

/// The handler for operands in scalar form where a bit of `KINDS` is set. `NEGATED` has the bits above.
struct RelaxedFma<const KINDS: u8, const NEGATED: u8>;

// SAFETY: `run` writes the destination slot only, and returns what `Op::next` gives.
unsafe impl<const KINDS: u8, const NEGATED: u8> Body for RelaxedFma<KINDS, NEGATED> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), and the assembler picks this handler by
        // the forms of the operands, which `KINDS` lists: the slots are bare offsets of registers of 32 words or of
        // registers in scalar form. The eight vectors of a register are in it. The operation falls through.
        unsafe {
            let slots = [op.b, op.c, op.d];
            let operand = |index: usize, part: usize| -> v128 {
                if KINDS >> index & 1 != 0 {
                    let pair = <f32 as Source>::pair_bare(warp, slots[index]);
                    f32x4_splat(pair[part / 4])
                } else {
                    v128_load(warp.regs.add(slots[index] as usize).cast::<v128>().add(part))
                }
            };
            let result = |part: usize| -> v128 {
                let [a, b, c] = [operand(0, part), operand(1, part), operand(2, part)];
                let a = if NEGATED & PRODUCT != 0 { f32x4_neg(a) } else { a };
                let c = if NEGATED & ADDEND != 0 { f32x4_neg(c) } else { c };
                f32x4_relaxed_madd(a, b, c)
            };
            if warp.mask == u32::MAX {
                let to = warp.regs.add(op.a as usize).cast::<v128>();
                for part in 0..8 {
                    v128_store(to.add(part), result(part));
                }
            } else {
                let mut lanes = Lanes([0.0f32; 32]);
                for part in 0..8 {
                    v128_store(lanes.0.as_mut_ptr().cast::<v128>().add(part), result(part));
                }
                put_words(warp, op.a, lanes);
            }
            op.next(warp)
        }
    }
}

/// The handlers for each mix of varying and scalar operands.
macro_rules! mixes {
    ($negated:expr) => {
        const {
            &[
                WideTiers::per_level::<RelaxedFma<0, { $negated }>>(),
                WideTiers::per_level::<RelaxedFma<1, { $negated }>>(),
                WideTiers::per_level::<RelaxedFma<2, { $negated }>>(),
                WideTiers::per_level::<RelaxedFma<3, { $negated }>>(),
                WideTiers::per_level::<RelaxedFma<4, { $negated }>>(),
                WideTiers::per_level::<RelaxedFma<5, { $negated }>>(),
                WideTiers::per_level::<RelaxedFma<6, { $negated }>>(),
            ]
        }
    };
}

/// `fma` without modifiers.
pub fn plain() -> AluOperation {
    AluOperation { direct: mixes!(0), ..*hot3(|a: f32, b: f32, c: f32| fused(a, b, c)) }
}

/// `fma` with the product negated.
pub fn negated_product() -> &'static AluOperation {
    static OPERATION: OnceLock<AluOperation> = OnceLock::new();
    OPERATION.get_or_init(|| AluOperation {
        direct: mixes!(PRODUCT),
        ..*hot3(|a: f32, b: f32, c: f32| fused(-a, b, c))
    })
}

/// `fma` with the addend negated.
pub fn negated_addend() -> &'static AluOperation {
    static OPERATION: OnceLock<AluOperation> = OnceLock::new();
    OPERATION.get_or_init(|| AluOperation {
        direct: mixes!(ADDEND),
        ..*hot3(|a: f32, b: f32, c: f32| fused(a, b, -c))
    })
}
