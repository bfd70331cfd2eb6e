//! Validation: finds what ptxas rejects in a module that parses.
//!
//! It checks that names are declared once and before use; that operands have the types, state spaces and kinds that the
//! instruction's form requires (the [instruction table](crate::instructions)); that version and target support the
//! instructions; that declarations obey the limits of their state space; and that the `.loc` directives of inlined
//! calls refer to existing positions and labels. The rules follow the PTX manual. `crates/runtime/lanework/tests/ptxas`
//! compares them with ptxas 13.0 and counts the differences.

mod declarations;
mod heading;
mod instruction;
mod names;
mod operand;
mod samples;

use crate::ast::{Item, *};
use crate::diagnostics::{Collector, Diagnostic, Diagnostics};
use crate::instructions::Modifier;
use crate::validate::names::{RegisterType, Scope, Symbol, VariableRole};
use std::collections::{HashMap, HashSet};

impl Module {
    /// Performs the checks of ptxas on a parsed module: names, types and state spaces of operands, modifiers, version
    /// and target.
    ///
    /// # Errors
    /// The first 20 problems. They have the line of the text, if the module was parsed, and no column.
    pub fn validate(&self) -> Result<(), Diagnostics> {
        let mut checker = Checker {
            module: self,
            functions: HashMap::new(),
            globals: Scope::default(),
            scopes: Vec::new(),
            debug_labels: HashSet::new(),
            locations: HashSet::new(),
            pairs: None,
            problems: Collector::default(),
        };
        for function in self.functions() {
            checker.functions.entry(&function.name).or_insert(function);
        }
        checker.heading();
        self.items.iter().for_each(|item| checker.declare_item(item));
        checker.sections();
        if !checker.narrow_addresses() {
            self.functions().for_each(|function| checker.function(function));
        }
        checker.problems.finish(())
    }
}

struct Checker<'a> {
    module: &'a Module,
    /// The first function of each name in the module.
    functions: HashMap<&'a str, &'a Function>,
    /// Variables and functions of the module.
    globals: Scope<'a>,
    /// Names of the function and of the enclosing blocks, outermost first.
    scopes: Vec<Scope<'a>>,
    /// Labels of the debug sections.
    debug_labels: HashSet<&'a str>,
    /// The positions that `.loc` directives named so far.
    locations: HashSet<[u32; 3]>,
    /// The `.cta_group` of the function's first instruction on tensor memory.
    pairs: Option<Modifier>,
    problems: Collector,
}

impl<'a> Checker<'a> {
    fn report(&mut self, line: u32, message: String, help: Option<&str>) {
        self.problems.push(|| Diagnostic {
            file: None,
            line: line as usize,
            column: 0,
            width: 1,
            message,
            help: help.map(str::to_owned),
            source_line: String::new(),
        });
    }

    fn declare(&mut self, name: &'a str, meaning: Symbol<'a>, line: u32, function: &str) {
        let scope = self.scopes.last_mut().expect("a function is open");
        // `_` is not a name, and call parameters may be redeclared in the same scope.
        if name != "_" && !scope.declare(name, meaning) {
            self.twice(name, line, function);
        }
    }

    fn declare_range(
        &mut self,
        name: &'a str,
        ty: RegisterType,
        count: u32,
        line: u32,
        function: &str,
    ) {
        let scope = self.scopes.last_mut().expect("a function is open");
        if !scope.declare_range(name, ty, count) {
            self.twice(name, line, function);
        }
    }

    fn twice(&mut self, name: &str, line: u32, function: &str) {
        let message = format!("`{name}` is declared twice in the same scope of `{function}`");
        self.report(line, message, Some("rename one, or put it into its own `{ }` block"));
    }

    fn function(&mut self, function: &'a Function) {
        self.head(function);
        let Some(body) = &function.body else { return };
        self.pairs = None;
        self.scopes.push(Scope::default());
        for variable in &function.returns {
            let meaning = Symbol::from_variable(variable, VariableRole::Return);
            self.declare(&variable.name, meaning, 0, &function.name);
        }
        for variable in &function.params {
            let role =
                if function.entry { VariableRole::EntryParameter } else { VariableRole::Parameter };
            self.declare(&variable.name, Symbol::from_variable(variable, role), 0, &function.name);
        }
        self.scope(body, &function.name);
        self.scopes.pop();
    }

