//! NVML (`libnvidia-ml.so.1`) for the emulated GPUs: the driver's library under another name. `lanework exec` preloads
//! it.
//!
//! | file | holds |
//! | --- | --- |
//! | `values` | shared: return codes, struct layouts, handles, storing results |
//! | `devices` | initialization, devices, names, memory and clocks |
//! | `topology` | bus, CPU affinity, distances between GPUs |
//! | `modes` | modes, supported clocks, fields by number |
//! | `unsupported` | functions that always fail |
//!
//! Sensors that the emulator does not model (temperature, power, fans, error counts) are not supported. Utilization is
//! always 0, because all work is done during the call that requests it.

pub mod devices;
pub mod modes;
pub mod topology;
pub mod unsupported;
pub mod values;
