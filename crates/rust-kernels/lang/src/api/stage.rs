//! Stages a kernel's body as a module: parameters, launch bounds (the arguments of `#[kernel(...)]` as PTX directives), register
//! declarations and final optimization.
//!
//! Before the kernel's first statement, thread 0 of the block initializes all mbarriers, and all threads of the block (of the
//! cluster, if the kernel has one) wait for it. So no barrier can be used too early. After the last statement, the registers that
//! warp roles request are checked, because that needs the whole kernel.

use crate::data::bounds_check::FAULT_PARAMETER;
use crate::data::leaves::{Data, Handle, leaves};
use crate::data::names;
use crate::data::operations::{handle, stored_type};
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::builder::Builder;
use crate::emit::current::{Abandon, install, with};
use crate::emit::frames::Line;
use crate::emit::optimize::optimize;
use crate::emit::value::{Class, Value, identifier, memory_type};
use crate::memory::slice::{Slice, SliceMut};
use crate::scalar::compare::{Relation, relate};
use crate::scalar::number::Extent;
use lanework_abi::{Parameter, ParameterKind, StageError, StageOptions, Staged, Storable};
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
    let mut builder = Box::new(Builder::new(options));
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
) -> crate::data::handles::Memory {
    let element = match leaves::<T>().as_slice() {
        [leaf] => leaf.ty,
        _ => ScalarType::B8,
    };
    names::record("parameter", name, &format!("*{}", T::described()));
    names::record("parameter", &format!("{name}.len()"), "u64");
    with(|b| {
        let kind = ParameterKind::Slice { element, mutable };
        b.parameters.push(Parameter { name: name.to_owned(), kind });
        let address = b.parameter(&format!("{name}_address"), ScalarType::U64);
        let length = b.parameter(&format!("{name}_length"), ScalarType::U64);
        let base = b.register(ScalarType::U64, false);
        let generic = b.operand(address, ScalarType::U64);
        b.at_top("cvta.to.global.u64", base, vec![Operand::Name(base.name()), generic]);
        crate::data::handles::Memory {
            base: Value::Register(base),
            length,
            name,
            space: crate::data::place::Space::Global,
        }
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
    b.store_named_variables();
    crate::memory::local::spill(b);
    let body = std::mem::take(&mut b.lines);
    let setup = setup_barriers(b);
    check_registers(b);
    let mut lines = std::mem::take(&mut b.prologue);
    lines.extend(setup);
    lines.extend(body);
    // Each line of a kernel for the debugger keeps its instructions.
    if b.named.is_none() {
        optimize(&mut lines);
    }
    let names = b.named_records();

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
        items.push(Item::Function(crate::flow::print::vprintf_declaration()));
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
        names,
    }
}

/// Declares the parameter `name: T`: a scalar, or a value passed as its bytes.
pub fn value_parameter<T: Data>(name: &'static str) -> Handle<T> {
    let leaves = leaves::<T>();
    let (size, align) = (T::size(), align_of::<T>() as u32);
    names::record("parameter", name, &T::described());
    let values = with(|b| -> Vec<Value> {
        if let [leaf] = leaves.as_slice()
            && size == u64::from(stored_type(leaf.ty).size())
        {
            let kind = ParameterKind::Scalar(stored_type_of_parameter(leaf.ty));
            b.parameters.push(Parameter { name: name.to_owned(), kind });
            let value = b.parameter(name, stored_type_of_parameter(leaf.ty));
            return vec![b.at_top_unstored(value, leaf.ty)];
        }
        let kind = ParameterKind::Bytes { size, align };
        b.parameters.push(Parameter { name: name.to_owned(), kind });
        let name = b.unique(&identifier(name));
        b.entry_parameters.push(Variable {
            align: Some(align),
            dims: vec![Some(size)],
            ..Variable::new(StateSpace::Param, ScalarType::B8, &name)
        });
        leaves
            .iter()
            .map(|leaf| {
                let ty = stored_type_of_parameter(leaf.ty);
                let register = b.register(ty, false);
                let address = Operand::address(name.clone(), leaf.offset as i64);
                let operands = vec![Operand::Name(register.name()), address];
                b.at_top(&format!("ld.param.{}", memory_type(ty).name()), register, operands);
                b.at_top_unstored(Value::Register(register), leaf.ty)
            })
            .collect()
    });
    handle::<T>(values)
}

/// A value's bytes in a parameter. Padding is zero.
pub fn bytes<T: Data>(value: T) -> Vec<u8> {
    let mut bits = Vec::new();
    value.bits(&mut bits);
    let mut out = vec![0; T::size() as usize];
    for (leaf, bits) in leaves::<T>().into_iter().zip(bits) {
        let size = stored_type(leaf.ty).size() as usize;
        let at = leaf.offset as usize;
        if let Some(place) = out.get_mut(at..at + size) {
            place.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }
    out
}

/// The type of a leaf in a parameter: a `bool` is a byte.
fn stored_type_of_parameter(ty: ScalarType) -> ScalarType {
    if ty == ScalarType::Pred { ScalarType::U8 } else { ty }
}

impl Builder {
    /// Converts a leaf that the kernel's prologue loaded from a parameter.
    fn at_top_unstored(&mut self, loaded: Value, ty: ScalarType) -> Value {
        if ty != ScalarType::Pred {
            return loaded;
        }
        let flag = self.register(ScalarType::Pred, false);
        let byte = self.operand(loaded, ScalarType::U32);
        let operands = vec![Operand::Name(flag.name()), byte, Operand::integer(0)];
        self.at_top("setp.ne.u32", flag, operands);
        Value::Register(flag)
    }
}

/// A shape of one to three host integers, x first; missing extents are 1.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the shape of a block",
    note = "write `256`, `(32, 8)` or `(8, 8, 4)`"
)]
pub trait IntoExtents {
    /// x, y and z; an extent out of range becomes 0, which the launch rejects.
    fn extents(self) -> [u32; 3];
}

