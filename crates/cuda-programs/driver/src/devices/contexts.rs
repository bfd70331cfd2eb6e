//! Contexts: creation, the current context of a thread, and destruction with everything that belongs to a context.

use crate::api::api;
use crate::devices::gpus::{Gpu, Primary, model};
use crate::modules::module::Module;
use crate::pointers::*;
use crate::state::{Driver, Handle, driver, lock, table};
use crate::status::{Result, Status, of_code, refuse};
use crate::streams::Event;
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
    /// `CUfunc_cache`, which has no effect.
    cache: AtomicI32,
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
    /// Contexts pushed on this thread; the last one is current, and 0 means none. Never dropped, so programs can free
    /// memory while the thread or the process exits; this leaks a few words per thread.
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

/// Limits by their `CUlimit` numbers, with the values of an H200's driver: stack, printf buffer, heap, pending device launches, fetch
/// granularity, persisting cache, and two that are fixed: shared memory and CIG.
const LIMITS: [(i32, usize); 8] = [
    (STACK, 1024),
    (1, 8_650_752),
    (2, 8_388_608),
    (4, 2048),
    (5, 64),
    (6, 3 * CACHE_UNIT),
    (7, 232_448),
    (8, 0),
];

/// The limit on a thread's stack, and its largest value.
const STACK: i32 = 0;
const MOST_STACK: usize = 523_712;
/// Size of a unit of the persisting cache, and the maximum number of units.
const CACHE_UNIT: usize = 3_932_160;
const CACHE_UNITS: usize = 10;

/// The value that a GPU sets for a requested limit: rounded up to its unit, and at least its minimum.
fn granted(limit: i32, asked: usize) -> Result<usize> {
    let rounded = |unit: usize| asked.checked_next_multiple_of(unit).unwrap_or(usize::MAX);
    match limit {
        STACK if asked <= MOST_STACK => Ok(rounded(16)),
        STACK => Err(refuse(
            Status::InvalidValue,
            format!("a stack of {asked} bytes per thread exceeds the limit of {MOST_STACK}"),
            "use less stack: smaller frames, or a loop in place of the recursion",
        )),
        1 => Ok(rounded(256).clamp(1 << 19, 1 << 31)),
        2 => Ok(rounded(1 << 16).clamp(1 << 22, 1 << 34)),
        4 => Ok(asked.max(32)),
        5 if asked <= 128 => Ok(asked),
        6 if rounded(CACHE_UNIT) <= CACHE_UNITS * CACHE_UNIT => Ok(rounded(CACHE_UNIT)),
        7 | 8 => Err(Status::NotPermitted),
        3 => Err(Status::UnsupportedLimit),
        _ => Err(Status::InvalidValue),
    }
}

/// Context flags: how the host waits (one of three bits), and others that are stored without effect.
const WAITS: u32 = 7;
const MAPPED: u32 = 8;
const FLAGS: u32 = WAITS | MAPPED | 0xf0;

/// Checks context flags.
fn checked_flags(flags: u32) -> Result<u32> {
    match flags & !FLAGS == 0 && matches!(flags & WAITS, 0 | 1 | 2 | 4) {
        true => Ok(flags),
        false => Err(Status::InvalidValue),
    }
}

/// Looks up a context; 0 means the thread's current one.
pub fn or_current(handle: Handle) -> Result<Arc<Context>> {
    if handle != 0 {
        return table::<Context>().find(handle).ok_or(Status::InvalidContext);
    }
    match current() {
        0 => Err(Status::InvalidContext),
        // The context was current on this thread when it was destroyed.
        current => table::<Context>().find(current).ok_or(Status::ContextIsDestroyed),
    }
}

/// The GPU of the current context, even if it is a primary context that was reset.
fn current_gpu() -> Result<i32> {
    let driver = driver()?;
    let handle = current();
    let of_primary = |gpu: &&Gpu| handle != 0 && lock(&gpu.primary).context == handle;
    match driver.gpus.iter().find(of_primary) {
        Some(gpu) => Ok(gpu.ordinal),
        None => or_current(0).map(|context| context.gpu),
    }
}

/// Whether a handle belongs to a context, or to a primary context that was reset.
fn is_context(handle: Handle) -> Result<bool> {
    let of_primary = |gpu: &Gpu| lock(&gpu.primary).context == handle;
    Ok(table::<Context>().find(handle).is_some() || driver()?.gpus.iter().any(of_primary))
}

impl Context {
    /// Stack size per thread, in bytes.
    pub fn stack_bytes(&self) -> usize {
        lock(&self.limits).get(&STACK).copied().unwrap_or(0)
    }

