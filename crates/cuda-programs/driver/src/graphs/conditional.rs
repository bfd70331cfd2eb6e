//! Conditional nodes: their bodies, and the conditions that kernels set.

use crate::api::api;
use crate::graphs::work::{Graph, Work};
use crate::memory::allocations::AllocationKind;
use crate::pointers::*;
use crate::state::{Driver, Handle, driver, lock, table};
use crate::status::{Result, Status};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// `CUDA_CONDITIONAL_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ConditionalParameters {
    handle: u64,
    /// 0 if, 1 while, 2 switch.
    kind: i32,
    count: u32,
    /// Receives the array of body graphs.
    bodies: *const Handle,
    context: Handle,
}

abi!(ConditionalParameters = 32, 8 { handle: 0, kind: 8, count: 12, bodies: 16, context: 24 });

/// Maximum number of bodies per node.
const MOST_BODIES: u32 = 1 << 16;

/// The work of a new conditional node. Its bodies are new empty graphs, which are stored in the parameters.
pub fn conditional(graph: Handle, parameters: Out<'_, ConditionalParameters>) -> Result<Work> {
    let given = parameters.get()?;
    let ConditionalParameters { handle, kind, count, .. } = given;
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
    // The array is leaked: CUDA keeps it valid for the lifetime of the node, and nodes are shared.
    let kept = Box::leak(bodies.clone().into_boxed_slice());
    parameters.store(ConditionalParameters { bodies: kept.as_ptr(), ..given })?;
    Ok(Work::Conditional { handle, kind, bodies })
}

/// PTX of the function that kernels call to set a condition. (On a GPU the driver provides it.)
pub const SET: &str = ".version 7.0\n.target sm_70\n.address_size 64
.visible .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value) {
    .reg .b32 %r; .reg .b64 %rd;
    ld.param.b64 %rd, [handle];
    ld.param.b32 %r, [value];
    st.global.u32 [%rd], %r;
    ret;
}
";

/// Conditions by handle: the graph they belong to, and the value at launch.
static CONDITIONS: Mutex<BTreeMap<u64, (Handle, Option<u32>)>> = Mutex::new(BTreeMap::new());

impl Driver {
    /// Creates a condition of a graph.
    fn make_condition(&self, graph: Handle, at_launch: Option<u32>) -> Result<u64> {
        let handle = self.allocate(4, AllocationKind::Device, 0, 0)?;
        self.write(handle, &at_launch.unwrap_or(0).to_le_bytes())?;
        lock(&CONDITIONS).insert(handle, (graph, at_launch));
        Ok(handle)
    }

    /// Whether a handle is a condition of a graph.
    fn has_condition(&self, graph: Handle, handle: u64) -> bool {
        lock(&CONDITIONS).get(&handle).is_some_and(|(of, _)| *of == graph)
    }

    /// Resets a condition to its value at launch.
    pub fn reset_condition(&self, handle: u64) -> Result {
        match lock(&CONDITIONS).get(&handle).copied() {
            Some((_, Some(value))) => self.write(handle, &value.to_le_bytes()),
            Some((_, None)) => Ok(()),
            None => Err(Status::InvalidValue),
        }
    }

    /// The value of a condition.
    pub fn condition(&self, handle: u64) -> Result<u32> {
        let mut bytes = [0; 4];
        self.read(handle, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }
}

api! {
    fn cuGraphConditionalHandleCreate(handle: Out<'_, u64>, graph: Handle, _context: Handle, value: u32, flags: u32) {
        table::<Graph>().some(graph)?;
        // Flag 1: assign the default value at each launch.
        let made = driver()?.make_condition(graph, (flags & 1 != 0).then_some(value))?;
        handle.store(made)
    }
}
