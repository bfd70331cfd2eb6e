//! The PTX names of a kernel's registers.

use lanework_emulator::Program;
use lanework_ptx::{Module, StateSpace};
use lanework_ptx_ir::kernel::{MemorySpace, Reg};
use lanework_ptx_ir::lower::{Lowering, LoweringOptions};
use lanework_ptx_ir::module::{Addresses, ModuleNames, PlacedModule, statics};
use std::collections::HashMap;

/// The PTX names of a kernel's registers; empty if the module has no such kernel. `gaps`: whether the program was loaded by an emulator that
/// checks accesses.
pub fn register_names(
    program: &Program,
    module: &Module,
    entry: &str,
    gaps: bool,
) -> HashMap<Reg, String> {
    let Some(function) = module.entry(entry) else { return HashMap::new() };
    let placed = statics(module);
    let addresses: Addresses = placed
        .iter()
        .filter_map(|placed| {
            let (address, _) = program.variable(&placed.key)?;
            let space = match placed.variable.space {
                StateSpace::Const => MemorySpace::Constant,
                _ => MemorySpace::Global,
            };
            Some((placed.key.clone(), (space, address)))
        })
        .collect();
    let names = ModuleNames::new(module);
    let source = PlacedModule { module, names: &names, addresses: &addresses };
    // Lowering numbers registers in the same order each time, but only this call keeps their names.
    let lowered = Lowering::entry(source, function, LoweringOptions { gaps, names: true });
    lowered.map(|kernel| kernel.register_names).unwrap_or_default()
}
