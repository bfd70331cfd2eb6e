//! Variables in global and constant memory, which live as long as their module: those at module scope and
//! those that a function declares (PTX manual, "State Spaces": a function's own are visible in it alone).

use lanework_ptx::{Linkage, Module, StateSpace, Statement, Variable};

/// A variable that is placed when its module is loaded.
pub struct Static<'m> {
    /// The name that it is placed under: its own at module scope; in a function `function.name`, and a
    /// number after it for a second one of that name. No variable of PTX has a dot in its name.
    pub key: String,
    /// The function that declares it; empty at module scope.
    pub function: &'m str,
    /// The declaration.
    pub variable: &'m Variable,
}

impl<'m> Static<'m> {
    /// The address of what `name` means in this variable's initial value: a variable of the same function,
    /// or one at module scope.
    pub fn resolve(&self, name: &str, address: &dyn Fn(&str) -> Option<u64>) -> Option<u64> {
        let own = || address(&format!("{}.{name}", self.function));
        let inner = (!self.function.is_empty()).then(own).flatten();
        inner.or_else(|| address(name))
    }
}

/// The static variables that a module defines, in the order of the text.
pub fn statics(module: &Module) -> Vec<Static<'_>> {
    let defined = |v: &&Variable| is_static(v) && v.linkage != Linkage::Extern;
    let at_module_scope = module.variables().filter(defined);
    let mut found: Vec<Static<'_>> = at_module_scope
        .map(|variable| Static { key: variable.name.clone(), function: "", variable })
        .collect();
    for function in module.functions() {
        let first = found.len();
        let body = function.body.as_deref().unwrap_or_default();
        in_statements(body, &function.name, first, &mut found);
    }
    found
}

/// The key of a variable that a function declares.
pub fn key_of(module: &Module, variable: &Variable) -> Option<String> {
    let found = statics(module).into_iter().find(|s| std::ptr::eq(s.variable, variable));
    found.map(|s| s.key)
}

fn is_static(variable: &Variable) -> bool {
    matches!(variable.space, StateSpace::Global | StateSpace::Const)
}

fn in_statements<'m>(
    statements: &'m [Statement],
    function: &'m str,
    first: usize,
    found: &mut Vec<Static<'m>>,
) {
    for statement in statements {
        match statement {
            Statement::Variable(variable) if is_static(variable) => {
                let same = found[first..].iter().filter(|s| s.variable.name == variable.name);
                let key = match same.count() {
                    0 => format!("{function}.{}", variable.name),
                    n => format!("{function}.{}.{n}", variable.name),
                };
                found.push(Static { key, function, variable });
            }
            Statement::Block(inner) => in_statements(inner, function, first, found),
            _ => {}
        }
    }
}
