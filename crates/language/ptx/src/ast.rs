//! The syntax tree of a PTX module: plain data, in text order.
//!
//! An instruction is kept as written: an opcode, dot-separated modifiers, operands. The tree has no semantics (the
//! emulator's lowering adds them), so it can represent any PTX, including instructions that this crate does not know.

use crate::instructions::{Modifier, Opcode};
pub use crate::types::Specific;
use crate::types::{ScalarType, StateSpace};
use std::fmt::Write;

/// A PTX module: one translation unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// The PTX ISA version of the text (`.version`).
    pub version: Version,
    /// The target architecture (`.target`).
    pub target: Target,
    /// Source files named by `.file`, first to last; index 0 here is file 1 in the text.
    pub files: Vec<String>,
    /// Variables and functions in the order of the text.
    pub items: Vec<Item>,
}

/// A PTX ISA version, such as 7.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Major number.
    pub major: u8,
    /// Minor number.
    pub minor: u8,
}

/// A target architecture, such as `sm_90a`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    /// The number after `sm_`.
    pub architecture: u32,
    /// The suffix: whether the target is limited to one architecture or family.
    pub specific: Specific,
    /// Further options of the directive, such as `debug` or `texmode_independent`.
    pub options: Vec<String>,
}

impl Target {
    /// Whether the module is compiled for debugging (`debug`): as written, without optimization.
    pub fn is_for_debugging(&self) -> bool {
        self.options.iter().any(|option| option == "debug")
    }
}

/// An item at module scope.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A variable in global, constant or shared space.
    Variable(Variable),
    /// An entry or a device function, defined or declared.
    Function(Function),
    /// Any other directive as text, with its semicolon or braces: `.alias f, g;`, `.pragma "...";`, `.section
    /// .debug_str { ... }`.
    Directive(String),
}

/// The linkage of a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Linkage {
    /// Internal.
    #[default]
    Internal,
    /// `.extern`: defined elsewhere, or sized at launch.
    Extern,
    /// `.visible`.
    Visible,
    /// `.weak`.
    Weak,
    /// `.common`.
    Common,
}

/// A variable, a parameter or a return value.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Linkage; parameters are internal.
    pub linkage: Linkage,
    /// Its state space.
    pub space: StateSpace,
    /// Alignment in bytes, if declared.
    pub align: Option<u32>,
    /// 2 or 4 for `.v2` and `.v4` elements, else 1.
    pub vector: u8,
    /// Element type.
    pub ty: ScalarType,
    /// Name.
    pub name: String,
    /// Array extents, outermost first; `None` is `[]`. Empty for a scalar.
    pub dims: Vec<Option<u64>>,
    /// Initial value, zero where absent.
    pub init: Option<Initializer>,
    /// Uninterpreted tokens: `.ptr`, `.global`, `.align`, `4` after the type of a parameter,
    /// `.attribute(.managed)` on a variable.
    pub attributes: Vec<String>,
}

impl Variable {
    /// A variable with only a state space, a type and a name.
    pub fn new(space: StateSpace, ty: ScalarType, name: impl Into<String>) -> Self {
        Variable {
            linkage: Linkage::Internal,
            space,
            align: None,
            vector: 1,
            ty,
            name: name.into(),
            dims: Vec::new(),
            init: None,
            attributes: Vec::new(),
        }
    }

    /// Size in bytes. An unspecified extent counts as 0; a size that exceeds 64 bits is `u64::MAX`.
    pub fn size(&self) -> u64 {
        let extents = self.dims.iter().map(|d| d.unwrap_or(0));
        let elements = extents.fold(1, u64::saturating_mul);
        elements.saturating_mul(u64::from(self.vector) * u64::from(self.ty.size()))
    }

    /// Alignment in bytes: the declared alignment, or the alignment of one (vector) element.
    pub fn alignment(&self) -> u32 {
        self.align.unwrap_or(u32::from(self.vector) * self.ty.size())
    }
}

/// The initial value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Initializer {
    /// One value.
    Value(Immediate),
    /// The address of another variable or function plus a byte offset; `generic(name)` if generic.
    Address {
        /// The variable or function.
        name: String,
        /// Byte offset.
        offset: i64,
        /// Whether the address is converted to generic.
        generic: bool,
    },
    /// One byte of an address, `0xFF00(generic(name))`: the bits under the mask, shifted down.
    Masked {
        /// The mask: 0xFF shifted left by a multiple of 8 bits.
        mask: u64,
        /// The address, which is not itself `Masked`.
        address: Box<Initializer>,
    },
    /// A brace list, possibly nested; missing values are zero.
    List(Vec<Initializer>),
    /// Fields of a texture, sampler or surface by name: `{ filter_mode = nearest }`.
    Fields(Vec<(String, String)>),
}

/// An entry (`.entry`) or a device function (`.func`).
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Linkage.
    pub linkage: Linkage,
    /// Whether it is a kernel that the host can launch.
    pub entry: bool,
    /// Name.
    pub name: String,
    /// Return values of a device function.
    pub returns: Vec<Variable>,
    /// Parameters.
    pub params: Vec<Variable>,
    /// Performance and launch directives.
    pub directives: Vec<FunctionDirective>,
    /// The statements; `None` for a declaration.
    pub body: Option<Vec<Statement>>,
}

