//! Every operation on every type that it accepts.

use crate::dsl::*;
use lanework_ssa::ValueType::{BF16, F16, F32, F64, I1, I8, I16, I32, I64};
use lanework_ssa::*;

const POINTER: ValueType = ValueType::POINTER;

/// Operand values that test a type: small, large and negative ones, and fractions for floats.
fn samples(ty: ValueType) -> [u64; 4] {
    match ty {
        F16 => [0x3c00, 0xc500, 0x3555, 0x0001],
        BF16 => [0x3f80, 0xc0a0, 0x3eab, 0x4049],
        F32 => [0x3f80_0000, 0xc0a0_0000, 0x3eaa_aaab, 0x4b00_0001],
        F64 => {
            [1.0_f64.to_bits(), (-5.0_f64).to_bits(), (1.0_f64 / 3.0).to_bits(), 1e30_f64.to_bits()]
        }
        _ => [1, 7, 0x8000_0000_8000_8081, u64::MAX],
    }
}

/// A kernel under construction whose results go to consecutive words of 8 bytes.
struct Forms {
    k: KernelBuilder,
    /// Whether operands are constants; otherwise the compiler does not know their values.
    constants: bool,
    next: i64,
}

impl Forms {
    fn value(&mut self, ty: ValueType, index: usize) -> ValueId {
        let bits = samples(ty)[index];
        if self.constants {
            return self.k.constant(ty, bits);
        }
        if ty == I1 {
            let byte = self.value(I8, index);
            return self.k.convert(ValueConversion::Truncate, byte, I1);
        }
        // A copy that is opaque to the compiler.
        let wide = ValueType::integer(ty.bits().max(16)).expect("a type of the same size");
        let constant = self.k.constant(wide, bits & ty.mask());
        let template = PtxTemplate {
            text: format!("mov.b{} %0, %1;", wide.bits()),
            outputs: vec![wide],
            literals: true,
            tied: vec![],
            effects: PtxEffects { volatile: true, ..PtxEffects::PURE },
        };
        let copy = self.k.ptx(template, &[constant])[0];
        if ty == I8 {
            return self.k.convert(ValueConversion::Truncate, copy, I8);
        }
        self.k.convert(ValueConversion::Reinterpret, copy, ty)
    }

    fn out(&mut self, value: ValueId) {
        let ty = self.k.value_type(value);
        let pointer = self.k.parameter(0);
        let address = self.k.pointer_offset(pointer, 8 * self.next);
        self.next += 1;
        let value = match ty {
            I1 => self.k.convert(ValueConversion::ZeroExtend, value, I8),
            _ => value,
        };
        let flags = MemoryFlags::aligned(self.k.value_type(value).bytes());
        self.k.store(address, value, flags);
    }

    fn integers(&mut self) {
        use IntegerBinary::*;
        let all = [
            Add,
            Subtract,
            Multiply,
            MultiplyHighSigned,
            MultiplyHighUnsigned,
            DivideSigned,
            DivideUnsigned,
            RemainderSigned,
            RemainderUnsigned,
            And,
            Or,
            Xor,
            ShiftLeft,
            ShiftRightSigned,
            ShiftRightUnsigned,
            MinimumSigned,
            MinimumUnsigned,
            MaximumSigned,
            MaximumUnsigned,
        ];
        for ty in [I8, I16, I32, I64] {
            for op in all {
                let high = matches!(op, MultiplyHighSigned | MultiplyHighUnsigned);
                if ty == I8 && high {
                    continue;
                }
                for (a, b) in [(2, 1), (3, 2), (1, 0)] {
                    let shift = matches!(op, ShiftLeft | ShiftRightSigned | ShiftRightUnsigned);
                    let a = self.value(ty, a);
                    let b = if shift { self.k.i32(3) } else { self.value(ty, b) };
                    let result = self.k.integer(op, a, b);
                    self.out(result);
                }
            }
            use IntegerUnary::*;
            for op in [Not, Negate, Absolute, CountOnes, LeadingZeros, ReverseBits] {
                for index in [1, 2] {
                    let a = self.value(ty, index);
                    let result = self.k.integer_unary(op, a);
                    self.out(result);
                }
            }
        }
        for ty in [I1, I8, I16, I32, I64] {
            use IntegerCondition::*;
            for condition in [
                Equal,
                NotEqual,
                LessSigned,
                LessOrEqualSigned,
                GreaterSigned,
                GreaterOrEqualSigned,
                LessUnsigned,
                LessOrEqualUnsigned,
                GreaterUnsigned,
                GreaterOrEqualUnsigned,
            ] {
                let (a, b) = (self.value(ty, 1), self.value(ty, 2));
                let result = self.k.compare_integers(condition, a, b);
                self.out(result);
            }
        }
        for op in [And, Or, Xor] {
            let (a, b) = (self.value(I1, 0), self.value(I1, 1));
            let result = self.k.integer(op, a, b);
            self.out(result);
        }
    }

