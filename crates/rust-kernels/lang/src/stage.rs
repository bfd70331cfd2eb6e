//! From a kernel's body to a module: parameters, entry, register declarations and final
//! optimisation.

use crate::asynchrony::setup::{check_registers, setup_barriers};
use crate::builder::Builder;
use crate::current::{Abandon, install, with};
use crate::data::{Data, leaves};
use crate::frames::Line;
use crate::identifier::identifier;
use crate::memory::check::FAULT_PARAMETER;
use crate::memory::{Slice, SliceMut};
use crate::optimize::optimize;
use crate::value::{Class, Value, memory_type};
use lanework_abi::Storable;
use lanework_abi::{Parameter, ParameterKind, StageOptions, Staged};
use lanework_ptx::{
    Function, FunctionDirective, Item, Linkage, Module, Operand, Registers, ScalarType, Specific,
    StateSpace, Statement, Target, Variable, Version,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A launch directive requested by the `#[kernel(...)]` attribute.
pub type Directive = FunctionDirective;

/// Stages `body` as the entry `name`.
///
/// A panic of the body, such as a failed `assert!` on its constants, becomes a
/// [`StageError`](crate::StageError).
pub fn stage(
    options: &StageOptions,
    name: &'static str,
    directives: Vec<Directive>,
    body: impl FnOnce(),
) -> Staged {
    let mut body = Some(body);
    stage_dyn(options, name, directives, &mut || {
        if let Some(body) = body.take() {
            body();
        }
    })
}

fn stage_dyn(
    options: &StageOptions,
    name: &'static str,
    directives: Vec<Directive>,
    body: &mut dyn FnMut(),
) -> Staged {
    let mut builder = Box::new(Builder::new(options.checked));
    let entry = builder.unique(&identifier(name));
    for directive in &directives {
        match directive {
            FunctionDirective::RequiredCluster(shape) => builder.cluster = Some(*shape),
            FunctionDirective::RequiredBlock(shape) => builder.block = Some(*shape),
            FunctionDirective::MaxRegisters(count) => builder.max_registers = Some(*count),
            _ => {}
        }
    }
    let outer = install(Some(builder));
    let result = catch_unwind(AssertUnwindSafe(body));
    let mut builder = install(outer).expect("installed above");
    if let Err(payload) = result
        && !payload.is::<Abandon>()
    {
        let message = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "the kernel's body panicked".to_owned());
        builder.error(message, "the kernel rejects these generics and constants; choose others");
    }
    finish(*builder, entry, directives)
}

/// Declares the parameter `name: &[T]`.
pub fn slice_parameter<T: Storable + Data>(name: &'static str) -> Slice<T> {
    Slice::new(memory_parameter::<T>(name, false))
}

/// Declares the parameter `name: &mut [T]`.
pub fn slice_mut_parameter<T: Storable + Data>(name: &'static str) -> SliceMut<T> {
    SliceMut::new(memory_parameter::<T>(name, true))
}

fn memory_parameter<T: Storable + Data>(
    name: &'static str,
    mutable: bool,
) -> crate::memory::slice::Memory {
    let element = match leaves::<T>().as_slice() {
        [leaf] => leaf.ty,
        _ => ScalarType::B8,
    };
    with(|b| {
        let kind = ParameterKind::Slice { element, mutable };
        b.parameters.push(Parameter { name: name.to_owned(), kind });
        let address = b.parameter(&format!("{name}_address"), ScalarType::U64);
        let length = b.parameter(&format!("{name}_length"), ScalarType::U64);
        let base = b.register(ScalarType::U64, false);
        let generic = b.operand(address, ScalarType::U64);
        b.at_top("cvta.to.global.u64", base, vec![Operand::Name(base.name()), generic]);
        crate::memory::slice::Memory { base: Value::Register(base), length, name }
    })
}

impl Builder {
    /// A parameter of the entry, read at the kernel's top.
    pub(crate) fn parameter(&mut self, name: &str, ty: ScalarType) -> Value {
        let name = self.unique(&identifier(name));
        let memory = memory_type(ty);
        self.entry_parameters.push(Variable::new(StateSpace::Param, memory, &name));
        let register = self.register(ty, false);
        let operands = vec![Operand::Name(register.name()), Operand::address(name, 0)];
        self.at_top(&format!("ld.param.{}", memory.name()), register, operands);
        Value::Register(register)
    }
}

fn finish(mut builder: Builder, entry: String, directives: Vec<Directive>) -> Staged {
    let b = &mut builder;
    if !b.dead {
        b.emit("ret", vec![]);
        b.dead = true;
    }
    b.finish_checks();
    b.finish_print();
    let mut params = std::mem::take(&mut b.entry_parameters);
    if b.checked {
        params.push(Variable::new(StateSpace::Param, ScalarType::U64, FAULT_PARAMETER));
    }
    crate::memory::local::spill(b);
    let body = std::mem::take(&mut b.lines);
    let setup = setup_barriers(b);
    check_registers(b);
    let mut lines = std::mem::take(&mut b.prologue);
    lines.extend(setup);
    lines.extend(body);
    optimize(&mut lines);

    let mut body: Vec<Statement> =
        std::mem::take(&mut b.variables).into_iter().map(Statement::Variable).collect();
    for class in Class::ALL {
        if let Some(count) = b.counts.get(&class) {
            let names = vec![(class.prefix().to_owned(), Some(count + 1))];
            body.push(Statement::Registers(Registers { vector: 1, ty: class.bits_type(), names }));
        }
    }
    body.extend(lines.into_iter().map(|line| match line {
        Line::Op { instruction, .. } => Statement::Instruction(instruction),
        Line::Label(label) => Statement::Label(label),
        Line::Statement(statement) => statement,
    }));

    let mut items = Vec::new();
    if b.uses_printf {
        items.push(Item::Function(crate::print::vprintf_declaration()));
    }
    items.extend(std::mem::take(&mut b.globals).into_iter().map(Item::Variable));
    items.push(Item::Function(Function {
        linkage: Linkage::Visible,
        entry: true,
        name: entry.clone(),
        returns: Vec::new(),
        params,
        directives,
        body: Some(body),
    }));
    let mut module = Module {
        version: Version { major: 7, minor: 0 },
        target: Target { architecture: 70, specific: Specific::Portable, options: Vec::new() },
        files: builder.files,
        items,
    };
    module.set_lowest_requirements();
    Staged {
        module,
        entry,
        parameters: builder.parameters,
        sites: builder.sites,
        errors: builder.errors,
    }
}
