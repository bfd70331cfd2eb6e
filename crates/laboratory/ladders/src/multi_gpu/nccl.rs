//! All-reduce rung: `nccl`.
//!
//! Idea: NVIDIA's library chooses rings, trees or direct exchange by size and links, and splits data over channels. Each channel
//! is a block that copies and adds concurrently with its neighbors.
//! 思路：NVIDIA 的库按大小和链路选择环、树或直接交换，并把数据分到多个通道。每个通道是一个线程块，与相邻设备同时拷贝和相加。
//! Predicts: about link speed for long vectors; less waiting for short ones, because blocks wait for flags instead of streams for events.
//! 预测：长向量接近链路速度；短向量的等待更少，因为线程块等待的是标志，而不是由流等待事件。
//! Costs: a library to install, and kernels that take multiprocessors from concurrent work.
//! 代价：需要安装该库；其核函数会占用同时进行的其他工作的多处理器。

use super::{AllReduce, Ranks};
use lanework::{Device, Error, Result};
use lanework_dist::{Communicator, Reduction, group};

pub(super) fn prepare(all: &Ranks) -> Result<AllReduce<'_>> {
    let devices: Vec<Device> = all.ranks.iter().map(|rank| rank.device.clone()).collect();
    let ranks = Communicator::local(&devices)?;
    if let Some(rank) = ranks.iter().find(|rank| !rank.uses_nccl()) {
        return Err(Error::Request {
            why: format!("NCCL is not used: data would go through {}", rank.engine()),
            help: "run on several GPUs with NCCL installed".to_owned(),
        });
    }
    Ok(Box::new(move || {
        let calls = ranks.iter().zip(&all.ranks).map(|(comm, rank)| {
            // SAFETY: the stream runs this call after the previous one, and only this rung's calls use the sum.
            let y = unsafe { rank.sum(0..rank.x.len()) };
            Ok(comm.all_reduce(Reduction::Sum, &rank.x, y)?.on(&rank.streams[0]))
        });
        group(calls.collect::<Result<Vec<_>>>()?)
    }))
}

/// Why these devices cannot run it, if so.
pub(super) fn missing(devices: &[Device]) -> Option<String> {
    let one = devices.len() < 2;
    one.then(|| "one device has nothing to exchange".to_owned())
        .or_else(|| Communicator::nccl_missing(devices))
}
