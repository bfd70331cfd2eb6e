//! The declarations in the source file of an item: an attribute sees its own item only, so it reads that file.
//!
//! A type or a trait that the file declares or imports is the user's, also if the kernel language has one of that name
//! (`Matrix`, `Part`). A macro that the file declares can be called in a kernel. A struct without `Copy` gets it.
//!
//! A call of a function that kernels cannot call is explained: rustc's error for the staged call names the module that the
//! attribute calls. This file reports only what the source proves. The first case is a function that the file declares without `#[device]`. The second is a misspelled
//! intrinsic: the name is close to an intrinsic's, the file mentions it only in calls, and no glob import could bring it
//! from a module other than Lanework's.

pub mod lifetimes;
mod objects;
mod variants;

use self::objects::Objects;
use self::variants::Variants;
use crate::intrinsics::intrinsics;
use proc_macro2::Ident;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;
use syn::visit_mut::{VisitMut, visit_item_fn_mut, visit_item_mut};

/// A call that cannot be staged.
#[derive(Debug, PartialEq, Eq)]
pub enum Unknown {
    /// A function without `#[device]`.
    Unmarked,
    /// A `#[kernel]`.
    Kernel,
    /// No function; the intrinsic with this name is close.
    Misspelled(&'static str),
}

pub use self::objects::{Static, is_mutable_type};

/// Why kernels cannot call `name`, if its source file proves it.
pub fn unknown(name: &Ident) -> Option<Unknown> {
    let text = name.to_string();
    if intrinsics().any(|known| known == text) {
        return None;
    }
    file_of(name)?.judge(&text)
}

/// Whether the file of `name` declares a type or a trait of that name, or imports one from elsewhere than Lanework and Rust's
/// library.
pub fn is_users(name: &Ident) -> bool {
    let foreign = |file: Rc<Declarations>| file.foreign.contains(&name.to_string());
    declares(name) || file_of(name).is_some_and(foreign)
}

/// Whether the file of `name` declares a type or a trait of that name.
pub fn declares(name: &Ident) -> bool {
    file_of(name).is_some_and(|file| file.types.contains_key(&name.to_string()))
}

/// Whether a path that starts with `name` leads into Rust's library: `name` is one of its crates, or the file imports it from one.
pub fn is_of_std(name: &Ident) -> bool {
    let text = name.to_string();
    objects::is_crate_of_rust(&text)
        || file_of(name).is_some_and(|file| file.imports_from_rust(&text))
}

/// The static that `name` is, if its file declares only such statics of that name.
pub fn static_of(name: &Ident) -> Option<Static> {
    let file = file_of(name)?;
    file.objects.judge(&name.to_string(), |name| file.imports_from_rust(name))
}

/// The path of the enum whose variant `name` is, if the file of `name` declares the enum and imports its variants.
pub fn enum_of(name: &Ident) -> Option<Vec<String>> {
    let (file, text) = (file_of(name)?, name.to_string());
    let other = file.types.contains_key(&text) || file.functions.contains_key(&text);
    if other { None } else { file.variants.enum_of(&text) }
}

/// Whether the file of `name` declares one struct or enum of that name, without `#[device]`.
pub fn is_unmarked(name: &Ident) -> bool {
    file_of(name).is_some_and(|file| file.marks.get(&name.to_string()) == Some(&vec![false]))
}

/// Those of `Clone` and `Copy` that the type `name` does not implement in its file; none if the file does not show the type.
pub fn missing_copies(name: &Ident) -> Vec<Ident> {
    let Some(file) = file_of(name) else { return Vec::new() };
    let Some([derived]) = file.types.get(&name.to_string()).map(Vec::as_slice) else {
        return Vec::new();
    };
    let implemented = |word: &str| {
        let of = format!("{word} for {name}");
        derived.contains(word)
            || file.text.contains(&of)
            || file.text.contains(&format!("{word} for self::{name}"))
    };
    let missing = ["Clone", "Copy"].into_iter().filter(|word| !implemented(word));
    missing.map(|word| Ident::new(word, name.span())).collect()
}

/// Whether the file of `name` declares one type of that name, which derives the trait.
pub fn derives(name: &Ident, of: &str) -> bool {
    file_of(name).is_some_and(|file| match file.types.get(&name.to_string()).map(Vec::as_slice) {
        Some([derived]) => derived.contains(of),
        _ => false,
    })
}

/// The number of type and const parameters of the struct or enum `name`, if its file declares one; else 0.
pub fn generic_count(name: &Ident) -> usize {
    parameters_of(name)[0]
}

/// The number of lifetimes of the struct or enum `name`, if its file declares one; else 0.
pub fn lifetime_count(name: &Ident) -> usize {
    parameters_of(name)[1]
}

fn parameters_of(name: &Ident) -> [usize; 2] {
    let count = |file: Rc<Declarations>| file.generics.get(&name.to_string()).copied();
    file_of(name).and_then(count).unwrap_or_default()
}

/// The rules of the macro `name`, if its file declares one macro of that name, without `#[device]`.
pub fn plain_rules(name: &Ident) -> Option<proc_macro2::TokenStream> {
    match file_of(name)?.macros.get(&name.to_string())?.as_slice() {
        [(false, rules)] => rules.parse().ok(),
        _ => None,
    }
}

fn file_of(name: &Ident) -> Option<Rc<Declarations>> {
    if !proc_macro::is_available() {
        return None;
    }
    declarations(name.span().unwrap().local_file()?)
}

/// The declarations of a source file, and its imports.
#[derive(Default)]
struct Declarations {
    text: String,
    /// For each name, the attributes of the functions that have it.
    functions: HashMap<String, Vec<Mark>>,
    /// For each type and trait, the traits that it derives.
    types: HashMap<String, Vec<HashSet<String>>>,
    /// For each struct and enum, whether it has `#[device]` or an attribute that may add it.
    marks: HashMap<String, Vec<bool>>,
    /// For each struct and enum, the number of its type and const parameters, and of its lifetimes.
    generics: HashMap<String, [usize; 2]>,
    /// For each macro, whether it is marked `#[device]`, and its rules.
    macros: HashMap<String, Vec<(bool, String)>>,
    /// Its statics and structs.
    objects: Objects,
    /// Its enums and the imports of their variants.
    variants: Variants,
    /// Names that the file imports one by one.
    imported: HashSet<String>,
    /// Those of them that come neither from Lanework nor from Rust's library.
    foreign: HashSet<String>,
    /// Whether a glob imports names from a crate other than Lanework.
    open: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    None,
    Kernel,
    Device,
}

thread_local! {
    /// The files that this process has read.
    static FILES: RefCell<HashMap<PathBuf, Option<Rc<Declarations>>>> = RefCell::default();
}

fn declarations(file: PathBuf) -> Option<Rc<Declarations>> {
    FILES.with_borrow_mut(|files| {
        let read = |file: &PathBuf| Declarations::of(std::fs::read_to_string(file).ok()?);
        files.entry(file).or_insert_with_key(|file| read(file).map(Rc::new)).clone()
    })
}

impl Declarations {
    fn of(text: String) -> Option<Declarations> {
        let mut file = syn::parse_file(&text).ok()?;
        let mut found = Declarations { text, ..Declarations::default() };
        found.visit_file_mut(&mut file);
        Some(found)
    }

