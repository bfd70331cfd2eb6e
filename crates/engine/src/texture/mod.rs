//! Textures and surfaces: images in global memory, read through a filter or accessed at places.

mod access;
mod bound;
pub mod handlers;
pub mod object;
pub mod plan;
mod sample;
mod surface;
