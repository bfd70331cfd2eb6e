//! Modules of PTX, their entries, and launches.
//!
//! The last function is gpuocelot's `ptx_run`, for programs written for that library: one call parses, compiles and
//! launches a kernel, and addresses are host addresses. Programs call it thousands of times with a few distinct texts, so
//! it caches compiled modules.

use crate::call::{
    self, Failure, OpenModule, guard, lanework_last_error, out, ptx_run_device, text,
};
use lanework_runtime::ptx::{Function, StateSpace};
use lanework_runtime::{PtxArg, PtxModule, PtxShape};
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// `lanework_shape`: the shape of a launch.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaneworkShape {
    /// Blocks by axis.
    pub grid: [u32; 3],
    /// Threads per block by axis.
    pub block: [u32; 3],
    /// Blocks per cluster by axis; zeros select the kernel's own cluster size.
    pub cluster: [u32; 3],
    /// Bytes of dynamic shared memory per block.
    pub dynamic_shared: u32,
    /// Not 0 for a cooperative launch.
    pub cooperative: u32,
}

/// `lanework_executed`: counts of a launch on the emulator; zeros on a GPU.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct LaneworkExecuted {
    /// Number of warp instructions.
    pub warp_instructions: u64,
    /// Number of thread instructions: warp instructions times active lanes.
    pub lane_instructions: u64,
}

// The layouts must match lanework.h.
#[cfg(target_pointer_width = "64")]
const _: () = {
    use std::mem::offset_of;
    assert!(size_of::<LaneworkShape>() == 44 && align_of::<LaneworkShape>() == 4);
    assert!(offset_of!(LaneworkShape, block) == 12);
    assert!(offset_of!(LaneworkShape, cluster) == 24);
    assert!(offset_of!(LaneworkShape, dynamic_shared) == 36);
    assert!(offset_of!(LaneworkShape, cooperative) == 40);
    assert!(size_of::<LaneworkExecuted>() == 16 && align_of::<LaneworkExecuted>() == 8);
    assert!(offset_of!(LaneworkExecuted, lane_instructions) == 8);
};

/// Loads PTX text on a device.
///
/// # Safety
/// Pointers are null or valid as documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lanework_module_load(
    device: u64,
    ptx: *const c_char,
    bytes: usize,
    module: *mut u64,
) -> c_int {
    guard(|| {
        // SAFETY: the header requires `module` to be null or writable.
        let to = unsafe { out(module, "`module`")? };
        *to = 0;
        let ptx = if bytes == 0 || ptx.is_null() {
            // SAFETY: the header requires a `ptx` without a length to be null or a C string.
            unsafe { text(ptx, "the PTX text")? }
        } else {
            // SAFETY: not null, and the header requires `bytes` readable bytes there.
            let bytes = unsafe { std::slice::from_raw_parts(ptx.cast::<u8>(), bytes) };
            String::from_utf8_lossy(bytes).into_owned()
        };
        let loaded = call::device(device)?.device.load_ptx(&ptx)?;
        *to = call::insert_module(OpenModule { module: loaded, device });
        Ok(())
    })
}

/// Unloads a module.
#[unsafe(no_mangle)]
pub extern "C" fn lanework_module_unload(module: u64) -> c_int {
    guard(|| call::close_module(module))
}

/// Counts the entries of a module.
///
/// # Safety
/// `count` is null or valid as documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lanework_entry_count(module: u64, count: *mut usize) -> c_int {
    guard(|| {
        // SAFETY: the header requires `count` to be null or writable.
        let to = unsafe { out(count, "`count`")? };
        *to = call::module(module)?.module.module().entries().count();
        Ok(())
    })
}

/// Writes the name of a module's entry by index.
///
/// # Safety
/// Pointers are null or valid as documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lanework_entry_name(
    module: u64,
    index: usize,
    name: *mut c_char,
    capacity: usize,
) -> c_int {
    guard(|| {
        let open = call::module(module)?;
        let entry = open.module.module().entries().nth(index).ok_or_else(|| {
            let count = open.module.module().entries().count();
            Failure::argument(format!("there is no entry {index}: the module has {count}"))
        })?;
        let needed = entry.name.len() + 1;
        if name.is_null() || capacity < needed {
            return Err(Failure::argument(format!(
                "`name` is NULL or has fewer than the {needed} bytes that `{}` needs",
                entry.name
            )));
        }
        // SAFETY: the header requires `capacity` writable bytes at `name`; the check above found
        // `needed <= capacity`.
        unsafe {
            name.copy_from_nonoverlapping(entry.name.as_ptr().cast(), needed - 1);
            name.add(needed - 1).write(0);
        }
        Ok(())
    })
}

/// An entry by name, or an error that lists the entries.
pub(crate) fn entry<'a>(module: &'a PtxModule, name: &str) -> Result<&'a Function, Failure> {
    module.module().entry(name).ok_or_else(|| {
        let names: Vec<_> = module.module().entries().map(|e| format!("`{}`", e.name)).collect();
        Failure::argument(format!(
            "the module has no entry `{name}`; it has {}",
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        ))
    })
}

