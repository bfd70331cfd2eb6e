//! Memory for intermediate results, kept from one call to the next.
//!
//! It has two regions: scratch memory of any contents, and words that are zero whenever no kernel runs, in which blocks count
//! arrivals or flag results. A kernel that changes such a word sets it back to zero before it ends, so that no launch has to clear them.

use lanework::{Buffer, Device, Result, Storable, ViewMut};
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

/// Bytes that parts are aligned to.
const ALIGNMENT: usize = 256;

/// Memory for intermediate results of operations on one device, which grows as needed and is kept for later calls.
///
/// Operations that share one must run one after the other: on one stream, or in the device's own order, also where several threads of
/// the host queue them. `run` uses one per device; for another stream, make another.
///
/// ```
/// use lanework::Device;
/// use lanework_ops::Workspace;
///
/// let workspace = Workspace::new(&Device::best());
/// assert_eq!(workspace.bytes(), 0); // until an operation needs some
/// ```
#[derive(Clone)]
pub struct Workspace {
    device: Device,
    regions: Arc<Mutex<Regions>>,
}

/// Both regions, where something has needed them.
#[derive(Default)]
struct Regions {
    scratch: Option<Arc<Buffer<u64>>>,
    zeroed: Option<Arc<Buffer<u64>>>,
    /// Held while the launches of an operation are queued, which on the emulator is while they run.
    turn: Arc<Mutex<()>>,
}

/// What an operation needs: the parts, laid out one after the other.
#[derive(Default)]
pub(crate) struct Layout {
    scratch: usize,
    zeroed: usize,
}

/// A part of a [`Layout`]: `length` elements of `T`.
pub(crate) struct Part<T> {
    offset: usize,
    length: usize,
    zeroed: bool,
    element: PhantomData<fn() -> T>,
}

impl<T> Clone for Part<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Part<T> {}

impl Part<u8> {
    /// `length` bytes of it, from `first` on, a multiple of what parts are aligned to.
    pub(crate) fn bytes(self, first: usize, length: usize) -> Part<u8> {
        debug_assert!(first.is_multiple_of(ALIGNMENT) && first + length <= self.length);
        Part { offset: self.offset + first, length, ..self }
    }
}

/// The memory of a layout. The buffers live for as long as this does, also when the workspace has grown meanwhile.
#[derive(Clone, Default)]
pub(crate) struct Scratch {
    scratch: Option<Arc<Buffer<u64>>>,
    zeroed: Option<Arc<Buffer<u64>>>,
    turn: Arc<Mutex<()>>,
    of: Weak<Mutex<Regions>>,
}

impl Layout {
    /// `length` elements of any contents.
    pub(crate) fn scratch<T: Storable>(&mut self, length: usize) -> Part<T> {
        let offset = self.scratch;
        self.scratch += (length * size_of::<T>()).next_multiple_of(ALIGNMENT);
        Part { offset, length, zeroed: false, element: PhantomData }
    }

    /// `length` elements that are zero when a launch begins, and that the launch leaves zero.
    pub(crate) fn zeroed<T: Storable>(&mut self, length: usize) -> Part<T> {
        let offset = self.zeroed;
        self.zeroed += (length * size_of::<T>()).next_multiple_of(ALIGNMENT);
        Part { offset, length, zeroed: true, element: PhantomData }
    }
}

/// The workspaces of the devices that `run` used last, most recent last: a few, so that a program that opens many devices keeps the
/// memory of few.
static SHARED: Mutex<Vec<Workspace>> = Mutex::new(Vec::new());

/// Devices whose workspaces are kept.
const KEPT: usize = 8;

impl Workspace {
    /// The one that `run` uses on a device.
    pub(crate) fn of(device: &Device) -> Workspace {
        let mut shared = SHARED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let known = shared.iter().position(|workspace| workspace.device == *device);
        let workspace = match known {
            Some(index) => shared.remove(index),
            None => Workspace::new(device),
        };
        if shared.len() == KEPT {
            shared.remove(0);
        }
        shared.push(workspace.clone());
        workspace
    }

    /// Memory for operations on `device`; nothing is allocated before an operation needs it.
    pub fn new(device: &Device) -> Workspace {
        Workspace { device: device.clone(), regions: Arc::default() }
    }

    /// The device that it is for.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Bytes that it holds.
    pub fn bytes(&self) -> u64 {
        let regions = self.lock();
        [&regions.scratch, &regions.zeroed].into_iter().flatten().map(|buffer| buffer.bytes()).sum()
    }

    /// Memory for a layout.
    pub(crate) fn reserve(&self, layout: &Layout) -> Result<Scratch> {
        let mut regions = self.lock();
        let enough = |buffer: &Arc<Buffer<u64>>, bytes: usize| buffer.bytes() >= bytes as u64;
        if !regions.scratch.as_ref().is_some_and(|buffer| enough(buffer, layout.scratch))
            && layout.scratch > 0
        {
            regions.scratch =
                Some(Arc::new(self.device.uninit_named(layout.scratch / 8, "workspace")?));
        }
        if !regions.zeroed.as_ref().is_some_and(|buffer| enough(buffer, layout.zeroed))
            && layout.zeroed > 0
        {
            let mut zeroed = self.device.uninit_named(layout.zeroed / 8, "workspace counters")?;
            zeroed.fill_bytes(0)?;
            regions.zeroed = Some(Arc::new(zeroed));
        }
        Ok(Scratch {
            scratch: regions.scratch.clone(),
            zeroed: regions.zeroed.clone(),
            turn: regions.turn.clone(),
            of: Arc::downgrade(&self.regions),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Regions> {
        self.regions.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Scratch {
    /// The memory of a part, for the kernels of a [`crate::Plan`] that keeps this scratch memory alive.
    pub(crate) fn view<T: Storable>(&self, part: Part<T>) -> ViewMut<'static, T> {
        let region = if part.zeroed { &self.zeroed } else { &self.scratch };
        match region {
            Some(buffer) => {
                let (first, bytes) =
                    (part.offset / 8, (part.length * size_of::<T>()).next_multiple_of(8));
                // SAFETY: the buffer lives in this scratch memory, which the plan of the launches keeps; operations that share a
                // workspace run one after the other, and those of one operation use its parts as their author says.
                let memory = unsafe { buffer.view_shared(first..first + bytes / 8).unbound() };
                memory.cast::<T>().part(..part.length)
            }
            None => unreachable!("a layout with this part was reserved"),
        }
    }

    /// Queues the launches of an operation, without those of other threads that share the workspace between them.
    ///
    /// # Errors
    /// What a launch reports; the words that a failed one may have left set are then given up.
    pub(crate) fn in_turn(&self, queue: impl FnOnce() -> Result<()>) -> Result<()> {
        let _turn = self.turn.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let queued = queue();
        if queued.is_err()
            && let Some(regions) = self.of.upgrade()
        {
            regions.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).zeroed = None;
        }
        queued
    }

    /// Bytes that it holds.
    pub(crate) fn bytes(&self) -> u64 {
        [&self.scratch, &self.zeroed].into_iter().flatten().map(|buffer| buffer.bytes()).sum()
    }
}
