//! The interpreter.

use crate::code::{FunctionCode, Op, OtherOp};
use crate::memory::BadAccess;
use crate::process::{CodePlace, Process, Stop, active_call};
use lanework_ssa::{FloatArithmetic, InstructionKind, ValueType, evaluate};
use std::rc::Rc;

/// Maximum nesting of calls: small frames of 48 bytes fill a stack of 8 MiB.
pub const DEEPEST: usize = 175_000;
/// Calls that a fault lists.
pub const LISTED: usize = 16;

/// A function that waits for its callee.
struct Caller {
    code: Rc<FunctionCode>,
    number: usize,
    at: usize,
    base: usize,
    frame: u64,
}

fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn bits32(value: f32) -> u64 {
    u64::from(value.to_bits())
}

/// Runs a function, as machine code if that is wanted from the start, and returns its results.
///
/// # Errors
/// If the program ends or faults.
pub fn run(process: &mut Process, number: usize, arguments: &[u64]) -> Result<Vec<u64>, Stop> {
    if process.is_hot_call(number)
        && let Some(done) = process.call_machine(number, &[], 0, arguments)
    {
        return done;
    }
    interpret(process, number, arguments, &[], 0)
}

/// Interprets a function. `outer` are the innermost of the `depth` calls that are active already.
///
/// # Errors
/// If the program ends or faults.
pub fn interpret(
    process: &mut Process,
    number: usize,
    arguments: &[u64],
    outer: &[u64],
    depth: usize,
) -> Result<Vec<u64>, Stop> {
    let outer = outer[outer.len().saturating_sub(LISTED)..].to_vec();
    let registers = process.spare_registers.pop().unwrap_or_else(|| vec![0; 4096]);
    let mut machine = Machine { registers, callers: Vec::new(), outer, depth, base: 0, frame: 0 };
    let done = machine.run(process, number, arguments);
    process.spare_registers.push(machine.registers);
    done
}

struct Machine {
    registers: Vec<u64>,
    callers: Vec<Caller>,
    /// The innermost calls below this machine's, as [`active_call`] encodes them.
    outer: Vec<u64>,
    /// The number of calls below this machine's.
    depth: usize,
    base: usize,
    frame: u64,
}

impl Machine {
    /// Opens a function's frame and stores its arguments.
    fn enter(
        &mut self,
        process: &mut Process,
        code: &FunctionCode,
        arguments: &[u64],
    ) -> Result<(), Stop> {
        let end = self.base + code.registers as usize;
        if self.registers.len() < end {
            self.registers.resize(end * 2, 0);
        }
        let frame = &mut self.registers[self.base..end];
        frame[..code.constants.len()].copy_from_slice(&code.constants);
        let first = code.parameters as usize;
        for (at, argument) in arguments.iter().enumerate() {
            if let Some(register) = frame.get_mut(first + at) {
                *register = *argument;
            }
        }
        if code.frame > 0 {
            let low = process.memory.stack().start;
            let next = process.stack.checked_sub(code.frame).filter(|next| *next >= low);
            let Some(next) = next else {
                return Err(process.fault(
                    "stack overflow",
                    "the recursion is too deep, or local variables are too large",
                ));
            };
            process.stack = next & !63;
            for (offset, bytes) in &code.slots {
                process.memory.open_slot(process.stack + u64::from(*offset), *bytes);
            }
        }
        self.frame = process.stack;
        Ok(())
    }

    /// The innermost active calls, outermost first.
    fn active(&self) -> Vec<u64> {
        let own = &self.callers[self.callers.len().saturating_sub(LISTED)..];
        let own = own.iter().map(|caller| active_call(caller.number, caller.at.saturating_sub(1)));
        self.outer.iter().copied().chain(own).collect()
    }

    fn places(&self, process: &Process, number: usize, at: usize) -> Vec<CodePlace> {
        process.places_of(active_call(number, at), &self.active())
    }

    fn bad(
        &self,
        process: &mut Process,
        number: usize,
        at: usize,
        access: BadAccess,
        verb: &str,
    ) -> Stop {
        process.places = self.places(process, number, at);
        process.bad_access(access, verb)
    }

