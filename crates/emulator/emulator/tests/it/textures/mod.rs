//! Textures and surfaces against the formulas of the CUDA guide ("Texture Fetching"), which no GPU has confirmed yet.

mod common;
mod images;
mod mipmaps;
