//! NVIDIA's libraries beside the driver, each loaded at run time where it is installed.

pub(crate) mod cublas;
pub(crate) mod nccl;
pub(crate) mod nvml;
pub(crate) mod nvrtc;