    fn judge(&self, name: &str) -> Option<Unknown> {
        if self.imported.contains(name) {
            return None;
        }
        if let Some(marks) = self.functions.get(name) {
            return match marks[..] {
                _ if marks.contains(&Mark::Device) => None,
                [Mark::Kernel] => Some(Unknown::Kernel),
                _ => marks.iter().all(|mark| *mark == Mark::None).then_some(Unknown::Unmarked),
            };
        }
        if self.open || !self.only_called(name) {
            return None;
        }
        let distance = |known: &&str| match known.starts_with(name) && name.len() > 3 {
            true => 1,
            false => strsim::damerau_levenshtein(known, name),
        };
        let near = intrinsics().map(|known| (distance(&known), known)).min()?;
        let limit = if name.len() > 5 { 2 } else { 1 };
        (near.0 <= limit).then_some(Unknown::Misspelled(near.1))
    }

    fn imports_from_rust(&self, name: &str) -> bool {
        self.imported.contains(name)
            && !self.foreign.contains(name)
            && !self.types.contains_key(name)
    }

    /// Whether every mention of the name is a call.
    fn only_called(&self, name: &str) -> bool {
        self.text.match_indices(name).all(|(at, _)| {
            let word = |c: char| c.is_alphanumeric() || c == '_';
            let (before, after) = (&self.text[..at], &self.text[at + name.len()..]);
            let whole = !before.ends_with(word) && !after.starts_with(word);
            let declares =
                before.trim_end().ends_with(" fn") || before.trim_end().ends_with("\nfn");
            let called = after.starts_with('(') || after.starts_with("::<");
            !whole || (called && !declares)
        })
    }
}

impl VisitMut for Declarations {
    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        if let syn::Item::Use(import) = item {
            let ours = matches!(&import.tree, syn::UseTree::Path(path) if path.ident == "lanework");
            self.open |= !ours && has_glob(&import.tree);
            imported(&import.tree, &mut self.imported);
            let crates = matches!(&import.tree, syn::UseTree::Path(path)
                if path.ident.to_string().starts_with("lanework")
                    || ["std", "core", "alloc"].iter().any(|name| path.ident == name));
            if !crates {
                imported(&import.tree, &mut self.foreign);
            }
        }
        let declared = match item {
            syn::Item::Struct(item) => Some((&item.ident, &item.attrs)),
            syn::Item::Enum(item) => Some((&item.ident, &item.attrs)),
            syn::Item::Trait(item) => Some((&item.ident, &item.attrs)),
            syn::Item::Type(item) => Some((&item.ident, &item.attrs)),
            _ => None,
        };
        if let Some((name, attributes)) = declared {
            self.types.entry(name.to_string()).or_default().push(derived(attributes));
        }
        if let syn::Item::Macro(syn::ItemMacro { attrs, ident: Some(name), mac, .. }) = item
            && mac.path.is_ident("macro_rules")
        {
            let device = attrs.iter().any(|a| is(a, "device"));
            self.macros.entry(name.to_string()).or_default().push((device, mac.tokens.to_string()));
        }
        let marked = match item {
            syn::Item::Struct(item) => Some((&item.ident, &item.attrs)),
            syn::Item::Enum(item) => Some((&item.ident, &item.attrs)),
            _ => None,
        };
        if let Some((name, attributes)) = marked {
            let plain =
                ["doc", "derive", "repr", "must_use", "allow", "expect", "cfg", "non_exhaustive"];
            let mark = attributes.iter().any(|one| !plain.iter().any(|word| is(one, word)));
            self.marks.entry(name.to_string()).or_default().push(mark);
        }
        let parameters = match item {
            syn::Item::Struct(item) => Some((&item.ident, &item.generics)),
            syn::Item::Enum(item) => Some((&item.ident, &item.generics)),
            _ => None,
        };
        if let Some((name, generics)) = parameters {
            let count = generics.type_params().count() + generics.const_params().count();
            self.generics.insert(name.to_string(), [count, generics.lifetimes().count()]);
        }
        self.objects.record(item);
        self.variants.record(item);
        visit_item_mut(self, item);
    }

