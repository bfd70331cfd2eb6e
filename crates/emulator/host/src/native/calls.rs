//! Calls of functions and of helpers, returns, and faults.

use super::layout::{CONVENTION, CodeFault, PLAIN, TableEntry, call_signature};
use super::translate::Translator;
use crate::assemble::FUNCTION_STEP;
use crate::direct::{DirectFunction, MathFunction};
use crate::process::{FUNCTIONS, active_call};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AbiParam, Block, BlockArg, InstBuilder, Signature, Value, types};

/// Helpers, faults and calls.
impl Translator<'_> {
    /// The block that returns with the status for a stop.
    fn stopped(&mut self) -> Block {
        if let Some(block) = self.stopped {
            return block;
        }
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        *self.stopped.insert(block)
    }

    /// Encodes the current operation for the helpers.
    fn site(&mut self) -> Value {
        self.word(active_call(self.number, self.at))
    }

    /// Calls a helper. Returns the status and the value.
    fn call_helper(&mut self, helper: u64, operands: [Value; 3]) -> (Value, Value) {
        let (context, site) = (self.word(self.layout.context), self.site());
        let function = self.word(helper);
        let [a, b, c] = operands;
        let call =
            self.b.ins().call_indirect(self.helper, function, &[context, self.top, site, a, b, c]);
        let results = self.b.inst_results(call);
        (results[0], results[1])
    }

    /// Continues in a new block, unless the status says that the program must stop.
    fn check_status(&mut self, status: Value) {
        let (stopped, next) = (self.stopped(), self.b.create_block());
        if self.is_cold {
            self.b.set_cold_block(next);
        }
        self.b.ins().brif(status, stopped, &[], next, &[]);
        self.b.switch_to_block(next);
        self.b.seal_block(next);
    }

    /// Calls a helper that may stop the program. Returns its value.
    pub fn help(&mut self, helper: u64, operands: [Value; 3]) -> Value {
        let (status, value) = self.call_helper(helper, operands);
        self.check_status(status);
        value
    }

    /// Calls a helper on a rare path.
    pub fn help_rarely(&mut self, helper: u64, operands: [Value; 3]) -> Value {
        self.is_cold = true;
        let value = self.help(helper, operands);
        self.is_cold = false;
        value
    }

    /// Calls a helper that stops the program.
    pub fn stop_by(&mut self, helper: u64, operands: [Value; 3]) {
        self.call_helper(helper, operands);
        let stopped = self.stopped();
        self.b.ins().jump(stopped, &[]);
    }

    /// Faults if a condition holds.
    pub fn fault_if(&mut self, condition: Value, fault: CodeFault) {
        let (bad, good) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(bad);
        self.b.ins().brif(condition, bad, &[], good, &[]);
        self.b.switch_to_block(bad);
        self.b.seal_block(bad);
        let kind = self.word(fault as u64);
        self.stop_by(self.layout.helpers.fault, [kind, kind, kind]);
        self.b.switch_to_block(good);
        self.b.seal_block(good);
    }

    /// Stores registers' values for a helper. Returns their address and their number.
    pub fn pass(&mut self, registers: &[u32]) -> (Value, Value) {
        let count = self.word(registers.len() as u64);
        let Some(slot) = self.words else { return (count, count) };
        for (at, register) in registers.iter().enumerate() {
            let value = self.get64(*register);
            self.b.ins().stack_store(types::I64, value, slot, 8 * at as i32);
        }
        (self.b.ins().stack_addr(types::I64, slot, 0), count)
    }

    /// Stores the results of a call.
    fn take_results(&mut self, results: &[u32], first: Value) {
        for (at, register) in results.iter().enumerate() {
            let value = if at == 0 {
                first
            } else {
                let from = self.word(self.layout.results);
                self.b.ins().load(types::I64, PLAIN, from, 8 * at as i32)
            };
            self.set(*register, value);
        }
    }

    pub fn call(&mut self, index: usize) {
        let call = &self.code.calls[index];
        let number = call.function as usize;
        let callee = self.process.code(number);
        let fits = callee.parameter_count as usize == call.arguments.len();
        let direct = callee.external.and_then(|external| self.process.externals[external].direct);
        if let Some(direct) = direct {
            self.call_direct(direct, &call.arguments, &call.results);
            return;
        }
        let function = self.word(number as u64);
        if callee.external.is_some() || callee.ops.is_empty() || !fits {
            let (words, count) = self.pass(&call.arguments);
            let first = self.help(self.layout.helpers.call, [function, words, count]);
            self.take_results(&call.results, first);
            return;
        }
        let entry = self.layout.table + number as u64 * size_of::<TableEntry>() as u64;
        let entry = self.word(entry);
        let code = self.b.ins().load(types::I64, PLAIN, entry, 0);
        self.direct_or(code, code, self.layout.helpers.call, function, index);
    }

    /// Calls a library function that cannot fail.
    fn call_direct(&mut self, function: DirectFunction, arguments: &[u32], results: &[u32]) {
        let (address, ty, arity) = match function {
            DirectFunction::Random => {
                let zero = self.word(0);
                let (_, value) = self.call_helper(self.layout.helpers.random, [zero; 3]);
                self.take_results(results, value);
                return;
            }
            DirectFunction::Math(MathFunction::F32(function)) => (function as usize, types::F32, 1),
            DirectFunction::Math(MathFunction::F64(function)) => (function as usize, types::F64, 1),
            DirectFunction::Math(MathFunction::F32Pair(function)) => {
                (function as usize, types::F32, 2)
            }
            DirectFunction::Math(MathFunction::F64Pair(function)) => {
                (function as usize, types::F64, 2)
            }
        };
        let mut signature = Signature::new(CONVENTION);
        signature.params.extend(vec![AbiParam::new(ty); arity]);
        signature.returns.push(AbiParam::new(ty));
        let signature = self.b.import_signature(signature);
        let mut values: Vec<Value> =
            arguments.iter().take(arity).map(|register| self.get_as(*register, ty)).collect();
        while values.len() < arity {
            let zero = self.word(0);
            values.push(self.coerce(zero, ty));
        }
        let address = self.word(address as u64);
        let call = self.b.ins().call_indirect(signature, address, &values);
        let value = self.b.inst_results(call)[0];
        if let Some(register) = results.first() {
            self.set(*register, value);
        }
    }

    pub fn call_indirect(&mut self, pointer: u32, index: usize) {
        let pointer = self.get64(pointer);
        let count = self.code.calls[index].arguments.len();
        // Computes the function's number from its address, as `Process::function_at` does.
        let offset = self.b.ins().iadd_imm_s(pointer, -(FUNCTIONS as i64));
        let number = self.b.ins().rotr_imm_s(offset, i64::from(FUNCTION_STEP.ilog2()));
        let functions = self.word(self.layout.functions);
        let known = self.b.ins().icmp(IntCC::UnsignedLessThan, number, functions);
        let zero = self.word(0);
        let number = self.b.ins().select(known, number, zero);
        let step = size_of::<TableEntry>() as i64;
        let offset = self.b.ins().imul_imm_s(number, step);
        let entry = self.b.ins().iadd_imm_s(offset, self.layout.table as i64);
        let code = self.b.ins().load(types::I64, PLAIN, entry, 0);
        let parameters = self.b.ins().load(types::I64, PLAIN, entry, 8);
        let fits = self.b.ins().icmp_imm_s(IntCC::Equal, parameters, count as i64);
        let fits = self.b.ins().band(known, fits);
        let has_code = self.b.ins().icmp_imm_s(IntCC::NotEqual, code, 0);
        let usable = self.b.ins().band(fits, has_code);
        self.direct_or(usable, code, self.layout.helpers.call_indirect, pointer, index);
    }

    /// Calls machine code if a condition holds, otherwise a helper with `subject`.
    fn direct_or(
        &mut self,
        condition: Value,
        code: Value,
        helper: u64,
        subject: Value,
        index: usize,
    ) {
        let call = &self.code.calls[index];
        let [fast, slow, next] = [(); 3].map(|()| self.b.create_block());
        self.b.set_cold_block(slow);
        self.b.append_block_param(next, types::I64);
        self.b.append_block_param(next, types::I64);
        let deepest = self.word(self.layout.deepest);
        self.b.ins().brif(condition, fast, &[], slow, &[]);

        self.b.switch_to_block(fast);
        self.b.seal_block(fast);
        let deep = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, self.top, deepest);
        self.fault_if(deep, CodeFault::DeepRecursion);
        let site = self.site();
        self.b.ins().store(PLAIN, site, self.top, 0);
        let mut arguments = vec![self.b.ins().iadd_imm_s(self.top, 8)];
        arguments.extend(call.arguments.iter().map(|register| self.get64(*register)));
        let signature = self.b.import_signature(call_signature(call.arguments.len()));
        let done = self.b.ins().call_indirect(signature, code, &arguments);
        let results = self.b.inst_results(done).to_vec();
        self.b.ins().jump(next, &[BlockArg::from(results[0]), BlockArg::from(results[1])]);

        self.b.switch_to_block(slow);
        self.b.seal_block(slow);
        let (words, count) = self.pass(&call.arguments);
        let (status, value) = self.call_helper(helper, [subject, words, count]);
        self.b.ins().jump(next, &[BlockArg::from(status), BlockArg::from(value)]);

        self.b.switch_to_block(next);
        self.b.seal_block(next);
        let (status, first) = (self.b.block_params(next)[0], self.b.block_params(next)[1]);
        self.check_status(status);
        self.take_results(&call.results, first);
    }

    pub fn return_values(&mut self, index: usize) {
        let list = &self.code.returns[index];
        let mut first = self.word(0);
        for (at, register) in list.iter().enumerate() {
            let value = self.get64(*register);
            if at == 0 {
                first = value;
                continue;
            }
            let to = self.word(self.layout.results);
            self.b.ins().store(PLAIN, value, to, 8 * at as i32);
        }
        if let Some(outer) = self.outer {
            self.close_frame(self.frame);
            self.set_shared(0, outer);
        }
        let status = self.word(0);
        self.b.ins().return_(&[status, first]);
    }
}
