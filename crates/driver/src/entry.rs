//! What the driver knows of an entry of a module, found once per module: its parameters, its directives and its estimated resources.

use crate::attributes;
use lanework::ptx::{Function, FunctionDirective};
use lanework::{PtxModule, Resources};

/// An entry.
pub struct Entry {
    /// Place and size of each parameter in the buffer of all.
    pub parameters: Vec<(usize, usize)>,
    /// Most threads of a block that its directives allow.
    pub max_threads: u32,
    /// The shape of cluster that it requires.
    pub cluster: Option<[u32; 3]>,
    pub resources: Resources,
}

impl Entry {
    /// The entry of a name.
    pub fn of(code: &PtxModule, name: &str) -> Option<Entry> {
        let entry = code.module().entry(name)?;
        let cluster = entry.directives.iter().find_map(|directive| match directive {
            FunctionDirective::RequiredCluster(cluster) => Some(*cluster),
            _ => None,
        });
        let unknown = Resources { registers: 0, local_bytes: 0, estimated: true, static_shared: 0 };
        let mut resources = code.resources(name).unwrap_or(unknown);
        for directive in &entry.directives {
            // What does not fit the limit lies in local memory.
            if let FunctionDirective::MaxRegisters(most) = directive {
                resources.local_bytes += 4 * resources.registers.saturating_sub(*most);
                resources.registers = resources.registers.min(*most);
            }
        }
        Some(Entry {
            parameters: offsets(entry),
            max_threads: entry.max_threads().unwrap_or(attributes::BLOCK),
            cluster,
            resources,
        })
    }

    /// Most threads of a block, by its directives and the registers of a multiprocessor.
    pub fn most_threads(&self) -> u32 {
        let by_registers = 65_536 / self.resources.registers.max(1).next_multiple_of(8) / 32 * 32;
        self.max_threads.min(by_registers.max(32)).min(attributes::BLOCK)
    }
}

/// Place and size of each parameter.
fn offsets(entry: &Function) -> Vec<(usize, usize)> {
    let place = |end: &mut usize, parameter: &lanework::ptx::Variable| {
        let at = end.next_multiple_of(parameter.alignment().max(1) as usize);
        *end = at + parameter.size() as usize;
        Some((at, parameter.size() as usize))
    };
    entry.params.iter().scan(0, place).collect()
}
