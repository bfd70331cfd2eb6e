//! Checks of declarations: module-scope names, limits of each state space, function headers.

use crate::ast::*;
use crate::types::{ScalarType, StateSpace};
use crate::validate::Checker;
use crate::validate::names::{Symbol, VariableRole};

/// Maximum size of an entry's parameters in bytes (PTX manual, "Kernel Function Parameters").
const MOST_PARAMETER_BYTES: u64 = 32_764;
/// Directives allowed in a body and kept as text.
const BODY_DIRECTIVES: [&str; 6] =
    [".loc", ".pragma", ".branchtargets", ".calltargets", ".callprototype", ".attribute"];

impl<'a> Checker<'a> {
    pub(super) fn declare_item(&mut self, item: &'a Item) {
        let (name, meaning, may_repeat) = match item {
            Item::Variable(v) => {
                self.variable(v, VariableRole::Module, 0);
                (
                    &v.name,
                    Symbol::from_variable(v, VariableRole::Module),
                    v.linkage == Linkage::Extern,
                )
            }
            Item::Function(f) => {
                let meaning = Symbol::Function { defined: f.body.is_some(), linkage: f.linkage };
                (&f.name, meaning, false)
            }
            Item::Directive(words) => {
                // `.alias f, g;` declares f, which may have been declared before.
                let name = words.strip_prefix(".alias").and_then(|rest| rest.split(',').next());
                if let Some(name) = name {
                    let meaning = Symbol::Function { defined: true, linkage: Linkage::Internal };
                    self.globals.names.entry(name.trim()).or_insert(meaning);
                }
                return;
            }
        };
        let before = self.globals.names.insert(name, meaning);
        // A function may be declared any number of times and defined once.
        let repeats = match (before, meaning) {
            (None, _) => false,
            (
                Some(Symbol::Function { defined: before, .. }),
                Symbol::Function { defined, linkage },
            ) => {
                self.globals
                    .names
                    .insert(name, Symbol::Function { defined: before || defined, linkage });
                before && defined
            }
            (Some(Symbol::Variable(before, _)), Symbol::Variable(now, _)) => {
                !may_repeat && before.linkage != Linkage::Extern || before.space != now.space
            }
            _ => true,
        };
        if repeats {
            self.report(0, format!("`{name}` is declared twice at module scope"), None);
        }
    }

    /// Checks a variable against the limits of its state space, and its alignment.
    pub(super) fn variable(&mut self, variable: &Variable, role: VariableRole, line: u32) {
        let name = &variable.name;
        let align = variable.align.unwrap_or(1);
        if !align.is_power_of_two() {
            let message = format!("the alignment {align} of `{name}` is not a power of two");
            self.report(line, message, Some("align to 1, 2, 4, 8, 16 ... bytes"));
        }
        self.wide_type(variable.ty, line);
        if variable.space == StateSpace::Reg {
            return;
        }
        let refused = match variable.ty {
            ScalarType::Pred | ScalarType::Bf16 | ScalarType::Bf16x2 => true,
            ScalarType::F16x2 => variable.space == StateSpace::Param,
            _ => false,
        };
        if refused {
            let message =
                format!("`{name}` of type .{} cannot be in {}", variable.ty.name(), variable.space);
            self.report(line, message, Some("only registers have this type; declare it as bits"));
        }
        if u32::from(variable.vector) * variable.ty.size() > 16 {
            let message = format!("an element of `{name}` has more than 16 bytes");
            self.report(line, message, Some("a vector has 16 bytes at most"));
        }
        let initialized = matches!(variable.space, StateSpace::Global | StateSpace::Const);
        if variable.init.is_some() && (!initialized || variable.linkage == Linkage::Extern) {
            let message = format!("`{name}` in {} cannot have an initial value", variable.space);
            self.report(line, message, Some("store to it at the start of the kernel"));
        }
        let open = variable.dims.first().is_some_and(Option::is_none);
        if variable.dims.iter().skip(1).any(Option::is_none) {
            let message = format!("only the first extent of `{name}` may be absent");
            self.report(line, message, None);
        }
        let sized_later = variable.linkage == Linkage::Extern || variable.init.is_some();
        if open && !sized_later && variable.space != StateSpace::Param {
            let message = format!("the array `{name}` has no size");
            self.report(line, message, Some("give it one, or declare it `.extern`"));
        }
        if variable.dims.contains(&Some(0)) && variable.space != StateSpace::Param && !sized_later {
            let message = format!("the array `{name}` has no elements");
            self.report(line, message, Some("give it at least one element"));
        }
        if role == VariableRole::Module && matches!(variable.space, StateSpace::Param) {
            let message = format!("`{name}` in .param is declared outside a function");
            self.report(line, message, Some("declare it in a function, or in .global or .const"));
        }
    }

