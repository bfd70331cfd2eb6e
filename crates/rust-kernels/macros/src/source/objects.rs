//! Statics whose values change: `static mut`, cells, atomics and locks, also inside of structs, and `thread_local!`.

use quote::ToTokens;
use std::collections::{HashMap, HashSet};
use syn::{Item, StaticMutability};

/// A static that a kernel cannot use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Static {
    /// `static mut`.
    Mutable,
    /// It holds an object that changes through a shared reference, or `thread_local!` declares it.
    Object,
}

/// Types of Rust's library whose values change through a shared reference.
const MUTABLE: &str = "\
    Cell RefCell UnsafeCell OnceCell LazyCell Mutex RwLock OnceLock LazyLock Condvar AtomicBool \
    AtomicI8 AtomicI16 AtomicI32 AtomicI64 AtomicIsize AtomicU8 AtomicU16 AtomicU32 AtomicU64 \
    AtomicUsize AtomicPtr LocalKey";

/// The type of a `thread_local!`.
const LOCAL_KEY: &str = "LocalKey";

/// Whether Rust's library has a type of this name whose values change through a shared reference.
pub fn is_mutable_type(name: &str) -> bool {
    MUTABLE.split_whitespace().any(|known| name == known)
}

/// Whether a name is a crate of Rust's library.
pub fn is_crate_of_rust(name: &str) -> bool {
    ["std", "core", "alloc"].contains(&name)
}

/// Whether a static is `mut`, and the names in its type.
type OfStatic = (bool, HashSet<String>);

/// The statics and structs of a file.
#[derive(Default)]
pub struct Objects {
    /// The statics and constants of each name; none for a constant.
    statics: HashMap<String, Vec<Option<OfStatic>>>,
    /// For each struct, the names in the types of its fields.
    fields: HashMap<String, HashSet<String>>,
}

impl Objects {
    /// Records an item of the file.
    pub fn record(&mut self, item: &Item) {
        match item {
            Item::Static(item) => {
                let mutable = matches!(item.mutability, StaticMutability::Mut(_));
                let of = Some((mutable, words(&item.ty)));
                self.statics.entry(item.ident.to_string()).or_default().push(of);
            }
            Item::Const(item) => {
                self.statics.entry(item.ident.to_string()).or_default().push(None);
            }
            Item::Struct(item) => {
                self.fields.insert(item.ident.to_string(), words(&item.fields));
            }
            Item::Macro(item)
                if item.mac.path.segments.last().is_some_and(|l| l.ident == "thread_local") =>
            {
                let mut tokens = item.mac.tokens.clone().into_iter();
                while let Some(token) = tokens.next() {
                    if token.to_string() == "static"
                        && let Some(name) = tokens.next()
                    {
                        let of = Some((false, HashSet::from([LOCAL_KEY.to_owned()])));
                        self.statics.entry(name.to_string()).or_default().push(of);
                    }
                }
            }
            _ => {}
        }
    }

    /// The static `name`, if the file declares only such statics of that name. `of_rust` tells whether the file imports
    /// a name from Rust's library.
    pub fn judge(&self, name: &str, of_rust: impl Fn(&str) -> bool) -> Option<Static> {
        let kind = |of: &Option<OfStatic>| match of.as_ref()? {
            (true, _) => Some(Static::Mutable),
            (false, names) => self.holds_object(names, &of_rust, 4).then_some(Static::Object),
        };
        let kinds: Vec<_> = self.statics.get(name)?.iter().map(kind).collect();
        let first = *kinds.first()?;
        kinds.iter().all(Option::is_some).then_some(first)?
    }

    /// Whether a type with these names holds an object that changes through a shared reference. `depth` limits a struct
    /// that holds itself.
    fn holds_object(
        &self,
        names: &HashSet<String>,
        of_rust: &impl Fn(&str) -> bool,
        depth: usize,
    ) -> bool {
        names.iter().any(|name| match self.fields.get(name) {
            Some(fields) => depth > 0 && self.holds_object(fields, of_rust, depth - 1),
            None => {
                let whole_path = || names.iter().any(|name| is_crate_of_rust(name));
                name == LOCAL_KEY || is_mutable_type(name) && (of_rust(name) || whole_path())
            }
        })
    }
}

/// The words in the text of an item's part.
fn words(part: &impl ToTokens) -> HashSet<String> {
    let text = part.to_token_stream().to_string();
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
