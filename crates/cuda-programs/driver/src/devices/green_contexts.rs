//! Green contexts; each owns a subset of a GPU's multiprocessors. Subsets have the same sizes as on an H200. The emulator
//! runs kernels in the same way in every green context, so results do not depend on the split.

use crate::api::api;
use crate::devices::contexts::{Context, current, end_context, or_current, release_primary};
use crate::devices::gpus::model;
use crate::ordering;
use crate::pointers::*;
use crate::state::{Driver, Handle, driver, lock, table};
use crate::status::{Result, Status};
use crate::streams::Event;
use crate::streams::stream::{Stream, next_number};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// `CUdevResource`. The driver stores its own data in the padding.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct DeviceResource {
    /// 1 for multiprocessors.
    kind: u32,
    mark: [u8; 4],
    device: i32,
    /// First multiprocessor.
    first: u32,
    /// Number of the split that created it; 0 if it describes a whole device or context.
    split: u64,
    padding: [u32; 18],
    count: u32,
    least: u32,
    alignment: u32,
    rest: [u32; 9],
}

abi!(DeviceResource = 144, 8 { kind: 0, mark: 4, device: 8, first: 12, split: 16, padding: 24, count: 96, least: 100, alignment: 104, rest: 108 });

const _: () = assert!(size_of::<DeviceResource>() == 144);

const MARK: [u8; 4] = *b"LWSM";
/// Minimum number of multiprocessors per group, and granularity; both are smaller if clusters need not be
/// co-scheduled.
const PART: u32 = 8;
const ALONE: u32 = 2;
/// Split flags: groups need not support clusters; groups must support the largest clusters.
const IGNORE_CLUSTERS: u32 = 1;
const LARGEST_CLUSTERS: u32 = 2;
/// Number of multiprocessors that the largest cluster needs.
const OF_LARGEST_CLUSTER: u32 = 16;
/// Flag that green contexts require.
const DEFAULT_STREAM: u32 = 1;

impl DeviceResource {
    fn new(device: i32, first: u32, count: u32, split: u64) -> DeviceResource {
        DeviceResource {
            kind: u32::from(count > 0),
            mark: MARK,
            device,
            first,
            split,
            padding: [0; 18],
            count,
            least: PART,
            alignment: PART,
            rest: [0; 9],
        }
    }

    /// All multiprocessors of a device.
    fn whole(device: i32) -> DeviceResource {
        DeviceResource::new(device, 0, model().gpu.multiprocessors, 0)
    }

    fn checked(self) -> Result<DeviceResource> {
        match (self.kind, self.mark) {
            (1, MARK) => Ok(self),
            (1, _) => Err(Status::InvalidValue),
            _ => Err(Status::InvalidResourceType),
        }
    }

    /// Multiprocessors per group, and the maximum number of groups.
    fn parts(&self, flags: u32, least: u32) -> Result<(u32, u32)> {
        if flags & !(IGNORE_CLUSTERS | LARGEST_CLUSTERS) != 0 || least > self.count {
            return Err(Status::InvalidValue);
        }
        let unit = match flags {
            0 => PART,
            LARGEST_CLUSTERS => OF_LARGEST_CLUSTER,
            _ => ALONE,
        };
        let size = least.max(1).next_multiple_of(unit);
        Ok((size, self.count / size))
    }
}

/// The resources for a green context.
struct ResourceDescriptor {
    parts: Vec<DeviceResource>,
}

/// A green context.
struct GreenContext {
    context: Handle,
    resource: DeviceResource,
}

/// Green contexts by their context handles.
static GREEN: Mutex<BTreeMap<Handle, Handle>> = Mutex::new(BTreeMap::new());

fn green_of(context: Handle) -> Handle {
    lock(&GREEN).get(&context).copied().unwrap_or(0)
}

fn green(handle: Handle) -> Result<std::sync::Arc<GreenContext>> {
    driver()?;
    table::<GreenContext>().find(handle).ok_or(Status::InvalidContext)
}

impl Driver {
    /// Records an event after all work of a context.
    fn record_all(&self, context: Handle, event: Handle) -> Result {
        let event = table::<Event>().get(event)?;
        self.finish_context(context)?;
        event.ticket.store(0, Ordering::Release);
        *lock(&event.point) = ordering::recorded_of_context(context);
        event.happen();
        Ok(())
    }

    /// Makes all later work of a context wait for an event.
    fn wait_all(&self, event: Handle) -> Result {
        let event = table::<Event>().get(event)?;
        if event.captured().is_some() {
            return Err(Status::InvalidValue);
        }
        self.wait_for(&[event.ticket.load(Ordering::Acquire)])?;
        // Streams created later also wait, as if the host had waited.
        ordering::synchronized(event.last_record().as_slice());
        Ok(())
    }
}

/// Stores the resource of a context or device.
fn give(to: Out<'_, DeviceResource>, kind: u32, resource: DeviceResource) -> Result {
    match kind {
        1 => to.store(resource),
        _ => Err(Status::InvalidResourceType),
    }
}

