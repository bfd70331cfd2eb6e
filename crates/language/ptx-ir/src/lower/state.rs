//! The state of lowering: the kernel so far, the meaning of each name, and the groups of recursive functions. Rules read and extend it.

use crate::kernel::*;
use crate::lower::call_graph::CallGraph;
use crate::lower::layout::VariableLayout;
use crate::lower::positions::Positions;
use crate::module::PlacedModule;
use crate::opcode::Alu;
use crate::opcode::integer::AddressOp;
use crate::passes::contract::OpenRounding;
use crate::{LoadError, LoweringResult, Unsupported};
use lanework_ptx::{Function, Instruction, Module, ScalarType, StateSpace, Variable};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The name of the heap of `malloc` in messages and among the global variables. No PTX identifier looks like this.
pub const HEAP: &str = "the heap of `malloc`";

/// The remedy for a name that another module defines.
pub const DEFINE_EXTERN: &str =
    "load it with the module that defines it, as in `lanework run a.ptx b.ptx`";

/// How to lower.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoweringOptions {
    /// Whether gaps separate variables in shared and local memory, for checked runs.
    pub gaps: bool,
    /// Whether to keep the names of registers, for [`Kernel::register_names`].
    pub names: bool,
}

/// Lowers the functions of one module.
pub struct Lowering<'m> {
    pub(super) source: PlacedModule<'m>,
    /// The kernel so far.
    pub kernel: Kernel,
    pub(super) scopes: Vec<HashMap<String, Symbol>>,
    /// Variables of the module in shared and local memory that were used so far.
    module_variables: HashMap<String, Symbol>,
    pub(super) has_vectors: bool,
    /// Variables of functions in shared memory, by where their declarations are.
    pub(super) placed_shared: HashMap<usize, Operand>,
    pub(super) call_graph: CallGraph<'m>,
    /// Functions that are called over the stack: all groups, and those that are being lowered.
    pub(super) groups: Vec<CallGroup<'m>>,
    pub(super) active_groups: Vec<usize>,
    /// Whether variables go into the frame of the group's current function.
    pub(super) framed: bool,
    pub(super) frame_sizes: Vec<FrameSize>,
    /// Where the shared memory reserved for CUDA's libraries is, if the kernel uses it.
    reserved: Option<u32>,
    /// Where the call stack is in local memory, if there is one.
    pub(super) stack: Option<u64>,
    /// The register with the end of the free `alloca` memory, and the start of that memory.
    pub(super) allocation: Option<Reg>,
    pub(super) allocation_base: u64,
    specials: HashMap<SpecialRegister, Reg>,
    carry: Option<Reg>,
    /// Registers that are declared as floats.
    floats: Vec<Range<Reg>>,
    pub(super) active: Vec<String>,
    /// Where `ret` goes: the end of the inlined function, or the kernel's end.
    pub(super) return_to: Option<Label>,
    pub(super) origin: u32,
    pub(super) positions: Positions<'m>,
    pub(super) layout: VariableLayout,
    /// The input of contraction.
    pub rounding: OpenRounding,
    names: bool,
    /// Lowers one instruction by its rule. Rules that expand an instruction to others call it for each of those.
    pub lower: fn(&mut Lowering<'_>, &Instruction) -> LoweringResult,
}

impl<'m> Lowering<'m> {
    /// The state before the first instruction of an entry.
    pub(super) fn new(
        source: PlacedModule<'m>,
        entry: &Function,
        options: LoweringOptions,
        lower: fn(&mut Lowering<'_>, &Instruction) -> LoweringResult,
    ) -> Lowering<'m> {
        Lowering {
            source,
            kernel: Kernel {
                name: entry.name.clone(),
                files: source.module.files.clone(),
                ..Kernel::default()
            },
            scopes: vec![HashMap::new()],
            module_variables: HashMap::new(),
            has_vectors: false,
            placed_shared: HashMap::new(),
            call_graph: CallGraph::new(source),
            groups: Vec::new(),
            active_groups: Vec::new(),
            framed: false,
            frame_sizes: Vec::new(),
            reserved: None,
            stack: None,
            allocation: None,
            allocation_base: 0,
            specials: HashMap::new(),
            carry: None,
            floats: Vec::new(),
            active: vec![entry.name.clone()],
            return_to: None,
            origin: 0,
            positions: Positions::new(source.module),
            layout: VariableLayout::new(options.gaps),
            rounding: OpenRounding::default(),
            names: options.names,
            lower,
        }
    }

    /// Appends an instruction.
    pub fn emit(
        &mut self,
        opcode: Opcode,
        dst: Vec<Option<Reg>>,
        src: Vec<Operand>,
        guard: Option<(Reg, bool)>,
    ) {
        let origin = self.origin;
        self.kernel.insts.push(Inst { opcode, dst, src, guard, origin });
    }

    /// Appends a jump that skips the following code unless the guard holds; returns the label to set after it.
    pub fn skip_unless(&mut self, guard: Option<(Reg, bool)>) -> Option<Label> {
        let (register, negated) = guard?;
        let label = self.new_label();
        self.emit(Opcode::Branch(label), Vec::new(), Vec::new(), Some((register, !negated)));
        Some(label)
    }

