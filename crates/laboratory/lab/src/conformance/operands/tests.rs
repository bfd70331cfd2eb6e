//! Every kind of operand in the catalogue, by name and range.

use super::super::catalogue::CHAPTERS;
use super::*;

#[test]
fn every_kind_in_the_catalogue_has_a_name() {
    for row in CHAPTERS.iter().flat_map(|chapter| chapter.rows) {
        for word in row.results.split_whitespace().chain(row.operands.split_whitespace()) {
            assert!(NAMES.iter().any(|(name, _)| *name == word), "{}: {word}", row.names);
        }
    }
}

#[test]
fn values_fit_their_kinds() {
    for (_, kind) in NAMES {
        for n in 0..2000 {
            let [a, b, ..] = tuple(&[*kind, *kind], 7, n);
            let mask = if *kind == Kind::Pred { 1 } else { kind.mask() };
            assert_eq!((a & !mask, b & !mask), (0, 0), "{kind:?}");
        }
    }
}
