//! Graphs: work as nodes with an order, made by calls or by capture, changed, and run as a whole.

pub mod any_nodes;
pub mod calls;
pub mod condition;
pub mod conditional;
pub mod edges;
pub mod memory;
pub mod memory_nodes;
pub mod node_changes;
pub mod node_parameters;
pub mod nodes;
pub mod older;
pub mod order;
pub mod user_objects;
pub mod work;
