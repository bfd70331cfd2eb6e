//! Recursive functions: a group of functions that call each other in a cycle, or in a chain too deep to inline (a call group).
//!
//! The functions of a group are lowered once per call from outside. Inside, a call pushes a frame on the thread's call stack in
//! local memory and jumps to the callee; `ret` jumps back to the call site whose number is in the frame, by a chain of comparisons
//! as for `brx`. A cyclic call graph thus becomes a cyclic control-flow graph with data in memory. Lanes diverge and reconverge by
//! the usual rules, at any depth and with any target, and every analysis applies. Lanes that return at different depths reconverge
//! at the latest when the outermost call returns.
//!
//! A frame holds, from its base (the group's stack pointer): the number of the call site; the function's parameters, results and
//! variables in memory; and the registers that an inner call must preserve, which [`crate::lower::frames`] finds once the whole
//! kernel is lowered.
//!
//! Limit: the frames of all groups of a thread share [`STACK_BYTES`]; a call without room faults. Frames of recursive calls may
//! use as much of it as the launch allows ([`SpecialRegister::StackBytes`]), as on a GPU, whose compiler knows all other frames.

use crate::kernel::*;
use crate::lower::call_graph::Call;
use crate::lower::frames::{load, store};
use crate::lower::state::{Body, CallGroup, CallSite, FrameSize, HEAD, Lowering, Symbol, width_of};
use crate::opcode::Alu;
use crate::opcode::integer::{AddressOp, Integer};
use crate::opcode::logic::{CompareOp, LogicOp, Relation};
use crate::rules::mov::copy;
use crate::{LoadError, LoweringResult, Unsupported};
use lanework_ptx::{Function, ScalarType, StateSpace, Variable};
use std::collections::{HashMap, HashSet};

/// Bytes of the call stack of each thread.
pub const STACK_BYTES: u32 = 64 << 10;
/// The name of the call stack in lists of variables.
pub const STACK: &str = "the call stack";

impl<'m> Lowering<'m> {
    /// Whether a call of the function stays in the current group.
    pub(super) fn is_member(&self, function: &Function) -> bool {
        let group = self.active_groups.last().map(|n| &self.groups[*n]);
        group.is_some_and(|group| group.members.contains(function.name.as_str()))
    }

    /// Places a variable in the frame of the current function of a group; `None` if variables do
    /// not go into a frame now.
    pub(super) fn in_frame(&mut self, variable: &Variable) -> Option<Symbol> {
        if !self.framed {
            return None;
        }
        let group = *self.active_groups.last()?;
        let group = &mut self.groups[group];
        let body = &mut group.bodies[group.current];
        Some(Symbol::Framed(group.sp, body.place(variable)))
    }

    /// Lowers a call of a group from outside: the jump into the group, its functions, and the return.
    pub(super) fn enter_group(
        &mut self,
        members: HashSet<&'m str>,
        callee: &'m Function,
        call: &Call,
    ) -> Result<(), LoadError> {
        let origin = self.origin;
        let sp = self.new_register(Width::Wide);
        let stack = Operand::Const(self.stack_base());
        match self.active_groups.last().copied() {
            Some(outer) => {
                let (from, body) = (self.groups[outer].sp, self.groups[outer].current);
                self.add_frame(sp, from, outer, body, false);
            }
            None => {
                self.emit(Opcode::Alu(Alu::copy(Width::Wide)), vec![Some(sp)], vec![stack], None)
            }
        }
        let number = self.groups.len();
        let first = self.kernel.insts.len();
        let (bodies, calls) = (Vec::new(), Vec::new());
        let recursive = !self.call_graph.cycle(callee).is_empty();
        let group =
            CallGroup { recursive, members, sp, bodies, calls, current: 0, first, last: first };
        self.groups.push(group);
        let body = self.add_body(number, callee).map_err(|r| self.error_here(r))?;
        self.check_room(number, body, sp);
        let formals = self.groups[number].bodies[body].params.clone();
        let passed = self.evaluate(callee, call).map_err(|r| self.error_here(r))?;
        self.pass(callee, &formals, passed, sp).map_err(|r| self.error_here(r))?;
        store(self, ScalarType::B32, Operand::Reg(sp), 0, Operand::Const(0));
        self.active_groups.push(number);
        let mut next = 0;
        while next < self.groups[number].bodies.len() {
            self.lower_body(number, next)?;
            next += 1;
        }
        self.active_groups.pop();
        self.origin = origin;
        let end = self.new_label();
        for body in 0..self.groups[number].bodies.len() {
            self.way_back(number, body, end);
        }
        self.set_label(end);
        self.groups[number].last = self.kernel.insts.len();
        let returns = self.groups[number].bodies[body].returns.clone();
        self.receive(callee, call, &returns, sp).map_err(|r| self.error_here(r))
    }

