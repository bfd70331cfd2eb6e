//! A hash table in global memory: threads insert words with open addressing, other threads look them up.
use lanework::prelude::*;

const EMPTY: u32 = u32::MAX;

#[device]
trait Hasher {
    const SHIFT: u32 = 7;
    fn hash(key: u32) -> u32;
    fn start(key: u32, capacity: usize) -> usize {
        (Self::hash(key) >> Self::SHIFT) as usize % capacity
    }
}

#[device]
struct Fibonacci;

#[device]
struct Bytewise;

#[device]
impl Hasher for Fibonacci {
    const SHIFT: u32 = 16;
    fn hash(key: u32) -> u32 {
        key.wrapping_mul(2_654_435_769)
    }
}

#[device]
impl Hasher for Bytewise {
    fn hash(key: u32) -> u32 {
        key.to_le_bytes()
            .iter()
            .fold(0x811c_9dc5, |h: u32, &b| (h ^ b as u32).wrapping_mul(0x0100_0193))
    }
}

#[device]
fn probes<H: Hasher>(key: u32, capacity: usize) -> impl Iterator<Item = usize> {
    let start = H::start(key, capacity);
    (0..capacity).map(move |i| (start + i) % capacity)
}

#[device]
fn find_or_insert<H: Hasher>(keys: &mut [u32], key: u32) -> Option<usize> {
    for slot in probes::<H>(key, keys.len()) {
        match atomic_cas(&mut keys[slot], EMPTY, key) {
            EMPTY => return Some(slot),
            old if old == key => return Some(slot),
            _ => continue,
        }
    }
    None
}

#[device]
fn lookup<H: Hasher>(keys: &[u32], key: u32) -> Option<usize> {
    probes::<H>(key, keys.len())
        .take_while(|&slot| keys[slot] != EMPTY)
        .find(|&slot| keys[slot] == key)
}

#[kernel]
fn count_words<H: Hasher>(words: &[u32], keys: &mut [u32], counts: &mut [u32], full: &mut [u32]) {
    let first = block_idx.x * block_dim.x + thread_idx.x;
    let threads = grid_dim.x * block_dim.x;
    for i in (first as usize..words.len()).step_by(threads as usize) {
        if let Some(slot) = find_or_insert::<H>(keys, words[i]) {
            atomic_add(&mut counts[slot], 1);
        } else {
            atomic_add(&mut full[0], 1);
        }
    }
}

#[kernel]
fn query<H: Hasher>(keys: &[u32], counts: &[u32], wanted: &[u32], out: &mut [i32]) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if let (Some(&key), Some(result)) = (wanted.get(i), out.get_mut(i)) {
        *result = lookup::<H>(keys, key).map_or(-1, |slot| counts[slot] as i32);
    }
}

fn check<H: Hasher>() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let words: Vec<u32> = (0..700u32).map(|i| i * i % 191 * 1_000_003).collect();
    let wanted: Vec<u32> = (0..250u32).map(|i| i * 1_000_003).collect();
    let mut keys = device.upload(&[EMPTY; 256])?;
    let mut counts = device.zeros::<u32>(256)?;
    let mut full = device.zeros::<u32>(1)?;
    let on_words = device.upload(&words)?;
    count_words::<H>(&on_words, &mut keys, &mut counts, &mut full)
        .grid(3)
        .block(32)
        .launch(&device)?;
    assert_eq!(full.download()?, [0]);

    let mut out = device.zeros::<i32>(wanted.len())?;
    query::<H>(&keys, &counts, &device.upload(&wanted)?, &mut out)
        .grid(4)
        .block(64)
        .launch(&device)?;
    let mut want = std::collections::HashMap::new();
    for &word in &words {
        *want.entry(word).or_insert(0) += 1;
    }
    let want: Vec<i32> = wanted.iter().map(|w| want.get(w).copied().unwrap_or(-1)).collect();
    assert_eq!(out.download()?, want);
    Ok(())
}

#[test]
fn multiplication() -> lanework::Result<()> {
    check::<Fibonacci>()
}

#[test]
fn bytes() -> lanework::Result<()> {
    check::<Bytewise>()
}

#[test]
fn a_full_table_is_reported() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let words = device.upload(&(0..50).collect::<Vec<u32>>())?;
    let mut keys = device.upload(&[EMPTY; 16])?;
    let (mut counts, mut full) = (device.zeros::<u32>(16)?, device.zeros::<u32>(1)?);
    count_words::<Bytewise>(&words, &mut keys, &mut counts, &mut full)
        .grid(1)
        .block(64)
        .launch(&device)?;
    assert_eq!(full.download()?, [34]);
    assert_eq!(counts.download()?, [1; 16]);
    Ok(())
}
