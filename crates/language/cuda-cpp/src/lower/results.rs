//! Named results: if every `return` names the same local variable, the variable is stored where the caller wants the
//! result. Then nothing is copied or moved, and `return` does not destroy it. GCC does the same (N4659, 15.8.3), up to
//! version 13 only for variables of the outermost block.
//!
//! Only classes whose copy or move is a function qualify: for the others, the optimizer removes the copy.

use super::FunctionLowering;
use crate::typed::*;
use crate::types::TypeId;

impl FunctionLowering<'_, '_> {
    /// The local variable that all `return` statements of the function name.
    pub(super) fn find_named_result(&self) -> Option<LocalNumber> {
        let mut found = None;
        let mut same = true;
        for_each_return(&self.body.statements, &mut |value| {
            let local = value.and_then(returned_local);
            same &= local.is_some() && (found.is_none() || found == local);
            found = local;
        });
        let outermost = |local: LocalNumber| {
            let declares = |statement: &TypedStatement| matches!(statement.kind, TypedStatementKind::Declare(declared, _) if declared == local);
            self.body.statements.iter().any(declares)
        };
        let local = found.filter(|&local| same && outermost(local))?;
        let ty = self.body.locals.get(local.0 as usize)?.ty;
        let record = |ty: TypeId| self.types().record_of(ty);
        (!self.types().is_reference(ty)
            && record(ty).is_some()
            && record(ty) == record(self.result))
        .then_some(local)
    }

    /// Lowers the cleanups of a `return`, except for the object that becomes the result.
    pub(super) fn return_cleanups(&mut self, cleanups: &[TypedStatement]) {
        for cleanup in cleanups {
            if self.named_result.is_none_or(|local| !destroys(cleanup, local)) {
                self.statement(cleanup);
            }
        }
    }
}

/// Calls `f` with the value of each `return`.
fn for_each_return(list: &[TypedStatement], f: &mut dyn FnMut(Option<&Typed>)) {
    use TypedStatementKind as S;
    for statement in list {
        match &statement.kind {
            S::Return(value, _) => f(value.as_ref()),
            S::Block(list) => for_each_return(list, f),
            S::If(_, then, otherwise) => {
                for_each_return(std::slice::from_ref(then), f);
                otherwise.iter().for_each(|other| for_each_return(std::slice::from_ref(other), f));
            }
            S::Loop { body, .. } | S::Switch(_, body) => {
                for_each_return(std::slice::from_ref(body), f);
            }
            S::Try(body, handlers) => {
                for_each_return(std::slice::from_ref(body), f);
                for_each_return(handlers, f);
            }
            _ => {}
        }
    }
}

/// The local variable that a constructor copies or moves to the result.
fn returned_local(value: &Typed) -> Option<LocalNumber> {
    match &value.kind {
        TypedKind::Full(value) => returned_local(value),
        TypedKind::ConstructorCall(_, arguments) => match &arguments.first()?.kind {
            TypedKind::AddressOf(object) => match object.kind {
                TypedKind::Local(local) => Some(local),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// Whether a cleanup destroys this variable.
fn destroys(cleanup: &TypedStatement, local: LocalNumber) -> bool {
    use TypedStatementKind as S;
    let any = |list: &[TypedStatement]| list.iter().any(|part| destroys(part, local));
    match &cleanup.kind {
        S::Expression(value) => is_within(value, local),
        S::Block(list) => any(list),
        S::Loop { before, body, .. } => {
            before.as_ref().is_some_and(|before| destroys(before, local)) || destroys(body, local)
        }
        S::If(_, then, _) => destroys(then, local),
        S::Declare(_, Some(value)) => is_within(value, local),
        _ => false,
    }
}

/// Whether a destructor call or an address belongs to this variable.
fn is_within(value: &Typed, local: LocalNumber) -> bool {
    use TypedKind as K;
    match &value.kind {
        K::Local(found) => *found == local,
        K::Call(_, arguments) | K::CallVirtual(_, arguments) => {
            arguments.first().is_some_and(|first| is_within(first, local))
        }
        K::AddressOf(inner)
        | K::Field(inner, ..)
        | K::Dereference(inner)
        | K::Full(inner)
        | K::Load(inner)
        | K::Convert(inner)
        | K::Reinterpret(inner)
        | K::PointerAdd(inner, ..)
        | K::Comma(inner, _) => is_within(inner, local),
        K::Statements(list, _) => list.iter().any(|part| destroys(part, local)),
        _ => false,
    }
}
