//! Member functions that the compiler supplies: destructors, and functions that copy and move objects part by part.

use super::scopes::Binding;
use super::{Analyzer, ImplicitMember, Signature, SignatureParameter};
use crate::lex::known;
use crate::source::Span;
use crate::syntax::*;
use crate::typed::*;
use crate::types::{RecordId, TypeId, TypeKind};
use std::rc::Rc;

/// Largest array whose elements a supplied function copies one by one.
const MOST_ELEMENTS: u64 = 256;

impl Analyzer {
    /// The destructor of a class: its own, or one that destroys its parts.
    pub(in crate::analyze) fn destructor_of(&mut self, record: RecordId) -> FunctionNumber {
        if let Some(&known) = self.destructors.get(&record) {
            return known;
        }
        let number = self.supply(record, ImplicitMember::Destructor);
        self.destructors.insert(record, number);
        number
    }

    /// Queues the destructor of a type's objects, and notes that the expression creates such objects.
    pub(in crate::analyze) fn note_destroyed(&mut self, ty: TypeId) {
        if self.unevaluated {
            return;
        }
        let element = self.element_of(ty);
        if let Some(record) = self.types.record_of(element)
            && self.types.record(record).has_destructor
        {
            self.destroyed += 1;
            let number = self.destructor_of(record);
            self.need(number);
        }
    }

    /// The destructor that lowering calls for temporary objects of a class.
    pub fn known_destructor(&self, record: RecordId) -> Option<FunctionNumber> {
        let needed = self.types.record(record).has_destructor;
        self.destructors.get(&record).copied().filter(|_| needed)
    }

    /// The expression, whose temporary objects are destroyed at its end if it creates any.
    pub(in crate::analyze) fn full(&self, value: Typed, before: u32) -> Typed {
        if self.destroyed == before {
            return value;
        }
        let (ty, lvalue, expiring, span) = (value.ty, value.lvalue, value.expiring, value.span);
        Typed { kind: TypedKind::Full(Box::new(value)), ty, lvalue, expiring, span }
    }

    /// A function that the compiler supplies for a class.
    pub(in crate::analyze) fn supplied(
        &mut self,
        id: RecordId,
        member: ImplicitMember,
    ) -> FunctionNumber {
        if let Some(&known) = self.supplied.get(&(id, member)) {
            return known;
        }
        let number = self.supply(id, member);
        self.supplied.insert((id, member), number);
        number
    }

    fn supply(&mut self, id: RecordId, member: ImplicitMember) -> FunctionNumber {
        use ImplicitMember as M;
        let (scope, span) = (self.types.record(id).scope, self.types.record(id).span);
        let class = self.types.intern(TypeKind::Record(id));
        let constant = self.types.with(class, true, false);
        let text = self.types.record(id).name.clone();
        let short = text.split('<').next().unwrap_or_default();
        let name = match member {
            M::Destructor => format!("~{short}"),
            M::Copy | M::Move => short.to_owned(),
            M::CopyAssignment | M::MoveAssignment => "operator=".to_owned(),
        };
        let name = self.parser.names.intern(&name);
        let parameter = match member {
            M::Destructor => None,
            M::Copy | M::CopyAssignment => Some(self.types.reference(constant)),
            M::Move | M::MoveAssignment => Some(self.types.rvalue_reference(class)),
        };
        let result = match member {
            M::CopyAssignment | M::MoveAssignment => self.types.reference(class),
            _ => TypeId::VOID,
        };
        let absent = TypeSyntax {
            base: BaseType::Absent,
            is_const: false,
            is_volatile: false,
            derived: Vec::new(),
            span,
        };
        let signature = FunctionTypeSyntax {
            parameters: Vec::new(),
            variadic: false,
            is_const: false,
            trailing: None,
        };
        let part = NamePart { name, span, arguments: None, conversion: None };
        let flags =
            Specifiers { device: true, host: true, is_constexpr: true, ..Specifiers::default() };
        let syntax = Rc::new(FunctionSyntax {
            name: QualifiedName { span, global: false, parts: vec![part] },
            result: absent,
            signature: Rc::new(signature),
            specifiers: Rc::new(flags),
            body: None,
            parsed: std::cell::OnceCell::new(),
            deleted: false,
            defaulted: false,
            pure_virtual: false,
            extern_c: false,
            span,
        });
        let number = self.add_function(&syntax, scope, None, Some(id));
        let parameters = parameter.into_iter().map(|ty| SignatureParameter {
            name: None,
            ty,
            default: None,
            restrict: false,
            pack: false,
            span,
        });
        let signature = Signature { result, parameters: parameters.collect(), variadic: false };
        let made = &mut self.functions[number.0 as usize];
        made.signature = Some(Rc::new(signature));
        made.implicit = Some(member);
        made.is_constructor = matches!(member, M::Copy | M::Move);
        number
    }

