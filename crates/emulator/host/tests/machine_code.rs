//! Xorshift functions in SSA form: machine code computes the same bytes, and faults at the same places, as the interpreter.

use lanework_cuda_cpp::{CompileOptions, NoFiles, compile_host};
use lanework_host::{HostExecution, HostFault, Process, word};
use lanework_ssa::*;
use std::sync::Mutex;

/// Bytes of the memory that a function reads, and of that it writes.
const INPUT: u64 = 512;
const OUTPUT: u64 = 4096;

/// A generator: Marsaglia 2003.
struct Xorshift(u64);

impl Xorshift {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() >> 11) as usize % end
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// Bits with many zeros or ones, numbers around the limits of types, and floats.
    fn bits(&mut self) -> u64 {
        match self.below(8) {
            0 => self.below(4) as u64,
            1 => (self.below(4) as u64).wrapping_neg(),
            2 => 1u64.rotate_left(self.below(64) as u32).wrapping_sub(self.below(2) as u64),
            3 => (self.below(2000) as f64 / 8.0 - 100.0).to_bits(),
            4 => {
                let float = |value: f32| u64::from(value.to_bits());
                float(self.below(99) as f32 - 50.5) << 32 | float(self.below(9) as f32)
            }
            5 => u64::from(self.pick(&[f32::INFINITY, f32::MAX, -0.0, 1e10, -3e9]).to_bits()),
            6 => self.pick(&[f64::INFINITY, f64::NAN, -0.0, 1e19, -9.3e18, 4e9]).to_bits(),
            _ => self.next(),
        }
    }
}

const TYPES: [ValueType; 7] = [
    ValueType::I1,
    ValueType::I8,
    ValueType::I16,
    ValueType::I32,
    ValueType::I64,
    ValueType::F32,
    ValueType::F64,
];
const INTEGERS: [ValueType; 4] = [ValueType::I8, ValueType::I16, ValueType::I32, ValueType::I64];
const FLOATS: [ValueType; 2] = [ValueType::F32, ValueType::F64];

/// Writes one function.
struct Writer<'a> {
    random: &'a mut Xorshift,
    b: FunctionBuilder,
    values: Vec<ValueId>,
    variables: Vec<(VariableId, ValueType)>,
    memory: Vec<(ValueId, u64)>,
    line: u32,
    /// Functions that take an integer of 64 bits and a `float`, and return an integer and a `double`.
    callees: Vec<FunctionId>,
}

