//! Lowers the module: functions, variables and files.

use super::names::DebugNames;
use super::{FunctionLowering, LocalPlace, scalar_type};
use crate::analyze::Analyzer;
use crate::source::{SourceProblem, Span};
use crate::typed::*;
use crate::types::{TypeId, TypeKind};
use lanework_ssa as ssa;
use ssa::{AddressSpace, FunctionId, FunctionLinkage, GlobalId, ParameterKind, ValueType};
use std::collections::{HashMap, HashSet, VecDeque};

/// The module that is being lowered.
pub(super) struct ModuleLowering<'a> {
    pub analyzer: &'a mut Analyzer,
    pub module: ssa::SsaModule,
    functions: HashMap<FunctionNumber, FunctionId>,
    pub(super) variables: HashMap<VariableNumber, GlobalId>,
    declared: HashMap<String, FunctionId>,
    files: HashMap<String, u32>,
    queue: VecDeque<FunctionNumber>,
    mode: LoweringMode,
    /// For debugging: the names of variables.
    pub names: DebugNames,
    /// Functions that may throw.
    pub throwing: HashSet<FunctionNumber>,
}

/// Options of lowering.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoweringMode {
    /// Whether functions may be defined in another file.
    pub part: bool,
    /// Whether named variables stay in memory, for a debugger.
    pub debug: bool,
}

/// Lowers every kernel, and everything that kernels use. The names of variables are those for a debugger.
pub fn lower(
    analyzer: &mut Analyzer,
    module: ssa::SsaModule,
    mode: LoweringMode,
) -> (ssa::SsaModule, DebugNames) {
    let throwing = analyzer.throwing_functions();
    let mut lowering = ModuleLowering {
        throwing,
        analyzer,
        module,
        functions: HashMap::new(),
        variables: HashMap::new(),
        declared: HashMap::new(),
        files: HashMap::new(),
        queue: VecDeque::new(),
        mode,
        names: DebugNames::default(),
    };
    for at in 0..lowering.analyzer.functions.len() {
        let function = &lowering.analyzer.functions[at];
        if lowering.analyzer.host {
            let name = lowering.analyzer.text(function.name);
            if function.body.is_some()
                && function.record.is_none()
                && matches!(name, "main" | "__lw_finish")
            {
                lowering.function(FunctionNumber(at as u32));
            }
        } else if function.syntax.specifiers.global && function.body.is_some() {
            lowering.function(FunctionNumber(at as u32));
        }
    }
    while let Some(next) = lowering.queue.pop_front() {
        lowering.define(next);
        if lowering.analyzer.parser.problems.full() {
            break;
        }
    }
    if lowering.analyzer.host {
        return (lowering.module, lowering.names);
    }
    // The host may look up device variables that no kernel uses.
    for at in 0..lowering.analyzer.variables.len() {
        let variable = &lowering.analyzer.variables[at];
        let on_device = matches!(variable.space, VariableSpace::Device | VariableSpace::Constant);
        let builtin = lowering.analyzer.parser.map.is_builtin(variable.span);
        if variable.visible && on_device && !variable.is_extern && !builtin {
            lowering.variable(VariableNumber(at as u32), Span::default());
        }
    }
    if mode.debug {
        lowering.name_arrays();
    }
    (lowering.module, lowering.names)
}

