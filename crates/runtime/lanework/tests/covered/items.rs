//! The public items of a crate, from its sources.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use syn::{Attribute, ImplItem, TraitItem, UseTree, Visibility};

/// A public item.
pub struct Item {
    /// Its name.
    pub name: String,
    /// The type that it belongs to.
    pub owner: Option<String>,
    /// Whether that type is a trait.
    pub of_trait: bool,
    /// Whether it is a method.
    pub has_receiver: bool,
    /// Whether its own documentation has an example.
    pub has_example: bool,
    /// The folder or file below `src`.
    pub module: String,
    /// The file.
    pub file: String,
}

impl Item {
    /// `Type::name`, or only the name.
    pub fn path(&self) -> String {
        match &self.owner {
            Some(owner) => format!("{owner}::{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// The Rust sources and pages under a path.
pub fn files(root: &Path, out: &mut Vec<PathBuf>) {
    if root.is_file() {
        return out.push(root.to_owned());
    }
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() || path.extension().is_some_and(|e| e == "rs" || e == "md") {
            files(&path, out);
        }
    }
}

/// The folder or file below a root that a file is in.
pub fn module_of(root: &Path, file: &Path) -> String {
    let below = file.strip_prefix(root).unwrap_or(file);
    let first = below.components().next().map(|c| c.as_os_str().to_string_lossy().into_owned());
    first.unwrap_or_default().trim_end_matches(".rs").to_owned()
}

/// A module: its items, and the location of its files.
struct Module {
    items: Vec<syn::Item>,
    folder: PathBuf,
}

/// Modules for macro-generated code only. They are not hidden, because hidden items lengthen rustc's messages.
const MACHINERY: [&str; 2] = ["rt", "host"];

fn hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| {
        (a.path().is_ident("doc") && quote(&a.meta).contains("hidden"))
            || (a.path().is_ident("cfg") && quote(&a.meta).contains("test"))
    })
}

fn quote(tokens: &impl quote::ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// The module declared by `mod name;` or `mod name { .. }`.
fn child(parent: &Module, item: &syn::ItemMod) -> Option<Module> {
    let name = item.ident.to_string();
    let folder = parent.folder.join(&name);
    if let Some((_, items)) = &item.content {
        return Some(Module { items: items.clone(), folder });
    }
    let file = [parent.folder.join(format!("{name}.rs")), folder.join("mod.rs")];
    let text = file.iter().find_map(|file| std::fs::read_to_string(file).ok())?;
    Some(Module { items: syn::parse_file(&text).unwrap().items, folder })
}

fn find(root: &Module, path: &[String]) -> Option<Module> {
    let mut module = Module { items: root.items.clone(), folder: root.folder.clone() };
    for name in path {
        let next = module.items.iter().find_map(|item| match item {
            syn::Item::Mod(inner) if inner.ident == name => child(&module, inner),
            _ => None,
        })?;
        module = next;
    }
    Some(module)
}

/// Public names, each with the part of the crate that it comes from.
type Names = BTreeSet<(String, String)>;

fn insert(at: &[String], name: &syn::Ident, out: &mut Names) {
    out.insert((at.first().cloned().unwrap_or_default(), name.to_string()));
}

/// The names that a module makes public.
fn exports(root: &Module, module: &Module, at: &[String], out: &mut Names) {
    for item in &module.items {
        let (visibility, attributes, name) = match item {
            syn::Item::Mod(i) => {
                if is_public(&i.vis)
                    && !hidden(&i.attrs)
                    && !MACHINERY.iter().any(|name| i.ident == name)
                    && let Some(inner) = child(module, i)
                {
                    let at: Vec<_> = at.iter().cloned().chain([i.ident.to_string()]).collect();
                    exports(root, &inner, &at, out);
                }
                continue;
            }
            syn::Item::Use(i) => {
                if is_public(&i.vis) && !hidden(&i.attrs) {
                    uses(root, &i.tree, &mut at.to_vec(), out);
                }
                continue;
            }
            syn::Item::Fn(i) => (&i.vis, &i.attrs, &i.sig.ident),
            syn::Item::Struct(i) => (&i.vis, &i.attrs, &i.ident),
            syn::Item::Enum(i) => (&i.vis, &i.attrs, &i.ident),
            syn::Item::Trait(i) => (&i.vis, &i.attrs, &i.ident),
            syn::Item::Const(i) => (&i.vis, &i.attrs, &i.ident),
            syn::Item::Type(i) => (&i.vis, &i.attrs, &i.ident),
            _ => continue,
        };
        if is_public(visibility) && !hidden(attributes) {
            insert(at, name, out);
        }
    }
}

/// The names that a `pub use` makes public.
fn uses(root: &Module, tree: &UseTree, at: &mut Vec<String>, out: &mut Names) {
    match tree {
        UseTree::Path(path) => {
            let name = path.ident.to_string();
            match name.as_str() {
                "crate" => at.clear(),
                "super" => drop(at.pop()),
                "self" => {}
                _ => at.push(name),
            }
            uses(root, &path.tree, at, out);
        }
        UseTree::Group(group) => {
            group.items.iter().for_each(|tree| uses(root, tree, &mut at.clone(), out));
        }
        UseTree::Name(name) => {
            insert(at, &name.ident, out);
            at.push(name.ident.to_string());
            if !MACHINERY.iter().any(|known| name.ident == known)
                && let Some(module) = find(root, at)
            {
                exports(root, &module, at, out);
            }
        }
        UseTree::Rename(name) => insert(at, &name.rename, out),
        UseTree::Glob(_) => {
            if let Some(module) = find(root, at) {
                exports(root, &module, at, out);
            }
        }
    }
}

/// The public items of the crate whose sources are in `folder`.
pub fn items(folder: &Path) -> Vec<Item> {
    let text = std::fs::read_to_string(folder.join("lib.rs")).unwrap();
    let root = Module { items: syn::parse_file(&text).unwrap().items, folder: folder.to_owned() };
    let mut names = Names::new();
    exports(&root, &root, &[], &mut names);
    let mut all = Vec::new();
    files(folder, &mut all);
    let mut found = Vec::new();
    for file in all {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut search = Search {
            names: &names,
            module: module_of(folder, &file),
            file: file.strip_prefix(folder).unwrap_or(&file).display().to_string(),
            found: Vec::new(),
        };
        syn::parse_file(&text).unwrap().items.iter().for_each(|item| search.item(item));
        found.extend(search.found);
    }
    found
}

struct Search<'a> {
    names: &'a Names,
    module: String,
    file: String,
    found: Vec<Item>,
}

impl Search<'_> {
    fn is_known(&self, name: &str) -> bool {
        self.names.contains(&(self.module.clone(), name.to_owned()))
    }

