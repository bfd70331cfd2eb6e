//! C functions for communicators, groups, versions and error messages.

use crate::communicator::{Communicator, add, end, get};
use crate::group::{self, Task, submit};
use crate::mesh::meeting::{UniqueId, unique_id};
use crate::status::{Failure, Result, Status, last, refuse, text};
use lanework_standin::{DeviceContext, In, Out, abi, begin, calls, store};
use std::ffi::c_char;

/// The reported version: 2.28.9.
const VERSION: i32 = 22_809;

/// The magic number of an `ncclConfig_t`, after its size.
const MAGIC: u32 = 0xcafe_beef;

/// The start of an `ncclConfig_t`. Its settings have no effect here.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Config {
    size: usize,
    magic: u32,
}
// Only the first two fields of NCCL's `ncclConfig_t`; the other fields are not read.
abi!(Config = 16, 8 { size: 0, magic: 8 });

/// Adds the initialization of a rank to the group.
fn make(to: Out<'_, usize>, size: i32, id: UniqueId, rank: i32, config: In<'_, Config>) -> Result {
    let task = || {
        check(to, config)?;
        let (count, of) =
            (usize::try_from(size).unwrap_or(0), usize::try_from(rank).unwrap_or(usize::MAX));
        if of >= count {
            return refuse(
                Status::InvalidArgument,
                format!("rank {rank} is not in 0 to {size} - 1"),
            );
        }
        begin("NCCL")?;
        // SAFETY: the place of a communicator's handle stays until the group ends, by NCCL's documentation; the task runs by then.
        let (place, to) = (DeviceContext::current()?, unsafe { to.keep() });
        Ok(Task::Make(Box::new(move || {
            let made = Communicator::join(&id, of, count, place)?;
            store(to, add(made))
        })))
    };
    submit(task())
}

/// Stores a null handle for now, and checks the configuration.
fn check(to: Out<'_, usize>, config: In<'_, Config>) -> Result {
    store::<_, Failure>(to, 0)?;
    match config.get() {
        Some(config) if config.magic != MAGIC || config.size < size_of::<Config>() => refuse(
            Status::InvalidArgument,
            "the configuration was not set to NCCL_CONFIG_INITIALIZER",
        ),
        _ => Ok(()),
    }
}

calls! {
    "NCCL", Failure;

    fn ncclGetVersion(version: Out<'_, i32>) {
        store(version, VERSION)
    }

    fn ncclGetUniqueId(to: Out<'_, UniqueId>) {
        begin("NCCL")?;
        let id = unique_id()?;
        store(to, id)
    }

    fn ncclCommInitRank(to: Out<'_, usize>, size: i32, id: UniqueId, rank: i32) {
        make(to, size, id, rank, In::NULL)
    }

    fn ncclCommInitRankConfig(to: Out<'_, usize>, size: i32, id: UniqueId, rank: i32, config: In<'_, Config>) {
        make(to, size, id, rank, config)
    }

    fn ncclCommInitRankScalable(to: Out<'_, usize>, size: i32, rank: i32, count: i32, ids: In<'_, UniqueId>, config: In<'_, Config>) {
        // All ranks meet at the first id.
        match ids.get().filter(|_| count >= 1) {
            Some(id) => make(to, size, id, rank, config),
            None => refuse(Status::InvalidArgument, "there is no unique id"),
        }
    }

    fn ncclCommInitAll(to: Out<'_, usize>, count: i32, devices: In<'_, i32>) {
        let count = usize::try_from(count).unwrap_or(0);
        if to.is_null() || count == 0 {
            return refuse(Status::InvalidArgument, "no communicator was requested");
        }
        begin("NCCL")?;
        // SAFETY: by NCCL's documentation, `devices` is null or has `count` elements.
        let devices = unsafe { devices.list(count) };
        let device = |rank: usize| devices.as_ref().map_or(rank as i32, |devices| devices[rank]);
        let places: Vec<DeviceContext> = (0..count).map(|rank| DeviceContext::primary(device(rank))).collect::<std::result::Result<_, _>>()?;
        if let Some(twice) = (1..count).find(|rank| places[..*rank].iter().any(|place| place.device == places[*rank].device)) {
            return refuse(Status::InvalidUsage, format!("device {} is named twice", places[twice].device));
        }
        for (rank, made) in Communicator::all(places).into_iter().enumerate() {
            // SAFETY: by NCCL's documentation, `to` has `count` elements, and there are `count` ranks.
            store::<_, Failure>(unsafe { to.at(rank) }, add(made))?;
        }
        Ok(())
    }

    fn ncclCommSplit(communicator: usize, color: i32, key: i32, to: Out<'_, usize>, config: In<'_, Config>) {
        let task = || {
            check(to, config)?;
            // SAFETY: the place of the new communicator's handle stays until the group ends, by NCCL's documentation; the task runs by then.
            let (communicator, to) = (get(communicator)?, unsafe { to.keep() });
            let of = communicator.clone();
            Ok(Task::On(communicator, Box::new(move || {
                let made = of.split(color, key)?.map_or(0, add);
                store(to, made)
            })))
        };
        submit(task())
    }

    fn ncclCommCount(communicator: usize, to: Out<'_, i32>) {
        store(to, get(communicator)?.size as i32)
    }

    fn ncclCommCuDevice(communicator: usize, to: Out<'_, i32>) {
        store(to, get(communicator)?.place.device)
    }

    fn ncclCommUserRank(communicator: usize, to: Out<'_, i32>) {
        store(to, get(communicator)?.rank as i32)
    }

    fn ncclCommFinalize(communicator: usize) { get(communicator).map(drop) }

    fn ncclCommDestroy(communicator: usize) {
        // As in NVIDIA's library, a null handle is not an error.
        if communicator == 0 { Ok(()) } else { end(communicator, false) }
    }

    fn ncclCommAbort(communicator: usize) {
        if communicator == 0 { Ok(()) } else { end(communicator, true) }
    }

    fn ncclCommGetAsyncError(communicator: usize, to: Out<'_, i32>) {
        let failed = get(communicator)?.failed();
        store(to, failed.map_or(0, |failure| failure.status as i32))
    }

    fn ncclGroupStart() {
        group::start();
        Ok(())
    }

    fn ncclGroupEnd() { group::end() }
}

/// NCCL's `ncclGetErrorString`.
#[unsafe(no_mangle)]
pub extern "C" fn ncclGetErrorString(code: i32) -> *const c_char {
    text(code).as_ptr()
}

/// NCCL's `ncclGetLastError`: the message of this thread's last failure.
#[unsafe(no_mangle)]
pub extern "C" fn ncclGetLastError(_communicator: usize) -> *const c_char {
    last()
}
