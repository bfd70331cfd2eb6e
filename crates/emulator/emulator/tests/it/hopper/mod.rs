//! mbarriers, bulk copies and clusters used wrongly. What compilers make of them runs in the tests of the
//! crate `lanework`, on a GPU too.

mod maps;
mod watched;
mod wrong;

use lanework_emulator::{
    Emulator, Fault, LaunchConfig, NullObserver, Options, Outcome, Program, Schedule,
};
use std::sync::Arc;

/// Emulators that must agree: the fast engine, the slow one, and other orders of turns.
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

/// A launch: entry, grid, block, cluster, dynamic shared memory.
pub fn shape(entry: &str, grid: u32, block: u32, cluster: Option<u32>) -> LaunchConfig<'_> {
    LaunchConfig {
        cluster: cluster.map(|x| [x, 1, 1]),
        ..LaunchConfig::new(entry, [grid, 1, 1], [block, 1, 1])
    }
}

/// Runs a kernel whose arguments are given as bytes.
pub fn run(
    emulator: &Emulator,
    program: &Arc<Program>,
    launch: &LaunchConfig<'_>,
    arguments: &[Vec<u8>],
) -> Result<Outcome, Fault> {
    let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
    emulator.launch(program, launch, &arguments, &mut NullObserver)
}

/// An address as an argument.
pub fn pointer(address: u64) -> Vec<u8> {
    address.to_le_bytes().to_vec()
}
