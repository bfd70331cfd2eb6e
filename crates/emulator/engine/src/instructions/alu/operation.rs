//! ALU operations: instructions that only compute. Each is a function of one lane, from which handlers are generated:
//! for 32 lanes, for registers in scalar form, and sometimes one that keeps an affine form.

use crate::assemble::fuse::{CompareBranch, Step};
use crate::machine::context::{Body, Tiers, WideTiers};
use crate::machine::lanes::{Sink, Source, fetch_cold, put_cold, put_warm};
use crate::machine::slot::{Elem, Lanes, Scalar};
use crate::machine::{Op, Stop, Warp};
use lanework_ptx_ir::kernel::Width;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// The handlers of an ALU instruction.
#[derive(Clone, Copy)]
pub struct AluOperation {
    /// The function of one lane, which the handlers find in their operation's immediate.
    pub lane: LaneFunction,
    /// For 32 lanes, whatever the form of the operands.
    pub vector: Tiers,
    /// For operands that are all scalar with stride 0; the result is too.
    pub scalar: Tiers,
    /// For varying operands and stride-0 scalars, by a bit per operand (1 = scalar). Only for hot instructions; requires
    /// operands and a result of the instruction's own widths.
    pub direct: &'static [WideTiers],
    /// How operands and then the result are stored where `direct` applies.
    pub widths: &'static [Width],
    /// For operands in scalar form with a stride.
    pub affine: Option<Affine>,
    /// The scalar handler together with a branch on its result, for hot comparisons.
    pub compare: Option<Tiers>,
    /// Whether it is `fma.f32`.
    pub fma: bool,
}

/// The handler that keeps an affine form, for operands that [`lanework_ptx_ir::opcode::Alu::keeps_affine`] accepts.
#[derive(Clone, Copy)]
pub struct Affine {
    /// The handler.
    pub handler: Tiers,
    /// Whether it is a sum.
    pub sum: bool,
}

/// A function value without state, made from its type alone.
fn zero_sized_instance<F: Copy>() -> F {
    const { assert!(size_of::<F>() == 0) };
    // SAFETY: `F` has no bytes to initialize, as asserted above. It has a value, because the
    // constructors below are the only ones to name `F` and each receives a value of it; `F: Copy`
    // allows another one.
    unsafe { std::mem::MaybeUninit::<F>::zeroed().assume_init() }
}

/// A function of one lane: the address of a constant function pointer, without the pointer's type. The handlers of the same
/// [`AluOperation`] are instances for that type.
#[derive(Clone, Copy)]
pub struct LaneFunction(*const ());

impl LaneFunction {
    /// The function pointer at this address.
    const fn new<F>(pointer: &'static F) -> LaneFunction {
        LaneFunction(std::ptr::from_ref(pointer).cast())
    }

    /// The address as an operation's immediate.
    pub fn bits(self) -> u64 {
        self.0.expose_provenance() as u64
    }
}

// SAFETY: it is the address of a constant (`LaneFunction::new` takes a `&'static F`), which nothing writes.
unsafe impl Sync for LaneFunction {}
// SAFETY: a constant has no owner and no thread; see `Sync`.
unsafe impl Send for LaneFunction {}

/// The function of one lane that an operation's immediate names.
///
/// # Safety
/// The immediate comes from [`LaneFunction::bits`] of a function pointer of type `F`.
#[inline(always)]
unsafe fn lane_function<F: Copy>(op: &Op) -> F {
    // SAFETY: the immediate is `bits` of a `&'static F`, as this function requires: the address of a constant that
    // never ends, and `bits` exposed its provenance.
    unsafe { *std::ptr::with_exposed_provenance::<F>(op.imm as usize) }
}

