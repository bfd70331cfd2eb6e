//! The translator's state: the declared names, and the errors so far.

use crate::bounds::{adapter, bounds, imports, may_be_device};
use crate::why::explained;
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::collections::{HashMap, HashSet};
use syn::spanned::Spanned;

/// Whether a value may alias a variable or must be a copy of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The code uses the value immediately: operands, indices, conditions.
    View,
    /// The code keeps the value under another name (`let`, tuples, values of blocks), so it must be a copy.
    Keep,
}

/// The use of a block's last expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// As a statement of type `()`.
    Unit,
    /// As the block's value.
    Value(Mode),
}

/// The effect of `return`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// Ends the thread.
    Kernel,
    /// Ends an inlined function without a value.
    Unit,
    /// Ends an inlined function with a value.
    Value,
}

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Declared {
    /// A value.
    Value,
    /// `let mut x`.
    Variable,
    /// A parameter `&mut T`, or an element of `iter_mut()`.
    Reference,
    /// An array in shared memory, or mbarriers.
    Array,
}

/// Rewrites one function.
pub struct Translator {
    /// The effect of `return` here.
    pub returns: Returns,
    /// Whether iterators are host iterators, as in `#[unroll] for`.
    pub on_host: bool,
    /// The closing braces of the enclosing blocks.
    pub ends: Vec<proc_macro2::Span>,
    /// Whether a pattern binds a place, as in `if let Some(x) = y.get_mut(i)`.
    pub binds_place: bool,
    scopes: Vec<HashMap<String, Declared>>,
    generics: HashSet<String>,
    /// Traits that bound type parameters and may be device traits.
    traits: Vec<syn::Path>,
    bounded: HashSet<String>,
    /// The functions that the body declares.
    functions: HashSet<String>,
    error: Option<syn::Error>,
}

impl Translator {
    /// A translator without names.
    pub fn new(returns: Returns) -> Self {
        Translator {
            returns,
            on_host: false,
            ends: Vec::new(),
            binds_place: false,
            scopes: vec![HashMap::new()],
            generics: HashSet::new(),
            traits: Vec::new(),
            bounded: HashSet::new(),
            functions: HashSet::new(),
            error: None,
        }
    }

    /// Reports an error at `place`. Returns placeholder tokens, so that the translation can continue.
    pub fn refuse(&mut self, place: impl ToTokens, message: &str, help: &str) -> TokenStream {
        self.push_error(syn::Error::new_spanned(place, explained(message, help)));
        TokenStream::new()
    }

    /// Records an error.
    pub fn push_error(&mut self, error: syn::Error) {
        match &mut self.error {
            Some(first) => first.combine(error),
            None => self.error = Some(error),
        }
    }

    /// The errors, as tokens that make the compiler report them.
    pub fn finish(self) -> Option<TokenStream> {
        self.error.map(|error| error.to_compile_error())
    }

