//! Every collective on 1, 2, 3, 4 and 8 emulated devices, compared with the host; and errors of incorrect programs.

use half::{bf16, f16};
use lanework::{Device, Result};
use lanework_dist::{Communicator, Number, Reduction, group};
use std::time::Duration;

const SIZES: [usize; 5] = [1, 2, 3, 4, 8];

/// Runs `work` on every rank, each in a thread, and returns the results.
fn on_ranks<T: Send>(
    size: usize,
    timeout: Duration,
    work: impl Fn(&Communicator) -> Result<T> + Sync,
) -> Vec<Result<T>> {
    let ranks = Communicator::local_with(&Device::emulators(size), timeout, false).expect("ranks");
    std::thread::scope(|scope| {
        let threads: Vec<_> = ranks
            .into_iter()
            .map(|rank| {
                scope.spawn(|| {
                    let rank = rank;
                    work(&rank)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

fn all<T: Send>(size: usize, work: impl Fn(&Communicator) -> Result<T> + Sync) -> Vec<T> {
    let outcomes = on_ranks(size, Duration::from_secs(60), work);
    outcomes.into_iter().map(|outcome| outcome.expect("every rank succeeds")).collect()
}

/// The elements of a rank: small numbers, so that products do not overflow.
fn elements<T: Number>(rank: usize, length: usize, make: fn(i32) -> T) -> Vec<T> {
    (0..length).map(|i| make(((i * 7 + rank * 3) % 5) as i32 - 1)).collect()
}

fn check_all_reduce<T: Number + Send + PartialEq + std::fmt::Debug>(
    make: fn(i32) -> T,
    fold: fn(Reduction, i32, i32) -> i32,
) {
    for size in SIZES {
        for reduction in [Reduction::Sum, Reduction::Prod, Reduction::Min, Reduction::Max] {
            let length = 2 * size + 1;
            let small = |rank: usize, i: usize| ((i * 7 + rank * 3) % 5) as i32 - 1;
            let of = |i: usize| {
                (1..size).fold(small(0, i), |a, rank| fold(reduction, a, small(rank, i)))
            };
            // Unsigned types have no -1: wrapped values are not compared.
            let expected: Vec<T> = (0..length).map(|i| make(of(i))).collect();
            let got = all(size, |comm| {
                let mut x = comm.device().upload(&elements(comm.rank(), length, make))?;
                comm.all_reduce_in_place(reduction, &mut x)?.run()?;
                x.download()
            });
            for (rank, got) in got.iter().enumerate() {
                assert_eq!(*got, expected, "{reduction:?}, rank {rank} of {size}");
            }
        }
    }
}

fn fold(reduction: Reduction, a: i32, b: i32) -> i32 {
    match reduction {
        Reduction::Sum => a + b,
        Reduction::Prod => a * b,
        Reduction::Min => a.min(b),
        Reduction::Max => a.max(b),
    }
}

#[test]
fn all_reduce_combines_every_type() {
    check_all_reduce::<i32>(|x| x, fold);
    check_all_reduce::<i8>(|x| x as i8, fold);
    check_all_reduce::<i64>(i64::from, fold);
    check_all_reduce::<f32>(|x| x as f32, fold);
    check_all_reduce::<f64>(f64::from, fold);
    check_all_reduce::<f16>(|x| f16::from_f32(x as f32), fold);
    check_all_reduce::<bf16>(|x| bf16::from_f32(x as f32), fold);
}

#[test]
fn unsigned_types_are_combined_as_unsigned() {
    let got = all(3, |comm| {
        let mut x = comm.device().upload(&[u32::MAX - comm.rank() as u32, comm.rank() as u32])?;
        comm.all_reduce_in_place(Reduction::Max, &mut x)?.run()?;
        let mut y = comm.device().upload(&[u64::MAX, comm.rank() as u64])?;
        comm.all_reduce_in_place(Reduction::Sum, &mut y)?.run()?;
        let mut z = comm.device().upload(&[200u8 + comm.rank() as u8])?;
        comm.all_reduce_in_place(Reduction::Min, &mut z)?.run()?;
        Ok((x.download()?, y.download()?, z.download()?))
    });
    let wanted = (vec![u32::MAX, 2], vec![u64::MAX - 2, 3], vec![200]);
    assert!(got.iter().all(|got| *got == wanted), "{got:?}");
}

#[test]
fn floats_are_added_in_rank_order() {
    // (1e8 + -1e8) + 1 is 1, 1e8 + (-1e8 + 1) is 0 in f32.
    let parts = [1e8f32, -1e8, 1.0, 3e-8];
    let wanted = parts[1..].iter().fold(parts[0], |a, b| a + b);
    for _ in 0..3 {
        let got = all(4, |comm| {
            let mut x = comm.device().upload(&[parts[comm.rank()]; 9])?;
            comm.all_reduce_in_place(Reduction::Sum, &mut x)?.run()?;
            x.download()
        });
        assert!(got.iter().flatten().all(|x| x.to_bits() == wanted.to_bits()), "{got:?}");
    }
}

#[test]
fn shares_are_scattered_and_gathered() {
    for size in SIZES {
        for each in [0usize, 1, 5] {
            let got = all(size, |comm| {
                let (rank, device) = (comm.rank(), comm.device());
                let x: Vec<i32> = (0..size * each).map(|i| (i * 10 + rank) as i32).collect();
                let x = device.upload(&x)?;
                let mut part = device.uninit::<i32>(each)?;
                comm.reduce_scatter(Reduction::Sum, &x, &mut part)?.run()?;
                let mut whole = device.uninit::<i32>(size * each)?;
                comm.all_gather(&part, &mut whole)?.run()?;
                Ok((part.download()?, whole.download()?))
            });
            let ranks = (size * (size - 1) / 2) as i32;
            let sums: Vec<i32> = (0..size * each).map(|i| (i * 10 * size) as i32 + ranks).collect();
            for (rank, (part, whole)) in got.into_iter().enumerate() {
                assert_eq!(part, sums[rank * each..(rank + 1) * each]);
                assert_eq!(whole, sums);
            }
        }
    }
}

#[test]
fn a_broadcast_reaches_every_rank_from_every_root() {
    for size in SIZES {
        let got = all(size, |comm| {
            let mut seen = Vec::new();
            for root in 0..size {
                let mut x = comm.device().upload(&[comm.rank() as f64; 3])?;
                comm.broadcast(root, x.view_mut(1..))?.run()?;
                seen.push(x.download()?);
            }
            Ok(seen)
        });
        for (rank, seen) in got.into_iter().enumerate() {
            for (root, x) in seen.into_iter().enumerate() {
                assert_eq!(x, [rank as f64, root as f64, root as f64]);
            }
        }
    }
}

#[test]
fn messages_go_around_a_ring() {
    for size in [2, 3, 8] {
        let got = all(size, |comm| {
            let (next, before) = ((comm.rank() + 1) % size, (comm.rank() + size - 1) % size);
            let mut x = comm.device().upload(&[comm.rank() as u32; 10])?;
            for _ in 0..size {
                let mut y = comm.device().uninit::<u32>(10)?;
                let stream = comm.device().stream()?;
                group([comm.send(next, &x)?.on(&stream), comm.recv(before, &mut y)?.on(&stream)])?;
                x = y;
            }
            comm.barrier()?;
            x.download()
        });
        for (rank, x) in got.into_iter().enumerate() {
            assert_eq!(x, [rank as u32; 10]);
        }
    }
}

/// The errors of each rank of an incorrect program.
fn errors(
    size: usize,
    millis: u64,
    work: impl Fn(&Communicator) -> Result<()> + Sync,
) -> Vec<String> {
    let outcomes = on_ranks(size, Duration::from_millis(millis), work);
    outcomes.into_iter().map(|outcome| outcome.expect_err("an error").to_string()).collect()
}

#[test]
fn ranks_with_different_counts_types_or_calls_get_errors() {
    let of =
        |rank: usize, a: fn(&Communicator) -> Result<()>, b: fn(&Communicator) -> Result<()>| {
            errors(2, 60_000, move |comm| if comm.rank() == rank { a(comm) } else { b(comm) })
        };
    fn reduce<T: Number>(comm: &Communicator, length: usize, with: Reduction) -> Result<()> {
        let mut x = comm.device().zeros::<T>(length)?;
        comm.all_reduce_in_place(with, &mut x)?.run()
    }
    let counts = of(
        0,
        |comm| reduce::<f32>(comm, 10, Reduction::Sum),
        |comm| reduce::<f32>(comm, 11, Reduction::Sum),
    );
    let disagree = |texts: &[String], one: &str, other: &str| {
        // One rank detects it; the other may get its report first.
        assert!(texts.iter().any(|text| text.contains("ranks disagree")), "{texts:?}");
        assert!(texts.iter().any(|text| text.contains(one) && text.contains(other)), "{texts:?}");
    };
    disagree(&counts, "all_reduce (sum) of 10 f32 (call 1)", "all_reduce (sum) of 11 f32");
    let types = of(
        0,
        |comm| reduce::<f32>(comm, 4, Reduction::Sum),
        |comm| reduce::<i32>(comm, 4, Reduction::Sum),
    );
    disagree(&types, "of 4 f32", "of 4 i32");
    let reductions = of(
        1,
        |comm| reduce::<f32>(comm, 4, Reduction::Sum),
        |comm| reduce::<f32>(comm, 4, Reduction::Max),
    );
    disagree(&reductions, "(sum)", "(maximum)");
    let calls = of(
        0,
        |comm| reduce::<f32>(comm, 4, Reduction::Sum),
        |comm| {
            let x = comm.device().zeros::<f32>(4)?;
            let mut all = comm.device().zeros::<f32>(8)?;
            comm.all_gather(&x, &mut all)?.run()
        },
    );
    disagree(&calls, "all_reduce", "all_gather of 4 f32");
}

#[test]
fn a_rank_that_does_not_arrive_is_named() {
    let told = std::sync::Barrier::new(4);
    let says = errors(4, 2_000, |comm| {
        if comm.rank() == 2 {
            // This rank is alive, but busy until the others have timed out.
            told.wait();
            // The others may have arrived before they timed out, but they do not call again.
            return comm.barrier().and_then(|()| comm.barrier());
        }
        let outcome = comm.barrier();
        told.wait();
        outcome
    });
    // The rank that waited longest reports it, and the others may get its report first.
    let named = |text: &&String| text.contains("rank 2 of 4 has not arrived");
    assert!([0, 1, 3].iter().any(|rank| named(&&says[*rank])), "{says:?}");
    assert!(says[2].contains("left before"), "{}", says[2]);
}

#[test]
fn a_rank_that_ends_early_is_named_immediately() {
    let outcomes = on_ranks(3, Duration::from_secs(600), |comm| {
        if comm.rank() == 1 {
            return Ok(());
        }
        comm.barrier()
    });
    for rank in [0, 2] {
        let text = outcomes[rank].as_ref().expect_err("an error").to_string();
        assert!(
            text.contains("rank 1 left before barrier (call 1)") || text.contains("it stopped"),
            "{text}"
        );
    }
    assert!(outcomes[1].is_ok());
}

#[test]
fn after_an_error_a_communicator_reports_that_it_stopped() {
    let says = errors(2, 60_000, |comm| {
        let mut x = comm.device().zeros::<f32>(1 + comm.rank())?;
        let first = comm.all_reduce_in_place(Reduction::Sum, &mut x)?.run();
        assert!(first.is_err());
        comm.barrier()
    });
    assert!(says.iter().all(|text| text.contains("has stopped after an error")), "{says:?}");
}

#[test]
fn wrong_arguments_name_the_rank_and_the_numbers() -> Result<()> {
    let devices = Device::emulators(2);
    let ranks = Communicator::local(&devices)?;
    let comm = &ranks[0];
    let x = devices[0].zeros::<f32>(10)?;
    let (mut y, mut far) = (devices[0].zeros::<f32>(9)?, devices[1].zeros::<f32>(10)?);
    let says = |call: Result<lanework_dist::Call<'_>>| call.err().expect("refused").to_string();
    let text = says(comm.all_reduce(Reduction::Sum, &x, &mut y));
    assert!(text.contains("the input of rank 0 has 10 elements, the output 9"), "{text}");
    let text = says(comm.reduce_scatter(Reduction::Sum, &x, &mut y));
    assert!(text.contains("one share for each of 2 ranks"), "{text}");
    let text = says(comm.all_gather(&x, &mut y));
    assert!(text.contains("2 times as many"), "{text}");
    let text = says(comm.all_reduce(Reduction::Sum, &x, &mut far));
    assert!(text.contains("the output of rank 0 is on another device"), "{text}");
    assert!(says(comm.send(2, &x)).contains("no rank 2 among 2"));
    assert!(says(comm.send(0, &x)).contains("rank 0 is this rank itself"));
    assert!(says(comm.broadcast(5, &mut y)).contains("no rank 5 among 2"));
    Ok(())
}
