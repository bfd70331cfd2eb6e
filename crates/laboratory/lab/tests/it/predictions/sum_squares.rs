//! Predictions of the sum-squares rungs: for each rung that is faster than the previous one, a counter shows why.

use lanework::emulator::Blocks;
use lanework::{Counters, Device};
use lanework_lab::{Draw, draw_numbers};
use lanework_ladders::sum_squares::{BLOCKS, Cycles, LadderElement, Numbers, THREADS};

const N: u64 = 1 << 19;
/// Warp requests that read 4-byte numbers once each.
const REQUESTS: u64 = N / 32;
/// Warps of the rungs with a fixed number of blocks.
const WARPS: u64 = (BLOCKS * THREADS / 32) as u64;
/// Blocks of those rungs.
const B: u64 = BLOCKS as u64;
/// Threads of a block.
const T: u64 = THREADS as u64;

/// Counters and clock of one rung. On the emulator the clock counts the instructions of a warp.
struct Run {
    counters: Counters,
    cycles: Cycles,
}

fn run<E: LadderElement>(name: &str) -> Run {
    let device = Device::emulator();
    let src: Vec<E> = draw_numbers(N as usize, Draw::Notes, 3);
    let mut numbers = Numbers::new(&device, &src, THREADS).expect("memory");
    let rung = E::rungs().into_iter().find(|rung| rung.info.name == name).expect(name);
    let mut kernel = (rung.prepare)(&mut numbers, &device).expect("a kernel");
    let counters = kernel.profile(Blocks::All).expect("a run").counters;
    drop(kernel);
    Run { counters, cycles: numbers.cycles().expect("clocks") }
}

/// Stores of sums, without the two stores of each block's clock.
fn sum_stores(run: &Run, blocks: u64) -> u64 {
    run.counters.global_store.requests - 2 * blocks
}

fn conflicts(run: &Run) -> u64 {
    run.counters.shared_load.bank_conflicts + run.counters.shared_store.bank_conflicts
}

fn shared_requests(run: &Run) -> u64 {
    run.counters.shared_load.requests + run.counters.shared_store.requests
}

#[test]
fn one_thread_makes_a_request_for_each_number() {
    let Run { counters, .. } = run::<f32>("one-thread");
    assert_eq!(counters.warp_instructions, counters.lane_instructions);
    assert_eq!((counters.global_load.requests, counters.global_load.sectors), (N, N));
}

#[test]
fn chunked_uses_all_lanes_but_touches_32_sectors_a_request() {
    let Run { counters, .. } = run::<f32>("chunked");
    assert!(counters.lane_instructions > 31 * counters.warp_instructions);
    assert_eq!(counters.global_load.requests, REQUESTS);
    assert_eq!(counters.global_load.sectors_per_request(), 32.0);
}

#[test]
fn interleaved_touches_4_sectors_a_request() {
    let (before, now) = (run::<f32>("chunked"), run::<f32>("interleaved"));
    assert_eq!(now.counters.global_load.requests, before.counters.global_load.requests);
    assert_eq!(now.counters.global_load.sectors_per_request(), 4.0);
    assert_eq!(run::<f64>("interleaved").counters.global_load.sectors_per_request(), 8.0);
}

#[test]
fn many_blocks_leave_a_warp_a_32nd_of_the_instructions() {
    let (before, now) = (run::<f32>("interleaved"), run::<f32>("many-blocks"));
    let per_warp = |run: &Run, warps| run.counters.warp_instructions as f64 / warps as f64;
    let ratio = per_warp(&before, T / 32) / per_warp(&now, WARPS);
    assert!((30.0..=32.0).contains(&ratio), "{ratio}");
    assert!(before.cycles.longest > 30 * now.cycles.longest);
    assert_eq!(now.counters.global_load, before.counters.global_load);
    assert_eq!(sum_stores(&now, B), WARPS);
}

#[test]
fn block_serial_leaves_one_sum_a_block_at_the_price_of_a_long_walk() {
    let (before, now) = (run::<f32>("many-blocks"), run::<f32>("block-serial"));
    assert_eq!(sum_stores(&now, B), B);
    assert_eq!(now.counters.global_load, before.counters.global_load);
    assert_eq!(now.counters.shared_load.requests, B * (T - 1));
    assert!(now.cycles.longest > before.cycles.longest + 4 * (T - 1));
}

#[test]
fn tree_interleaved_shortens_the_walk_and_keeps_all_warps_busy() {
    let (before, now) = (run::<f32>("block-serial"), run::<f32>("tree-interleaved"));
    assert!(now.cycles.longest < before.cycles.longest - 4 * (T - 1) + 200);
    assert!(now.counters.warp_instructions < before.counters.warp_instructions);
    // Steps with offsets 1 to 16 keep all 8 warps busy, then 4, 2 and 1; two loads and a store each,
    // and one load for the result.
    let busy = B * (5 * 8 + 4 + 2 + 1);
    assert_eq!(now.counters.shared_load.requests, 2 * busy + B);
    assert_eq!(now.counters.shared_store.requests, busy + WARPS);
}