impl Writer<'_> {
    fn value(&mut self, ty: ValueType) -> ValueId {
        let known: Vec<ValueId> =
            self.values.iter().copied().filter(|value| self.b.value_type(*value) == ty).collect();
        if known.is_empty() || self.random.below(6) == 0 {
            let bits = self.random.bits() & ty.mask();
            return self.b.constant(ty, bits);
        }
        self.random.pick(&known)
    }

    /// A float without the bits of its NaN, which depend on the order of operands.
    fn plain(&mut self, value: ValueId) -> ValueId {
        let ty = self.b.value_type(value);
        if !ty.is_float() {
            return value;
        }
        let is_nan = self.b.compare_floats(FloatCondition::Unordered, value, value);
        let one = self.b.constant(ty, 0);
        self.b.select(is_nan, one, value)
    }

    fn place(&mut self, bytes: u64) -> ValueId {
        let (pointer, size) = self.random.pick(&self.memory);
        let wild = self.random.below(400) == 0;
        let at = self.random.below((size - bytes + 1) as usize) as u64;
        let at = if self.random.below(5) == 0 { at } else { at / bytes * bytes };
        self.b.pointer_offset(pointer, if wild { (size + at) as i64 } else { at as i64 })
    }

    fn instruction(&mut self) {
        use IntegerBinary as I;
        self.line += 1;
        self.b.set_position(SourcePosition { file: 1, line: self.line, ..Default::default() });
        let integer = self.random.pick(&INTEGERS);
        let float = self.random.pick(&FLOATS);
        let value = match self.random.below(14) {
            0..=2 => {
                let op = self.random.pick(&[
                    I::Add,
                    I::Subtract,
                    I::Multiply,
                    I::And,
                    I::Or,
                    I::Xor,
                    I::MinimumSigned,
                    I::MinimumUnsigned,
                    I::MaximumSigned,
                    I::MaximumUnsigned,
                    I::MultiplyHighSigned,
                    I::MultiplyHighUnsigned,
                    I::ShiftLeft,
                    I::ShiftRightSigned,
                    I::ShiftRightUnsigned,
                    I::DivideSigned,
                    I::DivideUnsigned,
                    I::RemainderSigned,
                    I::RemainderUnsigned,
                ]);
                let shifts =
                    matches!(op, I::ShiftLeft | I::ShiftRightSigned | I::ShiftRightUnsigned);
                let divides = matches!(
                    op,
                    I::DivideSigned | I::DivideUnsigned | I::RemainderSigned | I::RemainderUnsigned
                );
                let a = self.value(integer);
                let mut b = self.value(if shifts { ValueType::I32 } else { integer });
                if divides && self.random.below(20) > 0 {
                    let one = self.b.constant(integer, 1);
                    b = self.b.integer(I::Or, b, one);
                }
                self.b.integer(op, a, b)
            }
            3 => {
                use IntegerUnary as U;
                let op = self.random.pick(&[
                    U::Not,
                    U::Negate,
                    U::Absolute,
                    U::CountOnes,
                    U::LeadingZeros,
                    U::ReverseBits,
                ]);
                let a = self.value(integer);
                self.b.integer_unary(op, a)
            }
            4 => {
                use IntegerCondition as C;
                let condition = self.random.pick(&[
                    C::Equal,
                    C::NotEqual,
                    C::LessSigned,
                    C::LessOrEqualSigned,
                    C::GreaterSigned,
                    C::GreaterOrEqualSigned,
                    C::LessUnsigned,
                    C::LessOrEqualUnsigned,
                    C::GreaterUnsigned,
                    C::GreaterOrEqualUnsigned,
                ]);
                let (a, b) = (self.value(integer), self.value(integer));
                self.b.compare_integers(condition, a, b)
            }
            5 => {
                use FloatCondition as C;
                let condition = self.random.pick(&[
                    C::Equal,
                    C::NotEqual,
                    C::Less,
                    C::LessOrEqual,
                    C::Greater,
                    C::GreaterOrEqual,
                    C::EqualOrUnordered,
                    C::NotEqualOrUnordered,
                    C::LessOrUnordered,
                    C::LessOrEqualOrUnordered,
                    C::GreaterOrUnordered,
                    C::GreaterOrEqualOrUnordered,
                    C::Ordered,
                    C::Unordered,
                ]);
                let (a, b) = (self.value(float), self.value(float));
                self.b.compare_floats(condition, a, b)
            }
            6 | 7 => {
                use FloatArithmetic as F;
                let op = self.random.pick(&[
                    F::Add,
                    F::Subtract,
                    F::Multiply,
                    F::Divide,
                    F::Minimum,
                    F::Maximum,
                    F::FusedMultiplyAdd,
                    F::Negate,
                    F::Absolute,
                    F::SquareRoot,
                    F::Reciprocal,
                ]);
                let count = match op {
                    F::FusedMultiplyAdd => 3,
                    F::Negate | F::Absolute | F::SquareRoot | F::Reciprocal => 1,
                    _ => 2,
                };
                let operands: Vec<ValueId> = (0..count).map(|_| self.value(float)).collect();
                self.b.float(op, FloatMode::default(), &operands)
            }
            8 => {
                let ty = self.random.pick(&TYPES);
                let condition = self.value(ValueType::I1);
                let (yes, no) = (self.value(ty), self.value(ty));
                self.b.select(condition, yes, no)
            }
            9 | 10 => self.conversion(),
            11 => {
                let ty = self.random.pick(&TYPES[1..]);
                let place = self.place(ty.bytes().into());
                self.b.load(ty, place, MemoryFlags::aligned(1))
            }
            12 => {
                let ty = self.random.pick(&TYPES[1..]);
                let value = self.value(ty);
                let value = self.plain(value);
                let place = self.place(ty.bytes().into());
                return self.b.store(place, value, MemoryFlags::aligned(1));
            }
            _ => return self.effect(),
        };
        self.values.push(value);
    }

    /// A call, a copy, or a change of a variable.
    fn effect(&mut self) {
        match self.random.below(4) {
            0 if !self.callees.is_empty() => {
                let callee = self.random.pick(&self.callees);
                let arguments = [self.value(ValueType::I64), self.value(ValueType::F32)];
                let arguments = arguments.map(|value| self.plain(value));
                let returns = [ValueType::I64, ValueType::F64];
                let results = if self.random.below(2) == 0 {
                    self.b.call(callee, &returns, &arguments)
                } else {
                    let pointer = self.b.function_address(callee);
                    self.b.call_indirect(pointer, &returns, &arguments)
                };
                self.values.extend(results);
            }
            1 => {
                let bytes = 1 + self.random.below(40) as u64;
                let (to, from) = (self.place(bytes), self.place(bytes));
                self.b.copy_memory(to, from, bytes, 1);
            }
            2 => {
                let bytes = 1 + self.random.below(40) as u64;
                let to = self.place(bytes);
                self.b.fill_memory(to, 7, bytes, 1);
            }
            _ => {
                let (variable, ty) = self.random.pick(&self.variables);
                let value = self.value(ty);
                self.b.define_variable(variable, value);
            }
        }
    }

    fn conversion(&mut self) -> ValueId {
        use ValueConversion as V;
        let rounding = self.random.pick(&[
            RoundingMode::Nearest,
            RoundingMode::Zero,
            RoundingMode::Up,
            RoundingMode::Down,
        ]);
        let nearest = RoundingMode::Nearest;
        let (integer, float) = (self.random.pick(&INTEGERS), self.random.pick(&FLOATS));
        let (conversion, from, to) = match self.random.below(8) {
            0 => (V::SignExtend, self.random.pick(&TYPES[..4]), ValueType::I64),
            1 => (V::ZeroExtend, self.random.pick(&TYPES[..3]), ValueType::I32),
            2 => (V::Truncate, ValueType::I64, self.random.pick(&TYPES[..4])),
            3 => (V::SignedToFloat(nearest), integer, float),
            4 => (V::UnsignedToFloat(nearest), integer, float),
            5 => (V::FloatToSigned { rounding, flush: false }, float, integer),
            6 => (V::FloatToUnsigned { rounding, flush: false }, float, integer),
            _ => match self.random.below(4) {
                0 => (V::RoundToIntegral { rounding, flush: false }, float, float),
                1 => (V::FloatToFloat(FloatMode::default()), ValueType::F32, ValueType::F64),
                2 => (V::FloatToFloat(FloatMode::default()), ValueType::F64, ValueType::F32),
                _ => (V::Reinterpret, ValueType::F32, ValueType::I32),
            },
        };
        let value = self.value(from);
        let value = self.plain(value);
        self.b.convert(conversion, value, to)
    }

    /// Instructions, a loop, a branch or a switch.
    fn piece(&mut self, depth: u32) {
        for _ in 0..1 + self.random.below(12) {
            self.instruction();
        }
        if depth == 0 {
            return;
        }
        let known = self.values.len();
        let condition = self.value(ValueType::I1);
        match self.random.below(3) {
            0 => {
                let [yes, no, next] = [(); 3].map(|()| self.b.create_block());
                self.b.branch(condition, yes, no);
                for block in [yes, no] {
                    self.b.seal_block(block);
                    self.b.switch_to_block(block);
                    self.piece(depth - 1);
                    self.values.truncate(known);
                    self.b.jump(next, &[]);
                }
                self.b.seal_block(next);
                self.b.switch_to_block(next);
            }
            1 => {
                let value = self.value(ValueType::I32);
                let [one, two, next] = [(); 3].map(|()| self.b.create_block());
                self.b.switch(value, &[(0, one), (1, two), (0xffff_ffff, one)], next);
                for block in [one, two] {
                    self.b.seal_block(block);
                    self.b.switch_to_block(block);
                    self.piece(depth - 1);
                    self.values.truncate(known);
                    self.b.jump(next, &[]);
                }
                self.b.seal_block(next);
                self.b.switch_to_block(next);
            }
            _ => {
                let counter = self.b.declare_variable(ValueType::I32);
                let zero = self.b.i32(0);
                self.b.define_variable(counter, zero);
                let [head, body, next] = [(); 3].map(|()| self.b.create_block());
                self.b.jump(head, &[]);
                self.b.switch_to_block(head);
                let (count, end) = (self.b.use_variable(counter), 1 + self.random.below(40) as i32);
                let end = self.b.i32(end);
                let more = self.b.compare_integers(IntegerCondition::LessSigned, count, end);
                self.b.branch(more, body, next);
                self.b.seal_block(body);
                self.b.switch_to_block(body);
                self.piece(depth - 1);
                let (count, one) = (self.b.use_variable(counter), self.b.i32(1));
                let count = self.b.integer(IntegerBinary::Add, count, one);
                self.b.define_variable(counter, count);
                self.b.jump(head, &[]);
                self.b.seal_block(head);
                self.b.seal_block(next);
                self.b.switch_to_block(next);
            }
        }
        self.values.truncate(known);
        for (variable, _) in self.variables.clone() {
            let value = self.b.use_variable(variable);
            self.values.push(value);
        }
    }
}

