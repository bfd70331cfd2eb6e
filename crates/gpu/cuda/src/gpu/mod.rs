//! One GPU: its context, shared by every handle of the process, its synchronization, and its allocations.
//!
//! The table of live allocations bounds-checks host copies. It is an ordered map of disjoint ranges. The last 64 freed
//! ranges are kept to recognize a use after free.

pub(crate) mod device;

use crate::driver::ledger::{Finished, Ledger};
use crate::driver::sys::{self, CUresult};
use crate::driver::{self, Handle, lock};
use crate::{CudaError, DeviceInfo};
use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_void;
use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, Weak};
use std::thread::ThreadId;

/// An open GPU. Clones share it, and so do all handles of one index in a process.
#[derive(Clone)]
pub struct Gpu {
    pub(crate) inner: Arc<Inner>,
}

/// A graph being captured.
pub(crate) struct OpenCapture {
    pub thread: ThreadId,
    /// The [`Recording`](crate::kernel::graph::Recording). It is an `Any` to avoid a cyclic dependency: it holds
    /// streams and functions, which hold a [`Gpu`].
    pub recording: Box<dyn Any + Send>,
}

/// State shared by the handles of one GPU.
pub(crate) struct Inner {
    pub info: DeviceInfo,
    pub context: Handle<sys::CUctx_st>,
    pub allocations: Mutex<AddressTable<Allocation>>,
    pub ledger: Mutex<Ledger>,
    /// The graph being captured, if any; launches test `capturing` first to avoid the lock.
    pub capture: Mutex<Option<OpenCapture>>,
    pub capturing: AtomicBool,
    /// Held for writing by a capture: the driver allows no device-wide wait during one.
    pub waiting: RwLock<()>,
    pub device: sys::CUdevice,
    /// Indices of the GPUs whose memory this GPU's kernels can access so far.
    pub peers: Mutex<Vec<usize>>,
    /// GPUs that have queued copies from or to this GPU's memory.
    pub copiers: Mutex<Vec<Weak<Inner>>>,
    /// The first line of the fault that destroyed the context.
    lost: OnceLock<String>,
    blocking: AtomicBool,
}

/// The GPUs open in this process. Opening one twice shares its tables.
static OPEN: Mutex<Vec<(usize, Weak<Inner>)>> = Mutex::new(Vec::new());

impl Gpu {
    /// Opens the GPU at `index`, retaining its primary context.
    ///
    /// # Errors
    /// [`CudaError::Unavailable`] without a driver, [`CudaError::NoSuchDevice`] for a wrong index,
    /// [`CudaError::ContextLost`] if a kernel of this process destroyed the GPU's context.
    pub fn open(index: usize) -> Result<Gpu, CudaError> {
        let mut open = lock(&OPEN);
        open.retain(|(_, inner)| inner.strong_count() > 0);
        let known =
            open.iter().find(|(known, _)| *known == index).and_then(|(_, inner)| inner.upgrade());
        if let Some(inner) = known {
            let gpu = Gpu { inner };
            gpu.alive()?;
            return Ok(gpu);
        }
        let device = device::handle(index)?;
        let info = device::describe(index)?;
        let mut context = std::ptr::null_mut();
        // SAFETY: stores one handle through the pointer; the device handle is the driver's own.
        let result = unsafe { sys::cuDevicePrimaryCtxRetain(&mut context, device) };
        driver::check(result, "cuDevicePrimaryCtxRetain")?;
        let blocking = std::env::var_os("CUDA_LAUNCH_BLOCKING").is_some_and(|value| value == "1");
        let inner = Arc::new(Inner {
            info,
            context: Handle(context),
            allocations: Mutex::default(),
            ledger: Mutex::default(),
            capture: Mutex::new(None),
            capturing: AtomicBool::new(false),
            waiting: RwLock::new(()),
            device,
            peers: Mutex::default(),
            copiers: Mutex::default(),
            lost: OnceLock::new(),
            blocking: AtomicBool::new(blocking),
        });
        open.push((index, Arc::downgrade(&inner)));
        Ok(Gpu { inner })
    }

    /// The driver's description of this GPU.
    pub fn info(&self) -> &DeviceInfo {
        &self.inner.info
    }

