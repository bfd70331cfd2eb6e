//! A front end for CUDA C++.

mod analyze;
mod evaluate;
mod headers;
mod lex;
mod parse;
mod preprocess;
mod source;
mod syntax;
mod typed;
mod types;

/// The candidate nearest to a misspelled name.
fn nearest<'a>(_name: &str, _candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    None
}
