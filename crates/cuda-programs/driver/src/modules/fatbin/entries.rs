//! The entries of a fatbin, with their texts uncompressed.
//!
//! Of several PTX entries the newest is taken that the emulated GPU may run, else, where no GPU was named, the oldest of the newer ones: the
//! emulator also knows instructions that the GPU it stands for does not have.

use super::refused::Refused;
use crate::devices::model::{Model, model};

/// The first bytes of a fatbin.
pub const FATBIN: u32 = 0xba55_ed50;
/// Flags of an entry: how its payload is compressed.
pub(super) const LZ4: u64 = 0x2000;
pub(super) const ZSTD: u64 = 0x8000;

/// Bytes of an entry's header that are read.
pub(super) const ENTRY: usize = 64;
/// PTX text at most: more is not text.
pub(super) const LONGEST: usize = 1 << 28;
/// Bytes that one byte of an LZ4 block becomes at most.
pub(super) const MOST_OF_LZ4: usize = 255;

/// The best PTX of a fatbin's bytes for the emulated GPU.
pub fn ptx_of(bytes: &[u8]) -> Result<String, Refused> {
    best_for(model(), bytes)
}

/// The best PTX of a fatbin's bytes for a GPU.
pub(super) fn best_for(model: &Model, bytes: &[u8]) -> Result<String, Refused> {
    let own = model.architecture();
    let cut = Refused::Damaged("it ends in an entry");
    let magic = bytes.get(..4).map(|word| u32::from_le_bytes(std::array::from_fn(|i| word[i])));
    if magic != Some(FATBIN) || bytes.len() < 16 {
        return Err(Refused::Unknown);
    }
    let mut rest =
        bytes.get(u16::from_le_bytes([bytes[6], bytes[7]]) as usize..).ok_or(cut.clone())?;
    let (mut best, mut machine): (Option<(u32, String)>, _) = (None, Vec::new());
    while rest.len() >= ENTRY {
        let word = |offset: usize| u32::from_le_bytes(std::array::from_fn(|i| rest[offset + i]));
        let long = |offset: usize| u64::from_le_bytes(std::array::from_fn(|i| rest[offset + i]));
        let (kind, header, length, sm) =
            (word(0) as u16, word(4) as usize, word(8) as usize, word(28));
        let payload = rest.get(header..header.saturating_add(length)).ok_or(cut.clone())?;
        match kind {
            1 if best.as_ref().is_none_or(|(of_best, _)| is_better(own, sm, *of_best)) => {
                let compressed = payload
                    .get(..word(16) as usize)
                    .filter(|part| !part.is_empty())
                    .unwrap_or(payload);
                let text = text_of(compressed, long(40), long(56) as usize)?;
                best = Some((sm, text));
            }
            2 => machine.push(sm),
            _ => {}
        }
        // An entry without a byte would be followed by itself.
        if header + length == 0 {
            return Err(Refused::Damaged("an entry has no length"));
        }
        rest = &rest[header + length..];
    }
    match best {
        Some((sm, _)) if model.named && sm > own => Err(Refused::Newer(sm)),
        Some((_, text)) => Ok(text),
        None => Err(Refused::MachineCode(machine)),
    }
}

/// Whether a GPU of one architecture takes PTX for a second one rather than that for a third.
fn is_better(own: u32, sm: u32, other: u32) -> bool {
    match (sm <= own, other <= own) {
        (true, true) => sm > other,
        (false, false) => sm < other,
        (runs, _) => runs,
    }
}

/// The text of an entry's payload.
fn text_of(payload: &[u8], flags: u64, length: usize) -> Result<String, Refused> {
    if length > LONGEST {
        return Err(Refused::Damaged("an entry says that it is longer than 256 MiB"));
    }
    let bytes = if flags & LZ4 != 0 {
        if length / MOST_OF_LZ4 > payload.len() {
            return Err(Refused::Damaged(
                "an entry's LZ4 block says that it is longer than it can be",
            ));
        }
        lz4_flex::block::decompress(payload, length)
            .map_err(|_| Refused::Damaged("an entry's LZ4 block is damaged"))?
    } else if flags & ZSTD != 0 {
        let mut text = Vec::new();
        let mut decoder = ruzstd::decoding::StreamingDecoder::new(payload)
            .map_err(|_| Refused::Damaged("an entry's zstd frame is damaged"))?;
        // A frame that says nothing else may be as long as the longest.
        let most = if length == 0 { LONGEST } else { length };
        let limited = &mut std::io::Read::take(&mut decoder, most as u64);
        std::io::Read::read_to_end(limited, &mut text)
            .map_err(|_| Refused::Damaged("an entry's zstd frame is damaged"))?;
        text
    } else {
        payload.to_vec()
    };
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    Ok(String::from_utf8_lossy(&bytes[..end]).into_owned())
}
