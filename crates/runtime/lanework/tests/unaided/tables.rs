//! A hash table with open addressing: counting keys, generic over the key and the probe sequence.
use lanework::prelude::*;
use std::collections::HashMap;

const EMPTY: u32 = u32::MAX;

#[device]
trait Key: Copy {
    const SEED: u32;
    fn pack(self) -> u32;
    fn hash(self) -> u32 {
        let mut h = self.pack() ^ Self::SEED;
        h ^= h >> 16;
        h = h.wrapping_mul(0x85eb_ca6b);
        h ^= h >> 13;
        h = h.wrapping_mul(0xc2b2_ae35);
        h ^ (h >> 16)
    }
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
struct TableCell {
    x: i16,
    y: i16,
}

#[device]
impl Key for TableCell {
    const SEED: u32 = 0x9e37_79b9;
    fn pack(self) -> u32 {
        (self.x as u16 as u32) << 16 | self.y as u16 as u32
    }
}

#[device]
impl Key for u32 {
    const SEED: u32 = 17;
    fn pack(self) -> u32 {
        self
    }
}

#[device]
trait Probe {
    const LIMIT: u32;
    fn offset(attempt: u32) -> u32;
}

struct Linear;
struct Triangular;

#[device]
impl Probe for Linear {
    const LIMIT: u32 = 256;
    fn offset(attempt: u32) -> u32 {
        attempt
    }
}

#[device]
impl Probe for Triangular {
    const LIMIT: u32 = 200;
    fn offset(attempt: u32) -> u32 {
        attempt * (attempt + 1) / 2
    }
}

#[kernel]
fn insert<K: Key, P: Probe>(keys: &[K], slots: &mut [u32], counts: &mut [u32], lost: &mut [u32]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i >= keys.len() {
        return;
    }
    let key = keys[i];
    let mask = slots.len() as u32 - 1;
    for attempt in 0..P::LIMIT {
        let slot = key.hash().wrapping_add(P::offset(attempt)) & mask;
        let old = atomic_cas(&mut slots[slot], EMPTY, key.pack());
        if old == EMPTY || old == key.pack() {
            atomic_add(&mut counts[slot], 1);
            return;
        }
    }
    atomic_add(&mut lost[0], 1);
}

#[device]
fn find<K: Key, P: Probe>(key: K, slots: &[u32]) -> Option<usize> {
    let mask = slots.len() as u32 - 1;
    (0..P::LIMIT)
        .map(|attempt| (key.hash().wrapping_add(P::offset(attempt)) & mask) as usize)
        .take_while(|&slot| slots[slot] != EMPTY)
        .find(|&slot| slots[slot] == key.pack())
}

#[kernel]
fn lookup<K: Key, P: Probe>(
    keys: &[K],
    slots: &[u32],
    counts: &[u32],
    found: &mut [bool],
    times: &mut [u32],
) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i < keys.len() {
        let slot = find::<K, P>(keys[i], slots);
        found[i] = slot.is_some();
        times[i] = slot.map(|s| counts[s]).unwrap_or(0);
    }
}

fn check<P: Probe>(keys: &[TableCell], queries: &[TableCell]) -> lanework::Result<()> {
    let mut want = HashMap::new();
    for key in keys {
        *want.entry(*key).or_insert(0u32) += 1;
    }
    let device = Device::emulator().sanitized();
    let mut slots = device.upload(&[EMPTY; 256])?;
    let mut counts = device.zeros::<u32>(256)?;
    let mut lost = device.zeros::<u32>(1)?;
    insert::<TableCell, P>(&device.upload(keys)?, &mut slots, &mut counts, &mut lost)
        .grid(4)
        .block(128)
        .launch(&device)?;
    assert_eq!(lost.download()?, [0]);
    let mut found = device.upload(&vec![false; queries.len()])?;
    let mut times = device.zeros::<u32>(queries.len())?;
    lookup::<TableCell, P>(&device.upload(queries)?, &slots, &counts, &mut found, &mut times)
        .grid(1)
        .block(128)
        .launch(&device)?;
    let (found, times) = (found.download()?, times.download()?);
    for (i, query) in queries.iter().enumerate() {
        assert_eq!(
            (found[i], times[i]),
            (want.contains_key(query), want.get(query).copied().unwrap_or(0)),
            "{query:?}"
        );
    }
    Ok(())
}

#[test]
fn counts_cells() -> lanework::Result<()> {
    let keys: Vec<TableCell> = (0..500i32)
        .map(|i| TableCell { x: (i * i % 13 - 6) as i16, y: (i % 11 - 5) as i16 })
        .collect();
    let queries: Vec<TableCell> =
        (0..100i16).map(|i| TableCell { x: i % 10 - 5, y: i / 10 }).collect();
    check::<Linear>(&keys, &queries)?;
    check::<Triangular>(&keys, &queries)
}

#[test]
fn counts_numbers() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let keys: Vec<u32> = (0..300).map(|i| i * i % 101).collect();
    let mut slots = device.upload(&[EMPTY; 128])?;
    let mut counts = device.zeros::<u32>(128)?;
    let mut lost = device.zeros::<u32>(1)?;
    insert::<u32, Linear>(&device.upload(&keys)?, &mut slots, &mut counts, &mut lost)
        .grid(3)
        .block(100)
        .launch(&device)?;
    for (slot, count) in slots.download()?.into_iter().zip(counts.download()?) {
        assert_eq!(count as usize, keys.iter().filter(|k| **k == slot).count());
    }
    Ok(())
}