    /// Runs `f` with a new scope for names.
    pub fn scoped<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.push(HashMap::new());
        let result = f(self);
        self.scopes.pop();
        result
    }

    /// Declares the function's type parameters.
    pub fn declare_generics(&mut self, generics: &syn::Generics) {
        self.generics.extend(generics.type_params().map(|ty| ty.ident.to_string()));
        for (name, path) in bounds(generics) {
            self.declare_bound(&name, &path);
        }
    }

    /// Declares a trait that bounds a type parameter, or `Self`.
    pub fn declare_bound(&mut self, name: &syn::Ident, path: &syn::Path) {
        if may_be_device(path) {
            self.bounded.insert(name.to_string());
            let text = path.to_token_stream().to_string();
            if self.traits.iter().all(|known| known.to_token_stream().to_string() != text) {
                self.traits.push(path.clone());
            }
        }
    }

    /// Whether a trait that may be a device trait bounds a type parameter.
    pub fn is_bounded(&self, name: &syn::Ident) -> bool {
        self.bounded.contains(&name.to_string())
    }

    /// Whether traits that bound type parameters may add methods to receivers.
    pub fn adapts(&self) -> bool {
        !self.traits.is_empty()
    }

    /// A receiver with the methods of the device traits that bound type parameters.
    pub fn adapted(&self, receiver: TokenStream) -> TokenStream {
        let adapters = (0..self.traits.len()).filter_map(adapter);
        adapters.fold(
            receiver,
            |inner, adapter| quote::quote_spanned!(inner.span() => #adapter(#inner)),
        )
    }

    /// The declarations before the statements of a body.
    pub fn imports(&self) -> TokenStream {
        imports(&self.traits)
    }

    /// Whether a name is a type parameter.
    pub fn is_generic(&self, name: &syn::Ident) -> bool {
        self.generics.contains(&name.to_string())
    }

    /// Declares a name, as a variable if `mutable`.
    pub fn declare(&mut self, name: &syn::Ident, mutable: bool) {
        self.insert(name, if mutable { Declared::Variable } else { Declared::Value });
    }

    /// Declares a function inside the body.
    pub fn declare_function(&mut self, name: &syn::Ident) {
        self.functions.insert(name.to_string());
    }

    /// Whether the body declares this function.
    pub fn has_function(&self, name: &syn::Ident) -> bool {
        self.functions.contains(&name.to_string())
    }

    /// Declares a mutable reference.
    pub fn declare_reference(&mut self, name: &syn::Ident) {
        self.insert(name, Declared::Reference);
    }

    /// Declares an array in shared memory.
    pub fn declare_array(&mut self, name: &syn::Ident) {
        self.insert(name, Declared::Array);
    }

    fn insert(&mut self, name: &syn::Ident, declared: Declared) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_string(), declared);
        }
    }

    fn find(&self, name: &syn::Ident) -> Option<Declared> {
        let name = name.to_string();
        self.scopes.iter().rev().find_map(|scope| scope.get(&name)).copied()
    }

    /// Whether a name is declared in this function.
    pub fn is_declared(&self, name: &syn::Ident) -> bool {
        self.find(name).is_some()
    }

    /// Whether a name is an array in shared memory.
    pub fn is_array(&self, name: &syn::Ident) -> bool {
        self.find(name) == Some(Declared::Array)
    }

    /// Whether a name is a variable (`let mut`), or a mutable reference to one.
    pub fn is_variable(&self, name: &syn::Ident) -> bool {
        matches!(self.find(name), Some(Declared::Variable | Declared::Reference))
    }

    /// Whether a name is a mutable reference.
    pub fn is_reference(&self, name: &syn::Ident) -> bool {
        self.find(name) == Some(Declared::Reference)
    }
}

/// The name of the variable that receives a function's result. Its hygiene is the same wherever the name is generated, also for
/// an expression that begins with the receiver, whose span differs.
pub fn returned() -> syn::Ident {
    syn::Ident::new("__returned", proc_macro2::Span::mixed_site())
}

/// The identifier, if the expression is a path with one part.
pub fn as_name(expression: &syn::Expr) -> Option<&syn::Ident> {
    match expression {
        syn::Expr::Path(path) if path.qself.is_none() => path.path.get_ident(),
        syn::Expr::Paren(inner) => as_name(&inner.expr),
        syn::Expr::Group(inner) => as_name(&inner.expr),
        _ => None,
    }
}

/// The variable at the root of `a[i][j]` or `a.0`.
pub fn root(expression: &syn::Expr) -> Option<&syn::Ident> {
    match expression {
        syn::Expr::Index(index) => root(&index.expr),
        syn::Expr::Field(field) => root(&field.base),
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => root(expr),
        other => as_name(other),
    }
}

/// The name of a loop's label, in the runtime's form.
pub fn label_tokens(label: Option<&syn::Lifetime>) -> TokenStream {
    match label {
        Some(label) => {
            let name = label.ident.to_string();
            quote::quote_spanned!(label.span() => ::core::option::Option::Some(#name))
        }
        None => quote::quote!(::core::option::Option::None),
    }
}
