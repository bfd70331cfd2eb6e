//! Commands on programs, candidates and new projects.

#[cfg(all(unix, feature = "host"))]
mod device_objects;
mod exec;
mod exit_codes;
#[cfg(feature = "judge")]
mod judge;
#[cfg(all(unix, feature = "host"))]
mod libraries;
#[cfg(feature = "mcp")]
mod mcp;
mod new;
#[cfg(all(unix, feature = "host"))]
mod reported;
mod runtime;
#[cfg(all(unix, feature = "host"))]
mod source;
