//! Opcodes as data: operation, types, rounding and modifiers. An opcode names no handler and no mnemonic: the engine's table
//! (`instructions::alu` of the engine) assigns handlers, and passes ask for facts here. Contraction (`crate::passes::contract`)
//! asks for an opcode's role ([`TermKind`]), and for the opcode that computes a product and a sum with one rounding.

pub mod asynchrony;
pub mod convert;
pub mod float;
pub mod integer;
pub mod logic;
pub mod matrix;
pub mod memory;
pub mod tensor_memory;
pub mod texture;

use crate::opcode::convert::{ConvertOp, SmallFloatOp};
use crate::opcode::integer::{AddressOp, CarryOp, IntegerOp, ProductOp};
use crate::opcode::logic::{CompareOp, LogicOp, MoveOp, VideoOp};
use crate::types::{NanUse, UniformityClass, Width};
use float::{
    DirectedOp, Division, DoubleOp, F16Function, FloatModifiers, HalfFunction, HalfOp, HalfType,
    Negated, QuotientPart, SingleOp, Unary,
};

/// An ALU instruction: each lane's result is a function of that lane's operands alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Alu {
    /// Arithmetic on addresses.
    Address(AddressOp),
    /// An f32, with every NaN replaced by the one that a GPU's arithmetic makes.
    CanonicalNan,
    /// Sums and differences with a carry flag.
    Carry(CarryOp),
    /// Comparisons and selections.
    Compare(CompareOp),
    /// Conversions.
    Convert(ConvertOp),
    /// Arithmetic of f32 and f64 in a rounding direction.
    Directed(DirectedOp),
    /// Arithmetic of f64.
    Double(DoubleOp),
    /// Conversions from and to floats of 8 bits.
    SmallFloat(SmallFloatOp),
    /// Arithmetic of 16-bit floats.
    Half(HalfOp),
    /// Integer arithmetic except products.
    Integer(IntegerOp),
    /// Bit operations.
    Logic(LogicOp),
    /// Copies, and splitting and joining of registers.
    Move(MoveOp),
    /// The arrivals that an mbarrier's state waits for.
    PendingCount,
    /// Products of integers.
    Product(ProductOp),
    /// Arithmetic of f32.
    Single(SingleOp),
    /// Steps of video instructions.
    Video(VideoOp),
}

impl Alu {
    /// Copies a register.
    pub const fn copy(width: Width) -> Alu {
        Alu::Move(MoveOp::Copy(width))
    }

    /// Whether the result is affine for operands of these classes (none of them varying).
    pub fn keeps_affine(self, operands: &[UniformityClass]) -> bool {
        match self {
            Alu::Address(op) => op.keeps_affine(),
            Alu::Convert(op) => op.keeps_affine(),
            Alu::Integer(op) => op.keeps_affine(),
            Alu::Logic(op) => op.keeps_affine(operands),
            Alu::Move(op) => op.keeps_affine(),
            Alu::Product(op) => op.keeps_affine(operands),
            _ => false,
        }
    }

    /// How it treats the NaN of f32 arithmetic.
    pub fn nan_use(self) -> NanUse {
        match self {
            Alu::Compare(op) => op.nan_use(),
            Alu::Convert(op) => op.nan_use(),
            Alu::Move(op) => op.nan_use(),
            Alu::Single(op) => op.nan_use(),
            Alu::Directed(op) => op.nan_use(),
            _ => NanUse::Observes,
        }
    }
}

/// The role of an opcode in contraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermKind {
    /// `a + b`.
    Sum,
    /// `a - b`.
    Difference,
    /// `a * b`.
    Product,
    /// `a / b`, computed as a product with an approximate reciprocal.
    Quotient,
    /// `-a`.
    Negation,
}

impl Alu {
    /// The role in contraction, if any.
    pub fn term(self) -> Option<TermKind> {
        use HalfFunction::{Add, Mul, Neg, Sub};
        Some(match self {
            Alu::Single(SingleOp::Add(_)) | Alu::Double(DoubleOp::Add) => TermKind::Sum,
            Alu::Single(SingleOp::Sub(_)) | Alu::Double(DoubleOp::Sub) => TermKind::Difference,
            Alu::Single(SingleOp::Mul(_)) | Alu::Double(DoubleOp::Mul) => TermKind::Product,
            Alu::Single(SingleOp::Div {
                division: Division::Approximate | Division::Full, ..
            }) => TermKind::Quotient,
            Alu::Single(SingleOp::Unary { function: Unary::Neg, .. })
            | Alu::Double(DoubleOp::Neg) => TermKind::Negation,
            Alu::Half(HalfOp::Any(Add, _)) => TermKind::Sum,
            Alu::Half(HalfOp::Any(Sub, _)) => TermKind::Difference,
            Alu::Half(HalfOp::Any(Mul, _))
            | Alu::Half(HalfOp::F16 { function: F16Function::MulFlushed, .. }) => TermKind::Product,
            Alu::Half(HalfOp::Any(Neg, _)) => TermKind::Negation,
            _ => return None,
        })
    }

