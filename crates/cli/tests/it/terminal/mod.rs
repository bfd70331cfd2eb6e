//! Tests of terminal output: widths, languages, JSON.

mod json;
#[cfg(unix)]
mod widths;
mod words;
