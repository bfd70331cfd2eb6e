//! All-reduce rung: `through-host`.
//!
//! Idea: copy every vector to the host, add there, and copy the sum to every device.
//! 思路：把每个向量拷贝到主机，在主机上相加，再把和拷贝到每个设备。
//! Predicts: the time grows with the number of devices: all vectors cross the host's memory and its one adding thread.
//! 预测：时间随设备数增长：所有向量都要经过主机内存和主机上唯一做加法的线程。
//! Costs: the host waits for every device, and the devices for the host.
//! 代价：主机等待每个设备，设备也等待主机。

use super::{AllReduce, Ranks};
use lanework::Result;

pub(super) fn prepare(all: &Ranks) -> Result<AllReduce<'_>> {
    Ok(Box::new(move || {
        let mut sum = Vec::new();
        for (index, rank) in all.ranks.iter().enumerate() {
            let x = rank.x.download()?;
            if index == 0 {
                sum = x;
            } else {
                sum.iter_mut().zip(x).for_each(|(sum, x)| *sum += x);
            }
        }
        for rank in &all.ranks {
            // SAFETY: the downloads above waited for every device, so none uses the sum.
            unsafe { rank.sum(0..sum.len()) }.upload(&sum)?;
        }
        Ok(())
    }))
}