    /// A call inside a group.
    pub(super) fn call_member(
        &mut self,
        callee: &'m Function,
        call: &Call,
    ) -> Result<(), LoadError> {
        let Some(number) = self.active_groups.last().copied() else { return Ok(()) };
        let (sp, caller) = (self.groups[number].sp, self.groups[number].current);
        let body =
            match self.groups[number].bodies.iter().position(|b| b.function.name == callee.name) {
                Some(body) => body,
                None => self.add_body(number, callee).map_err(|r| self.error_here(r))?,
            };
        let site = self.groups[number].calls.len();
        let passed = self.evaluate(callee, call).map_err(|r| self.error_here(r))?;
        let frame = self.new_register(Width::Wide);
        self.add_frame(frame, sp, number, caller, false);
        self.check_room(number, body, frame);
        let save = self.marker();
        let formals = self.groups[number].bodies[body].params.clone();
        self.pass(callee, &formals, passed, frame).map_err(|r| self.error_here(r))?;
        let id = Operand::Const(site as u64 + 1);
        store(self, ScalarType::B32, Operand::Reg(frame), 0, id);
        let source = Operand::Reg(frame);
        self.emit(Opcode::Alu(Alu::copy(Width::Wide)), vec![Some(sp)], vec![source], None);
        let (entry, back) = (self.groups[number].bodies[body].entry, self.new_label());
        self.emit(Opcode::Branch(entry), Vec::new(), Vec::new(), None);
        self.set_label(back);
        let returns = self.groups[number].bodies[body].returns.clone();
        let mut arrived = Vec::new();
        let mut keep = Vec::new();
        for (formal, symbol) in callee.returns.iter().zip(returns) {
            arrived.push(match symbol {
                Symbol::Register(from) => {
                    let width = self.kernel.registers[from as usize].width;
                    let to = self.new_register(width);
                    let op = Opcode::Alu(copy(formal.ty));
                    self.emit(op, vec![Some(to)], vec![Operand::Reg(from)], None);
                    keep.push(to);
                    Symbol::Register(to)
                }
                other => other,
            });
        }
        let callee_frame = self.new_register(Width::Wide);
        let source = Operand::Reg(sp);
        self.emit(
            Opcode::Alu(Alu::copy(Width::Wide)),
            vec![Some(callee_frame)],
            vec![source],
            None,
        );
        keep.push(callee_frame);
        self.add_frame(sp, sp, number, caller, true);
        let restore = self.marker();
        let callee_body = body;
        let site = CallSite { caller, callee: callee_body, back, save, restore, keep };
        self.groups[number].calls.push(site);
        self.receive(callee, call, &arrived, callee_frame).map_err(|r| self.error_here(r))
    }

    /// An instruction that [`crate::lower::frames`] replaces.
    fn marker(&mut self) -> usize {
        self.emit(Opcode::Nothing, Vec::new(), Vec::new(), None);
        self.kernel.insts.len() - 1
    }

    /// `to = from` moved up by a frame's size, or down.
    fn add_frame(&mut self, to: Reg, from: Reg, group: usize, body: usize, negated: bool) {
        let inst = self.kernel.insts.len();
        self.frame_sizes.push(FrameSize { inst, group, body, offset: 0, negated });
        let op = Opcode::Alu(Alu::Address(AddressOp::Offset { wide: true }));
        self.emit(op, vec![Some(to)], vec![Operand::Reg(from), Operand::Const(0)], None);
    }

    /// Faults unless a frame of the body fits at the address.
    fn check_room(&mut self, group: usize, body: usize, at: Reg) {
        let full = self.new_register(Width::Predicate);
        let inst = self.kernel.insts.len();
        let base = self.stack_base();
        // The highest address at which the frame fits on the stack; negative if it never fits.
        let last = if self.groups[group].recursive {
            let (bytes, last) = (SpecialRegister::StackBytes, self.new_register(Width::Wide));
            let bytes = self.special(bytes, Width::Wide);
            self.frame_sizes.push(FrameSize { inst, group, body, offset: base, negated: true });
            let op = Opcode::Alu(Alu::Address(AddressOp::Offset { wide: true }));
            let src = vec![Operand::Reg(bytes), Operand::Const(0)];
            self.emit(op, vec![Some(last)], src, None);
            Operand::Reg(last)
        } else {
            let offset = base + u64::from(STACK_BYTES);
            self.frame_sizes.push(FrameSize { inst, group, body, offset, negated: true });
            Operand::Const(0)
        };
        let Some(signed) = Integer::from_type(ScalarType::S64) else { return };
        let compare = Alu::Compare(CompareOp::Integer(Relation::Greater, signed));
        self.emit(Opcode::Alu(compare), vec![Some(full)], vec![Operand::Reg(at), last], None);
        let fits = self.skip_unless(Some((full, false)));
        self.emit(Opcode::StackOverflow, Vec::new(), Vec::new(), None);
        if let Some(fits) = fits {
            self.set_label(fits);
        }
    }