    fn floats(&mut self) {
        use FloatArithmetic::*;
        for ty in [F16, F32, F64] {
            for (a, b) in [(2, 1), (3, 2), (0, 3)] {
                let (a, b) = (self.value(ty, a), self.value(ty, b));
                for op in [Add, Subtract, Multiply, Divide, Minimum, Maximum] {
                    if ty == F16 && op == Divide {
                        continue;
                    }
                    let result = self.k.float(op, FloatMode::default(), &[a, b]);
                    self.out(result);
                }
                let c = self.value(ty, 1);
                let result = self.k.float(FusedMultiplyAdd, FloatMode::default(), &[a, b, c]);
                self.out(result);
                use FloatCondition::*;
                for condition in [
                    Equal,
                    NotEqual,
                    Less,
                    LessOrEqual,
                    GreaterOrUnordered,
                    NotEqualOrUnordered,
                    Ordered,
                    Unordered,
                ] {
                    let result = self.k.compare_floats(condition, a, b);
                    self.out(result);
                }
            }
            for op in [Negate, Absolute, SquareRoot, Reciprocal] {
                if ty != F16 || matches!(op, Negate | Absolute) {
                    let a = self.value(ty, 2);
                    let result = self.k.float(op, FloatMode::default(), &[a]);
                    self.out(result);
                }
            }
        }
        for rounding in [RoundingMode::Zero, RoundingMode::Up, RoundingMode::Down] {
            for flush in [false, true] {
                let mode = FloatMode { rounding, flush, saturate: flush, contract: false };
                let (a, b) = (self.value(F32, 2), self.value(F32, 0));
                for op in [Add, Multiply] {
                    let result = self.k.float(op, mode, &[a, b]);
                    self.out(result);
                }
            }
        }
    }

    fn conversions(&mut self) {
        use ValueConversion::*;
        let integers = [I1, I8, I16, I32, I64];
        for from in integers {
            for to in integers {
                let kinds: &[ValueConversion] = match from.bits().cmp(&to.bits()) {
                    std::cmp::Ordering::Less => &[SignExtend, ZeroExtend],
                    std::cmp::Ordering::Greater => &[Truncate],
                    std::cmp::Ordering::Equal => &[],
                };
                for kind in kinds {
                    let a = self.value(from, 2);
                    let result = self.k.convert(*kind, a, to);
                    self.out(result);
                }
            }
        }
        for rounding in
            [RoundingMode::Nearest, RoundingMode::Zero, RoundingMode::Up, RoundingMode::Down]
        {
            for float in [F16, F32, F64] {
                for integer in [I8, I16, I32, I64] {
                    for index in [0, 1, 2] {
                        let a = self.value(integer, index);
                        let kinds = [SignedToFloat(rounding), UnsignedToFloat(rounding)];
                        for kind in kinds {
                            let result = self.k.convert(kind, a, float);
                            self.out(result);
                        }
                        if integer == I8 && index > 0 {
                            continue;
                        }
                        let a = self.value(float, index);
                        let flush = false;
                        for kind in
                            [FloatToSigned { rounding, flush }, FloatToUnsigned { rounding, flush }]
                        {
                            let result = self.k.convert(kind, a, integer);
                            self.out(result);
                        }
                    }
                }
                let a = self.value(float, 1);
                let result = self.k.convert(RoundToIntegral { rounding, flush: false }, a, float);
                self.out(result);
            }
        }
        for (from, to) in [
            (F16, F32),
            (F32, F16),
            (F32, F64),
            (F64, F32),
            (F16, F64),
            (F64, F16),
            (BF16, F32),
            (F32, BF16),
        ] {
            for index in 0..4 {
                let a = self.value(from, index);
                let result = self.k.convert(FloatToFloat(FloatMode::default()), a, to);
                self.out(result);
            }
        }
        for (from, to) in [(F16, I16), (I16, BF16), (F32, I32), (I32, F32), (F64, I64), (I64, F64)]
        {
            let a = self.value(from, 2);
            let result = self.k.convert(Reinterpret, a, to);
            self.out(result);
        }
    }

    fn others(&mut self) {
        for ty in [I1, I8, I16, I32, I64, F16, F32, F64] {
            let condition = self.value(I1, 1);
            let (a, b) = (self.value(ty, 0), self.value(ty, 1));
            let result = self.k.select(condition, a, b);
            self.out(result);
        }
        use AtomicOperation::*;
        let pointer = self.k.parameter(1);
        let all = [
            (Add, I32),
            (Add, I64),
            (AddFloat, F32),
            (AddFloat, F64),
            (And, I32),
            (Or, I64),
            (Xor, I32),
            (Exchange, I64),
            (MinimumSigned, I32),
            (MaximumUnsigned, I64),
            (Increment, I32),
            (Decrement, I32),
        ];
        for (op, ty) in all {
            let operand = self.value(ty, 0);
            let scope = if ty == I32 { ThreadScope::Device } else { ThreadScope::System };
            let old = self.k.atomic(op, scope, MemoryOrdering::Relaxed, pointer, operand);
            if op != Xor {
                self.out(old);
            }
        }
        let (compare, new) = (self.value(I32, 0), self.value(I32, 1));
        let ordering = MemoryOrdering::AcquireRelease;
        let old = self.k.compare_exchange(ThreadScope::Block, ordering, pointer, compare, new);
        self.out(old);
        for special in [SpecialValue::Lane, SpecialValue::WarpIndex, SpecialValue::GridSize(2)] {
            let value = self.k.special(special);
            self.out(value);
        }
        self.k.fence(ThreadScope::Block);
        let all = self.k.i32(-1);
        self.k.warp_barrier(all);
        let predicate = self.value(I1, 1);
        for mode in ["all", "any", "ballot"] {
            let result = self.k.vote(mode, predicate, all);
            self.out(result);
        }
        let (values, flags) =
            ([0, 1].map(|index| self.value(I64, index)), MemoryFlags::aligned(16));
        self.k.store_vector(pointer, &values, flags);
        let volatile = MemoryFlags { volatile: true, ..flags };
        let loaded = self.k.load_vector(F32, 4, pointer, volatile);
        self.out(loaded[3]);
        let cached = MemoryFlags { cache: CacheOperator::Streaming, invariant: false, ..flags };
        let loaded = self.k.load(I32, pointer, cached);
        self.out(loaded);
    }
}

