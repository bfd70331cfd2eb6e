//! What reaches the terminal: widths, languages, JSON.

mod json;
#[cfg(unix)]
mod widths;
mod words;
