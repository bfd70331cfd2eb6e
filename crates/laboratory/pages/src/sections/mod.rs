//! The pages of the report: each is a section of one file, addressed by its URL fragment.

mod climbs;
mod findings;
mod kernel;
mod ladder;
mod listing;
mod pictures;
mod roofline;
mod route;
mod shell;
mod summary;
mod sweeps;
mod timed;

pub use shell::page;
