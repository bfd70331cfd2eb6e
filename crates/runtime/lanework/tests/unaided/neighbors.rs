//! k nearest neighbors in a kd-tree: recursion replaced by a stack of an enum, a metric trait, sorted insertion.
use lanework::prelude::*;

const D: usize = 3;

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct TreeNode {
    point: [f32; D],
    id: u32,
}

#[device]
trait Metric {
    type Distance: Copy + PartialOrd;
    const FAR: Self::Distance;
    fn distance(a: &[f32; D], b: &[f32; D]) -> Self::Distance;
    /// The distance to a plane that is `x` away.
    fn plane(x: f32) -> Self::Distance;
    fn bits(d: Self::Distance) -> u32;
}

#[device]
struct Euclid;
#[device]
struct Fixed;

#[device]
impl Metric for Euclid {
    type Distance = f32;
    const FAR: f32 = f32::INFINITY;
    fn distance(a: &[f32; D], b: &[f32; D]) -> f32 {
        a.iter().zip(b.iter()).map(|(x, y)| (x - y).powi(2)).sum()
    }
    fn plane(x: f32) -> f32 {
        x * x
    }
    fn bits(d: f32) -> u32 {
        d.to_bits()
    }
}

/// The largest coordinate difference, in 1/256.
#[device]
impl Metric for Fixed {
    type Distance = u32;
    const FAR: u32 = u32::MAX;
    fn distance(a: &[f32; D], b: &[f32; D]) -> u32 {
        (0..D).map(|k| Self::plane(a[k] - b[k])).max().unwrap()
    }
    fn plane(x: f32) -> u32 {
        (x.abs() * 256.0) as u32
    }
    fn bits(d: u32) -> u32 {
        d
    }
}

/// A subtree over nodes[low..high], or one behind a splitting plane.
#[device]
#[derive(Clone, Copy)]
enum Visit<T> {
    Tree { low: u32, high: u32, axis: u8 },
    Behind { low: u32, high: u32, axis: u8, at_least: T },
}

#[device]
struct Stack<T, const N: usize> {
    items: [Option<T>; N],
    len: usize,
}

#[device]
impl<T: Copy, const N: usize> Stack<T, N> {
    fn with(first: T) -> Self {
        let mut stack = Stack { items: [None; N], len: 0 };
        stack.push(first);
        stack
    }
    fn push(&mut self, item: T) {
        self.items[self.len] = Some(item);
        self.len += 1;
    }
    fn pop(&mut self) -> Option<T> {
        if self.len == 0 {
            return None;
        }
        self.len -= 1;
        self.items[self.len].take()
    }
}

/// The K nearest so far, in order.
#[device]
#[derive(Clone, Copy)]
struct Best<T, const K: usize>([(T, u32); K]);

#[device]
impl<T: Copy + PartialOrd, const K: usize> Best<T, K> {
    fn worst(&self) -> T {
        self.0[K - 1].0
    }
    fn insert(&mut self, d: T, id: u32) {
        let mut new = (d, id);
        for slot in self.0.iter_mut() {
            if new.0 < slot.0 || (new.0 == slot.0 && new.1 < slot.1) {
                std::mem::swap(slot, &mut new);
            }
        }
    }
}

#[device]
fn search<M: Metric, const K: usize>(nodes: &[TreeNode], query: &[f32; D]) -> Best<M::Distance, K> {
    let mut best = Best([(M::FAR, u32::MAX); K]);
    let mut stack = Stack::<Visit<M::Distance>, 32>::with(Visit::Tree {
        low: 0,
        high: nodes.len() as u32,
        axis: 0,
    });
    while let Some(visit) = stack.pop() {
        let (low, high, axis) = match visit {
            Visit::Behind { at_least, .. } if at_least > best.worst() => continue,
            Visit::Behind { low, high, axis, .. } | Visit::Tree { low, high, axis } => {
                (low, high, axis)
            }
        };
        if low >= high {
            continue;
        }
        let middle = low + (high - low) / 2;
        let TreeNode { point, id } = nodes[middle as usize];
        best.insert(M::distance(&point, query), id);
        let next = (axis + 1) % D as u8;
        let offset = query[axis as usize] - point[axis as usize];
        let ((near_low, near_high), (low, high)) = if offset < 0.0 {
            ((low, middle), (middle + 1, high))
        } else {
            ((middle + 1, high), (low, middle))
        };
        stack.push(Visit::Behind { low, high, axis: next, at_least: M::plane(offset) });
        stack.push(Visit::Tree { low: near_low, high: near_high, axis: next });
    }
    best
}

#[kernel]
fn nearest<M: Metric, const K: usize>(
    nodes: &[TreeNode],
    queries: &[[f32; D]],
    ids: &mut [[u32; K]],
    bits: &mut [[u32; K]],
) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    let Some(query) = queries.get(i as usize) else { return };
    let best = search::<M, K>(nodes, query);
    ids[i as usize] = best.0.map(|(_, id)| id);
    bits[i as usize] = best.0.map(|(d, _)| M::bits(d));
}

fn build(nodes: &mut [TreeNode], axis: usize) {
    if nodes.len() > 1 {
        let middle = nodes.len() / 2;
        nodes.select_nth_unstable_by(middle, |a, b| a.point[axis].total_cmp(&b.point[axis]));
        let (left, right) = nodes.split_at_mut(middle);
        build(left, (axis + 1) % D);
        build(&mut right[1..], (axis + 1) % D);
    }
}

fn run<M: Metric, const K: usize>(
    reference: impl Fn(&[f32; D], &[f32; D]) -> u32,
) -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let mut seed = 7u32;
    let mut random = || {
        seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
        (seed >> 16) as f32 / 4096.0
    };
    let mut nodes: Vec<TreeNode> =
        (0..300).map(|id| TreeNode { point: [random(), random(), random()], id }).collect();
    build(&mut nodes, 0);
    let queries: Vec<[f32; D]> = (0..100).map(|_| [random(), random(), random()]).collect();
    let (on_nodes, on_queries) = (device.upload(&nodes)?, device.upload(&queries)?);
    let mut ids = device.zeros::<[u32; K]>(queries.len())?;
    let mut bits = device.zeros::<[u32; K]>(queries.len())?;
    nearest::<M, K>(&on_nodes, &on_queries, &mut ids, &mut bits)
        .grid(4)
        .block(32)
        .launch(&device)?;
    let (ids, bits) = (ids.download()?, bits.download()?);
    for (q, query) in queries.iter().enumerate() {
        let mut all: Vec<(u32, u32)> =
            nodes.iter().map(|n| (reference(&n.point, query), n.id)).collect();
        all.sort();
        for k in 0..K {
            assert_eq!((bits[q][k], ids[q][k]), all[k], "query {q}, neighbor {k}");
        }
    }
    Ok(())
}

#[test]
fn neighbors() -> lanework::Result<()> {
    run::<Euclid, 4>(|a, b| {
        let mut sum = 0.0f32;
        for k in 0..D {
            sum += (a[k] - b[k]) * (a[k] - b[k]);
        }
        sum.to_bits()
    })?;
    run::<Fixed, 6>(|a, b| (0..D).map(|k| ((a[k] - b[k]).abs() * 256.0) as u32).max().unwrap())
}