/// A random function that starts with `parameters`. It returns an integer and a `double`, or writes its values if it is
/// `main`.
fn function(
    random: &mut Xorshift,
    name: &str,
    parameters: &[ValueType],
    globals: [GlobalId; 2],
    callees: &[FunctionId],
    write: Option<FunctionId>,
) -> SsaFunction {
    let mut function = SsaFunction::new(name, FunctionLinkage::Device);
    function.parameters = parameters.iter().map(|ty| FunctionParameter::scalar(*ty)).collect();
    function.returns = match write {
        Some(_) => vec![ValueType::I32],
        None => vec![ValueType::I64, ValueType::F64],
    };
    let mut b = FunctionBuilder::new(function);
    let values: Vec<ValueId> = (0..parameters.len()).map(|at| b.parameter(at)).collect();
    let mut memory: Vec<(ValueId, u64)> = Vec::new();
    for (global, size) in globals.into_iter().zip([INPUT, OUTPUT]) {
        memory.push((b.global_address(global, AddressSpace::Generic), size));
    }
    let output = memory[1].0;
    for _ in 0..random.below(3) {
        let size = 40 + random.below(1200) as u64;
        let slot = b.create_slot(size, 8);
        let pointer = b.slot_address(slot);
        b.fill_memory(pointer, 1, size, 1);
        memory.push((pointer, size));
    }
    let mut variables = Vec::new();
    for ty in TYPES {
        let variable = b.declare_variable(ty);
        let first = b.constant(ty, random.bits() & ty.mask());
        b.define_variable(variable, first);
        variables.push((variable, ty));
    }
    let callees = callees.to_vec();
    let mut writer = Writer { random, b, values, variables, memory, line: 1, callees };
    for _ in 0..3 {
        writer.piece(2);
    }
    let values = writer.values.clone();
    match write {
        Some(write) => {
            for (at, value) in values.into_iter().enumerate().take(200) {
                let value = writer.plain(value);
                let value = match writer.b.value_type(value) {
                    ValueType::I1 => {
                        writer.b.convert(ValueConversion::ZeroExtend, value, ValueType::I32)
                    }
                    _ => value,
                };
                let place = writer.b.pointer_offset(output, 8 * at as i64);
                writer.b.store(place, value, MemoryFlags::aligned(1));
            }
            let size = writer.b.i64(OUTPUT as i64);
            writer.b.call(write, &[], &[output, size]);
            let zero = writer.b.i32(0);
            writer.b.return_values(&[zero]);
        }
        None => {
            let results = [ValueType::I64, ValueType::F64].map(|ty| writer.value(ty));
            let results = results.map(|value| writer.plain(value));
            writer.b.return_values(&results);
        }
    }
    writer.b.finish()
}