fn extent(value: impl Extent) -> u32 {
    value.extent().and_then(|v| u32::try_from(v).ok()).unwrap_or(0)
}

impl<X: Extent> IntoExtents for X {
    fn extents(self) -> [u32; 3] {
        [extent(self), 1, 1]
    }
}

impl<X: Extent, Y: Extent> IntoExtents for (X, Y) {
    fn extents(self) -> [u32; 3] {
        [extent(self.0), extent(self.1), 1]
    }
}

impl<X: Extent, Y: Extent, Z: Extent> IntoExtents for (X, Y, Z) {
    fn extents(self) -> [u32; 3] {
        [extent(self.0), extent(self.1), extent(self.2)]
    }
}

/// `block = ...`: the required block shape.
pub fn block_directive(block: impl IntoExtents) -> FunctionDirective {
    FunctionDirective::RequiredBlock(block.extents())
}

/// `max_threads = ...`: maximum threads per block.
pub fn max_threads_directive(threads: impl Extent) -> FunctionDirective {
    FunctionDirective::MaxBlock([extent(threads), 1, 1])
}

/// `min_blocks = ...`: minimum resident blocks per multiprocessor.
pub fn min_blocks_directive(blocks: impl Extent) -> FunctionDirective {
    FunctionDirective::MinBlocksPerSm(extent(blocks))
}

/// `max_registers = ...`: maximum registers per thread.
pub fn max_registers_directive(registers: impl Extent) -> FunctionDirective {
    FunctionDirective::MaxRegisters(extent(registers))
}

/// `cluster = ...`: the shape of a cluster of blocks.
pub fn cluster_directive(cluster: impl IntoExtents) -> FunctionDirective {
    FunctionDirective::RequiredCluster(cluster.extents())
}

/// Maximum number of barriers that a kernel can initialize.
const MOST: u32 = 128;

/// The instructions that initialize all barriers. Empty if the kernel has none.
pub(crate) fn setup_barriers(b: &mut Builder) -> Vec<Line> {
    let barriers = std::mem::take(&mut b.barriers);
    if barriers.is_empty() {
        return Vec::new();
    }
    b.dead = false;
    let word = ScalarType::U32;
    let linear = match b.block {
        Some([_, 1, 1]) => Value::Special("%tid.x"),
        _ => {
            let rows =
                binary(b, Operation::Or, word, Value::Special("%tid.y"), Value::Special("%tid.z"));
            binary(b, Operation::Or, word, Value::Special("%tid.x"), rows)
        }
    };
    let other = relate(b, Relation::Ne, word, linear, Value::Constant(0));
    let ready = b.label("barriers_ready");
    if let Value::Register(predicate) = other {
        b.jump_if(predicate, false, &ready);
    }
    let total: u32 = barriers.iter().map(|barrier| barrier.number).sum();
    if total > MOST {
        b.error(
            format!("the kernel has {total} mbarriers, more than {MOST}"),
            "share barriers between stages, or use fewer stages",
        );
    }
    for barrier in barriers {
        b.set_location(barrier.position);
        let name = b.symbols[barrier.symbol].clone();
        for i in 0..barrier.number.min(MOST) {
            let place = Operand::address(name.clone(), 8 * i64::from(i));
            let arrivals = b.operand(barrier.arrivals, word);
            b.emit("mbarrier.init.shared::cta.b64", vec![place, arrivals]);
        }
    }
    b.emit("fence.mbarrier_init.release.cluster", vec![]);
    b.place(&ready);
    if b.cluster.is_some() {
        b.emit("barrier.cluster.arrive.release.aligned", vec![]);
        b.emit("barrier.cluster.wait.acquire.aligned", vec![]);
    } else {
        b.emit("bar.sync", vec![Operand::integer(0)]);
    }
    b.dead = true;
    std::mem::take(&mut b.lines)
}

/// Reports roles that together request more registers than the block is launched with: their threads would wait
/// forever.
pub(crate) fn check_registers(b: &mut Builder) {
    let (Some(have), Some(last)) = (b.max_registers, b.moved_registers.last().cloned()) else {
        return;
    };
    let mut roles: Vec<(u32, u32, u32)> = Vec::new();
    for moved in &b.moved_registers {
        roles.retain(|(first, ..)| *first != moved.first);
        roles.push((moved.first, moved.warps, moved.count));
    }
    let beyond = roles.iter().map(|(first, warps, _)| first + warps).max().unwrap_or_default();
    let warps = b.block.map_or(beyond, |block| block.iter().product::<u32>().div_ceil(32));
    let moved: u32 = roles.iter().map(|(_, warps, _)| warps).sum();
    let wanted: u32 = roles.iter().map(|(_, warps, count)| warps * count).sum();
    let wanted = wanted + warps.saturating_sub(moved) * have;
    if wanted > warps * have {
        let (file, line, column) = last.source;
        let message = format!(
            "the roles need {wanted} registers per lane in total, but the block's {warps} warps have {}",
            warps * have
        );
        let help = "take fewer, let other roles give more, or raise `max_registers`".to_owned();
        b.errors.push(StageError { message, help, file, line, column });
    }
}