    /// The constructors of a class that copy or move an object of it.
    pub(in crate::analyze) fn copy_constructors(
        &mut self,
        record: RecordId,
    ) -> Vec<FunctionNumber> {
        if !self.types.record(record).has_constructors {
            return Vec::new();
        }
        let mut list = self.constructors(record);
        list.retain(|&number| self.transfers(number, record));
        list
    }

    /// Whether a constructor copies or moves an object of its class.
    pub(in crate::analyze) fn transfers(&mut self, number: FunctionNumber, id: RecordId) -> bool {
        if self.function(number).template.is_some() {
            return false;
        }
        let Some(signature) = self.signature(number) else { return false };
        let Some((first, rest)) = signature.parameters.split_first() else { return false };
        let referred = self.types.referred(first.ty);
        self.types.is_reference(first.ty)
            && self.types.record_of(referred) == Some(id)
            && rest.iter().all(|other| other.default.is_some())
    }

    /// The copy and move constructors that a class declares as defaulted.
    pub(in crate::analyze) fn defaulted_transfers(&mut self, id: RecordId) -> Vec<ImplicitMember> {
        let Some(list) = self.defaulted.get(&id).cloned() else { return Vec::new() };
        let mut members = Vec::new();
        for number in list {
            let Some(signature) = self.signature(number) else { continue };
            let [only] = signature.parameters.as_slice() else { continue };
            match *self.types.kind(only.ty) {
                TypeKind::Reference(to) if self.types.record_of(to) == Some(id) => {
                    members.push(ImplicitMember::Copy);
                }
                TypeKind::RvalueReference(to) if self.types.record_of(to) == Some(id) => {
                    members.push(ImplicitMember::Move);
                }
                _ => {}
            }
        }
        members
    }

    /// Whether an object of a type cannot be copied byte by byte.
    pub(in crate::analyze) fn copied_by_parts(&mut self, ty: TypeId) -> bool {
        let element = self.element_of(ty);
        let Some(id) = self.types.record_of(element) else { return false };
        if self.types.record(id).polymorphic || !self.copy_constructors(id).is_empty() {
            return true;
        }
        let record = self.types.record(id).clone();
        let mut parts =
            record.bases.iter().map(|base| base.0).chain(record.fields.iter().map(|f| f.kind));
        parts.any(|part| self.copied_by_parts(part))
    }

    /// Whether an object of a type cannot be assigned byte by byte.
    pub(in crate::analyze) fn assigned_by_parts(&mut self, ty: TypeId) -> bool {
        let element = self.element_of(ty);
        let Some(id) = self.types.record_of(element) else { return false };
        let record = self.types.record(id).clone();
        if record.polymorphic || record.assigns && self.has_own_copy_assignment(id) {
            return true;
        }
        let mut parts =
            record.bases.iter().map(|base| base.0).chain(record.fields.iter().map(|f| f.kind));
        parts.any(|part| self.assigned_by_parts(part))
    }