    fn visit_item_fn_mut(&mut self, function: &mut syn::ItemFn) {
        let plain = ["doc", "inline", "must_use", "allow", "expect", "cfg", "test", "deprecated"];
        let any = |test: &dyn Fn(&syn::Attribute) -> bool| function.attrs.iter().any(test);
        // An attribute that is not known may add `#[device]`.
        let mark = match any(&|one| !plain.iter().any(|word| is(one, word))) {
            _ if any(&|one| is(one, "kernel")) => Mark::Kernel,
            true => Mark::Device,
            false => Mark::None,
        };
        self.functions.entry(function.sig.ident.to_string()).or_default().push(mark);
        visit_item_fn_mut(self, function);
    }
}

/// Whether an attribute is `#[word]`, with or without a path.
fn is(attribute: &syn::Attribute, word: &str) -> bool {
    is_named(attribute.path(), word)
}

/// Whether the last part of a path is `word`.
fn is_named(path: &syn::Path, word: &str) -> bool {
    path.segments.last().is_some_and(|last| last.ident == word)
}

/// The traits in `#[derive(..)]`.
fn derived(attributes: &[syn::Attribute]) -> HashSet<String> {
    let mut names = HashSet::new();
    for attribute in attributes.iter().filter(|a| is(a, "derive")) {
        let _ = attribute.parse_nested_meta(|one| {
            names.extend(one.path.segments.last().map(|last| last.ident.to_string()));
            Ok(())
        });
    }
    names
}

