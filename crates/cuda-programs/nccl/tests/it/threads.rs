//! Ranks in threads of one process. Expected results are computed here.

use crate::common::*;
use half::{bf16, f16};

/// Element i of rank r.
fn number(rank: usize, index: usize) -> f64 {
    (((rank * 7 + index * 3) % 5) as f64) + 1.0
}

/// Numbers of a type as bytes.
type Pack = fn(f64) -> Vec<u8>;

/// All types: their numbers, and the encoding of a small number.
const TYPES: [(i32, Pack); 10] = [
    (0, |x| (x as i8).to_le_bytes().to_vec()),
    (1, |x| (x as u8).to_le_bytes().to_vec()),
    (2, |x| (x as i32).to_le_bytes().to_vec()),
    (3, |x| (x as u32).to_le_bytes().to_vec()),
    (4, |x| (x as i64).to_le_bytes().to_vec()),
    (5, |x| (x as u64).to_le_bytes().to_vec()),
    (6, |x| f16::from_f64(x).to_le_bytes().to_vec()),
    (7, |x| (x as f32).to_le_bytes().to_vec()),
    (8, |x| x.to_le_bytes().to_vec()),
    (9, |x| bf16::from_f64(x).to_le_bytes().to_vec()),
];

fn packed(pack: Pack, numbers: impl Iterator<Item = f64>) -> Vec<u8> {
    numbers.flat_map(pack).collect()
}

#[test]
fn every_type_is_combined_by_every_reduction() {
    const COUNT: usize = 37;
    for size in [1, 3, 4] {
        ranks(size, |rank, communicator| {
            for (element, pack) in TYPES {
                for reduction in 0..5 {
                    let combined = |index: usize| {
                        let of = (0..size).map(|rank| number(rank, index));
                        match reduction {
                            0 => of.sum(),
                            1 => of.product(),
                            2 => of.fold(0.0, f64::max),
                            3 => of.fold(9.0, f64::min),
                            // Averages of integers truncate; averages of floats are rounded once, at the end.
                            _ if element < 6 => (of.sum::<f64>() / size as f64).floor(),
                            _ if element == 8 => of.sum::<f64>() / size as f64,
                            _ => f64::from(of.sum::<f64>() as f32 / size as f32),
                        }
                    };
                    // Skips products that would wrap in small integers.
                    if reduction == 1 && element < 2 && size == 4 {
                        continue;
                    }
                    let from = upload(&packed(pack, (0..COUNT).map(|index| number(rank, index))));
                    let expected = packed(pack, (0..COUNT).map(combined));
                    let to = upload(&vec![0u8; expected.len()]);
                    assert_eq!(all_reduce(from, to, COUNT, (element, reduction), communicator), 0);
                    assert_eq!(
                        download::<u8>(to, expected.len()),
                        expected,
                        "{element} {reduction}"
                    );
                    // In place.
                    assert_eq!(
                        all_reduce(from, from, COUNT, (element, reduction), communicator),
                        0
                    );
                    assert_eq!(
                        download::<u8>(from, expected.len()),
                        expected,
                        "{element} {reduction}"
                    );
                }
            }
            destroy(communicator);
        });
    }
}

