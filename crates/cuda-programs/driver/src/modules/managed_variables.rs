//! The `__managed__` variables of loaded modules, which the host accesses, too.

use lanework::PtxModule;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Address and size of the `__managed__` variables of all loaded modules.
static VARIABLES: Mutex<BTreeMap<u64, u64>> = Mutex::new(BTreeMap::new());

fn variables() -> MutexGuard<'static, BTreeMap<u64, u64>> {
    VARIABLES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The `__managed__` variables of a module, while it is loaded.
pub struct ManagedVariables(Vec<u64>);

impl ManagedVariables {
    /// Those of a module.
    pub fn of(code: &PtxModule) -> ManagedVariables {
        let managed = |one: &String| one.contains("managed");
        let named = code.module().variables().filter(|one| one.attributes.iter().any(managed));
        let found: Vec<(u64, u64)> = named.filter_map(|one| code.variable(&one.name)).collect();
        variables().extend(found.iter().copied());
        ManagedVariables(found.into_iter().map(|(start, _)| start).collect())
    }
}

impl Drop for ManagedVariables {
    fn drop(&mut self) {
        let mut all = variables();
        all.retain(|start, _| !self.0.contains(start));
    }
}

/// The start and size of the `__managed__` variables that have bytes between two addresses. Each has its own pages.
pub fn variables_in(low: u64, high: u64) -> Vec<(u64, u64)> {
    let all = variables();
    let before = all.range(..low).next_back().filter(|(start, bytes)| low - **start < **bytes);
    let inside = all.range(low..high.max(low));
    before.into_iter().chain(inside).map(|(start, bytes)| (*start, *bytes)).collect()
}
