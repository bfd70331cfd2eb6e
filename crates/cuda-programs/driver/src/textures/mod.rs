//! Arrays, textures, surfaces, and the tensor maps of sm_90.

pub mod arrays;
pub mod objects;
pub mod references;
pub mod tensor_maps;