macro_rules! arity {
    ($rare:ident, $warm:ident, $hot:ident, $lanes:ident, $whole:ident, $lane:ident, $each:ident, $vector:ident, $scalar:ident, $scalar_hot:ident, $direct:ident;
     $($ty:ident $operand:ident $index:expr),*; $($direct_row:ty),*) => {
        /// Lane by lane through the function in `imm`: one handler for all functions of these types.
        struct $each<$($ty,)* R>(PhantomData<($($ty,)* R)>);
        /// 32 lanes per call.
        struct $vector<$($ty,)* R, F>(PhantomData<($($ty,)* R, F)>);
        /// Both halves of a scalar form, through the function in `imm`.
        struct $scalar<$($ty,)* R>(PhantomData<($($ty,)* R)>);
        /// The same, for one function.
        struct $scalar_hot<$($ty,)* R, F>(PhantomData<($($ty,)* R, F)>);
        /// A function of 32 lanes.
        struct $whole<$($ty,)* R, F>(PhantomData<($($ty,)* R, F)>);
        /// 32 lanes per call, the operands' forms known.
        struct $direct<$($ty,)* R, F, const KINDS: u8>(PhantomData<($($ty,)* R, F)>);

        fn $lane<$($ty,)* R, F: Fn($($ty),*) -> R + Copy>($($operand: $ty),*) -> R {
            zero_sized_instance::<F>()($($operand),*)
        }

        // SAFETY: `run` writes the destination slot only, and returns what `Op::next` gives.
        unsafe impl<$($ty: Source,)* R: Sink> Body for $each<$($ty,)* R> {
            unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
                let mut out = Lanes([R::default(); 32]);
                // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; the
                // assembler took `imm` and this handler from one `AluOperation`, where the function has these types.
                unsafe {
                    let f = lane_function::<fn($($ty),*) -> R>(op);
                    $(let $operand = fetch_cold::<$ty>(warp, op.$operand);)*
                    for i in 0..32 {
                        out.0[i] = f($($operand.0[i]),*);
                    }
                    put_cold(warp, op.a, out);
                    op.next(warp)
                }
            }
        }

        // SAFETY: `run` writes the destination slot only, and returns what `Op::next` gives.
        unsafe impl<$($ty: Source,)* R: Sink, F: Fn($($ty),*) -> R + Copy> Body for $vector<$($ty,)* R, F> {
            #[inline(always)]
            unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
                let f = zero_sized_instance::<F>();
                let mut out = Lanes([R::default(); 32]);
                // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; an
                // arithmetic operation falls through, so there is a next one.
                unsafe {
                    $(let mut copy = MaybeUninit::uninit();
                    let $operand = <$ty>::view(warp, op.$operand, &mut copy);)*
                    for i in 0..32 {
                        out.0[i] = f($($operand.0[i]),*);
                    }
                    put_warm(warp, op.a, out);
                    op.next(warp)
                }
            }
        }

        // SAFETY: `run` writes the destination slot only, and returns what `Op::leave` gives.
        unsafe impl<$($ty: Source,)* R: Sink, F: Fn($(&[$ty; 32]),*) -> [R; 32] + Copy> Body
            for $whole<$($ty,)* R, F>
        {
            #[inline(always)]
            unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
                let f = zero_sized_instance::<F>();
                // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; an
                // arithmetic operation falls through, so there is a next one.
                unsafe {
                    $(let mut copy = MaybeUninit::uninit();
                    let $operand = <$ty>::view(warp, op.$operand, &mut copy);)*
                    let out = Lanes(f($(&$operand.0),*));
                    put_warm(warp, op.a, out);
                    // The function keeps arrays on the stack.
                    op.leave()
                }
            }
        }

        // SAFETY: `run` writes the destination slot only, and returns what `Op::next` gives.
        unsafe impl<$($ty: Source,)* R: Sink> Body for $scalar<$($ty,)* R> {
            #[inline(always)]
            unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
                // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it, in
                // scalar form where this handler is chosen; the assembler took `imm` and this handler from one
                // `AluOperation`, where the function has these types.
                unsafe {
                    let f = lane_function::<fn($($ty),*) -> R>(op);
                    $(let $operand = <$ty as Source>::pair(warp, op.$operand);)*
                    R::put_pair(warp, op.a, [f($($operand[0]),*), f($($operand[1]),*)]);
                    op.next(warp)
                }
            }
        }

        impl<$($ty: Source,)* R: Sink, F: Fn($($ty),*) -> R + Copy> Step for $scalar_hot<$($ty,)* R, F> {
            #[inline(always)]
            unsafe fn step(op: &Op, warp: &mut Warp) -> Result<(), *const Op> {
                let f = zero_sized_instance::<F>();
                // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it.
                unsafe {
                    $(let $operand = <$ty as Source>::pair(warp, op.$operand);)*
                    R::put_pair(warp, op.a, [f($($operand[0]),*), f($($operand[1]),*)]);
                }
                Ok(())
            }
        }

        // SAFETY: `run` writes the destination slot only, and returns what `Op::next` gives.
        unsafe impl<$($ty: Source,)* R: Sink, F: Fn($($ty),*) -> R + Copy> Body for $scalar_hot<$($ty,)* R, F> {
            #[inline(always)]
            unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
                // SAFETY: `step` needs what `Body::run` requires of `op` and `warp`; it never stops, so that the
                // operation falls through.
                unsafe {
                    let _ = Self::step(op, warp);
                    op.next(warp)
                }
            }
        }

        // SAFETY: `run` writes the destination slot only, and returns what `Op::next` gives.
        unsafe impl<$($ty: Source,)* R: Sink, F: Fn($($ty),*) -> R + Copy, const KINDS: u8> Body
            for $direct<$($ty,)* R, F, KINDS>
        {
            #[inline(always)]
            unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
                let f = zero_sized_instance::<F>();
                let mut out = Lanes([R::default(); 32]);
                // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; the
                // assembler picks this handler by the forms and widths of the operands, which `KINDS` lists. An
                // arithmetic operation falls through.
                unsafe {
                    $(let $operand: Lanes<$ty> = if KINDS >> $index & 1 != 0 {
                        let pair = <$ty as Source>::pair_bare(warp, op.$operand);
                        let mut lanes = Lanes([pair[0]; 32]);
                        for i in 16..32 {
                            lanes.0[i] = pair[1];
                        }
                        lanes
                    } else {
                        <$ty as Source>::fetch_own(warp, op.$operand)
                    };)*
                    for i in 0..32 {
                        out.0[i] = f($($operand.0[i]),*);
                    }
                    R::put_own(warp, op.a, out);
                    op.next(warp)
                }
            }
        }

        /// A rare instruction: lane by lane, little code.
        pub fn $rare<$($ty: Source,)* R: Sink, F: Fn($($ty),*) -> R + Copy + 'static>(_: F) -> &'static AluOperation {
            const {
                &AluOperation {
                    lane: LaneFunction::new::<fn($($ty),*) -> R>(&(const { $lane::<$($ty,)* R, F> })),
                    vector: Tiers::cold::<$each<$($ty,)* R>>(),
                    scalar: Tiers::cold::<$scalar<$($ty,)* R>>(),
                    direct: &[],
                    widths: &[$(<$ty as Source>::READ,)* R::WRITE],
                    affine: None,
                    compare: None,
                    fma: false,
                }
            }
        }

        /// A common instruction: 32 lanes per call, one copy of the code, for machines with wide registers.
        pub fn $warm<$($ty: Source,)* R: Sink, F: Fn($($ty),*) -> R + Copy + 'static>(_: F) -> &'static AluOperation {
            const {
                &AluOperation {
                    lane: LaneFunction::new::<fn($($ty),*) -> R>(&(const { $lane::<$($ty,)* R, F> })),
                    vector: Tiers::large::<$vector<$($ty,)* R, F>, $each<$($ty,)* R>>(),
                    scalar: Tiers::cold::<$scalar<$($ty,)* R>>(),
                    direct: &[],
                    widths: &[$(<$ty as Source>::READ,)* R::WRITE],
                    affine: None,
                    compare: None,
                    fma: false,
                }
            }
        }

        /// An instruction whose 32 lanes are computed in steps. It gets two functions, for one lane and for 32 lanes; only
        /// machines with wide registers use the second one.
        pub fn $lanes<
            $($ty: Source,)* R: Sink,
            F: Fn($($ty),*) -> R + Copy + 'static,
            G: Fn($(&[$ty; 32]),*) -> [R; 32] + Copy + 'static,
        >(_: F, _: G) -> &'static AluOperation {
            const {
                &AluOperation {
                    lane: LaneFunction::new::<fn($($ty),*) -> R>(&(const { $lane::<$($ty,)* R, F> })),
                    vector: Tiers::large::<$whole<$($ty,)* R, G>, $each<$($ty,)* R>>(),
                    scalar: Tiers::cold::<$scalar<$($ty,)* R>>(),
                    direct: &[],
                    widths: &[$(<$ty as Source>::READ,)* R::WRITE],
                    affine: None,
                    compare: None,
                    fma: false,
                }
            }
        }

        /// A hot instruction: also with wide registers, a handler for each mix of varying and scalar
        /// operands.
        pub fn $hot<$($ty: Source,)* R: Sink, F: Fn($($ty),*) -> R + Copy + 'static>(_: F) -> &'static AluOperation {
            const {
                &AluOperation {
                    lane: LaneFunction::new::<fn($($ty),*) -> R>(&(const { $lane::<$($ty,)* R, F> })),
                    vector: Tiers::cold::<$vector<$($ty,)* R, F>>(),
                    scalar: Tiers::cold::<$scalar_hot<$($ty,)* R, F>>(),
                    direct: &[$(WideTiers::per_level::<$direct_row>()),*],
                    widths: &[$(<$ty as Source>::READ,)* R::WRITE],
                    affine: None,
                    compare: Some(Tiers::cold::<CompareBranch<$scalar_hot<$($ty,)* R, F>>>()),
                    fma: false,
                }
            }
        }
    };
}

