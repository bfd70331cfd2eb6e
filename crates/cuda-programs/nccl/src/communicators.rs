//! Communicators as C makes, asks and ends them, groups, versions and errors in words.

use crate::answer::last;
use crate::communicator::{Communicator, add, end, get};
use crate::group::{self, Task, submit};
use crate::invitation::{UniqueId, unique_id};
use crate::status::{Failure, Result, Status, refuse, text};
use lanework_standin::{DeviceContext, begin, calls, store};
use std::ffi::c_char;

/// The version that is stood in for: 2.28.9.
const VERSION: i32 = 22_809;

/// What an `ncclConfig_t` begins with, after its size.
const MAGIC: u32 = 0xcafe_beef;

/// The start of an `ncclConfig_t`. Its settings change no result here.
#[repr(C)]
pub struct Config {
    size: usize,
    magic: u32,
}

/// Adds the making of a rank to the group.
///
/// # Safety
/// The pointers are null or valid, that for the result until the group ends.
unsafe fn make(
    to: *mut usize,
    size: i32,
    id: UniqueId,
    rank: i32,
    config: *const Config,
) -> Result {
    let task = || {
        // SAFETY: by the caller.
        unsafe { check(to, config) }?;
        let (count, of) =
            (usize::try_from(size).unwrap_or(0), usize::try_from(rank).unwrap_or(usize::MAX));
        if of >= count {
            return refuse(Status::InvalidArgument, format!("there is no rank {rank} of {size}"));
        }
        begin("NCCL")?;
        let (place, to) = (DeviceContext::current()?, to as usize);
        Ok(Task::Make(Box::new(move || {
            let made = Communicator::join(&id, of, count, place)?;
            // SAFETY: by the caller.
            unsafe { store(to as *mut usize, add(made)) }
        })))
    };
    submit(task())
}

/// Stores that there is no communicator yet, and looks at a configuration.
///
/// # Safety
/// The pointers are null or valid.
unsafe fn check(to: *mut usize, config: *const Config) -> Result {
    // SAFETY: by the caller.
    unsafe { store::<_, Failure>(to, 0) }?;
    // SAFETY: by the caller.
    match unsafe { config.as_ref() } {
        Some(config) if config.magic != MAGIC || config.size < size_of::<Config>() => refuse(
            Status::InvalidArgument,
            "the configuration was not set to NCCL_CONFIG_INITIALIZER",
        ),
        _ => Ok(()),
    }
}

calls! {
    "NCCL", Failure;

    fn ncclGetVersion(version: *mut i32) {
        // SAFETY: by the caller.
        unsafe { store(version, VERSION) }
    }

    fn ncclGetUniqueId(to: *mut UniqueId) {
        begin("NCCL")?;
        let id = unique_id()?;
        // SAFETY: by the caller.
        unsafe { store(to, id) }
    }

    fn ncclCommInitRank(to: *mut usize, size: i32, id: UniqueId, rank: i32) {
        // SAFETY: by the caller.
        unsafe { make(to, size, id, rank, std::ptr::null()) }
    }

    fn ncclCommInitRankConfig(to: *mut usize, size: i32, id: UniqueId, rank: i32, config: *const Config) {
        // SAFETY: by the caller.
        unsafe { make(to, size, id, rank, config) }
    }

    fn ncclCommInitRankScalable(to: *mut usize, size: i32, rank: i32, count: i32, ids: *const UniqueId, config: *const Config) {
        if count < 1 || ids.is_null() {
            return refuse(Status::InvalidArgument, "there is no unique id");
        }
        // SAFETY: by the caller; all ranks meet at the first.
        unsafe { make(to, size, ids.read_unaligned(), rank, config) }
    }

    fn ncclCommInitAll(to: *mut usize, count: i32, devices: *const i32) {
        let count = usize::try_from(count).unwrap_or(0);
        if to.is_null() || count == 0 {
            return refuse(Status::InvalidArgument, "no communicator is asked for");
        }
        begin("NCCL")?;
        // SAFETY: the caller says that there are as many devices.
        let device = |rank: usize| if devices.is_null() { rank as i32 } else { unsafe { devices.add(rank).read_unaligned() } };
        let places: Vec<DeviceContext> = (0..count).map(|rank| DeviceContext::primary(device(rank))).collect::<std::result::Result<_, _>>()?;
        if let Some(twice) = (1..count).find(|rank| places[..*rank].iter().any(|place| place.device == places[*rank].device)) {
            return refuse(Status::InvalidUsage, format!("device {} is named twice", places[twice].device));
        }
        for (rank, made) in Communicator::all(places).into_iter().enumerate() {
            // SAFETY: by the caller.
            unsafe { store::<_, Failure>(to.add(rank), add(made)) }?;
        }
        Ok(())
    }

    fn ncclCommSplit(communicator: usize, color: i32, key: i32, to: *mut usize, config: *const Config) {
        let task = || {
            // SAFETY: by the caller.
            unsafe { check(to, config) }?;
            let (communicator, to) = (get(communicator)?, to as usize);
            let of = communicator.clone();
            Ok(Task::On(communicator, Box::new(move || {
                let made = of.split(color, key)?.map_or(0, add);
                // SAFETY: by the caller, until the group ends.
                unsafe { store(to as *mut usize, made) }
            })))
        };
        submit(task())
    }

    fn ncclCommCount(communicator: usize, to: *mut i32) {
        // SAFETY: by the caller.
        unsafe { store(to, get(communicator)?.size as i32) }
    }

    fn ncclCommCuDevice(communicator: usize, to: *mut i32) {
        // SAFETY: by the caller.
        unsafe { store(to, get(communicator)?.place.device) }
    }

    fn ncclCommUserRank(communicator: usize, to: *mut i32) {
        // SAFETY: by the caller.
        unsafe { store(to, get(communicator)?.rank as i32) }
    }

    fn ncclCommFinalize(communicator: usize) { get(communicator).map(drop) }

    fn ncclCommDestroy(communicator: usize) {
        // As for NVIDIA's, none at all is not an error.
        if communicator == 0 { Ok(()) } else { end(communicator, false) }
    }

    fn ncclCommAbort(communicator: usize) {
        if communicator == 0 { Ok(()) } else { end(communicator, true) }
    }

    fn ncclCommGetAsyncError(communicator: usize, to: *mut i32) {
        let failed = get(communicator)?.failed();
        // SAFETY: by the caller.
        unsafe { store(to, failed.map_or(0, |failure| failure.status as i32)) }
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

/// NCCL's `ncclGetLastError`: the sentence of this thread's last failure.
#[unsafe(no_mangle)]
pub extern "C" fn ncclGetLastError(_communicator: usize) -> *const c_char {
    last()
}
