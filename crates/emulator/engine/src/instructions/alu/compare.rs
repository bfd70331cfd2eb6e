//! Handlers of comparisons and selections. Comparisons of words are hot: the assembler fuses them with the
//! branch on their result.

use crate::instructions::alu::operation::{AluOperation, hot2, hot3, rare2, rare3, warm2, warm3};
use crate::machine::slot::Elem;
use crate::number::narrow::Narrow;
use crate::number::single::flush;
use half::{bf16, f16};
use lanework_ptx_ir::opcode::float::FloatType;
use lanework_ptx_ir::opcode::integer::Integer;
use lanework_ptx_ir::opcode::logic::{CompareOp, FloatRelation, Relation, SignOf};

/// The handlers of an opcode of this family.
pub fn handlers(op: CompareOp) -> &'static AluOperation {
    match op {
        CompareOp::Integer(relation, ty) => integers(relation, ty),
        CompareOp::Float(relation, ty) => floats(relation, ty),
        CompareOp::Select { wide: false } => hot3(|a: u32, b: u32, p: bool| if p { a } else { b }),
        CompareOp::Select { wide: true } => warm3(|a: u64, b: u64, p: bool| if p { a } else { b }),
        CompareOp::SelectBySign { wide: false, by } => match by {
            SignOf::S32 => rare3(|a: u32, b: u32, c: i32| if c >= 0 { a } else { b }),
            SignOf::F32 { ftz: false } => {
                rare3(|a: u32, b: u32, c: f32| if c >= 0.0 { a } else { b })
            }
            SignOf::F32 { ftz: true } => {
                rare3(|a: u32, b: u32, c: f32| if flush(c) >= 0.0 { a } else { b })
            }
        },
        CompareOp::SelectBySign { wide: true, by } => match by {
            SignOf::S32 => rare3(|a: u64, b: u64, c: i32| if c >= 0 { a } else { b }),
            SignOf::F32 { ftz: false } => {
                rare3(|a: u64, b: u64, c: f32| if c >= 0.0 { a } else { b })
            }
            SignOf::F32 { ftz: true } => {
                rare3(|a: u64, b: u64, c: f32| if flush(c) >= 0.0 { a } else { b })
            }
        },
        CompareOp::SelectHalves => rare3(|low: bool, high: bool, one: u32| {
            (if low { one } else { 0 }) | (if high { one << 16 } else { 0 })
        }),
    }
}

/// The handlers of each relation of a type.
macro_rules! relations {
    ($relation:expr, $make:ident, $t:ty) => {
        match $relation {
            Relation::Equal => $make(|a: $t, b: $t| a == b),
            Relation::NotEqual => $make(|a: $t, b: $t| a != b),
            Relation::Less => $make(|a: $t, b: $t| a < b),
            Relation::LessEqual => $make(|a: $t, b: $t| a <= b),
            Relation::Greater => $make(|a: $t, b: $t| a > b),
            Relation::GreaterEqual => $make(|a: $t, b: $t| a >= b),
        }
    };
}

fn integers(relation: Relation, ty: Integer) -> &'static AluOperation {
    fn rare<T: Elem + Ord>(relation: Relation) -> &'static AluOperation {
        relations!(relation, rare2, T)
    }
    match (ty, relation) {
        // Unsigned `<=` is the only relation of words that compilers rarely use.
        (Integer::U32, Relation::LessEqual) => warm2(|a: u32, b: u32| a <= b),
        (Integer::U32, _) | (Integer::S32, Relation::Equal | Relation::NotEqual) => {
            relations!(relation, hot2, u32)
        }
        (Integer::S32, _) => relations!(relation, hot2, i32),
        (Integer::U64, _) => relations!(relation, warm2, u64),
        (Integer::S64, _) => relations!(relation, warm2, i64),
        (Integer::U16, _) => relations!(relation, warm2, u16),
        (Integer::S16, _) => relations!(relation, warm2, i16),
        (Integer::U8, _) => rare::<u8>(relation),
        (Integer::S8, _) => rare::<i8>(relation),
    }
}

/// The handlers of one relation of a float type.
macro_rules! float_relation {
    ($t:ty, $widen:expr, |$a:ident, $b:ident| $holds:expr) => {
        warm2(|$a: $t, $b: $t| {
            let ($a, $b) = ($widen($a), $widen($b));
            $holds
        })
    };
}

/// The handlers of each relation of a float type, whose values `widen` converts to f32 or leaves as they are.
macro_rules! float_relations {
    ($relation:expr, $t:ty, $widen:expr) => {
        match $relation {
            FloatRelation::Ordered(Relation::Equal) => float_relation!($t, $widen, |a, b| a == b),
            FloatRelation::Ordered(Relation::NotEqual) => {
                float_relation!($t, $widen, |a, b| a < b || a > b)
            }
            FloatRelation::Ordered(Relation::Less) => float_relation!($t, $widen, |a, b| a < b),
            FloatRelation::Ordered(Relation::LessEqual) => {
                float_relation!($t, $widen, |a, b| a <= b)
            }
            FloatRelation::Ordered(Relation::Greater) => float_relation!($t, $widen, |a, b| a > b),
            FloatRelation::Ordered(Relation::GreaterEqual) => {
                float_relation!($t, $widen, |a, b| a >= b)
            }
            FloatRelation::Unordered(Relation::Equal) => {
                float_relation!($t, $widen, |a, b| !(a < b || a > b))
            }
            FloatRelation::Unordered(Relation::NotEqual) => {
                float_relation!($t, $widen, |a, b| a != b)
            }
            FloatRelation::Unordered(Relation::Less) => {
                float_relation!($t, $widen, |a, b| !(a >= b))
            }
            FloatRelation::Unordered(Relation::LessEqual) => {
                float_relation!($t, $widen, |a, b| !(a > b))
            }
            FloatRelation::Unordered(Relation::Greater) => {
                float_relation!($t, $widen, |a, b| !(a <= b))
            }
            FloatRelation::Unordered(Relation::GreaterEqual) => {
                float_relation!($t, $widen, |a, b| !(a < b))
            }
            FloatRelation::BothNumbers => float_relation!($t, $widen, |a, b| a == a && b == b),
            FloatRelation::EitherNan => float_relation!($t, $widen, |a, b| a != a || b != b),
        }
    };
}

#[allow(clippy::neg_cmp_op_on_partial_ord, clippy::eq_op)]
fn floats(relation: FloatRelation, ty: FloatType) -> &'static AluOperation {
    match ty {
        FloatType::F32 => float_relations!(relation, f32, std::convert::identity),
        FloatType::F64 => float_relations!(relation, f64, std::convert::identity),
        FloatType::F16 => float_relations!(relation, f16, f16::widen),
        FloatType::Bf16 => float_relations!(relation, bf16, bf16::widen),
    }
}
