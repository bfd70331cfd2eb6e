//! Kernels in CUDA C++, compiled: right results under every engine and order of turns.

use crate::common::{download, load, random_words, upload};
use crate::{emulators, pointer, run, shape, word};
use lanework_sim::{Emulator, FaultKind, LaunchConfig, Program};
use std::sync::Arc;

const KERNELS: &str = include_str!("../data/hopper/kernels.ptx");

/// Runs `check` on each emulator.
fn everywhere(check: impl Fn(&Emulator, &Arc<Program>)) {
    for emulator in emulators() {
        let program = load(&emulator, KERNELS).unwrap_or_else(|e| panic!("loads: {e}"));
        check(&emulator, &program);
    }
}

#[test]
fn every_kernel_of_the_file_is_known() {
    let emulator = &emulators()[0];
    let program = load(emulator, KERNELS).expect("loads");
    let refused: Vec<_> = program.refused().map(|(name, why)| format!("{name}: {why}")).collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn producers_and_consumers_share_a_ring() {
    everywhere(|emulator, program| {
        for (warps, rounds) in [(2, 1), (2, 7), (5, 12)] {
            let consumers = (warps - 1) * 32;
            let out = upload(emulator, "out", &vec![0; 2 * consumers as usize]);
            let launch = shape("ring", 2, warps * 32, None);
            run(emulator, program, &launch, &[pointer(out), word(rounds)]).expect("runs");
            let expected = |block: u32, thread: u32| -> u32 {
                let (lane, warp) = (thread % 32, 1 + thread / 32);
                (0..rounds).map(|i| i * 32 + (lane + warp) % 32 + block).sum()
            };
            let expected: Vec<u32> =
                (0..2 * consumers).map(|t| expected(t / consumers, t % consumers)).collect();
            assert_eq!(download(emulator, out, expected.len()), expected);
        }
    });
}

#[test]
fn the_librarys_barrier_waits_by_state() {
    everywhere(|emulator, program| {
        let input = random_words(2048, 3);
        let (from, to) = (upload(emulator, "in", &input), upload(emulator, "out", &[0; 2048]));
        let launch = shape("library_barrier", 3, 256, None);
        run(emulator, program, &launch, &[pointer(from), pointer(to), word(2048)]).expect("runs");
        let expected: Vec<u32> = input.chunks(256).flat_map(|c| c.iter().rev().copied()).collect();
        assert_eq!(download(emulator, to, 2048), expected);
    });
}

#[test]
fn bulk_copies_go_in_and_out() {
    everywhere(|emulator, program| {
        let input: Vec<u32> = (0..256 * 9).map(|i| (i as f32 * 0.5).to_bits()).collect();
        let from = upload(emulator, "in", &input);
        for grid in [1, 2, 9, 12] {
            let to = upload(emulator, "out", &vec![0; input.len()]);
            let launch = shape("bulk_scale", grid, 256, None);
            let by = 3f32.to_le_bytes().to_vec();
            run(emulator, program, &launch, &[pointer(from), pointer(to), word(9), by])
                .expect("runs");
            let expected: Vec<u32> = (0..input.len()).map(|i| (i as f32 * 1.5).to_bits()).collect();
            assert_eq!(download(emulator, to, input.len()), expected);
        }
    });
}

#[test]
fn a_histogram_lies_in_the_shared_memory_of_a_cluster() {
    everywhere(|emulator, program| {
        let input: Vec<u32> = random_words(4000, 9).iter().map(|w| w % 512).collect();
        let mut expected = vec![0u32; 512];
        input.iter().for_each(|bin| expected[*bin as usize] += 1);
        let from = upload(emulator, "in", &input);
        for cluster in [1, 2, 4, 8, 16] {
            let to = upload(emulator, "bins", &[0; 512]);
            let per_block = 512 / cluster;
            let launch = LaunchConfig {
                dynamic_shared: per_block * 4,
                ..shape("cluster_histogram", 16, 64, Some(cluster))
            };
            let arguments = [pointer(from), pointer(to), word(4000), word(per_block)];
            let outcome = run(emulator, program, &launch, &arguments).expect("runs");
            assert_eq!((outcome.blocks_run, outcome.blocks_total), (16, 16));
            assert_eq!(download(emulator, to, 512), expected, "clusters of {cluster}");
        }
    });
}

#[test]
fn blocks_know_where_they_are_in_their_cluster() {
    everywhere(|emulator, program| {
        let out = upload(emulator, "out", &[0; 12 * 24]);
        let launch = LaunchConfig::new("whereabouts", [6, 4, 1], [33, 1, 1]);
        run(emulator, program, &launch, &[pointer(out)]).expect("runs");
        for (block, row) in download(emulator, out, 12 * 24).chunks(12).enumerate() {
            let (x, y) = (block as u32 % 6, block as u32 / 6);
            let rank = x % 2 + y % 2 * 2;
            let next = (rank + 1) % 4;
            let their = (y / 2 * 2 + next / 2) * 6 + x / 2 * 2 + next % 2;
            let expected =
                [rank, x / 2, y / 2, 3, 2, x % 2, y % 2, 4, 1, 1000 + their, next, 0b0110];
            assert_eq!(row, expected, "block {block}");
        }
        let uneven = LaunchConfig::new("whereabouts", [6, 3, 1], [32, 1, 1]);
        let fault = run(emulator, program, &uneven, &[pointer(out)]).expect_err("3 rows of 2");
        assert_eq!(fault.kind, FaultKind::LimitExceeded);
        assert!(fault.message.contains("6 x 3 x 1"), "{fault}");
        let other = LaunchConfig { cluster: Some([4, 1, 1]), ..launch };
        let fault = run(emulator, program, &other, &[pointer(out)]).expect_err("another shape");
        assert!(fault.message.contains("requires 2 x 2 x 1"), "{fault}");
    });
}

#[test]
fn a_tile_goes_to_all_blocks_of_a_cluster() {
    everywhere(|emulator, program| {
        for cluster in [1u32, 2, 4, 8] {
            let input = random_words(1024 * (8 / cluster as usize), 5);
            let from = upload(emulator, "in", &input);
            let to = upload(emulator, "out", &[0; 8192]);
            let launch = shape("multicast", 8, 96, Some(cluster));
            run(emulator, program, &launch, &[pointer(from), pointer(to)]).expect("runs");
            let expected: Vec<u32> = (0..8192)
                .map(|i| {
                    let (block, at) = (i as u32 / 1024, i % 1024);
                    let tile = (block / cluster) as usize;
                    input[tile * 1024 + at].wrapping_add(block % cluster)
                })
                .collect();
            assert!(download(emulator, to, 8192) == expected, "clusters of {cluster}");
        }
    });
}

#[test]
fn blocks_hand_each_other_data_and_arrivals() {
    everywhere(|emulator, program| {
        for cluster in [2u32, 4] {
            let input = random_words(64 * 8, 6);
            let from = upload(emulator, "in", &input);
            let to = upload(emulator, "out", &[0; 512]);
            let launch = shape("relay", 8, 64, Some(cluster));
            run(emulator, program, &launch, &[pointer(from), pointer(to)]).expect("runs");
            let before =
                |block: u32| block / cluster * cluster + (block % cluster + cluster - 1) % cluster;
            let sum = |block: u32, t: u32| {
                let of = |block: u32| input[(block * 64 + t) as usize];
                of(block).wrapping_add(of(before(block)))
            };
            let expected: Vec<u32> = (0..512)
                .map(|i| (i / 64, i % 64))
                .map(|(block, t)| sum(block, t).wrapping_add(sum(before(block), t % 4)))
                .collect();
            assert_eq!(download(emulator, to, 512), expected, "clusters of {cluster}");
        }
    });
}

#[test]
fn the_copy_engine_adds_and_compares() {
    everywhere(|emulator, program| {
        let input: Vec<u32> = (0..640).map(|i| ((i % 77) as f32).to_bits()).collect();
        let from = upload(emulator, "in", &input);
        let (sum, most) = (upload(emulator, "sum", &[0; 64]), upload(emulator, "most", &[5; 64]));
        let launch = shape("bulk_reduce", 10, 64, None);
        let arguments = [pointer(from), pointer(sum), pointer(most)];
        run(emulator, program, &launch, &arguments).expect("runs");
        for t in 0..64u32 {
            let total: f32 = (0..10).map(|b| ((b * 64 + t) % 77) as f32).sum();
            let largest = (0..10).map(|b| (t * 37 + b * 11) % 101).max().expect("ten");
            assert_eq!(download(emulator, sum, 64)[t as usize], total.to_bits());
            assert_eq!(download(emulator, most, 64)[t as usize], largest.max(5));
        }
    });
}
