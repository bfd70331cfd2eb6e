//! Arrays, textures and surfaces: kernels read the copied data, by the formulas of the programming guide.

mod arrays;
mod calls;
mod mipmaps;
mod references;
