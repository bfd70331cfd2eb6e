//! Random programs of streams, events, graphs and synchronizing calls, checked against an independent model: the transitive closure of the rules,
//! with every pair of operations compared byte by byte.

use crate::ordering::findings::{Action, Operation, StreamName};
use crate::ordering::history::{EndedPart, History};
use crate::ordering::running::OrderingState;
use crate::ordering::strands::{GraphOrder, Point, Step, Strands};
use crate::state::Handle;
use crate::streams::stream::{OrderedStream, StreamKey};
use lanework::emulator::sanitize::footprint::{AccessMode, Footprint};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Pseudorandom numbers (Steele, Lea and Flood 2014, SplitMix).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) % end as u64) as usize
    }
}

/// One call of a program. Streams and events are numbers; an access is a mode and a range.
#[derive(Clone, Debug)]
enum Call {
    Work(usize, Vec<Access>),
    /// A graph: nodes with dependencies and accesses.
    Graph(usize, Vec<(Vec<usize>, Vec<Access>)>),
    Record(usize, usize),
    Wait(usize, usize),
    SynchronizeStream(usize),
    SynchronizeEvent(usize),
    SynchronizeContext(usize),
}

type Access = (AccessMode, u64, u64);

/// The streams: default streams of two contexts, blocking and non-blocking ones.
const STREAMS: [OrderedStream; 6] = [
    of(1, 0, true),
    of(1, 5, true),
    of(1, 6, true),
    of(1, 7, false),
    of(1, 8, false),
    of(2, 9, true),
];

const fn of(context: Handle, stream: Handle, blocking: bool) -> OrderedStream {
    OrderedStream { key: StreamKey { context, stream }, blocking }
}
const EVENTS: usize = 3;

fn accesses(random: &mut Random) -> Vec<Access> {
    let kinds = [
        AccessMode::Read,
        AccessMode::Read,
        AccessMode::Write,
        AccessMode::StrongWrite,
        AccessMode::StrongRead,
    ];
    (0..1 + random.below(2))
        .map(|_| {
            let start = 4090 + 4 * random.below(6) as u64;
            (kinds[random.below(5)], start, 4 * (1 + random.below(2) as u64))
        })
        .collect()
}

fn program(random: &mut Random, calls: usize) -> Vec<Call> {
    let streams = 2 + random.below(STREAMS.len() - 1);
    let mut recorded = [false; EVENTS];
    (0..calls)
        .map(|_| {
            let (stream, event) = (random.below(streams), random.below(EVENTS));
            match random.below(24) {
                0..12 => Call::Work(stream, accesses(random)),
                12 => {
                    let nodes = (0..2 + random.below(4)).map(|node| {
                        let after = (0..node).filter(|_| random.below(2) == 0).collect();
                        (after, accesses(random))
                    });
                    Call::Graph(stream, nodes.collect())
                }
                13..17 => {
                    recorded[event] = true;
                    Call::Record(event, stream)
                }
                // Waiting for an event that was never recorded does nothing.
                17..21 if recorded[event] => Call::Wait(stream, event),
                21 => Call::SynchronizeStream(stream),
                22 => Call::SynchronizeEvent(event),
                _ if random.below(3) == 0 => Call::SynchronizeContext(stream),
                _ => Call::Work(stream, accesses(random)),
            }
        })
        .collect()
}

/// An operation: call number and graph node.
type Part = (usize, usize);

