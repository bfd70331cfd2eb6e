//! The names that are visible at an instruction: variables, parameters, arrays, registers.

use crate::code::CodeMap;
use crate::data::types::DataType;
use lanework_ptx_ir::kernel::{Kernel, Reg};
use std::collections::HashMap;
use std::sync::Arc;

/// The source names of a kernel, as its front end reports them.
#[derive(Clone, Debug, Default)]
pub struct SourceNames {
    /// The parameters, in order.
    pub parameters: Vec<SourceParameter>,
    /// The local variables.
    pub variables: Vec<SourceVariable>,
    /// The types of variables in shared, global and constant memory, by their names in PTX.
    pub arrays: Vec<(String, DataType)>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct SourceParameter {
    /// Its name in the source.
    pub name: String,
    /// Its type.
    pub ty: DataType,
}

/// A local variable.
#[derive(Clone, Debug)]
pub struct SourceVariable {
    /// The function, by its name in PTX.
    pub function: String,
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: DataType,
    /// Its offset in the variable that `frame` names.
    pub offset: u64,
    /// The first and the last line of its scope.
    pub lines: [u32; 2],
    /// Its scope and places by lines of the PTX text, if it has several places.
    pub text: Option<TextPlaces>,
    /// The memory that holds it, if `text` is `None`.
    pub frame: VariableFrame,
}

/// The memory that holds a local variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariableFrame {
    /// A variable of the function, by its name in PTX.
    OfFunction(String),
    /// A variable of the kernel, for all functions of a file.
    Named {
        /// The variable, by its name in PTX.
        symbol: String,
        /// The file whose lines are the scope; `None` for any.
        file: Option<String>,
    },
}

/// The places of a variable that another compiler describes.
#[derive(Clone, Debug)]
pub struct TextPlaces {
    /// The lines of the PTX text on which it is visible.
    pub scope: std::ops::Range<u32>,
    /// Its places.
    pub places: Vec<PlaceRange>,
}

/// The place of a variable on some lines of the PTX text.
#[derive(Clone, Debug)]
pub struct PlaceRange {
    /// The lines.
    pub lines: std::ops::Range<u32>,
    /// The place.
    pub place: TextPlace,
}

/// A place, by names of the PTX text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextPlace {
    /// A register.
    Register(String),
    /// A variable and an offset in it.
    Variable(String, u64),
}

/// A variable of the module in global or constant memory.
#[derive(Clone, Debug)]
pub struct ModuleVariable {
    /// Its name in PTX.
    pub name: String,
    /// Its address.
    pub address: u64,
    /// Its type.
    pub ty: DataType,
}

/// The names of a launch.
pub struct LaunchScope {
    /// The kernel.
    pub kernel: Arc<Kernel>,
    /// Its code.
    pub code: CodeMap,
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    names: SourceNames,
    module: Vec<ModuleVariable>,
    registers: HashMap<String, Vec<Reg>>,
    parameters: Vec<u8>,
}

/// The meaning of a name.
#[derive(Clone, Debug)]
pub enum Named {
    /// A local variable: its type and its address in the thread's local memory.
    Local(DataType, u64),
    /// A parameter: its type and bytes.
    Parameter(DataType, Vec<u8>),
    /// A variable in shared memory: its type and offset.
    Shared(DataType, u64),
    /// A variable of the module: its type and address.
    Global(DataType, u64),
    /// A variable in a register.
    Register(DataType, Reg),
    /// A variable that the compiler keeps nowhere at this instruction.
    Lost,
}

impl LaunchScope {
    /// The names of a launch with these parameter bytes.
    pub fn new(
        (kernel, code): (Arc<Kernel>, CodeMap),
        (grid, block): ([u32; 3], [u32; 3]),
        names: SourceNames,
        (module, register_names): (Vec<ModuleVariable>, &HashMap<Reg, String>),
        arguments: &[&[u8]],
    ) -> LaunchScope {
        let mut registers: HashMap<String, Vec<Reg>> = HashMap::new();
        for (register, name) in register_names {
            registers.entry(name.clone()).or_default().push(*register);
        }
        registers.values_mut().for_each(|all| all.sort_unstable());
        let mut parameters = vec![0; kernel.parameter_bytes as usize];
        for (parameter, bytes) in kernel.parameters.iter().zip(arguments) {
            let at = parameter.offset as usize;
            if let Some(place) = parameters.get_mut(at..at + bytes.len()) {
                place.copy_from_slice(bytes);
            }
        }
        LaunchScope { kernel, code, grid, block, names, module, registers, parameters }
    }

