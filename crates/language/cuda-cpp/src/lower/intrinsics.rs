//! Lowers intrinsics of the built-in headers: PTX text, and operations that the optimizer knows.

use super::FunctionLowering;
use crate::typed::*;
use crate::types::TypeId;
use lanework_ssa as ssa;
use ssa::{
    AtomicOperation, CacheOperator, FloatArithmetic, FloatMode, IntegerBinary, IntegerUnary,
    MemoryFlags, MemoryOrdering, PtxEffects, RoundingMode, ThreadScope, ValueConversion, ValueId,
    ValueType,
};

fn rounding(text: &str) -> RoundingMode {
    match text {
        "rz" => RoundingMode::Zero,
        "ru" => RoundingMode::Up,
        "rd" => RoundingMode::Down,
        _ => RoundingMode::Nearest,
    }
}

fn cache(text: Option<&&str>) -> CacheOperator {
    match text.copied() {
        Some("ca") => CacheOperator::All,
        Some("cg") => CacheOperator::Global,
        Some("cs") => CacheOperator::Streaming,
        Some("lu") => CacheOperator::LastUse,
        Some("cv") => CacheOperator::Volatile,
        Some("wb") => CacheOperator::WriteBack,
        Some("wt") => CacheOperator::WriteThrough,
        _ => CacheOperator::Default,
    }
}

impl FunctionLowering<'_, '_> {
    /// Lowers a call of an intrinsic; `None` if it has no result.
    pub(super) fn intrinsic(
        &mut self,
        kind: &str,
        text: &str,
        arguments: &[Typed],
        value: &Typed,
    ) -> Option<ValueId> {
        let values: Vec<ValueId> = arguments.iter().map(|argument| self.scalar(argument)).collect();
        self.at(value.span);
        if kind == "op" {
            return self.operation(text, arguments, &values, value);
        }
        let effects = match kind {
            "ptx" => PtxEffects::PURE,
            "ptx_read" => PtxEffects { reads: true, ..PtxEffects::PURE },
            "ptx_volatile" => PtxEffects { volatile: true, ..PtxEffects::PURE },
            "ptx_convergent" => PtxEffects::CONVERGENT,
            "ptx_barrier" => PtxEffects::BARRIER,
            _ => PtxEffects::VOLATILE,
        };
        if self.void(value.ty) {
            self.b.ptx_effect(text, &values, effects);
            return None;
        }
        let ty = self.scalar_type(value.ty);
        // PTX has no 8-bit registers.
        let register = if ty == ValueType::I8 { ValueType::I16 } else { ty };
        let result = self.b.ptx_value(text, register, &values, effects);
        Some(if register == ty {
            result
        } else {
            self.b.convert(ValueConversion::Truncate, result, ty)
        })
    }

