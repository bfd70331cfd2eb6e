//! Sorting of numbers, which programs do with millions: too many for the interpreter.

use crate::process::{LibraryFunctions, Process, Stop, word};

/// The functions.
pub const FUNCTIONS: LibraryFunctions = &[
    // The stable order of `n` keys of `size` bytes, as 32-bit places.
    ("__lw_sort", |process, a| {
        let [keys, n, size, kind, down, to] = std::array::from_fn(|at| word(a, at));
        let places = order(&words(process, keys, n, size, kind)?, down & 1 != 0);
        let bytes: Vec<u8> = places.iter().flat_map(|place| place.to_le_bytes()).collect();
        let written = process.memory.write(to, &bytes);
        process.accessed(written, "write")?;
        Ok(0)
    }),
    // Sorts `n` keys in place. Equal keys have equal bytes, except zeros of different signs, which keep their order.
    ("__lw_sort_in_place", |process, a| {
        let [keys, n, size, kind] = std::array::from_fn(|at| word(a, at));
        let places = order(&words(process, keys, n, size, kind)?, false);
        let old = process.accessed(process.memory.read(keys, n * size), "read")?;
        let size = size as usize;
        let at = |place: &u32| old[*place as usize * size..][..size].iter().copied();
        let bytes: Vec<u8> = places.iter().flat_map(at).collect();
        let written = process.memory.write(keys, &bytes);
        process.accessed(written, "write")?;
        Ok(0)
    }),
];

/// Reads keys as words in the same order. `kind` is 0 for unsigned, 1 for signed integers, 2 for floats.
fn words(process: &Process, keys: u64, n: u64, size: u64, kind: u64) -> Result<Vec<u64>, Stop> {
    if u32::try_from(n).is_err() || !matches!(size, 1 | 2 | 4 | 8) {
        return Err(process.fault("more than 2^32 numbers cannot be sorted", ""));
    }
    let bytes = process.accessed(process.memory.read(keys, n * size), "read")?;
    let sign = 1u64 << (8 * size - 1);
    let ordered = |chunk: &[u8]| {
        let mut all = [0; 8];
        all[..chunk.len()].copy_from_slice(chunk);
        let bits = u64::from_le_bytes(all);
        match kind {
            1 => bits ^ sign,
            // A negative zero equals a positive one.
            2 if bits == sign => sign,
            2 if bits & sign != 0 => !bits & ((sign - 1) | sign),
            2 => bits | sign,
            _ => bits,
        }
    };
    Ok(bytes.chunks_exact(size as usize).map(ordered).collect())
}

/// The stable order of keys.
fn order(keys: &[u64], down: bool) -> Vec<u32> {
    let mut places: Vec<u32> = (0..keys.len() as u32).collect();
    if down {
        places.sort_by_key(|place| std::cmp::Reverse(keys[*place as usize]));
    } else {
        places.sort_by_key(|place| keys[*place as usize]);
    }
    places
}
