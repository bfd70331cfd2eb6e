//! All-reduce rung: `peer-copies`.
//!
//! Idea: copy engines bring the other devices' vectors directly into this device's memory, and a kernel adds them.
//! 思路：拷贝引擎把其他设备的向量直接送到本设备的内存，再由一个核函数相加。
//! Predicts: link speed instead of host speed; each device receives (n - 1) vectors, writes them and reads them again.
//! 预测：速度由链路而不是主机决定；每个设备接收 n - 1 个向量，写入内存后再读一遍。
//! Costs: memory for a copy of a vector; the addition waits for the whole copy.
//! 代价：需要存放一个向量副本的内存；加法要等整个拷贝完成。

use super::adding::{add, copy};
use super::{AllReduce, Ranks};
use lanework::{Buffer, Prepared, Result};

pub(super) fn prepare(all: &Ranks) -> Result<AllReduce<'_>> {
    let length = all.length();
    let mut parts: Vec<(usize, Vec<PeerStep>)> = Vec::new();
    for (rank, own) in all.ranks.iter().enumerate() {
        let mut steps = Vec::new();
        for (other, _) in all.ranks.iter().enumerate().filter(|(other, _)| *other != rank) {
            let copied = own.device.uninit_named::<f32>(length, "copy")?;
            // SAFETY: `PeerStep` owns the copy and declares it after the launch, so the launch drops first; the
            // device's stream orders its launches.
            let (read, y) = unsafe { (copied.view(..).unbound(), own.sum(0..length)) };
            let before = if steps.is_empty() { own.x.view(..) } else { own.partial(0..length) };
            let add = add(&own.device, before, read, y)?;
            steps.push(PeerStep { add, copied, other });
        }
        parts.push((rank, steps));
    }
    // One device has nothing to add.
    let alone = match &all.ranks[..] {
        // SAFETY: a single device has no peers, so only this launch uses the sum.
        [only] => Some(copy(&only.device, only.x.view(..), unsafe { only.sum(0..length) })?),
        _ => None,
    };
    let mut alone = alone;
    Ok(Box::new(move || {
        if let Some(copy) = &mut alone {
            return all.ranks[0].streams[0].launch(copy);
        }
        all.meet(0)?;
        for (rank, steps) in &mut parts {
            let stream = &all.ranks[*rank].streams[0];
            for step in steps {
                let from = all.ranks[step.other].x.view(..);
                // SAFETY: the stream runs the copy after the previous run's addition, and before this run's.
                stream.copy(from, unsafe { step.copied.view_shared(..) })?;
                stream.launch(&mut step.add)?;
            }
        }
        all.meet(0)
    }))
}

/// The work of one device on another one's vector.
struct PeerStep<'a> {
    add: Prepared<'a>,
    copied: Buffer<f32>,
    other: usize,
}
