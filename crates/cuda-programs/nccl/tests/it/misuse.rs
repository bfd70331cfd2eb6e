//! Errors of ranks: each rank that would wait gets a status and a message. No rank hangs or crashes.

use crate::common::*;

/// Status and message of each of two ranks' calls.
fn outcomes(body: impl Fn(usize, usize) -> i32 + Sync) -> Vec<(i32, String)> {
    ranks(2, |rank, comm| {
        let outcome = (body(rank, comm), last_error());
        let mut kept = -1;
        assert_eq!(nccl!("ncclCommGetAsyncError"(comm => usize, &mut kept => *mut i32)), 0);
        assert_eq!(kept, outcome.0, "{outcome:?}");
        outcome
    })
}

/// Asserts that both ranks failed, and that one gave this message.
fn both_fail(outcomes: &[(i32, String)], said: &str) {
    assert!(outcomes.iter().all(|(code, _)| [1, 4, 5, 6].contains(code)), "{outcomes:?}");
    assert!(outcomes.iter().any(|(_, text)| text.contains(said)), "{said}: {outcomes:?}");
}

#[test]
fn ranks_that_disagree_get_the_call_of_each_rank() {
    let counts = outcomes(|rank, comm| {
        let at = upload(&[1f32; 8]);
        all_reduce(at, at, 5 + rank, (F32, SUM), comm)
    });
    both_fail(&counts, "ncclAllReduce (sum) of 6 f32 (call 1)");
    both_fail(&counts, "ranks disagree");
    let types = outcomes(|rank, comm| {
        let at = upload(&[1f32; 8]);
        assert_eq!(all_reduce(at, at, 4, (F32, SUM), comm), 0);
        all_reduce(at, at, 4, ([F32, I32][rank], SUM), comm)
    });
    both_fail(&types, "of 4 i32 (call 2)");
    let reductions = outcomes(|rank, comm| {
        let at = upload(&[1f32; 8]);
        all_reduce(at, at, 4, (F32, rank as i32), comm)
    });
    both_fail(&reductions, "ncclAllReduce (product)");
    let roots = outcomes(|rank, comm| {
        let at = upload(&[1f32; 8]);
        nccl!("ncclBcast"(at => u64, 2 => usize, F32 => i32, rank as i32 => i32, comm => usize, 0 => usize))
    });
    both_fail(&roots, "ncclBroadcast from rank 1 of 2 f32");
    let kinds = outcomes(|rank, comm| match rank {
        0 => all_reduce(upload(&[1f32; 8]), upload(&[1f32; 8]), 4, (F32, SUM), comm),
        _ => {
            let at = upload(&[1f32; 8]);
            nccl!("ncclAllGather"(at => u64, at => u64, 4 => usize, F32 => i32, comm => usize, 0 => usize))
        }
    });
    both_fail(&kinds, "ncclAllGather of 4 f32");
}

#[test]
fn a_message_of_another_length_is_an_error_of_the_receiver() {
    let messages = ranks(2, |rank, comm| {
        let at = upload(&[1f32; 8]);
        match rank {
            0 => (
                nccl!("ncclSend"(at => u64, 4 => usize, F32 => i32, 1 => i32, comm => usize, 0 => usize)),
                String::new(),
            ),
            _ => (
                nccl!("ncclRecv"(at => u64, 5 => usize, F32 => i32, 0 => i32, comm => usize, 0 => usize)),
                last_error(),
            ),
        }
    });
    assert_eq!((messages[0].0, messages[1].0), (0, 5));
    assert!(messages[1].1.contains("rank 0 called a message of 4 f32"), "{messages:?}");
}

#[test]
fn bad_pointers_are_refused_at_every_rank() {
    for bad in [0u64, 16, u64::MAX - 8, 0x7000_0000_0000] {
        let pointers = outcomes(|rank, comm| {
            let at = upload(&[1f32; 8]);
            all_reduce(if rank == 0 { bad } else { at }, at, 8, (F32, SUM), comm)
        });
        both_fail(&pointers, "nothing is allocated there");
    }
    let ends = outcomes(|_, comm| {
        let at = upload(&[1f32; 8]);
        all_reduce(at, at + 16, 8, (F32, SUM), comm)
    });
    both_fail(&ends, "the output of ncclAllReduce (sum) of 8 f32 (call 1) takes 32 bytes");
    let counts = outcomes(|_, comm| {
        all_reduce(upload(&[1f32]), upload(&[1f32]), usize::MAX / 2, (F32, SUM), comm)
    });
    both_fail(&counts, "exceed any memory");
}

