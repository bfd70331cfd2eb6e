//! The calls of a sequence: a name, and the kinds of its arguments.

use crate::common::address;
use crate::random::Random;
use crate::shapes;
use crate::world::{HOST, World};
use std::collections::HashMap;
use std::sync::OnceLock;

/// Functions with their arguments. `>X` stores a handle of kind X, and `X` takes one. Lower-case letters: `n` a small number, `m` any number,
/// `z` a size, `o` room for results, `h` host memory, `i` an image, `t` the name of a kernel or variable. Kinds: C contexts, S streams,
/// E events, M modules, F functions, G graphs, N nodes, X executables, D memory, H host memory, P pools, L libraries, K kernels, A arrays,
/// V levels, T textures, U surfaces, W physical memory, O user objects, J linkers, B reserved addresses, R registered memory,
/// Q conditions.
const CALLS: &[(&str, &str)] = &[
    ("cuCtxCreate", ">C o n n"),
    ("cuCtxDestroy", "C"),
    ("cuCtxPushCurrent", "C"),
    ("cuCtxPopCurrent", "o"),
    ("cuCtxSetCurrent", "C"),
    ("cuCtxSynchronize", "C"),
    ("cuCtxGetLimit", "o n"),
    ("cuCtxSetLimit", "n z"),
    ("cuCtxEnablePeerAccess", "C n"),
    ("cuCtxDisablePeerAccess", "C"),
    ("cuCtxGetDevice", "o C"),
    ("cuDevicePrimaryCtxRetain", ">C n"),
    ("cuDevicePrimaryCtxRelease", "n"),
    ("cuDevicePrimaryCtxReset", "n"),
    ("cuDevicePrimaryCtxGetState", "n o o"),
    ("cuDevicePrimaryCtxSetFlags", "n n"),
    ("cuDeviceGetAttribute", "o m n"),
    ("cuDeviceGetName", "o n n"),
    ("cuDeviceTotalMem", "o n"),
    ("cuMemAlloc", ">D z"),
    ("cuMemAlloc", ">D z"),
    ("cuMemFree", "D"),
    ("cuMemAllocPitch", ">D o z z n"),
    ("cuMemAllocHost", ">H z"),
    ("cuMemHostAlloc", ">H z n"),
    ("cuMemFreeHost", "H"),
    ("cuMemAllocManaged", ">D z n"),
    ("cuMemHostRegister", "h z n"),
    ("cuMemHostUnregister", "h"),
    ("cuMemHostGetDevicePointer", "o H n"),
    ("cuMemHostGetFlags", "o H"),
    ("cuMemGetAddressRange", "o o D"),
    ("cuPointerGetAttribute", "o m D"),
    ("cuMemcpy", "D D z"),
    ("cuMemcpy", "D h z"),
    ("cuMemcpy", "h D z"),
    ("cuMemcpyAsync", "D D z S"),
    ("cuMemcpyHtoD", "D h z"),
    ("cuMemcpyHtoDAsync", "D h z S"),
    ("cuMemcpyDtoH", "h D z"),
    ("cuMemcpyDtoHAsync", "h D z S"),
    ("cuMemcpyDtoD", "D D z"),
    ("cuMemcpyPeer", "D C D C z"),
    ("cuMemcpyPeerAsync", "D C D C z S"),
    ("cuMemsetD8", "D m z"),
    ("cuMemsetD16", "D m z"),
    ("cuMemsetD32", "D m z"),
    ("cuMemsetD8Async", "D m z S"),
    ("cuMemsetD32Async", "D m z S"),
    ("cuMemsetD2D8", "D z m z z"),
    ("cuMemsetD2D32", "D z m z z"),
    ("cuMemsetD2D16Async", "D z m z z S"),
    ("cuMemAdvise", "D z n m"),
    ("cuMemPrefetchAsync", "D z m n S"),
    ("cuMemRangeGetAttribute", "o n n D z"),
    ("cuMemGetInfo", "o o"),
    ("cuStreamCreate", ">S n"),
    ("cuStreamCreateWithPriority", ">S n m"),
    ("cuStreamDestroy", "S"),
    ("cuStreamSynchronize", "S"),
    ("cuStreamQuery", "S"),
    ("cuStreamWaitEvent", "S E n"),
    ("cuStreamGetCtx", "S o o"),
    ("cuStreamGetPriority", "S o"),
    ("cuStreamBeginCapture", "S n"),
    ("cuStreamEndCapture", "S >G"),
    ("cuStreamIsCapturing", "S o"),
    ("cuStreamGetCaptureInfo", "S o o o o o o"),
    ("cuStreamAttachMemAsync", "S D z n"),
    ("cuStreamCopyAttributes", "S S"),
    ("cuStreamWriteValue32", "S D m n"),
    ("cuStreamWriteValue64", "S D m n"),
    ("cuStreamWaitValue32", "S D n n"),
    ("cuEventCreate", ">E n"),
    ("cuEventDestroy", "E"),
    ("cuEventRecord", "E S"),
    ("cuEventRecordWithFlags", "E S n"),
    ("cuEventQuery", "E"),
    ("cuEventSynchronize", "E"),
    ("cuEventElapsedTime", "o E E"),
    ("cuModuleLoadData", ">M i"),
    ("cuModuleLoadDataEx", ">M i n o o"),
    ("cuModuleUnload", "M"),
    ("cuModuleGetFunction", ">F M t"),
    ("cuModuleGetFunction", ">F M t"),
    ("cuModuleGetGlobal", ">D o M t"),
    ("cuModuleGetFunctionCount", "o M"),
    ("cuModuleEnumerateFunctions", "o n M"),
    ("cuFuncGetAttribute", "o n F"),
    ("cuFuncSetAttribute", "F n m"),
    ("cuFuncGetModule", "o F"),
    ("cuFuncGetName", "o F"),
    ("cuFuncGetParamInfo", "F n o o"),
    ("cuFuncLoad", "F"),
    ("cuOccupancyMaxActiveBlocksPerMultiprocessor", "o F m z"),
    ("cuOccupancyAvailableDynamicSMemPerBlock", "o F m m"),
    ("cuLibraryLoadData", ">L i o o n o o n"),
    ("cuLibraryUnload", "L"),
    ("cuLibraryGetKernel", ">K L t"),
    ("cuLibraryGetModule", ">M L"),
    ("cuLibraryGetGlobal", ">D o L t"),
    ("cuLibraryGetKernelCount", "o L"),
    ("cuLibraryEnumerateKernels", "o n L"),
    ("cuKernelGetFunction", ">F K"),
    ("cuKernelGetLibrary", "o K"),
    ("cuKernelGetAttribute", "o n K n"),
    ("cuKernelSetAttribute", "n m K n"),
    ("cuLinkCreate", "0 o o >J"),
    ("cuLinkAddData", "J n h z t 0 o o"),
    ("cuLinkAddData", "J 1 i 300 t 0 o o"),
    ("cuLinkComplete", "J o o"),
    ("cuLinkDestroy", "J"),
    ("cuGraphCreate", ">G n"),
    ("cuGraphDestroy", "G"),
    ("cuGraphClone", ">G G"),
    ("cuGraphNodeFindInClone", ">N N G"),
    ("cuGraphInstantiate", ">X G n"),
    ("cuGraphInstantiate", ">X G 0"),
    ("cuGraphExecDestroy", "X"),
    ("cuGraphLaunch", "X S"),
    ("cuGraphUpload", "X S"),
    ("cuGraphExecUpdate", "X G o"),
    ("cuGraphAddEmptyNode", ">N G o 0"),
    ("cuGraphAddEmptyNode", ">N G o m"),
    ("cuGraphAddChildGraphNode", ">N G o 0 G"),
    ("cuGraphAddChildGraphNode", ">N G o 0 G"),
    ("cuGraphChildGraphNodeGetGraph", "N >G"),
    ("cuGraphAddEventRecordNode", ">N G o 0 E"),
    ("cuGraphAddEventWaitNode", ">N G o 0 E"),
    ("cuGraphDestroyNode", "N"),
    ("cuGraphNodeGetType", "N o"),
    ("cuGraphNodeSetEnabled", "X N n"),
    ("cuGraphNodeGetEnabled", "X N o"),
    ("cuGraphGetNodes", "G o o"),
    ("cuGraphGetRootNodes", "G o o"),
    ("cuGraphConditionalHandleCreate", ">Q G C n n"),
    ("cuGraphEventRecordNodeSetEvent", "N E"),
    ("cuGraphExecEventRecordNodeSetEvent", "X N E"),
    ("cuGraphExecChildGraphNodeSetParams", "X N G"),
    ("cuGraphKernelNodeCopyAttributes", "N N"),
    ("cuGraphRetainUserObject", "G O m n"),
    ("cuGraphReleaseUserObject", "G O m"),
    ("cuUserObjectRetain", "O m"),
    ("cuUserObjectRelease", "O n"),
    ("cuDeviceGetDefaultMemPool", ">P n"),
    ("cuDeviceGetMemPool", ">P n"),
    ("cuDeviceSetMemPool", "n P"),
    ("cuMemPoolCreate", ">P o"),
    ("cuMemPoolDestroy", "P"),
    ("cuMemPoolTrimTo", "P z"),
    ("cuMemPoolGetAttribute", "P n o"),
    ("cuMemPoolSetAttribute", "P n o"),
    ("cuMemAllocAsync", ">D z S"),
    ("cuMemAllocAsync", ">D z S"),
    ("cuMemAllocFromPoolAsync", ">D z P S"),
    ("cuMemFreeAsync", "D S"),
    ("cuArrayDestroy", "A"),
    ("cuArrayGetDescriptor", "o A"),
    ("cuArrayGetMemoryRequirements", "o A n"),
    ("cuMipmappedArrayDestroy", "V"),
    ("cuMipmappedArrayGetLevel", ">A V n"),
    ("cuMemcpyAtoA", "A z A z z"),
    ("cuMemcpyAtoD", "D A z z"),
    ("cuMemcpyDtoA", "A z D z"),
    ("cuMemcpyAtoH", "h A z z"),
    ("cuMemcpyHtoA", "A z h z"),
    ("cuMemcpyHtoAAsync", "A z h z S"),
    ("cuTexObjectDestroy", "T"),
    ("cuTexObjectGetResourceDesc", "o T"),
    ("cuSurfObjectDestroy", "U"),
    ("cuMemAddressReserve", ">B z z m 0"),
    ("cuMemAddressReserve", ">B 4194304 0 0 0"),
    ("cuMemAddressFree", "B z"),
    ("cuMemAddressFree", "B 4194304"),
    ("cuMemMap", "B z z W 0"),
    ("cuMemMap", "B 2097152 0 W 0"),
    ("cuMemUnmap", "B z"),
    ("cuMemUnmap", "B 2097152"),
    ("cuMemRelease", "W"),
    ("cuMemRetainAllocationHandle", ">W B"),
    ("cuMemGetAccess", "o o B"),
    ("cuMemcpy", "B h z"),
    ("cuMemcpy", "h B z"),
    ("cuMemsetD8", "B n z"),
    ("cuIpcGetMemHandle", "o D"),
    ("cuIpcCloseMemHandle", "D"),
    ("cuIpcGetEventHandle", "o E"),
    ("cuProfilerStart", ""),
    ("cuGetErrorName", "m o"),
    ("cuGetErrorString", "m o"),
];

