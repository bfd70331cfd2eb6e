//! Functions by name (`cuGetProcAddress`), initialization, and versions.

use crate::api::{ExportedFunction, HOOKS, Hooks, api};
use crate::interface::{failures, host_findings, memory_names, older, private, unsupported};
use crate::ordering::host_access;
use crate::pointers::*;
use crate::state::start;
use crate::status::{Status, words};
use crate::streams::captures::check_call;
use crate::streams::host_functions;
use crate::{devices, graphs, launches, memory, modules, ordering, streams, textures};
use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::sync::OnceLock;

/// The supported CUDA version, 13.5: the newest version for which this library has a function for every name. Programs
/// compare it with their compiler's version; for an older driver, some (Warp) generate machine code instead of PTX.
pub const VERSION: i32 = 13_050;

/// Functions with a suffix that replace the plain one only from some CUDA version on. All other functions with a
/// suffix always do.
const SINCE: &[(&str, i32)] = &[
    ("cuCtxCreate_v3", 11_040),
    ("cuCtxCreate_v4", 12_050),
    ("cuEventElapsedTime_v2", 12_080),
    ("cuMemAdvise_v2", 12_020),
    ("cuMemPrefetchAsync_v2", 12_020),
    ("cuStreamGetCaptureInfo_v2", 11_030),
    ("cuStreamGetCaptureInfo_v3", 12_030),
    ("cuGraphAddDependencies_v2", 12_030),
    ("cuGraphAddKernelNode_v2", 12_000),
    ("cuGraphAddNode_v2", 12_030),
    ("cuGraphExecKernelNodeSetParams_v2", 12_000),
    ("cuGraphExecUpdate_v2", 12_000),
    ("cuGraphGetEdges_v2", 12_030),
    ("cuGraphKernelNodeGetParams_v2", 12_000),
    ("cuGraphKernelNodeSetParams_v2", 12_000),
    ("cuGraphNodeGetDependencies_v2", 12_030),
    ("cuGraphNodeGetDependentNodes_v2", 12_030),
    ("cuGraphRemoveDependencies_v2", 12_030),
    ("cuMemcpy3DBatchAsync_v2", 13_000),
    ("cuMemcpyBatchAsync_v2", 13_000),
    ("cuStreamGetCtx_v2", 12_050),
    ("cuStreamUpdateCaptureDependencies_v2", 12_030),
    ("cuLaunchHostFunc_v2", 13_010),
    ("cuMulticastBindAddr_v2", 13_010),
    ("cuMulticastBindMem_v2", 13_010),
    ("cuGraphAddNode_v3", 13_040),
    ("cuGraphNodeSetParams_v2", 13_040),
    ("cuCtxGetDevice_v2", 13_000),
    ("cuCtxSynchronize_v2", 13_000),
    ("cuGetProcAddress_v2", 12_000),
    ("cuDeviceGetUuid_v2", 11_040),
];

/// Names that refer to another function from some CUDA version on.
const RENAMED: &[(&str, i32, &str)] =
    &[("cuGraphInstantiate", 12_000, "cuGraphInstantiateWithFlags")];

/// All functions by name.
pub fn functions_by_name() -> &'static HashMap<&'static str, usize> {
    static FUNCTIONS: OnceLock<HashMap<&'static str, usize>> = OnceLock::new();
    FUNCTIONS.get_or_init(|| {
        let tables: &[&[ExportedFunction]] = &[
            unsupported::TABLE,
            devices::gpus::TABLE,
            devices::contexts::TABLE,
            devices::core_dumps::TABLE,
            devices::green_contexts::TABLE,
            graphs::any_nodes::TABLE,
            graphs::calls::TABLE,
            graphs::conditional::TABLE,
            graphs::TABLE,
            graphs::memory_nodes::TABLE,
            graphs::nodes::TABLE,
            graphs::user_objects::TABLE,
            launches::attributes::TABLE,
            launches::launch::TABLE,
            launches::occupancy::TABLE,
            launches::legacy::TABLE,
            memory::addresses::TABLE,
            memory::batches::TABLE,
            memory::allocations::TABLE,
            memory::copies::TABLE,
            memory::ipc::TABLE,
            memory::managed::TABLE,
            memory::virtual_memory::TABLE,
            memory::pools::TABLE,
            modules::module::TABLE,
            modules::function::TABLE,
            modules::libraries::TABLE,
            modules::links::TABLE,
            older::TABLE,
            private::TABLE,
            streams::stream::TABLE,
            streams::captures::TABLE,
            streams::TABLE,
            streams::memory_ops::TABLE,
            textures::arrays::TABLE,
            textures::objects::TABLE,
            textures::references::TABLE,
            textures::TABLE,
            TABLE,
        ];
        tables
            .iter()
            .flat_map(|table| table.iter())
            .map(|(name, function)| (*name, *function as usize))
            .collect()
    })
}

