//! One allocation of GPU memory, freed with its last user.

use std::mem::ManuallyDrop;

use crate::sys::{self, CUresult};

use crate::driver::Handle;

/// Memory allocated by the driver; freed when the last user drops it.
#[derive(Debug)]
pub(crate) struct Allocation {
    pub address: u64,
    pub context: Handle<sys::CUctx_st>,
}

impl Allocation {
    /// Frees the memory and returns the driver's result.
    pub fn release(self) -> CUresult {
        ManuallyDrop::new(self).give_back()
    }

    fn give_back(&self) -> CUresult {
        // SAFETY: the context outlives its allocations (`Gpu`'s table is cleared before it is
        // released), and the address came from cuMemAlloc and is freed once.
        unsafe {
            match sys::cuCtxSetCurrent(self.context.0) {
                CUresult::CUDA_SUCCESS => sys::cuMemFree_v2(self.address),
                failed => failed,
            }
        }
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        let _ = self.give_back();
    }
}
