//! Launches and buffers of the public API, and their counters.

mod debugger;
mod launches;
mod pitched;
mod profile;
mod residents;
mod vectorization;
