//! Misuse of mbarriers, bulk copies and clusters. The tests of the crate `lanework` run compiled kernels with
//! them, also on a GPU.

mod maps;
mod watched;
mod wrong;

use lanework_emulator::{
    Emulator, Fault, LaunchConfig, NullObserver, Options, Outcome, Program, Schedule,
};
use std::sync::Arc;

/// Emulators that must agree: the fast engine, the slow one, and different schedules.
pub fn emulators() -> Vec<Emulator> {
    let base = Options { max_instructions: Some(1 << 20), ..Options::default() };
    let mut all = vec![
        Emulator::new(base.clone()),
        Emulator::new(Options { all_varying: true, ..base.clone() }),
    ];
    for seed in 1..6 {
        let schedule = Schedule::Seeded(seed);
        all.push(Emulator::new(Options { schedule, ..base.clone() }));
    }
    all
}

/// Launch configuration with an entry, grid, block and cluster.
pub fn shape(entry: &str, grid: u32, block: u32, cluster: Option<u32>) -> LaunchConfig<'_> {
    LaunchConfig {
        cluster: cluster.map(|x| [x, 1, 1]),
        ..LaunchConfig::new(entry, [grid, 1, 1], [block, 1, 1])
    }
}

/// Runs a kernel, given the bytes of its arguments.
pub fn run(
    emulator: &Emulator,
    program: &Arc<Program>,
    launch: &LaunchConfig<'_>,
    arguments: &[Vec<u8>],
) -> Result<Outcome, Fault> {
    let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
    emulator.launch(program, launch, &arguments, &mut NullObserver)
}

/// The bytes of an address argument.
pub fn pointer(address: u64) -> Vec<u8> {
    address.to_le_bytes().to_vec()
}