    /// The head of a function: its parameters and directives.
    pub(super) fn head(&mut self, function: &'a Function) {
        let name = &function.name;
        if function.body.is_some() && function.linkage == Linkage::Extern {
            let message = format!("`{name}` is `.extern` and has a body");
            self.report(0, message, Some("declare it `.visible`, or leave the body out"));
        }
        for variable in function.params.iter().chain(&function.returns) {
            let allowed = match variable.space {
                StateSpace::Param => true,
                StateSpace::Reg => !function.entry,
                _ => false,
            };
            if !allowed {
                let message = format!(
                    "the parameter `{}` of `{name}` is in {}; expected .param",
                    variable.name, variable.space
                );
                self.report(0, message, Some("declare it `.param`"));
            }
            self.variable(variable, VariableRole::Parameter, 0);
            if function.entry && variable.dims.first().is_some_and(Option::is_none) {
                let message = format!("the array `{}` has no size", variable.name);
                self.report(0, message, Some("give it one: a launch copies all of it"));
            }
            if function.entry && variable.vector > 1 {
                let message = format!("the parameter `{}` of `{name}` is a vector", variable.name);
                self.report(0, message, Some("declare it as an array of bytes"));
            }
        }
        let bytes: u64 = function.params.iter().map(Variable::size).sum();
        if function.entry && bytes > MOST_PARAMETER_BYTES {
            let message = format!(
                "the parameters of `{name}` take {bytes} bytes; at most {MOST_PARAMETER_BYTES} fit"
            );
            self.report(0, message, Some("pass a pointer to them"));
        }
        if function.entry && !function.returns.is_empty() {
            self.report(0, format!("the entry `{name}` returns a value"), None);
        }
        self.function_directives(function);
        let body = function.body.as_deref().unwrap_or_default();
        let shared = shared_bytes(body);
        // The limit per block. Before sm_90 it is 48 KiB for static variables.
        let most = match self.module.target.architecture {
            ..90 => 48 << 10,
            90..120 => 227 << 10,
            _ => 99 << 10,
        };
        if function.entry && shared > most {
            let message =
                format!("`{name}` declares {shared} bytes of shared memory; at most {most} fit");
            self.report(0, message, Some("use dynamic shared memory: `.extern .shared`"));
        }
    }

    fn function_directives(&mut self, function: &Function) {
        let name = &function.name;
        let mut shapes = [false; 2];
        for directive in &function.directives {
            let (what, shape, index) = match directive {
                FunctionDirective::MaxBlock(shape) => (".maxntid", shape, 0),
                FunctionDirective::RequiredBlock(shape) => (".reqntid", shape, 1),
                _ => continue,
            };
            if shape.contains(&0) {
                let message = format!("`{what}` of `{name}` has an extent of 0");
                self.report(0, message, Some("give at least one thread in each direction"));
            }
            if !function.entry {
                self.report(
                    0,
                    format!("`{what}` is not allowed on the device function `{name}`"),
                    None,
                );
            }
            shapes[index] = true;
        }
        if shapes == [true; 2] {
            let message = format!("`{name}` has both `.maxntid` and `.reqntid`");
            self.report(0, message, Some("remove one of the two"));
        }
    }

    /// The type of registers.
    pub(super) fn register_type(&mut self, registers: &Registers, line: u32) {
        let name = registers.ty.name();
        if matches!(registers.ty, ScalarType::Bf16 | ScalarType::Bf16x2) {
            let message = format!("there are no registers of type .{name}");
            self.report(line, message, Some("declare them .b16 or .b32"));
        }
        self.wide_type(registers.ty, line);
    }

    /// `.b128` is the only type that needs a newer version.
    fn wide_type(&mut self, ty: ScalarType, line: u32) {
        let first = Version { major: 8, minor: 3 };
        let known = self.module.version >= first && self.module.target.architecture >= 70;
        if ty == ScalarType::B128 && !known {
            let message = format!("the type .b128 needs PTX {first} and sm_70");
            self.report(line, message, Some("raise `.version` and `.target`"));
        }
    }

    /// `.branchtargets` and similar directives, which follow a label and list labels.
    pub(super) fn targets(&mut self, words: &str, labeled: bool, line: u32) {
        let (first, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
        if !matches!(first, ".branchtargets" | ".calltargets" | ".callprototype") {
            return;
        }
        if !labeled {
            let message = format!("`{first}` has no label before it");
            self.report(line, message, Some("name it: `targets: .branchtargets a, b;`"));
        }
        if first == ".branchtargets" {
            for name in rest.split(',').map(str::trim) {
                let declared = self.resolve(name) == Some(Symbol::Label);
                if !declared && !name.contains('<') {
                    let message = format!("there is no label `{name}` to branch to");
                    self.report(line, message, Some("add the label, or leave it out"));
                }
            }
        }
    }

    /// A directive in a body that is kept as text.
    pub(super) fn body_directive(&mut self, words: &str, line: u32) {
        let first = words.split_whitespace().next().unwrap_or_default();
        if !BODY_DIRECTIVES.contains(&first) {
            let message = format!("`{first}` is not a directive of a function's body");
            self.report(line, message, Some("remove it, or move it to module scope"));
        } else if first == ".pragma" && !words.contains('"') {
            let message = "`.pragma` takes a string".to_owned();
            self.report(line, message, Some("write .pragma \"nounroll\";"));
        }
    }
}

/// The size in bytes of the static shared memory that statements declare.
fn shared_bytes(statements: &[Statement]) -> u64 {
    statements.iter().fold(0, |sum: u64, statement| {
        sum.saturating_add(match statement {
            Statement::Variable(v) if v.space == StateSpace::Shared => v.size(),
            Statement::Block(inner) => shared_bytes(inner),
            _ => 0,
        })
    })
}
