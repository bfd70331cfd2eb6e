//! Arrays, textures and surfaces: kernels read what was copied, by the formulas of the programming guide.

mod arrays;
mod calls;
mod mipmaps;
mod references;