/// A random program.
fn program(seed: u64) -> SsaModule {
    let mut random = Xorshift(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let options = CompileOptions::default();
    let empty = compile_host("int main() { return 0; }", "p.cu", &options, &mut NoFiles);
    let mut module = empty.unwrap_or_else(|failure| panic!("{}", failure.text)).module;
    (module.functions, module.globals) = (Vec::new(), Vec::new());
    let input: Vec<u8> = (0..INPUT / 8).flat_map(|_| random.bits().to_le_bytes()).collect();
    let globals = [("input", INPUT, Some(input)), ("output", OUTPUT, None)];
    let globals = globals.map(|(name, size, bytes)| {
        module.add_global(GlobalVariable {
            name: name.to_owned(),
            space: AddressSpace::Global,
            size,
            align: 16,
            linkage: GlobalLinkage::Internal,
            initial: bytes.map(|bytes| InitialBytes { bytes, relocations: Vec::new() }),
            managed: false,
        })
    });
    let mut declared = SsaFunction::new("test_write", FunctionLinkage::Device);
    declared.parameters = vec![FunctionParameter::scalar(ValueType::I64); 2];
    let write = module.add_function(declared);
    let mut callees = Vec::new();
    for name in ["f", "g"] {
        let parameters = [ValueType::I64, ValueType::F32];
        let f = function(&mut random, name, &parameters, globals, &callees, None);
        callees.push(module.add_function(f));
    }
    let parameters = [ValueType::I32, ValueType::I64];
    let main = function(&mut random, "main", &parameters, globals, &callees, Some(write));
    module.add_function(main);
    module
}

/// The output of a program and its end.
fn ended(module: &SsaModule, how: HostExecution) -> (Vec<u8>, Result<i32, HostFault>) {
    let write: &[(&'static str, lanework_host::External)] = &[("test_write", |process, a| {
        let bytes = process.memory.read(word(a, 0), word(a, 1));
        let kept = process.environment.downcast_mut::<Vec<u8>>().expect("the test's bytes");
        *kept = bytes.unwrap_or_default();
        Ok(0)
    })];
    let environment: Box<Vec<u8>> = Box::default();
    let mut process = Process::load(module, &[write], environment).expect("memory");
    process.execute(how);
    let ended = process.main(&[]);
    let output = process.environment.downcast_ref::<Vec<u8>>().cloned().unwrap_or_default();
    (output, ended)
}

