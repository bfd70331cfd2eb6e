//! Module variables and constants.

use super::Analyzer;
use super::functions::BodyState;
use super::functions::names_itself;
use super::scopes::Binding;
use crate::evaluate;
use crate::source::{SourceProblem, Span};
use crate::syntax::*;
use crate::typed::*;
use crate::types::{TypeId, TypeKind};
use std::rc::Rc;

impl Analyzer {
    /// The value of a scalar constant expression.
    pub(super) fn constant_value(&mut self, value: &Typed) -> Option<u64> {
        if let TypedKind::Constant(bits) = value.kind {
            return Some(self.types.normalize(value.ty, bits));
        }
        let bytes = self.constant_bytes(value, value.ty)?;
        if !bytes.addresses.is_empty() || bytes.bytes.len() > 8 {
            return None;
        }
        let mut padded = [0; 8];
        padded[..bytes.bytes.len()].copy_from_slice(&bytes.bytes);
        Some(self.types.normalize(value.ty, u64::from_le_bytes(padded)))
    }

    /// If an expression is constant: the bytes to which it initializes an object of this type.
    pub(super) fn constant_bytes(&mut self, value: &Typed, ty: TypeId) -> Option<ConstantBytes> {
        let size = self.types.size(ty);
        if size > 1 << 22 {
            return None;
        }
        evaluate::evaluate(self, value, size)
    }

    /// The bytes of a module variable, for constant evaluation.
    pub fn variable_bytes(&mut self, variable: VariableNumber) -> Option<Rc<ConstantBytes>> {
        self.variables.get(variable.0 as usize)?.bytes.clone()
    }

    /// The bytes of a constant local variable outside of the expression that is evaluated.
    pub fn local_bytes(&mut self, local: LocalNumber) -> Option<Rc<ConstantBytes>> {
        let frame = self.frame.as_ref()?.serial;
        self.constants.get(&(frame, local)).map(|known| known.bytes.clone())
    }

    /// The value of a number or an enumerator from its bytes; `None` for other types.
    pub(super) fn scalar_bits(&self, ty: TypeId, bytes: &ConstantBytes) -> Option<u64> {
        let scalar =
            self.types.is_integer(ty) || self.types.is_enumeration(ty) || self.types.is_float(ty);
        if !scalar || !bytes.addresses.is_empty() {
            return None;
        }
        let mut padded = [0; 8];
        let count = bytes.bytes.len().min(8);
        padded[..count].copy_from_slice(&bytes.bytes[..count]);
        Some(self.types.normalize(ty, u64::from_le_bytes(padded)))
    }

    /// The value of a constant scalar variable, if it is known. The value of a variable in device memory is not.
    pub(super) fn known_scalar(&self, object: &Typed) -> Option<u64> {
        match object.kind {
            TypedKind::Variable(variable) => {
                let found = &self.variables[variable.0 as usize];
                let constant = found.space == VariableSpace::Host
                    && self.types.is_const(found.ty)
                    && !self.types.is_volatile(found.ty);
                let bytes = found.bytes.as_ref().filter(|_| constant)?;
                self.scalar_bits(found.ty, bytes)
            }
            TypedKind::Local(local) => self.known_local(self.frame.as_ref()?.serial, local),
            _ => None,
        }
    }

    /// The value of a constant scalar local variable of a frame.
    pub(super) fn known_local(&self, frame: u32, local: LocalNumber) -> Option<u64> {
        let known = self.constants.get(&(frame, local))?;
        self.scalar_bits(known.ty, &known.bytes)
    }

    /// A variable at namespace scope, a static member, or a static local variable. Host code computes values that are
    /// not constant before `main`.
    pub(super) fn module_variable(
        &mut self,
        syntax: &VariableSyntax,
        member: bool,
    ) -> Option<VariableNumber> {
        let before = self.destroyed;
        let (number, value) = self.declare_module_variable(syntax, member)?;
        if let Some(value) = value {
            let value = self.full(value, before);
            self.initialize_at_start(number, value);
        }
        let variable = &self.variables[number.0 as usize];
        if variable.space == VariableSpace::Host
            && !variable.is_extern
            && !(member && only_declares(syntax))
            && let Some(end) = self.destroy_at_exit(number, syntax.span)
        {
            self.at_start.push(end);
        }
        Some(number)
    }

