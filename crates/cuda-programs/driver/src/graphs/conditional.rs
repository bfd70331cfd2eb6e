//! Conditional nodes: their bodies, and the conditions that kernels set.

use crate::api::api;
use crate::graphs::work::{Graph, Work};
use crate::handles::Handle;
use crate::memory::allocations::AllocationKind;
use crate::pointers::{Out, abi};
use crate::state::{Driver, driver, lock, table};
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
    /// Where the node's bodies are told.
    bodies: *const Handle,
    context: Handle,
}

abi!(ConditionalParameters = 32, 8 { handle: 0, kind: 8, count: 12, bodies: 16, context: 24 });

/// Bodies of a node at most.
const MOST_BODIES: u32 = 1 << 16;

/// The work of a conditional node of a graph, with empty bodies, which the parameters are told.
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
    // The array is the driver's for as long as the node lives, which nobody tells.
    let kept = Box::leak(bodies.clone().into_boxed_slice());
    parameters.store(ConditionalParameters { bodies: kept.as_ptr(), ..given })?;
    Ok(Work::Conditional { handle, kind, bodies })
}

/// What kernels call to set a condition, as PTX: a GPU's driver has it in itself.
pub const SET: &str = ".version 7.0\n.target sm_70\n.address_size 64
.visible .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value) {
    .reg .b32 %r; .reg .b64 %rd;
    ld.param.b64 %rd, [handle];
    ld.param.b32 %r, [value];
    st.global.u32 [%rd], %r;
    ret;
}
";

/// Conditions by their handles, with the graph whose nodes they are for, and the value that a launch of it gives them.
static CONDITIONS: Mutex<BTreeMap<u64, (Handle, Option<u32>)>> = Mutex::new(BTreeMap::new());

impl Driver {
    /// Makes a condition of a graph.
    pub fn make_condition(&self, graph: Handle, at_launch: Option<u32>) -> Result<u64> {
        let handle = self.allocate(4, AllocationKind::Device, 0, 0)?;
        self.write(handle, &at_launch.unwrap_or(0).to_le_bytes())?;
        lock(&CONDITIONS).insert(handle, (graph, at_launch));
        Ok(handle)
    }

    /// Whether a handle is that of a condition of a graph.
    pub fn has_condition(&self, graph: Handle, handle: u64) -> bool {
        lock(&CONDITIONS).get(&handle).is_some_and(|(of, _)| *of == graph)
    }

    /// Gives a condition the value that it has when its graph is launched.
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
        table::<Graph>().get(graph)?;
        // 1: each launch begins with the value.
        let made = driver()?.make_condition(graph, (flags & 1 != 0).then_some(value))?;
        handle.store(made)
    }
}