#[test]
fn collectives_move_data_also_in_place() {
    let size = 4;
    ranks(size, |rank, comm| {
        let own = |count: usize| -> Vec<i32> {
            (0..count).map(|index| (100 * rank + index) as i32).collect()
        };
        let of = |rank: usize, index: usize| (100 * rank + index) as i32;
        let mine = upload(&own(12));
        let out = upload(&[-1i32; 12]);
        // The input of a reduce-scatter has a part of three elements for each rank.
        assert_eq!(
            nccl!("ncclReduceScatter"(mine => u64, out => u64, 3 => usize, I32 => i32, SUM => i32, comm => usize, 0 => usize)),
            0
        );
        let sum = |index: usize| (0..size).map(|rank| of(rank, index)).sum::<i32>();
        assert_eq!(
            download::<i32>(out, 3),
            (0..3).map(|index| sum(3 * rank + index)).collect::<Vec<_>>()
        );
        let place = mine + 12 * rank as u64;
        assert_eq!(
            nccl!("ncclReduceScatter"(mine => u64, place => u64, 3 => usize, I32 => i32, SUM => i32, comm => usize, 0 => usize)),
            0
        );
        assert_eq!(download::<i32>(place, 3), download::<i32>(out, 3));

        let mine = upload(&own(12));
        let gathered: Vec<i32> =
            (0..size).flat_map(|rank| (0..3).map(move |index| of(rank, index))).collect();
        assert_eq!(
            nccl!("ncclAllGather"(mine => u64, out => u64, 3 => usize, I32 => i32, comm => usize, 0 => usize)),
            0
        );
        assert_eq!(download::<i32>(out, 12), gathered);
        let whole = upload(&[-1i32; 12]);
        let place = whole + 12 * rank as u64;
        cuda!("cuMemcpyDtoD_v2"(place => u64, mine => u64, 12 => usize));
        assert_eq!(
            nccl!("ncclAllGather"(place => u64, whole => u64, 3 => usize, I32 => i32, comm => usize, 0 => usize)),
            0
        );
        assert_eq!(download::<i32>(whole, 12), gathered);

        for root in 0..size {
            let out = upload(&[-1i32; 12]);
            let input = if rank == root { mine } else { 0 };
            assert_eq!(
                nccl!("ncclBroadcast"(input => u64, out => u64, 5 => usize, I32 => i32, root as i32 => i32, comm => usize, 0 => usize)),
                0
            );
            assert_eq!(
                download::<i32>(out, 6),
                [of(root, 0), of(root, 1), of(root, 2), of(root, 3), of(root, 4), -1]
            );
            let data = upload(&own(2));
            assert_eq!(
                nccl!("ncclBcast"(data => u64, 2 => usize, I32 => i32, root as i32 => i32, comm => usize, 0 => usize)),
                0
            );
            assert_eq!(download::<i32>(data, 2), [of(root, 0), of(root, 1)]);

            // Only the root has an output.
            let output = if rank == root { out } else { 0 };
            assert_eq!(
                nccl!("ncclReduce"(mine => u64, output => u64, 2 => usize, I32 => i32, 2 => i32, root as i32 => i32, comm => usize, 0 => usize)),
                0
            );
            let expected =
                if rank == root { [of(3, 0), of(3, 1)] } else { [of(root, 0), of(root, 1)] };
            assert_eq!(download::<i32>(out, 2), expected);

            assert_eq!(
                nccl!("ncclGather"(mine => u64, output => u64, 3 => usize, I32 => i32, root as i32 => i32, comm => usize, 0 => usize)),
                0
            );
            if rank == root {
                assert_eq!(download::<i32>(out, 12), gathered);
            }
            let part = upload(&[-1i32; 3]);
            assert_eq!(
                nccl!("ncclScatter"(input => u64, part => u64, 3 => usize, I32 => i32, root as i32 => i32, comm => usize, 0 => usize)),
                0
            );
            assert_eq!(
                download::<i32>(part, 3),
                (0..3).map(|index| of(root, 3 * rank + index)).collect::<Vec<_>>()
            );
        }
        assert_eq!(
            nccl!("ncclAlltoAll"(mine => u64, out => u64, 3 => usize, I32 => i32, comm => usize, 0 => usize)),
            0
        );
        let turned: Vec<i32> = (0..size)
            .flat_map(|from| (0..3).map(move |index| of(from, 3 * rank + index)))
            .collect();
        assert_eq!(download::<i32>(out, 12), turned);
        destroy(comm);
    });
}

