//! Linking several modules into one (PTX manual, "Linking Directives"; the rules of a linker for relocatable device code).
//!
//! - A name without a linking directive is private to its module; if another module has the same name, it gets a suffix.
//! - `.extern` refers to a definition elsewhere. `.visible` defines a name exactly once. `.weak` defines it unless a `.visible`
//!   definition exists; the first of several wins. `.common` variables of one name are one variable, as large as the largest.
//! - A declaration must match its definition in parameters, space and type.
//! - Instructions without a `.loc` get one that names their own file, so messages can still locate them.
//! - Labels of debug sections are private to their module.
//!
//! Limits: function names in debug sections are not renamed. Names that are `.extern` everywhere stay `.extern`; only a
//! [`Linker`] rejects them.

mod error;
mod linker;
mod rename;
mod undefined;

use crate::ast::*;
use crate::types::StateSpace;
use error::refuse;
use std::collections::{HashMap, HashSet};

pub use crate::link::linker::Linker;
pub use error::LinkError;

impl Module {
    /// Links modules, each with the name of its file, into one.
    ///
    /// # Errors
    /// When a name is defined twice, a declaration does not fit its definition, or no GPU can run all of
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

/// The names at module scope of more than one module.
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
    /// For each name: where its item is, and the file that it came from.
    places: HashMap<String, (usize, String)>,
}

impl LinkedModule {
    /// The heading: the newest version and the highest target of all.
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

    /// Adds an item, or joins it with the one of its name.
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
            let message = format!("`{name}` is not the same in {before} and in {file}");
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
            // The address of a function is known to those who come after its declaration.
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

/// Which of two items of one name stays.
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

/// How large a variable is, and how aligned.
fn size_of(item: &Item) -> (u64, u32) {
    match item {
        Item::Variable(variable) => (variable.size(), variable.alignment()),
        _ => (0, 0),
    }
}

/// Whether two items may be one.
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
mod tests;