    /// Whether a class defines an `operator=` for objects of its own type. Operators for other types, such as
    /// `half::operator=(float)`, and templates are never copy or move assignments.
    fn has_own_copy_assignment(&mut self, id: RecordId) -> bool {
        let scope = self.types.record(id).scope;
        let name = self.parser.names.find("operator=");
        let Some(Binding::Functions(list)) =
            name.and_then(|name| self.scopes[scope].names.get(&name).cloned())
        else {
            return false;
        };
        list.into_iter().any(|number| {
            self.function(number).template.is_none()
                && self.signature(number).is_none_or(|signature| {
                    let first = signature.parameters.first().map(|first| first.ty);
                    first
                        .is_some_and(|ty| self.types.record_of(self.types.referred(ty)) == Some(id))
                })
        })
    }

    /// Copies or moves an object by the function that the compiler supplies.
    pub(in crate::analyze) fn copy_by_supplied(
        &mut self,
        value: Typed,
        id: RecordId,
        ty: TypeId,
    ) -> Option<Typed> {
        let own_destructor =
            self.destructors.get(&id).is_some_and(|&own| self.function(own).implicit.is_none());
        let may_move =
            !own_destructor || self.defaulted_transfers(id).contains(&ImplicitMember::Move);
        let moves = value.expiring && !self.types.is_const(value.ty) && may_move;
        let member = if moves { ImplicitMember::Move } else { ImplicitMember::Copy };
        let number = self.supplied(id, member);
        let (ty, span) = (self.types.bare(ty), value.span);
        self.construct_by(number, ty, vec![value], span)
    }

    /// Assigns by the function that the compiler supplies.
    pub(in crate::analyze) fn assign_by_supplied(
        &mut self,
        left: Typed,
        right: Typed,
        id: RecordId,
        span: Span,
    ) -> Option<Typed> {
        let moves = (right.expiring || !right.lvalue) && !self.types.is_const(right.ty);
        let member =
            if moves { ImplicitMember::MoveAssignment } else { ImplicitMember::CopyAssignment };
        let number = self.supplied(id, member);
        self.call_direct(number, left, vec![right], span)
    }

    /// The statements of a function that the compiler supplies.
    pub(in crate::analyze) fn implicit_body(
        &mut self,
        member: ImplicitMember,
        arguments: Vec<Typed>,
        statements: &mut Vec<TypedStatement>,
    ) {
        use ImplicitMember as M;
        let Some(this) = self.frame.as_ref().and_then(|frame| frame.this.clone()) else { return };
        let Some(other) = arguments.into_iter().next() else { return };
        let other = Typed { expiring: matches!(member, M::Move | M::MoveAssignment), ..other };
        let Some(id) = self.types.record_of(this.ty) else { return };
        let record = self.types.record(id).clone();
        let assigns = matches!(member, M::CopyAssignment | M::MoveAssignment);
        if record.is_union {
            let value = self.rvalue(other);
            self.initialize_place(this, Some(value), statements);
            return;
        }
        for (base, offset) in record.bases.clone() {
            self.transfer(&this, &other, (offset, base, None), assigns, statements);
        }
        if !assigns {
            self.refer_to_tables(statements);
        }
        for field in &record.fields {
            let part = (field.offset, field.kind, field.bits);
            if field.name == known::EMPTY && field.bits.is_some() {
                continue;
            }
            self.transfer(&this, &other, part, assigns, statements);
        }
        if assigns {
            let span = this.span;
            let address = self.address_of(this);
            let kind = TypedStatementKind::Return(Some(address), Vec::new());
            statements.push(TypedStatement { kind, span });
        }
    }

