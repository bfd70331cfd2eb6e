//! Turns a fault as a handler saw it into one that a person can act on.

use crate::device::launch::STOPPED;
use crate::fault::{Fault, FaultKind, GRID_WORKSPACE, Located, NearAllocation, RawFault};
use crate::instructions::asynchrony::cluster::{MOST_BLOCKS, split};
use crate::instrument::event::AccessKind;
use crate::memory::{BadAddress, Memory};
use lanework_ptx_ir::kernel::{Kernel, MemorySpace};
use lanework_ptx_ir::memory_layout::{LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW, WINDOW};

/// A misaligned address this close to an allocation is reported as misaligned rather than out of bounds, as on a GPU.
const NEAR: u64 = 1 << 20;

/// Distance from an allocation beyond which its name does not help to explain an address.
const FAR: u64 = 1 << 16;

/// The facts about the launch that a report needs.
pub struct Scene<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Its memory.
    pub memory: &'a Memory,
    /// The block that faulted.
    pub block: [u32; 3],
    /// The block's shape.
    pub shape: [u32; 3],
    /// Bytes of shared memory of the block.
    pub shared: u64,
}

/// The report of a fault.
pub fn report(scene: &Scene<'_>, located: Located) -> Fault {
    let Located { raw, origin, warp } = located;
    let origin = scene.kernel.origins.get(origin as usize);
    let thread =
        lanework_ptx_ir::analysis::uniformity::thread_index(scene.shape, warp * 32 + raw.lane);
    let mut fault = Fault {
        kind: raw.kind,
        message: String::new(),
        location: origin.and_then(|o| o.location.clone()),
        text_file: None,
        text_line: origin.map_or(0, |o| o.text_line),
        callers: origin.map_or(Vec::new(), |o| o.callers.to_vec()),
        instruction: origin.map(|o| o.name.clone()).unwrap_or_default(),
        kernel: scene.kernel.name.clone(),
        block: scene.block,
        thread,
        address: raw.address,
        size: raw.bytes,
        allocation: None,
        help: String::new(),
    };
    match raw.kind {
        FaultKind::OutOfBounds | FaultKind::Misaligned => address_fault(scene, &raw, &mut fault),
        FaultKind::Deadlock => {
            fault.message = format!("deadlock: {}", raw.note);
            let spins = raw.note.contains("spins");
            fault.help = match raw.note.contains("mbarrier") {
                _ if raw.note.contains("at once") => "launch at most as many blocks as fit at once, or let blocks wait for those of smaller indices only".into(),
                _ if spins && raw.note.contains(GRID_WORKSPACE) => "let every block of the grid reach the barrier of the grid (`grid.sync()`): a block that returned before, or took another branch, is missing".into(),
                _ if spins => "find the reason why the loop does not end: a write that no thread reaches, or a lock that is never released".into(),
                true => "check that each phase gets all its arrivals, and as many bytes as `expect_tx` announces".into(),
                false => "let every thread of the block reach the same barrier, outside of divergent branches".into(),
            };
        }
        FaultKind::Mbarrier => {
            fault.message = raw.note;
            fault.help = "check the arrivals and bytes of each phase: which threads arrive, how often, and the bytes that `expect_tx` announces".into();
        }
        FaultKind::BadFree | FaultKind::UseAfterFree => {
            fault.message = raw.note;
            fault.help =
                "free each pointer that `malloc` returned exactly once, and no other pointer"
                    .into();
        }
        FaultKind::NoMbarrier => {
            fault.message = raw.note;
            fault.help =
                "let one thread run `mbarrier.init`, then a barrier, before any thread uses it"
                    .into();
        }
        FaultKind::Texture => {
            fault.message = raw.note;
            fault.help = "make the texture or surface on this device and pass its handle; instruction, image and coordinates must fit".into();
        }
        FaultKind::SurfacePlace => {
            fault.message = raw.note;
            fault.help = "guard the access so that its coordinates stay inside the surface; the first one counts bytes, not elements".into();
        }
        FaultKind::TensorMap => {
            fault.message = raw.note;
            fault.help = "encode the map for this device and pass its 128 bytes as a `.param .align 64 .b8` parameter".into();
        }
        FaultKind::TensorMemory => {
            fault.message = raw.note;
            fault.help = "see the PTX manual, \"TensorCore 5th Generation Family Instructions\"; allocate with one warp, free the columns before the block ends, and let each warp access only its own 32 lanes".into();
        }
        FaultKind::TilePlace => {
            fault.message = raw.note;
            fault.help = "start tiles at multiples of 16 bytes into a row; tiles that are stored or added must not start before the tensor".into();
        }
        FaultKind::BarrierDivergence => {
            fault.message = format!("barrier divergence: {}", raw.note);
            fault.help =
                "move the barrier out of the branch, so that all threads of a warp reach it together; if it is in a loop, give the loop the same number of passes in all threads, and put the condition around the rest of its body".into();
        }
        FaultKind::Trap => {
            fault.message = "the kernel executed `trap`".into();
            if scene.kernel.reads_workspace() {
                fault.help = "`grid.sync()` of cooperative groups traps if the launch is not cooperative: launch it with `--cooperative` or `.cooperative()`; else a check in the kernel failed".into();
                return fault;
            }
            fault.help = "a check in the kernel failed, or it called an address that is not a function that can run there; see its source line".into();
        }
        FaultKind::Assertion => {
            let told: Vec<&str> = raw.note.split('\0').collect();
            fault.message = match told.as_slice() {
                [expression, file, function] if !expression.is_empty() => {
                    // As a GPU's driver prints it.
                    let line = fault.location.as_ref().map_or(0, |location| location.line);
                    let ([x, y, z], [i, j, k]) = (fault.block, fault.thread);
                    format!(
                        "{file}:{line}: {function}: block: [{x},{y},{z}], thread: [{i},{j},{k}] Assertion `{expression}` failed."
                    )
                }
                _ => "an assertion of the kernel failed".into(),
            };
            fault.help =
                "its source line says which `assert`; compile with -lineinfo if no line is shown"
                    .into();
        }
        FaultKind::StackOverflow => {
            fault.message = "stack overflow: the thread's stack has no room left".into();
            fault.help = "look for recursion that does not end, or raise the limit of the stack (`cudaDeviceSetLimit` with `cudaLimitStackSize`, 1024 bytes by default); `alloca` has 32 KiB".into();
        }
        FaultKind::InstructionLimit | FaultKind::TimeLimit if raw.note.starts_with(STOPPED) => {
            fault.message = raw.note;
            fault.help =
                "the findings so far are reported; the rest of the launch was not checked".into();
        }
        FaultKind::InstructionLimit => {
            fault.message = format!("instruction limit: {}", raw.note);
            fault.help = "look for a loop that does not end, or raise `max_instructions`".into();
        }
        FaultKind::TimeLimit => {
            fault.message = format!("time limit: {}", raw.note);
            fault.help = "look for a loop that does not end, or raise `time_limit`".into();
        }
        _ => fault.message = raw.note,
    }
    fault
}

