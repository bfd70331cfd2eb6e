//! Converts type syntax to types.

use super::Analyzer;
use super::scopes::Binding;
use crate::source::SourceProblem;
use crate::syntax::*;
use crate::types::{FunctionType, TypeId, TypeKind};
use std::rc::Rc;

impl Analyzer {
    /// The type that the syntax denotes; `ERROR` after an error.
    pub(super) fn type_of(&mut self, syntax: &TypeSyntax) -> TypeId {
        let base = self.base_type(syntax);
        self.derive(syntax, base, syntax.derived.len())
    }

    /// Applies the first `count` derivations to a base.
    pub(super) fn derive(&mut self, syntax: &TypeSyntax, base: TypeId, count: usize) -> TypeId {
        let mut ty = self.types.with(base, syntax.is_const, syntax.is_volatile);
        let mut const_function = false;
        for step in syntax.derived.iter().take(count) {
            if ty == TypeId::ERROR {
                return ty;
            }
            ty = match step {
                Derivation::Pointer { is_const, is_volatile, .. } => {
                    let referred = self.types.referred(ty);
                    let pointer = self.types.pointer(referred);
                    self.types.with(pointer, *is_const, *is_volatile)
                }
                Derivation::MemberPointer { class, is_const, is_volatile } => {
                    let class = self.named_type(class);
                    if class == TypeId::ERROR {
                        return class;
                    }
                    if self.types.record_of(class).is_none() {
                        let shown = self.show(class);
                        self.error(
                            syntax.span,
                            format!("{shown} is not a class; it has no members"),
                        );
                        return TypeId::ERROR;
                    }
                    let class = self.types.bare(class);
                    let pointer = TypeKind::MemberPointer(class, ty, const_function);
                    let pointer = self.types.intern(pointer);
                    const_function = false;
                    self.types.with(pointer, *is_const, *is_volatile)
                }
                Derivation::Reference => self.types.reference(ty),
                Derivation::RvalueReference => self.types.rvalue_reference(ty),
                Derivation::Array(size) => {
                    let count = match size {
                        None => None,
                        Some(size) => match self.array_size(size) {
                            Some(count) => Some(count),
                            None => return TypeId::ERROR,
                        },
                    };
                    let bytes = self.types.size(ty).saturating_mul(count.unwrap_or(0));
                    if bytes > 1 << 40 {
                        self.error(syntax.span, "this array exceeds a terabyte");
                        return TypeId::ERROR;
                    }
                    self.types.intern(TypeKind::Array(ty, count))
                }
                Derivation::Function(signature) => {
                    let parameters = self.parameter_types(signature);
                    let result = match &signature.trailing {
                        Some(trailing) => self.type_of(trailing),
                        None => ty,
                    };
                    let variadic = signature.variadic;
                    const_function = signature.is_const;
                    let function = FunctionType { result, parameters, variadic };
                    self.types.intern(TypeKind::Function(Rc::new(function)))
                }
            };
        }
        ty
    }

    fn parameter_types(&mut self, signature: &FunctionTypeSyntax) -> Vec<TypeId> {
        let mut list = Vec::new();
        for parameter in &signature.parameters {
            if parameter.pack {
                let kinds = self.expand_type(&parameter.kind, parameter.span);
                list.extend(kinds);
                continue;
            }
            let ty = self.type_of(&parameter.kind);
            list.push(self.parameter_type(ty));
        }
        list
    }

    /// The type of a parameter: arrays and functions become pointers.
    pub(super) fn parameter_type(&mut self, ty: TypeId) -> TypeId {
        match self.types.kind(ty).clone() {
            TypeKind::Array(element, _) => self.types.pointer(element),
            TypeKind::Function(_) => self.types.pointer(ty),
            _ => ty,
        }
    }