    /// Copies, moves or assigns one part of an object.
    fn transfer(
        &mut self,
        this: &Typed,
        other: &Typed,
        (offset, ty, bits): (u64, TypeId, Option<(u8, u8)>),
        assigns: bool,
        statements: &mut Vec<TypedStatement>,
    ) {
        let stored = if self.types.is_reference(ty) {
            let inner = self.types.referred(ty);
            self.types.pointer(inner)
        } else {
            ty
        };
        if let TypeKind::Array(element, Some(count)) = *self.types.kind(stored)
            && if assigns { self.assigned_by_parts(element) } else { self.copied_by_parts(element) }
        {
            if count > MOST_ELEMENTS {
                self.unsupported(this.span, "the copy of a member that is a long array of objects");
                return;
            }
            let size = self.types.size(element);
            for at in 0..count {
                let part = (offset + at * size, element, None);
                self.transfer(this, other, part, assigns, statements);
            }
            return;
        }
        let source = self.types.with(stored, self.types.is_const(other.ty), false);
        let from = self.part(other.clone(), offset, source, bits);
        let from = Typed { expiring: other.expiring, ..from };
        if assigns {
            let bare = self.types.bare(stored);
            if self.types.is_const(stored) || self.types.is_reference(ty) {
                let shown = self.show(this.ty);
                self.error(this.span, format!("{shown} cannot be assigned: a member is constant"));
                return;
            }
            let place = self.part(this.clone(), offset, bare, bits);
            let value = match self.types.kind(bare) {
                TypeKind::Array(..) => self.assign_array(place, from),
                _ => self.assign_typed(place, from, this.span),
            };
            let (kind, span) = (TypedStatementKind::Expression(value), this.span);
            statements.push(TypedStatement { kind, span });
            return;
        }
        let place = self.part(this.clone(), offset, stored, bits);
        let value = self.copy_value(from.clone(), stored);
        let value = match value {
            Some(value) if value.lvalue => Some(self.rvalue(value)),
            value => value,
        };
        self.initialize_place(place, value, statements);
    }

    fn assign_array(&mut self, left: Typed, right: Typed) -> Typed {
        let (ty, span) = (left.ty, left.span);
        let kind = TypedKind::Load(Box::new(right));
        let value = Typed { kind, ty, lvalue: false, expiring: false, span };
        let kind = TypedKind::Assign(Box::new(left), Box::new(value));
        Typed { kind, ty, lvalue: true, expiring: false, span }
    }

    /// Whether the implicit function copies the value that is assigned: no `operator=` of the class fits it better.
    pub(in crate::analyze) fn copies_implicitly(&mut self, id: RecordId, from: &Typed) -> bool {
        let (scope, name) = (self.types.record(id).scope, self.parser.names.find("operator="));
        let Some(Binding::Functions(list)) =
            name.and_then(|name| self.scopes[scope].names.get(&name).cloned())
        else {
            return false;
        };
        let Some(of) = self.types.record_of(from.ty) else { return false };
        if of != id && self.types.base_offset(of, id).is_none() {
            return false;
        }
        let library = self.parser.map.is_builtin(self.types.record(id).span);
        let changeable = from.lvalue && !from.expiring && !self.types.is_const(from.ty);
        list.into_iter().all(|number| {
            if self.function(number).template.is_some() {
                // The implicit function is better than an equally good template, but `T &` fits a variable better.
                let syntax = &self.function(number).syntax;
                let first = syntax.signature.parameters.first();
                let exact = first.is_some_and(|first| {
                    let last = first.kind.derived.last();
                    let refers =
                        matches!(last, Some(Derivation::Reference | Derivation::RvalueReference));
                    refers && !first.kind.is_const
                });
                return !library && of == id && !(changeable && exact);
            }
            let Some(signature) = self.signature(number) else { return false };
            let first = signature.parameters.first().map(|first| first.ty);
            let record = first.and_then(|ty| self.types.record_of(self.types.referred(ty)));
            record != Some(id) && record != Some(of)
        })
    }

    /// Whether a class declares an assignment operator itself.
    pub(in crate::analyze) fn declares_assignment(&self, record: RecordId) -> bool {
        let scope = self.types.record(record).scope;
        let name = self.parser.names.find("operator=");
        name.is_some_and(|name| {
            matches!(self.scopes[scope].names.get(&name), Some(Binding::Functions(_)))
        })
    }
}
