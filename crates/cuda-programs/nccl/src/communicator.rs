//! Communicators and groups of their calls.
//!
//! A communicator is looked up by its handle: using a destroyed one is an error instead of a dangling pointer.
//!
//! The calls between `ncclGroupStart` and `ncclGroupEnd` start together at the end of the group. Each communicator's calls
//! run in their own thread, because they wait for each other. A call outside a group is a group of one.

use crate::collectives::{self, Factor, Work, number};
use crate::mesh::{
    BYTES, Mesh, Presence, UniqueId, explain, join, settings, stop, timeout, unique_id,
};
use crate::{Failure, Result, Status, refuse};
use lanework_numbers::NumberType;
use lanework_ranks::exchange;
use lanework_ranks::mesh::Waker;
use lanework_ranks::signature::{CallKind, Signature};
use lanework_standin::{Answer, DeviceContext, capture, is_captured};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// One rank of a communicator.
pub struct Communicator {
    pub rank: usize,
    pub size: usize,
    pub place: DeviceContext,
    mesh: Mutex<Mesh>,
    waker: Waker,
    presence: Mutex<Option<Presence>>,
    failed: Mutex<Option<Failure>>,
    /// User-defined reductions, by their numbers from 5 on.
    factors: Mutex<BTreeMap<i32, (NumberType, Factor)>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Communicator {
    fn new(
        place: DeviceContext,
        (mesh, waker): (Mesh, Waker),
        presence: Option<Presence>,
    ) -> Communicator {
        Communicator {
            rank: mesh.rank,
            size: mesh.size(),
            place,
            mesh: Mutex::new(mesh),
            waker,
            presence: Mutex::new(presence),
            failed: Mutex::default(),
            factors: Mutex::default(),
        }
    }

    /// One rank for each of these devices, all in this process.
    pub fn all(places: Vec<DeviceContext>) -> Vec<Communicator> {
        let ranks = Mesh::local(places.len(), settings());
        places
            .into_iter()
            .zip(ranks)
            .map(|(place, rank)| Communicator::new(place, rank, None))
            .collect()
    }

    /// Joins the communicator of a unique id.
    ///
    /// # Errors
    /// If not all ranks arrive.
    pub fn join(
        id: &UniqueId,
        rank: usize,
        size: usize,
        place: DeviceContext,
    ) -> Result<Communicator> {
        let (mesh, waker, presence) = join(id, rank, size, place.device)?;
        Ok(Communicator::new(place, (mesh, waker), Some(presence)))
    }

    /// Runs this rank's part of a call.
    ///
    /// # Errors
    /// Errors of the call; this rank is then stopped.
    pub fn run(&self, work: &Work) -> Result {
        let mut mesh = lock(&self.mesh);
        let done = self.place.enter(|| collectives::run(&mut mesh, work));
        done.map_err(|failure| self.keep(stop(&mut mesh, failure)))
    }

    /// Stops this rank after its own failure.
    pub fn stop(&self, failure: Failure) -> Failure {
        self.keep(stop(&mut lock(&self.mesh), failure))
    }

    fn keep(&self, failure: Failure) -> Failure {
        lock(&self.failed).get_or_insert(failure).clone()
    }

    /// The first failure, if any.
    pub fn failed(&self) -> Option<Failure> {
        lock(&self.failed).clone()
    }

    /// The new communicator of the ranks with this color, ordered by key, then by rank here; `None` without a color.
    ///
    /// # Errors
    /// If ranks disagree, or a rank is missing.
    pub fn split(&self, color: i32, key: i32) -> Result<Option<Communicator>> {
        let found = {
            let mut mesh = lock(&self.mesh);
            divide(&mut mesh, color, key).map_err(|failure| self.keep(stop(&mut mesh, failure)))?
        };
        match found {
            Some((id, rank, size)) => Communicator::join(&id, rank, size, self.place).map(Some),
            None => Ok(None),
        }
    }

    /// Creates a reduction that first multiplies this rank's input, and returns its number.
    pub fn add_factor(&self, element: NumberType, factor: Factor) -> i32 {
        let mut factors = lock(&self.factors);
        let number = factors.last_key_value().map_or(5, |(last, _)| last + 1);
        factors.insert(number, (element, factor));
        number
    }

    pub fn factor(&self, number: i32) -> Option<(NumberType, Factor)> {
        lock(&self.factors).get(&number).cloned()
    }

    pub fn remove_factor(&self, number: i32) -> bool {
        lock(&self.factors).remove(&number).is_some()
    }
}

/// Exchanges colors and keys. Returns the unique id, the new rank and the number of ranks of this color.
fn divide(mesh: &mut Mesh, color: i32, key: i32) -> Result<Option<(UniqueId, usize, usize)>> {
    mesh.settings.timeout = timeout();
    let sequence = mesh.counters.next(None);
    let element = number(NumberType::I8);
    let own = Signature { sequence, kind: CallKind::Split, element, count: 0 };
    let rank = mesh.rank;
    let mut tell = |bytes: Vec<u8>| {
        let (length, data) = (bytes.len(), Arc::new(bytes));
        exchange(mesh, &own, &data, |_| 0..length).map_err(|fault| explain(mesh, fault))
    };
    let told = tell([color.to_le_bytes(), key.to_le_bytes()].concat())?;
    let word = |rank: usize, at: usize| {
        let bytes = told[rank].bytes();
        i32::from_le_bytes(std::array::from_fn(|i| bytes.get(at + i).copied().unwrap_or(0)))
    };
    let same = (0..told.len()).filter(|rank| word(*rank, 0) == color);
    let mut members: Vec<(i32, usize)> = same.map(|rank| (word(rank, 4), rank)).collect();
    members.sort_unstable();
    let place = members.iter().position(|(_, member)| *member == rank);
    let first = members.first().map_or(rank, |(_, first)| *first);
    // The first rank of each color opens a rendezvous for the others.
    let id = if first == rank && color >= 0 { unique_id()?.0.to_vec() } else { Vec::new() };
    let ids = tell(id)?;
    match (color >= 0, place, <[u8; BYTES]>::try_from(ids[first].bytes())) {
        (false, ..) => Ok(None),
        (true, Some(place), Ok(id)) => Ok(Some((UniqueId(id), place, members.len()))),
        _ => refuse(Status::Internal, "the first rank of a color sent no unique id"),
    }
}

type Table = (usize, BTreeMap<usize, Arc<Communicator>>);

fn table() -> MutexGuard<'static, Table> {
    static TABLE: Mutex<Table> = Mutex::new((0, BTreeMap::new()));
    lock(&TABLE)
}