impl ModuleLowering<'_> {
    /// The options of lowering.
    pub(super) fn mode(&self) -> LoweringMode {
        self.mode
    }

    /// The SSA position of a span; spans in headers map to the user's files.
    pub fn position(&mut self, span: Span) -> ssa::SourcePosition {
        let map = &self.analyzer.parser.map;
        let mut span = map.written(span);
        while let Some(used) = map.expansions.get((span.expansion as usize).wrapping_sub(1)) {
            span = used.call;
        }
        if map.is_builtin(span) {
            return ssa::SourcePosition::default();
        }
        let Some(at) = map.location(span) else { return ssa::SourcePosition::default() };
        let (line, column) = (at.line as u32, at.column as u32);
        let file = match self.files.get(at.file) {
            Some(&file) => file,
            None => {
                let file = self.module.add_file(at.file);
                self.files.insert(at.file.to_owned(), file);
                file
            }
        };
        ssa::SourcePosition { file, line, column, inlined: 0 }
    }

    /// The SSA number of a function. Its body is lowered later.
    pub fn function(&mut self, number: FunctionNumber) -> FunctionId {
        let number = self.analyzer.linked(number);
        if let Some(&known) = self.functions.get(&number) {
            return known;
        }
        let shape = self.shape(number);
        let id = self.module.add_function(shape);
        self.functions.insert(number, id);
        self.queue.push_back(number);
        id
    }

    /// The declaration of a function of the device runtime: `vprintf`, `malloc`.
    pub fn declared(
        &mut self,
        name: &str,
        parameters: &[ValueType],
        returns: &[ValueType],
    ) -> FunctionId {
        if let Some(&known) = self.declared.get(name) {
            return known;
        }
        let mut function = ssa::SsaFunction::new(name, FunctionLinkage::Declaration);
        function.parameters =
            parameters.iter().map(|&ty| ssa::FunctionParameter::scalar(ty)).collect();
        function.returns = returns.to_vec();
        let id = self.module.add_function(function);
        self.declared.insert(name.to_owned(), id);
        id
    }

    /// Lowers a function's name, parameters and results.
    fn shape(&mut self, number: FunctionNumber) -> ssa::SsaFunction {
        let record = self.analyzer.functions[number.0 as usize].clone();
        let symbol = self.analyzer.symbol(number);
        let flags = record.syntax.specifiers.clone();
        let is_kernel = flags.global && !self.analyzer.host;
        let linkage = match (&record.body, flags.global) {
            (None, true) if self.analyzer.host => FunctionLinkage::Device,
            (None, _) => FunctionLinkage::Declaration,
            (Some(_), true) => FunctionLinkage::Kernel,
            (Some(_), false) => FunctionLinkage::Device,
        };
        let keeps_calls = self.analyzer.host && is_of_runtime(&symbol);
        let mut function = ssa::SsaFunction::new(symbol, linkage);
        if flags.no_inline || keeps_calls {
            function.inlining = ssa::Inlining::Never;
        }
        let Some(signature) = self.analyzer.signature(number) else { return function };
        let types = &self.analyzer.types;
        if types.is_aggregate(signature.result) {
            function.parameters.push(ssa::FunctionParameter::scalar(ValueType::POINTER));
        } else if types.bare_kind(signature.result) != Some(crate::syntax::BuiltinType::Void) {
            function.returns.push(scalar_type(types, signature.result));
        }
        if record.record.is_some() && !record.is_static {
            function.parameters.push(ssa::FunctionParameter::scalar(ValueType::POINTER));
        }
        for parameter in &signature.parameters {
            let kind = if types.is_aggregate(parameter.ty) && is_kernel {
                let (size, align) = (types.size(parameter.ty), types.align(parameter.ty) as u32);
                ParameterKind::Aggregate { size, align }
            } else if types.is_aggregate(parameter.ty) {
                ParameterKind::Scalar(ValueType::POINTER)
            } else {
                ParameterKind::Scalar(scalar_type(types, parameter.ty))
            };
            function.parameters.push(ssa::FunctionParameter { kind, restrict: parameter.restrict });
        }
        if signature.variadic {
            function.parameters.push(ssa::FunctionParameter::scalar(ValueType::POINTER));
        }
        if flags.global {
            function.bounds = self.bounds(number, &record);
        }
        function
    }

    fn bounds(
        &mut self,
        number: FunctionNumber,
        record: &crate::analyze::FunctionRecord,
    ) -> ssa::LaunchBounds {
        let flags = record.syntax.specifiers.clone();
        let mut bounds = ssa::LaunchBounds::default();
        let values: Vec<Option<u64>> = flags
            .launch_bounds
            .iter()
            .map(|value| self.analyzer.constant_in(number, value))
            .collect();
        for (value, written) in values.iter().zip(&flags.launch_bounds) {
            if value.is_none() {
                let problem = SourceProblem::error(
                    written.span,
                    "the arguments of `__launch_bounds__` must be constants",
                );
                self.analyzer.parser.problems.push(problem);
            }
        }
        let value = |at: usize| {
            values.get(at).copied().flatten().filter(|&value| value > 0).map(|value| value as u32)
        };
        bounds.max_threads = value(0).map(|threads| [threads, 1, 1]);
        bounds.min_blocks = value(1);
        let cluster: Vec<u32> = flags
            .cluster
            .iter()
            .filter_map(|value| self.analyzer.constant_in(number, value).map(|value| value as u32))
            .collect();
        if !cluster.is_empty() {
            let at = |index: usize| cluster.get(index).copied().unwrap_or(1);
            bounds.cluster = Some([at(0), at(1), at(2)]);
        }
        bounds
    }

    fn define(&mut self, number: FunctionNumber) {
        let record = self.analyzer.functions[number.0 as usize].clone();
        let Some(body) = record.body.clone() else {
            let builtin = self.analyzer.parser.map.is_builtin(record.syntax.span);
            if record.syntax.specifiers.global && self.analyzer.host {
                self.define_stub(number);
            } else if !builtin && !self.mode.part && !self.analyzer.parser.problems.failed() {
                let message = format!("function `{}` is used but not defined", record.display);
                let problem = SourceProblem::error(record.syntax.span, message);
                self.analyzer
                    .parser
                    .problems
                    .push(problem.help("define it, or link the file that defines it"));
            }
            return;
        };
        let Some(&id) = self.functions.get(&number) else { return };
        let shape = self.module.functions[id.index()].clone();
        let Some(signature) = self.analyzer.signature(number) else { return };
        let shape_parameters = shape.parameters.len();
        let is_kernel = record.syntax.specifiers.global;
        let locals = vec![None; body.locals.len()];
        let mut lowering = FunctionLowering {
            module: self,
            b: ssa::FunctionBuilder::new(shape),
            body: body.clone(),
            locals,
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            labels: HashMap::new(),
            target: None,
            result: signature.result,
            named_result: None,
            is_kernel,
            variable_arguments: None,
            due: Vec::new(),
            open: Vec::new(),
            depth: 0,
            leave: None,
            named: Vec::new(),
            block_ends: Vec::new(),
        };
        lowering.at(record.syntax.span);
        lowering.parameters();
        if lowering.target.is_some() {
            lowering.named_result = lowering.find_named_result();
        }
        if signature.variadic {
            let last = shape_parameters - 1;
            lowering.variable_arguments = Some(lowering.b.parameter(last));
        }
        if lowering.module.analyzer.host && lowering.module.analyzer.text(record.name) == "main" {
            let start = lowering.module.analyzer.at_start.clone();
            lowering.statements(&start);
        }
        lowering.statements(&body.statements);
        if !lowering.b.is_terminated() {
            lowering.return_default();
        }
        lowering.end_guards(usize::MAX);
        lowering.leave_by_exception();
        let named = std::mem::take(&mut lowering.named);
        let made = lowering.b.finish();
        if self.mode.debug {
            self.name_locals((&record, &body), named, &made);
        }
        self.module.define_function(id, made);
    }

    /// Defines what host code calls if it calls a kernel through a pointer, without `<<<>>>`. The call does nothing, as in a
    /// program that nvcc compiled: there, the function looks for a launch configuration and finds none.
    fn define_stub(&mut self, number: FunctionNumber) {
        let Some(&id) = self.functions.get(&number) else { return };
        let mut b = ssa::FunctionBuilder::new(self.module.functions[id.index()].clone());
        b.return_values(&[]);
        self.module.define_function(id, b.finish());
    }

    /// The SSA number of a variable.
    pub fn variable(&mut self, number: VariableNumber, span: Span) -> (GlobalId, AddressSpace) {
        let found = self.analyzer.variables[number.0 as usize].clone();
        let space = match found.space {
            VariableSpace::Shared => AddressSpace::Shared,
            VariableSpace::Constant => AddressSpace::Constant,
            _ => AddressSpace::Global,
        };
        if let Some(&known) = self.variables.get(&number) {
            return (known, space);
        }
        let builtin = self.analyzer.parser.map.is_builtin(found.span);
        let lacks = found.space == VariableSpace::Host && found.bytes.is_none();
        if lacks && !builtin && !self.analyzer.host {
            let message = format!("host variable `{}` cannot be used in device code", found.name);
            let problem = SourceProblem::error(span, message).note(found.span, "declared here");
            let problem = problem
                .help("add `__device__` or `__constant__`, make it `constexpr`, or pass its value");
            self.analyzer.parser.problems.push(problem);
        }
        let size = self.analyzer.types.size(found.ty);
        let align = self.analyzer.types.align(found.ty).max(found.align).max(1);
        let dynamic = matches!(self.analyzer.types.kind(found.ty), TypeKind::Array(_, None));
        let linkage = if found.is_extern {
            ssa::GlobalLinkage::External
        } else if found.visible && found.space != VariableSpace::Host {
            ssa::GlobalLinkage::Visible
        } else {
            ssa::GlobalLinkage::Internal
        };
        // All dynamic shared memory starts at the same address.
        let align = if dynamic && space == AddressSpace::Shared { align.max(16) } else { align };
        let global = ssa::GlobalVariable {
            name: found.symbol.clone(),
            space,
            size: if dynamic { 0 } else { size },
            align: align as u32,
            linkage,
            initial: None,
            managed: found.managed,
        };
        let id = self.module.add_global(global);
        self.variables.insert(number, id);
        if let Some(bytes) = &found.bytes {
            let mut relocations = Vec::new();
            for &(offset, target, addend) in &bytes.addresses {
                let target = match target {
                    AddressTarget::Variable(variable) => {
                        ssa::RelocationTarget::Global(self.variable(variable, span).0)
                    }
                    AddressTarget::Function(function) => {
                        ssa::RelocationTarget::Function(self.function(function))
                    }
                };
                relocations.push(ssa::Relocation { offset, target, addend });
            }
            let zero = bytes.bytes.iter().all(|&byte| byte == 0) && relocations.is_empty();
            if !zero {
                let initial = ssa::InitialBytes { bytes: bytes.bytes.clone(), relocations };
                self.module.globals[id.index()].initial = Some(initial);
            }
        }
        (id, space)
    }
}