    /// Where `ret` goes in an inlined function.
    pub fn return_label(&self) -> Option<Label> {
        self.return_to
    }

    /// A label not yet set.
    pub fn new_label(&mut self) -> Label {
        self.kernel.labels.push(0);
        self.kernel.labels.len() as u32 - 1
    }

    /// Puts a label before the next instruction.
    pub fn set_label(&mut self, label: Label) {
        self.kernel.labels[label as usize] = self.kernel.insts.len();
    }

    /// A new register.
    pub fn new_register(&mut self, width: Width) -> Reg {
        self.kernel.registers.push(Register { width, special: None });
        self.kernel.registers.len() as u32 - 1
    }

    /// The carry flag, a predicate.
    pub fn carry(&mut self) -> Reg {
        match self.carry {
            Some(register) => register,
            None => {
                let register = self.new_register(Width::Predicate);
                self.carry = Some(register);
                register
            }
        }
    }

    /// The register that stands for a special one.
    pub fn special(&mut self, special: SpecialRegister, width: Width) -> Reg {
        if let Some(register) = self.specials.get(&special) {
            return *register;
        }
        self.kernel.registers.push(Register { width, special: Some(special) });
        let register = self.kernel.registers.len() as u32 - 1;
        self.specials.insert(special, register);
        register
    }

    /// The address of the shared memory reserved for CUDA's libraries.
    pub fn reserved_shared(&mut self) -> u32 {
        *self.reserved.get_or_insert_with(|| self.layout.reserved(&mut self.kernel))
    }

    /// The symbol of a name in the current scopes.
    pub fn lookup(&mut self, name: &str) -> Option<Symbol> {
        if let Some(symbol) = self.scopes.iter().rev().find_map(|scope| scope.get(name)) {
            let symbol = symbol.clone();
            return Some(self.addressed(symbol));
        }
        if let Some((space, address)) = self.source.addresses.get(name) {
            return Some(Symbol::Variable(*space, Operand::Const(*address)));
        }
        if let Some(symbol) = self.module_variables.get(name) {
            return Some(symbol.clone());
        }
        let variable = self.source.variable(name)?;
        let symbol = match variable.space {
            StateSpace::Shared => {
                let address = self.layout.shared(&mut self.kernel, variable);
                Symbol::Variable(MemorySpace::Shared, address)
            }
            // Modules may declare local variables, as code did before functions had a stack; each thread has its own.
            _ => {
                let address = self.layout.local(&mut self.kernel, variable);
                Symbol::Variable(MemorySpace::Local, address)
            }
        };
        self.module_variables.insert(name.to_owned(), symbol.clone());
        Some(symbol)
    }

    /// The symbol, with the address of a variable in a frame computed.
    fn addressed(&mut self, symbol: Symbol) -> Symbol {
        let Symbol::Framed(frame, offset) = symbol else { return symbol };
        let address = self.new_register(Width::Wide);
        let src = vec![Operand::Reg(frame), Operand::Const(u64::from(offset))];
        let op = Opcode::Alu(Alu::Address(AddressOp::Offset { wide: true }));
        self.emit(op, vec![Some(address)], src, None);
        Symbol::Variable(MemorySpace::Local, Operand::Reg(address))
    }

    /// Records that ptxas begins a basic block here.
    pub fn begin_block(&mut self) {
        self.begin_block_at(self.kernel.insts.len());
    }

    /// Records that ptxas begins a basic block at an instruction. Calls come in ascending order.
    pub fn begin_block_at(&mut self, at: usize) {
        if self.rounding.breaks.last().is_none_or(|last| *last < at) {
            self.rounding.breaks.push(at);
        }
    }

    /// Records that PTX leaves the rounding of one instruction open; it was lowered from `start` on.
    pub fn note_open_rounding(&mut self, start: usize, ftz: bool) {
        self.rounding.terms.push((start..self.kernel.insts.len(), ftz));
    }

