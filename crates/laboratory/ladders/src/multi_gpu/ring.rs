//! All-reduce rung: `ring`.
//!
//! Idea: in each step, a device adds one share of its vector to the sum that the previous device computed for this share. After
//! one round each device has one share of the result, and the shares then travel around the ring.
//! 思路：每一步中，设备把自己向量的一份加到前一个设备对这一份求得的和上。转完一圈，每个设备各有结果的一份，然后这些份再沿环传递。
//! Predicts: each device receives 2 (n - 1) / n vectors, however many devices there are; for two devices that is one, as before.
//! 预测：无论设备多少，每个设备都接收 2 (n - 1) / n 个向量；两个设备时为一个，与之前相同。
//! Costs: 2 (n - 1) steps, between which each device waits for its predecessor.
//! 代价：共 2 (n - 1) 步，各步之间每个设备都要等待前一个设备。
//!
//! On two H200s it did not help: 273 us at 64 MiB, `peer-reads` 237 us; with two devices it moves as many bytes, in two steps.

use super::adding::{add, copy};
use super::vectors::share;
use super::{AllReduce, Ranks};
use lanework::{PeerMemory, Prepared, Result};
use std::ops::Range;

/// A ring over a range of the vectors, on one stream per device.
pub(super) struct Ring<'a> {
    /// The launch of each device, for each step.
    steps: Vec<Vec<Prepared<'a>>>,
    stream: usize,
    /// 1, or n - 1 for a ring in the opposite direction.
    back: usize,
}

impl<'a> Ring<'a> {
    /// A ring in which each device reads from the one `back` positions before it, through `peers`, which must outlive
    /// the ring.
    pub(super) fn new(
        all: &'a Ranks,
        range: Range<usize>,
        stream: usize,
        back: usize,
        peers: &[[PeerMemory<'a, f32>; 2]],
    ) -> Result<Ring<'a>> {
        let size = all.ranks.len();
        let of = |part: usize| share(range.clone(), size, part % size);
        let mut steps = Vec::new();
        for step in 0..2 * (size - 1) {
            let mut launches = Vec::new();
            for (rank, own) in all.ranks.iter().enumerate() {
                let [x, y] = &peers[rank];
                // The share that the previous device has just finished, counted along the ring.
                let place = rank * back % size;
                let part = of(place + 2 * size - 1 - step);
                // SAFETY: in a step, a device writes one share of its own sum and reads the same share of the
                // previous device, which wrote it one step earlier; between two steps it waits for that device.
                let target = unsafe { own.sum(part.clone()) };
                let launch = if step + 1 < size {
                    let before = if step == 0 { x } else { y }.view().part(part.clone());
                    add(&own.device, before, own.x.view(part), target)?
                } else {
                    copy(&own.device, y.view().part(part), target)?
                };
                launches.push(launch);
            }
            steps.push(launches);
        }
        Ok(Ring { steps, stream, back })
    }

    /// The number of steps.
    pub(super) fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Queues a step on every device.
    pub(super) fn step(&mut self, all: &Ranks, step: usize) -> Result<()> {
        let size = all.ranks.len();
        for (rank, launch) in self.steps[step].iter_mut().enumerate() {
            all.ranks[rank].streams[self.stream].launch(launch)?;
        }
        // Each device continues when the previous one has finished this step.
        for (rank, own) in all.ranks.iter().enumerate() {
            let before = &all.ranks[(rank + size - self.back) % size];
            own.streams[self.stream].after(&before.streams[self.stream])?;
        }
        Ok(())
    }
}

/// The memory that each device reads: the vectors of the device `back` positions before it.
pub(super) fn peers_before(all: &Ranks, back: usize) -> Result<Vec<[PeerMemory<'_, f32>; 2]>> {
    let size = all.ranks.len();
    let of = |(rank, own): (usize, &super::Rank)| own.peer(&all.ranks[(rank + size - back) % size]);
    all.ranks.iter().enumerate().map(of).collect()
}

pub(super) fn prepare(all: &Ranks) -> Result<AllReduce<'_>> {
    if all.ranks.len() == 1 {
        return super::peer_reads::prepare(all);
    }
    let peers = peers_before(all, 1)?;
    let mut ring = Ring::new(all, 0..all.length(), 0, 1, &peers)?;
    Ok(Box::new(move || {
        let _held = &peers;
        all.meet(0)?;
        (0..ring.steps()).try_for_each(|step| ring.step(all, step))?;
        all.meet(0)
    }))
}