    /// For a sum or difference: the operation that adds this product to the other operand with one
    /// rounding, if types and modifiers allow. It negates nothing. `ftz`: the sum flushes subnormals although its opcode does
    /// not say so.
    pub fn fused(self, ftz: bool, product: Alu) -> Option<Alu> {
        match (self, product) {
            (
                Alu::Single(SingleOp::Add(sum) | SingleOp::Sub(sum)),
                Alu::Single(SingleOp::Mul(FloatModifiers { ftz, sat: false })),
            ) if sum.ftz == ftz => Some(Alu::Single(SingleOp::Fma(sum))),
            (
                Alu::Single(SingleOp::Add(sum) | SingleOp::Sub(sum)),
                Alu::Single(SingleOp::Div {
                    division: Division::Approximate | Division::Full,
                    ftz,
                }),
            ) if sum.ftz == ftz => Some(Alu::Single(SingleOp::Fma(sum))),
            (Alu::Double(DoubleOp::Add | DoubleOp::Sub), Alu::Double(DoubleOp::Mul)) => {
                Some(Alu::Double(DoubleOp::Fma))
            }
            (
                Alu::Half(HalfOp::Any(HalfFunction::Add | HalfFunction::Sub, ty)),
                Alu::Half(HalfOp::Any(HalfFunction::Mul, other)),
            ) if !ftz && ty == other => Some(Alu::Half(HalfOp::Any(HalfFunction::Fma, ty))),
            (
                Alu::Half(HalfOp::Any(HalfFunction::Add | HalfFunction::Sub, ty)),
                Alu::Half(HalfOp::F16 { function: F16Function::MulFlushed, packed }),
            ) if ftz && ty == if packed { HalfType::F16x2 } else { HalfType::F16 } => {
                Some(Alu::Half(HalfOp::F16 { function: F16Function::FmaFlushed, packed }))
            }
            _ => None,
        }
    }

    /// For a fused operation: the one that negates, if there is such an opcode.
    pub fn negating(self, negated: Negated) -> Option<Alu> {
        match self {
            _ if negated == Negated::NOTHING => Some(self),
            Alu::Single(SingleOp::Fma(modifiers)) => {
                Some(Alu::Single(SingleOp::FmaNegated { modifiers, negated }))
            }
            Alu::Double(DoubleOp::Fma) => Some(Alu::Double(DoubleOp::FmaNegated(negated))),
            _ => None,
        }
    }

    /// For a fused operation of 16-bit floats: the negation of an operand.
    pub fn operand_negation(self) -> Option<Alu> {
        let ty = match self {
            Alu::Half(HalfOp::Any(_, ty)) => ty,
            Alu::Half(HalfOp::F16 { packed: false, .. }) => HalfType::F16,
            Alu::Half(HalfOp::F16 { packed: true, .. }) => HalfType::F16x2,
            _ => return None,
        };
        Some(Alu::Half(HalfOp::Any(HalfFunction::Neg, ty)))
    }

    /// For a quotient: the operations that compute its two factors from its two operands.
    pub fn factors(self) -> Option<[Alu; 2]> {
        let Alu::Single(SingleOp::Div { division, ftz }) = self else { return None };
        let factor = |part| Alu::Single(SingleOp::Factor { part, division, ftz });
        Some([QuotientPart::Numerator, QuotientPart::Reciprocal].map(factor))
    }

    /// For a quotient by a constant: the equivalent product of ptxas and the constant's reciprocal, rounded to nearest, if no
    /// scaling is needed.
    pub fn product_by_reciprocal(self, divisor: u64) -> Option<(Alu, u64)> {
        let Alu::Single(SingleOp::Div { division, ftz }) = self else { return None };
        let divisor = f32::from_bits(divisor as u32);
        let reciprocal = 1.0 / divisor;
        let open = division != Division::Rounded;
        (open && divisor.is_normal() && reciprocal.is_normal()).then(|| {
            let product = Alu::Single(SingleOp::Mul(FloatModifiers { ftz, sat: false }));
            (product, u64::from(reciprocal.to_bits()))
        })
    }

    /// The width of a float that it computes.
    pub fn float_width(self) -> Width {
        match self {
            Alu::Double(_) => Width::Wide,
            _ => Width::Word,
        }
    }

    /// Whether the bits of a constant are 1 or -1 in the type that it computes in.
    pub fn is_unit(self, bits: u64) -> bool {
        match self {
            Alu::Single(_) => f32::from_bits(bits as u32).abs() == 1.0,
            Alu::Double(_) => f64::from_bits(bits).abs() == 1.0,
            _ => false,
        }
    }
}
