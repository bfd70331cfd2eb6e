//! Conditions of graphs: words that kernels set, and that decide whether, how often or which body of a conditional node runs. A condition's
//! handle is the address of its word, which kernels write by [`SET`].

use crate::handles::Handle;
use crate::lock::lock;
use crate::memory::allocations::Kind;
use crate::state::Driver;
use crate::status::{Result, Status};
use std::collections::BTreeMap;
use std::sync::Mutex;

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
        let handle = self.allocate(4, Kind::Device, 0, 0)?;
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