fn address_fault(scene: &Scene<'_>, raw: &RawFault, fault: &mut Fault) {
    let address = raw.address.unwrap_or(0);
    let verb = match raw.access {
        Some(AccessKind::Load) => "read",
        Some(AccessKind::Store) => "write",
        Some(AccessKind::Atomic) => "atomic",
        None => "copy",
    };
    let (space, within) = match raw.space {
        MemorySpace::Generic if address.wrapping_sub(SHARED_WINDOW) < WINDOW => {
            (MemorySpace::Shared, address - SHARED_WINDOW)
        }
        MemorySpace::Generic if address.wrapping_sub(LOCAL_WINDOW) < WINDOW => {
            (MemorySpace::Local, address - LOCAL_WINDOW)
        }
        MemorySpace::Generic if address.wrapping_sub(PARAMETER_WINDOW) < WINDOW => {
            (MemorySpace::Parameter, address - PARAMETER_WINDOW)
        }
        MemorySpace::Generic => (MemorySpace::Global, address),
        space => (space, address),
    };
    let size = raw.bytes;
    if raw.kind == FaultKind::Misaligned && wild(scene.memory, space, address, size) {
        fault.kind = FaultKind::OutOfBounds;
    }
    if fault.kind == FaultKind::Misaligned {
        let name = space_name(space);
        if matches!(space, MemorySpace::Global | MemorySpace::Constant) {
            fault.allocation = scene.memory.nearest(address, u64::from(size));
        }
        let at = match &fault.allocation {
            Some(near) => format!("{}{:+} ({address:#x})", near.name, near.offset),
            None => format!("{address:#x}"),
        };
        fault.message =
            format!("misaligned {name} {verb}: {size} bytes at {at}, not a multiple of {size}");
        fault.help = "align the index to the vector's length, or use narrower accesses".into();
        if !raw.note.is_empty() {
            fault.message = match &fault.allocation {
                Some(near) => format!("{} ({}{:+})", raw.note, near.name, near.offset),
                None => raw.note.clone(),
            };
            fault.help =
                "align the address and the size, and declare the array with that alignment".into();
        }
        return;
    }
    let (rank, offset) = split(within, u32::MAX);
    if space == MemorySpace::Shared && u64::from(rank) < MOST_BLOCKS {
        fault.message = format!(
            "out-of-bounds shared {verb}: {size} bytes at offset {offset} of the block of rank {rank} of the cluster, where a block has {} bytes of shared memory",
            scene.shared
        );
        fault.help = "a block must be of this cluster and must not have ended: let all arrive and wait at `barrier.cluster` before the first one leaves".into();
        return;
    }
    let small = match space {
        MemorySpace::Shared => Some(("shared", scene.shared, "of shared memory")),
        MemorySpace::Local => {
            Some(("local", u64::from(scene.kernel.local_bytes), "of local memory per thread"))
        }
        MemorySpace::Parameter => {
            Some(("parameter", u64::from(scene.kernel.parameter_bytes), "of parameters"))
        }
        _ => None,
    };
    if let Some((name, bytes, what)) = small {
        fault.message = format!(
            "out-of-bounds {name} {verb}: {size} bytes at offset {}, the block has {bytes} bytes {what}",
            within as i64
        );
        fault.help = match space {
            MemorySpace::Shared if bytes == 0 => {
                "declare shared memory, or ask for dynamic shared memory at the launch".into()
            }
            _ => "guard the access so that its index stays inside the array".into(),
        };
        fault.allocation = Some(NearAllocation {
            name: format!("{name} memory"),
            address: address.wrapping_sub(within),
            bytes,
            offset: within as i64,
            distance: within.saturating_sub(bytes),
        });
        return;
    }
    match scene.memory.diagnose(address, u64::from(size)) {
        BadAddress::Null => {
            fault.kind = FaultKind::Null;
            fault.message = format!("null pointer: {verb} of {size} bytes at {address:#x}");
            fault.help = "pass a device address; this pointer is null or was never set".into();
        }
        BadAddress::Freed(near) => {
            fault.kind = FaultKind::UseAfterFree;
            fault.message = format!(
                "use after free: {verb} of {size} bytes at {}+{}, `{}` was freed",
                near.name, near.offset, near.name
            );
            fault.help = "keep the buffer alive until the last kernel that uses it has run".into();
            fault.allocation = Some(near);
        }
        BadAddress::Outside(Some(near)) => {
            let NearAllocation { name, offset, bytes, distance, .. } = &near;
            let far = *distance > FAR;
            let constant = scene.memory.find(near.address).is_some_and(|(_, of)| of.constant);
            fault.message = match far {
                true => format!(
                    "out-of-bounds global {verb}: {size} bytes at {address:#x}, {distance} bytes away from the nearest allocation: {name}{offset:+}, `{name}` is {bytes} bytes"
                ),
                false if constant => format!(
                    "out-of-bounds constant {verb}: {size} bytes at {name}{offset:+}, `{name}` is {bytes} bytes"
                ),
                false => format!(
                    "out-of-bounds global {verb}: {size} bytes at {name}{offset:+}, `{name}` is {bytes} bytes"
                ),
            };
            fault.help = match far {
                true => "check how the address is computed: an index that wrapped around, a pointer that was overwritten, or a host pointer".into(),
                false if constant => {
                    "guard the access so that its index stays inside the array".into()
                }
                false => "guard the access so that its index stays inside the buffer".into(),
            };
            fault.allocation = Some(near);
        }
        BadAddress::Outside(None) => {
            fault.message = format!(
                "out-of-bounds global {verb}: {size} bytes at {address:#x}, nothing is allocated"
            );
            fault.help = "allocate a buffer and pass its address".into();
        }
    }
}

/// Whether an address in global memory is so far from every allocation that its alignment is
/// irrelevant.
fn wild(memory: &Memory, space: MemorySpace, address: u64, bytes: u32) -> bool {
    matches!(space, MemorySpace::Global | MemorySpace::Constant)
        && match memory.diagnose(address, u64::from(bytes)) {
            BadAddress::Null => true,
            BadAddress::Freed(_) => false,
            BadAddress::Outside(near) => near.is_none_or(|near| near.distance > NEAR),
        }
}

fn space_name(space: MemorySpace) -> &'static str {
    match space {
        MemorySpace::Shared => "shared",
        MemorySpace::Local => "local",
        MemorySpace::Parameter => "parameter",
        MemorySpace::Constant => "constant",
        _ => "global",
    }
}
