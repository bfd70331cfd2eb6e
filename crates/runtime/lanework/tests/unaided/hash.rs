//! A hash table with linear probing: atomics, const fn, labeled loops, u64 keys.
use lanework::prelude::*;

const EMPTY: u64 = u64::MAX;
const SLOTS: usize = capacity(700);

const fn capacity(keys: usize) -> usize {
    (keys * 2).next_power_of_two()
}

#[device]
const fn splitmix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

#[device]
fn insert(table: &mut [u64], key: u64) -> Option<usize> {
    let mask = table.len() - 1;
    let mut slot = splitmix(key) as usize & mask;
    for _ in 0..table.len() {
        match atomic_cas(&mut table[slot], EMPTY, key) {
            EMPTY => return Some(slot),
            old if old == key => return Some(slot),
            _ => slot = (slot + 1) & mask,
        }
    }
    None
}

#[kernel]
fn count_keys(
    keys: &[u64],
    table: &mut [u64],
    counts: &mut [u32],
    lost: &mut [u32],
    most_probes: &mut [u32],
) {
    let stride = (grid_dim.x * block_dim.x) as usize;
    let first = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    for &key in keys.iter().skip(first).step_by(stride) {
        if let Some(slot) = insert(table, key) {
            atomic_add(&mut counts[slot], 1);
            let distance = slot.wrapping_sub(splitmix(key) as usize) & (SLOTS - 1);
            atomic_max(&mut most_probes[0], distance as u32);
        } else {
            atomic_add(&mut lost[0], 1);
        }
    }
}

#[kernel]
fn look_up(table: &[u64], counts: &[u32], keys: &[u64], out: &mut [u32]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i >= keys.len() {
        return;
    }
    let key = keys[i];
    let mut slot = splitmix(key) as usize % SLOTS;
    out[i] = 'probe: {
        loop {
            match table[slot] {
                found if found == key => break 'probe counts[slot],
                EMPTY => break 'probe 0,
                _ => slot = if slot + 1 == SLOTS { 0 } else { slot + 1 },
            }
        }
    };
}

#[test]
fn counts() -> lanework::Result<()> {
    use std::collections::HashMap;
    let keys: Vec<u64> = (0..3000u64).map(|i| splitmix(i) % 700 * 0x1_0000_0001).collect();
    let mut want = HashMap::new();
    for key in &keys {
        *want.entry(*key).or_insert(0u32) += 1;
    }
    let asked: Vec<u64> = (0..800).map(|i| i * 0x1_0000_0001).collect();
    let device = Device::emulator().sanitized();
    let on_keys = device.upload(&keys)?;
    let mut table = device.upload(&vec![EMPTY; SLOTS])?;
    let mut counts = device.zeros::<u32>(SLOTS)?;
    let (mut lost, mut probes) = (device.zeros::<u32>(1)?, device.zeros::<u32>(1)?);
    count_keys(&on_keys, &mut table, &mut counts, &mut lost, &mut probes)
        .grid(3)
        .block(64)
        .launch(&device)?;
    assert_eq!(lost.download()?, [0]);
    let on_asked = device.upload(&asked)?;
    let mut out = device.zeros::<u32>(800)?;
    look_up(&table, &counts, &on_asked, &mut out).grid(7).block(128).launch(&device)?;
    for (key, got) in asked.iter().zip(out.download()?) {
        assert_eq!(got, want.get(key).copied().unwrap_or(0), "{key}");
    }
    Ok(())
}
