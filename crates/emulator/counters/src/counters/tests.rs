//! Sums, paths and assertions of counters.

use crate::counters::*;

#[test]
fn a_sum_has_the_parts_of_all() {
    let mut one = Counters { barriers: 3, ..Counters::default() };
    one.global_load = Global { requests: 1, sectors: 8, ideal_sectors: 4, ..Global::default() };
    one.global_load.bytes = 128;
    one.shared_copy.wavefronts = 5;
    let sum = Counters::sum([&one, &one]);
    assert_eq!((sum.barriers, sum.global_load.bytes, sum.shared_copy.wavefronts), (6, 256, 10));
    assert_eq!((sum.global_load.sectors_per_request(), sum.global_load.efficiency()), (8.0, 0.5));
}

#[test]
fn every_counter_of_the_table_has_a_path_of_its_own_and_is_summed() {
    let mut one = Counters { warp_instructions: 7, ..Counters::default() };
    one.shared_load.bank_conflicts = 3;
    let each = Counters::sum([&one, &one]).each();
    let of = |path| each.iter().find(|(counter, _)| counter.path() == path);
    let (conflicts, count) = of("shared_load.bank_conflicts").expect("a counter");
    assert_eq!((conflicts.name().as_str(), *count), ("shared load conflicts", 6));
    assert_eq!(of("warp_instructions").expect("a counter").1, 14);
    let atomics = of("global_atomic.sectors").expect("a counter").0.metrics();
    let start = "l1tex__t_sectors_pipe_lsu_mem_global_op_";
    assert_eq!(atomics, [format!("{start}atom"), format!("{start}red")]);
    let paths: std::collections::HashSet<String> =
        each.iter().map(|(counter, _)| counter.path()).collect();
    assert_eq!(paths.len(), each.len());
}

#[test]
#[should_panic(expected = "shared stores had 62 bank conflicts in 2 requests (31.00 each)")]
fn an_assertion_says_by_how_much_it_failed() {
    let shared = Shared { requests: 2, wavefronts: 64, bank_conflicts: 62, ..Shared::default() };
    Counters { shared_store: shared, ..Counters::default() }.assert_no_bank_conflicts();
}

#[test]
#[should_panic(expected = "global loads took 32.00 sectors per request where 4.00 would do")]
fn strided_loads_are_not_coalesced() {
    let global = Global { requests: 1, sectors: 32, ideal_sectors: 4, ..Global::default() };
    Counters { global_load: global, ..Counters::default() }.assert_coalesced();
}
