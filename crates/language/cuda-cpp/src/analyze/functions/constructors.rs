//! Initialization of bases and members before a constructor's body.

use super::{Analyzer, FunctionRecord};
use crate::lex::known;
use crate::syntax::*;
use crate::typed::*;
use crate::types::{RecordId, TypeId};

impl Analyzer {
    /// Initializes bases and members.
    pub(super) fn constructor_prologue(
        &mut self,
        record: &FunctionRecord,
        parsed: Option<&FunctionBody>,
        arguments: Vec<Typed>,
        statements: &mut Vec<TypedStatement>,
    ) {
        let Some(class) = record.record else { return };
        let Some(this) = self.frame.as_ref().and_then(|frame| frame.this.clone()) else { return };
        let initializers: &[MemberInitializer] = parsed.map_or(&[], |parsed| &parsed.members);
        // `: Name(other values)` delegates to another constructor of the class.
        for initializer in initializers {
            let ty = match initializer.name.simple() {
                Some(name) => match self.find(name).map(|found| found.0) {
                    Some(super::super::scopes::Binding::Type(ty)) => Some(ty),
                    _ => None,
                },
                None => Some(self.named_type(&initializer.name)),
            };
            if ty.and_then(|ty| self.types.record_of(ty)) == Some(class)
                && initializer
                    .name
                    .simple()
                    .is_none_or(|name| self.types.find_field(class, name).is_none())
            {
                let ty = this.ty;
                self.initialize_part(&this, 0, ty, Some(initializer), statements);
                return;
            }
        }
        let bases = self.types.record(class).bases.clone();
        for (at, (base, offset)) in bases.iter().enumerate() {
            if let Some(inherited) = record.inherits
                && at == 0
                && self.types.record_of(*base) == self.function(inherited).record
            {
                self.construct_inherited(&this, *base, *offset, inherited, &arguments, statements);
                continue;
            }
            let given = self.base_initializer(initializers, *base);
            self.initialize_part(&this, *offset, *base, given, statements);
        }
        self.refer_to_tables(statements);
        let is_union = self.types.record(class).is_union;
        let fields = self.types.record(class).fields.clone();
        for field in &fields {
            let given = initializers.iter().find(|given| given.name.simple() == Some(field.name));
            if field.name == known::EMPTY {
                if let Some(inner) = self.types.record_of(field.kind) {
                    self.initialize_anonymous(&this, inner, field.offset, initializers, statements);
                }
                continue;
            }
            if is_union && given.is_none() {
                continue;
            }
            if given.is_none()
                && let Some(default) = &field.default
            {
                let span = default.span;
                let place = self.part(this.clone(), field.offset, field.kind, field.bits);
                let scope = self.types.record(class).scope;
                let (default, ty) = (default.clone(), field.kind);
                let before = self.destroyed;
                let value = self.within(scope, |this| this.initialize_from(ty, &default, span));
                let value = value.map(|value| self.full(value, before));
                self.initialize_place(place.clone(), value, statements);
                self.guard_part(place, statements);
                continue;
            }
            if field.bits.is_some() {
                if let Some(given) = given {
                    let place = self.part(this.clone(), field.offset, field.kind, field.bits);
                    let value = self.initializer_value(field.kind, given);
                    self.initialize_place(place, value, statements);
                }
                continue;
            }
            self.initialize_part(&this, field.offset, field.kind, given, statements);
        }
        for given in initializers {
            let Some(name) = given.name.simple() else { continue };
            let known = self.types.find_field(class, name).is_some()
                || bases.iter().any(|(base, _)| self.base_is(*base, &given.name));
            if !known {
                let text = self.text(name).to_owned();
                let class = self.types.record(class).name.clone();
                self.error(
                    given.name.span,
                    format!("class `{class}` has no member or base `{text}`"),
                );
            }
        }
    }