    /// A static local variable of host code, and its initial value if that is not constant.
    pub(super) fn static_variable(
        &mut self,
        syntax: &VariableSyntax,
    ) -> Option<(VariableNumber, Option<Typed>)> {
        self.declare_module_variable(syntax, false)
    }

    fn declare_module_variable(
        &mut self,
        syntax: &VariableSyntax,
        member: bool,
    ) -> Option<(VariableNumber, Option<Typed>)> {
        let flags = &syntax.specifiers;
        let mut ty = self.type_of(&syntax.kind);
        if ty == TypeId::ERROR {
            return None;
        }
        let space = if flags.shared {
            VariableSpace::Shared
        } else if flags.constant {
            VariableSpace::Constant
        } else if flags.device || flags.managed {
            VariableSpace::Device
        } else {
            VariableSpace::Host
        };
        let (name, span) = (syntax.name.last().name, syntax.span);
        if flags.shared && !matches!(syntax.initializer, Initializer::None) {
            let problem =
                SourceProblem::error(span, "a `__shared__` variable cannot have an initial value");
            self.report(problem.help("assign it in one thread, then call `__syncthreads()`"));
        }
        let known = match self.scopes[self.scope].names.get(&name) {
            Some(&Binding::Variable(known)) if self.frame.is_none() && !flags.shared => Some(known),
            _ => None,
        };
        let empty = matches!(syntax.initializer, Initializer::None);
        if let Some(known) = known
            && (flags.is_extern || empty && self.variables[known.0 as usize].bytes.is_some())
        {
            return None;
        }
        let early = match known {
            // An initial value may use the variable itself.
            None if names_itself(syntax) && !self.contains_auto(ty) => {
                let variable = ModuleVariable {
                    name: String::new(),
                    symbol: String::new(),
                    ty,
                    space,
                    is_extern: false,
                    visible: false,
                    managed: false,
                    align: 0,
                    bytes: None,
                    span,
                };
                self.variables.push(variable);
                let number = VariableNumber(self.variables.len() as u32 - 1);
                self.bind(name, Binding::Variable(number));
                Some(number)
            }
            known => known,
        };
        let quiet = space == VariableSpace::Host && !self.host;
        let (before, queued) = (self.destroyed, self.queue.len());
        let initial = if flags.is_extern || flags.shared || member && only_declares(syntax) {
            None
        } else if quiet {
            // Host variables are needed only if they are constant.
            self.trial(|this| this.initialize_declared(&mut ty, syntax)).flatten()
        } else {
            self.initialize_declared(&mut ty, syntax)
        };
        if ty == TypeId::AUTO || self.contains_auto(ty) {
            return None;
        }
        if space == VariableSpace::Host && flags.is_constexpr {
            ty = self.types.with(ty, true, false);
        }
        let bytes = match &initial {
            // The destructors of temporary objects may do anything.
            Some(value) if self.destroyed == before => {
                let value = value.clone();
                self.constant_bytes(&value, ty).map(Rc::new)
            }
            _ => None,
        };
        let is_constant = self.types.is_const(ty) || flags.is_constexpr;
        let bytes =
            if is_constant || self.host || space != VariableSpace::Host { bytes } else { None };
        if bytes.is_none() && initial.is_some() && space != VariableSpace::Host {
            self.error(span, "the initial value of a device variable must be a constant");
        }
        // Each side compiles none of the functions that the other side's variables refer to.
        let bytes = if self.host != (space == VariableSpace::Host) {
            self.without_functions(bytes, queued)
        } else {
            bytes
        };
        if flags.is_constexpr && bytes.is_none() && initial.is_some() && !member {
            let inside = self.frame.is_some();
            if inside {
                self.error(span, "the initial value of a `constexpr` variable must be a constant");
            }
        }
        let align = self.alignment(&flags.alignment);
        let known = bytes.is_some();
        let text = self.text(name).to_owned();
        let dynamic = flags.shared && flags.is_extern;
        let symbol = if dynamic {
            self.dynamic_symbol(&text)
        } else {
            self.variable_symbol(&text, self.frame.is_some())
        };
        let variable = ModuleVariable {
            name: text,
            symbol,
            ty,
            space,
            is_extern: flags.is_extern || dynamic,
            visible: !flags.is_static && !flags.shared && self.frame.is_none(),
            managed: flags.managed,
            align,
            bytes,
            span,
        };
        let number = match early {
            Some(number) => {
                self.variables[number.0 as usize] = variable;
                number
            }
            None => {
                self.variables.push(variable);
                VariableNumber(self.variables.len() as u32 - 1)
            }
        };
        self.bind(name, Binding::Variable(number));
        let later = self.host && space == VariableSpace::Host && !known;
        Some((number, initial.filter(|_| later)))
    }