#[test]
fn tree_interleaved_has_no_bank_conflicts() {
    assert_eq!(conflicts(&run::<f32>("tree-interleaved")), 0);
    // Sums of 8 bytes take at most two passes per warp. If every second lane is idle, the hardware counts one of them
    // as a conflict.
    let wide = run::<i32>("tree-interleaved").counters;
    assert!(wide.shared_load.wavefronts <= 2 * wide.shared_load.requests);
    assert_eq!(wide.shared_store.bank_conflicts, 0);
}

#[test]
fn tree_strided_frees_warps_but_banks_conflict() {
    let (before, now) = (run::<f32>("tree-interleaved"), run::<f32>("tree-strided"));
    // Busy warps per step: 4, 2, 1, then a part of one.
    let busy = B * (4 + 2 + 6);
    assert_eq!(now.counters.shared_load.requests, 2 * busy + B);
    assert!(3 * now.counters.shared_load.requests < before.counters.shared_load.requests);
    // 2-, 4- and three times 8-way, then 4- and 2-way: two loads and a store each.
    let ways = 4 + 2 * 3 + 3 * 7 + 3 + 1;
    assert_eq!(conflicts(&now), B * 3 * ways);
}

#[test]
fn tree_halving_has_no_conflicts_at_as_few_requests() {
    let (before, now) = (run::<f32>("tree-strided"), run::<f32>("tree-halving"));
    assert_eq!(conflicts(&now), 0);
    assert_eq!(shared_requests(&now), shared_requests(&before));
    assert!(now.cycles.longest < run::<f32>("tree-interleaved").cycles.longest);
}

#[test]
fn tree_unrolled_runs_fewer_instructions() {
    let (before, now) = (run::<f32>("tree-halving"), run::<f32>("tree-unrolled"));
    assert!(now.counters.warp_instructions < before.counters.warp_instructions);
    assert_eq!(shared_requests(&now), shared_requests(&before));
    assert!(now.cycles.longest < before.cycles.longest);
}

#[test]
fn warp_shuffle_needs_one_store_a_warp_and_2_barriers() {
    let (before, now) = (run::<f32>("tree-unrolled"), run::<f32>("warp-shuffle"));
    assert_eq!(now.counters.shared_store.requests, WARPS);
    assert_eq!(now.counters.shared_load.requests, B);
    assert_eq!((before.counters.barriers, now.counters.barriers), (10 * WARPS, 2 * WARPS));
}

#[test]
fn several_loads_make_a_quarter_of_the_requests() {
    let (before, now) = (run::<f32>("warp-shuffle"), run::<f32>("several-loads"));
    assert_eq!(now.counters.global_load.requests, REQUESTS / 4);
    assert_eq!(now.counters.global_load.sectors_per_request(), 16.0);
    assert!(2 * now.cycles.longest < before.cycles.longest);
}

#[test]
fn single_pass_leaves_one_sum_for_one_atomic_a_block() {
    let (before, now) = (run::<f32>("several-loads"), run::<f32>("single-pass"));
    let blocks = now.counters.global_atomic.requests;
    assert_eq!(blocks, before.counters.global_store.requests / 3);
    // One sum per block, the total, and two clocks per block.
    assert_eq!(now.counters.global_store.requests, 3 * blocks + 1);
    let more = now.counters.global_load.sectors - before.counters.global_load.sectors;
    assert!(more <= blocks, "{more}");
}

#[test]
fn eight_loads_read_the_same_by_fewer_blocks() {
    let (before, now) = (run::<f32>("single-pass"), run::<f32>("eight-loads"));
    let blocks = now.counters.global_atomic.requests;
    assert_eq!(blocks, N / (4 * 8 * 256));
    // Warps that read the blocks' sums.
    let numbers = now.counters.global_load.requests - blocks.div_ceil(32);
    assert_eq!(numbers, REQUESTS / 4);
    assert!(before.counters.global_load.requests >= numbers);
}

#[test]
fn announced_sums_need_no_atomics() {
    let (before, now) = (run::<f32>("eight-loads"), run::<f32>("announced"));
    assert_eq!(now.counters.global_atomic.requests, 0);
    let blocks = before.counters.global_atomic.requests;
    // One word per block except the last, whose warps reset the words; the total, and two clocks per block.
    let stores = blocks - 1 + (blocks - 1).div_ceil(32) + 1 + 2 * blocks;
    assert_eq!(now.counters.global_store.requests, stores);
    assert!(now.counters.global_load.requests >= REQUESTS / 4 + (blocks - 1).div_ceil(32));
}

#[test]
fn bulk_copies_leave_no_global_loads_to_the_threads() {
    let now = run::<f32>("bulk-copies").counters;
    let blocks = now.global_atomic.requests;
    assert_eq!(now.global_load.requests, blocks.div_ceil(32)); // of the sums of the blocks
    assert!(now.shared_load.requests >= REQUESTS / 4);
    assert_eq!(now.shared_load.bank_conflicts, 0);
}

#[test]
fn the_library_reads_the_same_without_atomics_and_clocks() {
    let now = run::<f32>("library").counters;
    assert_eq!(now.global_atomic.requests, 0);
    assert!(now.global_load.requests < REQUESTS / 4 + REQUESTS / 100);
    let before = run::<f32>("announced").counters;
    assert!(now.global_store.requests < before.global_store.requests);
}
