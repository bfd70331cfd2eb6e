//! A replay reaches the state of the first run, forward and backward.

use crate::common::TestLaunch;
use lanework_debug::session::breakpoints::BreakpointKind;
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

fn sum() -> TestLaunch<'static> {
    let x = (0..250).collect();
    TestLaunch { source: SUM, shape: (4, 64), arrays: vec![x, vec![0; 4]], numbers: vec![250] }
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

/// Each block adds to all elements, so a snapshot must contain the writes of earlier blocks.
const LONG: &str = "\
__global__ void add(unsigned* x, unsigned n) {
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        x[i] += blockIdx.x + i;
}
";

fn long() -> TestLaunch<'static> {
    TestLaunch { source: LONG, shape: (200, 64), arrays: vec![vec![0; 2048]], numbers: vec![2048] }
}

#[test]
fn a_replay_from_a_snapshot_reaches_the_state_of_one_from_the_start() {
    let at = |budget: u64, schedule: Schedule| {
        let options = SessionOptions { schedule, budget, ..SessionOptions::default() };
        long().debug(options, |session| {
            let starts = session.timeline().replay_starts().len();
            let steps = session.timeline().steps();
            let mut found = Vec::new();
            for step in [steps - 1, steps / 2, steps / 3, steps - 70_000, 5] {
                session.go_to(step, StopReason::Moved).unwrap();
                let x = session.evaluate("x[0..2048]").unwrap();
                found.push((session.at(), session.moment().cloned(), x));
            }
            (starts, found)
        })
    };
    for schedule in [Schedule::InOrder, Schedule::Reversed] {
        let (with, snapshots) = at(64 << 20, schedule);
        let (without, start) = at(0, schedule);
        assert!(with >= 3, "{with} places to start from");
        assert_eq!(without, 1);
        assert!(snapshots == start);
    }
}

#[test]
fn the_past_is_searched_across_snapshots() {
    let output = long().script(
        "goto end
         stats
         who wrote x[7] 3
         break 3 if blockIdx.x == 1 && i < 64
         rcontinue
         rcontinue",
    );
    for text in [
        "x[7]: 20889 -> 21094 by thread (7,0,0) of block (198,0,0)",
        "x[7]: 21094 -> 21300 by thread (7,0,0) of block (199,0,0)",
        "breakpoint 1: thread (32,0,0) of block (1,0,0)",
        "breakpoint 1: thread (0,0,0) of block (1,0,0)",
    ] {
        assert!(output.contains(text), "`{text}` is missing in\n{output}");
    }
}

/// A long loop in one block: a step forward must not depend on what the steps before it were.
#[test]
fn steps_and_stops_are_the_same_from_any_step_of_a_long_block() {
    let source = "\
__global__ void spin(unsigned* x, unsigned n) {
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++) {
        sum += i;
        if (i % 7 == threadIdx.x / 32)
            __syncwarp();
        x[threadIdx.x] = sum;
    }
    __syncthreads();
    x[threadIdx.x] += 1;
}
";
    let launch =
        TestLaunch { source, shape: (1, 96), arrays: vec![vec![0; 96]], numbers: vec![300] };
    launch.debug(SessionOptions::default(), |session| {
        let line = session.find_line("10").expect("code");
        session.add_breakpoint(BreakpointKind::Line(line), None, "10".to_owned());
        let steps = session.timeline().steps();
        session.go_to(0, StopReason::Moved).unwrap();
        let mut stops = Vec::new();
        while *session.reason() != StopReason::End {
            session.go_on(false).unwrap();
            stops.push(session.step());
        }
        // Each warp arrives there once.
        assert_eq!(stops.len(), 4, "{stops:?}");
        for from in [1, steps / 5, steps / 2, steps - 200, stops[0], stops[1] + 1] {
            session.go_to(from, StopReason::Moved).unwrap();
            session.go_on(false).unwrap();
            let expected = stops.iter().find(|stop| **stop > from).copied();
            assert_eq!(Some(session.step()), expected, "from step {from}");
        }
        // Lines of a thread, stepped forward from a middle step, are those that stepping back undoes.
        session.go_to(steps / 2, StopReason::Moved).unwrap();
        session.take_step(StepKind::Over, StepUnit::Thread, false).unwrap();
        let mut places = Vec::new();
        for _ in 0..12 {
            places.push(session.step());
            session.take_step(StepKind::Over, StepUnit::Thread, false).unwrap();
        }
        for step in places.into_iter().rev() {
            session.take_step(StepKind::Over, StepUnit::Thread, true).unwrap();
            assert_eq!(session.step(), step);
        }
    });
}