    fn add_body(&mut self, group: usize, function: &'m Function) -> LoweringResult<usize> {
        let (entry, epilogue) = (self.new_label(), self.new_label());
        let sp = self.groups[group].sp;
        let mut body = Body {
            function,
            entry,
            epilogue,
            params: Vec::new(),
            returns: Vec::new(),
            bytes: HEAD,
            align: 16,
            dispatch: (0, 0),
            results: Vec::new(),
        };
        for formal in &function.params {
            let symbol = self.framed_formal(&mut body, sp, formal)?;
            body.params.push(symbol);
        }
        for formal in &function.returns {
            let symbol = self.framed_formal(&mut body, sp, formal)?;
            if let Symbol::Register(register) = symbol {
                body.results.push(register);
            }
            body.returns.push(symbol);
        }
        self.groups[group].bodies.push(body);
        Ok(self.groups[group].bodies.len() - 1)
    }

    fn framed_formal(
        &mut self,
        body: &mut Body<'m>,
        sp: Reg,
        formal: &Variable,
    ) -> LoweringResult<Symbol> {
        Ok(match formal.space {
            StateSpace::Reg if formal.vector > 1 => {
                let what = format!("parameter `{}` is a vector", formal.name);
                return Err(Unsupported::new(what, "pass its elements one by one"));
            }
            StateSpace::Reg => Symbol::Register(self.new_register(width_of(formal.ty)?)),
            _ => Symbol::Framed(sp, body.place(formal)),
        })
    }

    /// Lowers one function of a group, from its entry to the jump to its epilogue.
    fn lower_body(&mut self, group: usize, index: usize) -> Result<(), LoadError> {
        self.groups[group].current = index;
        let body = &self.groups[group].bodies[index];
        let (function, entry, epilogue) = (body.function, body.entry, body.epilogue);
        let formals = function.params.iter().zip(&body.params);
        let formals = formals.chain(function.returns.iter().zip(&body.returns));
        let scope: HashMap<String, Symbol> =
            formals.map(|(formal, symbol)| (formal.name.clone(), symbol.clone())).collect();
        self.set_label(entry);
        let framed = std::mem::replace(&mut self.framed, true);
        let done = self.new_label();
        let outer = self.allocated(function);
        self.body(function, scope, done)?;
        self.set_label(done);
        self.release(outer);
        self.framed = framed;
        self.emit(Opcode::Branch(epilogue), Vec::new(), Vec::new(), None);
        Ok(())
    }

    /// Emits the epilogue of a function: the jump to the call that its frame names, or to `end` if the
    /// frame is the outermost one.
    fn way_back(&mut self, group: usize, body: usize, end: Label) {
        let sp = self.groups[group].sp;
        self.set_label(self.groups[group].bodies[body].epilogue);
        let first = self.kernel.insts.len();
        let id = self.new_register(Width::Word);
        load(self, ScalarType::B32, id, Operand::Reg(sp), 0);
        let calls = self.groups[group].calls.iter().enumerate();
        let mut ways: Vec<(u64, Label)> = calls
            .filter(|(_, call)| call.callee == body)
            .map(|(i, call)| (i as u64 + 1, call.back))
            .collect();
        if body == 0 {
            ways.push((0, end));
        }
        let last = ways.pop();
        for (number, back) in ways {
            let here = self.new_register(Width::Predicate);
            let src = vec![Operand::Reg(id), Operand::Const(number)];
            self.emit(Opcode::Alu(Alu::Logic(LogicOp::Equal)), vec![Some(here)], src, None);
            self.emit(Opcode::Branch(back), Vec::new(), Vec::new(), Some((here, false)));
        }
        match last {
            Some((_, back)) => self.emit(Opcode::Branch(back), Vec::new(), Vec::new(), None),
            None => self.emit(Opcode::Trap, Vec::new(), Vec::new(), None),
        }
        self.groups[group].bodies[body].dispatch = (first, self.kernel.insts.len());
    }

    /// Where the call stack starts in local memory.
    fn stack_base(&mut self) -> u64 {
        if let Some(base) = self.stack {
            return base;
        }
        let base = self.reserve_local(STACK, STACK_BYTES);
        self.stack = Some(base);
        base
    }

    /// Reserves this many bytes of each thread's local memory, aligned as any variable may be.
    pub(super) fn reserve_local(&mut self, name: &str, bytes: u32) -> u64 {
        let mut variable = Variable::new(StateSpace::Local, ScalarType::B8, name);
        variable.align = Some(1024);
        variable.dims = vec![Some(u64::from(bytes))];
        match self.layout.local(&mut self.kernel, &variable) {
            Operand::Const(base) => base,
            _ => 0,
        }
    }
}