    fn operation(
        &mut self,
        text: &str,
        arguments: &[Typed],
        values: &[ValueId],
        value: &Typed,
    ) -> Option<ValueId> {
        let words: Vec<&str> = text.split(' ').collect();
        let (name, rest) = words.split_first()?;
        let ty = value.ty;
        let kind = self.scalar_type(ty);
        let mode = FloatMode {
            rounding: rounding(rest.first().copied().unwrap_or("rn")),
            ..FloatMode::default()
        };
        let simple = |operation| Some((operation, mode));
        let float = match *name {
            "fadd" => simple(FloatArithmetic::Add),
            "fsub" => simple(FloatArithmetic::Subtract),
            "fmul" => simple(FloatArithmetic::Multiply),
            "fdiv" => simple(FloatArithmetic::Divide),
            "fma" => simple(FloatArithmetic::FusedMultiplyAdd),
            "sqrt" => simple(FloatArithmetic::SquareRoot),
            "rcp" => simple(FloatArithmetic::Reciprocal),
            "fmin" => simple(FloatArithmetic::Minimum),
            "fmax" => simple(FloatArithmetic::Maximum),
            "fabs" => simple(FloatArithmetic::Absolute),
            _ => None,
        };
        if let Some((operation, mode)) = float {
            return Some(self.b.float(operation, mode, values));
        }
        let signed = arguments.first().is_some_and(|argument| self.types().is_signed(argument.ty));
        let round = match *name {
            "floor" => Some(RoundingMode::Down),
            "ceil" => Some(RoundingMode::Up),
            "trunc" => Some(RoundingMode::Zero),
            "rint" => Some(RoundingMode::Nearest),
            _ => None,
        };
        if let Some(rounding) = round {
            let conversion = ValueConversion::RoundToIntegral { rounding, flush: false };
            return Some(self.b.convert(conversion, *values.first()?, kind));
        }
        let binary = match (*name, signed) {
            ("min", true) => Some(IntegerBinary::MinimumSigned),
            ("min", false) => Some(IntegerBinary::MinimumUnsigned),
            ("max", true) => Some(IntegerBinary::MaximumSigned),
            ("max", false) => Some(IntegerBinary::MaximumUnsigned),
            ("mulhi", true) => Some(IntegerBinary::MultiplyHighSigned),
            ("mulhi", false) => Some(IntegerBinary::MultiplyHighUnsigned),
            _ => None,
        };
        if let (Some(operation), [a, b]) = (binary, values) {
            return Some(self.b.integer(operation, *a, *b));
        }
        let unary = match *name {
            "popc" => Some(IntegerUnary::CountOnes),
            "clz" => Some(IntegerUnary::LeadingZeros),
            "brev" => Some(IntegerUnary::ReverseBits),
            "abs" => Some(IntegerUnary::Absolute),
            _ => None,
        };
        if let (Some(operation), [a]) = (unary, values) {
            return Some(self.b.integer_unary(operation, *a));
        }
        match *name {
            "bits" => Some(self.b.convert(ValueConversion::Reinterpret, *values.first()?, kind)),
            "cvt" => self.conversion(rest, arguments, values, ty),
            "barrier" => {
                self.b.barrier();
                None
            }
            "printf" => Some(self.printf(values)),
            "atomic" => self.atomic(rest, arguments, values, ty),
            "load" => {
                let pointee = self.types().pointee(arguments.first()?.ty)?;
                let mut flags = MemoryFlags::aligned(self.types().align(pointee) as u32);
                flags.cache = cache(rest.first());
                flags.invariant = rest.first() == Some(&"nc");
                if self.is_aggregate(ty) {
                    return None;
                }
                let loaded = self.b.load(kind, *values.first()?, flags);
                Some(loaded)
            }
            "store" => {
                let (pointer, stored) = (*values.first()?, *values.get(1)?);
                let stored_type = arguments.get(1)?.ty;
                let mut flags = MemoryFlags::aligned(self.types().align(stored_type) as u32);
                flags.cache = cache(rest.first());
                self.b.store(pointer, stored, flags);
                None
            }
            "va_list" => Some(match self.variable_arguments {
                Some(list) => list,
                None => self.b.constant(ValueType::POINTER, 0),
            }),
            "lane" => Some(self.b.special(ssa::SpecialValue::Lane)),
            "trap" => {
                self.b.trap();
                None
            }
            "exit" => {
                self.b.exit();
                None
            }
            "unreachable" => {
                self.b.unreachable();
                None
            }
            _ => {
                let what = format!("the intrinsic `{text}`");
                self.unsupported(value.span, &what);
                None
            }
        }
    }

    /// `cvt ROUNDING`: converts between numbers; the types of argument and result select the conversion.
    fn conversion(
        &mut self,
        words: &[&str],
        arguments: &[Typed],
        values: &[ValueId],
        ty: TypeId,
    ) -> Option<ValueId> {
        let rounding = rounding(words.first().copied().unwrap_or("rn"));
        let (a, from) = (*values.first()?, arguments.first()?.ty);
        let kind = self.scalar_type(ty);
        let mode = FloatMode { rounding, ..FloatMode::default() };
        let conversion = match (self.types().is_float(from), self.types().is_float(ty)) {
            (true, true) => ValueConversion::FloatToFloat(mode),
            (true, false) if self.types().is_signed(ty) => {
                ValueConversion::FloatToSigned { rounding, flush: false }
            }
            (true, false) => ValueConversion::FloatToUnsigned { rounding, flush: false },
            (false, _) if self.types().is_signed(from) => ValueConversion::SignedToFloat(rounding),
            (false, _) => ValueConversion::UnsignedToFloat(rounding),
        };
        Some(self.b.convert(conversion, a, kind))
    }

