//! A replay reaches the state of the first run, forward and backward.

use crate::common::Launch;
use lanework_debug::session::stepping::{StepKind, StepUnit};
use lanework_debug::session::{SessionOptions, StopReason};
use lanework_emulator::Schedule;

const SUM: &str = "\
__global__ void sum(const unsigned* x, unsigned* y, unsigned n) {
    __shared__ unsigned tile[64];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (unsigned step = 32; step > 0; step /= 2) {
        if (threadIdx.x < step)
            tile[threadIdx.x] += tile[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = tile[0];
}
";

fn sum() -> Launch<'static> {
    let x = (0..250).collect();
    Launch { source: SUM, shape: (4, 64), arrays: vec![x, vec![0; 4]], numbers: vec![250] }
}

fn schedules() -> [SessionOptions; 3] {
    [Schedule::InOrder, Schedule::Reversed, Schedule::Seeded(5)]
        .map(|schedule| SessionOptions { schedule, ..SessionOptions::default() })
}

#[test]
fn stepping_forward_and_back_gives_the_same_state() {
    for options in schedules() {
        sum().debug(options, |session| {
            let steps = session.timeline().steps();
            // Pseudo-random places and distances.
            let mut random = 12345u64;
            for _ in 0..12 {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let (from, by) = (random >> 33, (random >> 20) % 40);
                let from = from % (steps - 1);
                session.go_to(from, StopReason::Moved).unwrap();
                let (before, memory) = (session.moment().cloned(), session.evaluate("x[7]").ok());
                for _ in 0..by {
                    session.take_step(StepKind::Instruction, StepUnit::Thread, false).unwrap();
                }
                let there = session.step();
                assert!(there >= from);
                session.go_to(from, StopReason::Moved).unwrap();
                assert_eq!(session.step(), from);
                assert_eq!(session.moment().cloned(), before, "steps {from} and {there}");
                assert_eq!(session.evaluate("x[7]").ok(), memory);
            }
        });
    }
}

#[test]
fn instruction_steps_of_a_thread_are_undone_one_by_one() {
    sum().debug(SessionOptions::default(), |session| {
        session.select(0, 40).unwrap();
        session.take_step(StepKind::Instruction, StepUnit::Thread, false).unwrap();
        let mut places = Vec::new();
        for _ in 0..30 {
            places.push((session.step(), session.focus(), session.moment().cloned()));
            session.take_step(StepKind::Instruction, StepUnit::Thread, false).unwrap();
        }
        for (step, focus, moment) in places.into_iter().rev() {
            session.take_step(StepKind::Instruction, StepUnit::Thread, true).unwrap();
            assert_eq!((session.step(), session.focus()), (step, focus));
            assert!(session.moment().cloned() == moment, "step {step}");
        }
    });
}

#[test]
fn the_result_is_that_of_the_first_run_in_every_order() {
    for options in schedules() {
        sum().debug(options, |session| {
            session.go_to(u64::MAX, StopReason::Moved).unwrap();
            assert_eq!(*session.reason(), StopReason::End);
            let y = session.evaluate("y[0..4]").unwrap();
            let sums: Vec<u32> = (0..4).map(|b| (b * 64..250.min(b * 64 + 64)).sum()).collect();
            assert_eq!(y.text(), format!("{sums:?}"));
        });
    }
}

#[test]
fn blocks_start_in_the_opposite_order_if_reversed() {
    let [normal, reversed, _] = schedules();
    let order = |options| {
        sum().debug(options, |session| {
            let starts = session.timeline().starts().iter();
            starts.flat_map(|start| start.blocks.clone()).collect::<Vec<u64>>()
        })
    };
    assert_eq!(order(normal), [0, 1, 2, 3]);
    assert_eq!(order(reversed), [3, 2, 1, 0]);
}