/// A directive between a function's parameters and its body.
#[derive(Clone, Debug, PartialEq)]
pub enum FunctionDirective {
    /// `.maxntid x, y, z`: the largest block.
    MaxBlock([u32; 3]),
    /// `.reqntid x, y, z`: the only block allowed.
    RequiredBlock([u32; 3]),
    /// `.minnctapersm n`: blocks that must fit on one multiprocessor.
    MinBlocksPerSm(u32),
    /// `.maxnreg n`: maximum registers per thread.
    MaxRegisters(u32),
    /// `.reqnctapercluster x, y, z`: the cluster's shape.
    RequiredCluster([u32; 3]),
    /// Any other directive, as its tokens (`noreturn`, `explicitcluster`, `pragma "..."`).
    Other(String),
}

/// One statement of a function's body.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `.reg .b32 %r<10>;`
    Registers(Registers),
    /// A variable of local, shared or param space.
    Variable(Variable),
    /// `name:`
    Label(String),
    /// An instruction.
    Instruction(Instruction),
    /// `{ ... }`, a separate scope for registers and variables.
    Block(Vec<Statement>),
    /// Any other directive inside a body as text, with its dot and without its semicolon. A `.loc` appears here only if
    /// no instruction has its position but an inlined call refers to it.
    Directive(String),
}

/// A register declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Registers {
    /// 2 or 4 for vector registers, else 1.
    pub vector: u8,
    /// Type.
    pub ty: ScalarType,
    /// Names, each with its count if written as `%r<10>` (which declares `%r0` to `%r9`).
    pub names: Vec<(String, Option<u32>)>,
}

impl Function {
    /// The block required by `.reqntid`.
    pub fn required_block(&self) -> Option<[u32; 3]> {
        self.directives.iter().find_map(|d| match d {
            FunctionDirective::RequiredBlock(block) => Some(*block),
            _ => None,
        })
    }

    /// Maximum threads per block according to `.maxntid` or `.reqntid`.
    pub fn max_threads(&self) -> Option<u32> {
        self.directives.iter().find_map(|d| match d {
            FunctionDirective::RequiredBlock(b) | FunctionDirective::MaxBlock(b) => {
                Some(b.iter().product())
            }
            _ => None,
        })
    }
}

impl Module {
    /// The functions of the module, in order.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(function),
            Item::Variable(_) | Item::Directive(_) => None,
        })
    }

    /// The variables of the module, in order.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.items.iter().filter_map(|item| match item {
            Item::Variable(variable) => Some(variable),
            Item::Function(_) | Item::Directive(_) => None,
        })
    }

    /// The defined entries.
    pub fn entries(&self) -> impl Iterator<Item = &Function> {
        self.functions().filter(|f| f.entry && f.body.is_some())
    }

    /// The defined entry called `name`.
    pub fn entry(&self, name: &str) -> Option<&Function> {
        self.entries().find(|f| f.name == name)
    }
}

/// An instruction, as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Instruction {
    /// `@p` or `@!p`.
    pub guard: Option<Guard>,
    /// The word before the first dot, such as `ld`.
    pub opcode: Opcode,
    /// The words after each dot, in order, such as `global`, `v4`, `f32`.
    pub modifiers: Vec<Modifier>,
    /// Opcode and modifiers as written, if the instruction table lacks one of the words.
    pub unknown_name: Option<Box<str>>,
    /// Operands, destination first.
    pub operands: Vec<Operand>,
    /// The source location (`.loc`).
    pub location: Option<Location>,
    /// Line of the instruction in the PTX text, from 1; 0 if it was not parsed.
    pub text_line: u32,
}

/// The predicate that guards an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate register.
    pub register: String,
    /// Whether it is `@!p`.
    pub negated: bool,
}

/// A source location of `.loc`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// Index into [`Module::files`](crate::Module::files), from 1.
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 if unknown.
    pub column: u32,
    /// The tokens after the position, such as `function_name $L__info, inlined_at 1 5 3`.
    pub inlined: Option<String>,
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register, special register (`%tid.x`), vector element (`%v.x`), label, variable, function, or `_`.
    Name(String),
    /// `!p`.
    Not(String),
    /// A literal.
    Immediate(Immediate),
    /// `{a, b}`.
    Vector(Vec<Operand>),
    /// `p|q`; the first may be a vector.
    Pair(Box<Operand>, Box<Operand>),
    /// `name + 8` outside brackets: the address of a variable plus an offset.
    Offset(String, i64),
    /// `[base + offset]`.
    Address(Address),
    /// `(a, b)`: the arguments or results of a call.
    Arguments(Vec<Operand>),
}

/// An address in brackets.
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    /// The register or variable, or a literal for an absolute address.
    pub base: AddressBase,
    /// Byte offset.
    pub offset: i64,
    /// Further operands, such as the tensor coordinates `{x, y}` of `[map, {x, y}]`.
    pub extra: Vec<Operand>,
}

