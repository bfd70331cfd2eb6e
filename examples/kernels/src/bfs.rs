//! Breadth-first search of a graph: one launch per level.

use lanework::prelude::*;

const UNSEEN: u32 = u32::MAX;

/// Visits the neighbors of every node of the level, and says whether there were new ones.
#[kernel]
pub fn visit(starts: &[u32], targets: &[u32], levels: &mut [u32], level: u32, found: &mut [u32]) {
    let node = block_idx.x * block_dim.x + thread_idx.x;
    if node >= levels.len() {
        return;
    }
    if load_volatile(&levels[node]) != level {
        return;
    }
    for edge in starts[node]..starts[node + 1] {
        let target = targets[edge];
        if atomic_cas(&mut levels[target], UNSEEN, level + 1) == UNSEEN {
            atomic_exch(&mut found[0], 1);
        }
    }
}

/// The distance of every node from node 0.
pub fn levels(device: &Device, starts: &[u32], targets: &[u32]) -> lanework::Result<Vec<u32>> {
    let nodes = starts.len() - 1;
    let mut first = vec![UNSEEN; nodes];
    first[0] = 0;
    let (s, t) = (device.upload(starts)?, device.upload(targets)?);
    let mut levels = device.upload(&first)?;
    for level in 0.. {
        let mut found = device.zeros::<u32>(1)?;
        visit(&s, &t, &mut levels, level, &mut found)
            .grid((nodes as u32).div_ceil(64))
            .block(64)
            .launch(device)?;
        if found.download()?[0] == 0 {
            break;
        }
    }
    levels.download()
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let nodes = 300u32;
    let (mut starts, mut targets) = (vec![0], Vec::new());
    for node in 0..nodes {
        targets.extend([(node * 7 + 1) % nodes, (node * 3 + 2) % nodes, node / 2]);
        starts.push(targets.len() as u32);
    }
    let mut expected = vec![UNSEEN; nodes as usize];
    expected[0] = 0;
    let mut queue = std::collections::VecDeque::from([0usize]);
    while let Some(node) = queue.pop_front() {
        for &t in &targets[starts[node] as usize..starts[node + 1] as usize] {
            if expected[t as usize] == UNSEEN {
                expected[t as usize] = expected[node] + 1;
                queue.push_back(t as usize);
            }
        }
    }
    for device in crate::devices("breadth-first search") {
        assert_eq!(levels(&device, &starts, &targets)?, expected);
    }
    Ok(())
}
