//! Links several modules into one by the rules for relocatable device code (PTX manual, "Linking Directives").
//!
//! - A name without a linking directive is private to its module; if another module has the same name, it gets a
//!   suffix.
//! - `.extern` refers to a definition elsewhere. `.visible` defines a name exactly once. `.weak` defines it unless a
//!   `.visible` definition exists; the first of several wins. `.common` variables of one name are one variable, as
//!   large as the largest.
//! - A declaration must match its definition in parameters, space and type.
//! - Instructions without a `.loc` get one that names their own file, so messages can still locate them.
//! - Labels of debug sections are private to their module.
//!
//! Limits: it does not rename functions in debug sections. Names that are `.extern` everywhere stay `.extern`; only a
//! [`Linker`] rejects them.

mod linker;
mod rename;

use super::diagnostics::refuse;
use crate::ast::*;
use crate::types::StateSpace;
use std::collections::{HashMap, HashSet};

pub use super::diagnostics::LinkError;
pub use crate::link::linker::Linker;

impl Module {
    /// Links modules, each with the name of its file, into one.
    ///
    /// # Errors
    /// If a name is defined twice, a declaration does not fit its definition, or no GPU can run all of
    /// the modules.
    pub fn link(modules: Vec<(String, Module)>) -> Result<Module, LinkError> {
        let mut linked = LinkedModule::new(&modules)?;
        let shared_names = names_of_several(&modules);
        let mut labels = HashSet::new();
        for (number, (file, mut module)) in modules.into_iter().enumerate() {
            let own = rename::own_names(&module);
            let clashes = own.intersection(&shared_names);
            let suffix = format!("$m{}", number + 1);
            let renamed = clashes.map(|name| (name.clone(), format!("{name}{suffix}")));
            rename::rename_all(&mut module, &renamed.collect(), &file)?;
            rename::separate_sections(&mut module, &mut labels, &suffix);
            rename::renumber_files(&mut module, &linked.module.files, &file);
            linked.module.files.append(&mut module.files);
            for item in module.items {
                linked.add(item, &file)?;
            }
        }
        Ok(linked.module)
    }
}

/// The names that several modules declare at module scope.
fn names_of_several(modules: &[(String, Module)]) -> HashSet<String> {
    let mut seen = HashSet::new();
    let mut several = HashSet::new();
    for (_, module) in modules {
        let names: HashSet<&str> = module.items.iter().filter_map(rename::name_of).collect();
        for name in names {
            if !seen.insert(name) {
                several.insert(name.to_owned());
            }
        }
    }
    several
}

/// The linked module so far.
struct LinkedModule {
    module: Module,
    /// For each name: the index of its item, and the item's file.
    places: HashMap<String, (usize, String)>,
}

impl LinkedModule {
    /// An empty module with the newest version and the highest target of all modules.
    fn new(modules: &[(String, Module)]) -> Result<LinkedModule, LinkError> {
        let Some((first_file, first)) = modules.first() else {
            let help = "give at least one module";
            return Err(refuse("no modules to link".to_owned(), help));
        };
        let (mut version, mut target) = (first.version, first.target.clone());
        let mut file = first_file;
        for (other_file, other) in &modules[1..] {
            version = version.max(other.version);
            let key = |t: &Target| (t.architecture, t.specific);
            let (low, high) = match key(&target) <= key(&other.target) {
                true => ((file, &target), (other_file, &other.target)),
                false => ((other_file, &other.target), (file, &target)),
            };
            if low.1.specific != Specific::Portable && low.1.architecture != high.1.architecture {
                let message =
                    format!("{} is for {} only, and {} needs {}", low.0, low.1, high.0, high.1);
                return Err(refuse(message, "compile all modules for one architecture"));
            }
            let mut options = target.options.clone();
            options.extend(other.target.options.iter().cloned());
            options.dedup();
            let highest = high.1.clone();
            file = high.0;
            target = Target { options, ..highest };
        }
        let module = Module { version, target, files: Vec::new(), items: Vec::new() };
        Ok(LinkedModule { module, places: HashMap::new() })
    }

