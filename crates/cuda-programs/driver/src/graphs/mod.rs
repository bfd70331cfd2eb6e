//! Graphs: work as nodes with an order, made by calls or by capture, changed, and run as a whole.

pub mod any_nodes;
pub mod calls;
pub mod conditional;
pub mod edges;
pub mod memory_nodes;
pub mod nodes;
pub mod user_objects;
pub mod work;
