//! Matrix-chain multiplication: the table in shared memory, one diagonal after the other, and the parentheses.
use lanework::prelude::*;

const MAX: usize = 24;

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    cost: u64,
    split: u8,
}

#[device]
impl Cell {
    const LEAF: Cell = Cell { cost: 0, split: u8::MAX };
}

/// A block computes one chain: dims[0..=n].
#[kernel]
fn chain(all_dims: &[u16], lengths: &[u32], costs: &mut [u64], order: &mut [u8]) {
    let table = shared::<[[Cell; MAX]; MAX]>();
    let chain = block_idx.x as usize;
    let n = lengths[chain] as usize;
    let dims = &all_dims[chain * (MAX + 1)..][..=n];
    let size = |i: usize| u64::from(dims[i]);
    let t = thread_idx.x as usize;

    if t < n {
        table[t][t] = Cell::LEAF;
    }
    sync_threads();
    for width in 1..n {
        for i in (t..n - width).step_by(block_dim.x as usize) {
            let j = i + width;
            let best = (i..j)
                .map(|k| Cell {
                    cost: table[i][k].cost
                        + table[k + 1][j].cost
                        + size(i) * size(k + 1) * size(j + 1),
                    split: k as u8,
                })
                .min_by_key(|cell| (cell.cost, cell.split))
                .unwrap();
            table[i][j] = best;
        }
        sync_threads();
    }

    if t == 0 {
        costs[chain] = table[0][n - 1].cost;
        // Writes the splits in preorder: recursion replaced by a stack.
        let out = &mut order[chain * MAX..(chain + 1) * MAX];
        let mut written = 0;
        let mut stack = [(0u8, 0u8); MAX];
        stack[0] = (0, n as u8 - 1);
        let mut depth = 1;
        while let Some(top) = depth.checked_sub(1usize) {
            depth = top;
            let (i, j) = stack[top];
            if i == j {
                continue;
            }
            let split = table[i as usize][j as usize].split;
            out[written] = split;
            written += 1;
            for pair in [(split + 1, j), (i, split)] {
                stack[depth] = pair;
                depth += 1;
            }
        }
    }
}

fn reference(dims: &[u16]) -> (u64, Vec<u8>) {
    fn solve(
        dims: &[u16],
        i: usize,
        j: usize,
        memo: &mut std::collections::HashMap<(usize, usize), (u64, usize)>,
    ) -> u64 {
        if i == j {
            return 0;
        }
        if let Some(found) = memo.get(&(i, j)) {
            return found.0;
        }
        let mut best = (u64::MAX, 0);
        for k in i..j {
            let cost = solve(dims, i, k, memo)
                + solve(dims, k + 1, j, memo)
                + dims[i] as u64 * dims[k + 1] as u64 * dims[j + 1] as u64;
            best = best.min((cost, k));
        }
        memo.insert((i, j), best);
        best.0
    }
    fn walk(
        i: usize,
        j: usize,
        memo: &std::collections::HashMap<(usize, usize), (u64, usize)>,
        out: &mut Vec<u8>,
    ) {
        if i < j {
            let k = memo[&(i, j)].1;
            out.push(k as u8);
            walk(i, k, memo, out);
            walk(k + 1, j, memo, out);
        }
    }
    let mut memo = Default::default();
    let n = dims.len() - 1;
    let cost = solve(dims, 0, n - 1, &mut memo);
    let mut order = vec![];
    walk(0, n - 1, &memo, &mut order);
    (cost, order)
}

#[test]
fn matrix_chain() -> lanework::Result<()> {
    let lengths: Vec<u32> = vec![1, 2, 3, 6, 13, 24];
    let mut dims: Vec<u16> =
        (0..lengths.len() * (MAX + 1)).map(|i| (i * 7919 % 97 + 3) as u16).collect();
    dims[3 * (MAX + 1)..][..7].copy_from_slice(&[30, 35, 15, 5, 10, 20, 25]);
    let device = Device::emulator().sanitized();
    let (on_dims, on_lengths) = (device.upload(&dims)?, device.upload(&lengths)?);
    let mut costs = device.zeros::<u64>(lengths.len())?;
    let mut order = device.zeros::<u8>(lengths.len() * MAX)?;
    chain(&on_dims, &on_lengths, &mut costs, &mut order)
        .grid(lengths.len() as u32)
        .block(32)
        .launch(&device)?;
    let (costs, order) = (costs.download()?, order.download()?);
    assert_eq!(costs[3], 15125);
    for (c, &n) in lengths.iter().enumerate() {
        let (cost, splits) = reference(&dims[c * (MAX + 1)..][..=n as usize]);
        assert_eq!(costs[c], cost, "chain {c}");
        assert_eq!(order[c * MAX..][..n as usize - 1], splits, "chain {c}");
    }
    Ok(())
}
