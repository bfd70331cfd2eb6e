//! Names of values for the debugger: the code that records what a `let`, a loop or a parameter names.

use crate::body::scope::Translator;
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

impl Translator {
    /// The value, recorded under the name that a `let` gives it. The name itself stays unused, for rustc's lint.
    pub fn named_value(&self, name: &Ident, value: TokenStream) -> TokenStream {
        let record = self.record(name, &quote!(#name));
        // Errors about the value's type then name the user's variable.
        quote_spanned!(name.span() => { let #name = #value; #record #name })
    }

    /// Records names that a pattern has bound. Binds each again, so that rustc still reports unused names.
    pub fn named_again(&self, names: &[Ident]) -> TokenStream {
        let bind = |name: &Ident| {
            let record = self.record(name, &quote!(#name));
            quote_spanned!(name.span() => let #name = { #record #name };)
        };
        names.iter().map(bind).collect()
    }

    /// The statement that records a value under a name.
    pub fn record(&self, name: &Ident, value: &TokenStream) -> TokenStream {
        let text = name.to_string();
        let text = text.trim_start_matches("r#");
        let end = self.ends.last().copied().unwrap_or_else(|| name.span());
        let last = quote_spanned!(end => ::core::line!());
        quote_spanned!(name.span() => (&&::lanework::lang::rt::Named(&#value)).name_value(#text, #last);)
    }
}