arity!(rare1, warm1, hot1, lanes1, Whole1, lane1, Each1, Vector1, Scalar1, ScalarHot1, Direct1; A b 0; Direct1<A, R, F, 0>);
arity!(rare2, warm2, hot2, lanes2, Whole2, lane2, Each2, Vector2, Scalar2, ScalarHot2, Direct2; A b 0, B c 1;
    Direct2<A, B, R, F, 0>, Direct2<A, B, R, F, 1>, Direct2<A, B, R, F, 2>);
arity!(rare3, warm3, hot3, lanes3, Whole3, lane3, Each3, Vector3, Scalar3, ScalarHot3, Direct3; A b 0, B c 1, C d 2;
    Direct3<A, B, C, R, F, 0>, Direct3<A, B, C, R, F, 1>, Direct3<A, B, C, R, F, 2>,
    Direct3<A, B, C, R, F, 3>, Direct3<A, B, C, R, F, 4>, Direct3<A, B, C, R, F, 5>,
    Direct3<A, B, C, R, F, 6>);

/// Instructions that mostly have an operand in scalar form, such as shifts: also a handler for each mix of varying and scalar
/// operands, one copy of the code.
macro_rules! mixed {
    ($mixed:ident, $vector:ident, $each:ident, $scalar:ident, $lane:ident; $($ty:ident),*; $($direct_row:ty),*) => {
        /// A common instruction with a handler for each mix of varying and scalar operands.
        pub fn $mixed<$($ty: Source,)* R: Sink, F: Fn($($ty),*) -> R + Copy + 'static>(_: F) -> &'static AluOperation {
            const {
                &AluOperation {
                    lane: LaneFunction::new::<fn($($ty),*) -> R>(&(const { $lane::<$($ty,)* R, F> })),
                    vector: Tiers::large::<$vector<$($ty,)* R, F>, $each<$($ty,)* R>>(),
                    scalar: Tiers::cold::<$scalar<$($ty,)* R>>(),
                    direct: &[$(WideTiers::of_one_level::<$direct_row>()),*],
                    widths: &[$(<$ty as Source>::READ,)* R::WRITE],
                    affine: None,
                    compare: None,
                    fma: false,
                }
            }
        }
    };
}