/// Statuses that no call may return: internal errors of the driver.
const UNKNOWN: i32 = 999;

fn addresses() -> &'static HashMap<&'static str, usize> {
    static ALL: OnceLock<HashMap<&'static str, usize>> = OnceLock::new();
    ALL.get_or_init(|| CALLS.iter().map(|(name, _)| (*name, address(name) as usize)).collect())
}

/// Calls a function with as many words as it has arguments.
pub fn make(name: &str, function: usize, words: &[u64]) -> i32 {
    if shows() {
        let words: Vec<String> = words.iter().map(|word| format!("{word:#x}")).collect();
        eprintln!("{name}({})", words.join(", "));
    }
    let mut all = [0u64; 12];
    all[..words.len()].copy_from_slice(words);
    let [a, b, c, d, e, f, g, h, i, j, k, l] = all;
    type Any =
        unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> i32;
    // SAFETY: words are numbers, or addresses of as much memory as the function uses; extra register arguments are ignored.
    let code =
        unsafe { std::mem::transmute::<usize, Any>(function)(a, b, c, d, e, f, g, h, i, j, k, l) };
    if shows() {
        eprintln!("  = {code}");
    }
    assert_ne!(code, UNKNOWN, "{name} {words:x?}");
    code
}

fn shows() -> bool {
    static SHOWS: OnceLock<bool> = OnceLock::new();
    *SHOWS.get_or_init(|| std::env::var_os("LANEWORK_SEQUENCE_CALLS").is_some())
}

