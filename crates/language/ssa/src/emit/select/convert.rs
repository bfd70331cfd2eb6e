//! Conversions.

use super::Selector;
use super::arithmetic::rounding_name;
use crate::CompileError;
use crate::emit::machine::*;
use crate::ir::*;
use lanework_ptx::Immediate;

impl Selector<'_> {
    pub(super) fn convert(
        &mut self,
        conversion: ValueConversion,
        a: ValueId,
        result: ValueId,
    ) -> Result<(), CompileError> {
        use ValueConversion::*;
        let (from, to) = (self.type_of(a), self.type_of(result));
        match conversion {
            SignExtend => self.extend(a, result, 's'),
            ZeroExtend => self.extend(a, result, 'u'),
            Truncate => self.truncate(a, result),
            SignedToFloat(rounding) | UnsignedToFloat(rounding) => {
                let sign = if matches!(conversion, SignedToFloat(_)) { 's' } else { 'u' };
                let name =
                    format!("cvt{}.{to}.{sign}{}", rounding_name(rounding), from.bits().max(8));
                self.unary(name, a, result);
            }
            FloatToSigned { rounding, flush } | FloatToUnsigned { rounding, flush } => {
                let sign = if matches!(conversion, FloatToSigned { .. }) { 's' } else { 'u' };
                let flush = if flush && from == ValueType::F32 { ".ftz" } else { "" };
                let bits = to.bits().max(16);
                let name = format!("cvt{}i{flush}.{sign}{bits}.{from}", rounding_name(rounding));
                self.unary(name, a, result);
            }
            FloatToFloat(mode) => self.convert_float(mode, a, result),
            RoundToIntegral { rounding, flush } => {
                let flush = if flush && from == ValueType::F32 { ".ftz" } else { "" };
                self.unary(
                    format!("cvt{}i{flush}.{to}.{from}", rounding_name(rounding)),
                    a,
                    result,
                );
            }
            Reinterpret => {
                let (wanted, has) = (RegisterClass::of(to), RegisterClass::of(from));
                if wanted == has {
                    self.copy(a, result);
                } else if from.bytes() == to.bytes() {
                    self.unary(format!("mov.b{}", 8 * to.bytes()), a, result);
                } else {
                    return Err(self.error(format!("{from} and {to} differ in size")));
                }
            }
            Space => return self.convert_space(a, result),
        }
        Ok(())
    }

    /// An instruction with one operand.
    fn unary(&mut self, name: String, a: ValueId, result: ValueId) {
        let from = MachineOperand::Register(self.register(a));
        let to = self.result(result);
        self.define(name, to, vec![from]);
    }

    fn copy(&mut self, a: ValueId, result: ValueId) {
        let from = MachineOperand::Register(self.register(a));
        let to = self.result(result);
        self.push(MachineBody::Copies(vec![(to, from)]));
    }

    fn extend(&mut self, a: ValueId, result: ValueId, sign: char) {
        let (from, to) = (self.type_of(a), self.type_of(result));
        if from == ValueType::I1 {
            let condition = MachineOperand::Register(self.register(a));
            let one = if sign == 's' { -1 } else { 1 };
            let [one, zero] = [one, 0].map(|n| MachineOperand::Immediate(Immediate::Integer(n)));
            let to_register = self.result(result);
            let name = format!("selp.b{}", to.bits().max(16));
            return self.define(name, to_register, vec![one, zero, condition]);
        }
        // A load can extend at no cost if the extension is its only user.
        let value = self.function.resolve(a);
        if self.uses[value.index()] == 1
            && self.register_of[value.index()].is_none()
            && let Some((_, load)) = self.function.defining(value)
            && let InstructionKind::Load(_) = load.kind
            && load.results.len() == 1
        {
            let register = self.result(result);
            self.register_of[value.index()] = Some(register);
            if sign == 's' {
                self.signed_loads.insert(value);
            }
            return;
        }
        self.unary(format!("cvt.{sign}{}.{sign}{}", to.bits(), from.bits()), a, result);
    }

    fn truncate(&mut self, a: ValueId, result: ValueId) {
        let (from, to) = (self.type_of(a), self.type_of(result));
        if to == ValueType::I1 {
            let class = RegisterClass::of(from);
            let value = MachineOperand::Register(self.register(a));
            let bit = self.temporary(class);
            let [one, zero] = [1, 0].map(|n| MachineOperand::Immediate(Immediate::Integer(n)));
            self.define(format!("and.{}", class.suffix()), bit, vec![value, one]);
            let to = self.result(result);
            let name = format!("setp.ne.{}", class.suffix());
            return self.define(name, to, vec![MachineOperand::Register(bit), zero]);
        }
        if RegisterClass::of(from) == RegisterClass::of(to) {
            return self.copy(a, result);
        }
        self.unary(format!("cvt.u{}.u{}", to.bits().max(16), from.bits()), a, result);
    }

    fn convert_float(&mut self, mode: FloatMode, a: ValueId, result: ValueId) {
        let (from, to) = (self.type_of(a), self.type_of(result));
        if (from, to) == (ValueType::BF16, ValueType::F32) {
            // Moves the bits to the upper half, because `cvt.f32.bf16` needs sm_90.
            let half = MachineOperand::Register(self.register(a));
            let zero = MachineOperand::Immediate(Immediate::Integer(0));
            let to = self.result(result);
            return self.define("mov.b32", to, vec![MachineOperand::Vector(vec![zero, half])]);
        }
        let rounding = if to.bytes() < from.bytes() { rounding_name(mode.rounding) } else { "" };
        let single = from == ValueType::F32 || to == ValueType::F32;
        let flush = if mode.flush && single { ".ftz" } else { "" };
        let saturate = if mode.saturate { ".sat" } else { "" };
        self.unary(format!("cvt{rounding}{flush}{saturate}.{to}.{from}"), a, result);
    }

    fn convert_space(&mut self, a: ValueId, result: ValueId) -> Result<(), CompileError> {
        let (from, to) = (self.type_of(a).space(), self.type_of(result).space());
        let (Some(from), Some(to)) = (from, to) else {
            return Err(self.error("an address space of a value that is no pointer"));
        };
        let name = |space| match space {
            AddressSpace::Global => "global",
            AddressSpace::Shared => "shared",
            AddressSpace::Constant => "const",
            AddressSpace::Local => "local",
            AddressSpace::Parameter => "param",
            AddressSpace::Generic => "",
        };
        match (from, to) {
            (AddressSpace::Shared, AddressSpace::Generic) => {
                let wide = self.temporary(RegisterClass::Bits64);
                match self.symbol(a) {
                    Some((symbol, _)) => {
                        self.define("mov.u64", wide, vec![MachineOperand::Name(symbol)]);
                    }
                    None => {
                        let narrow = MachineOperand::Register(self.register(a));
                        self.define("cvt.u64.u32", wide, vec![narrow]);
                    }
                }
                let to = self.result(result);
                self.define("cvta.shared.u64", to, vec![MachineOperand::Register(wide)]);
            }
            (AddressSpace::Generic, AddressSpace::Shared) => {
                let from = MachineOperand::Register(self.register(a));
                let wide = self.temporary(RegisterClass::Bits64);
                self.define("cvta.to.shared.u64", wide, vec![from]);
                let to = self.result(result);
                self.define("cvt.u32.u64", to, vec![MachineOperand::Register(wide)]);
            }
            (_, AddressSpace::Generic) => self.unary(format!("cvta.{}.u64", name(from)), a, result),
            (AddressSpace::Generic, _) => {
                self.unary(format!("cvta.to.{}.u64", name(to)), a, result);
            }
            _ => return Err(self.error("a pointer of one space as a pointer of another")),
        }
        Ok(())
    }
}