    fn array_size(&mut self, size: &Rc<Expression>) -> Option<u64> {
        let typed = self.expression(size);
        if typed.ty == TypeId::ERROR {
            return None;
        }
        let ty = typed.ty;
        if !self.types.is_integer(ty)
            && !self.types.is_enumeration(ty)
            && self.types.record_of(ty).is_none()
        {
            let shown = self.show(ty);
            self.error(size.span, format!("the size of an array must be an integer, not {shown}"));
            return None;
        }
        let typed = if self.types.record_of(ty).is_some() {
            self.convert(typed, TypeId::UNSIGNED_LONG, size.span)?
        } else {
            typed
        };
        let Some(value) = self.constant_value(&typed) else {
            let problem =
                SourceProblem::error(size.span, "the size of an array must be a constant");
            self.report(problem.label("not known at compile time").help(
                "make it `constexpr` or a template parameter, or use `extern __shared__` memory sized at launch",
            ));
            return None;
        };
        if (value as i64) < 0 && self.types.is_signed(typed.ty) {
            self.error(size.span, "the size of an array is negative");
            return None;
        }
        Some(value)
    }

    fn base_type(&mut self, syntax: &TypeSyntax) -> TypeId {
        match &syntax.base {
            BaseType::Builtin(kind) => TypeId::builtin(*kind),
            BaseType::Auto | BaseType::DecltypeAuto => TypeId::AUTO,
            BaseType::Absent => TypeId::VOID,
            BaseType::Named(name) => self.named_type(name),
            BaseType::Record(record) => self.record_type(record),
            BaseType::Enumeration(enumeration) => self.enumeration_type(enumeration),
            BaseType::Decltype(value) => {
                let saved = std::mem::replace(&mut self.unevaluated, true);
                let typed = self.expression(value);
                self.unevaluated = saved;
                if typed.ty == TypeId::ERROR {
                    return TypeId::ERROR;
                }
                // `decltype` of a name is its declared type; other lvalues give references.
                if self.is_plain_name(value) {
                    self.declared_type(value).unwrap_or(typed.ty)
                } else if typed.lvalue && typed.expiring {
                    self.types.rvalue_reference(typed.ty)
                } else if typed.lvalue {
                    self.types.reference(typed.ty)
                } else {
                    typed.ty
                }
            }
        }
    }

    /// Whether an expression is the name of a variable or a member, without parentheses.
    pub(super) fn is_plain_name(&self, value: &Expression) -> bool {
        matches!(value.kind, ExpressionKind::Name(_) | ExpressionKind::Member(..))
            && !self.parser.map.text(value.span).starts_with('(')
    }

    /// The declared type of a local variable, which may be a reference.
    fn declared_type(&self, value: &Expression) -> Option<TypeId> {
        let ExpressionKind::Name(name) = &value.kind else { return None };
        let Binding::Local(serial, local) = self.find(name.simple()?)?.0 else { return None };
        self.local_types.get(&(serial, local)).copied()
    }

    /// A type by its name.
    pub(super) fn named_type(&mut self, name: &QualifiedName) -> TypeId {
        let Ok(binding) = self.resolve(name) else { return TypeId::ERROR };
        let last = name.last();
        let binding = binding.map(|binding| self.with_arguments(binding, last));
        match binding {
            Some(Binding::Type(ty)) => {
                if last.arguments.is_some() && self.types.record_of(ty).is_none() {
                    self.error(name.span, "this type takes no template arguments");
                }
                ty
            }
            Some(Binding::Template(template)) => match &last.arguments {
                Some(arguments) => {
                    let arguments = arguments.clone();
                    self.instantiate_class_syntax(template, &arguments, name.span)
                        .unwrap_or(TypeId::ERROR)
                }
                None => match self.current_instance(template) {
                    Some(ty) => ty,
                    // `T x(1)` may deduce the arguments. This is supported only if all parameters have defaults.
                    None => self
                        .instantiate_class_syntax(template, &Rc::from([]), name.span)
                        .unwrap_or(TypeId::ERROR),
                },
            },
            Some(_) => {
                // `struct Name`, in a declaration that is analyzed after a function of that name.
                if let Some(ty) = name.simple().and_then(|name| self.hidden_class(name)) {
                    return ty;
                }
                let text = self.text(last.name).to_owned();
                self.error(name.span, format!("`{text}` is not a type"));
                TypeId::ERROR
            }
            None => {
                let text = self.text(last.name).to_owned();
                if name.parts.len() == 1
                    && matches!(
                        text.as_str(),
                        "string" | "vector" | "uint" | "half" | "nv_bfloat16"
                    )
                {
                    let header = match text.as_str() {
                        "half" => "add `#include <cuda_fp16.h>`",
                        "nv_bfloat16" => "add `#include <cuda_bf16.h>`",
                        _ => "write `std::` before it, or include its header",
                    };
                    let problem = SourceProblem::error(
                        name.span,
                        format!("cannot find type `{text}` in this scope"),
                    );
                    self.report(problem.label("not found").help(header));
                } else {
                    self.unknown_name(last.name, name.span, "type");
                }
                TypeId::ERROR
            }
        }
    }

