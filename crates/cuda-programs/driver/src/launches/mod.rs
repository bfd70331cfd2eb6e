//! Kernel launches: configuration, attributes, execution, device launch, occupancy.

pub mod attributes;
pub mod child_order;
pub mod device_launch;
pub mod launch;
pub mod legacy;
pub mod occupancy;