    /// The meaning of a name at an instruction.
    pub fn find(&self, name: &str, instruction: u32) -> Option<Named> {
        self.local(name, instruction)
            .or_else(|| self.parameter(name))
            .or_else(|| self.shared(name))
            .or_else(|| self.global(name))
    }

    /// A parameter of the kernel, if the instruction is in the kernel's own code.
    pub fn kernel_parameter(&self, name: &str, instruction: u32) -> Option<Named> {
        let own = self.code.function(instruction) == self.kernel.name;
        if own { self.parameter(name) } else { None }
    }

    /// The local variables that are visible at an instruction, innermost scopes first.
    pub fn locals(&self, instruction: u32) -> Vec<&SourceVariable> {
        let function = self.code.function(instruction);
        let line = self.code.place(instruction).map_or(0, |place| place.line.line);
        let text_line = self.text_line(instruction);
        let of = |variable: &&SourceVariable| {
            let [first, last] = variable.lines;
            let in_lines = (first..=last).contains(&line);
            let memory = match &variable.frame {
                VariableFrame::Named { file, .. } => {
                    let here = self.code.place(instruction).map(|at| self.code.file(at.line.file));
                    return in_lines && file.as_deref().is_none_or(|file| here == Some(file));
                }
                VariableFrame::OfFunction(memory) => memory,
            };
            variable.function == function
                && match &variable.text {
                    Some(text) => text.scope.contains(&text_line),
                    None => in_lines && self.address(function, memory, instruction).is_some(),
                }
        };
        let begin = |variable: &&SourceVariable| {
            variable.text.as_ref().map_or(variable.lines[0], |text| text.scope.start)
        };
        let mut found: Vec<&SourceVariable> = Vec::new();
        let all = self.names.variables.iter().filter(of);
        let mut all: Vec<&SourceVariable> = all.collect();
        all.sort_by_key(|variable| std::cmp::Reverse(begin(variable)));
        for variable in all {
            if !found.iter().any(|known| known.name == variable.name) {
                found.push(variable);
            }
        }
        found
    }

    /// Whether a function of the kernel declares a local variable of this name.
    pub fn declares(&self, name: &str) -> bool {
        self.names.variables.iter().any(|variable| variable.name == name)
    }

    /// The line of the PTX text of an instruction.
    fn text_line(&self, instruction: u32) -> u32 {
        self.kernel.origins.get(instruction as usize).map_or(0, |origin| origin.text_line)
    }

    /// The names of the parameters.
    pub fn parameter_names(&self) -> Vec<String> {
        let of_ptx = self.kernel.parameters.iter().map(|parameter| parameter.name.clone());
        let of_source = self.names.parameters.iter().map(|parameter| parameter.name.clone());
        of_source.chain(of_ptx.skip(self.names.parameters.len())).collect()
    }

    /// The names of the arrays in shared memory.
    pub fn shared_names(&self) -> Vec<String> {
        let fixed = self.kernel.shared_variables.iter().map(|variable| variable.name.clone());
        fixed.chain(self.kernel.dynamic_shared.clone()).collect()
    }

    /// The bytes of the parameters.
    pub fn parameter_bytes(&self) -> &[u8] {
        &self.parameters
    }

    /// The names of the registers, in the order of their numbers.
    pub fn register_names(&self) -> Vec<(&str, Reg)> {
        let one = |(name, all): (&'_ String, &Vec<Reg>)| -> Vec<(Reg, String)> {
            all.iter().map(|register| (*register, name.clone())).collect()
        };
        let mut all: Vec<(Reg, String)> = self.registers.iter().flat_map(one).collect();
        all.sort();
        let name = |(register, name): &(Reg, String)| {
            self.registers.get_key_value(name).map(|(name, _)| (name.as_str(), *register))
        };
        all.iter().filter_map(name).collect()
    }

    /// The register with a name. Registers of inlined functions may share a name; the result is then the register whose
    /// use is nearest to `instruction`, in the same call if it is used there.
    pub fn register(&self, name: &str, instruction: u32) -> Option<Reg> {
        let all = self.registers.get(name)?;
        if let [only] = all[..] {
            return Some(only);
        }
        let uses = |register: &&Reg| {
            let insts = self.kernel.insts.iter();
            let using = insts.filter(|inst| {
                inst.writes().any(|r| r == **register) || inst.reads().any(|r| r == **register)
            });
            let distance =
                |at: u32| (!self.code.is_same_call(at, instruction), at.abs_diff(instruction));
            using.map(|inst| distance(inst.origin)).min().unwrap_or((true, u32::MAX))
        };
        all.iter().min_by_key(uses).copied()
    }

