//! The surface of this crate: what users import, and what the code of the macros calls.

pub mod host;
pub mod prelude;
pub mod rt;
pub(crate) mod stage;
