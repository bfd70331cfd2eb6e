//! Checksums: CRC-32 with a table computed by a const fn, Adler-32, FNV-1a; a trait with an associated type.
use lanework::prelude::*;

const fn crc_table(polynomial: u32) -> [u32; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut crc = i as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ polynomial } else { crc >> 1 };
            bit += 1;
        }
        table[i] = crc;
        i += 1;
    }
    table
}

const CRC: [u32; 256] = crc_table(0xedb8_8320);
static CASTAGNOLI: [u32; 256] = crc_table(0x82f6_3b78);

#[device]
trait Checksum {
    type State: Copy;
    const NAME: &'static [u8];
    fn start() -> Self::State;
    fn update(state: Self::State, byte: u8) -> Self::State;
    fn finish(state: Self::State) -> u64;

    fn of(bytes: &[u8]) -> u64 {
        Self::finish(bytes.iter().fold(Self::start(), |state, &byte| Self::update(state, byte)))
    }
}

struct Crc32;
struct Crc32c;
struct Adler32;
struct Fnv1a;

macro_rules! crc {
    ($($name:ident => $table:ident, $label:literal;)+) => {
        $(
            #[device]
            impl Checksum for $name {
                type State = u32;
                const NAME: &'static [u8] = $label;
                fn start() -> u32 {
                    !0
                }
                fn update(state: u32, byte: u8) -> u32 {
                    state >> 8 ^ $table[usize::from(state as u8 ^ byte)]
                }
                fn finish(state: u32) -> u64 {
                    u64::from(!state)
                }
            }
        )+
    };
}

crc! {
    Crc32 => CRC, b"crc32";
    Crc32c => CASTAGNOLI, b"crc32c";
}

#[device]
impl Checksum for Adler32 {
    type State = (u16, u16);
    const NAME: &'static [u8] = b"adler";
    fn start() -> Self::State {
        (1, 0)
    }
    fn update((a, b): Self::State, byte: u8) -> Self::State {
        const BASE: u32 = 65521;
        let a = (u32::from(a) + u32::from(byte)) % BASE;
        (a as u16, ((u32::from(b) + a) % BASE) as u16)
    }
    fn finish((a, b): Self::State) -> u64 {
        u64::from(b) << 16 | u64::from(a)
    }
}

#[device]
impl Checksum for Fnv1a {
    type State = u64;
    const NAME: &'static [u8] = b"fnv";
    fn start() -> u64 {
        0xcbf2_9ce4_8422_2325
    }
    fn update(state: u64, byte: u8) -> u64 {
        (state ^ byte as u64).wrapping_mul(0x100_0000_01b3)
    }
    fn finish(state: u64) -> u64 {
        state
    }
}

/// The checksum of each chunk, salted with the sum of the algorithm's name.
#[kernel]
fn sums<C: Checksum>(data: &[u8], chunk: usize, out: &mut [u64]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    let Some(bytes) = data.chunks(chunk).nth(i as usize) else { return };
    let salt: u64 = C::NAME.iter().map(|&b| b as u64).sum();
    out[i] = C::of(bytes) + (salt << 48);
}

fn crc_reference(bytes: &[u8], polynomial: u32) -> u64 {
    let mut crc = u32::MAX;
    for b in bytes {
        crc ^= *b as u32;
        for _ in 0..8 {
            crc = crc >> 1 ^ (polynomial & (crc & 1).wrapping_neg());
        }
    }
    !crc as u64
}

fn run<C: Checksum>(
    device: &Device,
    data: &[u8],
    reference: impl Fn(&[u8]) -> u64,
) -> lanework::Result<()> {
    let chunk = 77;
    let count = data.len().div_ceil(chunk);
    let on_data = device.upload(data)?;
    let mut out = device.zeros::<u64>(count)?;
    sums::<C>(&on_data, chunk, &mut out)
        .grid((count as u32).div_ceil(32))
        .block(32)
        .launch(device)?;
    let salt = C::NAME.iter().map(|b| *b as u64).sum::<u64>() << 48;
    let want: Vec<u64> = data.chunks(chunk).map(|c| reference(c).wrapping_add(salt)).collect();
    assert_eq!(out.download()?, want, "{}", String::from_utf8_lossy(C::NAME));
    Ok(())
}

#[test]
fn checksums() -> lanework::Result<()> {
    assert_eq!(Crc32::of(b"123456789"), 0xcbf43926);
    let device = Device::emulator().sanitized();
    let data: Vec<u8> = (0..5000u32).map(|i| (i * i >> 3) as u8).collect();
    run::<Crc32>(&device, &data, |b| crc_reference(b, 0xedb88320))?;
    run::<Crc32c>(&device, &data, |b| crc_reference(b, 0x82f63b78))?;
    run::<Adler32>(&device, &data, |b| {
        let (mut s, mut t) = (1u64, 0u64);
        for x in b {
            s = (s + *x as u64) % 65521;
            t = (t + s) % 65521;
        }
        t * 65536 + s
    })?;
    run::<Fnv1a>(&device, &data, |b| {
        b.iter().fold(14695981039346656037u64, |h, x| (h ^ *x as u64).wrapping_mul(1099511628211))
    })
}
