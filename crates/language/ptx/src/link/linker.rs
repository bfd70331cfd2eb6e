//! A run-time linker, to which callers add texts one by one; the result is text, too. It rejects names that a text uses
//! and no text defines.

use crate::ast::*;
use crate::diagnostics::Diagnostics;
use crate::diagnostics::{LinkError, refuse};
use crate::link::rename::name_of;
use crate::link::{DefinitionRank, rank};
use crate::types::StateSpace;
use std::collections::{HashMap, HashSet};

/// A linker of PTX texts, for nvJitLink and `cuLinkComplete`. In addition to the errors of [`Module::link`], it rejects
/// undefined names that are used, except functions that a GPU's driver provides.
///
/// ```
/// use lanework_ptx::Linker;
///
/// let heading = ".version 7.0\n.target sm_70\n.address_size 64\n";
/// let mut linker = Linker::default();
/// linker.add("caller.ptx", &format!("{heading}.extern .func put;\n.visible .entry k() {{ call put; ret; }}"), None)?;
/// let error = linker.link().unwrap_err();
/// assert_eq!(error.message, "undefined reference to `put` in caller.ptx");
/// linker.add("callee.ptx", &format!("{heading}.visible .func put {{ ret; }}"), Some(40))?;
/// assert!(linker.link().unwrap().contains(".entry k"));
/// # Ok::<(), lanework_ptx::Diagnostics>(())
/// ```
#[derive(Default)]
pub struct Linker {
    parts: Vec<LinkInput>,
}

struct LinkInput {
    name: String,
    /// The original text, if the module is unchanged.
    text: Option<String>,
    module: Module,
}

impl Module {
    /// The undefined names that the module's entries and variables use, directly or through the functions they call,
    /// except functions that a GPU's driver provides.
    ///
    /// ```
    /// let text = ".version 7.0\n.target sm_70\n.address_size 64\n.extern .func put;\n.visible .entry k() { call put; ret; }";
    /// assert_eq!(lanework_ptx::Module::parse(text)?.undefined(), ["put"]);
    /// # Ok::<(), lanework_ptx::Diagnostics>(())
    /// ```
    pub fn undefined(&self) -> Vec<&str> {
        let found = undefined(std::iter::once(("", self)), reached);
        found.into_iter().map(|(name, _)| name).collect()
    }
}

impl Linker {
    /// Adds a text; messages call it `name`. `most_registers` limits the registers of entries without a limit of their
    /// own.
    ///
    /// # Errors
    /// The problems of the text.
    pub fn add(
        &mut self,
        name: &str,
        text: &str,
        most_registers: Option<u32>,
    ) -> Result<(), Diagnostics> {
        let mut module = Module::parse(text)?;
        let unchanged = most_registers.is_none();
        most_registers.into_iter().for_each(|most| limit(&mut module, most));
        let text = unchanged.then(|| text.to_owned());
        self.parts.push(LinkInput { name: name.to_owned(), text, module });
        Ok(())
    }

    /// If `name` is the archive of NVIDIA's device runtime, adds the part that cooperative groups call. Returns whether
    /// it is.
    pub fn add_archive(&mut self, name: &str) -> bool {
        let is_archive = is_device_runtime(name);
        if is_archive && let Err(problems) = self.add(name, DEVICE_RUNTIME, None) {
            unreachable!("the device runtime is PTX: {problems}");
        }
        is_archive
    }

