//! Groups: the calls between `ncclGroupStart` and `ncclGroupEnd` start together at the end. Each communicator's calls
//! run in their own thread, because they wait for each other. A call outside a group is a group of one.

use crate::collectives::Work;
use crate::communicator::Communicator;
use crate::status::{Failure, Result, Status, refuse};
use lanework_standin::{Answer, capture, is_captured};
use std::cell::RefCell;
use std::sync::Arc;

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
pub fn start() {
    GROUP.with_borrow_mut(|group| group.depth += 1);
}

/// Ends a group and runs its calls.
///
/// # Errors
/// If no group was started, or a call was refused; errors of its calls.
pub fn end() -> Result {
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
        Some(Group { tasks, refused: None, .. }) => run(tasks),
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
    now.map_or(Ok(()), |task| run(vec![task?]))
}

/// A communicator's tasks.
type Lane = (Arc<Communicator>, Vec<Task>);

/// Runs all tasks; communicators are created first.
fn run(tasks: Vec<Task>) -> Result {
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
