//! Handlers: the bodies of operations, compiled once per SIMD level, and the choice of the level.

use crate::machine::{Handler, Op, Warp};

/// The body of a handler, compiled once per SIMD level.
///
/// # Safety
/// The scheduler follows the pointer that `run` returns without a check. `run` must return null after it has called
/// `Warp::stop_at`, or an operation of the program that `op` is in: by [`Op::next`], by [`Op::leave`], or by a jump to an
/// operation index that the assembler stored in `op`. It must leave the warp's register file, its sites and its context valid.
pub unsafe trait Body {
    /// Runs the operation.
    ///
    /// # Safety
    /// - `op` was assembled for the register file of `warp`, with the operands and the immediate that this body expects.
    /// - `warp` was started by the scheduler: its context, its sites and its instrument are live, and no other thread uses them.
    /// - The host has the SIMD level that the caller was compiled for.
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op;
}

/// A handler at each SIMD level, lowest first.
#[derive(Clone, Copy)]
pub struct Tiers([Handler; 3]);

impl Tiers {
    /// The handler at a SIMD level.
    pub(crate) fn at(self, tier: usize) -> Handler {
        self.0[tier]
    }

    /// The handlers of a body.
    pub const fn per_level<B: Body>() -> Tiers {
        #[cfg(target_arch = "x86_64")]
        {
            Tiers([baseline::<B>, avx2::<B>, avx512::<B>])
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            Tiers([baseline::<B>, baseline::<B>, baseline::<B>])
        }
    }
}

impl Tiers {
    /// The handler of a body that is rare or does not gain from wide registers: one for all levels,
    /// which keeps the emulator quick to compile.
    pub const fn cold<B: Body>() -> Tiers {
        Tiers([baseline::<B>; 3])
    }
}

impl Tiers {
    /// The handlers of a body that is large: one for all machines with wide registers, and `Lowest`, which may be slow
    /// and need not be inlined, for those without.
    pub const fn large<B: Body, Lowest: Body>() -> Tiers {
        #[cfg(target_arch = "x86_64")]
        {
            Tiers([baseline::<Lowest>, avx2::<B>, avx2::<B>])
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            Tiers([baseline::<B>; 3])
        }
    }
}

/// A handler that pays off only with wide registers. The lowest level uses the general handlers instead, which saves
/// compile time.
#[derive(Clone, Copy)]
pub struct WideTiers([Handler; 2]);

impl WideTiers {
    /// The handlers of a body.
    pub const fn per_level<B: Body>() -> WideTiers {
        #[cfg(target_arch = "x86_64")]
        {
            WideTiers([avx2::<B>, avx512::<B>])
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            WideTiers([baseline::<B>, baseline::<B>])
        }
    }

    /// The handlers of two bodies: one for registers of 256 bits and one for 512 bits.
    pub const fn split<B: Body, Widest: Body>() -> WideTiers {
        #[cfg(target_arch = "x86_64")]
        {
            WideTiers([avx2::<B>, avx512::<Widest>])
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            WideTiers([baseline::<B>, baseline::<Widest>])
        }
    }

    /// The handler at a SIMD level, if there is one.
    pub fn at(self, tier: usize) -> Option<Handler> {
        // On other hosts the lowest level has vectors for which the handler pays off.
        let index = if cfg!(target_arch = "x86_64") { tier.checked_sub(1)? } else { 0 };
        self.0.get(index).copied()
    }
}

/// A body at the lowest SIMD level.
///
/// # Safety
/// As for [`Handler`].
#[inline(never)]
pub unsafe fn baseline<B: Body>(op: &Op, warp: &mut Warp) -> *const Op {
    // SAFETY: operation and warp fulfill `Body::run`, as `Handler` requires; the baseline is every host's level.
    unsafe { B::run(op, warp) }
}

/// # Safety
/// As for [`Handler`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx2<B: Body>(op: &Op, warp: &mut Warp) -> *const Op {
    // SAFETY: operation and warp fulfill `Body::run`, as `Handler` requires; `best_tier` found these features before
    // the assembler chose this handler.
    unsafe { B::run(op, warp) }
}

/// # Safety
/// As for [`Handler`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,f16c")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx512<B: Body>(op: &Op, warp: &mut Warp) -> *const Op {
    // SAFETY: operation and warp fulfill `Body::run`, as `Handler` requires; `best_tier` found these features before
    // the assembler chose this handler.
    unsafe { B::run(op, warp) }
}

/// The highest SIMD level that this machine has: an index into [`Tiers`].
pub fn best_tier() -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        let avx2 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        let avx512 = avx2
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512cd");
        let best = usize::from(avx2) + usize::from(avx512);
        let cap = std::env::var("LANEWORK_SIMD").ok();
        match cap.as_deref() {
            Some("baseline") => 0,
            Some("avx2") => best.min(1),
            _ => best,
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        0
    }
}
