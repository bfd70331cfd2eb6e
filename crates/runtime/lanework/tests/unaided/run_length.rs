//! RunLength-length coding: flags, a prefix sum over the block in shared memory, a scatter.
use lanework::prelude::*;

#[device]
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct RunLength<T> {
    value: T,
    start: u32,
    length: u32,
}

#[device]
impl<T: Copy> RunLength<T> {
    fn end(&self) -> u32 {
        self.start + self.length
    }
}

/// Inclusive scan over a block of N threads (Hillis and Steele).
#[device]
fn block_scan<const N: usize>(value: u32, op: impl Fn(u32, u32) -> u32) -> u32 {
    let buffer = shared::<[u32; N]>();
    let t = thread_idx.x as usize;
    buffer[t] = value;
    sync_threads();
    let mut step = 1;
    while step < N {
        let other = t.checked_sub(step).map(|i| buffer[i]);
        sync_threads();
        if let Some(other) = other {
            buffer[t] = op(other, buffer[t]);
        }
        sync_threads();
        step *= 2;
    }
    let result = buffer[t];
    sync_threads();
    result
}

/// One block encodes a row of N values.
#[kernel]
fn encode<T: Copy + PartialEq, const N: usize>(
    rows: &[T],
    runs: &mut [RunLength<T>],
    counts: &mut [u32],
) {
    let t = thread_idx.x as usize;
    let row = &rows[block_idx.x as usize * N..][..N];
    let runs = &mut runs[block_idx.x as usize * N..][..N];
    let is_head = t == 0 || row[t - 1] != row[t];
    let index = block_scan::<N>(is_head as u32, |a, b| a + b) - 1;
    if is_head {
        let length = row[t..].iter().take_while(|&&v| v == row[t]).count() as u32;
        runs[index as usize] = RunLength { value: row[t], start: t as u32, length };
    }
    if t == N - 1 {
        counts[block_idx.x] = index + 1;
    }
}

#[kernel]
fn decode<T: Copy + Default, const N: usize>(
    runs: &[RunLength<T>],
    counts: &[u32],
    rows: &mut [T],
) {
    let t = thread_idx.x;
    let count = counts[block_idx.x] as usize;
    let runs = &runs[block_idx.x as usize * N..][..count];
    let found = runs.iter().find(|run| (run.start..run.end()).contains(&t));
    rows[block_idx.x * N as u32 + t] = found.map(|run| run.value).unwrap_or_default();
}

fn reference<T: Copy + PartialEq>(row: &[T]) -> Vec<RunLength<T>> {
    let mut out: Vec<RunLength<T>> = vec![];
    for (i, &value) in row.iter().enumerate() {
        match out.last_mut() {
            Some(run) if run.value == value => run.length += 1,
            _ => out.push(RunLength { value, start: i as u32, length: 1 }),
        }
    }
    out
}

#[test]
fn run_length() -> lanework::Result<()> {
    const N: usize = 128;
    let rows: Vec<u8> = (0..10 * N).map(|i| (i / (i / 37 % 5 + 1) % 3) as u8).collect();
    let device = Device::emulator().sanitized();
    let on_rows = device.upload(&rows)?;
    let mut runs = device.zeros::<RunLength<u8>>(rows.len())?;
    let mut counts = device.zeros::<u32>(10)?;
    encode::<u8, N>(&on_rows, &mut runs, &mut counts).grid(10).block(N as u32).launch(&device)?;
    let mut back = device.zeros::<u8>(rows.len())?;
    decode::<u8, N>(&runs, &counts, &mut back).grid(10).block(N as u32).launch(&device)?;
    assert_eq!(back.download()?, rows);
    let (runs, counts) = (runs.download()?, counts.download()?);
    for (r, row) in rows.chunks(N).enumerate() {
        assert_eq!(runs[r * N..][..counts[r] as usize], reference(row), "row {r}");
    }
    Ok(())
}