mixed!(mixed2, Vector2, Each2, Scalar2, lane2; A, B;
    Direct2<A, B, R, F, 0>, Direct2<A, B, R, F, 1>, Direct2<A, B, R, F, 2>);
mixed!(mixed3, Vector3, Each3, Scalar3, lane3; A, B, C;
    Direct3<A, B, C, R, F, 0>, Direct3<A, B, C, R, F, 1>, Direct3<A, B, C, R, F, 2>,
    Direct3<A, B, C, R, F, 3>, Direct3<A, B, C, R, F, 4>, Direct3<A, B, C, R, F, 5>,
    Direct3<A, B, C, R, F, 6>);

/// A function over whole predicates.
struct Mask<F, const UNIFORM: bool>(PhantomData<F>);

// SAFETY: `run` writes the destination slot only, and returns what `Op::next` gives.
unsafe impl<F: Fn(u32, u32) -> u32 + Copy, const UNIFORM: bool> Body for Mask<F, UNIFORM> {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        let f = zero_sized_instance::<F>();
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; the operands
        // of a `Mask` are predicates, whose slots hold one word.
        unsafe {
            let bits = f(*warp.at(op.b).cast::<u32>(), *warp.at(op.c).cast::<u32>());
            let to = warp.at(op.a).cast::<u32>();
            *to = if UNIFORM { bits } else { (*to & !warp.mask) | (bits & warp.mask) };
            op.next(warp)
        }
    }
}

