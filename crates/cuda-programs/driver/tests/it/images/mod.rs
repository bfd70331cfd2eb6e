//! Arrays, textures and surfaces through the driver: what is copied to an array is what kernels read, by the guide's formulas.

mod arrays;
mod calls;
mod mipmaps;
mod references;
