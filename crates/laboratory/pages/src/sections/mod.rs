//! The pages of the report: each is a section of one file, addressed by its URL fragment.

mod climbs;
mod kernel;
mod ladder;
mod listing;
mod roofline;
mod route;
mod shell;
mod summary;
mod sweeps;
mod timed;

pub use shell::page;
