//! Every thread simulates a counter with several clerks: a priority queue of events, and its own random numbers.
use lanework::prelude::*;

#[device]
trait RandomSource {
    fn next(&mut self) -> u64;
    fn below(&mut self, limit: u32) -> u32 {
        ((self.next() >> 32) * limit as u64 >> 32) as u32
    }
}

#[device]
#[derive(Clone, Copy)]
struct SplitMix {
    state: u64,
}

#[device]
impl RandomSource for SplitMix {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct ClerkEvent {
    time: u32,
    clerk: u8,
}

#[device]
struct Heap<T, const N: usize> {
    items: [T; N],
    len: usize,
}

#[device]
impl<T: Copy + Default + PartialOrd, const N: usize> Heap<T, N> {
    fn new() -> Self {
        Heap { items: [T::default(); N], len: 0 }
    }

    fn push(&mut self, item: T) -> bool {
        if self.len == N {
            return false;
        }
        let mut at = self.len;
        self.len += 1;
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.items[parent] <= item {
                break;
            }
            self.items[at] = self.items[parent];
            at = parent;
        }
        self.items[at] = item;
        true
    }

    fn pop(&mut self) -> Option<T> {
        if self.len == 0 {
            return None;
        }
        let first = self.items[0];
        self.len -= 1;
        let last = self.items[self.len];
        let mut at = 0;
        loop {
            let mut child = 2 * at + 1;
            if child >= self.len {
                break;
            }
            if child + 1 < self.len && self.items[child + 1] < self.items[child] {
                child += 1;
            }
            if last <= self.items[child] {
                break;
            }
            self.items[at] = self.items[child];
            at = child;
        }
        self.items[at] = last;
        Some(first)
    }
}

#[device]
fn simulate<R: RandomSource, const CLERKS: usize>(
    rng: &mut R,
    closing: u32,
) -> (u32, [u32; CLERKS]) {
    let mut queue = Heap::<ClerkEvent, CLERKS>::new();
    let mut served = [0; CLERKS];
    for clerk in 0..CLERKS as u8 {
        queue.push(ClerkEvent { time: 0, clerk });
    }
    let mut end = 0;
    while let Some(ClerkEvent { time, clerk }) = queue.pop() {
        end = end.max(time);
        if time < closing {
            served[clerk as usize] += 1;
            queue.push(ClerkEvent { time: time + 1 + rng.below(20 + 10 * clerk as u32), clerk });
        }
    }
    (end, served)
}

#[kernel]
fn offices<const CLERKS: usize>(
    seed: u64,
    closing: u32,
    ends: &mut [u32],
    served: &mut [[u32; CLERKS]],
) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if i < ends.len() {
        let mut rng = SplitMix { state: seed ^ (i as u64) << 40 };
        (ends[i], served[i]) = simulate::<_, CLERKS>(&mut rng, closing);
    }
}

#[test]
fn offices_serve() -> lanework::Result<()> {
    use std::{cmp::Reverse, collections::BinaryHeap};
    const SEED: u64 = 77;
    let device = Device::emulator().sanitized();
    let mut ends = device.zeros::<u32>(45)?;
    let mut served = device.upload(&[[0u32; 3]; 45])?;
    offices::<3>(SEED, 300, &mut ends, &mut served).grid(2).block(32).launch(&device)?;
    let (ends, served) = (ends.download()?, served.download()?);
    for i in 0..45 {
        let mut state = SEED ^ (i as u64) << 40;
        let mut random = |limit: u64| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (((z ^ (z >> 31)) >> 32) * limit) >> 32
        };
        let mut queue: BinaryHeap<_> = (0..3usize).map(|clerk| Reverse((0u64, clerk))).collect();
        let (mut want, mut end) = ([0u32; 3], 0);
        while let Some(Reverse((time, clerk))) = queue.pop() {
            end = time;
            if time < 300 {
                want[clerk] += 1;
                queue.push(Reverse((time + 1 + random(20 + 10 * clerk as u64), clerk)));
            }
        }
        assert_eq!((ends[i] as u64, served[i]), (end, want), "office {i}");
    }
    Ok(())
}
