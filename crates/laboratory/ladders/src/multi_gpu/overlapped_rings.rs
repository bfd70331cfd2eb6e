//! All-reduce rung: `overlapped-rings`.
//!
//! Idea: two rings in opposite directions, each with half of the vectors, on separate streams: while one waits between two steps,
//! the other moves data, and the links are used in both directions.
//! 思路：两个方向相反的环，各负责一半向量，各用一个流：一个环在两步之间等待时，另一个环传输数据，链路的两个方向都用上。
//! Predicts: the waits between steps are hidden; with more than two devices, links carry data in both directions.
//! 预测：各步之间的等待被隐藏；设备多于两个时，链路的两个方向都在传输数据。
//! Costs: twice the launches, each of half the size, which slows short vectors.
//! 代价：启动次数加倍，每次的大小减半，因而短向量变慢。
//!
//! On two H200s it helped little: 268 us at 64 MiB, `ring` 273 us; at 256 KiB the launches cost more, 95 us to 69 us.

use super::ring::{Ring, peers_before};
use super::vectors::share;
use super::{AllReduce, Ranks};
use lanework::Result;

pub(super) fn prepare(all: &Ranks) -> Result<AllReduce<'_>> {
    let size = all.ranks.len();
    if size == 1 {
        return super::peer_reads::prepare(all);
    }
    let halves = [share(0..all.length(), 2, 0), share(0..all.length(), 2, 1)];
    let before = peers_before(all, 1)?;
    // With two devices, the previous one is also the next one.
    let behind = if size > 2 { Some(peers_before(all, size - 1)?) } else { None };
    let [first, second] = halves;
    let mut rings = [
        Ring::new(all, first, 0, 1, &before)?,
        Ring::new(all, second, 1, size - 1, behind.as_ref().unwrap_or(&before))?,
    ];
    Ok(Box::new(move || {
        let _held = (&before, &behind);
        all.meet(0)?;
        all.meet(1)?;
        for step in 0..rings[0].steps() {
            for ring in &mut rings {
                ring.step(all, step)?;
            }
        }
        for rank in &all.ranks {
            rank.streams[0].after(&rank.streams[1])?;
        }
        all.meet(0)?;
        for rank in &all.ranks {
            rank.streams[1].after(&rank.streams[0])?;
        }
        Ok(())
    }))
}
