//! The meeting of a warpgroup's four warps at `wgmma.wait_group`.

use crate::fault::{FaultKind, RawFault};
use crate::machine::Warp;
use crate::worker_context::{Context, WarpgroupArrival};
use lanework_ptx_ir::kernel::MemorySpace;

/// `wgmma.wait_group`: `false` until all warps of the warpgroup have come.
///
/// # Safety
/// The warp's context is live.
pub unsafe fn wait(warp: &mut Warp) -> Result<bool, RawFault> {
    // SAFETY: the worker owns the context for as long as its warps run (`Body::run`), and no other reference to it
    // exists while this handler runs.
    let context: &mut Context = unsafe { &mut *warp.context };
    let (index, first) = (warp.index as usize, warp.index as usize & !3);
    let Some(group) = context.warpgroups.get_mut(first..first + 4) else {
        return Err(RawFault {
            kind: FaultKind::Unsupported,
            lane: 0,
            address: None,
            bytes: 0,
            space: MemorySpace::Generic,
            access: None,
            note: "the warps at the end of the block do not form a warpgroup, which has four"
                .to_owned(),
        });
    };
    let own = &mut group[index - first];
    if !own.waits {
        *own = WarpgroupArrival { came: own.came + 1, waits: true };
    }
    let came = own.came;
    let all = group.iter().all(|warp| warp.came >= came);
    group[index - first].waits = !all;
    Ok(all)
}
