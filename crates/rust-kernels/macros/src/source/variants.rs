//! Variants of enums that a file imports: `use Shape::*;`.

use std::collections::{HashMap, HashSet};
use syn::{Item, UseTree};

/// The enums of a file, and its imports of variants.
#[derive(Default)]
pub struct Variants {
    /// For each enum, its variants with data.
    enums: HashMap<String, HashSet<String>>,
    /// Each imported path, and the name imported from it; none for all names.
    imports: Vec<(Vec<String>, Option<String>)>,
}

impl Variants {
    /// Records an item of the file.
    pub fn record(&mut self, item: &Item) {
        match item {
            Item::Enum(item) => {
                let with_data = item.variants.iter().filter(|one| !one.fields.is_empty());
                let names = with_data.map(|one| one.ident.to_string()).collect();
                self.enums.insert(item.ident.to_string(), names);
            }
            Item::Use(import) if import.leading_colon.is_none() => {
                self.import(&import.tree, &mut Vec::new());
            }
            _ => {}
        }
    }

    fn import(&mut self, tree: &UseTree, path: &mut Vec<String>) {
        match tree {
            UseTree::Path(part) => {
                path.push(part.ident.to_string());
                self.import(&part.tree, path);
                path.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|one| self.import(one, path)),
            UseTree::Name(name) => self.imports.push((path.clone(), Some(name.ident.to_string()))),
            UseTree::Glob(_) => self.imports.push((path.clone(), None)),
            UseTree::Rename(_) => {}
        }
    }

    /// The path of the only enum from which the file imports the variant `name`.
    pub fn enum_of(&self, name: &str) -> Option<Vec<String>> {
        let brings = |(path, imported): &&(Vec<String>, Option<String>)| {
            let variants = path.last().and_then(|of| self.enums.get(of));
            variants.is_some_and(|of| of.contains(name))
                && imported.as_ref().is_none_or(|imported| imported == name)
        };
        let mut found = self.imports.iter().filter(brings).map(|(path, _)| path);
        let first = found.next()?;
        found.all(|other| other == first).then(|| first.clone())
    }
}