/// Adds a communicator and returns its handle.
pub fn add(communicator: Communicator) -> usize {
    let mut table = table();
    // Aligned like a pointer.
    table.0 += 16;
    let handle = 0x2000_0000 + table.0;
    table.1.insert(handle, Arc::new(communicator));
    handle
}

/// The communicator of a handle.
///
/// # Errors
/// If the handle is unknown.
pub fn get(handle: usize) -> Result<Arc<Communicator>> {
    match table().1.get(&handle) {
        Some(found) => Ok(Arc::clone(found)),
        None => refuse(
            Status::InvalidArgument,
            format!(
                "{handle:#x} is not a communicator; it was not created yet (within a group, ncclGroupEnd creates it), or is already destroyed"
            ),
        ),
    }
}

/// Destroys a communicator: tells the other ranks, and ends this rank's waits.
///
/// # Errors
/// If the handle is unknown.
pub fn destroy(handle: usize, aborts: bool) -> Result {
    let communicator = get(handle)?;
    table().1.remove(&handle);
    if aborts {
        communicator.waker.abort();
    }
    let why =
        if aborts { "its communicator was aborted" } else { "its communicator was destroyed" };
    lock(&communicator.mesh).leave(why);
    *lock(&communicator.presence) = None;
    Ok(())
}

/// Work that may wait for other ranks.
pub type Job = Box<dyn FnOnce() -> Result + Send>;

/// One task of a group.
pub enum Task {
    /// Creates a communicator.
    Make(Job),
    /// Runs a job in the order of a communicator's calls.
    On(Arc<Communicator>, Job),
    /// Runs a rank's part of a call on a stream.
    Call(Arc<Communicator>, usize, Work),
}

#[derive(Default)]
struct Group {
    depth: usize,
    tasks: Vec<Task>,
    /// The first refused call.
    refused: Option<Failure>,
}

thread_local! {
    static GROUP: RefCell<Group> = RefCell::default();
}

/// Starts a group; nested groups add to it.
pub fn start_group() {
    GROUP.with_borrow_mut(|group| group.depth += 1);
}