/// The base of an address.
#[derive(Clone, Debug, PartialEq)]
pub enum AddressBase {
    /// A register or a variable.
    Name(String),
    /// An absolute address.
    Absolute(u64),
}

/// A literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Immediate {
    /// An integer; hexadecimal and unsigned 64-bit literals fit too.
    Integer(i128),
    /// The bits of a single-precision literal (`0f3F800000`).
    F32(u32),
    /// The bits of a double-precision literal (`0d...` or decimal).
    F64(u64),
}

impl From<&str> for Operand {
    fn from(name: &str) -> Self {
        Operand::Name(name.to_owned())
    }
}

impl From<String> for Operand {
    fn from(name: String) -> Self {
        Operand::Name(name)
    }
}

impl From<Immediate> for Operand {
    fn from(value: Immediate) -> Self {
        Operand::Immediate(value)
    }
}

impl Operand {
    /// An integer literal.
    pub fn integer(value: impl Into<i128>) -> Self {
        Operand::Immediate(Immediate::Integer(value.into()))
    }

    /// `[base + offset]`.
    pub fn address(base: impl Into<String>, offset: i64) -> Self {
        Operand::Address(Address {
            base: AddressBase::Name(base.into()),
            offset,
            extra: Vec::new(),
        })
    }
}

impl Instruction {
    /// An instruction from its dotted name (`"ld.global.f32"`) and operands.
    pub fn new(name: &str, operands: Vec<Operand>) -> Self {
        let mut words = name.split('.');
        let opcode = Opcode::from_name(words.next().unwrap_or_default());
        let modifiers: Vec<Modifier> = words.map(Modifier::from_word).collect();
        let known = opcode != Opcode::Unknown && !modifiers.contains(&Modifier::Unknown);
        let unknown_name = if known { None } else { Some(name.into()) };
        Instruction { opcode, modifiers, unknown_name, operands, ..Instruction::default() }
    }

    /// An instruction without modifiers.
    ///
    /// ```
    /// use lanework_ptx::{Instruction, Opcode};
    ///
    /// assert_eq!(Instruction::of(Opcode::Ret, Vec::new()).name(), "ret");
    /// ```
    pub fn of(opcode: Opcode, operands: Vec<Operand>) -> Self {
        Instruction { opcode, operands, ..Instruction::default() }
    }

    /// Opcode and modifiers joined by dots, as in the text.
    pub fn name(&self) -> String {
        if let Some(name) = &self.unknown_name {
            return name.to_string();
        }
        let mut name = self.opcode.name().to_owned();
        for modifier in &self.modifiers {
            let _ = write!(name, ".{modifier}");
        }
        name
    }

    /// A word of the name as written: the opcode for 0, the modifiers from 1 on.
    pub fn word(&self, index: usize) -> String {
        self.name().split('.').nth(index).unwrap_or_default().to_owned()
    }

    /// The types of the operands, destination first, without optional operands. They come from the first form in the
    /// instruction table that has the instruction's modifiers. `None` if no form has them, or if an operand of that
    /// form is not a single value.
    pub fn operand_types(&self) -> Option<Vec<ScalarType>> {
        let found = self.opcode.forms().iter().find_map(|form| form.matches(&self.modifiers).ok());
        found?.operand_types()
    }

    /// Every instruction of an opcode that takes only single values as operands: one per combination of modifiers in its forms.
    ///
    /// ```
    /// use lanework_ptx::{Instruction, Opcode};
    ///
    /// let names: Vec<String> = Instruction::on_values(Opcode::Dp4a).iter().map(Instruction::name).collect();
    /// assert_eq!(names, ["dp4a.u32.u32", "dp4a.u32.s32", "dp4a.s32.u32", "dp4a.s32.s32"]);
    /// ```
    pub fn on_values(opcode: Opcode) -> Vec<Instruction> {
        let forms = opcode.forms().iter().filter(|form| form.has_values_only());
        let all = forms.flat_map(|form| form.combinations());
        all.map(|modifiers| Instruction { opcode, modifiers, ..Instruction::default() }).collect()
    }

    /// The index of the first modifier that is in no form of the instruction table; `None` if a form has them all. That
    /// form may need more modifiers.
    ///
    /// ```
    /// use lanework_ptx::Instruction;
    ///
    /// assert_eq!(Instruction::new("add.rn.sat.s32", Vec::new()).extra_modifier(), Some(2));
    /// assert_eq!(Instruction::new("add.rn.ftz.f32", Vec::new()).extra_modifier(), None);
    /// ```
    pub fn extra_modifier(&self) -> Option<usize> {
        let mut forms = self.opcode.forms().iter();
        let first = forms.next()?.first_extra(&self.modifiers);
        forms
            .try_fold(first?, |last, form| form.first_extra(&self.modifiers).map(|at| at.max(last)))
    }

    /// Whether `modifier` is among the modifiers.
    pub fn has(&self, modifier: Modifier) -> bool {
        self.modifiers.contains(&modifier)
    }
}
