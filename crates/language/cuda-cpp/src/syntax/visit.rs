//! Visits the names that expressions, types and statements use.
//!
//! A pack expansion within a pattern has its own packs: they do not count for the expansion of the pattern.

use super::*;

/// Calls `f` for every unqualified name, and for the first part of every qualified name.
pub fn names_in(expression: &Expression, f: &mut dyn FnMut(Name)) {
    in_expression(expression, true, f);
}

/// Visits the names in a type.
pub fn names_in_type(kind: &TypeSyntax, f: &mut dyn FnMut(Name)) {
    in_type(kind, true, f);
}

/// Visits the names in statements.
pub fn names_in_statements(list: &[Statement], f: &mut dyn FnMut(Name)) {
    in_statements(list, true, f);
}

/// Visits the names in a pattern that `...` may expand: not those in expansions within it.
pub fn names_to_expand(pattern: &Expression, f: &mut dyn FnMut(Name)) {
    in_expression(pattern, false, f);
}

/// Visits the names in a type that `...` may expand.
pub fn type_names_to_expand(pattern: &TypeSyntax, f: &mut dyn FnMut(Name)) {
    in_type(pattern, false, f);
}

fn in_expression(expression: &Expression, all: bool, f: &mut dyn FnMut(Name)) {
    use ExpressionKind as E;
    let two = |a: &Expression, b: &Expression, f: &mut dyn FnMut(Name)| {
        in_expression(a, all, f);
        in_expression(b, all, f);
    };
    match &expression.kind {
        E::Expansion(_) | E::SizeOfPack(_) | E::Fold(..) if !all => {}
        E::Name(name) => in_name(name, all, f),
        E::This => f(known::THIS),
        E::Unary(_, a)
        | E::Postfix(a, _)
        | E::SizeOf(a)
        | E::Expansion(a)
        | E::Delete(a, _)
        | E::ValueIdentity(a) => in_expression(a, all, f),
        E::Binary(_, a, b) | E::Assign(_, a, b) | E::Index(a, b) | E::MemberAccess(a, _, b) => {
            two(a, b, f)
        }
        E::Conditional(a, b, c) => {
            two(a, b, f);
            in_expression(c, all, f);
        }
        E::Call(a, list) => {
            in_expression(a, all, f);
            list.iter().for_each(|value| in_expression(value, all, f));
        }
        E::Member(a, _, name) => {
            in_expression(a, all, f);
            for argument in name
                .parts
                .iter()
                .filter_map(|part| part.arguments.as_ref())
                .flat_map(|list| list.iter())
            {
                in_argument(argument, all, f);
            }
        }
        E::Cast(_, kind, a) => {
            in_type(kind, all, f);
            in_expression(a, all, f);
        }
        E::Construct(kind, list, _) => {
            in_type(kind, all, f);
            list.iter().for_each(|element| in_expression(&element.value, all, f));
        }
        E::List(list) => list.iter().for_each(|element| in_expression(&element.value, all, f)),
        E::SizeOfType(kind) | E::AlignOf(kind) | E::TypeIdentity(kind) => in_type(kind, all, f),
        E::SizeOfPack(name) => f(*name),
        E::Lambda(lambda) => {
            for capture in &lambda.captures {
                if let Some(name) = capture.name {
                    f(name);
                }
                if let Some(value) = &capture.value {
                    in_expression(value, all, f);
                }
            }
            in_statements(&lambda.body, all, f);
        }
        E::Fold(_, a, b) => a.iter().chain(b).for_each(|value| in_expression(value, all, f)),
        E::New(new) => {
            in_type(&new.kind, all, f);
            new.placement.iter().for_each(|value| in_expression(value, all, f));
            new.arguments.iter().for_each(|element| in_expression(&element.value, all, f));
        }
        E::Trait(_, kinds) => kinds.iter().for_each(|kind| in_type(kind, all, f)),
        E::Statements(list) => in_statements(list, all, f),
        E::Throw(value) => value.iter().for_each(|value| in_expression(value, all, f)),
        E::Launch(launch) => {
            in_expression(&launch.kernel, all, f);
            launch.configuration.iter().for_each(|value| in_expression(value, all, f));
            launch.arguments.iter().for_each(|value| in_expression(value, all, f));
        }
        _ => {}
    }
}

use crate::lex::known;