    /// `atomic OPERATION SCOPE ORDER`.
    fn atomic(
        &mut self,
        words: &[&str],
        arguments: &[Typed],
        values: &[ValueId],
        ty: TypeId,
    ) -> Option<ValueId> {
        let signed = arguments.get(1).is_some_and(|argument| self.types().is_signed(argument.ty));
        let float = arguments.get(1).is_some_and(|argument| self.types().is_float(argument.ty));
        let scope = match words.get(1) {
            Some(&"block") => ThreadScope::Block,
            Some(&"system") => ThreadScope::System,
            _ => ThreadScope::Device,
        };
        let ordering = match words.get(2) {
            Some(&"acquire") => MemoryOrdering::Acquire,
            Some(&"release") => MemoryOrdering::Release,
            Some(&"acq_rel") => MemoryOrdering::AcquireRelease,
            _ => MemoryOrdering::Relaxed,
        };
        let operation = match (*words.first()?, signed) {
            ("add", _) if float => AtomicOperation::AddFloat,
            ("add", _) => AtomicOperation::Add,
            ("and", _) => AtomicOperation::And,
            ("or", _) => AtomicOperation::Or,
            ("xor", _) => AtomicOperation::Xor,
            ("exch", _) => AtomicOperation::Exchange,
            ("min", true) => AtomicOperation::MinimumSigned,
            ("min", false) => AtomicOperation::MinimumUnsigned,
            ("max", true) => AtomicOperation::MaximumSigned,
            ("max", false) => AtomicOperation::MaximumUnsigned,
            ("inc", _) => AtomicOperation::Increment,
            ("dec", _) => AtomicOperation::Decrement,
            _ => {
                let (pointer, compare, new) = (*values.first()?, *values.get(1)?, *values.get(2)?);
                return Some(self.b.compare_exchange(scope, ordering, pointer, compare, new));
            }
        };
        let _ = ty;
        Some(self.b.atomic(operation, scope, ordering, *values.first()?, *values.get(1)?))
    }

    /// Packs the arguments in local memory and calls `vprintf`.
    fn printf(&mut self, values: &[ValueId]) -> ValueId {
        let list = self.packed(values.get(1..).unwrap_or_default());
        let pointers = [ValueType::POINTER, ValueType::POINTER];
        let id = self.module.declared("vprintf", &pointers, &[ValueType::I32]);
        let format = match values.first() {
            Some(&format) => format,
            None => self.b.constant(ValueType::POINTER, 0),
        };
        let results = self.b.call(id, &[ValueType::I32], &[format, list]);
        match results.first() {
            Some(&result) => result,
            None => self.b.i32(0),
        }
    }

    /// The address of a block that holds values, each at a multiple of its size.
    pub(super) fn packed(&mut self, values: &[ValueId]) -> ValueId {
        let mut offset = 0u64;
        let mut places = Vec::new();
        for &value in values {
            let bytes = u64::from(self.b.value_type(value).bytes());
            offset = offset.next_multiple_of(bytes);
            places.push((offset, value, bytes));
            offset += bytes;
        }
        let list = if places.is_empty() {
            self.b.constant(ValueType::POINTER, 0)
        } else {
            let slot = self.b.create_slot(offset.max(1), 8);
            let address = self.b.slot_address(slot);
            self.b.generic(address)
        };
        for (offset, value, bytes) in places {
            let place = self.b.pointer_offset(list, offset as i64);
            self.b.store(place, value, MemoryFlags::aligned(bytes as u32));
        }
        list
    }
}
