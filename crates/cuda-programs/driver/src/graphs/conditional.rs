//! Conditional nodes of graphs.

use crate::api::api;
use crate::graphs::work::{Graph, Work};
use crate::handles::Handle;
use crate::pointers::store;
use crate::state::{driver, table};
use crate::status::{Result, Status};

/// `CUDA_CONDITIONAL_NODE_PARAMS`.
#[repr(C)]
pub struct Conditional {
    handle: u64,
    /// 0 if, 1 while, 2 switch.
    kind: i32,
    count: u32,
    /// Where the node's bodies are told.
    bodies: *const Handle,
    context: Handle,
}

/// Bodies of a node at most.
const MOST_BODIES: u32 = 1 << 16;

/// The work of a conditional node of a graph, with empty bodies, which the parameters are told.
///
/// # Safety
/// `parameters` is null, which is refused, or valid.
pub unsafe fn conditional(graph: Handle, parameters: *mut Conditional) -> Result<Work> {
    // SAFETY: by the caller.
    let parameters = unsafe { parameters.as_mut() }.ok_or(Status::InvalidValue)?;
    let Conditional { handle, kind, count, .. } = *parameters;
    let fits = match kind {
        0 => (1..=2).contains(&count),
        1 => count == 1,
        2 => (1..=MOST_BODIES).contains(&count),
        _ => false,
    };
    if !fits || !driver()?.has_condition(graph, handle) {
        return Err(Status::InvalidValue);
    }
    let bodies: Vec<Handle> = (0..count).map(|_| table::<Graph>().add(Graph::default())).collect();
    // The array is the driver's for as long as the node lives, which nobody tells.
    parameters.bodies = Box::leak(bodies.clone().into_boxed_slice()).as_ptr();
    Ok(Work::Conditional { handle, kind, bodies })
}

api! {
    fn cuGraphConditionalHandleCreate(handle: *mut u64, graph: Handle, _context: Handle, value: u32, flags: u32) {
        table::<Graph>().get(graph)?;
        // 1: each launch begins with the value.
        let made = driver()?.make_condition(graph, (flags & 1 != 0).then_some(value))?;
        // SAFETY: by the caller.
        unsafe { store(handle, made) }
    }
}