/// Adds the names that an import brings, apart from those of globs.
fn imported(tree: &syn::UseTree, names: &mut HashSet<String>) {
    match tree {
        syn::UseTree::Path(path) => {
            imported(&path.tree, names);
            if names.remove("self") {
                names.insert(path.ident.to_string());
            }
        }
        syn::UseTree::Group(group) => group.items.iter().for_each(|one| imported(one, names)),
        syn::UseTree::Name(name) => drop(names.insert(name.ident.to_string())),
        syn::UseTree::Rename(name) => drop(names.insert(name.rename.to_string())),
        syn::UseTree::Glob(_) => {}
    }
}

fn has_glob(tree: &syn::UseTree) -> bool {
    match tree {
        syn::UseTree::Glob(_) => true,
        syn::UseTree::Path(path) => has_glob(&path.tree),
        syn::UseTree::Group(group) => group.items.iter().any(has_glob),
        syn::UseTree::Name(_) | syn::UseTree::Rename(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str, name: &str) -> Option<Unknown> {
        Declarations::of(text.to_owned()).unwrap().judge(name)
    }

    #[test]
    fn a_function_without_the_attribute_is_found() {
        let text = "use lanework::prelude::*;\n/// Text.\n#[inline]\nfn half(x: f32) -> f32 { x }\n\
            #[device]\nfn double(x: f32) -> f32 { x }\n#[kernel]\nfn k() { half(1.0); }\n\
            mod inner { #[lanework::device] pub fn half_of() {} }\n#[other]\nfn marked() {}";
        assert_eq!(judged(text, "half"), Some(Unknown::Unmarked));
        assert_eq!(judged(&format!("use math::half;\n{text}"), "half"), None);
        assert_eq!(judged(text, "double"), None);
        assert_eq!(judged(text, "half_of"), None);
        assert_eq!(judged(text, "marked"), None);
        assert_eq!(judged(text, "k"), Some(Unknown::Kernel));
        assert_eq!(judged(&format!("{text}\nmod n {{ #[device] fn half() {{}} }}"), "half"), None);
    }

    #[test]
    fn a_misspelled_intrinsic_is_found_only_where_no_import_can_bring_the_name() {
        let kernel = "fn k() { shfl_down(1); sync_thread(); atomicadd(2); helper(); }";
        let text = format!("use lanework::prelude::*;\n{kernel}");
        assert_eq!(judged(&text, "shfl_down"), Some(Unknown::Misspelled("shfl_down_sync")));
        assert_eq!(judged(&text, "sync_thread"), Some(Unknown::Misspelled("sync_threads")));
        assert_eq!(judged(&text, "atomicadd"), Some(Unknown::Misspelled("atomic_add")));
        assert_eq!(judged(&text, "helper"), None);
        for import in [
            "use super::*;",
            "use other::shfl_down;",
            "macro_rules! m { () => { fn shfl_down() {} } }",
        ] {
            assert_eq!(judged(&format!("{import}\n{text}"), "shfl_down"), None, "{import}");
        }
    }

    #[test]
    fn types_imports_derives_and_macros_are_found() {
        let text = "use lanework::prelude::*;\nuse lanework::Shared;\nuse std::ops::Add;\nuse shapes::{Part, inner::Slice as Var};\n\
            #[device]\n#[derive(Debug, std::clone::Clone)]\nstruct Matrix;\nmod m { enum Place { A } trait Number {} }\n\
            macro_rules! plain { ($a:expr) => { $a }; }\n#[device]\nmacro_rules! marked { () => {}; }";
        let found = Declarations::of(text.to_owned()).unwrap();
        for name in ["Matrix", "Place", "Number"] {
            assert!(found.types.contains_key(name), "{name}");
        }
        assert_eq!(found.foreign, HashSet::from(["Part".to_owned(), "Var".to_owned()]));
        let derived = |name: &str| found.types["Matrix"][0].contains(name);
        assert!(derived("Clone") && derived("Debug") && !derived("Copy"));
        assert!(!found.macros["plain"][0].0 && found.macros["marked"][0].0);
    }

    #[test]
    fn statics_that_change_are_found() {
        let text = "use std::cell::Cell; use sync::Mutex; static mut N: u32 = 0; static T: [f32; 2] = [0.0; 2];\n\
            static HITS: std::sync::atomic::AtomicU32 = zero(); static OF: Outer = new(); static M: Mutex = new();\n\
            struct Outer { inner: Option<Inner> } struct Inner(Cell<u32>, Option<&'static Inner>);\n\
            thread_local! { static A: u32 = 1; static B: u32 = const { 2 }; } const BOTH: u32 = 1;\n\
            mod inner { static BOTH: Cell<u32> = Cell::new(1); }";
        let found = Declarations::of(text.to_owned()).unwrap();
        let of = |name: &str| found.objects.judge(name, |name| found.imports_from_rust(name));
        assert_eq!(of("N"), Some(Static::Mutable));
        for name in ["HITS", "OF", "A", "B"] {
            assert_eq!(of(name), Some(Static::Object), "{name}");
        }
        for name in ["T", "M", "BOTH", "MISSING"] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn imported_variants_are_found() {
        let text = "use Shape::*; use tree::Node::{Leaf, Inner as Branch}; fn f() { use Other::Line; }\n\
            enum Shape { Dot, Disk(u32), Line { a: u32 }, Box(u32) } struct Box;\n\
            mod tree { enum Node { Leaf(u32), Inner(u32) } } enum Other { Line(u32) }";
        let found = Declarations::of(text.to_owned()).unwrap();
        let of = |name: &str| found.variants.enum_of(name).map(|path| path.join("::"));
        assert_eq!(of("Disk").as_deref(), Some("Shape"));
        assert_eq!(of("Leaf").as_deref(), Some("tree::Node"));
        for name in ["Dot", "Line", "Inner", "Branch", "Missing"] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn every_function_of_the_prelude_is_known() {
        let place = concat!(env!("CARGO_MANIFEST_DIR"), "/../lang/src/api/prelude.rs");
        let prelude = std::fs::read_to_string(place).unwrap();
        for list in ["pub use crate::api::host::{", "pub use crate::math::functions::{"] {
            let (_, names) = prelude.split_once(list).unwrap();
            for name in names[..names.find('}').unwrap()].split([',', ' ', '\n']) {
                assert!(name.is_empty() || intrinsics().any(|known| known == name), "add {name}");
            }
        }
    }
}
