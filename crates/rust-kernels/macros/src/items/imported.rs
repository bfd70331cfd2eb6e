//! Variants that a file imports (`use Shape::*;`): `Disk(n)` becomes `Shape::Disk(n)`, the form that the translation knows; and byte strings
//! in patterns.

use crate::source::enum_of;
use syn::visit_mut::{VisitMut, visit_pat_mut, visit_path_mut};
use syn::{Block, Ident, Lit, Pat, Path, PathSegment};

/// The block with the paths of imported variants written out.
pub fn written_out(block: &Block) -> Block {
    let mut block = block.clone();
    Variants.visit_block_mut(&mut block);
    block
}

struct Variants;

impl VisitMut for Variants {
    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_path_mut(self, path);
        let Some(name) = path.get_ident() else { return };
        if !name.to_string().starts_with(char::is_uppercase) {
            return;
        }
        let Some(of) = enum_of(name) else { return };
        let segment = |part: &String| PathSegment::from(Ident::new(part, name.span()));
        let segments = of.iter().map(segment).chain([PathSegment::from(name.clone())]).collect();
        path.segments = segments;
    }

    // A byte string is a slice pattern of its bytes.
    fn visit_pat_mut(&mut self, pattern: &mut Pat) {
        visit_pat_mut(self, pattern);
        if let Pat::Lit(literal) = pattern
            && let Lit::ByteStr(text) = &literal.lit
        {
            let bytes = text.value().into_iter();
            let bytes = bytes.map(|byte| syn::LitByte::new(byte, text.span()));
            let slice = quote::quote_spanned!(text.span() => [#(#bytes),*]);
            if let Ok(slice) = syn::parse::Parser::parse2(Pat::parse_single, slice) {
                *pattern = slice;
            }
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_macro_mut(&mut self, call: &mut syn::Macro) {
        crate::host::visit_arguments(self, call);
    }
}
