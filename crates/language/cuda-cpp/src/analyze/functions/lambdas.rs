//! Lambdas: closures are classes with a call operator.

use super::super::scopes::Binding;
use super::{Analyzer, CaptureField};
use crate::lex::{Name, known};
use crate::source::Span;
use crate::syntax::*;
use crate::typed::*;
use crate::types::{Record, RecordField, TypeId};
use std::cell::OnceCell;
use std::rc::Rc;

/// Captured variables (name, whether by reference, value), and `*this`.
type CapturedValues = (Vec<(Name, bool, Typed)>, Option<Typed>);

/// Separates the name of a captured pack and the number of its element.
const PACK_MARK: &str = "...";

impl Analyzer {
    /// The closure object that a lambda expression creates.
    pub(in crate::analyze) fn lambda(&mut self, lambda: &Rc<LambdaSyntax>, span: Span) -> Typed {
        let known = self
            .closures
            .iter()
            .find(|(of, scope, _)| Rc::ptr_eq(of, lambda) && *scope == self.scope);
        if let Some((_, _, known)) = known {
            return known.clone();
        }
        let closure = self.new_closure(lambda, span);
        if self.keeps_closures && closure.ty != TypeId::ERROR {
            self.closures.push((lambda.clone(), self.scope, closure.clone()));
        }
        closure
    }

    fn new_closure(&mut self, lambda: &Rc<LambdaSyntax>, span: Span) -> Typed {
        let Some((captures, captured_this)) = self.captures(lambda) else { return self.bad(span) };
        let scope = self.add_scope(self.scope);
        // The name contains the source location, so that host and device code use the same name.
        let place = self.parser.map.location(lambda.span);
        let place = place.map_or((0, 0), |place| (place.line, place.column));
        let mangled = format!("Ul{}_{}", place.0, place.1);
        let mangled = format!("{}{mangled}", mangled.len());
        let record =
            Record { name: "lambda".to_owned(), mangled, scope, span, ..Record::default() };
        let (id, ty) = self.types.add_record(record);
        self.scopes[scope].record = Some(id);
        let mut values = Vec::new();
        for (name, by_reference, value) in &captures {
            let kind = if *by_reference {
                self.types.pointer(value.ty)
            } else {
                self.types.bare(value.ty)
            };
            let kind = if *by_reference { kind } else { self.array_or(kind, value) };
            let field = RecordField {
                name: *name,
                kind,
                offset: 0,
                align: 0,
                bits: None,
                default: None,
                is_mutable: false,
            };
            let destroyed = self.is_destroyed(kind);
            let record = self.types.record_mut(id);
            record.fields.push(field);
            record.has_destructor |= destroyed;
            values.push((*by_reference, value.clone()));
        }
        if let Some(this) = &captured_this {
            let kind = self.types.pointer(this.ty);
            let field = RecordField {
                name: known::THIS,
                kind,
                offset: 0,
                align: 0,
                bits: None,
                default: None,
                is_mutable: false,
            };
            self.types.record_mut(id).fields.push(field);
            values.push((true, this.clone()));
        }
        self.types.lay_out(id, 1);
        let fields = self.types.record(id).fields.clone();
        let mut places: Vec<CaptureField> = Vec::new();
        let mut parts = Vec::new();
        for (field, (by_reference, value)) in fields.iter().zip(values) {
            if field.name != known::THIS {
                let ty = if by_reference { value.ty } else { field.kind };
                places.push((field.name, field.offset, ty, by_reference));
            }
            let part = if by_reference {
                self.address_of(value)
            } else {
                match self.copy_value(value, field.kind) {
                    Some(part) => part,
                    None => return self.bad(span),
                }
            };
            parts.push((field.offset, None, part));
        }
        self.call_operator(lambda, id, scope, (places, captured_this.map(|this| this.ty)));
        let kind = TypedKind::Aggregate(parts, false);
        Typed { kind, ty, lvalue: false, expiring: false, span }
    }

    fn array_or(&mut self, kind: TypeId, _value: &Typed) -> TypeId {
        kind
    }

    /// The variables that a lambda captures (name, whether by reference, value), and `*this`.
    fn captures(&mut self, lambda: &LambdaSyntax) -> Option<CapturedValues> {
        let mut captures: Vec<(Name, bool, Typed)> = Vec::new();
        let mut this = None;
        let own_this = self.frame.as_ref().and_then(|frame| frame.this.clone());
        for capture in &lambda.captures {
            let Some(name) = capture.name else {
                this = own_this.clone();
                continue;
            };
            let value = match &capture.value {
                Some(value) => {
                    let value = self.expression(value);
                    if value.ty == TypeId::ERROR {
                        return None;
                    }
                    if capture.by_reference { value } else { self.decayed(value) }
                }
                None => match self.find(name).map(|found| found.0) {
                    Some(Binding::Constant(..) | Binding::Variable(_)) => continue,
                    Some(Binding::Local(frame, local))
                        if self.known_local(frame, local).is_some() =>
                    {
                        continue;
                    }
                    Some(binding @ (Binding::Local(..) | Binding::Alias(_))) => {
                        self.bound_value(binding, capture.span)?
                    }
                    Some(Binding::LocalPack(list)) => {
                        self.capture_pack(
                            name,
                            &list,
                            (capture.by_reference, capture.span),
                            &mut captures,
                        )?;
                        continue;
                    }
                    Some(_) => continue,
                    None => {
                        self.unknown_name(name, capture.span, "variable");
                        return None;
                    }
                },
            };
            captures.push((name, capture.by_reference, value));
        }
        if let Some(by_reference) = lambda.default {
            let mut names = Vec::new();
            visit::names_in_statements(&lambda.body, &mut |name| {
                if !names.contains(&name) {
                    names.push(name);
                }
            });
            if own_this.is_some() && this.is_none() {
                this = own_this;
            }
            // Parameters hide variables of the same name.
            let parameters =
                lambda.signature.parameters.iter().filter_map(|parameter| parameter.name);
            let captured = lambda.captures.iter().filter_map(|capture| capture.name);
            let known: Vec<_> = captured.chain(parameters).collect();
            for name in names {
                if known.contains(&name) {
                    continue;
                }
                match self.find(name).map(|found| found.0) {
                    Some(Binding::Local(frame, local))
                        if self.known_local(frame, local).is_some() => {}
                    Some(binding @ (Binding::Local(..) | Binding::Alias(_))) => {
                        let value = self.bound_value(binding, lambda.span)?;
                        captures.push((name, by_reference, value));
                    }
                    Some(Binding::LocalPack(list)) => {
                        self.capture_pack(name, &list, (by_reference, lambda.span), &mut captures)?;
                    }
                    _ => {}
                }
            }
        }
        Some((captures, this))
    }

