//! Textures and surfaces: images in global memory, read through a filter or accessed at places.

mod access;
mod bound;
pub mod handlers;
mod level;
pub mod object;
pub mod plan;
mod sample;
mod srgb;
mod surface;