/// Ends a group and runs its calls.
///
/// # Errors
/// If no group was started, or a call was refused; errors of its calls.
pub fn end_group() -> Result {
    let group = GROUP.with_borrow_mut(|group| {
        group.depth = group.depth.checked_sub(1)?;
        Some(if group.depth == 0 {
            std::mem::take(group)
        } else {
            Group { depth: 1, ..Group::default() }
        })
    });
    match group {
        None => refuse(Status::InvalidUsage, "ncclGroupEnd without ncclGroupStart"),
        Some(Group { depth: 1, .. }) => Ok(()),
        Some(Group { tasks, refused: None, .. }) => run_tasks(tasks),
        Some(Group { tasks, refused: Some(why), .. }) => {
            // Fail the communicators of all tasks, because other ranks would wait for calls that never run.
            for task in tasks {
                if let Task::On(communicator, _) | Task::Call(communicator, ..) = task {
                    communicator.stop(why.clone());
                }
            }
            Err(why)
        }
    }
}

/// Adds a task to the thread's group, or runs it without a group.
///
/// # Errors
/// Why the call is refused; outside of a group, the task's errors.
pub fn submit(task: Result<Task>) -> Result {
    let now = GROUP.with_borrow_mut(|group| match task {
        task if group.depth == 0 => Some(task),
        Ok(task) => {
            group.tasks.push(task);
            None
        }
        Err(why) => {
            group.refused.get_or_insert(why.clone());
            Some(Err(why))
        }
    });
    now.map_or(Ok(()), |task| run_tasks(vec![task?]))
}

/// A communicator's tasks.
type Lane = (Arc<Communicator>, Vec<Task>);

/// Runs all tasks; communicators are created first.
fn run_tasks(tasks: Vec<Task>) -> Result {
    let mut makes: Vec<Job> = Vec::new();
    let mut lanes: Vec<Lane> = Vec::new();
    for task in tasks {
        match task {
            Task::Make(job) => makes.push(job),
            Task::On(ref communicator, _) | Task::Call(ref communicator, ..) => {
                match lanes.iter_mut().find(|(known, _)| Arc::ptr_eq(known, communicator)) {
                    Some((_, tasks)) => tasks.push(task),
                    None => lanes.push((Arc::clone(communicator), vec![task])),
                }
            }
        }
    }
    together(makes)?;
    together(lanes.into_iter().map(|(_, tasks)| -> Job { Box::new(|| lane(tasks)) }).collect())
}

/// Runs jobs that wait for each other, each in a thread.
fn together(mut jobs: Vec<Job>) -> Result {
    let Some(own) = jobs.pop() else { return Ok(()) };
    let mut outcomes = Vec::new();
    std::thread::scope(|scope| {
        let threads: Vec<_> = jobs
            .into_iter()
            .map(|job| std::thread::Builder::new().spawn_scoped(scope, job))
            .collect();
        let own = own();
        for thread in threads {
            outcomes.push(match thread.map(std::thread::ScopedJoinHandle::join) {
                Ok(Ok(outcome)) => outcome,
                Ok(Err(_)) => refuse(Status::Internal, "a thread of the group has panicked"),
                Err(error) => refuse(
                    Status::System,
                    format!("the group has no thread for each rank: {error}"),
                ),
            });
        }
        outcomes.push(own);
    });
    // Prefers the failure of the rank that caused it to failures that other ranks reported.
    let mut failures: Vec<Failure> = outcomes.into_iter().filter_map(Result::err).collect();
    let own = failures.iter().position(|failure| failure.status != Status::Remote).unwrap_or(0);
    if failures.is_empty() { Ok(()) } else { Err(failures.swap_remove(own)) }
}

/// Runs the tasks of one communicator: sends first, since they never wait.
fn lane(mut tasks: Vec<Task>) -> Result {
    let only_sends = |task: &Task| matches!(task, Task::Call(_, _, work) if work.only_sends());
    tasks.sort_by_key(|task| !only_sends(task));
    let mut captured: Vec<(usize, Arc<Communicator>, Vec<Work>)> = Vec::new();
    for task in tasks {
        match task {
            Task::Make(job) | Task::On(_, job) => job()?,
            Task::Call(communicator, stream, work) => {
                let captures = communicator.place.enter(|| is_captured(stream));
                if !captures.map_err(|failure| communicator.stop(failure.into()))? {
                    communicator.run(&work)?;
                    continue;
                }
                match captured.iter_mut().find(|(known, ..)| *known == stream) {
                    Some((.., works)) => works.push(work),
                    None => captured.push((stream, communicator, vec![work])),
                }
            }
        }
    }
    for (stream, communicator, works) in captured {
        let place = communicator.place;
        let node = move || {
            if let Err(failure) = works.iter().try_for_each(|work| communicator.run(work)) {
                failure.code("a node of a graph");
            }
        };
        place.enter(|| capture(stream, node))?;
    }
    Ok(())
}
