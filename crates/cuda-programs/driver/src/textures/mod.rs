//! Arrays, textures, surfaces, and the tensor maps of sm_90.

pub mod array;
pub mod arrays;
pub mod calls;
pub mod descriptions;
pub mod reference;
pub mod references;
pub mod tensor_maps;
