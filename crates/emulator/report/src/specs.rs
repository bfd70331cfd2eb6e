//! Models of GPUs from the table of GPU specifications.

use crate::Machine;
use lanework_emulator::Multiprocessor;
use lanework_gpu_specs::{Architecture, Gpu, specs};

/// The limits of one multiprocessor of a compute capability.
pub fn multiprocessor(architecture: &Architecture) -> Multiprocessor {
    Multiprocessor {
        threads: architecture.threads_per_sm,
        blocks: architecture.blocks_per_sm,
        registers: architecture.registers_per_sm,
        shared: architecture.shared_per_sm,
    }
}

/// The occupancy and cache model of a GPU of the table.
pub fn machine(gpu: &Gpu) -> Machine {
    let architecture = specs().architecture(gpu.capability());
    Machine {
        name: gpu.name.clone(),
        multiprocessors: gpu.multiprocessors,
        holds: multiprocessor(architecture),
        l1_bytes: architecture.l1_per_sm.into(),
        l2_bytes: u64::from(gpu.l2_mb) << 20,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_models_are_those_of_the_table() {
        assert_eq!(machine(specs().gpu("H200").expect("known")), Machine::h200());
        assert_eq!(multiprocessor(specs().architecture((9, 0))), Multiprocessor::HOPPER);
    }
}