/// The newest variant of a function that a CUDA version knows. Here each thread's default stream is the default
/// stream, so names that end in `_ptsz` or `_ptds` refer to the same functions.
fn find(name: &str, version: i32) -> Option<usize> {
    let plain = name.strip_suffix("_ptsz").or_else(|| name.strip_suffix("_ptds")).unwrap_or(name);
    // Callers name the function and its CUDA version, not the variant.
    if plain.rsplit_once("_v").is_some_and(|(_, number)| number.parse::<u32>().is_ok()) {
        return None;
    }
    let renamed = RENAMED.iter().find(|(old, since, _)| *old == plain && *since <= version);
    let plain = renamed.map_or(plain, |(_, _, new)| new);
    let functions = functions_by_name();
    let known = |name: &str| {
        let since = SINCE.iter().find(|(later, _)| *later == name).map_or(0, |(_, since)| *since);
        functions.get(name).copied().filter(|_| since <= version)
    };
    let newest = (2..=4).rev().find_map(|number| known(&format!("{plain}_v{number}")));
    newest.or_else(|| functions.get(plain).copied())
}

/// Called when a thread of the program enters a call, if races are checked.
fn enter() {
    host_access::enter();
    host_functions::run_held();
}

/// Stores the address of a function.
fn procedure(
    name: Text<'_>,
    to: Out<'_, *const c_void>,
    version: i32,
    status: Out<'_, i32>,
) -> crate::status::Result {
    let name = name.get()?;
    let found = find(name, version);
    if found.is_none() && crate::api::traces() {
        crate::api::line(&format_args!("{name} is not a function of this driver"));
    }
    // 0 found, 1 not found.
    status.store_optional(i32::from(found.is_none()));
    to.store(found.unwrap_or(0) as *const c_void)?;
    // The status reports a missing function, if the caller passed one.
    if found.is_some() || !status.is_null() { Ok(()) } else { Err(Status::NotFound) }
}

api! {
    fn cuInit(flags: u32) {
        match flags {
            0 => {
                let driver = start()?;
                host_findings::start();
                memory_names::start();
                let around = ordering::active().then_some([enter as fn(), host_access::leave]);
                let check = |name: &str| host_functions::check_call(name).and_then(|()| check_call(name));
                let hooks = Hooks { check, around, failed: failures::report, fault: failures::fault };
                if HOOKS.set(hooks).is_ok() {
                    host_findings::start_at_exit(driver);
                }
                Ok(())
            }
            _ => Err(Status::InvalidValue),
        }
    }

    fn cuDriverGetVersion(version: Out<'_, i32>) {
        version.store(VERSION)
    }

    fn cuGetErrorName(code: i32, text: Out<'_, *const c_char>) {
        let known = words(code);
        let name = known.map_or(std::ptr::null(), |(name, _)| name.as_ptr());
        text.store(name)?;
        known.map(drop).ok_or(Status::InvalidValue)
    }

    fn cuGetErrorString(code: i32, text: Out<'_, *const c_char>) {
        let known = words(code);
        let words = known.map_or(std::ptr::null(), |(_, text)| text.as_ptr());
        text.store(words)?;
        known.map(drop).ok_or(Status::InvalidValue)
    }

    fn cuGetProcAddress_v2(name: Text<'_>, to: Out<'_, *const c_void>, version: i32, flags: u64, status: Out<'_, i32>) {
        // 1 and 2 choose the default stream.
        if flags > 3 {
            return Err(Status::InvalidValue);
        }
        // A missing function is not an error: the status or the null address reports it.
        match procedure(name, to, version, status) {
            Err(Status::NotFound) => Ok(()),
            result => result,
        }
    }

    fn cuGetProcAddress(name: Text<'_>, to: Out<'_, *const c_void>, version: i32, _flags: u64) {
        procedure(name, to, version, Out::NULL)
    }
}

#[cfg(test)]
mod tests {
    use super::functions_by_name;
    use crate::devices::contexts::Context;

    /// Has as many parameters as the longest function; a function ignores those it does not take.
    type AnyFunction = unsafe extern "C" fn(
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
    ) -> i32;

    #[test]
    fn every_function_refuses_null_arguments_without_reading_them() {
        crate::state::start().expect("an emulated GPU");
        let context = Context::make(0, 0);
        for (name, address) in functions_by_name() {
            crate::devices::contexts::set_current(context);
            // SAFETY: a function of the table, called by C's convention with null pointers and zeros.
            let code = unsafe {
                let function = std::mem::transmute::<usize, AnyFunction>(*address);
                function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
            };
            // 999 is a panic.
            assert_ne!(code, 999, "{name}");
        }
    }
}