    /// One level of braces. Its declarations are visible in the whole scope, because code may use labels before their
    /// declaration.
    fn scope(&mut self, statements: &'a [Statement], function: &str) {
        let first_lines = following_lines(statements);
        for (statement, line) in statements.iter().zip(&first_lines) {
            match statement {
                Statement::Registers(registers) => {
                    self.register_type(registers, *line);
                    let ty = RegisterType { ty: registers.ty, vector: registers.vector };
                    for (name, count) in &registers.names {
                        match count {
                            Some(count) => self.declare_range(name, ty, *count, *line, function),
                            None => self.declare(name, Symbol::Register(ty), *line, function),
                        }
                    }
                }
                Statement::Variable(v) => {
                    self.variable(v, VariableRole::Body, *line);
                    self.declare(
                        &v.name,
                        Symbol::from_variable(v, VariableRole::Body),
                        *line,
                        function,
                    );
                }
                Statement::Label(name) => self.declare(name, Symbol::Label, *line, function),
                Statement::Directive(words) => self.body_directive(words, *line),
                _ => {}
            }
        }
        for (index, statement) in statements.iter().enumerate() {
            match statement {
                Statement::Instruction(instruction) => {
                    if let Some(location) = &instruction.location {
                        let place = [location.file, location.line, location.column];
                        let inlined = location.inlined.as_deref().unwrap_or_default();
                        self.location(place, inlined, instruction.text_line);
                    }
                    self.instruction(instruction);
                }
                Statement::Directive(words) => {
                    let label = index.checked_sub(1).map(|before| &statements[before]);
                    let labeled = matches!(label, Some(Statement::Label(_)));
                    self.targets(words, labeled, first_lines[index]);
                    self.standing_location(words, first_lines[index]);
                }
                Statement::Block(inner) => {
                    self.scopes.push(Scope::default());
                    self.scope(inner, function);
                    self.scopes.pop();
                }
                _ => {}
            }
        }
    }

    /// The meaning of `name`, innermost scope first.
    fn resolve(&self, name: &str) -> Option<Symbol<'a>> {
        let scopes = self.scopes.iter().rev();
        scopes.chain([&self.globals]).find_map(|scope| scope.look_up(name))
    }
}

/// For each statement, the line of the first instruction at or after it, because declarations have no line.
fn following_lines(statements: &[Statement]) -> Vec<u32> {
    let mut line = 0;
    let mut lines: Vec<u32> = statements
        .iter()
        .rev()
        .map(|statement| {
            if let Statement::Instruction(instruction) = statement {
                line = instruction.text_line;
            }
            line
        })
        .collect();
    lines.reverse();
    lines
}

impl Checker<'_> {
    /// The labels of debug sections.
    pub(super) fn sections(&mut self) {
        for item in &self.module.items {
            let Item::Directive(text) = item else { continue };
            if !text.starts_with(".section") {
                continue;
            }
            for label in text.split_whitespace().filter_map(|word| word.strip_suffix(':')) {
                if !self.debug_labels.insert(label) {
                    let message =
                        format!("the label `{label}` is declared twice in debug sections");
                    self.report(0, message, Some("remove one"));
                }
            }
        }
    }

    /// A `.loc` before an instruction; `inlined` has the words after its position.
    pub(super) fn location(&mut self, place: [u32; 3], inlined: &str, line: u32) {
        self.locations.insert(place);
        if inlined.is_empty() {
            return;
        }
        let mut words = inlined.split([' ', '\t', ',']).filter(|word| !word.is_empty());
        while let Some(word) = words.next() {
            match word {
                "function_name" => {
                    let label =
                        words.next().unwrap_or_default().split('+').next().unwrap_or_default();
                    if !self.debug_labels.contains(label) {
                        let message =
                            format!("`.loc` names `{label}`, which no debug section declares");
                        self.report(line, message, Some("remove `function_name`"));
                    }
                }
                "inlined_at" => {
                    let mut number = || words.next()?.parse().ok();
                    let outer = (|| Some([number()?, number()?, number()?]))();
                    if let Some(outer) = outer
                        && !self.locations.contains(&outer)
                    {
                        let [file, row, column] = outer;
                        let message =
                            format!("`inlined_at {file} {row} {column}` names no `.loc` before it");
                        self.report(line, message, Some("put `.loc` of the call first"));
                    }
                }
                _ => {}
            }
        }
    }

    /// A standalone `.loc`, as text.
    pub(super) fn standing_location(&mut self, words: &str, line: u32) {
        let Some(rest) = words.strip_prefix(".loc") else { return };
        let (place, inlined) = rest.split_once(',').unwrap_or((rest, ""));
        let mut numbers = place.split_whitespace().map(|word| word.parse().unwrap_or(0));
        let mut next = || numbers.next().unwrap_or(0);
        self.location([next(), next(), next()], inlined, line);
    }
}

#[cfg(test)]
mod tests;
