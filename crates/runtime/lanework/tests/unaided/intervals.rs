//! Merges overlapping intervals: a bitonic sort of a block in shared memory, then a scan of the ends.
use lanework::prelude::*;

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
struct Interval {
    start: i32,
    end: i32,
}

#[device]
impl Interval {
    const EMPTY: Self = Interval { start: i32::MAX, end: i32::MIN };

    fn is_empty(&self) -> bool {
        self.start > self.end
    }
    fn touches(&self, other: &Interval) -> bool {
        self.start <= other.end && other.start <= self.end
    }
}

macro_rules! for_threads {
    ($i:ident in $range:expr => $body:block) => {
        for $i in $range.skip(thread_idx.x as usize).step_by(block_dim.x as usize) $body
        sync_threads();
    };
}

macro_rules! max {
    ($a:expr) => { $a };
    ($a:expr, $($rest:expr),+) => {{
        let (a, b) = ($a, max!($($rest),+));
        if a > b { a } else { b }
    }};
}

/// Sorts the shared array with a comparison.
#[device]
fn bitonic<F: Fn(&Interval, &Interval) -> bool>(items: SharedSlice<Interval>, greater: F) {
    let n = items.len();
    let mut size = 2;
    while size <= n {
        let mut stride = size / 2;
        while stride > 0 {
            for_threads!(i in 0..n => {
                let j = i ^ stride;
                if j > i {
                    let (a, b) = (items[i], items[j]);
                    let up = i & size == 0;
                    if greater(&a, &b) == up {
                        items[i] = b;
                        items[j] = a;
                    }
                }
            });
            stride >>= 1;
        }
        size <<= 1;
    }
}

#[kernel]
fn merge(input: &[Interval], count: usize, output: &mut [Interval], counts: &mut [u32]) {
    const N: usize = 64;
    let items = shared::<Interval>([N]);
    let ends = shared::<[i32; N]>();
    let found = shared::<u32>([1]);
    let base = block_idx.x as usize * count;
    let t = thread_idx.x as usize;

    for_threads!(i in 0..N => {
        items[i] = input[base..base + count].get(i).copied().unwrap_or(Interval::EMPTY);
    });
    bitonic(items[..], |a, b| a.start > b.start || (a.start == b.start && a.end > b.end));

    // ends[i]: the largest end up to i
    for_threads!(i in 0..N => {
        ends[i] = items.iter().take(i + 1).map(|x| x.end).max().unwrap_or(i32::MIN);
    });
    if t == 0 {
        found[0] = 0;
    }
    sync_threads();
    for_threads!(i in 0..N => {
        let item = items[i];
        if !item.is_empty() && (i == 0 || ends[i - 1] < item.start) {
            // The run goes on to the next interval that starts after its end.
            let mut end = item.end;
            for next in items.iter().skip(i + 1).take_while(|x| !x.is_empty()) {
                if !(Interval { start: item.start, end }).touches(&next) {
                    break;
                }
                end = max!(end, next.end, item.start);
            }
            let slot = atomic_add(&mut found[0], 1);
            output[base + slot as usize] = Interval { end, ..item };
        }
    });
    if t == 0 {
        counts[block_idx.x] = found[0];
    }
}

fn reference(list: &[Interval]) -> Vec<Interval> {
    let mut list: Vec<(i32, i32)> = list.iter().map(|i| (i.start, i.end)).collect();
    list.sort();
    let mut out: Vec<Interval> = vec![];
    for (start, end) in list {
        match out.last_mut() {
            Some(last) if last.end >= start => last.end = last.end.max(end),
            _ => out.push(Interval { start, end }),
        }
    }
    out
}

#[test]
fn intervals() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let count = 50;
    let input: Vec<Interval> = (0..6 * count as i32)
        .map(|i| {
            let start = i * 7919 % 1000 - 500;
            Interval { start, end: start + i * 31 % 17 }
        })
        .collect();
    let on_input = device.upload(&input)?;
    let mut output = device.upload(&vec![Interval { start: 0, end: 0 }; input.len()])?;
    let mut counts = device.zeros::<u32>(6)?;
    merge(&on_input, count, &mut output, &mut counts).grid(6).block(32).launch(&device)?;
    let (output, counts) = (output.download()?, counts.download()?);
    for (b, list) in input.chunks(count).enumerate() {
        let mut got = output[b * count..][..counts[b] as usize].to_vec();
        got.sort();
        assert_eq!(got, reference(list), "block {b}");
    }
    Ok(())
}
