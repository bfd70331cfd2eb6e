//! NVIDIA's libraries other than the driver, each loaded at run time if it is installed.

pub(crate) mod cublas;
pub(crate) mod nccl;
pub(crate) mod nvml;
pub(crate) mod nvrtc;
