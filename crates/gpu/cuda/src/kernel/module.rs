//! Modules: compiles PTX text with the driver's assembler, reports its error log, and accesses the variables of loaded
//! modules.

use crate::driver::sys::{CUjit_option as Key, CUresult};
use crate::driver::{Handle, sys};
use crate::{CudaError, Gpu, driver};
use std::ffi::{CString, c_void};
use std::fmt::Write;
use std::sync::Arc;

/// A module on a GPU. Dropping it and all its functions unloads it.
#[derive(Clone, Debug)]
pub struct GpuModule {
    inner: Arc<Module>,
}

#[derive(Debug)]
struct Module {
    gpu: Gpu,
    handle: Handle<sys::CUmod_st>,
    name: String,
    info_log: String,
    kernels: Vec<String>,
}

impl Gpu {
    /// Compiles PTX text with the driver and loads it. Messages use `name`.
    ///
    /// # Errors
    /// [`CudaError::Compile`] with the assembler's log and the lines it names.
    pub fn load(&self, ptx: &str, name: &str) -> Result<GpuModule, CudaError> {
        self.load_with(ptx, name, JitOptions::default())
    }

    /// [`Gpu::load`] with options for the assembler.
    ///
    /// # Errors
    /// As [`Gpu::load`].
    pub fn load_with(
        &self,
        ptx: &str,
        name: &str,
        options: JitOptions,
    ) -> Result<GpuModule, CudaError> {
        let (module, info_log) = load(self, ptx, name, options)?;
        Ok(GpuModule {
            inner: Arc::new(Module {
                gpu: self.clone(),
                handle: Handle(module),
                name: name.to_string(),
                info_log,
                kernels: entry_names(ptx),
            }),
        })
    }
}

impl GpuModule {
    /// The name given at loading.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The GPU that holds the module.
    pub fn gpu(&self) -> &Gpu {
        &self.inner.gpu
    }

    /// The assembler's notes: registers, spills, shared memory per kernel. Empty when the driver
    /// took the code from its cache (CUDA_CACHE_DISABLE=1 turns that off).
    pub fn info_log(&self) -> &str {
        &self.inner.info_log
    }

    /// The names of the module's kernels, in PTX order.
    pub fn kernels(&self) -> &[String] {
        &self.inner.kernels
    }

    /// Device address and size in bytes of a module variable. The host accesses it with [`GpuModule::read_variable`]
    /// and [`GpuModule::write_variable`].
    ///
    /// # Errors
    /// [`CudaError::NoSuchSymbol`] if the module lacks this variable.
    pub fn variable(&self, name: &str) -> Result<(u64, usize), CudaError> {
        let symbol = self.symbol("variable", name)?;
        self.inner.gpu.bind()?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the module is loaded and the name NUL-terminated; stores an address and a size.
        let result = unsafe {
            sys::cuModuleGetGlobal_v2(
                &mut address,
                &mut bytes,
                self.inner.handle.0,
                symbol.as_ptr(),
            )
        };
        if result == CUresult::CUDA_ERROR_NOT_FOUND {
            return Err(self.missing("variable", name));
        }
        self.inner.gpu.check(result, "cuModuleGetGlobal")?;
        Ok((address, bytes))
    }

    /// Copies a module variable to the host. `into` must have the variable's size.
    ///
    /// # Errors
    /// [`CudaError::NoSuchSymbol`], or [`CudaError::Invalid`] if the sizes differ.
    pub fn read_variable(&self, name: &str, into: &mut [u8]) -> Result<(), CudaError> {
        let address = self.sized_variable(name, into.len())?;
        // SAFETY: the variable has the slice's size and lives as long as the module.
        let result = unsafe { sys::cuMemcpyDtoH_v2(into.as_mut_ptr().cast(), address, into.len()) };
        self.inner.gpu.check(result, "cuMemcpyDtoH")
    }

    /// Sets a module variable. `from` must have the variable's size.
    ///
    /// # Errors
    /// As [`GpuModule::read_variable`].
    pub fn write_variable(&self, name: &str, from: &[u8]) -> Result<(), CudaError> {
        let address = self.sized_variable(name, from.len())?;
        // SAFETY: the variable has the slice's size and lives as long as the module.
        let result = unsafe { sys::cuMemcpyHtoD_v2(address, from.as_ptr().cast(), from.len()) };
        self.inner.gpu.check(result, "cuMemcpyHtoD")
    }

    fn sized_variable(&self, name: &str, bytes: usize) -> Result<u64, CudaError> {
        self.inner.gpu.outside_capture("copying a variable")?;
        let (address, size) = self.variable(name)?;
        if size == bytes {
            return Ok(address);
        }
        Err(CudaError::Invalid {
            what: format!(
                "variable `{name}` has {size} bytes, the host slice has {bytes}; make them equal"
            ),
        })
    }

    pub(crate) fn raw_module(&self) -> sys::CUmodule {
        self.inner.handle.0
    }

    pub(crate) fn symbol(&self, kind: &'static str, name: &str) -> Result<CString, CudaError> {
        CString::new(name).map_err(|_| self.missing(kind, name))
    }

    pub(crate) fn missing(&self, kind: &'static str, name: &str) -> CudaError {
        let available = match &self.inner.kernels[..] {
            [] => "no kernels".to_string(),
            names => format!("the kernels {}", names.join(", ")),
        };
        CudaError::NoSuchSymbol {
            kind,
            name: name.to_string(),
            module: self.inner.name.clone(),
            available,
        }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // Kernels may still be running. If the wait fails (context lost, or capturing), the module stays loaded,
        // because kernels may still use it.
        if self.gpu.synchronize().is_ok() {
            // SAFETY: loaded by `load`, unloaded once; functions hold the module, so none is left.
            let _ = unsafe { sys::cuModuleUnload(self.handle.0) };
        }
    }
}

/// The kernels a PTX text defines, for messages.
fn entry_names(ptx: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in ptx.lines() {
        let code = line.split("//").next().unwrap_or_default();
        let Some((_, after)) = code.split_once(".entry") else { continue };
        let name: String = after
            .trim_start()
            .chars()
            .take_while(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '%'))
            .collect();
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Bytes for each of the two logs; the driver truncates longer logs.
const LOG_BYTES: usize = 64 << 10;

/// Options of the driver's assembler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JitOptions {
    /// Maximum registers per thread; `None` leaves the choice to the assembler.
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
    // The pointer itself holds the option's value, except for the two buffers.
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
    fn entries_are_found_in_ptx_text() {
        let ptx = ".visible .entry saxpy(\n .param .u32 n)\n{}\n// .entry not_this\n.entry _Z3addPf () {}";
        assert_eq!(entry_names(ptx), ["saxpy", "_Z3addPf"]);
    }

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
