//! CRC checksums of packets, with tables made at compile time.
use lanework::prelude::*;

#[device]
trait Crc {
    const POLYNOMIAL: u32;
    const START: u32;
    const FINAL: u32;
    const TABLE: [u32; 256] = table(Self::POLYNOMIAL);

    fn update(crc: u32, byte: u8) -> u32 {
        (crc >> 8) ^ Self::TABLE[((crc ^ byte as u32) & 0xff) as usize]
    }
    fn of(bytes: &[u8]) -> u32 {
        bytes.iter().fold(Self::START, |crc, &byte| Self::update(crc, byte)) ^ Self::FINAL
    }
}

const fn table(polynomial: u32) -> [u32; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut crc = i as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ polynomial } else { crc >> 1 };
            bit += 1;
        }
        table[i] = crc;
        i += 1;
    }
    table
}

macro_rules! crc {
    ($name:ident: $polynomial:expr, $start:expr, $final:expr) => {
        struct $name;
        #[device]
        impl Crc for $name {
            const POLYNOMIAL: u32 = $polynomial;
            const START: u32 = $start;
            const FINAL: u32 = $final;
        }
    };
}

crc!(Ethernet: 0xedb8_8320, !0, !0);
crc!(Castagnoli: 0x82f6_3b78, !0, !0);
crc!(Arc16: 0xa001, 0, 0);

#[kernel]
fn checksums<C: Crc>(bytes: &[u8], offsets: &[u32], out: &mut [u32]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i < out.len() {
        out[i] = C::of(&bytes[offsets[i] as usize..offsets[i + 1] as usize]);
    }
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum PacketVerdict {
    Empty,
    Short,
    Damaged,
    Good,
}

#[device]
fn inspect<C: Crc>(packet: &[u8]) -> PacketVerdict {
    match packet {
        [] => PacketVerdict::Empty,
        [body @ .., a, b, c, d] => {
            if C::of(body) == u32::from_le_bytes([*a, *b, *c, *d]) {
                PacketVerdict::Good
            } else {
                PacketVerdict::Damaged
            }
        }
        _ => PacketVerdict::Short,
    }
}

#[kernel]
fn verify<C: Crc>(
    packets: &[u8],
    offsets: &[u32],
    verdicts: &mut [PacketVerdict],
    good: &mut [u32],
) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if let Some(&[start, end]) = offsets.windows(2).nth(i as usize) {
        let verdict = inspect::<C>(&packets[start as usize..end as usize]);
        verdicts[i] = verdict;
        if verdict == PacketVerdict::Good {
            atomic_add(&mut good[0], 1);
        }
    }
}

/// Bit by bit, from the definition.
fn reference(polynomial: u32, invert: bool, bytes: &[u8]) -> u32 {
    let mut crc = if invert { u32::MAX } else { 0 };
    for bit in bytes.iter().flat_map(|byte| (0..8).map(move |b| byte >> b & 1)) {
        let feedback = (crc ^ bit as u32) & 1 == 1;
        crc >>= 1;
        if feedback {
            crc ^= polynomial;
        }
    }
    if invert { !crc } else { crc }
}

fn join(packets: &[Vec<u8>]) -> (Vec<u8>, Vec<u32>) {
    let mut offsets = vec![0];
    for packet in packets {
        offsets.push(offsets[offsets.len() - 1] + packet.len() as u32);
    }
    (packets.concat(), offsets)
}

fn check<C: Crc>(polynomial: u32, invert: bool) -> lanework::Result<()> {
    let packets: Vec<Vec<u8>> =
        (0..40usize).map(|n| (0..n).map(|i| (i * 31 + n * 7) as u8).collect()).collect();
    let (bytes, offsets) = join(&packets);
    let device = Device::emulator().sanitized();
    let mut out = device.zeros::<u32>(packets.len())?;
    checksums::<C>(&device.upload(&bytes)?, &device.upload(&offsets)?, &mut out)
        .grid(2)
        .block(32)
        .launch(&device)?;
    let want: Vec<u32> = packets.iter().map(|p| reference(polynomial, invert, p)).collect();
    assert_eq!(out.download()?, want);
    Ok(())
}

#[test]
fn checksums_match() -> lanework::Result<()> {
    assert_eq!(Ethernet::of(b"123456789"), 0xcbf4_3926);
    check::<Ethernet>(0xedb8_8320, true)?;
    check::<Castagnoli>(0x82f6_3b78, true)?;
    check::<Arc16>(0xa001, false)
}

#[test]
fn verifies_packets() -> lanework::Result<()> {
    let sealed = |text: &str| {
        [text.as_bytes(), &reference(0xedb8_8320, true, text.as_bytes()).to_le_bytes()].concat()
    };
    let mut damaged = sealed("hello there");
    damaged[3] ^= 4;
    let packets =
        [sealed("hello"), vec![], damaged, b"abc".to_vec(), sealed(""), sealed("the end")];
    let (bytes, offsets) = join(&packets);
    let device = Device::emulator().sanitized();
    let mut verdicts = device.upload(&[PacketVerdict::Empty; 6])?;
    let mut good = device.zeros::<u32>(1)?;
    verify::<Ethernet>(
        &device.upload(&bytes)?,
        &device.upload(&offsets)?,
        &mut verdicts,
        &mut good,
    )
    .grid(1)
    .block(32)
    .launch(&device)?;
    use PacketVerdict::*;
    assert_eq!(verdicts.download()?, [Good, Empty, Damaged, Short, Good, Good]);
    assert_eq!(good.download()?, [3]);
    Ok(())
}
