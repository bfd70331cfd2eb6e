//! Run-length code: every thread encodes one row of bytes, another kernel decodes it.
use lanework::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Runs<'a> {
    rest: &'a [u8],
    longest: u32,
}

#[device]
impl<'a> Runs<'a> {
    fn new(text: &'a [u8]) -> Self {
        Runs { rest: text, longest: 9 }
    }
}

#[device]
impl<'a> Iterator for Runs<'a> {
    type Item = (u8, u32);

    fn next(&mut self) -> Option<(u8, u32)> {
        let first = *self.rest.first()?;
        let length =
            self.rest.iter().take(self.longest as usize).take_while(|&&b| b == first).count();
        self.rest = &self.rest[length..];
        Some((first, length as u32))
    }
}

#[kernel]
fn encode(rows: &[u8], width: u32, runs: &mut [(u8, u32)], counts: &mut [u32]) {
    let row = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    let width = width as usize;
    if row >= counts.len() {
        return;
    }
    let text = &rows[row * width..][..width];
    let out = &mut runs[row * width..(row + 1) * width];
    let mut n = 0;
    for run in Runs::new(text) {
        out[n] = run;
        n += 1;
    }
    counts[row] = n as u32;
}

#[kernel]
fn decode(runs: &[(u8, u32)], counts: &[u32], width: u32, rows: &mut [u8]) {
    let row = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    let Some(&count) = counts.get(row) else { return };
    let first = row * width as usize;
    let mut at = first;
    for &(byte, length) in &runs[first..first + count as usize] {
        for slot in rows[at..at + length as usize].iter_mut() {
            *slot = byte;
        }
        at += length as usize;
    }
}

fn reference(text: &[u8]) -> Vec<(u8, u32)> {
    let mut runs: Vec<(u8, u32)> = Vec::new();
    for &b in text {
        match runs.last_mut() {
            Some((last, n)) if *last == b && *n < 9 => *n += 1,
            _ => runs.push((b, 1)),
        }
    }
    runs
}

#[test]
fn rows_are_encoded_and_decoded() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let (height, width) = (50usize, 40usize);
    let rows: Vec<u8> =
        (0..height * width).map(|i| b'a' + (i / (1 + i / width % 13) % 3) as u8).collect();
    let on_rows = device.upload(&rows)?;
    let mut runs = device.upload(&vec![(0u8, 0u32); height * width])?;
    let mut counts = device.zeros::<u32>(height)?;
    encode(&on_rows, width as u32, &mut runs, &mut counts).grid(2).block(32).launch(&device)?;

    let (got, lengths) = (runs.download()?, counts.download()?);
    for (row, text) in rows.chunks(width).enumerate() {
        let want = reference(text);
        assert_eq!(lengths[row] as usize, want.len(), "row {row}");
        assert_eq!(got[row * width..][..want.len()], want[..], "row {row}");
    }

    let mut back = device.zeros::<u8>(rows.len())?;
    decode(&runs, &counts, width as u32, &mut back).grid(2).block(32).launch(&device)?;
    assert_eq!(back.download()?, rows);
    Ok(())
}