    /// Binds a name in the innermost scope.
    pub fn bind(&mut self, name: &str, symbol: Symbol) {
        if let (true, Symbol::Register(register)) = (self.names, &symbol) {
            self.kernel.register_names.insert(*register, name.to_owned());
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_owned(), symbol);
        }
    }

    /// Declares a register, or a vector of them.
    pub fn bind_register(&mut self, name: String, vector: u8, width: Width) {
        if vector > 1 {
            return self.bind_vector(&name, vector, width);
        }
        let register = self.new_register(width);
        self.bind(&name, Symbol::Register(register));
    }

    /// Records that the registers from `first` on are declared as floats.
    pub(super) fn declare_floats(&mut self, first: usize) {
        self.floats.push(first as Reg..self.kernel.registers.len() as Reg);
    }

    /// Whether a register is declared as a float.
    pub fn is_float(&self, register: Reg) -> bool {
        self.floats.iter().any(|floats| floats.contains(&register))
    }

    /// The module that is lowered.
    pub fn module(&self) -> &'m Module {
        self.source.module
    }

    /// Places a callee's formal parameter: a register in a new register, any other in local memory.
    ///
    /// # Errors
    /// If it is a register of 128 bits.
    pub fn formal(&mut self, variable: &Variable) -> LoweringResult<Symbol> {
        Ok(match variable.space {
            StateSpace::Reg => Symbol::Register(self.new_register(width_of(variable.ty)?)),
            _ => {
                Symbol::Variable(MemorySpace::Local, self.layout.local(&mut self.kernel, variable))
            }
        })
    }

    /// The error at the instruction that is lowered.
    pub fn error_here(&self, unsupported: Unsupported) -> LoadError {
        let origin = self.kernel.origins.get(self.origin as usize);
        LoadError {
            message: unsupported.message,
            function: self.active.last().cloned().unwrap_or_default(),
            location: origin.and_then(|o| o.location.clone()),
            text_file: None,
            text_line: origin.map_or(0, |o| o.text_line),
            help: unsupported.help,
        }
    }
}

/// How registers of a type are stored.
///
/// # Errors
/// If the type has 128 bits.
pub fn width_of(ty: ScalarType) -> LoweringResult<Width> {
    Ok(match ty {
        ScalarType::Pred => Width::Predicate,
        ScalarType::B128 => {
            return Err(Unsupported::new(
                "a 128-bit register where one of 64 bits or fewer is expected",
                "use two 64-bit registers",
            ));
        }
        ty if ty.size() == 8 => Width::Wide,
        _ => Width::Word,
    })
}

/// The meaning of a name.
#[derive(Clone, Debug)]
pub enum Symbol {
    /// A register.
    Register(Reg),
    /// A label.
    Label(Label),
    /// The labels that an indexed branch chooses from.
    Targets(Vec<Label>),
    /// A variable in a space, by address in that space.
    Variable(MemorySpace, Operand),
    /// A variable in a frame on the call stack: the register of the frame's base, and the offset. Looked
    /// up, it is a [`Symbol::Variable`].
    Framed(Reg, u32),
    /// A register of 128 bits: its low and its high half.
    Quad([Reg; 2]),
    /// A vector register of this many elements, each a separate register.
    Vector(u8),
}

/// Bytes of a frame before anything else: the number of the call to return to.
pub(super) const HEAD: u32 = 16;

/// A call group so far.
pub(super) struct CallGroup<'m> {
    /// Whether its functions call each other in a cycle.
    pub(super) recursive: bool,
    pub(super) members: HashSet<&'m str>,
    /// The base of the current frame: a local address.
    pub(super) sp: Reg,
    /// The functions that are called; the one that is called from outside comes first.
    pub(super) bodies: Vec<Body<'m>>,
    /// The calls inside; the number of one is its index plus 1.
    pub(super) calls: Vec<CallSite>,
    /// The body that is being lowered.
    pub(super) current: usize,
    /// The range of its instructions.
    pub(super) first: usize,
    pub(super) last: usize,
}

/// A function of a group.
pub(super) struct Body<'m> {
    pub(super) function: &'m Function,
    pub(super) entry: Label,
    pub(super) epilogue: Label,
    pub(super) params: Vec<Symbol>,
    pub(super) returns: Vec<Symbol>,
    /// Bytes of its frame so far, and their alignment.
    pub(super) bytes: u32,
    pub(super) align: u32,
    /// The range of its epilogue's instructions, and the registers that it returns values in.
    pub(super) dispatch: (usize, usize),
    pub(super) results: Vec<Reg>,
}

/// A call inside a group.
pub(super) struct CallSite {
    /// Index of the calling and of the called body.
    pub(super) caller: usize,
    pub(super) callee: usize,
    pub(super) back: Label,
    /// Where the caller's registers are saved and restored: markers that do nothing until `finish_frames` replaces them.
    pub(super) save: usize,
    pub(super) restore: usize,
    /// Results that arrive in registers, which are not restored.
    pub(super) keep: Vec<Reg>,
}

/// A constant that is the size of a frame: of this group and body, negated or not.
pub(super) struct FrameSize {
    pub(super) inst: usize,
    pub(super) group: usize,
    pub(super) body: usize,
    /// Added to the size after the negation, if any.
    pub(super) offset: u64,
    pub(super) negated: bool,
}

impl Body<'_> {
    /// Places a variable in the frame; returns its offset.
    pub(super) fn place(&mut self, variable: &Variable) -> u32 {
        let align = variable.alignment().clamp(1, 1024).next_power_of_two();
        self.align = self.align.max(align);
        let bytes = variable.size().min(1 << 30) as u32;
        let at = self.bytes.min(1 << 30).next_multiple_of(align);
        self.bytes = at.saturating_add(bytes);
        at
    }

    /// Places a saved register in the frame; returns its offset.
    pub(super) fn place_register(&mut self) -> u32 {
        let at = self.bytes.min(1 << 30).next_multiple_of(8);
        self.bytes = at + 8;
        at
    }
}
