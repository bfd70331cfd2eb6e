//! Macros in kernels: `#[device] macro_rules!`.
//!
//! An attribute cannot expand a macro that its item calls. Instead, it calls the macro with the whole item as the first
//! argument. `#[device]` on the macro has added a second version of each rule for such calls. This version passes the
//! item and the rule's expansion to `expanded!`, which replaces the call by the expansion and applies the attribute to
//! the item again.

use crate::body::macros::format::is_known;
use crate::source::plain_rules;
use crate::types::refuse;
use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::parse::{Parse, ParseStream, Parser};
use syn::visit_mut::{VisitMut, visit_block_mut, visit_expr_mut, visit_pat_mut};
use syn::{Expr, Pat, Stmt};

/// The first two tokens of a call that passes an item. If the macro lacks `#[device]`, no rule of it matches, and rustc's error
/// shows this name: a rule `$a:expr` takes the first token and refuses the second.
fn marker(span: Span) -> Ident {
    Ident::new("this_macro_is_not_marked_device", span)
}

/// Adds the second rules to a macro.
pub fn declare(item: &syn::ItemMacro) -> syn::Result<TokenStream> {
    let (attributes, name) = (&item.attrs, &item.ident);
    if !item.mac.path.is_ident("macro_rules") || name.is_none() {
        return Err(refuse(
            item,
            "#[device] is for functions, structs, enums, traits and `impl` blocks",
            "remove it",
        ));
    }
    let (rules, with_item) = (&item.mac.tokens, with_item(&item.mac.tokens));
    Ok(quote!(#(#attributes)* macro_rules! #name { #with_item #rules }))
}

/// The second rules of a macro.
fn with_item(rules: &TokenStream) -> TokenStream {
    let mut rules = rules.clone().into_iter().peekable();
    let (dollar, marker) = (Punct::new('$', Spacing::Alone), marker(Span::call_site()));
    let mut with_item = TokenStream::new();
    while let Some(TokenTree::Group(pattern)) = rules.next() {
        // `=>`, the expansion, and `;` between rules.
        let (_, _) = (rules.next(), rules.next());
        let Some(TokenTree::Group(body)) = rules.next() else { break };
        if matches!(rules.peek(), Some(TokenTree::Punct(_))) {
            rules.next();
        }
        let (pattern, body) = (pattern.stream(), body.stream());
        with_item.extend(quote! {
            (#marker #marker (#dollar (#dollar __item:tt)*) #pattern) => {
                ::lanework::expanded! { (#dollar (#dollar __item)*) { #body } }
            };
        });
    }
    with_item
}

/// The call that expands the first macro of an item, if the item has one.
pub fn of_item(attribute: &TokenStream, word: &str, item: &TokenStream) -> Option<TokenStream> {
    let mut file: syn::Item = syn::parse2(item.clone()).ok()?;
    let mut search = Calls { found: None, replacement: None };
    search.visit_item_mut(&mut file);
    let call = search.found?;
    let (path, arguments) = (&call.path, &call.tokens);
    let (marker, word) =
        (marker(call.path.segments[0].ident.span()), Ident::new(word, Span::call_site()));
    let span = call.path.segments[0].ident.span();
    // A macro of the same file needs no `#[device]`: its second rules are declared here.
    if let Some(rules) = call.path.get_ident().and_then(plain_rules) {
        let name = format_ident!("__{}_in_kernels", call.path.segments[0].ident, span = span);
        let rules = with_item(&rules);
        return Some(quote_spanned!(span =>
            #[allow(unused_macros, unused_macro_rules)]
            macro_rules! #name { #rules }
            #name! { #marker #marker (#word (#attribute) #item) #arguments }));
    }
    Some(quote_spanned!(span => #path! { #marker #marker (#word (#attribute) #item) #arguments }))
}

/// The arguments of `expanded!`.
struct Expanded {
    word: Ident,
    attribute: TokenStream,
    item: syn::Item,
    body: TokenStream,
}

impl Parse for Expanded {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (state, attribute, body);
        syn::parenthesized!(state in input);
        let word = state.parse()?;
        syn::parenthesized!(attribute in state);
        let (attribute, item) = (attribute.parse()?, state.parse()?);
        syn::braced!(body in input);
        Ok(Expanded { word, attribute, item, body: body.parse()? })
    }
}

/// Puts an expansion in the place of the call.
pub fn resume(tokens: TokenStream) -> TokenStream {
    let expanded: Expanded = match syn::parse2(tokens) {
        Ok(expanded) => expanded,
        Err(error) => return error.into_compile_error(),
    };
    let Expanded { word, attribute, mut item, body } = expanded;
    Calls { found: None, replacement: Some(body) }.visit_item_mut(&mut item);
    quote!(#[::lanework::#word(#attribute)] #item)
}

/// Finds the first call of a macro that is not the kernel language's, and replaces it.
struct Calls {
    found: Option<syn::Macro>,
    replacement: Option<TokenStream>,
}

impl Calls {
    /// Whether this is the call.
    fn takes(&mut self, call: &syn::Macro) -> bool {
        let last = call.path.segments.last();
        if self.found.is_some() || last.is_none_or(|last| is_known(&last.ident.to_string())) {
            return false;
        }
        self.found = Some(call.clone());
        self.replacement.is_some()
    }
}

impl VisitMut for Calls {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let mut at = 0;
        while at < block.stmts.len() && self.found.is_none() {
            if let Stmt::Macro(call) = &block.stmts[at] {
                let (call, last) = (call.clone(), call.semi_token.is_none());
                if self.takes(&call.mac) {
                    let body = self.replacement.clone().unwrap_or_default();
                    let inner: syn::Result<syn::Block> = syn::parse2(quote!({ #body }));
                    let mut inner = inner.map_or_else(|error| invalid(&error), |b| b.stmts);
                    if let (false, Some(Stmt::Expr(_, end @ None))) = (last, inner.last_mut()) {
                        *end = Some(Default::default());
                    }
                    block.stmts.splice(at..=at, inner);
                    return;
                }
            }
            self.visit_stmt_mut(&mut block.stmts[at]);
            at += 1;
        }
        if self.found.is_none() && at > block.stmts.len() {
            visit_block_mut(self, block);
        }
    }

    fn visit_pat_mut(&mut self, pattern: &mut Pat) {
        let Pat::Macro(call) = pattern else { return visit_pat_mut(self, pattern) };
        let call = call.mac.clone();
        if self.takes(&call) {
            let body = self.replacement.clone().unwrap_or_default();
            *pattern = match Pat::parse_multi_with_leading_vert.parse2(body) {
                // As in Rust, the expansion stays whole: `x @ (1 | 2)`.
                Ok(inner @ (Pat::Or(_) | Pat::Range(_))) => Pat::Paren(syn::PatParen {
                    attrs: Vec::new(),
                    paren_token: Default::default(),
                    pat: Box::new(inner),
                }),
                Ok(inner) => inner,
                Err(error) => Pat::Verbatim(error.into_compile_error()),
            };
        }
    }

    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        if let Expr::Macro(call) = expression {
            let call = call.mac.clone();
            if self.takes(&call) {
                let body = self.replacement.clone().unwrap_or_default();
                let whole = Group::new(Delimiter::Parenthesis, body).into_token_stream();
                *expression = syn::parse2(whole)
                    .or_else(|_| {
                        let body = self.replacement.clone().unwrap_or_default();
                        syn::parse2(quote!({ #body }))
                    })
                    .unwrap_or_else(|error: syn::Error| Expr::Verbatim(error.into_compile_error()));
            }
            return;
        }
        visit_expr_mut(self, expression);
    }
}

/// A statement that reports an error.
fn invalid(error: &syn::Error) -> Vec<Stmt> {
    vec![Stmt::Expr(Expr::Verbatim(error.to_compile_error()), Some(Default::default()))]
}