#[test]
fn messages_go_around_a_ring_and_to_oneself() {
    ranks(4, |rank, comm| {
        let (next, previous) = (((rank + 1) % 4) as i32, ((rank + 3) % 4) as i32);
        let (from, to) = (upload(&[rank as f32; 1000]), upload(&[-1f32; 2000]));
        // Receives come first: a group starts all its calls together.
        assert_eq!(nccl!("ncclGroupStart"()), 0);
        for (message, peer) in [(0, previous), (1, rank as i32)] {
            assert_eq!(
                nccl!("ncclRecv"(to + 4000 * message => u64, 1000 => usize, F32 => i32, peer => i32, comm => usize, 0 => usize)),
                0
            );
        }
        for peer in [next, rank as i32] {
            assert_eq!(
                nccl!("ncclSend"(from => u64, 1000 => usize, F32 => i32, peer => i32, comm => usize, 0 => usize)),
                0
            );
        }
        assert_eq!(download::<f32>(to, 1), [-1.0]);
        assert_eq!(nccl!("ncclGroupEnd"()), 0);
        assert_eq!(
            download::<f32>(to, 2000),
            [[previous as f32; 1000], [rank as f32; 1000]].concat()
        );
        destroy(comm);
    });
}

#[test]
fn one_thread_drives_all_devices_in_groups() {
    device(0);
    let mut comms = [0usize; 4];
    assert_eq!(
        nccl!("ncclCommInitAll"(comms.as_mut_ptr() => *mut usize, 4 => i32, [3, 1, 0, 2].as_ptr() => *const i32)),
        0
    );
    let asked = |name: &str, comm: usize| {
        let (function, mut number): (extern "C" fn(usize, *mut i32) -> i32, i32) = (nccl(name), -1);
        assert_eq!(function(comm, &mut number), 0);
        number
    };
    assert_eq!(comms.map(|comm| asked("ncclCommCuDevice", comm)), [3, 1, 0, 2]);
    assert_eq!(comms.map(|comm| asked("ncclCommUserRank", comm)), [0, 1, 2, 3]);
    assert_eq!(comms.map(|comm| asked("ncclCommCount", comm)), [4; 4]);
    let data: Vec<u64> = (0..4).map(|rank| upload(&[rank as f32, 1.0])).collect();
    assert_eq!(nccl!("ncclGroupStart"()), 0);
    assert_eq!(nccl!("ncclGroupStart"()), 0); // groups nest
    for rank in 0..4 {
        assert_eq!(all_reduce(data[rank], data[rank], 2, (F32, SUM), comms[rank]), 0);
    }
    assert_eq!(nccl!("ncclGroupEnd"()), 0);
    assert_eq!(download::<f32>(data[3], 2), [3.0, 1.0]);
    assert_eq!(nccl!("ncclGroupEnd"()), 0);
    for at in &data {
        assert_eq!(download::<f32>(*at, 2), [6.0, 4.0]);
    }
    comms.into_iter().for_each(destroy);
    // Ranks of an id, all created by one thread.
    let id = unique_id();
    assert_eq!(nccl!("ncclGroupStart"()), 0);
    for (rank, comm) in comms.iter_mut().enumerate() {
        device(rank);
        assert_eq!(
            nccl!("ncclCommInitRank"(comm => *mut usize, 4 => i32, id => Id, rank as i32 => i32)),
            0
        );
    }
    assert_eq!(nccl!("ncclGroupEnd"()), 0);
    assert_eq!(comms.map(|comm| asked("ncclCommCuDevice", comm)), [0, 1, 2, 3]);
    comms.into_iter().for_each(destroy);
}

#[test]
fn sums_are_in_rank_order_and_deterministic() {
    // In a different summation order, different small numbers would be lost.
    let parts = [[1e8f32, 1.0], [1.0, 1e8], [-1e8, -1e8], [1.0, 1.0]];
    for _ in 0..10 {
        let sums = ranks(4, |rank, comm| {
            let at = upload(&parts[rank]);
            assert_eq!(all_reduce(at, at, 2, (F32, SUM), comm), 0);
            destroy(comm);
            download::<f32>(at, 2)
        });
        assert_eq!(sums, vec![vec![1.0, 1.0]; 4]);
    }
}