impl FunctionLowering<'_, '_> {
    /// Binds the parameters to local variables.
    fn parameters(&mut self) {
        let mut at = 0;
        if self.is_aggregate(self.result) {
            self.target = Some(self.b.parameter(0));
            at = 1;
        }
        for &local in &self.body.clone().parameters {
            let variable = self.body.locals[local.0 as usize].clone();
            let value = self.b.parameter(at);
            at += 1;
            let place = if self.is_aggregate(variable.ty) {
                if self.is_kernel {
                    // The parameter itself is read-only, so copy it. The optimizer removes the copy if possible.
                    let (number, slot) = self.numbered_slot(variable.ty, variable.align);
                    self.name_slot(number, &variable);
                    let (size, align) =
                        (self.types().size(variable.ty), self.types().align(variable.ty));
                    self.b.copy_memory(slot, value, size, align as u32);
                    LocalPlace::Memory(slot)
                } else {
                    LocalPlace::Memory(value)
                }
            } else {
                let place = self.local_place(local);
                match place {
                    LocalPlace::Variable(variable) => self.b.define_variable(variable, value),
                    LocalPlace::Memory(address) => self.store(address, variable.ty, value),
                }
                place
            };
            self.locals[local.0 as usize] = Some(place);
        }
    }

    /// Where a local variable is stored; allocated on first use.
    pub(super) fn local_place(&mut self, local: LocalNumber) -> LocalPlace {
        if let Some(known) = self.locals[local.0 as usize] {
            return known;
        }
        if self.named_result == Some(local)
            && let Some(target) = self.target
        {
            let place = LocalPlace::Memory(target);
            self.locals[local.0 as usize] = Some(place);
            return place;
        }
        let variable = self.body.locals[local.0 as usize].clone();
        let volatile = self.types().is_volatile(variable.ty);
        let debugged = self.module.debugs(&variable);
        let place = if self.is_aggregate(variable.ty) || variable.addressed || volatile || debugged
        {
            let (number, address) = self.numbered_slot(variable.ty, variable.align);
            self.name_slot(number, &variable);
            LocalPlace::Memory(address)
        } else {
            let ty = self.scalar_type(variable.ty);
            LocalPlace::Variable(self.b.declare_variable(ty))
        };
        self.locals[local.0 as usize] = Some(place);
        place
    }

