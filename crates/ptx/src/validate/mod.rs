//! Name validation: names that are declared twice or not at all. The assembler and the emulator
//! check instructions and operand types.

use crate::ast::*;
use crate::diagnostics::{Collector, Diagnostic, Diagnostics};
use std::collections::HashMap;

impl Module {
    /// Checks that every register, variable, label and function used is declared, that none is
    /// declared twice, and that the module has an entry.
    ///
    /// # Errors
    /// The problems found, 20 at most. They carry the line of the parsed text, if the module was
    /// parsed, and no column.
    pub fn validate(&self) -> Result<(), Diagnostics> {
        let mut checker =
            Checker { globals: HashMap::new(), scopes: Vec::new(), problems: Collector::default() };
        self.items.iter().for_each(|item| checker.declare_item(item));
        self.functions().for_each(|function| checker.function(function));
        if self.entries().next().is_none() && self.functions().all(|f| f.body.is_none()) {
            let help = "define a kernel with `.visible .entry name(...) { ... }`";
            checker.complain(
                0,
                "the module defines no `.entry` and no `.func`".to_owned(),
                Some(help),
            );
        }
        checker.problems.finish(())
    }
}

/// The meaning of a name.
#[derive(Clone, Copy, PartialEq)]
enum Meaning {
    Register,
    /// Registers `%r0` to `%r<n-1>`, under their common prefix.
    Registers(u32),
    Variable,
    Label,
    Function {
        defined: bool,
    },
}

struct Checker<'a> {
    /// Variables and functions of the module.
    globals: HashMap<&'a str, Meaning>,
    /// Names of the function and of the enclosing blocks, outermost first.
    scopes: Vec<HashMap<&'a str, Meaning>>,
    problems: Collector,
}

impl<'a> Checker<'a> {
    fn complain(&mut self, line: u32, message: String, help: Option<&str>) {
        self.problems.push(|| Diagnostic {
            line: line as usize,
            column: 0,
            width: 1,
            message,
            help: help.map(str::to_owned),
            source_line: String::new(),
        });
    }

    fn declare_item(&mut self, item: &'a Item) {
        let (name, meaning, may_repeat) = match item {
            Item::Variable(v) => (&v.name, Meaning::Variable, v.linkage == Linkage::Extern),
            Item::Function(f) => (&f.name, Meaning::Function { defined: f.body.is_some() }, false),
            Item::Directive(words) => {
                // `.alias f, g;` declares f, which may have been declared before.
                let name = words.strip_prefix(".alias").and_then(|rest| rest.split(',').next());
                if let Some(name) = name {
                    self.globals.entry(name.trim()).or_insert(Meaning::Function { defined: true });
                }
                return;
            }
        };
        let before = self.globals.insert(name, meaning);
        // A function may be declared any number of times and defined once.
        let repeats = match (before, meaning) {
            (None, _) => false,
            (Some(Meaning::Function { defined: before }), Meaning::Function { defined }) => {
                self.globals.insert(name, Meaning::Function { defined: before || defined });
                before && defined
            }
            (Some(before), _) => before != meaning || !may_repeat,
        };
        if repeats {
            self.complain(0, format!("`{name}` is declared twice at module scope"), None);
        }
    }

    fn declare(&mut self, name: &'a str, meaning: Meaning, line: u32, function: &str) {
        let scope = self.scopes.last_mut().expect("a function is open");
        // `_` is not a name, and call parameters may be redeclared in the same scope.
        if name != "_" && scope.insert(name, meaning).is_some() {
            let message = format!("`{name}` is declared twice in the same scope of `{function}`");
            self.complain(line, message, Some("rename one, or put it into its own `{ }` block"));
        }
    }

    fn function(&mut self, function: &'a Function) {
        let Some(body) = &function.body else { return };
        self.scopes.push(HashMap::new());
        for variable in function.returns.iter().chain(&function.params) {
            self.declare(&variable.name, Meaning::Variable, 0, &function.name);
        }
        self.scope(body, &function.name);
        self.scopes.pop();
    }

