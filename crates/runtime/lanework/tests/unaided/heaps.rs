//! The K largest items of each row: a generic binary heap of fixed capacity, a trait with an associated key.
use lanework::prelude::*;
use std::cmp::Ordering;
use std::mem;

#[device]
trait Item: Copy {
    type Key: PartialOrd + Copy;
    fn key(&self) -> Self::Key;

    fn order(&self, other: &Self) -> Ordering {
        self.key().partial_cmp(&other.key()).unwrap_or(Ordering::Equal)
    }
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
struct RankedJob {
    id: u32,
    urgency: u16,
    age: u16,
}

#[device]
impl Item for RankedJob {
    type Key = (u16, u16, u32);
    fn key(&self) -> (u16, u16, u32) {
        (self.urgency, self.age, self.id)
    }
}

#[device]
impl Item for f32 {
    type Key = f32;
    fn key(&self) -> f32 {
        *self
    }
}

/// A min-heap: the least of the kept items is at the root.
#[device]
#[derive(Clone, Copy)]
struct Heap<T, const K: usize> {
    items: [T; K],
    len: usize,
}

#[device]
impl<T: Item + Default, const K: usize> Heap<T, K> {
    fn new() -> Self {
        Heap { items: [T::default(); K], len: 0 }
    }

    fn less(&self, i: usize, j: usize) -> bool {
        self.items[i].order(&self.items[j]) == Ordering::Less
    }

    fn offer(&mut self, item: T) {
        if self.len < K {
            let mut at = self.len;
            self.items[at] = item;
            self.len += 1;
            while at > 0 {
                let parent = (at - 1) / 2;
                if !self.less(at, parent) {
                    break;
                }
                self.items.swap(at, parent);
                at = parent;
            }
        } else if item.order(&self.items[0]).is_gt() {
            let _old = mem::replace(&mut self.items[0], item);
            self.sift_down();
        }
    }

    fn sift_down(&mut self) {
        let mut at = 0;
        while let Some(child) = (2 * at + 1..=2 * at + 2)
            .filter(|&c| c < self.len)
            .min_by(|&a, &b| self.items[a].order(&self.items[b]))
        {
            if self.less(child, at) {
                self.items.swap(child, at);
                at = child;
            } else {
                return;
            }
        }
    }

    fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        self.items.swap(0, self.len);
        self.sift_down();
        Some(self.items[self.len])
    }
}

#[kernel]
fn largest<T: Item + Default, const K: usize>(rows: &[T], width: usize, out: &mut [T]) {
    let row = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if row >= rows.len() / width {
        return;
    }
    let mut heap = Heap::<T, K>::new();
    for &item in &rows[row * width..(row + 1) * width] {
        heap.offer(item);
    }
    let mut slot = K;
    while let Some(item) = heap.pop() {
        slot -= 1;
        out[row * K + slot] = item;
    }
}

#[test]
fn priorities() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let (width, count) = (50, 40);
    let jobs: Vec<RankedJob> = (0..width as u32 * count)
        .map(|id| RankedJob {
            id,
            urgency: (id.wrapping_mul(2654435761) % 13) as u16,
            age: (id * 31 % 7) as u16,
        })
        .collect();
    let on_jobs = device.upload(&jobs)?;
    let mut out = device.zeros::<RankedJob>(count as usize * 5)?;
    largest::<RankedJob, 5>(&on_jobs, width, &mut out).grid(2).block(32).launch(&device)?;
    let want: Vec<RankedJob> = jobs
        .chunks(width)
        .flat_map(|row| {
            let mut row = row.to_vec();
            row.sort_by_key(|j| std::cmp::Reverse((j.urgency, j.age, j.id)));
            row.truncate(5);
            row
        })
        .collect();
    assert_eq!(out.download()?, want);

    let floats: Vec<f32> =
        (0..width as u32 * count).map(|i| (i * 7919 % 1009) as f32 * 0.5 - 100.0).collect();
    let on_floats = device.upload(&floats)?;
    let mut out = device.zeros::<f32>(count as usize * 8)?;
    largest::<f32, 8>(&on_floats, width, &mut out).grid(2).block(32).launch(&device)?;
    let want: Vec<f32> = floats
        .chunks(width)
        .flat_map(|row| {
            let mut row = row.to_vec();
            row.sort_by(|a, b| b.total_cmp(a));
            row.truncate(8);
            row
        })
        .collect();
    assert_eq!(out.download()?, want);
    Ok(())
}