/// Returns the sizes of an entry's parameters.
///
/// # Safety
/// Pointers are null or valid as documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lanework_entry_parameters(
    module: u64,
    name: *const c_char,
    sizes: *mut usize,
    capacity: usize,
    count: *mut usize,
) -> c_int {
    guard(|| {
        // SAFETY: the header requires `name` to be null or a C string, and `count` to be null or
        // writable.
        let (name, to) = unsafe { (text(name, "the entry's name")?, out(count, "`count`")?) };
        let open = call::module(module)?;
        let entry = entry(&open.module, &name)?;
        *to = entry.params.len();
        if sizes.is_null() {
            return Ok(());
        }
        for (i, parameter) in entry.params.iter().enumerate().take(capacity) {
            // SAFETY: `i < capacity`, and the header requires `capacity` writable sizes there.
            unsafe { sizes.add(i).write_unaligned(parameter.size() as usize) };
        }
        Ok(())
    })
}

/// Launches an entry and waits until it is done.
///
/// # Safety
/// Pointers are null or valid as documented in the header, and the kernel only accesses memory that
/// it may use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lanework_launch(
    module: u64,
    name: *const c_char,
    shape: *const LaneworkShape,
    arguments: *const *const c_void,
    count: usize,
    executed: *mut LaneworkExecuted,
) -> c_int {
    guard(|| {
        // SAFETY: the header requires `name` to be null or a C string, and `shape` to be null or
        // valid.
        let (name, shape) = unsafe { (text(name, "the entry's name")?, shape.as_ref()) };
        let shape = *shape.ok_or_else(|| Failure::argument("`shape` is NULL"))?;
        let open = call::module(module)?;
        let entry = entry(&open.module, &name)?;
        if count != entry.params.len() {
            return Err(Failure::argument(format!(
                "{count} arguments for the {} parameters of `{name}`",
                entry.params.len()
            )));
        }
        if arguments.is_null() && count > 0 {
            return Err(Failure::argument("`arguments` is NULL"));
        }
        let mut values = Vec::with_capacity(count);
        for (i, parameter) in entry.params.iter().enumerate() {
            // SAFETY: `i` is less than `count`, the number of parameters (checked above); the header
            // requires `count` pointers there.
            let from = unsafe { arguments.add(i).read_unaligned() };
            if from.is_null() {
                return Err(Failure::argument(format!("argument {i} is NULL")));
            }
            let bytes = parameter.size() as usize;
            // SAFETY: not null, and the header requires as many readable bytes there as the
            // parameter has.
            let bytes = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), bytes) };
            values.push(PtxArg::Bytes(bytes.to_vec()));
        }
        let shape = PtxShape {
            grid: shape.grid.into(),
            block: shape.block.into(),
            dynamic_shared: shape.dynamic_shared,
            cluster: (shape.cluster != [0; 3]).then(|| shape.cluster.into()),
            cooperative: shape.cooperative != 0,
        };
        // SAFETY: the header requires that the kernel accesses only memory that it may use.
        let done = unsafe { open.module.launch(&name, shape, &values) }?.unwrap_or_default();
        if !executed.is_null() {
            // SAFETY: not null, and the header requires it to be writable.
            unsafe {
                executed.write_unaligned(LaneworkExecuted {
                    warp_instructions: done.warp_instructions,
                    lane_instructions: done.lane_instructions,
                });
            }
        }
        Ok(())
    })
}

/// Maximum number of cached modules; a full cache is cleared.
const KEPT: usize = 4096;

/// Returns the module of a text, compiled on first use and then cached.
fn compiled(text: String) -> Result<Arc<PtxModule>, Failure> {
    static MODULES: OnceLock<Mutex<HashMap<String, Arc<PtxModule>>>> = OnceLock::new();
    let modules = MODULES.get_or_init(Mutex::default);
    let found = modules.lock().unwrap_or_else(PoisonError::into_inner).get(&text).cloned();
    if let Some(module) = found {
        return Ok(module);
    }
    let module = Arc::new(ptx_run_device().device.load_ptx(&text)?);
    // gpuocelot loads the module at every call, which initializes its writable variables. So
    // modules with such variables are not cached.
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

/// Converts three extents from C ints.
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
/// `source` ends with a zero byte, `arguments` has `count` values, and the kernel only accesses valid memory, or
/// only memory registered with [`crate::lanework_register`].
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
        let module = compiled(unsafe { text(source, "the PTX text")? })?;
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
        // Callers declare `ptx_run` with return type void, so the failure is also printed.
        // SAFETY: the text ends with a zero byte and stays until the next failure.
        let why = unsafe { CStr::from_ptr(lanework_last_error()) }.to_string_lossy();
        let _ = writeln!(std::io::stderr(), "ptx_run: {why}");
    }
    status
}