    /// The name of a class with template arguments means the template, also within the class.
    pub(super) fn with_arguments(&self, binding: Binding, part: &NamePart) -> Binding {
        if let (Binding::Type(ty), Some(_)) = (&binding, &part.arguments)
            && let Some(record) = self.types.record_of(*ty)
            && let Some((template, _)) = self.record_templates.get(&record)
            && self.templates[*template].name == part.name
        {
            return Binding::Template(*template);
        }
        binding
    }

    /// Evaluates built-in type traits.
    pub(super) fn type_trait(&mut self, name: &str, kinds: &[TypeId]) -> Option<bool> {
        let first = *kinds.first()?;
        let fundamental = self.types.kind(first).clone();
        Some(match name {
            "__is_same" | "__is_same_as" => Some(&first) == kinds.get(1),
            "__is_integral" => self.types.is_integer(first),
            "__is_floating_point" => self.types.is_float(first),
            "__is_arithmetic" => self.types.is_arithmetic(first),
            "__is_signed" => {
                self.types.is_float(first)
                    || self.types.is_signed(first) && self.types.is_integer(first)
            }
            "__is_unsigned" => self.types.is_integer(first) && !self.types.is_signed(first),
            "__is_pointer" => matches!(fundamental, TypeKind::Pointer(_)),
            "__is_array" => matches!(fundamental, TypeKind::Array(..)),
            "__is_enum" => matches!(fundamental, TypeKind::Enumeration(_)),
            "__is_class" => self
                .types
                .record_of(first)
                .is_some_and(|record| !self.types.record(record).is_union),
            "__is_union" => {
                self.types.record_of(first).is_some_and(|record| self.types.record(record).is_union)
            }
            "__is_const" => self.types.is_const(first) && !self.types.is_reference(first),
            "__is_volatile" => self.types.is_volatile(first) && !self.types.is_reference(first),
            "__is_lvalue_reference" => matches!(fundamental, TypeKind::Reference(_)),
            "__is_rvalue_reference" => matches!(fundamental, TypeKind::RvalueReference(_)),
            "__is_reference" => self.types.is_reference(first),
            "__is_void" => self.types.bare(first) == TypeId::VOID,
            "__is_function" => matches!(fundamental, TypeKind::Function(_)),
            "__is_member_pointer" => matches!(fundamental, TypeKind::MemberPointer(..)),
            "__is_member_function_pointer" | "__is_member_object_pointer" => {
                let TypeKind::MemberPointer(_, member, _) = fundamental else {
                    return Some(false);
                };
                let function = matches!(self.types.kind(member), TypeKind::Function(_));
                function == (name == "__is_member_function_pointer")
            }
            "__is_empty" => {
                self.types.record_of(first).is_some_and(|record| self.types.is_empty(record))
            }
            "__is_trivially_copyable" | "__is_trivial" | "__is_pod" | "__is_standard_layout" => {
                let record = self.types.record_of(self.element_of(first));
                let destroys =
                    record.is_some_and(|record| self.types.record(record).has_destructor);
                !destroys && !self.assigned_by_parts(first) && !self.copied_by_parts(first)
            }
            "__is_base_of" => {
                let base = self.types.record_of(first)?;
                let derived = self.types.record_of(*kinds.get(1)?)?;
                self.types.base_offset(derived, base).is_some()
            }
            "__is_convertible" | "__is_convertible_to" | "__is_constructible" => {
                let (from, to) = if name == "__is_constructible" {
                    (kinds.get(1).copied().unwrap_or(first), first)
                } else {
                    (first, *kinds.get(1)?)
                };
                let probe = self.declval(from);
                self.conversion(&probe, to).is_some()
            }
            _ => return None,
        })
    }
}
