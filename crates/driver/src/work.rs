//! What can be queued, and graphs of it: nodes with an order, done one after the other, each after those it depends on.

use crate::event::Event;
use crate::handles::Handle;
use crate::launch::Launch;
use crate::lock::lock;
use crate::state::{Driver, driver, table};
use crate::status::{Result, Status};
use crate::transfer::{Box3D, Fill};
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard};

/// What a node does.
#[derive(Clone)]
pub enum Work {
    Nothing,
    Launch(Launch, Vec<Vec<u8>>),
    Copy(Box3D),
    Fill(Fill),
    Host(HostFunction, usize),
    Record(Handle),
    Wait(Handle),
    Graph(Handle),
    /// Gives an address its memory, of so many bytes.
    Allocate(u64, usize),
    /// Takes the memory of an address away.
    Release(u64),
    /// Runs bodies by a condition: 0 if, 1 while, 2 switch.
    Conditional {
        handle: u64,
        kind: i32,
        bodies: Vec<Handle>,
    },
}

pub type HostFunction = unsafe extern "C" fn(data: *mut c_void);

/// A node of a graph.
pub struct Node {
    pub graph: Handle,
    work: Mutex<Work>,
    pub enabled: Mutex<bool>,
    /// Where the arguments are that a program was last shown.
    pub shown: Mutex<Vec<usize>>,
}

/// A graph: its nodes in the order they were made, each with those it depends on.
#[derive(Default)]
pub struct Graph {
    pub nodes: Mutex<Vec<(Handle, Vec<Handle>)>>,
    /// User objects that it holds, with the number of references.
    pub objects: Mutex<Vec<(Handle, u32)>>,
    /// Of a copy: the original's nodes, each with its own.
    pub copied: Mutex<Vec<(Handle, Handle)>>,
}

/// A graph ready to run: its work in an order that respects the dependencies, with the nodes it was made from.
pub struct Executable {
    pub steps: Mutex<Vec<(Handle, Work)>>,
    /// User objects that it holds, with the number of references.
    pub objects: Vec<(Handle, u32)>,
}

impl Node {
    pub fn work(&self) -> MutexGuard<'_, Work> {
        lock(&self.work)
    }
}

impl Work {
    /// The kind of node (`CUgraphNodeType`).
    pub fn kind(&self) -> i32 {
        match self {
            Work::Launch(..) => 0,
            Work::Copy(_) => 1,
            Work::Fill(_) => 2,
            Work::Host(..) => 3,
            Work::Graph(_) => 4,
            Work::Nothing => 5,
            Work::Wait(_) => 6,
            Work::Record(_) => 7,
            Work::Allocate(..) => 10,
            Work::Release(_) => 11,
            Work::Conditional { .. } => 13,
        }
    }

    /// Does it.
    ///
    /// # Safety
    /// What it was made from is as C's callers promised, still.
    pub unsafe fn run(&self) -> Result {
        let driver = driver()?;
        match self {
            Work::Nothing | Work::Wait(_) => Ok(()),
            Work::Launch(launch, arguments) => launch.run_with(arguments),
            // SAFETY: by the caller.
            Work::Copy(copy) => unsafe { copy.run() },
            Work::Fill(fill) => fill.run(),
            Work::Host(function, data) => {
                // SAFETY: by the caller.
                unsafe { function(*data as *mut c_void) };
                Ok(())
            }
            Work::Record(event) => {
                table::<Event>().get(*event)?.happen();
                Ok(())
            }
            // SAFETY: by the caller.
            Work::Graph(graph) => unsafe { run_graph(*graph) },
            Work::Allocate(address, _) => driver.allocate_for_graph(*address),
            Work::Release(address) => driver.free_of_graph(*address),
            Work::Conditional { handle, kind, bodies } => {
                loop {
                    let value = driver.condition(*handle)?;
                    let body = match kind {
                        2 => bodies.get(value as usize),
                        1 if value == 0 => None,
                        1 => bodies.first(),
                        _ => bodies.get(usize::from(value == 0)),
                    };
                    if let Some(body) = body {
                        // SAFETY: by the caller.
                        unsafe { run_graph(*body) }?;
                    }
                    if *kind != 1 || body.is_none() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Gives the conditions of this and of what it holds the values with which a launch begins.
    pub fn reset(&self) -> Result {
        let (handle, inner) = match self {
            Work::Graph(graph) => (None, std::slice::from_ref(graph)),
            Work::Conditional { handle, bodies, .. } => (Some(handle), &bodies[..]),
            _ => return Ok(()),
        };
        handle.map_or(Ok(()), |handle| driver()?.reset_condition(*handle))?;
        for graph in inner {
            for (node, _) in lock(&table::<Graph>().get(*graph)?.nodes).iter() {
                table::<Node>().get(*node)?.work().reset()?;
            }
        }
        Ok(())
    }
}

/// Runs a graph that is part of another.
///
/// # Safety
/// As [`Work::run`].
unsafe fn run_graph(graph: Handle) -> Result {
    for (_, work) in driver()?.order(&*table::<Graph>().get(graph)?)? {
        // SAFETY: by the caller.
        unsafe { work.run() }?;
    }
    Ok(())
}

impl Driver {
    /// Adds a node to a graph.
    pub fn add_node(&self, graph: Handle, after: &[Handle], work: Work) -> Result<Handle> {
        let of_graph = table::<Graph>().get(graph)?;
        for node in after {
            if table::<Node>().get(*node)?.graph != graph {
                return Err(Status::InvalidValue);
            }
        }
        let (work, enabled, shown) = (Mutex::new(work), Mutex::new(true), Mutex::default());
        let node = table::<Node>().add(Node { graph, work, enabled, shown });
        lock(&of_graph.nodes).push((node, after.to_vec()));
        Ok(node)
    }

    /// The work of a graph, each after what it depends on.
    pub fn order(&self, graph: &Graph) -> Result<Vec<(Handle, Work)>> {
        let nodes = lock(&graph.nodes).clone();
        let (mut done, mut order): (Vec<Handle>, _) = (Vec::new(), Vec::new());
        while done.len() < nodes.len() {
            let ready: Vec<Handle> = nodes
                .iter()
                .filter(|(node, after)| {
                    !done.contains(node) && after.iter().all(|node| done.contains(node))
                })
                .map(|(node, _)| *node)
                .collect();
            if ready.is_empty() {
                return Err(Status::InvalidValue); // a cycle
            }
            for node in ready {
                order.push((node, table::<Node>().get(node)?.work().clone()));
                done.push(node);
            }
        }
        Ok(order)
    }
}
