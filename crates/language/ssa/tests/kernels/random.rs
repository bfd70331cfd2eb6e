//! Random programs: nested loops and conditions over integer variables, a local array and a structure.

use crate::dsl::*;
use lanework_ssa::ValueType::{I8, I32, I64};
use lanework_ssa::*;

const POINTER: ValueType = ValueType::POINTER;

/// Generates a program from a seed.
struct Generator {
    state: u64,
    variables: Vec<VariableId>,
    array: ValueId,
    shared: ValueId,
    helper: FunctionId,
    /// Remaining statements.
    budget: u32,
}

impl Generator {
    fn below(&mut self, n: u64) -> u64 {
        // Constants of Knuth's MMIX generator.
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.state >> 33) % n
    }

    fn variable(&mut self) -> VariableId {
        let index = self.below(self.variables.len() as u64) as usize;
        self.variables[index]
    }

    fn element(&mut self, k: &mut KernelBuilder) -> ValueId {
        let index = self.expression(k, 1);
        let seven = k.i32(7);
        let index = k.integer(IntegerBinary::And, index, seven);
        let array = if self.below(3) == 0 { self.shared } else { self.array };
        k.at(array, index, 4)
    }

    fn condition(&mut self, k: &mut KernelBuilder) -> ValueId {
        use IntegerCondition::*;
        let all =
            [Equal, NotEqual, LessSigned, GreaterOrEqualSigned, LessUnsigned, GreaterUnsigned];
        let condition = all[self.below(all.len() as u64) as usize];
        let (a, b) = (self.expression(k, 2), self.expression(k, 1));
        k.compare_integers(condition, a, b)
    }

    fn expression(&mut self, k: &mut KernelBuilder, depth: u32) -> ValueId {
        use IntegerBinary::*;
        if depth == 0 || self.below(4) == 0 {
            if self.below(3) == 0 {
                let value = self.below(40) as i32 - 8;
                return k.i32(value);
            }
            let variable = self.variable();
            return k.use_variable(variable);
        }
        let a = self.expression(k, depth - 1);
        match self.below(12) {
            0 => {
                let address = self.element(k);
                k.load(I32, address, MemoryFlags::aligned(4))
            }
            1 => {
                let byte = k.convert(ValueConversion::Truncate, a, I8);
                let conversions = [ValueConversion::SignExtend, ValueConversion::ZeroExtend];
                k.convert(conversions[self.below(2) as usize], byte, I32)
            }
            2 => {
                let condition = self.condition(k);
                let b = self.expression(k, depth - 1);
                k.select(condition, a, b)
            }
            3 => {
                let b = self.expression(k, depth - 1);
                let [a, b] = [a, b].map(|value| k.convert(ValueConversion::SignExtend, value, I64));
                let product = k.integer(Multiply, a, b);
                let shift = k.i32(7);
                let high = k.integer(ShiftRightSigned, product, shift);
                k.convert(ValueConversion::Truncate, high, I32)
            }
            4 => {
                let (b, one) = (self.expression(k, depth - 1), k.i32(1));
                let b = k.integer(Or, b, one);
                let op = [DivideUnsigned, RemainderUnsigned][self.below(2) as usize];
                k.integer(op, a, b)
            }
            5 => {
                // The product is small enough not to overflow.
                let (b, mask) = (self.expression(k, depth - 1), k.i32(0xff));
                let [a, b] = [a, b].map(|value| k.integer(And, value, mask));
                let op = [Add, Multiply, Subtract][self.below(3) as usize];
                k.integer_no_wrap(op, a, b)
            }
            6 => {
                let constants = [1, 2, 4, 8, 31];
                let shift = k.i32(constants[self.below(5) as usize]);
                let ops = [ShiftLeft, ShiftRightSigned, ShiftRightUnsigned];
                k.integer(ops[self.below(3) as usize], a, shift)
            }
            7 => k.integer_unary(
                [IntegerUnary::CountOnes, IntegerUnary::LeadingZeros, IntegerUnary::Not]
                    [self.below(3) as usize],
                a,
            ),
            _ => {
                let ops = [Add, Subtract, Multiply, And, Or, Xor, MinimumSigned, MaximumUnsigned];
                let b = self.expression(k, depth - 1);
                k.integer(ops[self.below(8) as usize], a, b)
            }
        }
    }

    fn statements(&mut self, k: &mut KernelBuilder, depth: u32) {
        for _ in 0..1 + self.below(4) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            self.statement(k, depth);
        }
    }

    fn statement(&mut self, k: &mut KernelBuilder, depth: u32) {
        match self.below(if depth == 0 { 5 } else { 10 }) {
            0..=2 => {
                let (variable, value) = (self.variable(), self.expression(k, 3));
                k.define_variable(variable, value);
            }
            3 => {
                let (address, value) = (self.element(k), self.expression(k, 2));
                k.store(address, value, MemoryFlags::aligned(4));
            }
            4 => {
                let (variable, value) = (self.variable(), self.expression(k, 2));
                let pointer = k.pointer_offset(self.array, 8);
                let result = k.call(self.helper, &[I32], &[pointer, value])[0];
                k.define_variable(variable, result);
            }
            5 | 6 => {
                let condition = self.condition(k);
                k.when(condition, |k| self.statements(k, depth - 1));
            }
            7 => {
                // A switch with a case that falls through to the end.
                let value = self.expression(k, 1);
                let blocks: Vec<BlockId> = (0..3).map(|_| k.create_block()).collect();
                let after = k.create_block();
                let cases = [
                    (0, blocks[0]),
                    (3, blocks[1]),
                    (u64::MAX, blocks[2]),
                    (9, after),
                    (1, blocks[0]),
                ];
                k.switch(value, &cases, after);
                for block in blocks {
                    k.seal_block(block);
                    k.switch_to_block(block);
                    self.statements(k, depth - 1);
                    k.jump(after, &[]);
                }
                k.seal_block(after);
                k.switch_to_block(after);
            }
            8 => {
                let trips = [3, 8, 20][self.below(3) as usize];
                let counter = self.variable();
                k.times(trips, |k, i| {
                    if self.below(2) == 0 {
                        k.define_variable(counter, i);
                    }
                    self.statements(k, depth - 1);
                });
            }
            _ => {
                // An unknown number of iterations, with a step that may skip the end.
                let (count, mask) = (self.expression(k, 1), k.i32(15));
                let count = k.integer(IntegerBinary::And, count, mask);
                let start = self.below(5) as i32 - 2;
                let (from, step) = (k.i32(start), k.i32(1 << self.below(3)));
                let counter = self.variable();
                k.count(from, count, step, |k, i| {
                    if self.below(2) == 0 {
                        k.define_variable(counter, i);
                    }
                    self.statements(k, depth - 1);
                });
            }
        }
    }
}

