//! Loads, stores, atomic operations and address arithmetic.

use super::{Selector, memory_type};
use crate::emit::machine::*;
use crate::ir::*;

fn space_name(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Generic => "",
        AddressSpace::Global => ".global",
        AddressSpace::Shared => ".shared",
        AddressSpace::Constant => ".const",
        AddressSpace::Local => ".local",
        AddressSpace::Parameter => ".param",
    }
}

fn cache_name(cache: CacheOperator) -> &'static str {
    match cache {
        CacheOperator::Default => "",
        CacheOperator::All => ".ca",
        CacheOperator::Global => ".cg",
        CacheOperator::Streaming => ".cs",
        CacheOperator::LastUse => ".lu",
        CacheOperator::Volatile => ".cv",
        CacheOperator::WriteBack => ".wb",
        CacheOperator::WriteThrough => ".wt",
    }
}

/// Whether the accesses of an address space may be `.volatile`: only memory that other threads can access. For local
/// memory PTX requires version 9.1, so those accesses are emitted without it.
fn has_volatile(space: AddressSpace) -> bool {
    matches!(space, AddressSpace::Generic | AddressSpace::Global | AddressSpace::Shared)
}

impl Selector<'_> {
    fn space(&self, pointer: ValueId) -> AddressSpace {
        self.type_of(pointer).space().unwrap_or(AddressSpace::Generic)
    }

    pub(super) fn load(&mut self, flags: MemoryFlags, pointer: ValueId, results: &[ValueId]) {
        let ty = self.type_of(results[0]);
        let space = self.space(pointer);
        let address = self.address(pointer);
        let mut name = String::from("ld");
        let is_volatile = flags.volatile && has_volatile(space);
        if is_volatile {
            name += ".volatile";
        }
        name += space_name(space);
        if !is_volatile {
            name += cache_name(flags.cache);
            if flags.invariant && space == AddressSpace::Global {
                name += ".nc";
            }
        }
        if let [result] = results {
            let to = self.result(*result);
            let ty = memory_type(ty);
            let signed = self.signed_loads.contains(result);
            // If an extension absorbed the load, this is the extension's register.
            let ty = if signed { ty.replace('u', "s") } else { ty.to_owned() };
            self.define(format!("{name}.{ty}"), to, vec![address]);
            return;
        }
        let elements =
            results.iter().map(|result| MachineOperand::Register(self.result(*result))).collect();
        self.push(MachineBody::Operation {
            name: format!("{name}.v{}.{}", results.len(), memory_type(ty)),
            operands: vec![MachineOperand::Vector(elements), address],
            defines: true,
        });
    }

    pub(super) fn store(&mut self, flags: MemoryFlags, pointer: ValueId, values: &[ValueId]) {
        let ty = self.type_of(values[0]);
        let space = self.space(pointer);
        let mut name = String::from("st");
        let is_volatile = flags.volatile && has_volatile(space);
        if is_volatile {
            name += ".volatile";
        }
        name += space_name(space);
        if !is_volatile {
            name += cache_name(flags.cache);
        }
        let operand = match values {
            [value] => self.stored(*value),
            _ => {
                let registers = values.iter().map(|v| MachineOperand::Register(self.register(*v)));
                name += &format!(".v{}", values.len());
                MachineOperand::Vector(registers.collect())
            }
        };
        let address = self.address(pointer);
        self.push(MachineBody::Operation {
            name: format!("{name}.{}", memory_type(ty)),
            operands: vec![address, operand],
            defines: false,
        });
    }

    /// The register that a store reads. It may be wider than the memory, so a truncation costs nothing.
    fn stored(&mut self, value: ValueId) -> MachineOperand {
        let ty = self.type_of(value);
        if matches!(ty, ValueType::I8 | ValueType::I16)
            && let Some((_, instruction)) = self.function.defining(value)
            && let InstructionKind::Convert(conversion) = &instruction.kind
        {
            let wide = instruction.arguments[0];
            if *conversion == ValueConversion::Truncate && self.function.as_constant(wide).is_none()
            {
                return MachineOperand::Register(self.register(wide));
            }
        }
        if ty == ValueType::I1 {
            return self.truth_byte(value);
        }
        self.operand(value)
    }

    /// A Boolean as a byte, 0 or 1.
    pub(super) fn truth_byte(&mut self, value: ValueId) -> MachineOperand {
        let byte = self.temporary(RegisterClass::Bits16);
        let condition = MachineOperand::Register(self.register(value));
        let [one, zero] =
            [1, 0].map(|n| MachineOperand::Immediate(lanework_ptx::Immediate::Integer(n)));
        self.define("selp.b16", byte, vec![one, zero, condition]);
        MachineOperand::Register(byte)
    }

    pub(super) fn atomic(
        &mut self,
        op: AtomicOperation,
        scope: ThreadScope,
        ordering: MemoryOrdering,
        arguments: &[ValueId],
        result: ValueId,
    ) {
        use AtomicOperation::*;
        let ty = self.type_of(result);
        let is_read = self.register_of[result.index()].is_some();
        let always_atom = matches!(op, Exchange | CompareExchange);
        let mut name = String::from(if is_read || always_atom { "atom" } else { "red" });
        let order = match ordering {
            // As in nvcc's output, CUDA's functions without a memory order have no order suffix.
            MemoryOrdering::Relaxed => "",
            MemoryOrdering::Acquire => ".acquire",
            MemoryOrdering::Release => ".release",
            MemoryOrdering::AcquireRelease => ".acq_rel",
        };
        name += order;
        name += match scope {
            ThreadScope::Block => ".cta",
            ThreadScope::Cluster => ".cluster",
            ThreadScope::Device if order.is_empty() => "",
            ThreadScope::Device => ".gpu",
            ThreadScope::System => ".sys",
        };
        name += space_name(self.space(arguments[0]));
        let bits = ty.bits();
        name += &match op {
            Add => format!(".add.u{bits}"),
            AddFloat => {
                let noftz =
                    if matches!(ty, ValueType::F16 | ValueType::BF16) { ".noftz" } else { "" };
                format!(".add{noftz}.{ty}")
            }
            And => format!(".and.b{bits}"),
            Or => format!(".or.b{bits}"),
            Xor => format!(".xor.b{bits}"),
            Exchange => format!(".exch.b{bits}"),
            CompareExchange => format!(".cas.b{bits}"),
            MinimumSigned => format!(".min.s{bits}"),
            MinimumUnsigned => format!(".min.u{bits}"),
            MaximumSigned => format!(".max.s{bits}"),
            MaximumUnsigned => format!(".max.u{bits}"),
            Increment => format!(".inc.u{bits}"),
            Decrement => format!(".dec.u{bits}"),
        };
        let address = self.address(arguments[0]);
        let mut operands = vec![address];
        for argument in &arguments[1..] {
            let operand = self.operand(*argument);
            operands.push(operand);
        }
        let defines = is_read || always_atom;
        if defines {
            let to = self.result(result);
            operands.insert(0, MachineOperand::Register(to));
        }
        self.push(MachineBody::Operation { name, operands, defines });
    }

    pub(super) fn pointer_add(&mut self, arguments: &[ValueId], result: ValueId) {
        let suffix = if self.type_of(result).bytes() == 4 { "s32" } else { "s64" };
        let to = self.result(result);
        let base = MachineOperand::Register(self.register(arguments[0]));
        if suffix == "s32"
            && let Some(multiply) = self.only_use_of(arguments[1], result)
            && let InstructionKind::Integer { op, .. } = multiply.kind
            && let Some((a, b)) = self.product(op, &multiply.arguments.clone())
        {
            let a = self.operand(a);
            self.define("mad.lo.s32", to, vec![a, b, base]);
            return;
        }
        let offset = self.operand(arguments[1]);
        self.define(format!("add.{suffix}"), to, vec![base, offset]);
    }

    pub(super) fn special(&mut self, register: SpecialValue, result: ValueId) {
        let axis = |axis: u8| char::from(b'x' + axis.min(2));
        let name = match register {
            SpecialValue::ThreadIndex(a) => format!("%tid.{}", axis(a)),
            SpecialValue::BlockSize(a) => format!("%ntid.{}", axis(a)),
            SpecialValue::BlockIndex(a) => format!("%ctaid.{}", axis(a)),
            SpecialValue::GridSize(a) => format!("%nctaid.{}", axis(a)),
            SpecialValue::Lane => "%laneid".to_owned(),
            SpecialValue::WarpIndex => "%warpid".to_owned(),
        };
        let to = self.result(result);
        self.define("mov.u32", to, vec![MachineOperand::Name(name)]);
    }
}
