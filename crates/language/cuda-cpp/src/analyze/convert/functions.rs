//! Functions as values: the choice of an overloaded function by the type of its target, and functions whose address
//! is taken.

use super::super::OverloadSet;
use super::super::functions::{BodyState, FunctionRecord};
use super::super::scopes::Binding;
use super::Analyzer;
use crate::lex::known;
use crate::source::Span;
use crate::syntax::*;
use crate::typed::*;
use crate::types::{TypeId, TypeKind};
use std::rc::Rc;

impl Analyzer {
    /// The functions that a name means, if only the type to which it is converted can choose one of them.
    pub(in crate::analyze) fn overload_set(&mut self, value: &Expression) -> Option<OverloadSet> {
        let named = match &value.kind {
            ExpressionKind::Unary(UnaryOperator::AddressOf, operand) => &**operand,
            _ => value,
        };
        let ExpressionKind::Name(name) = &named.kind else { return None };
        if self.is_own_field(name) {
            return None;
        }
        let found = self.trial(|this| this.resolve(name)).and_then(Result::ok).flatten();
        let Some(Binding::Functions(functions)) = found else { return None };
        let is_template = |number: &FunctionNumber| self.function(*number).template.is_some();
        let unclear = match &name.last().arguments {
            None => functions.len() > 1 || functions.iter().any(is_template),
            Some(_) => functions.iter().filter(|number| is_template(number)).count() > 1,
        };
        let is_method = |number: &FunctionNumber| {
            let function = self.function(*number);
            function.record.is_some() && !function.is_static
        };
        // `&Class::function`; without `&` or a class, a member function can only be called.
        let qualified = name.parts.len() > 1 && !std::ptr::eq(named, value);
        if !unclear || !qualified && functions.iter().any(is_method) {
            return None;
        }
        let explicit = match &name.last().arguments {
            Some(arguments) => {
                let arguments = arguments.clone();
                self.trial(|this| this.template_arguments(&arguments)).flatten()?
            }
            None => Vec::new(),
        };
        Some(OverloadSet { name: name.last().name, functions, explicit })
    }

    /// The overloaded functions that a value stands for.
    pub(super) fn overloads_of(&self, value: &Typed) -> Option<Rc<OverloadSet>> {
        if value.ty != TypeId::AUTO {
            return None;
        }
        self.overloads.get(&(value.span.low, value.span.high)).cloned()
    }

    /// The function of a lambda without captures, if it is converted to a pointer of the function's type.
    pub(in crate::analyze) fn lambda_function(
        &mut self,
        value: &Typed,
        ty: Option<TypeId>,
    ) -> Option<FunctionNumber> {
        let name = known::LAMBDA_FUNCTION;
        let scope = self.types.record(self.types.record_of(value.ty)?).scope;
        let Some(Binding::Functions(functions)) = self.scopes[scope].names.get(&name).cloned()
        else {
            return None;
        };
        match ty {
            Some(ty) if !self.types.is_pointer(ty) => None,
            Some(ty) => {
                let set = OverloadSet { name, functions, explicit: Vec::new() };
                self.overload_for(&set, ty, value.span)
            }
            None => {
                functions.first().copied().filter(|only| self.function(*only).template.is_none())
            }
        }
    }

    /// The function of an overload set whose type matches the target, a pointer or reference to a function.
    pub(super) fn overload_for(
        &mut self,
        set: &OverloadSet,
        ty: TypeId,
        span: Span,
    ) -> Option<FunctionNumber> {
        let inner = self.types.referred(ty);
        let member = self.member_type(inner);
        let target = match member {
            Some((_, function, _)) => function,
            None => self.types.pointee(inner).unwrap_or(inner),
        };
        let TypeKind::Function(wanted) = self.types.kind(target).clone() else { return None };
        let mut chosen = None;
        for &number in &set.functions {
            let is_template = self.function(number).template.is_some();
            if is_template && chosen.is_some() || !is_template && !set.explicit.is_empty() {
                continue;
            }
            let function = self.function(number);
            let method = function.record.is_some() && !function.is_static;
            if method != member.is_some()
                || member.is_some_and(|member| member.2 != self.is_const_method(number))
            {
                continue;
            }
            let number = if is_template {
                let values: Vec<Typed> =
                    wanted.parameters.iter().map(|&parameter| self.declval(parameter)).collect();
                let made = self.trial(|this| {
                    let (arguments, _) =
                        this.deduce_function(number, &set.explicit, &values, span)?;
                    this.instance_of(number, &arguments, span)
                });
                match made.flatten() {
                    Some(made) => made,
                    None => continue,
                }
            } else {
                number
            };
            let fits = self.trial(|this| {
                let signature = this.signature(number)?;
                let same = signature.variadic == wanted.variadic
                    && signature.parameters.len() == wanted.parameters.len()
                    && signature.parameters.iter().map(|p| p.ty).eq(wanted.parameters.clone());
                (same && this.result_of(number, span)? == wanted.result).then_some(())
            });
            if fits.flatten().is_some() {
                if !is_template {
                    return Some(number);
                }
                chosen = Some(number);
            }
        }
        chosen
    }

    /// A function whose address is taken. For an intrinsic, that is a function that calls it.
    pub(in crate::analyze) fn addressable(&mut self, value: Typed) -> Typed {
        let TypedKind::Function(number) = value.kind else { return value };
        if self.function(number).intrinsic.is_none() {
            return value;
        }
        let wrapper = match self.wrappers.get(&number) {
            Some(&known) => known,
            None => match self.wrap(number, value.span) {
                Some(made) => made,
                None => return value,
            },
        };
        Typed { kind: TypedKind::Function(wrapper), ..value }
    }

    fn wrap(&mut self, number: FunctionNumber, span: Span) -> Option<FunctionNumber> {
        let signature = self.signature(number)?;
        let mut body = TypedBody::default();
        let mut arguments = Vec::new();
        for parameter in &signature.parameters {
            let local = LocalNumber(body.locals.len() as u32);
            let (name, ty) = (String::new(), parameter.ty);
            body.locals.push(LocalVariable { name, ty, addressed: false, span, align: 0 });
            body.parameters.push(local);
            let kind = TypedKind::Local(local);
            let place = Typed { kind, ty, lvalue: true, expiring: false, span };
            let kind = TypedKind::Load(Box::new(place));
            arguments.push(Typed { kind, ty, lvalue: false, expiring: false, span });
        }
        let (kind, ty) = (TypedKind::Call(number, arguments), signature.result);
        let called = Typed { kind, ty, lvalue: false, expiring: false, span };
        let kind = if self.types.bare(ty) == TypeId::VOID {
            TypedStatementKind::Expression(called)
        } else {
            TypedStatementKind::Return(Some(called), Vec::new())
        };
        body.statements.push(TypedStatement { kind, span });
        let name = format!("{}__address", self.text(self.function(number).name));
        let name = self.parser.names.intern(&name);
        let made = FunctionRecord {
            name,
            intrinsic: None,
            body: Some(Rc::new(body)),
            state: BodyState::Done,
            ..self.function(number).clone()
        };
        self.functions.push(made);
        let made = FunctionNumber(self.functions.len() as u32 - 1);
        self.wrappers.insert(number, made);
        Some(made)
    }
}