/// Races found by the code under test.
fn found(calls: &[Call]) -> BTreeSet<(Part, Part)> {
    let (mut strands, mut history) = (Strands::default(), History::default());
    let mut events: BTreeMap<usize, Arc<Point>> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for (number, call) in calls.iter().enumerate() {
        let mut end = |point: &Arc<Point>, steps: Vec<Step>, node: usize, all: &[Access]| {
            let action = Action::Kernel(format!("{number} {node}"), 0);
            let operation =
                Operation { action, stream: StreamName::Default, polls: false, site: None };
            let races = history.add(EndedPart {
                point: point.clone(),
                steps: steps.into(),
                operation: Arc::new(operation),
                footprint: Footprint::of_ranges(all.iter().copied()),
                shadows: Vec::new(),
            });
            let part = |operation: &Operation| {
                let (call, node) = operation.name().split_once(' ').expect("two numbers");
                (call.parse().expect("a number"), node.parse().expect("a number"))
            };
            found.extend(races.iter().map(|race| (part(&race.first.0), part(&race.second.0))));
        };
        match call {
            Call::Work(stream, all) => {
                end(&strands.issue(STREAMS[*stream]), Vec::new(), 0, all);
            }
            Call::Graph(stream, nodes) => {
                let point = strands.issue(STREAMS[*stream]);
                let after: Vec<Vec<Handle>> = nodes
                    .iter()
                    .map(|(after, _)| after.iter().map(|node| *node as Handle).collect())
                    .collect();
                let named = after.iter().enumerate();
                let order =
                    GraphOrder::from_nodes(named.map(|(node, after)| (node as Handle, &after[..])));
                let order = Arc::new(order);
                for (node, (_, all)) in nodes.iter().enumerate() {
                    let step = Step::Node(order.clone(), node as Handle);
                    end(&point, vec![step], node, all);
                }
            }
            Call::Record(event, stream) => {
                let point = strands.issue(STREAMS[*stream]);
                end(&point, Vec::new(), 0, &[]);
                events.insert(*event, point);
            }
            Call::Wait(stream, event) => {
                if let Some(point) = events.get(event) {
                    strands.wait(STREAMS[*stream], point.clone());
                }
            }
            Call::SynchronizeStream(stream) => {
                let points = strands.of_stream(STREAMS[*stream].key);
                points.iter().for_each(|point| strands.host_waited(point));
            }
            Call::SynchronizeEvent(event) => {
                events.get(event).into_iter().for_each(|point| strands.host_waited(point));
            }
            Call::SynchronizeContext(stream) => {
                let points = strands.of_context(STREAMS[*stream].key.context);
                points.iter().for_each(|point| strands.host_waited(point));
            }
        }
        history.forget(strands.host());
    }
    found
}

/// Races by the rules: takes the closure of all edges, and compares every pair.
fn expected(calls: &[Call]) -> BTreeSet<(Part, Part)> {
    let count = calls.len();
    let mut before = vec![vec![false; count]; count];
    let stream_of = |call: &Call| match call {
        Call::Work(stream, _)
        | Call::Graph(stream, _)
        | Call::Record(_, stream)
        | Call::Wait(stream, _) => Some(STREAMS[*stream]),
        _ => None,
    };
    let mut records: BTreeMap<usize, usize> = BTreeMap::new();
    for (later, call) in calls.iter().enumerate() {
        for (earlier, other) in calls[..later].iter().enumerate() {
            before[earlier][later] |= match (stream_of(other), stream_of(call)) {
                (Some(one), Some(two)) => {
                    let to_default = two.key.stream == 0 && one.blocking;
                    let from_default = one.key.stream == 0 && two.blocking;
                    let in_context = one.key.context == two.key.context;
                    one == two || in_context && (to_default || from_default)
                }
                // Host calls are ordered.
                (None, _) => true,
                (Some(OrderedStream { key: one, blocking }), None) => match call {
                    Call::SynchronizeStream(stream) => {
                        let two = STREAMS[*stream].key;
                        let of_default = two.stream == 0 && one.context == two.context;
                        one == two || of_default && blocking
                    }
                    Call::SynchronizeEvent(event) => {
                        records.get(event).is_some_and(|record| *record == earlier)
                    }
                    Call::SynchronizeContext(stream) => one.context == STREAMS[*stream].key.context,
                    _ => false,
                },
            };
        }
        match call {
            Call::Record(event, _) => drop(records.insert(*event, later)),
            Call::Wait(_, event) => {
                records.get(event).into_iter().for_each(|record| before[*record][later] = true);
            }
            _ => {}
        }
    }
    for middle in 0..count {
        for earlier in 0..count {
            for later in 0..count {
                before[earlier][later] |= before[earlier][middle] && before[middle][later];
            }
        }
    }
    let parts: Vec<(Part, &[Access])> = calls
        .iter()
        .enumerate()
        .flat_map(|(number, call)| match call {
            Call::Work(_, all) => vec![((number, 0), &all[..])],
            Call::Graph(_, nodes) => nodes
                .iter()
                .enumerate()
                .map(|(node, (_, all))| ((number, node), &all[..]))
                .collect(),
            _ => Vec::new(),
        })
        .collect();
    let reaches = |call: usize, from: usize, to: usize| {
        let Call::Graph(_, nodes) = &calls[call] else { return true };
        let mut reached = vec![to];
        let mut at = 0;
        while at < reached.len() {
            reached.extend(&nodes[reached[at]].0);
            at += 1;
        }
        reached.contains(&from)
    };
    let conflict = |one: &[Access], other: &[Access]| {
        one.iter().any(|(a, from, bytes)| {
            other.iter().any(|(b, at, length)| {
                let writes = a.writes() || b.writes();
                let strong = a.is_strong() && b.is_strong();
                (*from..from + bytes).any(|byte| (*at..at + length).contains(&byte))
                    && writes
                    && !strong
            })
        })
    };
    let mut races = BTreeSet::new();
    for (index, (one, first)) in parts.iter().enumerate() {
        for (two, second) in &parts[index + 1..] {
            let ordered = match one.0 == two.0 {
                true => reaches(one.0, one.1, two.1) || reaches(one.0, two.1, one.1),
                false => before[one.0][two.0],
            };
            if !ordered && conflict(first, second) {
                races.insert((*one, *two));
            }
        }
    }
    races
}

