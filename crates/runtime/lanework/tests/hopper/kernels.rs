//! Compiled CUDA C++ kernels give correct results on every device.

use crate::{On, everywhere, pointer, random_words, word};
use lanework::{PtxArg, PtxShape};

const KERNELS: &str = include_str!("kernels.ptx");

#[test]
fn producers_and_consumers_share_a_ring() {
    everywhere("hopper kernels", KERNELS, |on: &On| {
        for (warps, rounds) in [(2, 1), (2, 7), (5, 12)] {
            let consumers = (warps - 1) * 32;
            let out = on.upload(&vec![0; 2 * consumers as usize]);
            let launch = ("ring", PtxShape::new(2, warps * 32));
            on.run(launch, &[pointer(&out), word(rounds)]).expect("runs");
            let expected = |block: u32, thread: u32| -> u32 {
                let (lane, warp) = (thread % 32, 1 + thread / 32);
                (0..rounds).map(|i| i * 32 + (lane + warp) % 32 + block).sum()
            };
            let expected: Vec<u32> =
                (0..2 * consumers).map(|t| expected(t / consumers, t % consumers)).collect();
            assert_eq!(on.download(&out), expected);
        }
    });
}

#[test]
fn the_librarys_barrier_waits_by_state() {
    everywhere("hopper kernels", KERNELS, |on: &On| {
        let input = random_words(2048, 3);
        let (from, to) = (on.upload(&input), on.upload(&[0; 2048]));
        let launch = ("library_barrier", PtxShape::new(3, 256));
        on.run(launch, &[pointer(&from), pointer(&to), word(2048)]).expect("runs");
        let expected: Vec<u32> = input.chunks(256).flat_map(|c| c.iter().rev().copied()).collect();
        assert_eq!(on.download(&to), expected);
    });
}

#[test]
fn bulk_copies_go_in_and_out() {
    everywhere("hopper kernels", KERNELS, |on: &On| {
        let input: Vec<u32> = (0..256 * 9).map(|i| (i as f32 * 0.5).to_bits()).collect();
        let from = on.upload(&input);
        for grid in [1, 2, 9, 12] {
            let to = on.upload(&vec![0; input.len()]);
            let launch = ("bulk_scale", PtxShape::new(grid, 256));
            let by = PtxArg::Bytes(3f32.to_le_bytes().to_vec());
            on.run(launch, &[pointer(&from), pointer(&to), word(9), by]).expect("runs");
            let expected: Vec<u32> = (0..input.len()).map(|i| (i as f32 * 1.5).to_bits()).collect();
            assert_eq!(on.download(&to), expected);
        }
    });
}

#[test]
fn clusters_compute_a_histogram_in_shared_memory() {
    everywhere("hopper kernels", KERNELS, |on: &On| {
        let input: Vec<u32> = random_words(4000, 9).iter().map(|w| w % 512).collect();
        let mut expected = vec![0u32; 512];
        input.iter().for_each(|bin| expected[*bin as usize] += 1);
        let from = on.upload(&input);
        for cluster in [1, 2, 4, 8, 16] {
            let to = on.upload(&[0; 512]);
            let per_block = 512 / cluster;
            let shape = PtxShape::new(16, 64).cluster(cluster).shared_bytes(per_block * 4);
            let arguments = [pointer(&from), pointer(&to), word(4000), word(per_block)];
            on.run(("cluster_histogram", shape), &arguments).expect("runs");
            assert_eq!(on.download(&to), expected, "clusters of {cluster}");
        }
    });
}

#[test]
fn blocks_know_where_they_are_in_their_cluster() {
    everywhere("hopper kernels", KERNELS, |on: &On| {
        let out = on.upload(&[0; 12 * 24]);
        let launch = |grid: (u32, u32)| ("whereabouts", PtxShape::new(grid, 33));
        on.run(launch((6, 4)), &[pointer(&out)]).expect("runs");
        for (block, row) in on.download(&out).chunks(12).enumerate() {
            let (x, y) = (block as u32 % 6, block as u32 / 6);
            let rank = x % 2 + y % 2 * 2;
            let next = (rank + 1) % 4;
            let their = (y / 2 * 2 + next / 2) * 6 + x / 2 * 2 + next % 2;
            let expected =
                [rank, x / 2, y / 2, 3, 2, x % 2, y % 2, 4, 1, 1000 + their, next, 0b0110];
            assert_eq!(row, expected, "block {block}");
        }
        let uneven = on.run(launch((6, 3)), &[pointer(&out)]);
        assert!(uneven.is_err(), "3 rows of blocks do not make clusters of 2 rows");
        let (entry, shape) = launch((8, 4));
        let other = on.run((entry, shape.cluster(4)), &[pointer(&out)]);
        assert!(other.is_err(), "the kernel has a shape of its own");
    });
}

#[test]
fn a_tile_goes_to_all_blocks_of_a_cluster() {
    everywhere("hopper kernels", KERNELS, |on: &On| {
        for cluster in [1u32, 2, 4, 8] {
            let input = random_words(1024 * (8 / cluster as usize), 5);
            let from = on.upload(&input);
            let to = on.upload(&[0; 8192]);
            let launch = ("multicast", PtxShape::new(8, 96).cluster(cluster));
            on.run(launch, &[pointer(&from), pointer(&to)]).expect("runs");
            let expected: Vec<u32> = (0..8192)
                .map(|i| {
                    let (block, at) = (i as u32 / 1024, i % 1024);
                    let tile = (block / cluster) as usize;
                    input[tile * 1024 + at].wrapping_add(block % cluster)
                })
                .collect();
            assert!(on.download(&to) == expected, "clusters of {cluster}");
        }
    });
}

#[test]
fn blocks_exchange_data_and_arrivals() {
    everywhere("hopper kernels", KERNELS, |on: &On| {
        for cluster in [2u32, 4] {
            let input = random_words(64 * 8, 6);
            let from = on.upload(&input);
            let to = on.upload(&[0; 512]);
            let launch = ("relay", PtxShape::new(8, 64).cluster(cluster));
            on.run(launch, &[pointer(&from), pointer(&to)]).expect("runs");
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
            assert_eq!(on.download(&to), expected, "clusters of {cluster}");
        }
    });
}

#[test]
fn the_copy_engine_adds_and_compares() {
    everywhere("hopper kernels", KERNELS, |on: &On| {
        let input: Vec<u32> = (0..640).map(|i| ((i % 77) as f32).to_bits()).collect();
        let from = on.upload(&input);
        let (sum, most) = (on.upload(&[0; 64]), on.upload(&[5; 64]));
        let launch = ("bulk_reduce", PtxShape::new(10, 64));
        let arguments = [pointer(&from), pointer(&sum), pointer(&most)];
        on.run(launch, &arguments).expect("runs");
        for t in 0..64u32 {
            let total: f32 = (0..10).map(|b| ((b * 64 + t) % 77) as f32).sum();
            let largest = (0..10).map(|b| (t * 37 + b * 11) % 101).max().expect("ten");
            assert_eq!(on.download(&sum)[t as usize], total.to_bits());
            assert_eq!(on.download(&most)[t as usize], largest.max(5));
        }
    });
}