/// All operations, with constants that are folded, or with values that the compiler does not know.
pub fn forms(constants: bool) -> SsaModule {
    let mut module = module();
    module.version = lanework_ptx::Version { major: 8, minor: 5 };
    let k = KernelBuilder::new("forms", &[POINTER, POINTER]);
    let mut forms = Forms { k, constants, next: 0 };
    forms.integers();
    forms.floats();
    forms.conversions();
    forms.others();
    module.add_function(forms.k.end());
    module
}

/// A call through a pointer, several results, `vprintf`, a switch, inline assembly with a read-write operand, and a
/// table of functions.
pub fn calls() -> SsaModule {
    let mut module = module();
    let mut print = SsaFunction::new("vprintf", FunctionLinkage::Declaration);
    print.parameters = vec![FunctionParameter::scalar(POINTER); 2];
    print.returns = vec![I32];
    let print = module.add_function(print);
    let mut f =
        KernelBuilder::with_linkage("both", FunctionLinkage::Device, &[I32, I1], &[I32, F64]);
    f.function_mut().inlining = Inlining::Never;
    let n = f.parameter(0);
    let double = f.convert(ValueConversion::SignedToFloat(RoundingMode::Nearest), n, F64);
    f.return_values(&[n, double]);
    let both = module.add_function(f.finish());
    let text = module.add_global(GlobalVariable {
        name: "text".to_owned(),
        space: AddressSpace::Global,
        size: 4,
        align: 1,
        linkage: GlobalLinkage::Internal,
        initial: Some(InitialBytes { bytes: b"%d\n\0".to_vec(), relocations: vec![] }),
        managed: false,
    });
    let relocations = vec![
        Relocation { offset: 0, target: RelocationTarget::Global(text), addend: 1 },
        Relocation { offset: 8, target: RelocationTarget::Function(both), addend: 0 },
    ];
    let table = module.add_global(GlobalVariable {
        name: "table".to_owned(),
        space: AddressSpace::Constant,
        size: 24,
        align: 8,
        linkage: GlobalLinkage::Visible,
        initial: Some(InitialBytes { bytes: vec![0; 24], relocations }),
        managed: false,
    });
    let mut k = KernelBuilder::new("calls", &[POINTER, I32]);
    k.function_mut().parameters.push(FunctionParameter::aggregate(24, 8));
    k.function_mut().bounds.max_threads = Some([128, 1, 1]);
    let (out, n) = (k.parameter(0), k.parameter(1));
    let yes = k.compare_integers(IntegerCondition::NotEqual, n, n);
    let direct = k.call(both, &[I32, F64], &[n, yes]);
    let table = k.global_address(table, AddressSpace::Constant);
    let entry = k.pointer_offset(table, 8);
    let callee = k.load(POINTER, entry, MemoryFlags::aligned(8));
    let indirect = k.call_indirect(callee, &[I32, F64], &[direct[0], yes]);
    k.store(out, indirect[1], MemoryFlags::aligned(8));
    let buffer = k.create_slot(8, 8);
    let buffer = k.slot_address(buffer);
    k.store(buffer, indirect[0], MemoryFlags::aligned(8));
    let arguments = k.generic(buffer);
    let text = k.global_address(text, AddressSpace::Global);
    let format = k.generic(text);
    k.call(print, &[I32], &[format, arguments]);
    let template = PtxTemplate {
        text: "{ .reg .u32 t; mov.u32 t, %%laneid; add.u32 %0, %0, t; }".to_owned(),
        outputs: vec![I32],
        literals: false,
        tied: vec![(0, 0)],
        effects: PtxEffects::VOLATILE,
    };
    let sum = k.ptx(template, &[n])[0];
    let address = k.pointer_offset(out, 8);
    k.store(address, sum, MemoryFlags::aligned(4));
    let (dead, live) = (k.create_block(), k.create_block());
    k.switch(sum, &[(u64::MAX, dead)], live);
    k.seal_all_blocks();
    k.switch_to_block(dead);
    k.trap();
    k.switch_to_block(live);
    module.add_function(k.end());
    module
}