/// A size, mostly small.
pub fn size(random: &mut Random) -> u64 {
    match random.below(12) {
        0 => 0,
        1 => {
            random.pick(&[1 << 31, 1 << 40, u64::MAX, u64::MAX - 511, u64::MAX / 2, (1 << 63) + 4])
        }
        2 => HOST as u64 + random.pick(&[0, 1, 4096]),
        3 => random.pick(&[2 << 20, 4 << 20]),
        _ => random.pick(&[1, 4, 64, 100, 512, 4095, 4096, 65_536]),
    }
}

/// Host memory; sometimes read-only or inaccessible.
pub fn host(world: &World, random: &mut Random) -> u64 {
    match random.below(10) {
        0 => world.constant,
        1 => world.host + HOST as u64,
        2 => world.host + HOST as u64 - random.below(300) as u64,
        3 => world.handle(b'H', random),
        _ => {
            world.host
                + 4096 * random.below(100) as u64
                + random.below(2) as u64 * random.below(64) as u64
        }
    }
}

/// An argument of a kind.
fn argument(what: &str, world: &World, random: &mut Random, results: &mut [u64]) -> u64 {
    let letter = what.as_bytes()[0];
    match letter {
        b'>' | b'o' if random.one_in(40) => 0,
        b'>' | b'o' => results.as_mut_ptr() as u64,
        b'n' => random.below(5) as u64,
        b'm' => match random.below(4) {
            0 => random.next(),
            1 => random.pick(&[u64::MAX, u64::from(u32::MAX), 1 << 31, 1 << 32]),
            _ => random.below(64) as u64,
        },
        b'z' => size(random),
        b'h' => host(world, random),
        b'i' => shapes::image(random),
        b't' => random.pick(&[c"add", c"add", c"loop", c"word", c"none", c""]).as_ptr() as u64,
        b'0'..=b'9' => what.parse().expect("a number"),
        b'D' | b'B' => world.beside(letter, random),
        kind => world.handle(kind, random),
    }
}

/// Makes one call.
pub fn one(world: &World, random: &mut Random) {
    if random.one_in(4) {
        return shapes::one(world, random);
    }
    let (name, arguments) = random.pick(CALLS);
    let mut results = vec![[0u64; 600]; 12];
    let mut words = Vec::new();
    let mut kept = Vec::new();
    for (index, what) in arguments.split_whitespace().enumerate() {
        if let [b'>', kind] = what.as_bytes() {
            kept.push((*kind, index));
        }
        // The call reads this as a count of handles, and then overwrites it.
        results[index][0] = random.below(8) as u64;
        words.push(argument(what, world, random, &mut results[index]));
    }
    if make(name, addresses()[name], &words) == 0 {
        for (kind, index) in kept {
            world.keep(kind, results[index][0]);
        }
    }
}
