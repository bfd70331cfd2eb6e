//! Pointers to members. One to data is the member's offset plus 1, and one to a function is the function's address; zero
//! is null. The class of the object must contain the member's class at offset 0, and virtual functions are not supported.

use super::super::scopes::Binding;
use super::Analyzer;
use crate::source::Span;
use crate::syntax::*;
use crate::typed::*;
use crate::types::{RecordId, TypeId, TypeKind};

/// The parts of a type of pointers to members: the class, the member's type, and whether it is a `const` function.
pub(in crate::analyze) type MemberType = (TypeId, TypeId, bool);

impl Analyzer {
    /// The parts of a type, if it is one of pointers to members.
    pub(in crate::analyze) fn member_type(&self, ty: TypeId) -> Option<MemberType> {
        match *self.types.kind(ty) {
            TypeKind::MemberPointer(class, member, is_const) => Some((class, member, is_const)),
            _ => None,
        }
    }

    /// `&Class::member`; `None` if the name is not a member of an object.
    pub(super) fn member_address(&mut self, operand: &Expression, span: Span) -> Option<Typed> {
        let ExpressionKind::Name(name) = &operand.kind else { return None };
        if name.parts.len() < 2 || self.parser.map.text(operand.span).starts_with('(') {
            return None;
        }
        let scope = self.trial(|this| this.qualifier_scope(name))?.ok()??;
        let record = self.scopes[scope].record?;
        let last = name.last().name;
        if self.types.find_field(record, last).is_some() {
            let record = self.declaring_class(record, last);
            let place = self.types.find_field(record, last)?;
            if place.bits.is_some() || self.types.is_reference(place.kind) {
                self.error(span, "a pointer cannot refer to a bit field or to a reference");
                return Some(self.bad(span));
            }
            let class = self.types.intern(TypeKind::Record(record));
            let ty = self.types.intern(TypeKind::MemberPointer(class, place.kind, false));
            let kind = TypedKind::Constant(place.offset + 1);
            return Some(Typed { kind, ty, lvalue: false, expiring: false, span });
        }
        let Some(Binding::Functions(list)) = self.find_in(scope, last, 0) else { return None };
        match list.as_slice() {
            [only] if self.is_method(*only) && self.function(*only).template.is_none() => {
                Some(self.method_address(*only, span).unwrap_or_else(|| self.bad(span)))
            }
            _ => None,
        }
    }

    fn is_method(&self, number: FunctionNumber) -> bool {
        let function = self.function(number);
        function.record.is_some() && !function.is_static && !function.is_constructor
    }

    /// The class among a class and its bases that declares a field.
    fn declaring_class(&self, record: RecordId, name: crate::lex::Name) -> RecordId {
        let found = self.types.record(record);
        let bases = found.bases.iter().filter_map(|(base, _)| self.types.record_of(*base));
        let own = found.fields.iter().any(|field| {
            let anonymous = field.name == crate::lex::known::EMPTY;
            field.name == name
                || anonymous
                    && self
                        .types
                        .record_of(field.kind)
                        .is_some_and(|inner| self.types.find_field(inner, name).is_some())
        });
        match bases.into_iter().find(|&base| self.types.find_field(base, name).is_some()) {
            Some(base) if !own => self.declaring_class(base, name),
            _ => record,
        }
    }

    /// Whether a member function may be called for constant objects.
    pub(in crate::analyze) fn is_const_method(&self, number: FunctionNumber) -> bool {
        let function = self.function(number);
        function.syntax.signature.is_const || function.captures.is_some()
    }

    /// The pointer to a member function.
    pub(in crate::analyze) fn method_address(
        &mut self,
        number: FunctionNumber,
        span: Span,
    ) -> Option<Typed> {
        if self.function(number).is_virtual {
            self.unsupported(span, "a pointer to a virtual function");
            return None;
        }
        let class = TypeKind::Record(self.function(number).record?);
        let class = self.types.intern(class);
        let is_const = self.is_const_method(number);
        let function = self.function_object(number, span)?;
        let ty = self.types.intern(TypeKind::MemberPointer(class, function.ty, is_const));
        let address = self.decayed(function);
        Some(Typed { ty, span, ..address })
    }

    /// Whether a pointer to a member converts: from a base class at offset 0 to a derived class.
    pub(in crate::analyze) fn member_conversion(&self, from: MemberType, to: MemberType) -> bool {
        let (Some(base), Some(derived)) =
            (self.types.record_of(from.0), self.types.record_of(to.0))
        else {
            return false;
        };
        from.1 == to.1 && from.2 == to.2 && self.types.base_offset(derived, base) == Some(0)
    }