    fn new(handle: Handle, gpu: i32, flags: u32, primary: bool) -> Context {
        Context {
            handle,
            gpu,
            flags: Mutex::new(flags),
            cache: AtomicI32::new(0),
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

    /// Returns the error that a kernel left, if any.
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
        let flags = primary.flags | MAPPED;
        let contexts = table::<Context>();
        if primary.context == 0 {
            primary.context =
                contexts.add_with(|handle| Context::new(handle, ordinal, flags, true));
        } else if contexts.find(primary.context).is_none() {
            // A primary context keeps its handle after a reset.
            let handle = primary.context;
            contexts.add_again(handle, Context::new(handle, ordinal, flags, true));
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
    /// Calls `run` with a current context: the thread's own one, else the primary context of a GPU, if it is active. A call
    /// that names its GPU needs no current context, as an H200's driver shows.
    pub fn in_context_of<T>(&self, gpu: i32, run: impl FnOnce() -> Result<T>) -> Result<T> {
        let of_gpu = lock(&self.gpu(gpu)?.primary).context;
        if current() != 0 || table::<Context>().find(of_gpu).is_none() {
            return run();
        }
        set_current(of_gpu);
        let found = run();
        set_current(0);
        found
    }

    /// Frees everything that belongs to a context.
    fn clear(&self, context: Handle) {
        self.forget_queues(context);
        self.end_captures(context);
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
        *lock(&gpu.pools) = [0; 2];
        if table::<Context>().find(primary.context).is_some() {
            self.clear(primary.context);
            table::<Context>().remove(primary.context)?;
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
        if context.is_null() {
            return Err(Status::InvalidValue);
        }
        let handle = driver()?.retain_primary(device)?;
        context.store(handle)
    }

    fn cuDevicePrimaryCtxSetFlags_v2(device: i32, flags: u32) {
        let driver = driver()?;
        let mut primary = lock(&driver.gpu(device)?.primary);
        if flags & MAPPED != 0 {
            return Err(Status::InvalidValue);
        }
        primary.flags = checked_flags(flags)?;
        if let Some(context) = table::<Context>().find(primary.context) {
            *lock(&context.flags) = flags | MAPPED;
        }
        Ok(())
    }

    fn cuDevicePrimaryCtxGetState(device: i32, flags: Out<'_, u32>, active: Out<'_, i32>) {
        let primary = lock(&driver()?.gpu(device)?.primary);
        flags.store(primary.flags)?;
        active.store(i32::from(table::<Context>().find(primary.context).is_some()))
    }

    fn cuCtxCreate_v2(context: Out<'_, Handle>, flags: u32, device: i32) {
        driver()?.gpu(device)?;
        if context.is_null() {
            return Err(Status::InvalidValue);
        }
        // Core dumps requested by the user (64) also turn on core dumps (32).
        let flags = checked_flags(flags)?;
        let flags = if flags & 64 == 0 { flags } else { flags & !64 | 32 };
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
        if context == 0 {
            return Err(Status::InvalidValue);
        }
        if !is_context(context)? {
            return Err(Status::InvalidContext);
        }
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
        if context != 0 && !is_context(context)? {
            return Err(Status::InvalidContext);
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
        device.store(current_gpu()?)
    }

    fn cuCtxGetDevice_v2(device: Out<'_, i32>, context: Handle) {
        driver()?;
        let gpu = if context == 0 { current_gpu()? } else { or_current(context)?.gpu };
        device.store(gpu)
    }

    fn cuCtxGetFlags(flags: Out<'_, u32>) {
        let context = or_current(0)?;
        flags.store(*lock(&context.flags))
    }

    fn cuCtxSetFlags(flags: u32) {
        let driver = driver()?;
        let context = or_current(0)?;
        // After creation, only the flags that select how the host waits can change.
        let waits = checked_flags(flags)? & WAITS;
        let mut kept = lock(&context.flags);
        *kept = *kept & !WAITS | waits;
        if context.primary {
            let mut primary = lock(&driver.gpu(context.gpu)?.primary);
            primary.flags = primary.flags & !WAITS | waits;
        }
        Ok(())
    }

    fn cuCtxGetId(context: Handle, id: Out<'_, u64>) {
        let context = or_current(context)?;
        id.store(context.handle)
    }

    fn cuCtxSetLimit(limit: i32, value: usize) {
        let context = driver()?.context()?;
        let value = granted(limit, value)?;
        lock(&context.limits).insert(limit, value);
        Ok(())
    }

    fn cuCtxGetLimit(value: Out<'_, usize>, limit: i32) {
        let context = driver()?.context()?;
        let unknown = if matches!(limit, 3 | 9) { Status::UnsupportedLimit } else { Status::InvalidValue };
        let found = lock(&context.limits).get(&limit).copied().ok_or(unknown)?;
        value.store(found)
    }

    fn cuCtxGetCacheConfig(value: Out<'_, i32>) {
        let context = driver()?.context()?;
        value.store(context.cache.load(Ordering::Relaxed))
    }

    fn cuCtxSetCacheConfig(value: i32) {
        let context = driver()?.context()?;
        if !(0..=3).contains(&value) {
            return Err(Status::InvalidValue);
        }
        context.cache.store(value, Ordering::Relaxed);
        Ok(())
    }

    fn cuCtxGetSharedMemConfig(value: Out<'_, i32>) {
        driver()?.context()?;
        value.store(1)
    }

    fn cuCtxSetSharedMemConfig(value: i32) {
        driver()?.context()?;
        if (0..=2).contains(&value) { Ok(()) } else { Err(Status::InvalidValue) }
    }

    fn cuCtxGetApiVersion(context: Handle, version: Out<'_, u32>) {
        driver()?;
        if context == 0 {
            or_current(0)?;
        }
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
            return Err(Status::PeerAccessUnsupported);
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

    fn cuCtxGetExecAffinity(affinity: Out<'_, [u32; 2]>, kind: i32) {
        driver()?.context()?;
        match kind {
            // Writes the kind, and the number of multiprocessors.
            0 => affinity.store([0, model().gpu.multiprocessors]),
            _ => Err(Status::InvalidValue),
        }
    }

    fn cuCtxDestroy_v2(context: Handle) {
        if context == 0 {
            driver()?;
            return Err(Status::InvalidValue);
        }
        end_context(context)
    }
}
