//! Arithmetic, comparisons and selection.

use super::Selector;
use crate::emit::machine::*;
use crate::ir::*;
use lanework_ptx::Immediate;

fn integer_literal(value: i64) -> MachineOperand {
    MachineOperand::Immediate(Immediate::Integer(value.into()))
}

/// Bits of the registers and instructions for an integer type: `I8` uses 16 bits, the upper ones undefined.
fn register_bits(ty: ValueType) -> u32 {
    ty.bits().max(16)
}

impl Selector<'_> {
    pub(super) fn integer(&mut self, op: IntegerBinary, arguments: &[ValueId], result: ValueId) {
        use IntegerBinary::*;
        let ty = self.type_of(result);
        if ty == ValueType::I1 {
            return self.logic(op, arguments, result);
        }
        if ty == ValueType::I64 && self.multiply_wide(op, arguments, result) {
            return;
        }
        if op == Add && self.multiply_add(arguments, result) {
            return;
        }
        let bits = register_bits(ty);
        let factor = self.function.as_constant(arguments[1]).filter(|_| op == Multiply);
        if let Some(factor) = factor.filter(|factor| factor.is_power_of_two()) {
            let a = self.operand(arguments[0]);
            let to = self.result(result);
            let shift = integer_literal(factor.trailing_zeros().into());
            return self.define(format!("shl.b{bits}"), to, vec![a, shift]);
        }
        let name = match op {
            Add => format!("add.s{bits}"),
            Subtract => format!("sub.s{bits}"),
            Multiply => format!("mul.lo.s{bits}"),
            MultiplyHighSigned => format!("mul.hi.s{bits}"),
            MultiplyHighUnsigned => format!("mul.hi.u{bits}"),
            DivideSigned => format!("div.s{bits}"),
            DivideUnsigned => format!("div.u{bits}"),
            RemainderSigned => format!("rem.s{bits}"),
            RemainderUnsigned => format!("rem.u{bits}"),
            And => format!("and.b{bits}"),
            Or => format!("or.b{bits}"),
            Xor => format!("xor.b{bits}"),
            ShiftLeft => format!("shl.b{bits}"),
            ShiftRightSigned => format!("shr.s{bits}"),
            ShiftRightUnsigned => format!("shr.u{bits}"),
            MinimumSigned => format!("min.s{bits}"),
            MinimumUnsigned => format!("min.u{bits}"),
            MaximumSigned => format!("max.s{bits}"),
            MaximumUnsigned => format!("max.u{bits}"),
        };
        let extension = match op {
            DivideSigned | RemainderSigned | ShiftRightSigned | MinimumSigned | MaximumSigned
            | MultiplyHighSigned => Some('s'),
            DivideUnsigned | RemainderUnsigned | ShiftRightUnsigned | MinimumUnsigned
            | MaximumUnsigned | MultiplyHighUnsigned => Some('u'),
            _ => None,
        };
        let is_shift = matches!(op, ShiftLeft | ShiftRightSigned | ShiftRightUnsigned);
        let a = self.extended(arguments[0], extension);
        let b = self.extended(arguments[1], extension.filter(|_| !is_shift));
        let to = self.result(result);
        self.define(name, to, vec![a, b]);
    }

    /// An operand for an instruction whose result depends on bits beyond the type: these bits are extended.
    fn extended(&mut self, value: ValueId, sign: Option<char>) -> MachineOperand {
        match (self.type_of(value), sign) {
            (ValueType::I8, Some(sign)) if self.function.as_constant(value).is_none() => {
                let from = MachineOperand::Register(self.register(value));
                let to = self.temporary(RegisterClass::Bits16);
                self.define(format!("cvt.{sign}16.{sign}8"), to, vec![from]);
                MachineOperand::Register(to)
            }
            (ValueType::I8, Some('u')) => {
                integer_literal(self.function.as_constant(value).unwrap_or(0) as i64)
            }
            _ => self.operand(value),
        }
    }

    fn logic(&mut self, op: IntegerBinary, arguments: &[ValueId], result: ValueId) {
        use IntegerBinary::*;
        // Arithmetic modulo 2.
        let name = match op {
            Add | Subtract | Xor => "xor.pred",
            Or | MaximumUnsigned | MinimumSigned => "or.pred",
            _ => "and.pred",
        };
        let [a, b] = [0, 1].map(|i| MachineOperand::Register(self.register(arguments[i])));
        let to = self.result(result);
        self.define(name, to, vec![a, b]);
    }

    /// The factors of a multiplication or of a left shift by a constant. The second factor is a literal or a register.
    pub(super) fn product(
        &mut self,
        op: IntegerBinary,
        arguments: &[ValueId],
    ) -> Option<(ValueId, MachineOperand)> {
        match op {
            IntegerBinary::Multiply => Some((arguments[0], self.operand(arguments[1]))),
            _ => None,
        }
    }

    /// `mul.wide`: a 64-bit product of extended 32-bit numbers.
    fn multiply_wide(&mut self, op: IntegerBinary, arguments: &[ValueId], result: ValueId) -> bool {
        let Some((sign, a)) = self.extension(arguments[0]) else { return false };
        let constant = self.function.as_constant(arguments[1]);
        let b = match (op, constant) {
            (IntegerBinary::ShiftLeft, Some(shift)) if shift < 31 => {
                MachineOperand::Immediate(Immediate::Integer(1 << shift))
            }
            (IntegerBinary::Multiply, Some(bits)) => {
                let fits = match sign {
                    's' => i32::try_from(bits as i64).is_ok(),
                    _ => u32::try_from(bits).is_ok(),
                };
                if !fits {
                    return false;
                }
                integer_literal(bits as i64)
            }
            (IntegerBinary::Multiply, None) => match self.extension(arguments[1]) {
                Some((other, b)) if other == sign => self.operand(b),
                _ => return false,
            },
            _ => return false,
        };
        let a = self.operand(a);
        let to = self.result(result);
        self.define(format!("mul.wide.{sign}32"), to, vec![a, b]);
        true
    }

    /// The 32-bit value that a 64-bit value extends, and the sign of the extension.
    fn extension(&self, value: ValueId) -> Option<(char, ValueId)> {
        let (_, instruction) = self.function.defining(value)?;
        let sign = match instruction.kind {
            InstructionKind::Convert(ValueConversion::SignExtend) => 's',
            InstructionKind::Convert(ValueConversion::ZeroExtend) => 'u',
            _ => return None,
        };
        let from = instruction.arguments[0];
        (self.type_of(from) == ValueType::I32).then_some((sign, from))
    }

    /// `mad.lo` for a product whose only use is this sum.
    fn multiply_add(&mut self, arguments: &[ValueId], result: ValueId) -> bool {
        let ty = self.type_of(result);
        if !matches!(ty, ValueType::I16 | ValueType::I32 | ValueType::I64) {
            return false;
        }
        for (product, other) in [(arguments[0], arguments[1]), (arguments[1], arguments[0])] {
            let Some(multiply) = self.only_use_of(product, result) else { continue };
            let InstructionKind::Integer { op, .. } = multiply.kind else { continue };
            let factors = multiply.arguments.clone();
            if op == IntegerBinary::Multiply
                && ty == ValueType::I64
                && self.extension(factors[0]).is_some()
            {
                // `mul.wide` and an addition are cheaper than a 64-bit multiplication.
                continue;
            }
            let Some((a, b)) = self.product(op, &factors) else { continue };
            let (a, c) = (self.operand(a), self.operand(other));
            let to = self.result(result);
            self.define(format!("mad.lo.s{}", ty.bits()), to, vec![a, b, c]);
            return true;
        }
        false
    }

    pub(super) fn integer_unary(&mut self, op: IntegerUnary, a: ValueId, result: ValueId) {
        let ty = self.type_of(a);
        let to = self.result(result);
        if ty == ValueType::I1 {
            let from = MachineOperand::Register(self.register(a));
            let name = if op == IntegerUnary::Not { "not.pred" } else { "mov.pred" };
            return self.define(name, to, vec![from]);
        }
        let bits = register_bits(ty);
        let name = match op {
            IntegerUnary::Not => format!("not.b{bits}"),
            IntegerUnary::Negate => format!("neg.s{bits}"),
            IntegerUnary::Absolute => {
                let from = self.extended(a, Some('s'));
                return self.define(format!("abs.s{bits}"), to, vec![from]);
            }
            IntegerUnary::CountOnes | IntegerUnary::LeadingZeros | IntegerUnary::ReverseBits => {
                return self.count_bits(op, a, to);
            }
        };
        let from = self.operand(a);
        self.define(name, to, vec![from]);
    }

    /// `popc`, `clz` and `brev`, which PTX supports for 32 and 64 bits.
    fn count_bits(&mut self, op: IntegerUnary, a: ValueId, to: VirtualRegister) {
        let ty = self.type_of(a);
        let name = match op {
            IntegerUnary::CountOnes => "popc",
            IntegerUnary::LeadingZeros => "clz",
            _ => "brev",
        };
        if ty.bits() >= 32 {
            let from = self.operand(a);
            return self.define(format!("{name}.b{}", ty.bits()), to, vec![from]);
        }
        let from = MachineOperand::Register(self.register(a));
        let wide = self.temporary(RegisterClass::Bits32);
        self.define(format!("cvt.u32.u{}", ty.bits()), wide, vec![from]);
        let wide = MachineOperand::Register(wide);
        let extra = integer_literal(32 - i64::from(ty.bits()));
        match op {
            IntegerUnary::CountOnes => self.define("popc.b32", to, vec![wide]),
            IntegerUnary::LeadingZeros => {
                let all = self.temporary(RegisterClass::Bits32);
                self.define("clz.b32", all, vec![wide]);
                self.define("sub.s32", to, vec![MachineOperand::Register(all), extra]);
            }
            _ => {
                let high = self.temporary(RegisterClass::Bits32);
                let low = self.temporary(RegisterClass::Bits32);
                self.define("brev.b32", high, vec![wide]);
                self.define("shr.u32", low, vec![MachineOperand::Register(high), extra]);
                self.define("cvt.u16.u32", to, vec![MachineOperand::Register(low)]);
            }
        }
    }

    pub(super) fn float(
        &mut self,
        op: FloatArithmetic,
        mode: FloatMode,
        arguments: &[ValueId],
        result: ValueId,
    ) {
        use FloatArithmetic::*;
        let ty = self.type_of(result);
        let word = match op {
            Add => "add",
            Subtract => "sub",
            Multiply => "mul",
            Divide => "div",
            Minimum => "min",
            Maximum => "max",
            FusedMultiplyAdd => "fma",
            Negate => "neg",
            Absolute => "abs",
            SquareRoot => "sqrt",
            Reciprocal => "rcp",
        };
        let mut name = String::from(word);
        let is_rounded = !matches!(op, Minimum | Maximum | Negate | Absolute);
        // The driver may also contract `mul`, `add` and `sub` that have no rounding modifier.
        let is_optional = matches!(op, Add | Subtract | Multiply);
        if is_rounded && !(is_optional && mode.contract && mode.rounding == RoundingMode::Nearest) {
            name += rounding_name(mode.rounding);
        }
        if mode.flush && ty == ValueType::F32 {
            name += ".ftz";
        }
        if mode.saturate {
            name += ".sat";
        }
        name += &format!(".{ty}");
        let sources = arguments.iter().map(|argument| self.operand(*argument)).collect();
        let to = self.result(result);
        self.define(name, to, sources);
    }

    pub(super) fn compare_integers(
        &mut self,
        condition: IntegerCondition,
        arguments: &[ValueId],
        result: ValueId,
    ) {
        use IntegerCondition::*;
        let ty = self.type_of(arguments[0]);
        if ty == ValueType::I1 {
            return self.compare_predicates(condition, arguments, result);
        }
        let (word, sign) = match condition {
            Equal => ("eq", 's'),
            NotEqual => ("ne", 's'),
            LessSigned => ("lt", 's'),
            LessOrEqualSigned => ("le", 's'),
            GreaterSigned => ("gt", 's'),
            GreaterOrEqualSigned => ("ge", 's'),
            LessUnsigned => ("lt", 'u'),
            LessOrEqualUnsigned => ("le", 'u'),
            GreaterUnsigned => ("gt", 'u'),
            GreaterOrEqualUnsigned => ("ge", 'u'),
        };
        let [a, b] = [0, 1].map(|i| self.extended(arguments[i], Some(sign)));
        let to = self.result(result);
        self.define(format!("setp.{word}.{sign}{}", register_bits(ty)), to, vec![a, b]);
    }

    fn compare_predicates(
        &mut self,
        condition: IntegerCondition,
        arguments: &[ValueId],
        result: ValueId,
    ) {
        // Compare as 0 and 1; the signed order is the reverse of the unsigned order.
        let [a, b] = [0, 1].map(|index| {
            let condition = MachineOperand::Register(self.register(arguments[index]));
            let to = self.temporary(RegisterClass::Bits32);
            self.define("selp.s32", to, vec![integer_literal(1), integer_literal(0), condition]);
            MachineOperand::Register(to)
        });
        use IntegerCondition::*;
        let word = match condition {
            Equal => "eq",
            NotEqual => "ne",
            LessUnsigned | GreaterSigned => "lt",
            LessOrEqualUnsigned | GreaterOrEqualSigned => "le",
            GreaterUnsigned | LessSigned => "gt",
            GreaterOrEqualUnsigned | LessOrEqualSigned => "ge",
        };
        let to = self.result(result);
        self.define(format!("setp.{word}.s32"), to, vec![a, b]);
    }

    pub(super) fn compare_floats(
        &mut self,
        condition: FloatCondition,
        flush: bool,
        arguments: &[ValueId],
        result: ValueId,
    ) {
        use FloatCondition::*;
        let ty = self.type_of(arguments[0]);
        let word = match condition {
            Equal => "eq",
            NotEqual => "ne",
            Less => "lt",
            LessOrEqual => "le",
            Greater => "gt",
            GreaterOrEqual => "ge",
            EqualOrUnordered => "equ",
            NotEqualOrUnordered => "neu",
            LessOrUnordered => "ltu",
            LessOrEqualOrUnordered => "leu",
            GreaterOrUnordered => "gtu",
            GreaterOrEqualOrUnordered => "geu",
            Ordered => "num",
            Unordered => "nan",
        };
        let flush = if flush && ty == ValueType::F32 { ".ftz" } else { "" };
        let [a, b] = [0, 1].map(|i| self.operand(arguments[i]));
        let to = self.result(result);
        self.define(format!("setp.{word}{flush}.{ty}"), to, vec![a, b]);
    }

    pub(super) fn select_value(&mut self, arguments: &[ValueId], result: ValueId) {
        let ty = self.type_of(result);
        let condition = MachineOperand::Register(self.register(arguments[0]));
        if ty == ValueType::I1 {
            let [a, b] = [1, 2].map(|i| MachineOperand::Register(self.register(arguments[i])));
            let [yes, not, no] = [0; 3].map(|_| self.temporary(RegisterClass::Predicate));
            self.define("and.pred", yes, vec![condition.clone(), a]);
            self.define("not.pred", not, vec![condition]);
            self.define("and.pred", no, vec![MachineOperand::Register(not), b]);
            let to = self.result(result);
            let sources = [yes, no].map(MachineOperand::Register).to_vec();
            return self.define("or.pred", to, sources);
        }
        let [a, b] = [1, 2].map(|i| self.operand(arguments[i]));
        let suffix = match RegisterClass::of(ty) {
            RegisterClass::F32 => "f32",
            RegisterClass::F64 => "f64",
            class => ["b16", "b32", "b64"][match class {
                RegisterClass::Bits16 => 0,
                RegisterClass::Bits32 => 1,
                _ => 2,
            }],
        };
        let to = self.result(result);
        self.define(format!("selp.{suffix}"), to, vec![a, b, condition]);
    }
}

/// The suffix of a floating-point rounding mode.
pub(super) fn rounding_name(rounding: RoundingMode) -> &'static str {
    match rounding {
        RoundingMode::Nearest => ".rn",
        RoundingMode::Zero => ".rz",
        RoundingMode::Up => ".rp",
        RoundingMode::Down => ".rm",
    }
}