    /// The names of the added texts, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|part| part.name.as_str())
    }

    /// The functions that the added texts use and none of them defines, except functions that a GPU's driver provides.
    ///
    /// ```
    /// let heading = ".version 7.0\n.target sm_70\n.address_size 64\n";
    /// let mut linker = lanework_ptx::Linker::default();
    /// let caller = ".extern .func put;\n.extern .global .u32 x;\n.visible .func f { call put; ret; }";
    /// linker.add("caller.ptx", &format!("{heading}{caller}"), None)?;
    /// assert_eq!(linker.undefined_functions(), ["put"]);
    /// # Ok::<(), lanework_ptx::Diagnostics>(())
    /// ```
    pub fn undefined_functions(&self) -> Vec<&str> {
        let functions: HashSet<&str> = self
            .parts
            .iter()
            .flat_map(|part| part.module.functions())
            .map(|function| function.name.as_str())
            .collect();
        let names = self.undefined().into_iter().map(|(name, _)| name);
        names.filter(|name| functions.contains(name)).collect()
    }

    /// The undefined names, each with the text that uses it first.
    fn undefined(&self) -> Vec<(&str, &str)> {
        undefined(self.parts.iter().map(|part| (part.name.as_str(), &part.module)), used)
    }

    /// Links all added texts. Returns a single text unchanged.
    ///
    /// # Errors
    /// As [`Module::link`], or if a used name is undefined.
    pub fn link(&self) -> Result<String, LinkError> {
        let modules = || self.parts.iter().map(|part| (part.name.as_str(), &part.module));
        let missing: Vec<String> = self
            .undefined()
            .iter()
            .map(|(name, file)| format!("undefined reference to `{name}` in {file}"))
            .collect();
        if !missing.is_empty() {
            let help = "add the PTX that defines it, or compile the caller with its definition";
            return Err(refuse(missing.join("\n"), help));
        }
        if let [LinkInput { text: Some(only), .. }] = &self.parts[..] {
            return Ok(only.clone());
        }
        let all = modules().map(|(name, module)| (name.to_owned(), module.clone()));
        Ok(Module::link(all.collect())?.to_string())
    }
}

/// Limits the registers of entries without a limit.
fn limit(module: &mut Module, most: u32) {
    for item in &mut module.items {
        let Item::Function(function) = item else { continue };
        let says =
            |directive: &FunctionDirective| matches!(directive, FunctionDirective::MaxRegisters(_));
        if function.entry && !function.directives.iter().any(says) {
            function.directives.push(FunctionDirective::MaxRegisters(most));
        }
    }
}

/// Whether a file is the archive of the device runtime.
fn is_device_runtime(name: &str) -> bool {
    name.rsplit('/').next().is_some_and(|file| file.starts_with("libcudadevrt"))
}

/// The part of NVIDIA's device runtime that cooperative groups call: handles of the grid, and its barrier.
/// `libcudadevrt.a` holds it as machine code, so this PTX replaces that archive.
///
/// A cooperative launch passes the address of its workspace in `%envreg1` (high) and `%envreg2` (low). The second word
/// is the barrier's counter. Each block adds 1, except the first block, which adds the amount that makes the sum of all
/// flip the highest bit. A block waits until that bit has changed.
///
/// Limit: a warp must call it converged. If a compiler copies the call into divergent branches, the emulator reports
/// barrier divergence.
const DEVICE_RUNTIME: &str = include_str!("device_runtime.ptx");

/// Functions that a GPU's driver provides, and the prefix of others: device-side kernel launches.
const GIVEN: [&str; 5] = ["vprintf", "malloc", "free", "__assertfail", "cudaGraphSetConditional"];

const GIVEN_PREFIX: &str = "__cuda_syscall_";

/// The undefined names, each with the file that uses it first, in declaration order. `used` lists the names that a
/// module uses: [`used`] or the narrower [`reached`].
pub(super) fn undefined<'a>(
    modules: impl Iterator<Item = (&'a str, &'a Module)> + Clone,
    used: fn(&Module) -> HashSet<&str>,
) -> Vec<(&'a str, &'a str)> {
    let elsewhere: HashSet<&str> = modules
        .clone()
        .flat_map(|(_, module)| &module.items)
        .filter(|item| rank(item) != DefinitionRank::Declared && !is_own(item))
        .filter_map(name_of)
        .collect();
    let mut found = Vec::new();
    for (file, module) in modules {
        let defined: HashSet<&str> = module
            .items
            .iter()
            .filter(|item| rank(item) != DefinitionRank::Declared)
            .filter_map(name_of)
            .chain(module.items.iter().filter_map(alias))
            .collect();
        let open = |name: &&str| {
            let is_given = GIVEN.contains(name) || name.starts_with(GIVEN_PREFIX);
            !defined.contains(name) && !elsewhere.contains(name) && !is_given
        };
        let declared: Vec<&str> =
            module.items.iter().filter(|item| !is_dynamic(item)).filter_map(name_of).collect();
        let open: Vec<&str> = declared.into_iter().filter(open).collect();
        if open.is_empty() {
            continue;
        }
        let used = used(module);
        for name in open {
            if used.contains(name) && found.iter().all(|(known, _)| *known != name) {
                found.push((name, file));
            }
        }
    }
    found
}