    /// The address of a function's variable in local memory.
    fn address(&self, function: &str, variable: &str, instruction: u32) -> Option<u64> {
        let instance = self.kernel.functions.iter().rev();
        let mut instance =
            instance.filter(|f| f.name == function && f.origins.contains(&instruction));
        let first = instance.next().map_or(0, |instance| instance.first_local as usize);
        let locals = self.kernel.local_variables.get(first..)?;
        locals.iter().find(|local| local.name == variable).map(|local| u64::from(local.offset))
    }

    fn local(&self, name: &str, instruction: u32) -> Option<Named> {
        let locals = self.locals(instruction);
        let variable = locals.iter().find(|variable| variable.name == name)?;
        let (function, ty) = (self.code.function(instruction), variable.ty.clone());
        let memory = match &variable.frame {
            VariableFrame::Named { symbol, .. } => {
                let symbol = TextPlace::Variable(symbol.clone(), variable.offset);
                return Some(self.named_place(&symbol, ty, instruction).unwrap_or(Named::Lost));
            }
            VariableFrame::OfFunction(memory) => memory,
        };
        let Some(text) = &variable.text else {
            let address = self.address(function, memory, instruction)?;
            return Some(Named::Local(ty, address + variable.offset));
        };
        let line = self.text_line(instruction);
        let place = text.places.iter().find(|range| range.lines.contains(&line));
        let found = place.and_then(|range| self.named_place(&range.place, ty, instruction));
        Some(found.unwrap_or(Named::Lost))
    }

    /// The meaning of a place of the PTX text.
    fn named_place(&self, place: &TextPlace, ty: DataType, instruction: u32) -> Option<Named> {
        match place {
            TextPlace::Register(register) => {
                Some(Named::Register(ty, self.register(register, instruction)?))
            }
            TextPlace::Variable(symbol, offset) => {
                let start = self.address(self.code.function(instruction), symbol, instruction);
                if let Some(start) = start {
                    return Some(Named::Local(ty, start + offset));
                }
                match self.shared(symbol).or_else(|| self.global(symbol))? {
                    Named::Shared(_, at) => Some(Named::Shared(ty, at + offset)),
                    Named::Global(_, at) => Some(Named::Global(ty, at + offset)),
                    _ => None,
                }
            }
        }
    }

    fn parameter(&self, name: &str) -> Option<Named> {
        let of_source = self.names.parameters.iter().position(|of| of.name == name);
        let of_ptx = || self.kernel.parameters.iter().position(|of| of.name == name);
        let index = of_source.or_else(of_ptx)?;
        let parameter = self.kernel.parameters.get(index)?;
        let at = parameter.offset as usize;
        let bytes = self.parameters.get(at..at + parameter.bytes as usize)?.to_vec();
        let known = self.names.parameters.get(index).map(|of| of.ty.clone());
        let unknown = || match parameter.bytes {
            1 | 2 | 4 | 8 => DataType::Bits(parameter.bytes as u8),
            bytes => DataType::Array(Arc::new(DataType::Bits(1)), bytes.into()),
        };
        Some(Named::Parameter(known.unwrap_or_else(unknown), bytes))
    }

    fn shared(&self, name: &str) -> Option<Named> {
        let typed = |bytes: u64| self.typed(name, bytes);
        if self.kernel.dynamic_shared.as_deref() == Some(name) {
            let start = u64::from(self.kernel.static_shared);
            return Some(Named::Shared(typed(0), start));
        }
        let readable = lanework_ptx_ir::lower::readable_variable;
        let mut all = self.kernel.shared_variables.iter();
        let variable = all.find(|of| of.name == name || readable(&of.name) == name)?;
        Some(Named::Shared(typed(variable.bytes.into()), variable.offset.into()))
    }

    fn global(&self, name: &str) -> Option<Named> {
        let readable = |of: &str| lanework_ptx_ir::cpp_names::readable(of) == name;
        let variable = self.module.iter().find(|of| of.name == name || readable(&of.name))?;
        Some(Named::Global(variable.ty.clone(), variable.address))
    }

    /// The type of an array of this many bytes.
    fn typed(&self, name: &str, bytes: u64) -> DataType {
        let known =
            self.names.arrays.iter().find(|(of, _)| {
                of == name || lanework_ptx_ir::lower::readable_variable(of) == name
            });
        match known {
            Some((_, ty)) => ty.clone(),
            None => DataType::Array(Arc::new(DataType::Bits(4)), bytes / 4),
        }
    }
}
