//! The intermediate representation (IR) as plain data. This file has the module and prints functions as text, for
//! debugging a front end or a pass.

mod function;
mod operation;
mod types;

pub use function::*;
pub use operation::*;
pub use types::*;

use lanework_ptx::{Target, Version};
use std::fmt::{self, Display, Formatter};

/// A translation unit.
#[derive(Clone, Debug)]
pub struct SsaModule {
    /// The PTX version of the output.
    pub version: Version,
    /// The target architecture.
    pub target: Target,
    /// Source files; [`SourcePosition::file`](crate::SourcePosition::file) counts them from 1.
    pub files: Vec<String>,
    /// Variables at module scope, including string literals.
    pub globals: Vec<GlobalVariable>,
    /// Functions.
    pub functions: Vec<SsaFunction>,
}

/// A variable in global, constant or shared space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalVariable {
    /// The (mangled) name.
    pub name: String,
    /// [`AddressSpace::Global`], [`AddressSpace::Constant`] or [`AddressSpace::Shared`].
    pub space: AddressSpace,
    /// Size in bytes; 0 for dynamic shared memory.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// Linkage.
    pub linkage: GlobalLinkage,
    /// Initial bytes; zeros if absent.
    pub initial: Option<InitialBytes>,
    /// `__managed__`.
    pub managed: bool,
}

/// Linkage of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalLinkage {
    /// Used in this module only.
    Internal,
    /// The host can look it up: `__device__` and `__constant__` variables.
    Visible,
    /// Sized at launch (`extern __shared__`) or defined elsewhere.
    External,
}

/// Initial bytes of a variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InitialBytes {
    /// The bytes; missing bytes at the end are zero.
    pub bytes: Vec<u8>,
    /// Addresses among the bytes.
    pub relocations: Vec<Relocation>,
}

/// Eight bytes that hold a generic address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Offset in the variable, a multiple of 8.
    pub offset: u64,
    /// The variable or function.
    pub target: RelocationTarget,
    /// Bytes to add to the address.
    pub addend: i64,
}

/// The target of a relocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelocationTarget {
    /// A variable.
    Global(GlobalId),
    /// A function.
    Function(FunctionId),
}

impl SsaModule {
    /// An empty module.
    pub fn new(target: Target, version: Version) -> SsaModule {
        SsaModule { version, target, files: vec![], globals: vec![], functions: vec![] }
    }

    /// Adds a function, or reserves its number by a declaration that [`SsaModule::define_function`] replaces later.
    pub fn add_function(&mut self, function: SsaFunction) -> FunctionId {
        self.functions.push(function);
        FunctionId(self.functions.len() as u32 - 1)
    }

    /// Replaces a function.
    pub fn define_function(&mut self, id: FunctionId, function: SsaFunction) {
        self.functions[id.index()] = function;
    }

    /// Adds a variable.
    pub fn add_global(&mut self, global: GlobalVariable) -> GlobalId {
        self.globals.push(global);
        GlobalId(self.globals.len() as u32 - 1)
    }

    /// Adds a source file; returns its number for [`SourcePosition::file`](crate::SourcePosition::file).
    pub fn add_file(&mut self, path: impl Into<String>) -> u32 {
        self.files.push(path.into());
        self.files.len() as u32
    }
}

impl Display for SsaFunction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "function {} {:?} -> {:?} {{", self.name, self.linkage, self.returns)?;
        for (index, block) in self.blocks.iter().enumerate() {
            let parameters: Vec<String> = block
                .parameters
                .iter()
                .map(|value| format!("{value}: {}", self.value_type(*value)))
                .collect();
            writeln!(f, "block{index}({}):", parameters.join(", "))?;
            for id in &block.instructions {
                let data = self.instruction(*id);
                let results: Vec<String> = data
                    .results
                    .iter()
                    .map(|value| format!("{value}: {}", self.value_type(*value)))
                    .collect();
                let equals = if results.is_empty() { "" } else { " = " };
                let arguments = self.list(&data.arguments);
                writeln!(f, "    {}{equals}{:?} {arguments}", results.join(", "), data.kind)?;
            }
            self.write_terminator(f, &block.terminator)?;
        }
        f.write_str("}\n")
    }
}

impl SsaFunction {
    fn write_terminator(&self, f: &mut Formatter<'_>, terminator: &BlockTerminator) -> fmt::Result {
        let call =
            |target: &BlockCall| format!("{}({})", target.block, self.list(&target.arguments));
        match terminator {
            BlockTerminator::Jump(target) => writeln!(f, "    jump {}", call(target)),
            BlockTerminator::Branch(condition, yes, no) => {
                let condition = self.name(*condition);
                writeln!(f, "    branch {condition}, {}, {}", call(yes), call(no))
            }
            BlockTerminator::Switch(value, cases, default) => {
                write!(f, "    switch {}", self.name(*value))?;
                for (case, target) in cases {
                    write!(f, ", {case} => {}", call(target))?;
                }
                writeln!(f, ", {}", call(default))
            }
            BlockTerminator::Return(values) => writeln!(f, "    return {}", self.list(values)),
            other => writeln!(f, "    {other:?}"),
        }
    }

    fn list(&self, values: &[ValueId]) -> String {
        let names: Vec<String> = values.iter().map(|value| self.name(*value)).collect();
        names.join(", ")
    }

    fn name(&self, value: ValueId) -> String {
        let value = self.resolve(value);
        match self.definition(value) {
            ValueDefinition::Constant(bits) => format!("{bits:#x}"),
            ValueDefinition::Global(id) => id.to_string(),
            ValueDefinition::Function(id) => id.to_string(),
            ValueDefinition::Slot(id) => id.to_string(),
            ValueDefinition::Undefined => "undefined".to_owned(),
            _ => value.to_string(),
        }
    }
}
