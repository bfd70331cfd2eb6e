//! Contexts: creating them, the current one of a thread, and what ends with one.

use crate::api::api;
use crate::devices::gpus::{Gpu, Primary};
use crate::handles::Handle;
use crate::modules::module::Module;
use crate::pointers::{In, Out};
use crate::state::{Driver, driver, lock, table};
use crate::status::{Result, Status, of_code};
use crate::streams::events::Event;
use crate::streams::stream::Stream;
use crate::textures::arrays::{Array, MipmappedArray};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex};

/// A context.
pub struct Context {
    pub handle: Handle,
    /// The ordinal of its GPU.
    pub gpu: i32,
    pub flags: Mutex<u32>,
    pub primary: bool,
    /// Sticky error left by a kernel, which every later call returns; 0 if none.
    error: AtomicI32,
    limits: Mutex<BTreeMap<i32, usize>>,
    /// Contexts whose memory this context's kernels may access.
    peers: Mutex<BTreeSet<Handle>>,
    /// Values that NVIDIA's runtime stores per context.
    pub local: Mutex<BTreeMap<u64, u64>>,
}

thread_local! {
    /// Contexts pushed on this thread; the last one is current, and 0 means none. Never dropped, so that programs can free memory while the
    /// thread or the process exits; this leaks a few words per thread.
    static CURRENT: RefCell<ManuallyDrop<Vec<Handle>>> = const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// Calls a function with the thread's contexts; `None` while the thread is being torn down.
fn with_stack<R>(use_it: impl FnOnce(&mut Vec<Handle>) -> R) -> Option<R> {
    CURRENT.try_with(|stack| use_it(&mut stack.borrow_mut())).ok()
}

/// Handle of the thread's current context; 0 if none.
pub fn current() -> Handle {
    with_stack(|stack| stack.last().copied()).flatten().unwrap_or(0)
}

/// Replaces the thread's current context.
pub fn set_current(context: Handle) {
    with_stack(|stack| {
        stack.pop();
        if context != 0 {
            stack.push(context);
        }
    });
}

/// Limits by their `CUlimit` numbers: stack, printf buffer, heap, depth and pending launches of device launches, fetch granularity,
/// persisting cache.
const LIMITS: [(i32, usize); 7] =
    [(0, 1024), (1, 7_340_032), (2, 8_388_608), (3, 2), (4, 2048), (5, 128), (6, 0)];

/// Looks a context up; 0 means the thread's current one.
pub fn or_current(handle: Handle) -> Result<Arc<Context>> {
    if handle != 0 {
        return table::<Context>().find(handle).ok_or(Status::InvalidContext);
    }
    match current() {
        0 => Err(Status::InvalidContext),
        // It was current on this thread when it was destroyed.
        current => table::<Context>().find(current).ok_or(Status::ContextIsDestroyed),
    }
}

impl Context {
    fn new(handle: Handle, gpu: i32, flags: u32, primary: bool) -> Context {
        Context {
            handle,
            gpu,
            flags: Mutex::new(flags),
            primary,
            error: AtomicI32::new(0),
            limits: Mutex::new(LIMITS.into_iter().collect()),
            peers: Mutex::default(),
            local: Mutex::default(),
        }
    }

    /// Creates a context that the program destroys.
    pub fn make(gpu: i32, flags: u32) -> Handle {
        table::<Context>().add_with(|handle| Context::new(handle, gpu, flags, false))
    }

    /// Returns the error a kernel left, if any.
    pub fn healthy(&self) -> Result {
        of_code(self.error.load(Ordering::Acquire)).map_or(Ok(()), Err)
    }

    /// Records a kernel's error. The first error wins.
    pub fn fail(&self, status: Status) {
        let _ = self.error.compare_exchange(0, status as i32, Ordering::AcqRel, Ordering::Acquire);
    }
}

impl Driver {
    /// Retains the primary context of a GPU, and creates it on first use.
    pub fn retain_primary(&self, ordinal: i32) -> Result<Handle> {
        let gpu = self.gpu(ordinal)?;
        let mut primary = lock(&gpu.primary);
        if primary.context == 0 {
            let flags = primary.flags;
            primary.context =
                table::<Context>().add_with(|handle| Context::new(handle, ordinal, flags, true));
        }
        primary.retained += 1;
        Ok(primary.context)
    }

    /// The thread's current context, unless a kernel left an error in it.
    pub fn context(&self) -> Result<Arc<Context>> {
        let context = or_current(0)?;
        context.healthy()?;
        Ok(context)
    }
}

impl Driver {
    /// Frees everything that belongs to a context.
    fn clear(&self, context: Handle) {
        self.forget_queues(context);
        table::<Module>().retain(|module| module.context != context);
        table::<Stream>().retain(|stream| stream.context != context);
        table::<Event>().retain(|event| event.context != context);
        table::<Array>().retain(|array| array.context != context);
        table::<MipmappedArray>().retain(|levels| levels.context != context);
        self.end_memory_of_graphs(context);
        self.free_all_of(context);
    }

    /// Resets the primary context of a GPU.
    fn reset_primary(&self, ordinal: i32) -> Result {
        let gpu = self.gpu(ordinal)?;
        self.end_primary(gpu, &mut lock(&gpu.primary))
    }

    /// Destroys a GPU's primary context. The caller holds its lock.
    fn end_primary(&self, gpu: &Gpu, primary: &mut Primary) -> Result {
        let context = std::mem::take(&mut primary.context);
        primary.retained = 0;
        *lock(&gpu.pools) = [0; 2];
        if context != 0 {
            self.clear(context);
            table::<Context>().remove(context)?;
        }
        Ok(())
    }
}

/// Destroys a context that a program created.
pub fn end_context(context: Handle) -> Result {
    let driver = driver()?;
    if table::<Context>().find(context).is_none_or(|context| context.primary) {
        return Err(Status::InvalidContext);
    }
    if current() == context {
        set_current(0);
    }
    driver.clear(context);
    table::<Context>().remove(context).map(drop)
}

/// Releases one reference to a GPU's primary context.
pub fn release_primary(device: i32) -> Result {
    let driver = driver()?;
    let gpu = driver.gpu(device)?;
    let mut primary = lock(&gpu.primary);
    primary.retained = primary.retained.checked_sub(1).ok_or(Status::InvalidContext)?;
    if primary.retained > 0 { Ok(()) } else { driver.end_primary(gpu, &mut primary) }
}

api! {
    fn cuDevicePrimaryCtxRetain(context: Out<'_, Handle>, device: i32) {
        let handle = driver()?.retain_primary(device)?;
        context.store(handle)
    }

    fn cuDevicePrimaryCtxSetFlags_v2(device: i32, flags: u32) {
        let driver = driver()?;
        let mut primary = lock(&driver.gpu(device)?.primary);
        primary.flags = flags;
        if let Some(context) = table::<Context>().find(primary.context) {
            *lock(&context.flags) = flags;
        }
        Ok(())
    }

    fn cuDevicePrimaryCtxGetState(device: i32, flags: Out<'_, u32>, active: Out<'_, i32>) {
        let primary = lock(&driver()?.gpu(device)?.primary);
        flags.store(primary.flags)?;
        active.store(i32::from(primary.context != 0))
    }

    fn cuCtxCreate_v2(context: Out<'_, Handle>, flags: u32, device: i32) {
        driver()?.gpu(device)?;
        let handle = Context::make(device, flags);
        with_stack(|stack| stack.push(handle));
        context.store(handle)
    }

    fn cuCtxCreate_v3(context: Out<'_, Handle>, _affinity: In<'_, u8>, _count: i32, flags: u32, device: i32) {
        // SAFETY: `cuCtxCreate_v2` with the pointer that this function's caller passed.
        let code = unsafe { cuCtxCreate_v2(context, flags, device) };
        of_code(code).map_or(Ok(()), Err)
    }

    fn cuCtxCreate_v4(context: Out<'_, Handle>, _parameters: In<'_, u8>, flags: u32, device: i32) {
        // SAFETY: `cuCtxCreate_v2` with the pointer that this function's caller passed.
        let code = unsafe { cuCtxCreate_v2(context, flags, device) };
        of_code(code).map_or(Ok(()), Err)
    }

    fn cuCtxPushCurrent_v2(context: Handle) {
        table::<Context>().find(context).ok_or(Status::InvalidContext)?;
        with_stack(|stack| stack.push(context));
        Ok(())
    }

    fn cuCtxPopCurrent_v2(context: Out<'_, Handle>) {
        driver()?;
        let popped = with_stack(Vec::pop).flatten().ok_or(Status::InvalidContext)?;
        context.store_optional(popped);
        Ok(())
    }

    fn cuCtxSetCurrent(context: Handle) {
        if context != 0 {
            table::<Context>().find(context).ok_or(Status::InvalidContext)?;
        }
        driver()?;
        set_current(context);
        Ok(())
    }

    fn cuCtxGetCurrent(context: Out<'_, Handle>) {
        driver()?;
        context.store(current())
    }

    fn cuCtxGetDevice(device: Out<'_, i32>) {
        let context = or_current(0)?;
        device.store(context.gpu)
    }

    fn cuCtxGetDevice_v2(device: Out<'_, i32>, context: Handle) {
        let context = or_current(context)?;
        device.store(context.gpu)
    }

    fn cuCtxGetFlags(flags: Out<'_, u32>) {
        let context = or_current(0)?;
        flags.store(*lock(&context.flags))
    }

    fn cuCtxSetFlags(flags: u32) {
        let context = or_current(0)?;
        *lock(&context.flags) = flags;
        Ok(())
    }

    fn cuCtxGetId(context: Handle, id: Out<'_, u64>) {
        let context = or_current(context)?;
        id.store(context.handle)
    }

    fn cuCtxSetLimit(limit: i32, value: usize) {
        let context = driver()?.context()?;
        let mut limits = lock(&context.limits);
        *limits.get_mut(&limit).ok_or(Status::InvalidValue)? = value;
        Ok(())
    }

    fn cuCtxGetLimit(value: Out<'_, usize>, limit: i32) {
        let context = driver()?.context()?;
        let found = lock(&context.limits).get(&limit).copied().ok_or(Status::InvalidValue)?;
        value.store(found)
    }

    fn cuCtxGetCacheConfig(value: Out<'_, i32>) {
        driver()?.context()?;
        value.store(0)
    }

    fn cuCtxSetCacheConfig(_value: i32) {
        driver()?.context().map(drop)
    }

    fn cuCtxGetSharedMemConfig(value: Out<'_, i32>) {
        driver()?.context()?;
        value.store(1)
    }

    fn cuCtxSetSharedMemConfig(_value: i32) {
        driver()?.context().map(drop)
    }

    fn cuCtxGetApiVersion(_context: Handle, version: Out<'_, u32>) {
        driver()?;
        version.store(3020)
    }

    fn cuCtxGetStreamPriorityRange(least: Out<'_, i32>, greatest: Out<'_, i32>) {
        driver()?.context()?;
        least.store_optional(0);
        greatest.store_optional(-5);
        Ok(())
    }

    fn cuCtxResetPersistingL2Cache() {
        driver()?.context().map(drop)
    }

    fn cuCtxEnablePeerAccess(peer: Handle, flags: u32) {
        let driver = driver()?;
        let (context, peer) = (driver.context()?, table::<Context>().find(peer).ok_or(Status::InvalidContext)?);
        if flags != 0 {
            return Err(Status::InvalidValue);
        }
        if peer.gpu == context.gpu {
            return Err(Status::InvalidDevice);
        }
        match lock(&context.peers).insert(peer.handle) {
            true => Ok(()),
            false => Err(Status::PeerAccessAlreadyEnabled),
        }
    }

    fn cuCtxDisablePeerAccess(peer: Handle) {
        let context = driver()?.context()?;
        match lock(&context.peers).remove(&peer) {
            true => Ok(()),
            false => Err(Status::PeerAccessNotEnabled),
        }
    }

    fn cuDevicePrimaryCtxRelease_v2(device: i32) {
        release_primary(device)
    }

    fn cuDevicePrimaryCtxReset_v2(device: i32) {
        driver()?.reset_primary(device)
    }

    fn cuCtxDestroy_v2(context: Handle) {
        end_context(context)
    }
}
