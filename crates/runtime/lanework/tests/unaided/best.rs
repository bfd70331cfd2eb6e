//! A priority queue per thread: the N best items of each row, best first.
use lanework::prelude::*;

#[device]
trait RankedItem: Copy {
    type Rank: Copy + PartialOrd;
    const FILLER: Self;
    fn rank(&self) -> Self::Rank;
}

#[device]
impl RankedItem for u32 {
    type Rank = u32;
    const FILLER: u32 = u32::MAX;
    fn rank(&self) -> u32 {
        *self
    }
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct RankedTask {
    cost: f32,
    id: u32,
}

#[device]
impl RankedItem for RankedTask {
    type Rank = f32;
    const FILLER: RankedTask = RankedTask { cost: f32::INFINITY, id: 0 };
    fn rank(&self) -> f32 {
        self.cost
    }
}

/// A heap with the worst item on top.
#[device]
#[derive(Clone, Copy)]
struct BestHeap<T, const N: usize> {
    items: [T; N],
    len: usize,
}

#[device]
impl<T: RankedItem, const N: usize> BestHeap<T, N> {
    fn new() -> Self {
        BestHeap { items: [T::FILLER; N], len: 0 }
    }

    fn worst(&self) -> Option<&T> {
        self.items[..self.len].first()
    }

    fn push(&mut self, item: T) {
        let mut at = self.len;
        self.items[at] = item;
        self.len += 1;
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.items[parent].rank() >= self.items[at].rank() {
                break;
            }
            self.items.swap(parent, at);
            at = parent;
        }
    }

    fn pop(&mut self) -> Option<T> {
        let top = *self.worst()?;
        self.len -= 1;
        self.items[0] = self.items[self.len];
        let mut at = 0;
        loop {
            let mut largest = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if child < self.len && self.items[child].rank() > self.items[largest].rank() {
                    largest = child;
                }
            }
            if largest == at {
                return Some(top);
            }
            self.items.swap(at, largest);
            at = largest;
        }
    }

    fn offer(&mut self, item: T) -> bool {
        if self.len == N {
            match self.worst() {
                Some(worst) if item.rank() < worst.rank() => {
                    self.pop();
                }
                _ => return false,
            }
        }
        self.push(item);
        true
    }
}

#[kernel]
fn best<T: RankedItem, const N: usize>(
    x: &[T],
    columns: usize,
    out: &mut [T],
    accepted: &mut [u32],
) {
    let row = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    let Some(accepted) = accepted.get_mut(row) else {
        return;
    };
    let mut heap = BestHeap::<T, N>::new();
    for &item in &x[row * columns..(row + 1) * columns] {
        *accepted += heap.offer(item) as u32;
    }
    let out = &mut out[row * N..][..N];
    let mut at = heap.len;
    while let Some(item) = heap.pop() {
        at -= 1;
        out[at] = item;
    }
}

#[test]
fn best_numbers() -> lanework::Result<()> {
    let (rows, columns) = (40, 30);
    let x: Vec<u32> =
        (0..rows * columns).map(|i| (i as u32).wrapping_mul(2654435761) >> 20).collect();
    let device = Device::emulator().sanitized();
    let mut out = device.zeros::<u32>(rows * 5)?;
    let mut accepted = device.zeros::<u32>(rows)?;
    best::<u32, 5>(&device.upload(&x)?, columns, &mut out, &mut accepted)
        .grid(2)
        .block(32)
        .launch(&device)?;
    let (out, accepted) = (out.download()?, accepted.download()?);
    for (r, row) in x.chunks(columns).enumerate() {
        let mut kept: Vec<u32> = Vec::new();
        let mut want = 0;
        for &v in row {
            if kept.len() < 5 || v < kept[4] {
                want += 1;
                kept.push(v);
                kept.sort();
                kept.truncate(5);
            }
        }
        assert_eq!((&out[r * 5..r * 5 + 5], accepted[r]), (&kept[..], want), "row {r}");
    }
    Ok(())
}

#[test]
fn best_tasks() -> lanework::Result<()> {
    let mut tasks: Vec<RankedTask> =
        (0..20).map(|id| RankedTask { cost: (id * 7 % 20) as f32 * 0.25, id }).collect();
    let device = Device::emulator().sanitized();
    let mut out = device.upload(&[RankedTask::FILLER; 8])?;
    let mut accepted = device.zeros::<u32>(1)?;
    best::<RankedTask, 8>(&device.upload(&tasks)?, 20, &mut out, &mut accepted)
        .grid(1)
        .block(1)
        .launch(&device)?;
    tasks.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    assert_eq!(out.download()?, tasks[..8]);
    Ok(())
}
