//! Writes a module as PTX: its heading, its variables, and its functions.

mod body;
mod coalesce;
mod machine;
mod positions;
mod select;

use crate::CompileError;
use crate::analysis::{ControlFlow, use_counts, used_functions};
use crate::ir::*;
use lanework_ptx as ptx;
use machine::ModuleNames;
use positions::FunctionNames;
use select::{return_variable, value_variable};
use std::collections::BTreeSet;

/// The PTX of a module. Switches and memory copies must have been lowered.
pub(crate) fn emit(module: &SsaModule) -> Result<ptx::Module, CompileError> {
    let (mut items, mut names) = (Vec::new(), FunctionNames::default());
    for global in sorted(module) {
        items.push(ptx::Item::Variable(variable(module, global)));
    }
    // Declare device functions first, so that bodies may come in any order.
    let used = used_functions(module);
    for (function, is_used) in module.functions.iter().zip(&used) {
        if function.linkage != FunctionLinkage::Kernel && *is_used {
            items.push(ptx::Item::Function(header(module, function)));
        }
    }
    for (function, is_used) in module.functions.iter().zip(&used) {
        if !function.blocks.is_empty() && *is_used {
            items.push(ptx::Item::Function(define(module, function, &mut names)?));
        }
    }
    items.extend(names.section().map(ptx::Item::Directive));
    Ok(ptx::Module {
        version: module.version,
        target: module.target.clone(),
        files: module.files.clone(),
        items,
    })
}

/// A function without its body.
fn header(module: &SsaModule, function: &SsaFunction) -> ptx::Function {
    let is_kernel = function.linkage == FunctionLinkage::Kernel;
    let names = ModuleNames { module, function: &function.name, is_kernel };
    let parameter = |(index, parameter): (usize, &FunctionParameter)| {
        let name = names.parameter(index);
        match parameter.kind {
            ParameterKind::Scalar(ty) if is_kernel => {
                let scalar = match ty {
                    ValueType::I1 | ValueType::I8 => ptx::ScalarType::U8,
                    ValueType::I16 => ptx::ScalarType::U16,
                    ValueType::F16 | ValueType::BF16 => ptx::ScalarType::B16,
                    ValueType::F32 => ptx::ScalarType::F32,
                    ValueType::F64 => ptx::ScalarType::F64,
                    _ if ty.bytes() == 4 => ptx::ScalarType::U32,
                    _ => ptx::ScalarType::U64,
                };
                ptx::Variable::new(ptx::StateSpace::Param, scalar, name)
            }
            ParameterKind::Scalar(ty) => value_variable(ty, name),
            ParameterKind::Aggregate { size, align } => {
                let mut variable =
                    ptx::Variable::new(ptx::StateSpace::Param, ptx::ScalarType::B8, name);
                variable.align = Some(align);
                variable.dims = vec![Some(size)];
                variable
            }
        }
    };
    let mut directives = Vec::new();
    if let Some(threads) = function.bounds.max_threads {
        directives.push(ptx::FunctionDirective::MaxBlock(threads));
    }
    if let Some(blocks) = function.bounds.min_blocks {
        directives.push(ptx::FunctionDirective::MinBlocksPerSm(blocks));
    }
    if let Some(registers) = function.bounds.max_registers {
        directives.push(ptx::FunctionDirective::MaxRegisters(registers));
    }
    if let Some(cluster) = function.bounds.cluster {
        directives.push(ptx::FunctionDirective::Other("explicitcluster".to_owned()));
        directives.push(ptx::FunctionDirective::RequiredCluster(cluster));
    }
    ptx::Function {
        linkage: match function.linkage {
            FunctionLinkage::Kernel => ptx::Linkage::Visible,
            FunctionLinkage::Device => ptx::Linkage::Internal,
            FunctionLinkage::Declaration => ptx::Linkage::Extern,
        },
        entry: is_kernel,
        name: function.name.clone(),
        returns: return_variable(&function.returns, names.returned()).into_iter().collect(),
        params: function.parameters.iter().enumerate().map(parameter).collect(),
        directives,
        body: None,
    }
}

/// A function with its body.
fn define(
    module: &SsaModule,
    function: &SsaFunction,
    inlined: &mut FunctionNames,
) -> Result<ptx::Function, CompileError> {
    let is_kernel = function.linkage == FunctionLinkage::Kernel;
    let names = ModuleNames { module, function: &function.name, is_kernel };
    let mut machine = select::select(function, &names)?;
    coalesce::coalesce(&mut machine);
    coalesce::skip_empty_blocks(&mut machine);
    let mut statements = body::statements(&machine, inlined)?;
    statements.splice(0..0, slot_variables(function));
    Ok(ptx::Function { body: Some(statements), ..header(module, function) })
}