    /// Returns from a function at the end of its body.
    pub(super) fn return_default(&mut self) {
        let aggregate = self.is_aggregate(self.result);
        if aggregate
            || self.types().bare_kind(self.result) == Some(crate::syntax::BuiltinType::Void)
        {
            self.b.return_values(&[]);
            return;
        }
        let ty = self.scalar_type(self.result);
        let value = if self.module.analyzer.host {
            // `main` returns 0 at its end.
            self.b.constant(ty, 0)
        } else {
            self.b.undefined(ty)
        };
        self.b.return_values(&[value]);
    }

    pub(super) fn variable_address(&mut self, number: VariableNumber, span: Span) -> ssa::ValueId {
        let (id, space) = self.module.variable(number, span);
        let address = self.b.global_address(id, space);
        self.b.generic(address)
    }

    pub(super) fn void(&self, ty: TypeId) -> bool {
        self.types().bare_kind(ty) == Some(crate::syntax::BuiltinType::Void)
    }
}

/// Whether a function belongs to CUDA's runtime. Messages name such calls of host code, so that they are not inlined.
fn is_of_runtime(symbol: &str) -> bool {
    let name = symbol.strip_prefix("_Z").unwrap_or(symbol);
    let name = name.trim_start_matches(|c: char| c.is_ascii_digit());
    name.starts_with("cuda") || name.starts_with("__lw_launch")
}
