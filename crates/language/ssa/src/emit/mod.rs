//! Writes a module as PTX.

mod body;
mod coalesce;
mod globals;
mod machine;
mod names;
mod select;

use crate::CompileError;
use crate::analysis::used_functions;
use crate::ir::*;
use lanework_ptx as ptx;
use names::ModuleNames;
use select::calls::{return_variable, value_variable};

/// The PTX of a module. Switches and memory copies must have been lowered.
pub(crate) fn emit(module: &SsaModule) -> Result<ptx::Module, CompileError> {
    let mut items = Vec::new();
    for global in globals::sorted(module) {
        items.push(ptx::Item::Variable(globals::variable(module, global)));
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
            items.push(ptx::Item::Function(define(module, function)?));
        }
    }
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
fn define(module: &SsaModule, function: &SsaFunction) -> Result<ptx::Function, CompileError> {
    let is_kernel = function.linkage == FunctionLinkage::Kernel;
    let names = ModuleNames { module, function: &function.name, is_kernel };
    let (mut size, mut align) = (0_u64, 1);
    let offsets: Vec<u64> = function
        .slots
        .iter()
        .map(|slot| {
            let offset = size.next_multiple_of(u64::from(slot.align.max(1)));
            size = offset + slot.size;
            align = align.max(slot.align);
            offset
        })
        .collect();
    let mut machine = select::select(function, &names, offsets)?;
    coalesce::coalesce(&mut machine);
    coalesce::skip_empty_blocks(&mut machine);
    let mut statements = body::statements(&machine)?;
    if size > 0 {
        let mut frame =
            ptx::Variable::new(ptx::StateSpace::Local, ptx::ScalarType::B8, names.frame());
        frame.align = Some(align);
        frame.dims = vec![Some(size)];
        statements.insert(0, ptx::Statement::Variable(frame));
    }
    Ok(ptx::Function { body: Some(statements), ..header(module, function) })
}