#[test]
fn invalid_arguments_are_refused_and_the_communicator_survives() {
    ranks(2, |_, comm| {
        let at = upload(&[1f32; 8]);
        assert_eq!(all_reduce(at, at, 1, (99, SUM), comm), 4);
        assert_eq!(all_reduce(at, at, 1, (F32, 77), comm), 4);
        assert_eq!(all_reduce(at, at, 1, (F32, SUM), 0), 4);
        assert_eq!(all_reduce(at, at, 1, (F32, SUM), 0xdead_beef), 4);
        assert_eq!(
            nccl!("ncclBcast"(at => u64, 2 => usize, F32 => i32, 2 => i32, comm => usize, 0 => usize)),
            4
        );
        assert!(last_error().contains("the root is rank 2, and there are 2 ranks"));
        assert_eq!(
            nccl!("ncclSend"(at => u64, 2 => usize, F32 => i32, -1 => i32, comm => usize, 0 => usize)),
            4
        );
        assert_eq!(nccl!("ncclGroupEnd"()), 5);
        assert_eq!(nccl!("ncclCommCount"(comm => usize, std::ptr::null_mut() => *mut i32)), 4);
        assert_eq!(nccl!("ncclCommShrink"()), 5);
        assert_eq!(all_reduce(at, at, 1, (F32, SUM), comm), 0);
        destroy(comm);
        assert_eq!(nccl!("ncclCommDestroy"(comm => usize)), 4);
    });
    let mut made = 1usize;
    for id in [Id([0; 128]), Id([7; 128])] {
        assert_eq!(
            nccl!("ncclCommInitRank"(&mut made => *mut usize, 2 => i32, id => Id, 0 => i32)),
            4
        );
        assert_eq!(made, 0);
    }
    assert_eq!(
        nccl!("ncclCommInitRank"(&mut made => *mut usize, 2 => i32, unique_id() => Id, 2 => i32)),
        4
    );
    let mut comms = [0usize; 5];
    assert_eq!(
        nccl!("ncclCommInitAll"(comms.as_mut_ptr() => *mut usize, 5 => i32, std::ptr::null() => *const i32)),
        4
    );
    assert!(last_error().contains("there is no device 4"));
}

#[test]
fn a_group_with_a_refused_call_does_nothing_and_reports_why() {
    let refused = outcomes(|rank, comm| {
        let at = upload(&[1f32; 8]);
        assert_eq!(nccl!("ncclGroupStart"()), 0);
        assert_eq!(all_reduce(at, at, 4, (F32, SUM), comm), 0);
        if rank == 1 {
            assert_eq!(all_reduce(at, at, 4, (F32, 50), comm), 4);
        }
        let code = nccl!("ncclGroupEnd"());
        assert_eq!(download::<f32>(at, 1), [1.0]);
        code
    });
    both_fail(&refused, "50 is not an ncclRedOp_t");
}

#[test]
fn two_ranks_on_one_device_get_an_error() {
    let id = unique_id();
    std::thread::scope(|scope| {
        for rank in 0..2 {
            scope.spawn(move || {
                device(1);
                assert_eq!(join(id, rank, 2), Err(5));
                assert!(
                    last_error().contains("ranks 0 and 1 use one GPU, device 1"),
                    "{}",
                    last_error()
                );
            });
        }
    });
}

#[test]
fn a_rank_that_leaves_ends_the_wait_of_others() {
    let left = ranks(3, |rank, comm| {
        let at = upload(&[1f32; 8]);
        if rank == 2 {
            destroy(comm);
            return (6, "rank 2 left".to_owned());
        }
        (all_reduce(at, at, 4, (F32, SUM), comm), last_error())
    });
    assert!(left.iter().all(|(code, text)| *code == 6 && text.contains("left")), "{left:?}");
}

#[test]
fn another_thread_aborts_a_waiting_communicator() {
    let id = unique_id();
    std::thread::scope(|scope| {
        let (tell, told) = std::sync::mpsc::channel();
        let waiting = scope.spawn(move || {
            device(0);
            let comm = join(id, 0, 2).expect("both come");
            tell.send(comm).expect("somebody listens");
            let at = upload(&[1f32; 8]);
            all_reduce(at, at, 4, (F32, SUM), comm)
        });
        let other = scope.spawn(move || {
            device(1);
            join(id, 1, 2).expect("both come")
        });
        let comm = told.recv().expect("a communicator");
        other.join().expect("a rank");
        assert_eq!(nccl!("ncclCommAbort"(comm => usize)), 0);
        // Whether aborted before or during the wait, it ends.
        let code = waiting.join().expect("a rank");
        assert!([4, 5].contains(&code), "{code}");
    });
}