    fn initialize_anonymous(
        &mut self,
        this: &Typed,
        inner: RecordId,
        offset: u64,
        initializers: &[MemberInitializer],
        statements: &mut Vec<TypedStatement>,
    ) {
        for field in self.types.record(inner).fields.clone() {
            let Some(given) =
                initializers.iter().find(|given| given.name.simple() == Some(field.name))
            else {
                continue;
            };
            self.initialize_part(this, offset + field.offset, field.kind, Some(given), statements);
        }
    }

    fn base_is(&mut self, base: TypeId, name: &QualifiedName) -> bool {
        let ty = self.trial(|this| this.named_type(name));
        ty == Some(base)
    }

    fn base_initializer<'a>(
        &mut self,
        list: &'a [MemberInitializer],
        base: TypeId,
    ) -> Option<&'a MemberInitializer> {
        list.iter().find(|given| self.base_is(base, &given.name))
    }

    fn initializer_value(&mut self, ty: TypeId, given: &MemberInitializer) -> Option<Typed> {
        let span = given.name.span;
        if given.braces {
            return self.initialize_from(ty, given.values.first()?, span);
        }
        self.initialize_direct(ty, &given.values, span)
    }

    /// Initializes a base or member at an offset.
    fn initialize_part(
        &mut self,
        this: &Typed,
        offset: u64,
        ty: TypeId,
        given: Option<&MemberInitializer>,
        statements: &mut Vec<TypedStatement>,
    ) {
        let before = self.destroyed;
        let value = match given {
            Some(given) => {
                let value = self.initializer_value(ty, given);
                let span = given.name.span;
                self.never_silent(value.is_none() && !given.values.is_empty(), span);
                value
            }
            None => self.default_value(ty, this.span),
        };
        let stored = if self.types.is_reference(ty) {
            let inner = self.types.referred(ty);
            self.types.pointer(inner)
        } else {
            ty
        };
        let place = self.part(this.clone(), offset, stored, None);
        let value = value.map(|value| self.full(value, before));
        self.initialize_place(place.clone(), value, statements);
        self.guard_part(place, statements);
    }

    /// Destroys a part if the constructor throws later.
    fn guard_part(&mut self, part: Typed, statements: &mut Vec<TypedStatement>) {
        if self.host && self.is_destroyed(part.ty) {
            let span = part.span;
            let mut list = Vec::new();
            self.destroy(part, &mut list);
            statements.push(TypedStatement { kind: TypedStatementKind::Guard(list), span });
        }
    }

    pub(in crate::analyze) fn initialize_place(
        &mut self,
        place: Typed,
        value: Option<Typed>,
        statements: &mut Vec<TypedStatement>,
    ) {
        let Some(value) = value else { return };
        let span = value.span;
        let kind = if self.types.is_aggregate(place.ty) {
            let pointer = self.address_of(place);
            let ty = pointer.ty;
            let kind = TypedKind::InitializeAt(Box::new(pointer), Box::new(value));
            TypedStatementKind::Expression(Typed { kind, ty, lvalue: false, expiring: false, span })
        } else {
            let ty = place.ty;
            let kind = TypedKind::Assign(Box::new(place), Box::new(value));
            TypedStatementKind::Expression(Typed { kind, ty, lvalue: true, expiring: false, span })
        };
        statements.push(TypedStatement { kind, span });
    }

    /// Forwards the parameters of an inherited constructor to the base.
    fn construct_inherited(
        &mut self,
        this: &Typed,
        base: TypeId,
        offset: u64,
        inherited: FunctionNumber,
        arguments: &[Typed],
        statements: &mut Vec<TypedStatement>,
    ) {
        let span = this.span;
        let arguments = arguments.to_vec();
        let Some(arguments) = self.fit_arguments(inherited, arguments, span) else { return };
        self.need(inherited);
        let kind = TypedKind::ConstructorCall(inherited, arguments);
        let value = Typed { kind, ty: base, lvalue: false, expiring: false, span };
        let place = self.part(this.clone(), offset, base, None);
        self.initialize_place(place, Some(value), statements);
    }
}
