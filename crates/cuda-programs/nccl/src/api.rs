//! NCCL's functions: communicators, groups, versions and error messages; collectives, messages and user-defined reductions;
//! memory that programs allocate through NCCL or register with it (registration has no effect here). Last come the
//! unimplemented ones: each reports it and returns `ncclInvalidUsage`.

use crate::collectives::{BUILT_IN, Factor, Work, element as element_of, name};
use crate::communicator::{Communicator, Task, add, destroy, end_group, get, start_group, submit};
use crate::mesh::{UniqueId, unique_id};
use crate::{Failure, Result, Status, last, refuse, text};
use lanework_ranks::signature::{CallKind, Reduction};
use lanework_standin::{
    DeviceContext, In, Memory, Out, abi, allocate, begin, calls, free, store, unsupported,
};
use std::collections::BTreeSet;
use std::ffi::c_char;
use std::sync::Mutex;

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
    match config.find() {
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
        match ids.find().filter(|_| count >= 1) {
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
        let devices = unsafe { devices.array(count) };
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
        if communicator == 0 { Ok(()) } else { destroy(communicator, false) }
    }

    fn ncclCommAbort(communicator: usize) {
        if communicator == 0 { Ok(()) } else { destroy(communicator, true) }
    }

    fn ncclCommGetAsyncError(communicator: usize, to: Out<'_, i32>) {
        let failed = get(communicator)?.failed();
        store(to, failed.map_or(0, |failure| failure.status as i32))
    }

    fn ncclGroupStart() {
        start_group();
        Ok(())
    }

    fn ncclGroupEnd() { end_group() }
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

/// The common arguments: type, communicator and stream, as C passes them.
type Common = (i32, usize, usize);

/// Adds a collective to the group.
fn call(
    (element, communicator, stream): Common,
    count: usize,
    memory: (usize, usize),
    kind: impl FnOnce(&Communicator) -> Result<CallKind>,
) -> Result {
    let task = || {
        let communicator = get(communicator)?;
        let work = Work::new(kind(&communicator)?, element_of(element)?, count, memory);
        Ok(Task::Call(communicator, stream, work))
    };
    submit(task())
}

/// As [`call`], with a reduction given by its number.
fn reduce(
    (element, communicator, stream): Common,
    count: usize,
    memory: (usize, usize),
    number: i32,
    kind: impl FnOnce(&Communicator, Reduction) -> Result<CallKind>,
) -> Result {
    let task = || {
        let (communicator, element) = (get(communicator)?, element_of(element)?);
        let built_in = usize::try_from(number).ok().and_then(|number| BUILT_IN.get(number));
        let (reduction, factor) = match (built_in, communicator.factor(number)) {
            (Some(reduction), _) => (*reduction, None),
            (None, Some((of, factor))) if of == element => (Reduction::PreMulSum, Some(factor)),
            (None, Some((of, _))) => {
                return refuse(
                    Status::InvalidArgument,
                    format!(
                        "the reduction was created for {}, the call has {}",
                        name(of),
                        name(element)
                    ),
                );
            }
            (None, None) => {
                return refuse(
                    Status::InvalidArgument,
                    format!("{number} is not an ncclRedOp_t of this communicator"),
                );
            }
        };
        let mut work = Work::new(kind(&communicator, reduction)?, element, count, memory);
        work.factor = factor;
        Ok(Task::Call(communicator, stream, work))
    };
    submit(task())
}

/// Adds a message to the group.
fn message(
    (element, communicator, stream): Common,
    count: usize,
    memory: usize,
    peer: i32,
    sends: bool,
) -> Result {
    let task = || {
        let communicator = get(communicator)?;
        let peer = rank_of(&communicator, peer, "peer")?;
        let mut work = Work::new(CallKind::Message, element_of(element)?, count, (memory, memory));
        work.message = Some((peer as usize, sends));
        Ok(Task::Call(communicator, stream, work))
    };
    submit(task())
}

fn rank_of(communicator: &Communicator, rank: i32, what: &str) -> Result<u32> {
    match u32::try_from(rank) {
        Ok(rank) if (rank as usize) < communicator.size => Ok(rank),
        _ => refuse(
            Status::InvalidArgument,
            format!("the {what} is rank {rank}, and there are {} ranks", communicator.size),
        ),
    }
}

calls! {
    "NCCL", Failure;

    fn ncclAllReduce(send: usize, receive: usize, count: usize, element: i32, reduction: i32, communicator: usize, stream: usize) {
        reduce((element, communicator, stream), count, (send, receive), reduction, |_, reduction| Ok(CallKind::AllReduce(reduction)))
    }

    fn ncclReduce(send: usize, receive: usize, count: usize, element: i32, reduction: i32, root: i32, communicator: usize, stream: usize) {
        reduce((element, communicator, stream), count, (send, receive), reduction, |of, reduction| {
            Ok(CallKind::Reduce(reduction, rank_of(of, root, "root")?))
        })
    }

    fn ncclReduceScatter(send: usize, receive: usize, count: usize, element: i32, reduction: i32, communicator: usize, stream: usize) {
        reduce((element, communicator, stream), count, (send, receive), reduction, |_, reduction| Ok(CallKind::ReduceScatter(reduction)))
    }

    fn ncclBroadcast(send: usize, receive: usize, count: usize, element: i32, root: i32, communicator: usize, stream: usize) {
        call((element, communicator, stream), count, (send, receive), |of| Ok(CallKind::Broadcast(rank_of(of, root, "root")?)))
    }

    fn ncclBcast(memory: usize, count: usize, element: i32, root: i32, communicator: usize, stream: usize) {
        call((element, communicator, stream), count, (memory, memory), |of| Ok(CallKind::Broadcast(rank_of(of, root, "root")?)))
    }

    fn ncclAllGather(send: usize, receive: usize, count: usize, element: i32, communicator: usize, stream: usize) {
        call((element, communicator, stream), count, (send, receive), |_| Ok(CallKind::AllGather))
    }

    fn ncclAlltoAll(send: usize, receive: usize, count: usize, element: i32, communicator: usize, stream: usize) {
        call((element, communicator, stream), count, (send, receive), |_| Ok(CallKind::AllToAll))
    }

    fn ncclGather(send: usize, receive: usize, count: usize, element: i32, root: i32, communicator: usize, stream: usize) {
        call((element, communicator, stream), count, (send, receive), |of| Ok(CallKind::Gather(rank_of(of, root, "root")?)))
    }

    fn ncclScatter(send: usize, receive: usize, count: usize, element: i32, root: i32, communicator: usize, stream: usize) {
        call((element, communicator, stream), count, (send, receive), |of| Ok(CallKind::Scatter(rank_of(of, root, "root")?)))
    }

    fn ncclSend(send: usize, count: usize, element: i32, peer: i32, communicator: usize, stream: usize) {
        message((element, communicator, stream), count, send, peer, true)
    }

    fn ncclRecv(receive: usize, count: usize, element: i32, peer: i32, communicator: usize, stream: usize) {
        message((element, communicator, stream), count, receive, peer, false)
    }

    fn ncclRedOpCreatePreMulSum(reduction: Out<'_, i32>, scalar: In<'_, u8>, element: i32, residence: i32, communicator: usize) {
        let (communicator, element) = (get(communicator)?, element_of(element)?);
        let factor = match residence {
            _ if scalar.is_null() => return refuse(Status::InvalidArgument, "the scalar's pointer is null"),
            0 => Factor::Device(Memory { at: scalar.address(), bytes: element.bytes() }),
            // SAFETY: `residence` is 1, so the scalar is on the host, and by NCCL's documentation it has the type
            // `element`.
            1 => Factor::Host(unsafe { scalar.bytes(element.bytes()) }.to_vec()),
            _ => return refuse(Status::InvalidArgument, format!("{residence} is not an ncclScalarResidence_t")),
        };
        store(reduction, communicator.add_factor(element, factor))
    }

    fn ncclRedOpDestroy(reduction: i32, communicator: usize) {
        match get(communicator)?.remove_factor(reduction) {
            true => Ok(()),
            false => refuse(Status::InvalidArgument, format!("{reduction} is not a user-defined reduction of this communicator")),
        }
    }
}

/// Handles of registered memory.
static ANNOUNCED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

fn announced<T>(use_it: impl FnOnce(&mut BTreeSet<usize>) -> T) -> T {
    use_it(&mut ANNOUNCED.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

/// Registers memory of a communicator's device.
fn announce(communicator: usize, memory: Memory, to: Out<'_, usize>) -> Result {
    let communicator = get(communicator)?;
    communicator.place.enter(|| memory.check("the registered memory"))?;
    let handle = announced(|handles| {
        let handle = handles.last().map_or(0x3000_0000, |last| last + 16);
        handles.insert(handle);
        handle
    });
    store(to, handle)
}

fn withdraw(communicator: usize, handle: usize) -> Result {
    get(communicator)?;
    match handle == 0 || announced(|handles| handles.remove(&handle)) {
        true => Ok(()),
        false => refuse(Status::InvalidArgument, format!("{handle:#x} is not registered memory")),
    }
}

calls! {
    "NCCL", Failure;

    fn ncclMemAlloc(to: Out<'_, u64>, bytes: usize) {
        let at = DeviceContext::current()?.enter(|| allocate(bytes))?;
        store(to, at)
    }

    fn ncclMemFree(at: u64) {
        if at == 0 { Ok(()) } else { Ok(DeviceContext::current()?.enter(|| free(at))?) }
    }

    fn ncclCommRegister(communicator: usize, at: usize, bytes: usize, to: Out<'_, usize>) {
        announce(communicator, Memory { at, bytes }, to)
    }

    fn ncclCommDeregister(communicator: usize, handle: usize) { withdraw(communicator, handle) }

    fn ncclCommWindowRegister(communicator: usize, at: usize, bytes: usize, to: Out<'_, usize>, _flags: i32) {
        announce(communicator, Memory { at, bytes }, to)
    }

    fn ncclCommWindowDeregister(communicator: usize, handle: usize) { withdraw(communicator, handle) }
}

unsupported! {
    "NCCL", refuse, Status::InvalidUsage;

    "the stand-in has collectives and messages called from the host":
    ncclAllGatherConfig ncclAllReduceConfig ncclAlltoAllConfig ncclBroadcastConfig ncclCommGetUniqueId ncclCommGrow ncclCommMemStats
    ncclCommQueryProperties ncclCommResume ncclCommRevoke ncclCommShrink ncclCommSuspend ncclDevCommCreate ncclDevCommDestroy
    ncclGatherConfig ncclGetCftDeviceLeInfo ncclGetLsaDevicePointer ncclGetLsaMultimemDevicePointer ncclGetMultimemDeviceLeInfo
    ncclGetMultimemDevicePointer ncclGetPeerDeviceLeInfo ncclGetPeerDevicePointer ncclGinBarrierCreateRequirement
    ncclGinInboxA2ACreateRequirement ncclGinOutboxCreateRequirement ncclGroupSimulateEnd ncclLLA2ACalcSlots ncclLLA2ACreateRequirement
    ncclLsaBarrierCreateRequirement ncclPutSignal ncclReduceConfig ncclReduceScatterConfig ncclScatterConfig ncclSetEncryption
    ncclSignal ncclTeamLsa ncclTeamRail ncclTeamRankToLsa ncclTeamRankToWorld ncclTeamWorld ncclWaitSignal ncclWinGetUserPtr;
}
