//! The driver's assembler: compiles PTX text to a module or an error log.

use std::ffi::{CString, c_void};
use std::fmt::Write;

use crate::driver::sys::{self, CUjit_option as Key, CUresult};

use crate::{CudaError, Gpu, driver};

/// Bytes for each of the two logs; the driver truncates longer logs.
const LOG_BYTES: usize = 64 << 10;

/// How the driver's assembler compiles a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JitOptions {
    /// Registers per thread, at most; `None` leaves the choice to the assembler.
    pub max_registers: Option<u32>,
    /// Optimization level, 0 to 4; `None` is the driver's default, 4.
    pub optimization: Option<u32>,
    /// Keep source lines (`.loc`) for profilers; does not change the code.
    pub line_info: bool,
}

impl Default for JitOptions {
    fn default() -> Self {
        JitOptions { max_registers: None, optimization: None, line_info: true }
    }
}

/// Compiles and loads a module; returns it with the assembler's info log.
pub(crate) fn load(
    gpu: &Gpu,
    ptx: &str,
    name: &str,
    options: JitOptions,
) -> Result<(sys::CUmodule, String), CudaError> {
    gpu.outside_capture("loading a module")?;
    let image = CString::new(ptx).map_err(|nul| CudaError::Invalid {
        what: format!("the PTX of module `{name}` has a NUL byte at offset {}", nul.nul_position()),
    })?;
    let mut info = vec![0u8; LOG_BYTES];
    let mut errors = vec![0u8; LOG_BYTES];
    // Each option's value is passed in the pointer itself, except for the two buffers.
    let number = |value: usize| value as *mut c_void;
    let mut keys = vec![
        Key::CU_JIT_INFO_LOG_BUFFER,
        Key::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
        Key::CU_JIT_ERROR_LOG_BUFFER,
        Key::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        Key::CU_JIT_LOG_VERBOSE,
        Key::CU_JIT_GENERATE_LINE_INFO,
    ];
    let mut values = vec![
        info.as_mut_ptr().cast(),
        number(LOG_BYTES),
        errors.as_mut_ptr().cast(),
        number(LOG_BYTES),
        number(1),
        number(usize::from(options.line_info)),
    ];
    if let Some(registers) = options.max_registers {
        keys.push(Key::CU_JIT_MAX_REGISTERS);
        values.push(number(registers as usize));
    }
    if let Some(level) = options.optimization {
        keys.push(Key::CU_JIT_OPTIMIZATION_LEVEL);
        values.push(number(level as usize));
    }
    gpu.bind()?;
    let mut module = std::ptr::null_mut();
    // SAFETY: the image is NUL-terminated; keys and values have the same length; both log buffers
    // have the size stated and outlive the call, which does not keep them.
    let result = unsafe {
        sys::cuModuleLoadDataEx(
            &mut module,
            image.as_ptr().cast(),
            keys.len() as u32,
            keys.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    match result {
        CUresult::CUDA_SUCCESS => Ok((module, log_text(&info))),
        _ => Err(rejected(gpu, result, ptx, name, &log_text(&errors))),
    }
}

/// A log as text, without its padding.
fn log_text(buffer: &[u8]) -> String {
    let end = buffer.iter().position(|&byte| byte == 0).unwrap_or(buffer.len());
    String::from_utf8_lossy(&buffer[..end]).trim().to_string()
}

/// The error for a module that the driver rejected.
fn rejected(gpu: &Gpu, result: CUresult, ptx: &str, name: &str, log: &str) -> CudaError {
    use CUresult as R;
    let (cuda_major, cuda_minor) = gpu.info().driver_version;
    let (major, minor) = gpu.info().compute_capability;
    let remedy = match result {
        R::CUDA_ERROR_INVALID_PTX | R::CUDA_ERROR_INVALID_IMAGE | R::CUDA_ERROR_INVALID_SOURCE => {
            "correct the PTX at the lines the log names".to_string()
        }
        R::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => format!(
            "this driver supports CUDA {cuda_major}.{cuda_minor}: lower the module's .version, or update the driver"
        ),
        R::CUDA_ERROR_NO_BINARY_FOR_GPU => {
            format!("this GPU is sm_{major}{minor}: set the module's .target to it or lower")
        }
        R::CUDA_ERROR_JIT_COMPILER_NOT_FOUND => {
            "install libnvidia-ptxjitcompiler, which comes with the driver".to_string()
        }
        _ => match gpu.check(result, "cuModuleLoadDataEx") {
            Err(error) if log.is_empty() => return error,
            _ => "see the log".to_string(),
        },
    };
    let (code, text) = driver::describe(result);
    let log = if log.is_empty() { "(the assembler left no log)" } else { log };
    CudaError::Compile {
        module: name.into(),
        reason: format!("{text} ({code})").into(),
        excerpt: excerpt(ptx, log).into(),
        log: log.into(),
        remedy: remedy.into(),
    }
}

/// The PTX lines a log names ("line 12; error: ..."), the first five, with their numbers.
fn excerpt(ptx: &str, log: &str) -> String {
    let lines: Vec<&str> = ptx.lines().collect();
    let mut named: Vec<usize> = log.lines().filter_map(line_number).collect();
    named.sort_unstable();
    named.dedup();
    let mut out = String::new();
    for number in named.into_iter().take(5) {
        if let Some(text) = number.checked_sub(1).and_then(|index| lines.get(index)) {
            let _ = write!(out, "\n{number:>5} | {text}");
        }
    }
    out
}

/// The number after the word "line" in one line of a log.
fn line_number(log_line: &str) -> Option<usize> {
    let (_, after) = log_line.split_once(", line ")?;
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_excerpt_shows_the_lines_the_log_names() {
        let ptx = ".version 8.0\n.target sm_90\n  add.u33 %r1, %r2, %r3;\n";
        let log = "ptxas application ptx input, line 3; error   : Unexpected instruction\n\
                   ptxas fatal   : Ptx assembly aborted due to errors";
        assert_eq!(excerpt(ptx, log), "\n    3 |   add.u33 %r1, %r2, %r3;");
        assert_eq!(excerpt(ptx, "input, line 99; error"), "");
        assert_eq!(excerpt(ptx, ""), "");
    }

    #[test]
    fn logs_end_at_their_first_zero() {
        assert_eq!(log_text(b"info: 32 registers\n\0\0junk"), "info: 32 registers");
        assert_eq!(log_text(b""), "");
    }
}
