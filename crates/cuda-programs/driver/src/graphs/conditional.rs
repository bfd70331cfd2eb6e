//! Conditional nodes of graphs.

use crate::api::api;
use crate::graphs::work::{Graph, Work};
use crate::handles::Handle;
use crate::pointers::{Out, abi};
use crate::state::{driver, table};
use crate::status::{Result, Status};

/// `CUDA_CONDITIONAL_NODE_PARAMS`.
#[derive(Clone, Copy)]
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

abi!(Conditional = 32, 8 { handle: 0, kind: 8, count: 12, bodies: 16, context: 24 });

/// Bodies of a node at most.
const MOST_BODIES: u32 = 1 << 16;

/// The work of a conditional node of a graph, with empty bodies, which the parameters are told.
pub fn conditional(graph: Handle, parameters: Out<'_, Conditional>) -> Result<Work> {
    let given = parameters.get()?;
    let Conditional { handle, kind, count, .. } = given;
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
    let kept = Box::leak(bodies.clone().into_boxed_slice());
    parameters.store(Conditional { bodies: kept.as_ptr(), ..given })?;
    Ok(Work::Conditional { handle, kind, bodies })
}

api! {
    fn cuGraphConditionalHandleCreate(handle: Out<'_, u64>, graph: Handle, _context: Handle, value: u32, flags: u32) {
        table::<Graph>().get(graph)?;
        // 1: each launch begins with the value.
        let made = driver()?.make_condition(graph, (flags & 1 != 0).then_some(value))?;
        handle.store(made)
    }
}