    /// The object and the pointer of `object.*pointer` or `object->*pointer`.
    fn member_operands(
        &mut self,
        object: &Expression,
        arrow: bool,
        pointer: &Expression,
        span: Span,
    ) -> Option<(Typed, Typed, MemberType)> {
        let typed = self.expression(object);
        if typed.ty == TypeId::ERROR {
            return None;
        }
        let object = if arrow {
            let pointer = self.decayed(typed);
            if self.types.pointee(pointer.ty).is_none() {
                let shown = self.show(pointer.ty);
                self.error(span, format!("operator `->*` is not defined for {shown}"));
                return None;
            }
            self.dereference(pointer)
        } else {
            typed
        };
        let pointer = self.expression(pointer);
        if pointer.ty == TypeId::ERROR {
            return None;
        }
        let pointer = self.rvalue(pointer);
        let Some(member) = self.member_type(pointer.ty) else {
            let shown = self.show(pointer.ty);
            self.error(span, format!("{shown} is not a pointer to a member"));
            return None;
        };
        let class = self.types.record_of(member.0);
        let (Some(record), Some(class)) = (self.types.record_of(object.ty), class) else {
            let shown = self.show(object.ty);
            self.error(span, format!("{shown} is not an object of the member's class"));
            return None;
        };
        if self.types.base_offset(record, class).is_none() {
            let (a, b) = (self.show(object.ty), self.show(member.0));
            self.error(span, format!("{a} is not derived from {b}, the member's class"));
            return None;
        }
        let object = self.temporary(object);
        Some((self.as_base(object, class)?, pointer, member))
    }

    /// `object.*pointer` for a pointer to data.
    pub(super) fn member_access(
        &mut self,
        object: &Expression,
        arrow: bool,
        pointer: &Expression,
        span: Span,
    ) -> Option<Typed> {
        let (object, pointer, (_, member, _)) =
            self.member_operands(object, arrow, pointer, span)?;
        if matches!(self.types.kind(member), TypeKind::Function(_)) {
            self.error(span, "a member function can only be called: `(object.*pointer)(...)`");
            return None;
        }
        let (is_const, is_volatile) =
            (self.types.is_const(object.ty), self.types.is_volatile(object.ty));
        let ty = self.types.with(member, is_const, is_volatile);
        let expiring = object.expiring;
        let address = self.address_of(object);
        let address = Typed { ty: self.types.pointer(ty), ..address };
        let index = Typed { ty: TypeId::LONG, ..pointer };
        let one = self.constant(1, TypeId::LONG, span);
        let index = self.arithmetic(BinaryOperator::Subtract, index, one, TypeId::LONG, span);
        let pointer_ty = address.ty;
        let kind = TypedKind::PointerAdd(Box::new(address), Box::new(index), 1);
        let address = Typed { kind, ty: pointer_ty, lvalue: false, expiring: false, span };
        let object = self.dereference(address);
        Some(Typed { span, expiring, ..object })
    }

    /// `(object.*pointer)(arguments)`.
    pub(super) fn member_pointer_call(
        &mut self,
        (object, arrow, pointer): (&Expression, bool, &Expression),
        values: Vec<Typed>,
        span: Span,
    ) -> Option<Typed> {
        let (object, pointer, (_, member, is_const)) =
            self.member_operands(object, arrow, pointer, span)?;
        let TypeKind::Function(function) = self.types.kind(member).clone() else {
            self.error(span, "this pointer refers to data, which cannot be called");
            return None;
        };
        if self.types.is_const(object.ty) && !is_const {
            self.error(span, "this object is `const`, but the member function is not");
            return None;
        }
        if function.parameters.len() != values.len() {
            let (wanted, given) = (function.parameters.len(), values.len());
            let message = format!("this function takes {wanted} arguments, but {given} are given");
            self.error(span, message);
            return None;
        }
        let mut fitted = vec![self.address_of(object)];
        for (value, &ty) in values.into_iter().zip(&function.parameters) {
            fitted.push(self.pass(value, ty, span)?);
        }
        let address = Typed { ty: self.types.pointer(member), ..pointer };
        let kind = TypedKind::CallIndirect(Box::new(address), fitted);
        Some(self.call_result(kind, function.result, span))
    }
}