/// The variables of a function's stack slots. A slot of size 0 has one only if its address is still used.
fn slot_variables(function: &SsaFunction) -> Vec<ptx::Statement> {
    let uses = use_counts(function, &ControlFlow::new(function));
    let mut addressed = vec![false; function.slots.len()];
    for (index, count) in uses.iter().enumerate() {
        if let ValueDefinition::Slot(slot) = function.definition(ValueId(index as u32)) {
            addressed[slot.index()] |= *count > 0;
        }
    }
    let slots = function.slots.iter().enumerate();
    let kept = slots.filter(|(number, slot)| slot.size > 0 || addressed[*number]);
    let declare = |(number, slot): (usize, &StackSlotData)| {
        let name = function.slot_variable(SlotId(number as u32));
        let mut variable = ptx::Variable::new(ptx::StateSpace::Local, ptx::ScalarType::B8, name);
        variable.align = Some(slot.align.max(1));
        variable.dims = vec![Some(slot.size.max(1))];
        ptx::Statement::Variable(variable)
    };
    kept.map(declare).collect()
}

/// Variables in an order in which, as far as possible, initial values refer only to earlier variables.
fn sorted(module: &SsaModule) -> Vec<GlobalId> {
    let mut done = BTreeSet::new();
    let mut order = Vec::new();
    for index in 0..module.globals.len() as u32 {
        let mut stack = vec![(GlobalId(index), false)];
        while let Some((global, visited)) = stack.pop() {
            if visited {
                order.push(global);
                continue;
            }
            if !done.insert(global) {
                continue;
            }
            stack.push((global, true));
            let initial = module.globals[global.index()].initial.iter();
            for relocation in initial.flat_map(|initial| &initial.relocations) {
                if let RelocationTarget::Global(other) = relocation.target {
                    stack.push((other, false));
                }
            }
        }
    }
    order
}

/// A variable with its initial value.
fn variable(module: &SsaModule, id: GlobalId) -> ptx::Variable {
    let global = &module.globals[id.index()];
    let space = match global.space {
        AddressSpace::Shared => ptx::StateSpace::Shared,
        AddressSpace::Constant => ptx::StateSpace::Const,
        _ => ptx::StateSpace::Global,
    };
    let mut variable = ptx::Variable::new(space, ptx::ScalarType::B8, global.name.clone());
    variable.align = Some(global.align);
    variable.linkage = match global.linkage {
        GlobalLinkage::Internal => ptx::Linkage::Internal,
        GlobalLinkage::Visible => ptx::Linkage::Visible,
        GlobalLinkage::External => ptx::Linkage::Extern,
    };
    if global.managed {
        variable.attributes.push(".attribute(.managed)".to_owned());
    }
    variable.dims = vec![(global.size > 0).then_some(global.size)];
    let Some(initial) = &global.initial else { return variable };
    if initial.relocations.is_empty() {
        let end = initial.bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        if end > 0 {
            let bytes = initial.bytes[..end].iter().map(|byte| integer(u64::from(*byte)));
            variable.init = Some(ptx::Initializer::List(bytes.collect()));
        }
        return variable;
    }
    // Addresses need 8-byte elements.
    variable.ty = ptx::ScalarType::U64;
    variable.align = Some(global.align.max(8));
    let words = global.size.div_ceil(8);
    variable.dims = vec![Some(words)];
    let word = |index: u64| {
        let offset = index * 8;
        let relocation = initial.relocations.iter().find(|relocation| relocation.offset == offset);
        match relocation {
            Some(relocation) => {
                let (name, generic) = match relocation.target {
                    RelocationTarget::Global(id) => (&module.globals[id.index()].name, true),
                    RelocationTarget::Function(id) => (&module.functions[id.index()].name, false),
                };
                let (name, offset) = (name.clone(), relocation.addend);
                ptx::Initializer::Address { name, offset, generic }
            }
            None => {
                let bytes = (0..8)
                    .map(|byte| initial.bytes.get((offset + byte) as usize).copied().unwrap_or(0));
                integer(bytes.rev().fold(0, |word, byte| word << 8 | u64::from(byte)))
            }
        }
    };
    variable.init = Some(ptx::Initializer::List((0..words).map(word).collect()));
    variable
}

fn integer(value: u64) -> ptx::Initializer {
    ptx::Initializer::Value(ptx::Immediate::Integer(value.into()))
}