    pub(super) fn contains_auto(&self, ty: TypeId) -> bool {
        match self.types.kind(ty) {
            TypeKind::Auto => true,
            TypeKind::Pointer(to) | TypeKind::Reference(to) | TypeKind::RvalueReference(to) => {
                self.contains_auto(*to)
            }
            TypeKind::Array(element, _) => self.contains_auto(*element),
            _ => false,
        }
    }

    /// The value of `alignas`, or 0.
    pub(super) fn alignment(&mut self, list: &[AlignmentSyntax]) -> u64 {
        let mut largest = 0;
        for item in list {
            let value = match item {
                AlignmentSyntax::Type(kind) => {
                    let ty = self.type_of(kind);
                    self.types.align(ty)
                }
                AlignmentSyntax::Types(pattern) => {
                    let types = self.expand_type(pattern, pattern.span);
                    types.iter().map(|&ty| self.types.align(ty)).max().unwrap_or(0)
                }
                AlignmentSyntax::Value(value) => {
                    let typed = self.expression(value);
                    match self.constant_value(&typed) {
                        Some(align)
                            if align == 0 || (align.is_power_of_two() && align <= 1 << 16) =>
                        {
                            align
                        }
                        _ => {
                            self.error(value.span, "an alignment must be a power of two");
                            0
                        }
                    }
                }
            };
            largest = largest.max(value);
        }
        largest
    }

    /// The variable that holds a string literal.
    pub(super) fn text_variable(
        &mut self,
        units: &[u32],
        unit: TypeId,
        span: Span,
    ) -> VariableNumber {
        let size = self.types.size(unit);
        let unit_bytes = |unit: &u32| unit.to_le_bytes().into_iter().take(size as usize);
        let bytes: Vec<u8> = units.iter().chain(&[0]).flat_map(unit_bytes).collect();
        let key = (unit, bytes.clone());
        if let Some(&known) = self.texts.get(&key) {
            return known;
        }
        let element = self.types.with(unit, true, false);
        let ty = self.types.intern(TypeKind::Array(element, Some(units.len() as u64 + 1)));
        let number = VariableNumber(self.variables.len() as u32);
        self.variables.push(ModuleVariable {
            name: "string".to_owned(),
            symbol: format!("$str{}", self.texts.len()),
            ty,
            space: VariableSpace::Device,
            is_extern: false,
            visible: false,
            managed: false,
            align: size,
            bytes: Some(Rc::new(ConstantBytes { bytes, addresses: Vec::new() })),
            span,
        });
        self.texts.insert(key, number);
        number
    }
}

impl Analyzer {
    /// The value of a variable of the other side, host or device, whose functions this side does not compile.
    fn without_functions(
        &mut self,
        bytes: Option<Rc<ConstantBytes>>,
        queued: usize,
    ) -> Option<Rc<ConstantBytes>> {
        for number in self.queue.split_off(queued.min(self.queue.len())) {
            self.functions[number.0 as usize].state = BodyState::Unused;
        }
        let is_function = |&(_, target, _): &(u64, AddressTarget, i64)| {
            matches!(target, AddressTarget::Function(_))
        };
        bytes.filter(|bytes| !bytes.addresses.iter().any(is_function))
    }

    /// The symbol of dynamic shared memory: its name, unless another variable has the same symbol.
    fn dynamic_symbol(&self, name: &str) -> String {
        let taken = |symbol: &str| self.variables.iter().any(|variable| variable.symbol == symbol);
        if taken(name) { format!("{name}_{}", self.variables.len()) } else { name.to_owned() }
    }
}

/// Whether the declaration of a static member leaves its definition to another place.
fn only_declares(syntax: &VariableSyntax) -> bool {
    let flags = &syntax.specifiers;
    matches!(syntax.initializer, Initializer::None) && !flags.is_inline && !flags.is_constexpr
}