fn in_name(name: &QualifiedName, all: bool, f: &mut dyn FnMut(Name)) {
    if !name.global {
        f(name.parts[0].name);
    }
    for argument in
        name.parts.iter().filter_map(|part| part.arguments.as_ref()).flat_map(|list| list.iter())
    {
        in_argument(argument, all, f);
    }
}

fn in_argument(argument: &TemplateArgumentSyntax, all: bool, f: &mut dyn FnMut(Name)) {
    if argument.expands && !all {
        return;
    }
    match &argument.kind {
        TemplateArgumentKind::Type(kind) => in_type(kind, all, f),
        TemplateArgumentKind::Value(value) => in_expression(value, all, f),
    }
}

fn in_type(kind: &TypeSyntax, all: bool, f: &mut dyn FnMut(Name)) {
    match &kind.base {
        BaseType::Named(name) => in_name(name, all, f),
        BaseType::Decltype(value) => in_expression(value, all, f),
        _ => {}
    }
    for step in &kind.derived {
        match step {
            Derivation::Array(Some(size)) => in_expression(size, all, f),
            Derivation::MemberPointer { class, .. } => in_name(class, all, f),
            Derivation::Function(function) => {
                for parameter in
                    function.parameters.iter().filter(|parameter| all || !parameter.pack)
                {
                    in_type(&parameter.kind, all, f);
                }
            }
            _ => {}
        }
    }
}

fn in_statements(list: &[Statement], all: bool, f: &mut dyn FnMut(Name)) {
    list.iter().for_each(|statement| in_statement(statement, all, f));
}

fn in_variable(variable: &VariableSyntax, all: bool, f: &mut dyn FnMut(Name)) {
    in_type(&variable.kind, all, f);
    match &variable.initializer {
        Initializer::None => {}
        Initializer::Copy(value) | Initializer::List(value) => in_expression(value, all, f),
        Initializer::Direct(list) => list.iter().for_each(|value| in_expression(value, all, f)),
    }
}

fn in_condition(condition: &Condition, all: bool, f: &mut dyn FnMut(Name)) {
    match condition {
        Condition::Value(value) => in_expression(value, all, f),
        Condition::Variable(variable) => in_variable(variable, all, f),
    }
}

fn in_statement(statement: &Statement, all: bool, f: &mut dyn FnMut(Name)) {
    use StatementKind as S;
    match &statement.kind {
        S::Expression(value) | S::Return(Some(value)) => in_expression(value, all, f),
        S::Block(list) => in_statements(list, all, f),
        S::Try(body, handlers) => {
            in_statements(body, all, f);
            handlers.iter().for_each(|handler| in_statements(&handler.body, all, f));
        }
        S::Declaration(items) => {
            for item in items {
                match &item.kind {
                    DeclarationKind::Variable(variable) => in_variable(variable, all, f),
                    DeclarationKind::Alias(_, kind) => in_type(kind, all, f),
                    _ => {}
                }
            }
        }
        S::If { init, condition, then, otherwise, .. } => {
            init.iter().for_each(|init| in_statement(init, all, f));
            in_condition(condition, all, f);
            in_statement(then, all, f);
            otherwise.iter().for_each(|otherwise| in_statement(otherwise, all, f));
        }
        S::While(condition, body, _) => {
            in_condition(condition, all, f);
            in_statement(body, all, f);
        }
        S::DoWhile(body, condition, _) => {
            in_statement(body, all, f);
            in_expression(condition, all, f);
        }
        S::For { init, condition, step, body, .. } => {
            init.iter().for_each(|init| in_statement(init, all, f));
            condition.iter().for_each(|condition| in_condition(condition, all, f));
            step.iter().for_each(|step| in_expression(step, all, f));
            in_statement(body, all, f);
        }
        S::RangeFor { range, body, .. } => {
            in_expression(range, all, f);
            in_statement(body, all, f);
        }
        S::Switch(init, condition, body) => {
            init.iter().for_each(|init| in_statement(init, all, f));
            in_condition(condition, all, f);
            in_statement(body, all, f);
        }
        S::Case(value, _, inner) => {
            in_expression(value, all, f);
            in_statement(inner, all, f);
        }
        S::Default(inner) | S::Label(_, inner) => in_statement(inner, all, f),
        S::Asm(asm) => {
            asm.outputs
                .iter()
                .chain(&asm.inputs)
                .for_each(|operand| in_expression(&operand.value, all, f));
        }
        _ => {}
    }
}