/// Whether an item is private to its module.
fn is_own(item: &Item) -> bool {
    match item {
        Item::Function(function) => !function.entry && function.linkage == Linkage::Internal,
        Item::Variable(variable) => variable.linkage == Linkage::Internal,
        Item::Directive(_) => false,
    }
}

/// The name that an `.alias` directive defines.
fn alias(item: &Item) -> Option<&str> {
    let Item::Directive(words) = item else { return None };
    words.strip_prefix(".alias")?.split(',').next().map(str::trim)
}

/// Whether an item is shared memory, whose size the launch may set.
fn is_dynamic(item: &Item) -> bool {
    matches!(item, Item::Variable(variable) if variable.space == StateSpace::Shared)
}

/// The names used by entries, by variables, and by the functions that these call. A GPU's linker drops the other functions.
pub(super) fn reached(module: &Module) -> HashSet<&str> {
    let mut names = HashSet::new();
    for variable in module.variables() {
        variable.init.iter().for_each(|value| initial(value, &mut names));
    }
    for entry in module.entries() {
        statements(entry.body.iter().flatten(), &mut names);
    }
    let bodies: HashMap<&str, &[Statement]> = module
        .functions()
        .filter_map(|function| Some((function.name.as_str(), function.body.as_deref()?)))
        .collect();
    let mut open: Vec<&str> = names.iter().copied().collect();
    while let Some(name) = open.pop() {
        let mut called = HashSet::new();
        statements(bodies.get(name).copied().unwrap_or_default().iter(), &mut called);
        open.extend(called.into_iter().filter(|name| names.insert(name)));
    }
    names
}

/// The names in bodies and initial values.
pub(super) fn used(module: &Module) -> HashSet<&str> {
    let mut names = HashSet::new();
    for item in &module.items {
        match item {
            Item::Function(function) => statements(function.body.iter().flatten(), &mut names),
            Item::Variable(variable) => variable.init.iter().for_each(|i| initial(i, &mut names)),
            Item::Directive(_) => {}
        }
    }
    names
}

fn statements<'a>(list: impl Iterator<Item = &'a Statement>, names: &mut HashSet<&'a str>) {
    for statement in list {
        match statement {
            Statement::Instruction(instruction) => {
                instruction.operands.iter().for_each(|operand| in_operand(operand, names));
            }
            Statement::Variable(variable) => variable.init.iter().for_each(|i| initial(i, names)),
            Statement::Block(inner) => statements(inner.iter(), names),
            _ => {}
        }
    }
}

fn initial<'a>(value: &'a Initializer, names: &mut HashSet<&'a str>) {
    match value {
        Initializer::Value(_) | Initializer::Fields(_) => {}
        Initializer::Address { name, .. } => drop(names.insert(name)),
        Initializer::Masked { address, .. } => initial(address, names),
        Initializer::List(list) => list.iter().for_each(|value| initial(value, names)),
    }
}

