//! The built-in headers: C++ text that the front end compiles like any other.

/// The text of a built-in header; empty for headers that only host code needs. `None` if unknown.
pub fn text(_name: &str) -> Option<&'static str> {
    None
}