#[test]
fn user_defined_reductions_scale_inputs() {
    ranks(3, |rank, comm| {
        for residence in [0, 1] {
            let scalar = [rank as f64 + 0.5];
            let (on_device, mut reduction) = (upload(&scalar), -1);
            let pointer = if residence == 0 { on_device } else { scalar.as_ptr() as u64 };
            assert_eq!(
                nccl!("ncclRedOpCreatePreMulSum"(&mut reduction => *mut i32, pointer => u64, F64 => i32, residence => i32, comm => usize)),
                0
            );
            let at = upload(&[2.0f64]);
            assert_eq!(all_reduce(at, at, 1, (F64, reduction), comm), 0);
            assert_eq!(download::<f64>(at, 1), [9.0]);
            assert_eq!(all_reduce(at, at, 1, (F32, reduction), comm), 4);
            assert_eq!(nccl!("ncclRedOpDestroy"(reduction => i32, comm => usize)), 0);
            assert_eq!(all_reduce(at, at, 1, (F64, reduction), comm), 4);
        }
        destroy(comm);
    });
}

#[test]
fn a_communicator_is_split_by_color_and_ordered_by_key() {
    let found = ranks(4, |rank, comm| {
        let color = if rank == 3 { -1 } else { (rank % 2) as i32 };
        let mut part = 1usize;
        assert_eq!(
            nccl!("ncclCommSplit"(comm => usize, color => i32, -(rank as i32) => i32, &mut part => *mut usize, std::ptr::null() => *const u8)),
            0
        );
        if rank == 3 {
            assert_eq!(part, 0);
            return (0, 0.0);
        }
        let mut place = -1;
        assert_eq!(nccl!("ncclCommUserRank"(part => usize, &mut place => *mut i32)), 0);
        let at = upload(&[rank as f32]);
        assert_eq!(all_reduce(at, at, 1, (F32, SUM), part), 0);
        destroy(part);
        (place, download::<f32>(at, 1)[0])
    });
    assert_eq!(found, [(1, 2.0), (0, 1.0), (0, 2.0), (0, 0.0)]);
}

#[test]
fn a_captured_call_runs_at_each_graph_launch() {
    ranks(2, |rank, comm| {
        let at = upload(&[rank as f32 + 1.0; 3]);
        let (mut stream, mut graph, mut ready) = (0u64, 0u64, 0u64);
        cuda!("cuStreamCreate"(&mut stream => *mut u64, 1 => u32));
        cuda!("cuStreamBeginCapture_v2"(stream => u64, 1 => i32));
        let reduced = nccl!(
            "ncclAllReduce"(at => u64, at => u64, 3 => usize, F32 => i32, SUM => i32, comm => usize, stream => u64)
        );
        assert_eq!(reduced, 0);
        cuda!("cuStreamEndCapture"(stream => u64, &mut graph => *mut u64));
        cuda!("cuGraphInstantiateWithFlags"(&mut ready => *mut u64, graph => u64, 0 => u64));
        assert_eq!(download::<f32>(at, 1), [rank as f32 + 1.0]);
        for launches in 1..4 {
            cuda!("cuGraphLaunch"(ready => u64, stream => u64));
            assert_eq!(download::<f32>(at, 3), [3.0 * 2f32.powi(launches - 1); 3]);
        }
        destroy(comm);
    });
}

#[test]
fn memory_is_allocated_and_registered() {
    ranks(2, |_, comm| {
        let (mut at, mut handle) = (0u64, 0usize);
        assert_eq!(nccl!("ncclMemAlloc"(&mut at => *mut u64, 4096 => usize)), 0);
        assert_eq!(
            nccl!("ncclCommRegister"(comm => usize, at => u64, 4096 => usize, &mut handle => *mut usize)),
            0
        );
        assert_eq!(
            nccl!("ncclCommRegister"(comm => usize, at => u64, 1 << 30 => usize, &mut handle => *mut usize)),
            4
        );
        assert_eq!(nccl!("ncclCommDeregister"(comm => usize, handle => usize)), 0);
        assert_eq!(nccl!("ncclCommDeregister"(comm => usize, handle => usize)), 4);
        // Not an address that has been freed: another thread may have got it since.
        assert_eq!(nccl!("ncclMemFree"(at + 256 => u64)), 1);
        assert_eq!(nccl!("ncclMemFree"(at => u64)), 0);
        destroy(comm);
    });
}
