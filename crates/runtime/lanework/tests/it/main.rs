//! Launches and buffers of the public API, and what counters say of them.

mod launches;
mod pitched;
mod profile;
mod residents;
mod vectorization;