/// A fault without the addresses, which differ between two processes.
fn told(fault: &HostFault) -> (String, Vec<(String, String, u32)>) {
    let words = fault.message.split(' ').filter(|word| !word.starts_with("0x"));
    (words.collect::<Vec<_>>().join(" "), fault.places.clone())
}

/// Held by each test: values may contain addresses, and two runs of a program have the same addresses only if no other
/// thread maps memory in between.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn random_functions_run_alike_as_machine_code() {
    let _alone = ALONE.lock();
    let seeds = std::env::var("LANEWORK_SEEDS").ok().and_then(|count| count.parse().ok());
    let (mut finished, mut faulted) = (0, 0);
    for seed in 1..=seeds.unwrap_or(40) {
        let module = program(seed);
        let (expected, end) = ended(&module, HostExecution::Interpreted);
        // The later a function becomes machine code, the more calls lead from machine code to the interpreter.
        let after = [30, 150, 1000].map(HostExecution::CompiledAfter);
        for how in [HostExecution::Compiled, HostExecution::Automatic].into_iter().chain(after) {
            let (found, other) = ended(&module, how);
            match (&end, &other) {
                (Ok(_), Ok(_)) => {}
                (Err(a), Err(b)) => assert_eq!(told(a), told(b), "seed {seed}"),
                _ => panic!("seed {seed}: {end:?} interpreted, {other:?} {how:?}"),
            }
            assert!(found == expected, "seed {seed}: other bytes, {how:?}");
        }
        *(if end.is_ok() { &mut finished } else { &mut faulted }) += 1;
    }
    assert!(finished > 0 && faulted > 0, "{finished} finished, {faulted} faulted");
}

