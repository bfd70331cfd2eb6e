//! gpuocelot's `ptx_run`, for programs written for that library: one call parses, compiles and
//! launches a kernel, and addresses are host addresses.
//!
//! Programs call it thousands of times with a few distinct texts, so compiled modules are cached.

use crate::host::ptx_run_device;
use crate::status::{Failure, guard, lanework_last_error, text};
use lanework_runtime::ptx::StateSpace;
use lanework_runtime::{PtxArg, PtxModule, PtxShape};
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The most cached modules; when the cache is full, it is cleared.
const KEPT: usize = 4096;

/// The module of a text, compiled once and cached.
fn module(text: String) -> Result<Arc<PtxModule>, Failure> {
    static MODULES: OnceLock<Mutex<HashMap<String, Arc<PtxModule>>>> = OnceLock::new();
    let modules = MODULES.get_or_init(Mutex::default);
    let found = modules.lock().unwrap_or_else(PoisonError::into_inner).get(&text).cloned();
    if let Some(module) = found {
        return Ok(module);
    }
    let module = Arc::new(ptx_run_device().device.load_ptx(&text)?);
    // gpuocelot loads the module at every call, so writable module variables are initialized at
    // every call. Modules that have any are not cached.
    let keeps_state = module.module().variables().any(|v| v.space == StateSpace::Global);
    if !keeps_state {
        let mut modules = modules.lock().unwrap_or_else(PoisonError::into_inner);
        if modules.len() >= KEPT {
            modules.clear();
        }
        modules.insert(text, Arc::clone(&module));
    }
    Ok(module)
}

/// Three extents from C ints.
fn extents(what: &str, given: [c_int; 3]) -> Result<[u32; 3], Failure> {
    let mut extents = [0; 3];
    for (extent, given) in extents.iter_mut().zip(given) {
        *extent = u32::try_from(given)
            .map_err(|_| Failure::argument(format!("{given} is not a valid {what} extent")))?;
    }
    Ok(extents)
}

/// Runs the entry of a module whose name sorts first. `arguments[i]` is the value itself, not a
/// pointer to it.
///
/// # Safety
/// `source` ends with a zero byte, `arguments` has `count` values, and the kernel accesses only
/// valid memory, or only the ranges of [`crate::lanework_register`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_run(
    source: *const c_char,
    count: c_int,
    arguments: *const *mut c_void,
    block_x: c_int,
    block_y: c_int,
    block_z: c_int,
    grid_x: c_int,
    grid_y: c_int,
    grid_z: c_int,
    dynamic_shared: c_int,
) -> c_int {
    let status = guard(|| {
        // SAFETY: the header requires `source` to be null or a C string.
        let module = module(unsafe { text(source, "the PTX text")? })?;
        let entry = module.module().entries().min_by_key(|entry| &entry.name);
        let entry = entry.ok_or_else(|| Failure::argument("the module has no entry"))?;
        let shape = PtxShape {
            grid: extents("grid", [grid_x, grid_y, grid_z])?.into(),
            block: extents("block", [block_x, block_y, block_z])?.into(),
            dynamic_shared: u32::try_from(dynamic_shared).unwrap_or(0),
            cluster: None,
            cooperative: false,
        };
        let count = usize::try_from(count).unwrap_or(0);
        if count != entry.params.len() || (count > 0 && arguments.is_null()) {
            return Err(Failure::argument(format!(
                "{count} arguments for the {} parameters of `{}`",
                entry.params.len(),
                entry.name
            )));
        }
        let mut values = Vec::with_capacity(count);
        for (i, parameter) in entry.params.iter().enumerate() {
            // SAFETY: not null, `i < count`, and the header requires `count` values there.
            let value = unsafe { arguments.add(i).read_unaligned() } as u64;
            let bytes = value.to_le_bytes();
            let size = parameter.size() as usize;
            let bytes = bytes.get(..size).ok_or_else(|| {
                Failure::argument(format!(
                    "parameter `{}` has {size} bytes; ptx_run passes at most 8, lanework_launch any \
                     number",
                    parameter.name
                ))
            })?;
            values.push(PtxArg::Bytes(bytes.to_vec()));
        }
        // SAFETY: the header requires that the kernel accesses valid memory only.
        unsafe { module.launch(&entry.name, shape, &values) }?;
        Ok(())
    });
    if status != 0 {
        // Callers declare `ptx_run` as returning void, so the failure is also printed.
        // SAFETY: the text ends with a zero byte and stays until the next failure.
        let why = unsafe { CStr::from_ptr(lanework_last_error()) }.to_string_lossy();
        let _ = writeln!(std::io::stderr(), "ptx_run: {why}");
    }
    status
}