    /// One level of braces. Its declarations are visible in all of it, since labels are used before
    /// they are declared.
    fn scope(&mut self, statements: &'a [Statement], function: &str) {
        let first_lines = following_lines(statements);
        for (statement, line) in statements.iter().zip(&first_lines) {
            match statement {
                Statement::Registers(registers) => {
                    for (name, count) in &registers.names {
                        let meaning = count.map_or(Meaning::Register, Meaning::Registers);
                        self.declare(name, meaning, *line, function);
                    }
                }
                Statement::Variable(v) => self.declare(&v.name, Meaning::Variable, *line, function),
                Statement::Label(name) => self.declare(name, Meaning::Label, *line, function),
                _ => {}
            }
        }
        for statement in statements {
            match statement {
                Statement::Instruction(instruction) => self.instruction(instruction),
                Statement::Block(inner) => {
                    self.scopes.push(HashMap::new());
                    self.scope(inner, function);
                    self.scopes.pop();
                }
                _ => {}
            }
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        let line = instruction.text_line;
        if let Some(guard) = &instruction.guard {
            self.operand_name(&guard.register, line);
        }
        let branches = instruction.opcode == "bra";
        for operand in &instruction.operands {
            match operand {
                Operand::Name(name) if branches => {
                    if self.meaning(name) != Some(Meaning::Label) {
                        let message = format!("there is no label `{name}` to branch to");
                        let help = format!("add `{name}:` before the target instruction");
                        self.complain(line, message, Some(&help));
                    }
                }
                operand => self.operand(operand, line),
            }
        }
    }

    fn operand(&mut self, operand: &Operand, line: u32) {
        match operand {
            Operand::Name(name) | Operand::Not(name) | Operand::Offset(name, _) => {
                self.operand_name(name, line);
            }
            Operand::Immediate(_) => {}
            Operand::Vector(list) | Operand::Arguments(list) => {
                list.iter().for_each(|operand| self.operand(operand, line));
            }
            Operand::Pair(a, b) => {
                self.operand(a, line);
                self.operand(b, line);
            }
            Operand::Address(address) => {
                if let AddressBase::Name(name) = &address.base {
                    self.operand_name(name, line);
                }
                address.extra.iter().for_each(|operand| self.operand(operand, line));
            }
        }
    }

    fn operand_name(&mut self, name: &str, line: u32) {
        if name == "_" || self.meaning(name).is_some() || is_special(name) {
            return;
        }
        // A vector's element, `%v.x`, or a part of a register, `%r.b0`.
        let base = name.split_once('.').map(|(base, _)| base);
        if base.is_some_and(|base| self.meaning(base).is_some()) {
            return;
        }
        let (what, help) = if name.starts_with('%') {
            (
                "register",
                "declare it with `.reg`, or check the count in `%r<n>`, which ends at %r(n-1)",
            )
        } else {
            ("name", "declare it with `.reg`, as a variable, or with `.extern`")
        };
        self.complain(line, format!("the {what} `{name}` is not declared"), Some(help));
    }

    /// The meaning of `name`, innermost scope first.
    fn meaning(&self, name: &str) -> Option<Meaning> {
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let in_scope = |scope: &HashMap<&str, Meaning>| {
            if let Some(meaning) = scope.get(name).filter(|m| !matches!(m, Meaning::Registers(_))) {
                return Some(*meaning);
            }
            // `%r12` may be register 12 of `%r<n>` or register 2 of `%r1<n>`; ten digits hold any
            // count.
            (1..=digits.min(10)).find_map(|length| {
                let (prefix, number) = name.split_at(name.len() - length);
                let canonical = length == 1 || !number.starts_with('0');
                match scope.get(prefix) {
                    Some(Meaning::Registers(count)) if canonical => {
                        let number: u64 = number.parse().ok()?;
                        (number < u64::from(*count)).then_some(Meaning::Register)
                    }
                    _ => None,
                }
            })
        };
        self.scopes.iter().rev().find_map(in_scope).or_else(|| in_scope(&self.globals))
    }
}

/// For each statement, the line of the first instruction at or after it, since declarations have no
/// line.
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

/// Whether `name` is a special register (PTX manual, "Special Registers").
fn is_special(name: &str) -> bool {
    const NAMES: [&str; 44] = [
        "%tid",
        "%ntid",
        "%laneid",
        "%warpid",
        "%nwarpid",
        "%ctaid",
        "%nctaid",
        "%smid",
        "%nsmid",
        "%gridid",
        "%is_explicit_cluster",
        "%clusterid",
        "%nclusterid",
        "%cluster_ctaid",
        "%cluster_nctaid",
        "%cluster_ctarank",
        "%cluster_nctarank",
        "%lanemask_eq",
        "%lanemask_le",
        "%lanemask_lt",
        "%lanemask_ge",
        "%lanemask_gt",
        "%clock",
        "%clock_hi",
        "%clock64",
        "%globaltimer",
        "%globaltimer_lo",
        "%globaltimer_hi",
        "%total_smem_size",
        "%aggr_smem_size",
        "%dynamic_smem_size",
        "%current_graph_exec",
        "%pm0",
        "%pm1",
        "%pm2",
        "%pm3",
        "%pm4",
        "%pm5",
        "%pm6",
        "%pm7",
        "%reserved_smem_offset_begin",
        "%reserved_smem_offset_end",
        "%reserved_smem_offset_cap",
        "%warpsize",
    ];
    let base = name.split('.').next().unwrap_or_default();
    NAMES.contains(&base)
        || base.starts_with("%envreg")
        || base.starts_with("%reserved_smem_offset_")
        || base.starts_with("%pm") && base.ends_with("_64")
}

#[cfg(test)]
mod tests;
