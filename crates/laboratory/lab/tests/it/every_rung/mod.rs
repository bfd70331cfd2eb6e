//! Properties of all rungs of all ladders.

mod compiled;
mod sanitized;
mod unused;
