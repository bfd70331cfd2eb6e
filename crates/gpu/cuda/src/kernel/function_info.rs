//! The driver's description of a compiled kernel, and the check of arguments against it.

use std::fmt;
use std::sync::Arc;

use crate::CudaError;

/// The driver's description of a compiled kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionInfo {
    /// The kernel's name.
    pub name: Arc<str>,
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Local memory per thread, bytes: spilled registers and local arrays.
    pub local_bytes: u32,
    /// Shared memory declared in the kernel, bytes per block.
    pub static_shared: u32,
    /// Constant memory declared in the module, bytes.
    pub constant_bytes: u32,
    /// Threads per block this kernel can have: its registers and `.maxntid` limit it.
    pub max_threads: u32,
    /// Architecture of the machine code, 90 for sm_90.
    pub binary_version: u32,
    /// PTX version it was compiled from, 80 for 8.0.
    pub ptx_version: u32,
    /// Bytes of each parameter; `None` when the driver (before CUDA 12.4) does not report it.
    pub parameters: Option<Vec<usize>>,
}

impl FunctionInfo {
    /// Rejects arguments that do not fit the parameters, where their sizes are known.
    pub(crate) fn check_arguments(&self, arguments: &[&[u8]]) -> Result<(), CudaError> {
        let Some(parameters) = &self.parameters else { return Ok(()) };
        let refuse =
            |what: String| Err(CudaError::Arguments { kernel: self.name.to_string(), what });
        if parameters.len() != arguments.len() {
            return refuse(format!(
                "it has {} parameters (of {parameters:?} bytes), {} arguments were given",
                parameters.len(),
                arguments.len()
            ));
        }
        for (index, (&parameter, argument)) in parameters.iter().zip(arguments).enumerate() {
            if parameter != argument.len() {
                return refuse(format!(
                    "parameter {index} has {parameter} bytes, the argument has {}",
                    argument.len()
                ));
            }
        }
        Ok(())
    }
}

impl fmt::Display for FunctionInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} registers, {} bytes of local memory, {} bytes of shared memory, up to {} threads",
            self.name, self.registers, self.local_bytes, self.static_shared, self.max_threads
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_must_fit_the_parameters() {
        let function = FunctionInfo {
            name: "k".into(),
            registers: 0,
            local_bytes: 0,
            static_shared: 0,
            constant_bytes: 0,
            max_threads: 1024,
            binary_version: 90,
            ptx_version: 80,
            parameters: Some(vec![8, 4]),
        };
        let (pointer, count) = (0u64.to_ne_bytes(), 7u32.to_ne_bytes());
        assert!(function.check_arguments(&[&pointer, &count]).is_ok());
        let missing = function.check_arguments(&[&pointer]).expect_err("one is missing");
        assert!(
            missing.to_string().contains("2 parameters (of [8, 4] bytes), 1 arguments"),
            "{missing}"
        );
        let swapped = function.check_arguments(&[&count, &pointer]).expect_err("sizes differ");
        assert!(
            swapped.to_string().contains("parameter 0 has 8 bytes, the argument has 4"),
            "{swapped}"
        );
        let unknown = FunctionInfo { parameters: None, ..function };
        assert!(unknown.check_arguments(&[]).is_ok());
    }
}