    #[allow(clippy::too_many_lines, reason = "one arm for each operation")]
    fn run(
        &mut self,
        process: &mut Process,
        number: usize,
        arguments: &[u64],
    ) -> Result<Vec<u64>, Stop> {
        let mut code = process.code(number);
        let mut number = number;
        let outer = process.stack;
        self.enter(process, &code, arguments)?;
        let mut at = 0usize;
        loop {
            let op = code.ops[at];
            at += 1;
            let base = self.base;
            macro_rules! get {
                ($r:expr) => {
                    self.registers[base + $r as usize]
                };
            }
            macro_rules! set {
                ($d:expr, $value:expr) => {{
                    let value = $value;
                    self.registers[base + $d as usize] = value;
                }};
            }
            macro_rules! access {
                ($result:expr, $verb:literal) => {
                    match $result {
                        Ok(value) => value,
                        Err(access)
                            if process.tell(access, $verb, |process| {
                                self.places(process, number, at - 1)
                            }) =>
                        {
                            at -= 1;
                            continue;
                        }
                        Err(access) => return Err(self.bad(process, number, at - 1, access, $verb)),
                    }
                };
            }
            macro_rules! signed {
                ($r:expr, $shift:expr) => {
                    ((get!($r) << $shift) as i64)
                };
            }
            // Goes to a position. A hot loop continues as machine code, up to the end of its function.
            macro_rules! go {
                ($to:expr) => {{
                    let to = $to as usize;
                    if to < at && process.is_hot(number, (at - to) as u32) {
                        let depth = self.depth + self.callers.len();
                        let end = base + code.registers as usize;
                        let registers = &self.registers[base..end];
                        let calls = self.active();
                        if let Some(done) =
                            process.resume_machine(number, to, &calls, depth, registers)
                        {
                            returned!(&done?);
                            continue;
                        }
                    }
                    at = to;
                }};
            }
            // Returns values from the current function.
            macro_rules! returned {
                ($values:expr) => {{
                    let values: &[u64] = $values;
                    if code.frame > 0 {
                        process.memory.close_frame(self.frame, code.frame);
                    }
                    let Some(caller) = self.callers.pop() else {
                        process.stack = outer;
                        return Ok(values.to_vec());
                    };
                    let Some(call) = caller.code.call_at(caller.at - 1) else {
                        return Err(process.fault("internal error: a function returned to an instruction that is not a call", ""));
                    };
                    for (d, value) in call.results.iter().zip(values) {
                        self.registers[caller.base + *d as usize] = *value;
                    }
                    (self.base, self.frame, at) = (caller.base, caller.frame, caller.at);
                    number = caller.number;
                    process.stack = self.frame;
                    code = caller.code;
                }};
            }
            match op {
                Op::Move { d, a } => set!(d, get!(a)),
                Op::Add32 { d, a, b } => {
                    set!(d, u64::from((get!(a) as u32).wrapping_add(get!(b) as u32)))
                }
                Op::Sub32 { d, a, b } => {
                    set!(d, u64::from((get!(a) as u32).wrapping_sub(get!(b) as u32)))
                }
                Op::Mul32 { d, a, b } => {
                    set!(d, u64::from((get!(a) as u32).wrapping_mul(get!(b) as u32)))
                }
                Op::Add64 { d, a, b } => set!(d, get!(a).wrapping_add(get!(b))),
                Op::Sub64 { d, a, b } => set!(d, get!(a).wrapping_sub(get!(b))),
                Op::Mul64 { d, a, b } => set!(d, get!(a).wrapping_mul(get!(b))),
                Op::And { d, a, b } => set!(d, get!(a) & get!(b)),
                Op::Or { d, a, b } => set!(d, get!(a) | get!(b)),
                Op::Xor { d, a, b } => set!(d, get!(a) ^ get!(b)),
                Op::Shl32 { d, a, b } => {
                    set!(d, u64::from((get!(a) as u32).wrapping_shl(get!(b) as u32)))
                }
                Op::Shl64 { d, a, b } => set!(d, get!(a).wrapping_shl(get!(b) as u32)),
                Op::AddF32 { d, a, b } => set!(d, bits32(f32_of(get!(a)) + f32_of(get!(b)))),
                Op::SubF32 { d, a, b } => set!(d, bits32(f32_of(get!(a)) - f32_of(get!(b)))),
                Op::MulF32 { d, a, b } => set!(d, bits32(f32_of(get!(a)) * f32_of(get!(b)))),
                Op::DivF32 { d, a, b } => set!(d, bits32(f32_of(get!(a)) / f32_of(get!(b)))),
                Op::AddF64 { d, a, b } => {
                    set!(d, (f64::from_bits(get!(a)) + f64::from_bits(get!(b))).to_bits())
                }
                Op::SubF64 { d, a, b } => {
                    set!(d, (f64::from_bits(get!(a)) - f64::from_bits(get!(b))).to_bits())
                }
                Op::MulF64 { d, a, b } => {
                    set!(d, (f64::from_bits(get!(a)) * f64::from_bits(get!(b))).to_bits())
                }
                Op::DivF64 { d, a, b } => {
                    set!(d, (f64::from_bits(get!(a)) / f64::from_bits(get!(b))).to_bits())
                }
                Op::Equal { d, a, b } => set!(d, u64::from(get!(a) == get!(b))),
                Op::NotEqual { d, a, b } => set!(d, u64::from(get!(a) != get!(b))),
                Op::LessUnsigned { d, a, b } => set!(d, u64::from(get!(a) < get!(b))),
                Op::LessEqualUnsigned { d, a, b } => set!(d, u64::from(get!(a) <= get!(b))),
                Op::LessSigned { d, a, b, shift } => {
                    set!(d, u64::from(signed!(a, shift) < signed!(b, shift)))
                }
                Op::LessEqualSigned { d, a, b, shift } => {
                    set!(d, u64::from(signed!(a, shift) <= signed!(b, shift)))
                }
                Op::LessF32 { d, a, b } => set!(d, u64::from(f32_of(get!(a)) < f32_of(get!(b)))),
                Op::LessEqualF32 { d, a, b } => {
                    set!(d, u64::from(f32_of(get!(a)) <= f32_of(get!(b))))
                }
                Op::LessF64 { d, a, b } => {
                    set!(d, u64::from(f64::from_bits(get!(a)) < f64::from_bits(get!(b))))
                }
                Op::LessEqualF64 { d, a, b } => {
                    set!(d, u64::from(f64::from_bits(get!(a)) <= f64::from_bits(get!(b))))
                }
                Op::JumpEqual { a, b, to } => {
                    if get!(a) == get!(b) {
                        go!(to);
                    }
                }
                Op::JumpNotEqual { a, b, to } => {
                    if get!(a) != get!(b) {
                        go!(to);
                    }
                }
                Op::JumpLessUnsigned { a, b, to } => {
                    if get!(a) < get!(b) {
                        go!(to);
                    }
                }
                Op::JumpLessSigned { a, b, to, shift } => {
                    if signed!(a, shift) < signed!(b, shift) {
                        go!(to);
                    }
                }
                Op::JumpLessEqualSigned { a, b, to, shift } => {
                    if signed!(a, shift) <= signed!(b, shift) {
                        go!(to);
                    }
                }
                Op::Select { d, c, a, b } => set!(d, if get!(c) != 0 { get!(a) } else { get!(b) }),
                Op::SignExtend { d, a, shift, mask } => {
                    set!(d, (signed!(a, shift) >> shift) as u64 & u64::MAX >> mask)
                }
                Op::Truncate { d, a, mask } => set!(d, get!(a) & u64::MAX >> mask),
                Op::ShiftRightSigned { d, a, b, shift } => {
                    let count = get!(b) as u32 & (63 - shift);
                    set!(d, ((signed!(a, shift) >> shift) >> count) as u64 & u64::MAX >> shift)
                }
                Op::ShiftRightUnsigned { d, a, b, shift } => {
                    set!(d, get!(a) >> (get!(b) as u32 & (63 - shift)))
                }
                Op::DivideSigned { b, .. }
                | Op::RemainderSigned { b, .. }
                | Op::DivideUnsigned { b, .. }
                | Op::RemainderUnsigned { b, .. }
                    if get!(b) == 0 =>
                {
                    process.places = self.places(process, number, at - 1);
                    return Err(process.fault("division by zero", ""));
                }
                Op::DivideSigned { d, a, b, shift } => {
                    let (x, y) = (signed!(a, shift) >> shift, signed!(b, shift) >> shift);
                    set!(d, x.wrapping_div(y) as u64 & u64::MAX >> shift)
                }
                Op::RemainderSigned { d, a, b, shift } => {
                    let (x, y) = (signed!(a, shift) >> shift, signed!(b, shift) >> shift);
                    set!(d, x.wrapping_rem(y) as u64 & u64::MAX >> shift)
                }
                Op::DivideUnsigned { d, a, b } => set!(d, get!(a) / get!(b)),
                Op::RemainderUnsigned { d, a, b } => set!(d, get!(a) % get!(b)),
                Op::F32ToSigned32 { d, a } => set!(d, u64::from(f32_of(get!(a)) as i32 as u32)),
                Op::F64ToSigned32 { d, a } => {
                    set!(d, u64::from(f64::from_bits(get!(a)) as i32 as u32))
                }
                Op::F64ToSigned64 { d, a } => set!(d, f64::from_bits(get!(a)) as i64 as u64),
                Op::UnsignedToF32 { d, a } => set!(d, bits32(get!(a) as f32)),
                Op::UnsignedToF64 { d, a } => set!(d, (get!(a) as f64).to_bits()),
                Op::Signed32ToF32 { d, a } => set!(d, bits32(get!(a) as i32 as f32)),
                Op::Signed32ToF64 { d, a } => set!(d, f64::from(get!(a) as i32).to_bits()),
                Op::Signed64ToF64 { d, a } => set!(d, (get!(a) as i64 as f64).to_bits()),
                Op::F32ToF64 { d, a } => set!(d, f64::from(f32_of(get!(a))).to_bits()),
                Op::F64ToF32 { d, a } => set!(d, bits32(f64::from_bits(get!(a)) as f32)),
                Op::Load32 { d, a, offset } => {
                    let address = get!(a).wrapping_add(offset as i64 as u64);
                    set!(d, access!(process.memory.load(address, 4), "read"));
                }
                Op::Load64 { d, a, offset } => {
                    let address = get!(a).wrapping_add(offset as i64 as u64);
                    set!(d, access!(process.memory.load(address, 8), "read"));
                }
                Op::Load { d, a, offset, bytes } => {
                    let address = get!(a).wrapping_add(offset as i64 as u64);
                    set!(d, access!(process.memory.load(address, u64::from(bytes)), "read"));
                }
                Op::Store32 { a, offset, value } => {
                    let address = get!(a).wrapping_add(offset as i64 as u64);
                    access!(process.memory.store(address, 4, get!(value)), "write");
                }
                Op::Store64 { a, offset, value } => {
                    let address = get!(a).wrapping_add(offset as i64 as u64);
                    access!(process.memory.store(address, 8, get!(value)), "write");
                }
                Op::Store { a, offset, value, bytes } => {
                    let address = get!(a).wrapping_add(offset as i64 as u64);
                    access!(process.memory.store(address, u64::from(bytes), get!(value)), "write");
                }
                Op::FrameAddress { d, offset } => set!(d, self.frame + u64::from(offset)),
                Op::Copy { to, from, bytes } => {
                    access!(process.memory.copy(get!(to), get!(from), u64::from(bytes)), "copy");
                }
                Op::Fill { to, byte, bytes } => {
                    access!(process.memory.fill(get!(to), byte as u8, u64::from(bytes)), "write");
                }
                Op::Other { d, index } => {
                    let other = &code.others[index as usize];
                    let mut few = [0u64; 4];
                    let mut more = Vec::new();
                    let operands = match few.get_mut(..other.operands.len()) {
                        Some(few) => {
                            for (value, register) in few.iter_mut().zip(&other.operands) {
                                *value = get!(*register);
                            }
                            &few[..]
                        }
                        None => {
                            more.extend(other.operands.iter().map(|register| get!(*register)));
                            &more[..]
                        }
                    };
                    match compute(other, operands) {
                        Ok(value) => set!(d, value),
                        Err(why) => {
                            process.places = self.places(process, number, at - 1);
                            return Err(process.fault(&why, ""));
                        }
                    }
                }
                Op::Call { .. } | Op::CallIndirect { .. } => {
                    let (index, function) = match op {
                        Op::CallIndirect { pointer, index } => {
                            let pointer = get!(pointer);
                            match process.function_at(pointer) {
                                Some(function) => (index, function),
                                None => {
                                    process.places = self.places(process, number, at - 1);
                                    return Err(process.fault(
                                        &format!("call through the pointer {pointer:#x}, which is not a host function"),
                                        "",
                                    ));
                                }
                            }
                        }
                        Op::Call { index } => (index, code.calls[index as usize].function as usize),
                        _ => (0, 0),
                    };
                    let call = &code.calls[index as usize];
                    let mut values = [0u64; 16];
                    let mut more = Vec::new();
                    let values = if call.arguments.len() <= 16 {
                        for (value, register) in values.iter_mut().zip(&call.arguments) {
                            *value = get!(*register);
                        }
                        &values[..call.arguments.len()]
                    } else {
                        more.extend(call.arguments.iter().map(|register| get!(*register)));
                        &more[..]
                    };
                    let next = process.code(function);
                    if let Some(external) = next.external {
                        process.places.clear();
                        if process.watches(external) {
                            process.places = self.places(process, number, at - 1);
                        }
                        let result = match process.call_external(external, values) {
                            Ok(result) => result,
                            // A function that the program called back has its own places.
                            Err(Stop::Fault(fault)) if fault.places.is_empty() => {
                                process.places = self.places(process, number, at - 1);
                                return Err(process.fault(&fault.message, &fault.help));
                            }
                            Err(stop) => return Err(stop),
                        };
                        if let Some(d) = call.results.first() {
                            set!(*d, result);
                        }
                        continue;
                    }
                    if next.ops.is_empty() {
                        process.places = self.places(process, number, at - 1);
                        return Err(process.fault(
                            &format!("call of `{}`, which is declared but not defined", next.name),
                            "",
                        ));
                    }
                    if self.depth + self.callers.len() >= DEEPEST {
                        process.places = self.places(process, number, at - 1);
                        return Err(process.fault("stack overflow", "the recursion is too deep"));
                    }
                    if process.is_hot_call(function) {
                        let mut calls = self.active();
                        calls.push(active_call(number, at - 1));
                        let depth = self.depth + self.callers.len() + 1;
                        if let Some(done) = process.call_machine(function, &calls, depth, values) {
                            for (d, value) in call.results.iter().zip(done?) {
                                set!(*d, value);
                            }
                            continue;
                        }
                    }
                    let registers = code.registers as usize;
                    let caller = std::mem::replace(&mut code, next);
                    let frame = self.frame;
                    self.callers.push(Caller { code: caller, number, at, base, frame });
                    self.base = base + registers;
                    number = function;
                    at = 0;
                    if let Err(Stop::Fault(fault)) = self.enter(process, &code, values) {
                        process.places = self.places(process, number, 0);
                        return Err(process.fault(&fault.message, &fault.help));
                    }
                }
                Op::Jump { to } => go!(to),
                Op::Branch { c, to } => {
                    if get!(c) != 0 {
                        go!(to);
                    }
                }
                Op::Switch { a, index } => {
                    let value = get!(a);
                    let (cases, default) = &code.switches[index as usize];
                    let found = cases.iter().find(|(case, _)| *case == value);
                    let to = found.map_or(*default, |(_, to)| *to);
                    go!(to);
                }
                Op::Return { index } => {
                    let list = &code.returns[index as usize];
                    let values: Vec<u64> = list.iter().map(|register| get!(*register)).collect();
                    returned!(&values);
                }
                Op::Trap => {
                    process.places = self.places(process, number, at - 1);
                    return Err(process.fault(
                        "the program executed a trap, or code that is marked as unreachable",
                        "",
                    ));
                }
            }
        }
    }
}

