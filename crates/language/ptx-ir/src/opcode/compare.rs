//! Comparisons and selections (PTX manual, "Comparison and Selection Instructions").

use super::float::FloatType;
use super::integer::Integer;
use crate::types::NanUse;

/// A comparison or a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// Whether a relation holds between two integers.
    Integer(Relation, Integer),
    /// Whether a relation holds between two floats.
    Float(FloatRelation, FloatType),
    /// `a` where the predicate `c` holds, else `b`.
    Select {
        /// Of 64 bits; else of 32.
        wide: bool,
    },
    /// `a` where `c` is not negative, else `b`.
    SelectBySign {
        /// Of 64 bits; else of 32.
        wide: bool,
        /// What `c` is.
        by: SignOf,
    },
    /// `c` in the low half where the predicate `a` holds, and in the high half where `b` does.
    SelectHalves,
}

/// A relation between integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `a == b`.
    Equal,
    /// `a != b`.
    NotEqual,
    /// `a < b`.
    Less,
    /// `a <= b`.
    LessEqual,
    /// `a > b`.
    Greater,
    /// `a >= b`.
    GreaterEqual,
}

/// A relation between floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatRelation {
    /// It does not hold where an operand is NaN.
    Ordered(Relation),
    /// It holds where an operand is NaN.
    Unordered(Relation),
    /// Neither operand is NaN.
    BothNumbers,
    /// An operand is NaN.
    EitherNan,
}

/// The type of an operand whose sign selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignOf {
    /// A signed word.
    S32,
    /// An f32; NaN counts as negative.
    F32 {
        /// A negative subnormal counts as zero.
        ftz: bool,
    },
}

impl Relation {
    /// The relation of a PTX name, of signed or unsigned integers and of floats.
    pub fn of(name: &str) -> Option<Relation> {
        match name {
            "eq" => Some(Relation::Equal),
            "ne" => Some(Relation::NotEqual),
            "lt" => Some(Relation::Less),
            "le" => Some(Relation::LessEqual),
            "gt" => Some(Relation::Greater),
            "ge" => Some(Relation::GreaterEqual),
            _ => None,
        }
    }
}

impl CompareOp {
    /// What it does with NaN.
    pub fn nan_use(self) -> NanUse {
        match self {
            CompareOp::Float(_, FloatType::F32) => NanUse::Ignores,
            _ => NanUse::Observes,
        }
    }
}