    fn push(
        &mut self,
        name: &syn::Ident,
        owner: Option<&str>,
        receiver: bool,
        attrs: &[Attribute],
    ) {
        if hidden(attrs) {
            return;
        }
        self.found.push(Item {
            name: name.to_string(),
            owner: owner.map(str::to_owned),
            of_trait: false,
            has_receiver: receiver,
            has_example: attrs
                .iter()
                .any(|a| a.path().is_ident("doc") && quote(&a.meta).contains("```")),
            module: self.module.clone(),
            file: self.file.clone(),
        });
    }

    fn item(&mut self, item: &syn::Item) {
        let (visibility, attributes, name) = match item {
            syn::Item::Fn(i) => (&i.vis, &i.attrs, &i.sig.ident),
            syn::Item::Struct(i) => (&i.vis, &i.attrs, &i.ident),
            syn::Item::Enum(i) => (&i.vis, &i.attrs, &i.ident),
            syn::Item::Const(i) => (&i.vis, &i.attrs, &i.ident),
            syn::Item::Type(i) => (&i.vis, &i.attrs, &i.ident),
            syn::Item::Trait(i) => {
                self.of_trait(i);
                (&i.vis, &i.attrs, &i.ident)
            }
            syn::Item::Impl(block) => return self.block(block),
            syn::Item::Macro(call) => return self.written(call.mac.tokens.clone()),
            syn::Item::Mod(inner) if !hidden(&inner.attrs) => {
                let items = inner.content.iter().flat_map(|(_, items)| items);
                return items.for_each(|item| self.item(item));
            }
            _ => return,
        };
        if is_public(visibility) && self.is_known(&name.to_string()) {
            self.push(name, None, false, attributes);
        }
    }

    /// The functions that a macro generates, if its text names them.
    fn written(&mut self, tokens: TokenStream) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let mut hidden = false;
        for (at, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
                    hidden |= group.stream().to_string().contains("hidden");
                }
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    match std::mem::take(&mut hidden) {
                        true => {}
                        false => self.written(group.stream()),
                    }
                }
                TokenTree::Punct(sign) if sign.as_char() == ';' => hidden = false,
                TokenTree::Ident(word) if word == "fn" && at > 0 && !hidden => {
                    let public = matches!(&trees[at - 1], TokenTree::Ident(word) if word == "pub");
                    if let (true, Some(TokenTree::Ident(name))) = (public, trees.get(at + 1)) {
                        self.push(name, None, false, &[]);
                    }
                }
                _ => {}
            }
        }
    }

    /// The functions of a public trait that are not hidden.
    fn of_trait(&mut self, item: &syn::ItemTrait) {
        let name = item.ident.to_string();
        if !is_public(&item.vis) || !self.is_known(&name) || hidden(&item.attrs) {
            return;
        }
        for inner in &item.items {
            match inner {
                TraitItem::Fn(f) => {
                    self.push(&f.sig.ident, Some(&name), f.sig.receiver().is_some(), &f.attrs);
                }
                TraitItem::Const(c) => self.push(&c.ident, Some(&name), false, &c.attrs),
                _ => {}
            }
        }
        for item in &mut self.found {
            item.of_trait |= item.owner.as_deref() == Some(&*name);
        }
    }

    /// The public functions and constants of a public type.
    fn block(&mut self, block: &syn::ItemImpl) {
        let syn::Type::Path(path) = &*block.self_ty else { return };
        let Some(owner) = path.path.segments.last().map(|s| s.ident.to_string()) else { return };
        let known = self.names.iter().any(|(_, name)| *name == owner);
        if block.trait_.is_some() || !known {
            return;
        }
        for inner in &block.items {
            match inner {
                ImplItem::Fn(f) if is_public(&f.vis) => {
                    self.push(&f.sig.ident, Some(&owner), f.sig.receiver().is_some(), &f.attrs);
                }
                ImplItem::Const(c) if is_public(&c.vis) => {
                    self.push(&c.ident, Some(&owner), false, &c.attrs);
                }
                _ => {}
            }
        }
    }
}
