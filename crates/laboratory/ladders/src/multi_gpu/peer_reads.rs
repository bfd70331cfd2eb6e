//! All-reduce rung: `peer-reads`.
//!
//! Idea: no copies: the adding kernel reads the other device's vector over the link.
//! 思路：不拷贝：做加法的核函数直接通过链路读取另一个设备的向量。
//! Predicts: as many bytes on the link and half the accesses of the device's own memory; the addition runs while data arrive.
//! 预测：链路上的字节数不变，对本设备内存的访问减半；数据到达的同时进行加法。
//! Costs: every device still receives n - 1 whole vectors, more than necessary with more than two devices.
//! 代价：每个设备仍要接收 n - 1 个完整的向量，设备多于两个时超出了必需的量。

use super::adding::{add, copy};
use super::vectors::Launches;
use super::{AllReduce, Ranks};
use lanework::Result;

pub(super) fn prepare(all: &Ranks) -> Result<AllReduce<'_>> {
    let length = all.length();
    let mut devices: Vec<Launches<'_>> = Vec::new();
    for (rank, own) in all.ranks.iter().enumerate() {
        let (mut launches, mut peers) = (Vec::new(), Vec::new());
        for (other, theirs) in all.ranks.iter().enumerate() {
            if other == rank {
                continue;
            }
            let memory = own.peer(theirs)?;
            let before = if launches.is_empty() { own.x.view(..) } else { own.partial(0..length) };
            // SAFETY: this device's stream orders its launches, and no other device uses its sum.
            let y = unsafe { own.sum(0..length) };
            launches.push(add(&own.device, before, memory[0].view(), y)?);
            peers.push(memory);
        }
        if launches.is_empty() {
            // SAFETY: a single device has no peers, so only this launch uses the sum.
            launches.push(copy(&own.device, own.x.view(..), unsafe { own.sum(0..length) })?);
        }
        devices.push((launches, peers));
    }
    Ok(Box::new(move || {
        all.meet(0)?;
        for (rank, (launches, _)) in all.ranks.iter().zip(&mut devices) {
            launches.iter_mut().try_for_each(|launch| rank.streams[0].launch(launch))?;
        }
        all.meet(0)
    }))
}