api! {
    fn cuDeviceGetDevResource(device: i32, resource: Out<'_, DeviceResource>, kind: u32) {
        driver()?.gpu(device)?;
        give(resource, kind, DeviceResource::whole(device))
    }

    fn cuCtxGetDevResource(context: Handle, resource: Out<'_, DeviceResource>, kind: u32) {
        let context = or_current(context)?;
        let part = table::<GreenContext>().find(green_of(context.handle)).map(|green| green.resource);
        give(resource, kind, part.unwrap_or(DeviceResource::whole(context.gpu)))
    }

    fn cuGreenCtxGetDevResource(of: Handle, resource: Out<'_, DeviceResource>, kind: u32) {
        give(resource, kind, green(of)?.resource)
    }

    fn cuDevSmResourceSplitByCount(parts: Out<'_, DeviceResource>, count: Out<'_, u32>, input: In<'_, DeviceResource>, remaining: Out<'_, DeviceResource>, flags: u32, least: u32) {
        driver()?;
        let (input, wanted) = (input.get()?.checked()?, count.get()?);
        if input.split != 0 {
            // A group can be split only through a green context.
            return Err(Status::InvalidResourceConfiguration);
        }
        let (size, most) = input.parts(flags, least)?;
        if parts.is_null() {
            return count.store(most);
        }
        static SPLITS: AtomicU64 = AtomicU64::new(1);
        let split = SPLITS.fetch_add(1, Ordering::Relaxed);
        let made = most.min(wanted);
        for index in 0..made {
            let part = DeviceResource::new(input.device, input.first + index * size, size, split);
            // SAFETY: the caller passed `parts` with room for `count` (`wanted`) groups, and `index < made <= wanted`.
            unsafe { parts.at(index as usize) }.store(part)?;
        }
        let used = made * size;
        remaining.store_optional(DeviceResource::new(input.device, input.first + used, input.count - used, split));
        count.store(made)
    }

    fn cuDevResourceGenerateDesc(description: Out<'_, Handle>, parts: In<'_, DeviceResource>, count: u32) {
        driver()?;
        let given = parts.list(count as usize)?;
        let mut parts = given.iter().map(|part| part.checked()).collect::<Result<Vec<_>>>()?;
        parts.sort_by_key(|part| part.first);
        let first = parts.first().ok_or(Status::InvalidValue)?;
        let same = parts.iter().all(|part| part.device == first.device && part.split == first.split);
        let apart = parts.windows(2).all(|pair| pair[0].first + pair[0].count <= pair[1].first);
        if !same || !apart {
            return Err(Status::InvalidResourceConfiguration);
        }
        description.store(table::<ResourceDescriptor>().add(ResourceDescriptor { parts }))
    }

    fn cuGreenCtxCreate(to: Out<'_, Handle>, description: Handle, device: i32, flags: u32) {
        let driver = driver()?;
        driver.gpu(device)?;
        if flags != DEFAULT_STREAM {
            return Err(Status::InvalidValue);
        }
        let parts = &table::<ResourceDescriptor>().find(description).ok_or(Status::InvalidValue)?.parts;
        if parts.iter().any(|part| part.device != device) {
            return Err(Status::InvalidValue);
        }
        driver.retain_primary(device)?;
        let context = Context::make(device, 0);
        let count = parts.iter().map(|part| part.count).sum();
        // The resource of a green context may be split again.
        let resource = DeviceResource::new(device, parts[0].first, count, 0);
        let made = table::<GreenContext>().add(GreenContext { context, resource });
        lock(&GREEN).insert(context, made);
        to.store(made)
    }

    fn cuGreenCtxDestroy(of: Handle) {
        let GreenContext { context, resource } = *green(of)?;
        table::<GreenContext>().remove(of)?;
        lock(&GREEN).remove(&context);
        end_context(context)?;
        release_primary(resource.device)
    }

    fn cuCtxFromGreenCtx(context: Out<'_, Handle>, of: Handle) {
        context.store(green(of)?.context)
    }

    fn cuGreenCtxGetId(of: Handle, id: Out<'_, u64>) {
        id.store(green(of)?.context)
    }

    fn cuGreenCtxStreamCreate(stream: Out<'_, Handle>, of: Handle, flags: u32, priority: i32) {
        let context = green(of)?.context;
        // Only non-blocking streams are allowed.
        if flags != 1 {
            return Err(Status::InvalidValue);
        }
        let made = Stream { context, flags, priority: priority.clamp(-5, 0), number: next_number(), attributes: Mutex::default() };
        stream.store(table::<Stream>().add(made))
    }

    fn cuStreamGetGreenCtx(stream: Handle, to: Out<'_, Handle>) {
        let found = driver()?.stream(stream)?;
        to.store(green_of(found.map_or_else(current, |stream| stream.context)))
    }

    fn cuStreamGetCtx_v2(stream: Handle, context: Out<'_, Handle>, to: Out<'_, Handle>) {
        let found = driver()?.stream(stream)?.map_or_else(current, |stream| stream.context);
        let green = green_of(found);
        // The program passed exactly one of the two.
        context.store(if green == 0 { found } else { 0 })?;
        to.store_optional(green);
        Ok(())
    }

    fn cuGreenCtxRecordEvent(of: Handle, event: Handle) {
        driver()?.record_all(green(of)?.context, event)
    }

    fn cuGreenCtxWaitEvent(of: Handle, event: Handle) {
        green(of)?;
        driver()?.wait_all(event)
    }

    fn cuCtxRecordEvent(context: Handle, event: Handle) {
        driver()?.record_all(or_current(context)?.handle, event)
    }

    fn cuCtxWaitEvent(context: Handle, event: Handle) {
        or_current(context)?;
        driver()?.wait_all(event)
    }
}