    /// Captures each element of a parameter pack, under a name that [`Self::bind_captures`] recognizes.
    fn capture_pack(
        &mut self,
        name: Name,
        list: &[Binding],
        (by_reference, span): (bool, Span),
        captures: &mut Vec<(Name, bool, Typed)>,
    ) -> Option<()> {
        for (at, binding) in list.iter().enumerate() {
            let value = self.bound_value(binding.clone(), span)?;
            let element = format!("{}{PACK_MARK}{at}", self.text(name));
            captures.push((self.parser.names.intern(&element), by_reference, value));
        }
        Some(())
    }

    /// Binds the names of captured variables in the body of a lambda; elements of packs form packs again.
    pub(super) fn bind_captures(&mut self, list: Vec<(Name, Typed)>) {
        let mut packs: Vec<(Name, Vec<Binding>)> = Vec::new();
        for (name, value) in list {
            let pack = self.text(name).split_once(PACK_MARK).map(|(pack, _)| pack.to_owned());
            let binding = Binding::Alias(Rc::new(value));
            let Some(pack) = pack else {
                self.bind(name, binding);
                continue;
            };
            let pack = self.parser.names.intern(&pack);
            match packs.iter_mut().find(|(known, _)| *known == pack) {
                Some((_, elements)) => elements.push(binding),
                None => packs.push((pack, vec![binding])),
            }
        }
        for (name, elements) in packs {
            self.bind(name, Binding::LocalPack(elements.into()));
        }
    }

    /// Declares `operator()`. Parameters of type `auto` make it a template.
    fn call_operator(
        &mut self,
        lambda: &Rc<LambdaSyntax>,
        id: crate::types::RecordId,
        scope: usize,
        captures: (Vec<CaptureField>, Option<TypeId>),
    ) {
        let mut signature = (*lambda.signature).clone();
        let mut invented = lambda.template.clone();
        for (at, parameter) in signature.parameters.iter_mut().enumerate() {
            if matches!(parameter.kind.base, BaseType::Auto) {
                let name = self.parser.names.intern(&format!("<auto {at}>"));
                let part =
                    NamePart { name, span: parameter.span, arguments: None, conversion: None };
                let qualified =
                    QualifiedName { span: parameter.span, global: false, parts: vec![part] };
                parameter.kind.base = BaseType::Named(qualified);
                invented.push(TemplateParameterSyntax {
                    name: Some(name),
                    kind: TemplateParameterKind::Type(None),
                    pack: parameter.pack,
                    span: parameter.span,
                });
            }
        }
        let generic = !invented.is_empty();
        let part = NamePart {
            name: known::CALL_OPERATOR,
            span: lambda.span,
            arguments: None,
            conversion: None,
        };
        let parsed = OnceCell::new();
        let statements = lambda.body.clone();
        let end = lambda.span.end();
        let (members, handlers) = (Vec::new(), Vec::new());
        let _ = parsed.set(Some(Rc::new(FunctionBody { members, statements, handlers, end })));
        let result = TypeSyntax {
            base: BaseType::Auto,
            is_const: false,
            is_volatile: false,
            derived: Vec::new(),
            span: lambda.span,
        };
        let flags =
            Specifiers { device: true, host: true, is_constexpr: true, ..Specifiers::default() };
        let syntax = Rc::new(FunctionSyntax {
            name: QualifiedName { span: lambda.span, global: false, parts: vec![part] },
            result,
            signature: Rc::new(signature),
            specifiers: Rc::new(flags),
            body: None,
            parsed,
            deleted: false,
            defaulted: false,
            pure_virtual: false,
            extern_c: false,
            span: lambda.span,
        });
        let template = generic.then(|| Rc::new(invented));
        if captures.0.is_empty() && captures.1.is_none() {
            // A pointer to the function: it does not use the closure.
            let number = self.add_function(&syntax, scope, template.clone(), Some(id));
            let made = self.function_mut(number);
            made.is_static = true;
            made.generic = generic;
            made.display = "lambda".to_owned();
            made.name = known::LAMBDA_FUNCTION;
            self.bind_in(scope, known::LAMBDA_FUNCTION, Binding::Functions(vec![number]));
        }
        let number = self.add_function(&syntax, scope, template, Some(id));
        let made = self.function_mut(number);
        made.captures = Some(Rc::new(captures));
        made.generic = generic;
        made.display = "lambda".to_owned();
        self.bind_in(scope, known::CALL_OPERATOR, Binding::Functions(vec![number]));
    }
}