/// Evaluates an operation without an [`Op`] of its own.
pub fn compute(other: &OtherOp, operands: &[u64]) -> Result<u64, String> {
    if let Some(half) = &other.half {
        return Ok(half.execute(operands));
    }
    if let Some(value) = evaluate(&other.kind, operands, other.from, other.to) {
        return Ok(value);
    }
    match (&other.kind, operands) {
        (InstructionKind::Integer { .. }, [_, 0]) => Err("division by zero".to_owned()),
        (InstructionKind::Float { op, .. }, operands) => {
            let value = |at: usize| {
                let bits = operands.get(at).copied().unwrap_or(0);
                if other.from == ValueType::F32 {
                    f64::from(f32_of(bits))
                } else {
                    f64::from_bits(bits)
                }
            };
            let result = match op {
                FloatArithmetic::Minimum if value(0).is_nan() || value(1) < value(0) => value(1),
                FloatArithmetic::Maximum if value(0).is_nan() || value(1) > value(0) => value(1),
                FloatArithmetic::Minimum | FloatArithmetic::Maximum => value(0),
                _ => f64::NAN,
            };
            Ok(if other.to == ValueType::F32 { bits32(result as f32) } else { result.to_bits() })
        }
        (InstructionKind::Ptx(template), _) => {
            Err(format!("the host cannot execute the device's `{}`", template.text))
        }
        (kind, _) => Err(format!("the host cannot execute {kind:?}")),
    }
}