pub fn program(seed: u64) -> SsaModule {
    let mut module = module();
    // int helper(int* p, int x) { p[1] += x; return p[0] ^ x; }
    let mut helper =
        KernelBuilder::with_linkage("helper", FunctionLinkage::Device, &[POINTER, I32], &[I32]);
    let [pointer, x] = [0, 1].map(|index| helper.parameter(index));
    let flags = MemoryFlags::aligned(4);
    let second = helper.pointer_offset(pointer, 4);
    let old = helper.load(I32, second, flags);
    let new = helper.integer(IntegerBinary::Add, old, x);
    helper.store(second, new, flags);
    let first = helper.load(I32, pointer, flags);
    let result = helper.integer(IntegerBinary::Xor, first, x);
    helper.return_values(&[result]);
    let helper = module.add_function(helper.finish());
    let memory = shared(&mut module, "memory", 32 * 64);

    let mut k = KernelBuilder::new("random", &[POINTER, I32]);
    let (out, n) = (k.parameter(0), k.parameter(1));
    let thread = k.thread(0);
    let array = k.create_slot(32, 4);
    let array = k.slot_address(array);
    k.fill_memory(array, (seed % 3) as u8, 32, 4);
    let array = k.generic(array);
    let memory = k.array(memory);
    let shared = k.at(memory, thread, 32);
    k.fill_memory(shared, 1, 32, 4);
    let variables = (0..5).map(|index| {
        let factor = k.i32(2 * index + 1);
        let value = k.integer(IntegerBinary::Multiply, thread, factor);
        let value = k.integer(IntegerBinary::Add, value, n);
        k.variable(value)
    });
    let variables: Vec<VariableId> = variables.collect();
    let mut generator =
        Generator { state: seed, variables: variables.clone(), array, shared, helper, budget: 30 };
    for _ in 0..4 {
        generator.statements(&mut k, 3);
    }
    let eight = k.i32(8);
    let row = k.integer(IntegerBinary::Multiply, thread, eight);
    for (index, variable) in variables.into_iter().enumerate() {
        let value = k.use_variable(variable);
        let index = k.i32(index as i32);
        let index = k.integer(IntegerBinary::Add, row, index);
        let address = k.at(out, index, 4);
        k.store(address, value, flags);
    }
    let index = k.i32(5);
    let index = k.integer(IntegerBinary::Add, row, index);
    let address = k.at(out, index, 4);
    let last = k.pointer_offset(array, 12);
    let value = k.load(I32, last, flags);
    k.store(address, value, flags);
    module.add_function(k.end());
    module
}