    /// Waits for all work on the GPU, and for a capture on another thread to end.
    ///
    /// # Errors
    /// [`CudaError::Fault`] if a kernel failed, naming its launch or the candidates;
    /// [`CudaError::Capture`] inside a capture.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        self.outside_capture("waiting")?;
        let _no_capture = self.inner.waiting.read().unwrap_or_else(PoisonError::into_inner);
        self.bind()?;
        let up_to = self.issued();
        // SAFETY: waits for the context bound above.
        self.check(unsafe { sys::cuCtxSynchronize() }, "cuCtxSynchronize")?;
        self.finished(Finished::All, up_to);
        Ok(())
    }

    /// Sets whether to wait after each launch, which attributes a fault to exactly one launch. Slow; for debugging. Off
    /// unless CUDA_LAUNCH_BLOCKING=1.
    pub fn set_blocking(&self, blocking: bool) {
        self.inner.blocking.store(blocking, Ordering::Relaxed);
    }

    /// Whether each launch waits for its kernel.
    pub fn is_blocking(&self) -> bool {
        self.inner.blocking.load(Ordering::Relaxed)
    }

    /// Free and total memory of the GPU, bytes.
    ///
    /// # Errors
    /// [`CudaError::ContextLost`] after a fault.
    pub fn memory_info(&self) -> Result<(usize, usize), CudaError> {
        self.bind()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: stores two sizes through the pointers.
        self.check(unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) }, "cuMemGetInfo")?;
        Ok((free, total))
    }

    /// Sets the size of the buffer that device `printf` fills between two synchronizations, bytes.
    ///
    /// # Errors
    /// [`CudaError::Driver`] if the driver rejects the size, or a printing kernel has already run.
    pub fn set_printf_buffer(&self, bytes: usize) -> Result<(), CudaError> {
        self.bind()?;
        // SAFETY: takes plain values.
        let result = unsafe { sys::cuCtxSetLimit(sys::CUlimit::CU_LIMIT_PRINTF_FIFO_SIZE, bytes) };
        self.check(result, "cuCtxSetLimit")
    }

    /// The driver's `CUcontext`, for other libraries.
    pub fn raw_context(&self) -> *mut c_void {
        self.inner.context.0.cast()
    }

    /// Whether two handles are the same GPU.
    pub fn same(&self, other: &Gpu) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Makes the context current on this thread. Call before every driver call.
    pub(crate) fn bind(&self) -> Result<(), CudaError> {
        self.alive()?;
        // SAFETY: the context is retained for as long as `inner` lives.
        let result = unsafe { sys::cuCtxSetCurrent(self.inner.context.0) };
        self.check(result, "cuCtxSetCurrent")
    }

    /// Rejects operations that would invalidate a capture on this thread.
    pub(crate) fn outside_capture(&self, operation: &str) -> Result<(), CudaError> {
        if !self.inner.capturing.load(Ordering::Acquire) {
            return Ok(());
        }
        let here = std::thread::current().id();
        match &*lock(&self.inner.capture) {
            Some(capture) if capture.thread == here => Err(CudaError::Capture {
                why: format!("{operation} is not possible while recording; do it before or after"),
            }),
            _ => Ok(()),
        }
    }

    fn alive(&self) -> Result<(), CudaError> {
        match self.inner.lost.get() {
            Some(cause) => Err(CudaError::ContextLost { cause: cause.clone() }),
            None => Ok(()),
        }
    }

    /// Converts a driver result to an error. Attributes a fault to the pending launches.
    pub(crate) fn check(&self, result: CUresult, call: &'static str) -> Result<(), CudaError> {
        if !driver::loses_context(result) {
            return driver::check(result, call);
        }
        self.alive()?;
        let suspects = lock(&self.inner.ledger).suspects();
        let fault = CudaError::Fault { error: driver::fault_words(result), suspects };
        // If another thread recorded the same fault first, keep its text.
        let _ = self.inner.lost.set(fault.headline());
        Err(fault)
    }

    /// Rejects an object made by another GPU.
    pub(crate) fn owns(&self, other: &Gpu, what: impl fmt::Display) -> Result<(), CudaError> {
        if self.same(other) {
            return Ok(());
        }
        Err(CudaError::WrongGpu { what: what.to_string() })
    }

    /// The newest launch's number: a wait that starts now can prove launches up to it finished.
    pub(crate) fn issued(&self) -> u64 {
        lock(&self.inner.ledger).issued()
    }

    /// Records the work that a successful wait has shown to be finished.
    pub(crate) fn finished(&self, what: Finished, up_to: u64) {
        lock(&self.inner.ledger).finished(what, up_to);
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        lock(&self.allocations).clear();
        // SAFETY: balances the retain in `open`; nothing that uses the context outlives `Inner`.
        let _ = unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gpu({})", self.inner.info)
    }
}

/// Number of freed ranges kept to report a use after free.
const FREED_KEPT: usize = 64;

