//! Compares textures and surfaces with the formulas of the CUDA guide ("Texture Fetching"). No GPU has confirmed the
//! results yet.

mod common;
mod images;
mod mipmaps;
