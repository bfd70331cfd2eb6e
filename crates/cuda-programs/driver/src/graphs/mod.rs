//! Graphs: nodes, edges, instantiation, updates and launches.

pub mod any_nodes;
pub mod calls;
pub mod conditional;
pub mod edges;
pub mod memory_nodes;
pub mod nodes;
pub mod user_objects;
pub mod work;