#[test]
fn races_match_the_transitive_closure() {
    let mut random = Random(7);
    let (mut racing, mut correct) = (0, 0);
    for _ in 0..3000 {
        let length = 2 + random.below(16);
        let calls = program(&mut random, length);
        let (found, expected) = (found(&calls), expected(&calls));
        // At most `MOST_RACES` are reported per operation.
        let mut told: BTreeMap<Part, usize> = BTreeMap::new();
        found.iter().for_each(|(_, second)| *told.entry(*second).or_default() += 1);
        assert!(found.is_subset(&expected), "{found:?} of {expected:?}: {calls:#?}");
        let missing: Vec<_> = expected.difference(&found).collect();
        assert!(
            missing.iter().all(|(_, second)| told.get(second) == Some(&super::history::MOST_RACES)),
            "{missing:?} are missing: {calls:#?}"
        );
        *(if expected.is_empty() { &mut correct } else { &mut racing }) += 1;
    }
    assert!(racing > 500 && correct > 500, "{racing} racing, {correct} correct");
}

#[test]
fn subsumed_operations_hide_no_race() {
    let mut random = Random(99);
    for _ in 0..8 {
        let calls = program(&mut random, 200);
        let (found, expected) = (found(&calls), expected(&calls));
        let second = |races: &BTreeSet<(Part, Part)>| -> BTreeSet<Part> {
            races.iter().map(|(_, second)| *second).collect()
        };
        assert!(found.is_subset(&expected));
        assert_eq!(second(&found), second(&expected));
    }
}

#[test]
fn waiting_for_a_running_operation_orders_after_it() {
    let mut state = OrderingState::default();
    let [signal, follow] = [3, 4].map(|stream| state.strands.issue(STREAMS[stream]));
    let ended = |point: &Arc<Point>| EndedPart {
        point: point.clone(),
        steps: Vec::new().into(),
        operation: Arc::new(Operation {
            action: Action::Kernel("fill".to_owned(), 0),
            stream: StreamName::Default,
            polls: false,
            site: None,
        }),
        footprint: Footprint::of_ranges([(AccessMode::Write, 0, 4)]),
        shadows: Vec::new(),
    };
    // `follow` sees the flag, and the operation after it finishes, while the operation that wrote the flag still runs.
    state.running.extend([signal.clone(), follow.clone()]);
    follow.acquire(&state.all_but(&follow));
    let fill = state.strands.issue(STREAMS[4]);
    assert!(state.history.add(ended(&fill)).is_empty());
    assert!(state.history.add(ended(&signal)).is_empty());
    // An operation that waited for nothing races with both.
    let other = state.strands.issue(STREAMS[5]);
    assert_eq!(state.history.add(ended(&other)).len(), 2);
}