/// Runs a program with the default thresholds. Returns the functions that became machine code, and the output.
fn compiled_functions(source: &str) -> (Vec<String>, String) {
    let options = CompileOptions::default();
    let compiled = compile_host(source, "program.cu", &options, &mut NoFiles);
    let module = compiled.unwrap_or_else(|failure| panic!("{}", failure.text)).module;
    let mut process = Process::load(&module, &[], Box::new(())).expect("memory");
    process.keep_output();
    assert_eq!(process.main(&[]).map_err(|fault| fault.message), Ok(0));
    let mut names: Vec<String> =
        process.compiled_functions().into_iter().map(str::to_owned).collect();
    names.sort_unstable();
    (names, String::from_utf8_lossy(&process.take_output()).into_owned())
}

#[test]
#[cfg(all(feature = "native", unix, target_arch = "x86_64"))]
fn only_functions_that_run_often_become_machine_code() {
    let _alone = ALONE.lock();
    let source = r#"
        #include <cstdio>
        __noinline__ int rare(int x) { return x * 3 + 1; }
        __noinline__ int often(int x) { return x ^ (x >> 3); }
        __noinline__ int deep(int n) { return n == 0 ? rare(1) : deep(n - 1) + often(n); }
        int main() {
            unsigned sum = 0;
            for (int i = 0; i < 300000; i++) {
                sum += often(i);
                if (i % 100000 == 0) sum += rare(i) + deep(50);
            }
            printf("%u\n", sum);
        }"#;
    let (names, output) = compiled_functions(source);
    let often: u32 = (0..300_000u32).fold(0, |sum, x| sum.wrapping_add(x ^ (x >> 3)));
    let deep: u32 = (1..=50u32).map(|n| n ^ (n >> 3)).sum::<u32>() + 4;
    let rest: u32 = [0u32, 100_000, 200_000].iter().map(|i| i * 3 + 1 + deep).sum();
    assert_eq!(output, format!("{}\n", often.wrapping_add(rest)));
    assert_eq!(names, ["_Z5ofteni", "main"]);
    // A program that is over soon compiles nothing.
    let (names, _) = compiled_functions(&source.replace("300000", "300"));
    assert!(names.is_empty(), "{names:?}");
}

#[test]
fn a_large_function_runs_alike_as_machine_code() {
    let _alone = ALONE.lock();
    let mut random = Xorshift(7);
    let mut lines = String::new();
    for line in 0..500 {
        let (a, b, shift) = (random.below(64), random.below(1000), random.below(9));
        lines.push_str(&format!(
            "a[(x + {line}) & 63] += y; y = y * {b} + a[(x >> {shift}) & 63]; x ^= a[{a}];\n\
             f = f * 0.75f + (float)(y & 255); if (f > 300.f) f -= a[{a}] % 100;\n"
        ));
    }
    let source = format!(
        "#include <cstdio>\nint main(int argc, char **) {{ unsigned x = argc, y = 7; float f = 1; static unsigned a[64];\n\
         {lines} printf(\"%u %u %g\\n\", x, y, f); }}"
    );
    let options = CompileOptions::default();
    let compiled = compile_host(&source, "program.cu", &options, &mut NoFiles);
    let module = compiled.unwrap_or_else(|failure| panic!("{}", failure.text)).module;
    let run = |how: HostExecution| {
        let mut process = Process::load(&module, &[], Box::new(())).expect("memory");
        process.execute(how);
        process.keep_output();
        assert_eq!(process.main(&[]).map_err(|fault| fault.message), Ok(0));
        String::from_utf8_lossy(&process.take_output()).into_owned()
    };
    assert_eq!(run(HostExecution::Compiled), run(HostExecution::Interpreted));
}
