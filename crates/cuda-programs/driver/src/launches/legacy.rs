//! Launches as before CUDA 4: calls set block, shared memory and parameters on the function, and the launch call takes
//! the grid.

use crate::api::api;
use crate::launches::launch::{Arguments, Launch};
use crate::modules::function::Function;
use crate::pointers::*;
use crate::state::{Handle, driver, lock, table};
use crate::status::{Result, Status};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Mutex;

/// Launch state of a function.
#[derive(Clone, Default)]
struct LegacyLaunch {
    block: [u32; 3],
    dynamic_shared: u32,
    /// Parameter buffer.
    parameters: Vec<u8>,
    /// Bytes of the buffer in use.
    bytes: usize,
}

static SETS: Mutex<BTreeMap<Handle, LegacyLaunch>> = Mutex::new(BTreeMap::new());

/// Maximum size of the parameters in bytes.
const MOST: usize = 32_764;

/// Changes a function's launch state.
fn set(function: Handle, change: impl FnOnce(&mut LegacyLaunch)) -> Result {
    driver()?;
    table::<Function>().get(function)?;
    change(lock(&SETS).entry(function).or_default());
    Ok(())
}

/// Writes to the parameter buffer.
fn set_bytes(function: Handle, offset: i32, bytes: &[u8]) -> Result {
    let offset = usize::try_from(offset).map_err(|_| Status::InvalidValue)?;
    let end = offset.checked_add(bytes.len()).filter(|end| *end <= MOST);
    let end = end.ok_or(Status::InvalidValue)?;
    set(function, |set| {
        let length = set.parameters.len().max(end);
        set.parameters.resize(length, 0);
        set.parameters[offset..end].copy_from_slice(bytes);
    })
}

/// Launches a function with its state.
fn launch(function: Handle, grid: [i32; 2], stream: Handle) -> Result {
    driver()?;
    table::<Function>().get(function)?;
    let LegacyLaunch { block, dynamic_shared, mut parameters, bytes } =
        lock(&SETS).get(&function).cloned().unwrap_or_default();
    let [x, y] = grid.map(|size| u32::try_from(size).unwrap_or(0));
    parameters.resize(bytes, 0);
    // The packed form: a pointer to the bytes, and a pointer to their count.
    let length = parameters.len();
    let extra: [*const c_void; 5] = [
        std::ptr::without_provenance(1),
        parameters.as_ptr().cast(),
        std::ptr::without_provenance(2),
        std::ptr::from_ref(&length).cast(),
        std::ptr::null(),
    ];
    let grid = [x, y, 1];
    let launch =
        Launch { function, grid, block, dynamic_shared, cluster: None, cooperative: false, stream };
    // SAFETY: `extra` is a list of pairs, a key and a value, that ends with the key 0. It, and what
    // it points to, outlive the call of `submit`.
    let arguments = Arguments { each: In::NULL, extra: unsafe { In::new(extra.as_ptr()) } };
    launch.submit(arguments)
}

api! {
    fn cuFuncSetBlockShape(function: Handle, x: i32, y: i32, z: i32) {
        let block = [x, y, z].map(|size| u32::try_from(size).unwrap_or(0));
        if block.contains(&0) || block.iter().map(|size| u64::from(*size)).product::<u64>() > 1024 {
            return Err(Status::InvalidValue);
        }
        set(function, |set| set.block = block)
    }

    fn cuFuncSetSharedSize(function: Handle, bytes: u32) {
        set(function, |set| set.dynamic_shared = bytes)
    }

    fn cuParamSetSize(function: Handle, bytes: u32) {
        let bytes = bytes as usize;
        if bytes > MOST {
            return Err(Status::InvalidValue);
        }
        set(function, |set| set.bytes = bytes)
    }

    fn cuParamSeti(function: Handle, offset: i32, value: u32) {
        set_bytes(function, offset, &value.to_ne_bytes())
    }

    fn cuParamSetf(function: Handle, offset: i32, value: f32) {
        set_bytes(function, offset, &value.to_ne_bytes())
    }

    fn cuParamSetv(function: Handle, offset: i32, from: In<'_, u8>, bytes: u32) {
        let given = from.list(bytes as usize)?;
        if given.len() == bytes as usize { set_bytes(function, offset, &given) } else { Err(Status::InvalidValue) }
    }

    fn cuLaunch(function: Handle) {
        launch(function, [1, 1], 0)
    }

    fn cuLaunchGrid(function: Handle, width: i32, height: i32) {
        launch(function, [width, height], 0)
    }

    fn cuLaunchGridAsync(function: Handle, width: i32, height: i32, stream: Handle) {
        launch(function, [width, height], stream)
    }
}
