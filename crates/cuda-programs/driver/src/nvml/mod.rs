//! NVML (`libnvidia-ml.so.1`) on the emulated GPUs: the driver's library under another name, as `lanework exec` puts it before a program.
//!
//! | file | holds |
//! | --- | --- |
//! | `values` | what the functions share: codes, the layout of structs, handles, how values are stored |
//! | `devices` | start and end, which GPUs there are, their names, memory and clocks |
//! | `topology` | where a GPU is: its bus, its processors, the GPUs near it |
//! | `modes` | the modes that a GPU is in, clocks that it supports, fields by number |
//! | `unsupported` | functions that always refuse |
//!
//! What a GPU measures and the emulator does not have (temperature, power, fans, counts of errors) is not supported. Utilisation is 0: work is done
//! within the call that asks for it.

pub mod devices;
pub mod modes;
pub mod topology;
pub mod unsupported;
pub mod values;
