//! Ranks in several processes of one host: each test runs this program again for every rank.

use crate::common::*;
use std::process::{Child, Command, Output, Stdio};

const ID: &str = "LANEWORK_TEST_ID";
const RANK: &str = "LANEWORK_TEST_RANK";

/// The id and the rank of this process, if a test started it.
fn given() -> Option<(Id, usize)> {
    let digits = std::env::var(ID).ok()?;
    let mut id = Id([0; 128]);
    for (byte, pair) in id.0.iter_mut().zip(digits.as_bytes().chunks(2)) {
        let pair = std::str::from_utf8(pair).expect("digits");
        *byte = u8::from_str_radix(pair, 16).expect("digits");
    }
    Some((id, std::env::var(RANK).expect("a rank").parse().expect("a number")))
}

fn start(test: &str, id: Id, rank: usize, timeout: &str) -> Child {
    let digits: String = id.0.iter().map(|byte| format!("{byte:02x}")).collect();
    Command::new(std::env::current_exe().expect("a program"))
        .args([format!("processes::{test}").as_str(), "--exact", "--nocapture"])
        .envs([
            (ID, digits.as_str()),
            (RANK, &rank.to_string()),
            ("LANEWORK_NCCL_TIMEOUT", timeout),
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts")
}

fn ended(child: Child) -> (bool, String) {
    let Output { status, stdout, stderr } = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr);
    (status.success(), text)
}

#[test]
fn processes_reduce_gather_and_send() {
    // Two processes of two threads each, so ranks communicate within a process and between processes.
    if let Some((id, process)) = given() {
        let body = |rank: usize| {
            device(rank);
            let comm = join(id, rank, 4).expect("all come");
            // More data than a socket buffers.
            let many = 300_000;
            let at = upload(&(0..many).map(|index| (index + rank) as i32).collect::<Vec<_>>());
            assert_eq!(all_reduce(at, at, many, (I32, SUM), comm), 0);
            let sums: Vec<i32> = download(at, many);
            assert!(sums.iter().enumerate().all(|(index, sum)| *sum == (4 * index + 6) as i32));
            let all = upload(&[0i32; 4]);
            let own = upload(&[rank as i32]);
            assert_eq!(
                nccl!("ncclAllGather"(own => u64, all => u64, 1 => usize, I32 => i32, comm => usize, 0 => usize)),
                0
            );
            assert_eq!(download::<i32>(all, 4), [0, 1, 2, 3]);
            // Sends around a ring, in a group, because both sides wait for each other.
            let (next, previous) = (((rank + 1) % 4) as i32, ((rank + 3) % 4) as i32);
            let to = upload(&vec![0i32; many]);
            assert_eq!(nccl!("ncclGroupStart"()), 0);
            assert_eq!(
                nccl!("ncclRecv"(to => u64, many => usize, I32 => i32, previous => i32, comm => usize, 0 => usize)),
                0
            );
            assert_eq!(
                nccl!("ncclSend"(at => u64, many => usize, I32 => i32, next => i32, comm => usize, 0 => usize)),
                0
            );
            assert_eq!(nccl!("ncclGroupEnd"()), 0);
            assert_eq!(download::<i32>(to, many), sums);
            let mut half = 0usize;
            let color = (rank % 2) as i32;
            assert_eq!(
                nccl!("ncclCommSplit"(comm => usize, color => i32, 0 => i32, &mut half => *mut usize, std::ptr::null() => *const u8)),
                0
            );
            assert_eq!(all_reduce(own, own, 1, (I32, SUM), half), 0);
            assert_eq!(download::<i32>(own, 1), [[2], [4]][rank % 2]);
            destroy(half);
            destroy(comm);
        };
        std::thread::scope(|scope| {
            for rank in [2 * process, 2 * process + 1] {
                scope.spawn(move || body(rank));
            }
        });
        return;
    }
    let id = unique_id();
    let children =
        [0, 1].map(|process| start("processes_reduce_gather_and_send", id, process, "100"));
    for (success, text) in children.map(ended) {
        assert!(success, "{text}");
    }
}

#[test]
fn a_rank_that_never_comes_is_named() {
    if let Some((id, rank)) = given() {
        device(rank);
        assert_eq!(join(id, rank, 4), Err(6));
        return;
    }
    let id = unique_id();
    let children = [0, 2].map(|rank| start("a_rank_that_never_comes_is_named", id, rank, "1"));
    for (success, text) in children.map(ended) {
        // One rank may have timed out before the other arrived.
        assert!(
            success
                && text.contains("have not arrived to make the communicator")
                && text.contains("1"),
            "{text}"
        );
    }
}

#[test]
fn a_rank_that_makes_no_call_is_named_and_one_that_dies_is_noticed() {
    if let Some((id, rank)) = given() {
        device(rank);
        let comm = join(id, rank, 3).expect("all come");
        let at = upload(&[1f32; 4]);
        assert_eq!(all_reduce(at, at, 4, (F32, SUM), comm), 0);
        match rank {
            // This rank makes all calls but the last and dies without a message: no Rust destructor runs.
            2 => std::process::abort(),
            _ => assert_eq!(all_reduce(at, at, 4, (F32, SUM), comm), 6),
        }
        return;
    }
    let id = unique_id();
    let name = "a_rank_that_makes_no_call_is_named_and_one_that_dies_is_noticed";
    let children = [0, 1, 2].map(|rank| start(name, id, rank, "100"));
    let [first, second, third] = children.map(ended);
    assert!(first.0 && second.0 && !third.0, "{first:?} {second:?}");
    for (_, text) in [first, second] {
        assert!(text.contains("left before ncclAllReduce (sum) of 4 f32 (call 2)"), "{text}");
    }
}

#[test]
fn a_missing_call_is_named_after_the_time_limit() {
    if let Some((id, rank)) = given() {
        device(rank);
        let comm = join(id, rank, 2).expect("all come");
        if rank == 0 {
            let at = upload(&[1f32; 4]);
            assert_eq!(all_reduce(at, at, 4, (F32, SUM), comm), 6);
            return;
        }
        // Waits until the other rank reports its timeout.
        let at = upload(&[1f32; 4]);
        assert_eq!(
            nccl!("ncclRecv"(at => u64, 4 => usize, F32 => i32, 0 => i32, comm => usize, 0 => usize)),
            6
        );
        return;
    }
    let id = unique_id();
    let name = "a_missing_call_is_named_after_the_time_limit";
    let children = [start(name, id, 0, "2"), start(name, id, 1, "100")];
    let [first, second] = children.map(ended);
    assert!(
        first.0
            && first.1.contains(
                "ncclAllReduce (sum) of 4 f32 (call 1): rank 1 of 2 has not arrived, rank 0 waited 2 s"
            ),
        "{first:?}"
    );
    assert!(second.0 && second.1.contains("rank 0 left before a message of 4 f32"), "{second:?}");
}
