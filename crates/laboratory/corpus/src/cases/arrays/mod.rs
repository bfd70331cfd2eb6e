//! Matrices, grids and layers of neural networks.

pub mod dense;
pub mod grid;
pub mod matrices;
pub mod network;