    /// Adds an item, or merges it with the item of the same name.
    fn add(&mut self, item: Item, file: &str) -> Result<(), LinkError> {
        let Some(name) = rename::name_of(&item).map(str::to_owned) else {
            self.module.items.push(item);
            return Ok(());
        };
        let Some((at, before)) = self.places.get(&name).cloned() else {
            self.places.insert(name, (self.module.items.len(), file.to_owned()));
            self.module.items.push(item);
            return Ok(());
        };
        if !fits(&self.module.items[at], &item) {
            let message = format!("`{name}` differs between {before} and {file}");
            let help = "a declaration has the parameters, the space and the type of the definition";
            return Err(refuse(message, help));
        }
        match (rank(&self.module.items[at]), rank(&item)) {
            (DefinitionRank::Strong, DefinitionRank::Strong) => {
                let message = format!("`{name}` is defined in {before} and in {file}");
                let help = "rename one, declare it `.extern` or `.weak`, or leave out its linking \
                            directive to keep it to its file";
                return Err(refuse(message, help));
            }
            (DefinitionRank::Declared, DefinitionRank::Declared) => {
                let size = size_of(&item).max(size_of(&self.module.items[at]));
                if let Item::Function(_) = item {
                    // A definition may still follow: prototypes may repeat.
                } else if size_of(&self.module.items[at]) < size {
                    self.module.items[at] = item;
                }
            }
            // Only code after a function's declaration can take its address.
            (DefinitionRank::Declared, _) if matches!(item, Item::Function(_)) => {
                self.places.insert(name, (self.module.items.len(), file.to_owned()));
                self.module.items.push(item);
            }
            (DefinitionRank::Common, DefinitionRank::Common)
                if size_of(&self.module.items[at]) < size_of(&item) =>
            {
                self.module.items[at] = item;
            }
            (held, new) if held < new => {
                self.module.items[at] = item;
                self.places.insert(name, (at, file.to_owned()));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Decides which of two items of one name stays: the higher rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum DefinitionRank {
    Declared,
    Common,
    Weak,
    Strong,
}

fn rank(item: &Item) -> DefinitionRank {
    match item {
        Item::Function(Function { body: None, .. }) => DefinitionRank::Declared,
        Item::Function(Function { linkage, .. }) | Item::Variable(Variable { linkage, .. }) => {
            match linkage {
                Linkage::Extern => DefinitionRank::Declared,
                Linkage::Common => DefinitionRank::Common,
                Linkage::Weak => DefinitionRank::Weak,
                Linkage::Visible | Linkage::Internal => DefinitionRank::Strong,
            }
        }
        Item::Directive(_) => DefinitionRank::Declared,
    }
}

/// Size and alignment of a variable.
fn size_of(item: &Item) -> (u64, u32) {
    match item {
        Item::Variable(variable) => (variable.size(), variable.alignment()),
        _ => (0, 0),
    }
}

/// Whether two items may be the same variable or function.
fn fits(a: &Item, b: &Item) -> bool {
    match (a, b) {
        (Item::Function(a), Item::Function(b)) => {
            let same = |(a, b): (&Variable, &Variable)| a.size() == b.size() && a.space == b.space;
            let all =
                |a: &[Variable], b: &[Variable]| a.len() == b.len() && a.iter().zip(b).all(same);
            a.entry == b.entry && all(&a.params, &b.params) && all(&a.returns, &b.returns)
        }
        (Item::Variable(a), Item::Variable(b)) => {
            let open = |v: &Variable| v.dims.iter().any(Option::is_none) || v.size() == 0;
            let common = a.linkage == Linkage::Common && b.linkage == Linkage::Common;
            let dynamic = a.space == StateSpace::Shared;
            a.space == b.space
                && (dynamic || a.ty.size() == b.ty.size())
                && (a.size() == b.size() || open(a) || open(b) || common)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

    fn link(texts: &[&str]) -> Result<Module, LinkError> {
        let parse = |(i, text): (usize, &&str)| {
            let text = if text.starts_with(".version") {
                (*text).to_owned()
            } else {
                format!("{HEADER}{text}")
            };
            let module = Module::parse(&text).unwrap_or_else(|e| panic!("{e}"));
            (format!("{}.ptx", ["a", "b", "c"][i]), module)
        };
        Module::link(texts.iter().enumerate().map(parse).collect())
    }

    fn linked(texts: &[&str]) -> Module {
        let module = link(texts).unwrap_or_else(|e| panic!("{e}"));
        module.validate().unwrap_or_else(|e| panic!("{e}\n{module}"));
        let printed = module.to_string();
        assert_eq!(Module::parse(&printed).map(|again| again.to_string()), Ok(printed));
        module
    }

    fn problem(texts: &[&str]) -> String {
        link(texts).expect_err("refused").message
    }

    #[test]
    fn a_declaration_finds_its_definition_in_either_order() {
        let user = ".extern .func (.param .b32 r) f (.param .b32 a);
            .extern .global .u32 g; .visible .entry k() { .reg .b32 r; .param .b32 x, y;
            call (y), f, (x); ld.global.u32 r, [g]; ret; }";
        let owner = ".visible .global .u32 g = 7;
            .visible .func (.param .b32 r) f (.param .b32 a) { ret; }";
        for texts in [[user, owner], [owner, user]] {
            let module = linked(&texts);
            assert_eq!(module.functions().filter(|f| f.name == "f" && f.body.is_some()).count(), 1);
            let variables: Vec<String> = module.variables().map(ToString::to_string).collect();
            assert_eq!(variables, [".visible .global .u32 g = 7"]);
        }
    }

    #[test]
    fn private_names_of_modules_do_not_clash() {
        let one = ".global .u32 g = 1; .func f() { .reg .u32 a; ld.global.u32 a, [g+4]; ret; }
            .visible .entry one() { call f; ret; }";
        let two = ".global .u32 g = 2; .global .u64 p = generic(g);
            .func f() { .reg .u32 g, a; mov.u32 a, g; ret; }
            .visible .entry two() { call f; ret; }";
        let text = linked(&[one, two]).to_string();
        for part in [
            "g$m1 = 1",
            "g$m2 = 2",
            "generic(g$m2)",
            "[g$m1+4]",
            ".func f$m1(",
            "call f$m2;",
            ".reg .u32 g$m2, a",
            ".entry one(",
            ".entry two(",
        ] {
            assert!(text.contains(part), "{part}:\n{text}");
        }
    }

    #[test]
    fn visible_overrides_weak_and_common_takes_the_largest() {
        let weak =
            ".weak .func f() { trap; ret; } .weak .global .u32 w = 1; .common .global .u32 c[2];
            .weak .func h() { bar.sync 0; ret; }";
        let strong =
            ".visible .func f() { ret; } .visible .global .u32 w = 2; .common .global .u32 c[5];
            .weak .func h() { ret; } .visible .entry k() { ret; }";
        for texts in [[weak, strong], [strong, weak]] {
            let module = linked(&texts);
            let text = module.to_string();
            assert!(
                !text.contains("trap") && text.contains("w = 2") && text.contains("c[5]"),
                "{text}"
            );
            assert_eq!(module.functions().filter(|f| f.name == "f").count(), 1);
        }
        assert!(
            linked(&[weak, strong]).to_string().contains("bar.sync"),
            "the first weak one stays"
        );
    }

    #[test]
    fn mismatches_are_errors_that_name_the_files() {
        let entry = ".visible .entry k() { ret; }";
        for (texts, expected) in [
            ([entry, entry], "`k` is defined in a.ptx and in b.ptx"),
            (
                [".visible .global .u32 g;", ".visible .global .u32 g;"],
                "`g` is defined in a.ptx and in b.ptx",
            ),
            (
                [".extern .func f (.param .b64 a);", ".visible .func f (.param .b32 a) { ret; }"],
                "`f` differs between a.ptx and b.ptx",
            ),
            (
                [".extern .global .u32 g;", ".visible .const .u32 g;"],
                "`g` differs between a.ptx and b.ptx",
            ),
            (
                [".extern .global .u32 f;", ".visible .func f () { ret; }"],
                "`f` differs between a.ptx and b.ptx",
            ),
            (
                [".version 8.0 .target sm_90a .address_size 64", ".version 8.6 .target sm_100"],
                "a.ptx is for sm_90a only, and b.ptx needs sm_100",
            ),
            (
                [".global .u32 r1;", ".global .u32 r1; .func f() { .reg .b32 r<3>; ret; }"],
                "the registers `r<n>` of b.ptx hide a name",
            ),
        ] {
            assert_eq!(problem(&texts), expected);
        }
        assert_eq!(problem(&[]), "no modules to link");
    }

    #[test]
    fn positions_name_their_own_files() {
        let one = ".file 1 \"one.cu\"\n.visible .entry k() {\n.loc 1 5 3\nbar.sync 0;\nret; }";
        let two = ".file 1 \"two.cu\"\n.file 2 \"two.h\"\n.visible .entry l() {\nbar.sync 0;\n
            .loc 1 9 2\n.loc 2 7 1, function_name $L__i, inlined_at 1 9 2\nret; }
            .section .debug_str { $L__i: .b8 0 }";
        let module = linked(&[one, two]);
        assert_eq!(module.files, ["one.cu", "a.ptx", "two.cu", "two.h", "b.ptx"]);
        let location = |entry: &str, at: usize| match &module
            .entry(entry)
            .and_then(|e| e.body.as_ref())
            .expect("a body")[at]
        {
            Statement::Instruction(i) => i.location.clone().expect("a position"),
            other => panic!("{other:?}"),
        };
        assert_eq!((location("k", 0).file, location("k", 0).line), (1, 5));
        assert_eq!((location("l", 0).file, location("l", 0).line), (5, 7));
        let inlined = location("l", 2);
        assert_eq!((inlined.file, inlined.line), (4, 7));
        assert_eq!(inlined.inlined.as_deref(), Some("function_name $L__i, inlined_at 3 9 2"));
    }

    #[test]
    fn labels_of_debug_sections_belong_to_their_module() {
        let one = ".file 1 \"a.cu\" .visible .entry k() { .loc 1 5 3\n.loc 1 7 1, function_name $L__a, inlined_at 1 5 3\nret; }
            .section .debug_str { $L__a: .b8 0 } .section .debug_info { .b32 $L__a }";
        let two = one.replace("entry k", "entry l");
        let module = linked(&[one, &two]);
        module.validate().expect("no label is declared twice");
        let text = module.to_string();
        assert_eq!(text.matches("$L__a$m2").count(), 3, "{text}");
    }

    #[test]
    fn the_newest_version_and_the_highest_target_win() {
        let module = linked(&[
            ".version 7.0 .target sm_90a .address_size 64 .entry a() { ret; }",
            ".version 8.6 .target sm_80, debug .address_size 64 .entry b() { ret; }
             .section .debug_abbrev { .b8 0 }",
        ]);
        assert_eq!(
            (module.version.to_string(), module.target.to_string()),
            ("8.6".into(), "sm_90a, debug".into())
        );
    }

    #[test]
    fn dynamic_shared_memory_is_merged() {
        let one = ".extern .shared .align 4 .b8 s[]; .visible .entry a() { ret; }";
        let two = ".extern .shared .align 16 .b8 s[]; .visible .entry b() { ret; }";
        let module = linked(&[one, two]);
        let aligns: Vec<Option<u32>> = module.variables().map(|v| v.align).collect();
        assert_eq!(aligns, [Some(16)]);
    }
}
