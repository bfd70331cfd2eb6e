//! Visits the names that expressions, types and statements use.

use super::*;

/// Calls `f` for every unqualified name, and for the first part of every qualified name.
pub fn names_in(expression: &Expression, f: &mut dyn FnMut(Name)) {
    use ExpressionKind as E;
    let two = |a: &Expression, b: &Expression, f: &mut dyn FnMut(Name)| {
        names_in(a, f);
        names_in(b, f);
    };
    match &expression.kind {
        E::Name(name) => names_in_name(name, f),
        E::This => f(known::THIS),
        E::Unary(_, a)
        | E::Postfix(a, _)
        | E::SizeOf(a)
        | E::Expansion(a)
        | E::Delete(a, _)
        | E::ValueIdentity(a) => names_in(a, f),
        E::Binary(_, a, b) | E::Assign(_, a, b) | E::Index(a, b) | E::MemberAccess(a, _, b) => {
            two(a, b, f)
        }
        E::Conditional(a, b, c) => {
            two(a, b, f);
            names_in(c, f);
        }
        E::Call(a, list) => {
            names_in(a, f);
            list.iter().for_each(|value| names_in(value, f));
        }
        E::Member(a, _, name) => {
            names_in(a, f);
            for argument in name
                .parts
                .iter()
                .filter_map(|part| part.arguments.as_ref())
                .flat_map(|list| list.iter())
            {
                names_in_argument(argument, f);
            }
        }
        E::Cast(_, kind, a) => {
            names_in_type(kind, f);
            names_in(a, f);
        }
        E::Construct(kind, list, _) => {
            names_in_type(kind, f);
            list.iter().for_each(|element| names_in(&element.value, f));
        }
        E::List(list) => list.iter().for_each(|element| names_in(&element.value, f)),
        E::SizeOfType(kind) | E::AlignOf(kind) | E::TypeIdentity(kind) => names_in_type(kind, f),
        E::SizeOfPack(name) => f(*name),
        E::Lambda(lambda) => {
            for capture in &lambda.captures {
                if let Some(name) = capture.name {
                    f(name);
                }
                if let Some(value) = &capture.value {
                    names_in(value, f);
                }
            }
            names_in_statements(&lambda.body, f);
        }
        E::Fold(_, a, b) => a.iter().chain(b).for_each(|value| names_in(value, f)),
        E::New(new) => {
            names_in_type(&new.kind, f);
            new.placement.iter().for_each(|value| names_in(value, f));
            new.arguments.iter().for_each(|element| names_in(&element.value, f));
        }
        E::Trait(_, kinds) => kinds.iter().for_each(|kind| names_in_type(kind, f)),
        E::Statements(list) => names_in_statements(list, f),
        E::Throw(value) => value.iter().for_each(|value| names_in(value, f)),
        E::Launch(launch) => {
            names_in(&launch.kernel, f);
            launch.configuration.iter().for_each(|value| names_in(value, f));
            launch.arguments.iter().for_each(|value| names_in(value, f));
        }
        _ => {}
    }
}

use crate::lex::known;

fn names_in_name(name: &QualifiedName, f: &mut dyn FnMut(Name)) {
    if !name.global {
        f(name.parts[0].name);
    }
    for argument in
        name.parts.iter().filter_map(|part| part.arguments.as_ref()).flat_map(|list| list.iter())
    {
        names_in_argument(argument, f);
    }
}

fn names_in_argument(argument: &TemplateArgumentSyntax, f: &mut dyn FnMut(Name)) {
    match &argument.kind {
        TemplateArgumentKind::Type(kind) => names_in_type(kind, f),
        TemplateArgumentKind::Value(value) => names_in(value, f),
    }
}

/// Visits the names in a type.
pub fn names_in_type(kind: &TypeSyntax, f: &mut dyn FnMut(Name)) {
    match &kind.base {
        BaseType::Named(name) => names_in_name(name, f),
        BaseType::Decltype(value) => names_in(value, f),
        _ => {}
    }
    for step in &kind.derived {
        match step {
            Derivation::Array(Some(size)) => names_in(size, f),
            Derivation::MemberPointer { class, .. } => names_in_name(class, f),
            Derivation::Function(function) => {
                function.parameters.iter().for_each(|parameter| names_in_type(&parameter.kind, f));
            }
            _ => {}
        }
    }
}

/// Visits the names in statements.
pub fn names_in_statements(list: &[Statement], f: &mut dyn FnMut(Name)) {
    list.iter().for_each(|statement| names_in_statement(statement, f));
}

fn names_in_variable(variable: &VariableSyntax, f: &mut dyn FnMut(Name)) {
    names_in_type(&variable.kind, f);
    match &variable.initializer {
        Initializer::None => {}
        Initializer::Copy(value) | Initializer::List(value) => names_in(value, f),
        Initializer::Direct(list) => list.iter().for_each(|value| names_in(value, f)),
    }
}

fn names_in_condition(condition: &Condition, f: &mut dyn FnMut(Name)) {
    match condition {
        Condition::Value(value) => names_in(value, f),
        Condition::Variable(variable) => names_in_variable(variable, f),
    }
}

fn names_in_statement(statement: &Statement, f: &mut dyn FnMut(Name)) {
    use StatementKind as S;
    match &statement.kind {
        S::Expression(value) | S::Return(Some(value)) => names_in(value, f),
        S::Block(list) => names_in_statements(list, f),
        S::Try(body, handlers) => {
            names_in_statements(body, f);
            handlers.iter().for_each(|handler| names_in_statements(&handler.body, f));
        }
        S::Declaration(items) => {
            for item in items {
                match &item.kind {
                    DeclarationKind::Variable(variable) => names_in_variable(variable, f),
                    DeclarationKind::Alias(_, kind) => names_in_type(kind, f),
                    _ => {}
                }
            }
        }
        S::If { init, condition, then, otherwise, .. } => {
            init.iter().for_each(|init| names_in_statement(init, f));
            names_in_condition(condition, f);
            names_in_statement(then, f);
            otherwise.iter().for_each(|otherwise| names_in_statement(otherwise, f));
        }
        S::While(condition, body, _) => {
            names_in_condition(condition, f);
            names_in_statement(body, f);
        }
        S::DoWhile(body, condition, _) => {
            names_in_statement(body, f);
            names_in(condition, f);
        }
        S::For { init, condition, step, body, .. } => {
            init.iter().for_each(|init| names_in_statement(init, f));
            condition.iter().for_each(|condition| names_in_condition(condition, f));
            step.iter().for_each(|step| names_in(step, f));
            names_in_statement(body, f);
        }
        S::RangeFor { range, body, .. } => {
            names_in(range, f);
            names_in_statement(body, f);
        }
        S::Switch(init, condition, body) => {
            init.iter().for_each(|init| names_in_statement(init, f));
            names_in_condition(condition, f);
            names_in_statement(body, f);
        }
        S::Case(value, _, inner) => {
            names_in(value, f);
            names_in_statement(inner, f);
        }
        S::Default(inner) | S::Label(_, inner) => names_in_statement(inner, f),
        S::Asm(asm) => {
            asm.outputs.iter().chain(&asm.inputs).for_each(|operand| names_in(&operand.value, f));
        }
        _ => {}
    }
}