/// Live ranges by first address, each with the object that owns it.
#[derive(Debug)]
pub(crate) struct AddressTable<T> {
    live: BTreeMap<u64, (usize, Arc<T>)>,
    freed: VecDeque<(u64, usize)>,
}

impl<T> Default for AddressTable<T> {
    fn default() -> Self {
        AddressTable { live: BTreeMap::new(), freed: VecDeque::new() }
    }
}

impl<T> AddressTable<T> {
    /// Adds a range.
    pub fn insert(&mut self, address: u64, bytes: usize, owner: Arc<T>) {
        self.live.insert(address, (bytes, owner));
    }

    /// Removes the range that starts at `address`.
    pub fn remove(&mut self, address: u64) -> Option<Arc<T>> {
        let (bytes, owner) = self.live.remove(&address)?;
        if self.freed.len() == FREED_KEPT {
            self.freed.pop_front();
        }
        self.freed.push_back((address, bytes));
        Some(owner)
    }

    /// Removes every range.
    pub fn clear(&mut self) {
        self.live.clear();
    }

    /// The owner of the live range that holds all of `bytes` bytes at `address`.
    pub fn find(&self, address: u64, bytes: usize) -> Option<Arc<T>> {
        let (start, (length, owner)) = self.live.range(..=address).next_back()?;
        let offset = usize::try_from(address - start).ok()?;
        (offset.checked_add(bytes)? <= *length).then(|| Arc::clone(owner))
    }

    /// Describes the allocation nearest to an invalid access.
    pub fn explain(&self, address: u64, bytes: usize) -> String {
        let below = self.live.range(..=address).next_back();
        if let Some((start, (length, _))) = below {
            let offset = address - start;
            if offset < *length as u64 {
                let end = u128::from(offset) + bytes as u128;
                let over = match end.checked_sub(*length as u128) {
                    Some(over @ 1..) => format!("runs {over} bytes past its end"),
                    _ => "is not its start".to_string(),
                };
                return format!(
                    "it lies at byte {offset} of the {length}-byte allocation at {start:#x} and {over}"
                );
            }
        }
        let inside =
            |&&(start, length): &&(u64, usize)| address >= start && address - start < length as u64;
        if let Some((start, length)) = self.freed.iter().rev().find(inside) {
            return format!("the {length}-byte allocation at {start:#x} has been freed");
        }
        let above = self.live.range(address..).next();
        let before =
            below.map(|(start, (length, _))| (address - start - *length as u64, start, length));
        let after = above.map(|(start, (length, _))| (start - address, start, length));
        match (before, after) {
            (Some((gap, start, length)), other) if other.is_none_or(|(rival, ..)| gap <= rival) => {
                format!(
                    "it starts {gap} bytes past the end of the {length}-byte allocation at {start:#x}"
                )
            }
            (_, Some((gap, start, length))) => {
                format!("it starts {gap} bytes before the {length}-byte allocation at {start:#x}")
            }
            _ => "nothing is allocated on this GPU".to_string(),
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> AddressTable<&'static str> {
        let mut table = AddressTable::default();
        table.insert(0x1000, 256, Arc::new("a"));
        table.insert(0x2000, 16, Arc::new("b"));
        table
    }

    #[test]
    fn a_range_is_found_only_if_it_contains_every_byte() {
        let table = table();
        assert_eq!(table.find(0x1000, 256).as_deref(), Some(&"a"));
        assert_eq!(table.find(0x10ff, 1).as_deref(), Some(&"a"));
        assert_eq!(table.find(0x200f, 1).as_deref(), Some(&"b"));
        for (address, bytes) in
            [(0x1000, 257), (0x10ff, 2), (0xfff, 1), (0x2010, 1), (0, 1), (0x1001, usize::MAX)]
        {
            assert!(table.find(address, bytes).is_none(), "{address:#x} {bytes}");
        }
    }

    #[test]
    fn invalid_accesses_name_the_nearest_range() {
        let mut table = table();
        assert!(
            table
                .explain(0x10f0, 32)
                .contains("byte 240 of the 256-byte allocation at 0x1000 and runs 16 bytes past")
        );
        assert!(
            table.explain(0x1104, 4).contains("4 bytes past the end of the 256-byte allocation")
        );
        assert!(
            table.explain(0x1ffc, 4).contains("4 bytes before the 16-byte allocation at 0x2000")
        );
        assert_eq!(table.remove(0x1000).as_deref(), Some(&"a"));
        assert!(table.remove(0x1000).is_none());
        assert!(table.explain(0x1010, 4).contains("has been freed"));
        table.remove(0x2000);
        assert!(table.explain(0x9000, 4).contains("nothing is allocated"));
    }
}