fn in_operand<'a>(operand: &'a Operand, names: &mut HashSet<&'a str>) {
    match operand {
        Operand::Name(name) | Operand::Not(name) | Operand::Offset(name, _) => {
            names.insert(name);
        }
        Operand::Immediate(_) => {}
        Operand::Vector(list) | Operand::Arguments(list) => {
            list.iter().for_each(|operand| in_operand(operand, names));
        }
        Operand::Pair(a, b) => {
            in_operand(a, names);
            in_operand(b, names);
        }
        Operand::Address(address) => {
            if let AddressBase::Name(name) = &address.base {
                names.insert(name);
            }
            address.extra.iter().for_each(|operand| in_operand(operand, names));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_reachable_functions_can_be_undefined() {
        let undefined = |items: &str| {
            let module = Module::parse(&text(items)).expect("PTX");
            module.undefined().iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()
        };
        let functions =
            ".extern .func put; .extern .func other; .visible .func left() { call other; ret; }
            .visible .func called() { call put; ret; }";
        let entry = ".visible .entry k() { call called; ret; }";
        assert_eq!(undefined(&format!("{functions} {entry}")), ["put"]);
        assert_eq!(undefined(functions), [""; 0]);
        // A table of functions uses the functions.
        let table = ".global .u64 table[1] = {left};";
        assert_eq!(undefined(&format!("{functions} {table} {entry}")), ["put", "other"]);
    }

    fn text(items: &str) -> String {
        format!(".version 7.8\n.target sm_90\n.address_size 64\n{items}")
    }

    fn linked(parts: &[&str]) -> Result<String, LinkError> {
        let mut linker = Linker::default();
        for (number, part) in parts.iter().enumerate() {
            linker
                .add(&format!("{number}.ptx"), &text(part), None)
                .unwrap_or_else(|e| panic!("{e}"));
        }
        linker.link()
    }

    #[test]
    fn undefined_names_are_reported_with_their_file() {
        let user = ".extern .func f; .extern .func g; .extern .global .u32 v; .extern .shared .b8 s[];
            .visible .entry k() { .reg .b32 r; call f; ld.global.u32 r, [v]; ld.shared.u32 r, [s]; ret; }";
        let table = ".extern .func h; .visible .global .u64 t = h;";
        let error = linked(&[user, table]).expect_err("refused");
        assert_eq!(
            error.message,
            "undefined reference to `f` in 0.ptx\nundefined reference to `v` in 0.ptx\nundefined reference to `h` in 1.ptx"
        );
        // `g` is declared and never used. Names private to a file define nothing elsewhere.
        let own = linked(&[user, ".func f { ret; } .global .u32 v;"]).expect_err("refused");
        assert_eq!(own.message.lines().count(), 2, "{}", own.message);
        linked(&[user, ".visible .func f { ret; } .visible .global .u32 v;"]).expect("linked");
    }

    #[test]
    fn driver_functions_need_no_definition() {
        let prints = ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
            .extern .func (.param .b64 r) malloc (.param .b64 n); .extern .func (.param .b32 r) __cuda_syscall_cnpv2GetLastError;
            .visible .entry k() { .param .b64 a, b; .param .b32 r; call (r), vprintf, (a, b); call (b), malloc, (a);
            call (r), __cuda_syscall_cnpv2GetLastError; ret; }";
        linked(&[prints]).expect("linked");
    }

    #[test]
    fn an_alias_defines_its_name() {
        let aliased = ".visible .func g { ret; } .visible .func f; .alias f, g;
            .visible .entry k() { call f; ret; }";
        linked(&[aliased]).expect("linked");
    }

    #[test]
    fn the_archive_of_the_device_runtime_is_linked_as_ptx() {
        let waits = ".extern .func (.param .b32 status) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);
            .visible .entry waits() { .param .b64 a; .param .b32 b; .param .b32 r;
            call (r), cudaCGSynchronize, (a, b); ret; }";
        let mut linker = Linker::default();
        linker.add("waits", &text(waits), Some(40)).expect("PTX");
        assert!(linker.link().is_err());
        assert!(!linker.add_archive("/a/libother.a"));
        assert!(linker.add_archive("/a/libcudadevrt.a"));
        assert_eq!(linker.names().collect::<Vec<_>>(), ["waits", "/a/libcudadevrt.a"]);
        let text = linker.link().expect("linked");
        let linked = Module::parse(&text).expect("PTX");
        linked.validate().expect("valid");
        let barrier =
            linked.functions().find(|f| f.name == "cudaCGSynchronize" && f.body.is_some());
        assert!(barrier.is_some() && text.contains(".maxnreg 40"), "{text}");
    }
}