/// Materializes an affine value: writes register `b`, in scalar form, to the 32 lanes of `a`.
pub struct Materialize<T>(PhantomData<T>);

// SAFETY: `run` writes the destination slot only, and returns what `Op::next` gives.
unsafe impl<T: Source + Elem> Body for Materialize<T> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; `a` is the
        // varying register of this width that the assembler reserved to materialize `b`.
        unsafe {
            let scalar = *warp.at(op.b).cast::<Scalar>();
            let to = warp.at(op.a).cast::<T>();
            for i in 0..32 {
                let step = scalar.stride.wrapping_mul(i as u64 & 15);
                to.add(i).write(T::from64(scalar.base[i / 16].wrapping_add(step)));
            }
            op.next(warp)
        }
    }
}

fn no_lane() {}

/// An instruction over predicates, 32 lanes as one word. An unused operand reads a constant.
pub fn mask<F: Fn(u32, u32) -> u32 + Copy + 'static>(_: F) -> &'static AluOperation {
    const {
        &AluOperation {
            lane: LaneFunction::new::<fn()>(&(no_lane as fn())),
            vector: Tiers::cold::<Mask<F, false>>(),
            scalar: Tiers::cold::<Mask<F, true>>(),
            direct: &[],
            widths: &[],
            affine: None,
            compare: None,
            fma: false,
        }
    }
}

/// A function over the scalar forms of up to three operands; `None` when the result does not fit one.
struct AffineBody<F>(PhantomData<F>);

// SAFETY: `run` writes the destination slot only, and returns what `Op::next` gives.
unsafe impl<F: Fn(Scalar, Scalar, Scalar) -> Option<Scalar> + Copy> Body for AffineBody<F> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        let f = zero_sized_instance::<F>();
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; unused ones
        // name the constant 0.
        unsafe {
            let regs = warp.regs;
            let read = |slot: u32| *regs.add(slot as usize).cast::<Scalar>();
            match f(read(op.b), read(op.c), read(op.d)) {
                Some(result) => {
                    result.store(regs.add(op.a as usize).cast::<Scalar>());
                    op.next(warp)
                }
                None => warp.stop_at(op, Stop::Widen),
            }
        }
    }
}

/// The affine handler of a function over scalar forms.
pub const fn affine<F: Fn(Scalar, Scalar, Scalar) -> Option<Scalar> + Copy + 'static>(
    _: &F,
) -> Affine {
    Affine { handler: Tiers::cold::<AffineBody<F>>(), sum: false }
}
