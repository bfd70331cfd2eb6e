//! Module images: PTX text, fatbins with compressed entries, and machine code, which is refused.
//!
//! NVIDIA does not document fatbins; public tools use the offsets here, and nvcc 12 and 13 write them.

use crate::devices::gpus::{Model, model};
use crate::memory::{Access, is_mapped, until_zero};
use crate::modules::embedded;
use crate::pointers::*;
use crate::status::Status;
use std::fmt;

/// Why an image is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageError {
    /// Machine code for these architectures, and no PTX.
    MachineCode(Vec<u32>),
    /// The oldest PTX is for this architecture, newer than the named GPU.
    Newer(u32),
    /// Unknown image format.
    Unknown,
    /// An entry is damaged.
    Damaged(&'static str),
}

impl ImageError {
    /// The status that a GPU's driver returns.
    pub fn status(&self) -> Status {
        match self {
            ImageError::MachineCode(_) | ImageError::Newer(_) => Status::NoBinaryForGpu,
            ImageError::Unknown | ImageError::Damaged(_) => Status::InvalidImage,
        }
    }
}

/// Message and help for PTX that the named GPU does not run.
pub fn newer(target: &str) -> [String; 2] {
    let (gpu, own) = (&model().gpu.name, model().architecture());
    [
        format!(
            "the module's PTX is for {target}, which the emulated {gpu} (sm_{own}) does not run"
        ),
        format!(
            "compile for it (`nvcc -arch=sm_{own}`), or name another GPU by `--gpu` (LANEWORK_GPU)"
        ),
    ]
}

/// ` for sm_80, sm_90`, or empty.
pub fn for_architectures(sms: &[u32]) -> String {
    let names: Vec<String> = sms.iter().map(|sm| format!("sm_{sm}")).collect();
    if names.is_empty() { String::new() } else { format!(" for {}", names.join(", ")) }
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageError::MachineCode(sms) => write!(
                f,
                "the module holds machine code{} and no PTX, which the emulator needs\n  = help: compile with PTX, as \
                 `nvcc -gencode arch=compute_90,code=compute_90` or `-arch=sm_90` do",
                for_architectures(sms)
            ),
            ImageError::Newer(sm) => f.write_str(&newer(&format!("sm_{sm}")).join("\n  = help: ")),
            ImageError::Unknown => {
                f.write_str("the image of the module is neither PTX nor a fatbin\n  = help: pass PTX text, or what nvcc writes with `-fatbin`")
            }
            ImageError::Damaged(what) => write!(f, "the module's fatbin cannot be read: {what}\n  = help: compile it again"),
        }
    }
}

/// Magic number of a fatbin.
pub const FATBIN: u32 = 0xba55_ed50;
/// Entry flags: compression of the payload.
const LZ4: u64 = 0x2000;
const ZSTD: u64 = 0x8000;

/// Number of header bytes read per entry.
const ENTRY: usize = 64;
/// Maximum size of PTX text.
pub const LONGEST: usize = 1 << 28;
/// Maximum expansion of an LZ4 block.
const MOST_OF_LZ4: usize = 255;

/// The best PTX of a fatbin for the emulated GPU.
pub fn ptx_of(bytes: &[u8]) -> Result<String, ImageError> {
    best_for(model(), bytes)
}

/// The best PTX of a fatbin for a GPU: the newest entry that the GPU runs. If no GPU was named and all entries are
/// newer, the oldest one, because the emulator also runs instructions that the default GPU does not have.
fn best_for(model: &Model, bytes: &[u8]) -> Result<String, ImageError> {
    let own = model.architecture();
    let cut = ImageError::Damaged("it ends within an entry");
    let magic = bytes.get(..4).map(|word| u32::from_le_bytes(std::array::from_fn(|i| word[i])));
    if magic != Some(FATBIN) || bytes.len() < 16 {
        return Err(ImageError::Unknown);
    }
    let mut rest =
        bytes.get(u16::from_le_bytes([bytes[6], bytes[7]]) as usize..).ok_or(cut.clone())?;
    let (mut best, mut machine): (Option<(u32, String)>, _) = (None, Vec::new());
    let mut inside = None;
    while rest.len() >= ENTRY {
        let word = |offset: usize| u32::from_le_bytes(std::array::from_fn(|i| rest[offset + i]));
        let long = |offset: usize| u64::from_le_bytes(std::array::from_fn(|i| rest[offset + i]));
        let (kind, header, length, sm) =
            (word(0) as u16, word(4) as usize, word(8) as usize, word(28));
        let payload = rest.get(header..header.saturating_add(length)).ok_or(cut.clone())?;
        match kind {
            1 if best.as_ref().is_none_or(|(of_best, _)| is_better(own, sm, *of_best)) => {
                let text = text_of(packed(payload, word(16)), long(40), long(56) as usize)?;
                best = Some((sm, text));
            }
            2 => {
                machine.push(sm);
                let compressed = packed(payload, word(16));
                let unpack = || unpacked(compressed, long(40), long(56) as usize).ok();
                if sm == own {
                    lanework::tool::learn_registers(&unpack);
                }
                if best.is_none() && inside.is_none() {
                    inside = unpack().and_then(|elf| embedded::ptx_of(&elf));
                }
            }
            _ => {}
        }
        // A zero-length entry would loop forever.
        if header + length == 0 {
            return Err(ImageError::Damaged("an entry has no length"));
        }
        rest = &rest[header + length..];
    }
    match best {
        Some((sm, _)) if model.named && sm > own => Err(ImageError::Newer(sm)),
        Some((_, text)) => Ok(text),
        None => inside.ok_or(ImageError::MachineCode(machine)),
    }
}

/// Whether a GPU prefers PTX for `sm` over PTX for `other`.
fn is_better(own: u32, sm: u32, other: u32) -> bool {
    match (sm <= own, other <= own) {
        (true, true) => sm > other,
        (false, false) => sm < other,
        (runs, _) => runs,
    }
}

/// The compressed part of a payload, if it gives its size.
fn packed(payload: &[u8], size: u32) -> &[u8] {
    payload.get(..size as usize).filter(|part| !part.is_empty()).unwrap_or(payload)
}

/// The text of an entry's payload.
fn text_of(payload: &[u8], flags: u64, length: usize) -> Result<String, ImageError> {
    let bytes = unpacked(payload, flags, length)?;
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    Ok(String::from_utf8_lossy(&bytes[..end]).into_owned())
}

/// Decompresses an entry's payload.
fn unpacked(payload: &[u8], flags: u64, length: usize) -> Result<Vec<u8>, ImageError> {
    if length > LONGEST {
        return Err(ImageError::Damaged("an entry states a length above 256 MiB"));
    }
    if flags & LZ4 != 0 {
        if length / MOST_OF_LZ4 > payload.len() {
            return Err(ImageError::Damaged("an entry's LZ4 block states an impossible length"));
        }
        lz4_flex::block::decompress(payload, length)
            .map_err(|_| ImageError::Damaged("an entry's LZ4 block is damaged"))
    } else if flags & ZSTD != 0 {
        let mut text = Vec::new();
        let mut decoder = ruzstd::decoding::StreamingDecoder::new(payload)
            .map_err(|_| ImageError::Damaged("an entry's zstd frame is damaged"))?;
        // A frame without a size may have up to the maximum length.
        let most = if length == 0 { LONGEST } else { length };
        let limited = &mut std::io::Read::take(&mut decoder, most as u64);
        std::io::Read::read_to_end(limited, &mut text)
            .map_err(|_| ImageError::Damaged("an entry's zstd frame is damaged"))?;
        Ok(text)
    } else {
        Ok(payload.to_vec())
    }
}

/// Magic number of `fatBinaryWrapper`, nvcc's pointer to a fatbin.
const WRAPPER: u32 = 0x4662_43b1;
/// Magic number of an ELF file.
const ELF: u32 = 0x464c_457f;

/// Maximum number of fatbins per wrapper, in case a list has no end.
const MOST_PARTS: usize = 1 << 16;

/// All PTX texts of an image: one, or one per fatbin of a list.
pub fn texts(image: In<'_, u8>) -> Result<Vec<String>, ImageError> {
    let image = image.as_ptr();
    let there = |at: *const u8, bytes| match is_mapped(at as u64, bytes, Access::Read) {
        true => Ok(()),
        false => Err(ImageError::Damaged("it points to unmapped memory")),
    };
    there(image, 4)?;
    // SAFETY: `there` found four bytes readable.
    let magic = u32::from_le_bytes(unsafe { image.cast::<[u8; 4]>().read_unaligned() });
    match magic {
        WRAPPER => {
            there(image, 24)?;
            // SAFETY: `there` found 24 bytes readable: magic, version, fatbin pointer, list pointer.
            let (version, data, list) = unsafe {
                let word = |offset| image.add(offset).cast::<u32>().read_unaligned();
                let pointer = |offset| image.add(offset).cast::<*const u8>().read_unaligned();
                (word(4), pointer(8), pointer(16))
            };
            if version != 2 {
                // SAFETY: the wrapper points to a fatbin; `of_fatbin` checks that it is mapped.
                return Ok(vec![unsafe { of_fatbin(data) }?]);
            }
            let list = list.cast::<*const u8>();
            // In version 2, the list ends with a null pointer.
            let next = |index: usize| match there(list.wrapping_add(index).cast(), 8) {
                // SAFETY: `there` found the eight bytes readable.
                Ok(()) => Ok(unsafe { list.add(index).read_unaligned() }),
                Err(refused) => Err(refused),
            };
            let end =
                |next: &Result<*const u8, ImageError>| !next.as_ref().is_ok_and(|at| at.is_null());
            let fatbins = (0..MOST_PARTS).map(next).take_while(end);
            // Fatbins of separate compilation. The wrapper's own fatbin has the machine code that nvlink made from
            // them.
            let (mut found, mut machine) = (Vec::new(), Vec::new());
            for fatbin in fatbins {
                // SAFETY: list entries point to fatbins; `of_fatbin` checks that they are mapped.
                match unsafe { of_fatbin(fatbin?) } {
                    Ok(text) => found.push(text),
                    Err(ImageError::MachineCode(mut sms)) => machine.append(&mut sms),
                    Err(other) => return Err(other),
                }
            }
            if found.is_empty() {
                // SAFETY: the wrapper points to a fatbin; `of_fatbin` checks that it is mapped.
                let own = unsafe { of_fatbin(data) };
                found.push(own.map_err(|refused| match refused {
                    ImageError::MachineCode(sms) if sms.is_empty() => {
                        ImageError::MachineCode(machine)
                    }
                    other => other,
                })?);
            }
            Ok(found)
        }
        // SAFETY: the image starts with the magic of a fatbin; `of_fatbin` checks that it is mapped.
        FATBIN => Ok(vec![unsafe { of_fatbin(image) }?]),
        ELF => {
            // SAFETY: the image starts with the magic of an ELF file; `elf` checks that it is mapped.
            let inside = unsafe { elf(image) }.and_then(embedded::ptx_of);
            Ok(vec![inside.ok_or(ImageError::MachineCode(Vec::new()))?])
        }
        _ => {
            // SAFETY: the program does not write its image during the call; `until_zero` checks that each page is readable.
            let text = unsafe { until_zero(image as u64) }.ok_or(ImageError::Unknown)?;
            let text = String::from_utf8_lossy(text);
            match text.contains(".version") {
                true => Ok(vec![text.into_owned()]),
                false => Err(ImageError::Unknown),
            }
        }
    }
}

/// The best PTX of a fatbin in memory.
///
/// # Safety
/// The program does not write the memory during the call.
unsafe fn of_fatbin(start: *const u8) -> Result<String, ImageError> {
    let cut = |_| ImageError::Damaged("its stated length exceeds the memory that holds it");
    if !is_mapped(start as u64, 16, Access::Read) {
        return Err(cut(()));
    }
    // SAFETY: the 16 bytes of the header are mapped, as checked above; `slice` checks the length that the header gives.
    let bytes = unsafe {
        let header = std::slice::from_raw_parts(start, 16);
        let total = u64::from_le_bytes(std::array::from_fn(|i| header[8 + i]));
        let header = u64::from(u16::from_le_bytes([header[6], header[7]]));
        let all = header.saturating_add(total).max(16);
        In::new(start).slice(usize::try_from(all).unwrap_or(usize::MAX)).map_err(|_| cut(()))?
    };
    ptx_of(bytes)
}

/// The bytes of an ELF file in memory, if they are mapped.
///
/// # Safety
/// The program does not write the memory during the call.
unsafe fn elf<'call>(start: *const u8) -> Option<&'call [u8]> {
    // SAFETY: `slice` checks that the bytes are mapped; the caller vouches that nothing writes them.
    unsafe {
        let header = In::new(start).slice(embedded::HEADER).ok()?;
        In::new(start).slice(embedded::length_of(header)?).ok()
    }
}

/// All PTX texts of a file.
pub fn texts_of_file(bytes: &[u8]) -> Result<Vec<String>, ImageError> {
    match bytes.first_chunk() {
        Some(word) if u32::from_le_bytes(*word) == FATBIN => Ok(vec![ptx_of(bytes)?]),
        Some(word) if u32::from_le_bytes(*word) == ELF => {
            Ok(vec![embedded::ptx_of(bytes).ok_or(ImageError::MachineCode(Vec::new()))?])
        }
        _ => {
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
            let text = String::from_utf8_lossy(&bytes[..end]);
            if text.contains(".version") {
                Ok(vec![text.into_owned()])
            } else {
                Err(ImageError::Unknown)
            }
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use super::{ENTRY, LONGEST, LZ4, ZSTD, best_for};
    use crate::devices::gpus::Model;
    use crate::status::Status;
    use lanework_gpu_specs::specs;

    /// Builds a fatbin from entries: kind, sm, flags, uncompressed length, payload.
    pub fn fatbin(entries: &[(u16, u32, u64, usize, Vec<u8>)]) -> Vec<u8> {
        let mut body = Vec::new();
        for (kind, sm, flags, length, payload) in entries {
            let mut header = [0u8; ENTRY];
            header[..2].copy_from_slice(&kind.to_le_bytes());
            header[4..8].copy_from_slice(&(ENTRY as u32).to_le_bytes());
            header[8..12].copy_from_slice(&(payload.len() as u32).to_le_bytes());
            let compressed = if *flags == 0 { 0 } else { payload.len() as u32 };
            header[16..20].copy_from_slice(&compressed.to_le_bytes());
            header[28..32].copy_from_slice(&sm.to_le_bytes());
            header[40..48].copy_from_slice(&flags.to_le_bytes());
            header[56..64].copy_from_slice(&(*length as u64).to_le_bytes());
            body.extend(header);
            body.extend(payload);
        }
        let mut bytes = FATBIN.to_le_bytes().to_vec();
        bytes.extend([1, 0, 16, 0]);
        bytes.extend((body.len() as u64).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    #[test]
    fn the_newest_ptx_that_the_gpu_runs_is_taken() {
        let old = b".version 7.0 old".to_vec();
        let new = b".version 8.0 new".to_vec();
        let packed = lz4_flex::block::compress(&new);
        let bytes = fatbin(&[
            (2, 90, 0, 0, vec![1; 100]),
            (1, 70, 0, 0, old),
            (1, 90, LZ4, new.len(), packed),
            (1, 100, 0, 0, b".version 9.0".to_vec()),
        ]);
        assert_eq!(ptx_of(&bytes).as_deref(), Ok(".version 8.0 new"));
        // SAFETY: `bytes` outlives the call.
        let image = unsafe { In::new(bytes.as_ptr()) };
        assert_eq!(texts(image), Ok(vec![".version 8.0 new".to_owned()]));
    }

    #[test]
    fn machine_code_with_its_ptx_inside_is_taken_without_other_ptx() {
        use crate::modules::embedded::tests::elf;
        let cubin = elf(".nv_debug_ptx_txt", b".version 8.0 inside\0");
        let text = Ok(vec![".version 8.0 inside\n".to_owned()]);
        // SAFETY: `cubin` outlives the call.
        assert_eq!(texts(unsafe { In::new(cubin.as_ptr()) }), text);
        assert_eq!(texts_of_file(&cubin), text);
        assert_eq!(texts_of_file(&fatbin(&[(2, 90, 0, 0, cubin.clone())])), text);
        let both = fatbin(&[(2, 90, 0, 0, cubin), (1, 90, 0, 0, b".version 8.0 beside".to_vec())]);
        assert_eq!(ptx_of(&both).as_deref(), Ok(".version 8.0 beside"));
    }

    #[test]
    fn newer_ptx_is_used_only_without_an_older_one() {
        let entry = |sm: u32| (1, sm, 0, 0, format!(".version sm {sm}").into_bytes());
        assert_eq!(ptx_of(&fatbin(&[entry(120), entry(100)])).as_deref(), Ok(".version sm 100"));
        assert_eq!(ptx_of(&fatbin(&[entry(120), entry(70)])).as_deref(), Ok(".version sm 70"));
    }

    #[test]
    fn a_gpu_that_was_named_takes_no_newer_ptx() {
        let model = |named| {
            let gpu = specs().gpu("L20").expect("known");
            Model { gpu, limits: specs().architecture(gpu.capability()), named }
        };
        let entry = |sm: u32| (1, sm, 0, 0, format!(".version sm {sm}").into_bytes());
        let best = |named, sms: &[u32]| {
            let entries: Vec<_> = sms.iter().map(|&sm| entry(sm)).collect();
            best_for(&model(named), &fatbin(&entries))
        };
        assert_eq!(best(true, &[90, 80, 75]).as_deref(), Ok(".version sm 80"));
        assert_eq!(best(false, &[120, 90]).as_deref(), Ok(".version sm 90"));
        let refused = best(true, &[120, 90]).expect_err("newer");
        assert_eq!((&refused, refused.status()), (&ImageError::Newer(90), Status::NoBinaryForGpu));
    }

    #[test]
    fn machine_code_without_ptx_is_refused_with_a_compiler_option() {
        let refused = ptx_of(&fatbin(&[(2, 90, 0, 0, vec![0; 8])])).expect_err("no PTX");
        assert_eq!(refused, ImageError::MachineCode(vec![90]));
        assert!(refused.to_string().contains("nvcc -gencode"));
    }

    /// A version 2 wrapper with its own fatbin and a list.
    fn wrapped(own: &[u8], parts: &[Vec<u8>]) -> Result<Vec<String>, ImageError> {
        let mut list: Vec<*const u8> = parts.iter().map(|part| part.as_ptr()).collect();
        list.push(std::ptr::null());
        let mut wrapper = WRAPPER.to_le_bytes().to_vec();
        wrapper.extend(2u32.to_le_bytes());
        wrapper.extend((own.as_ptr() as u64).to_le_bytes());
        wrapper.extend((list.as_ptr() as u64).to_le_bytes());
        // SAFETY: `wrapper`, the list and the fatbins outlive the call.
        texts(unsafe { In::new(wrapper.as_ptr()) })
    }

    #[test]
    fn the_parts_of_separate_compilation_are_taken_where_they_have_ptx() {
        let ptx = |text: &str| fatbin(&[(1, 90, 0, 0, text.as_bytes().to_vec())]);
        let machine = fatbin(&[(2, 90, 0, 0, vec![0; 8])]);
        let parts = [ptx(".version a"), machine.clone(), ptx(".version b")];
        // nvlink's output is machine code, or empty.
        for own in [&machine, &fatbin(&[])] {
            assert_eq!(wrapped(own, &parts), Ok(vec![".version a".into(), ".version b".into()]));
        }
        assert_eq!(wrapped(&ptx(".version c"), &[]), Ok(vec![".version c".into()]));
        let refused = wrapped(&fatbin(&[]), &[machine]).expect_err("no PTX");
        assert_eq!(refused, ImageError::MachineCode(vec![90]));
    }

    #[test]
    fn damaged_fatbins_are_refused() {
        let whole =
            fatbin(&[(1, 90, LZ4, 16, vec![0xff; 20]), (1, 90, 0, 0, b".version".to_vec())]);
        for length in 0..whole.len() {
            assert!(ptx_of(&whole[..length]).is_err(), "{length} bytes");
        }
        assert!(matches!(ptx_of(&whole), Err(ImageError::Damaged(_))));
    }

    #[test]
    fn impossible_lengths_are_refused_without_a_loop() {
        let good = || (1, 90, 0, 0, b".version a".to_vec());
        // A zero-length entry, header included.
        let mut endless = fatbin(&[good()]);
        endless.extend([0; 128]);
        let total = (endless.len() as u64 - 16).to_le_bytes();
        endless[8..16].copy_from_slice(&total);
        assert!(matches!(ptx_of(&endless), Err(ImageError::Damaged(_))));
        // Texts that claim to be longer than the compressed data can be.
        for flags in [LZ4, ZSTD] {
            for length in [1 << 20, LONGEST, LONGEST + 1, usize::MAX] {
                let damaged = fatbin(&[(1, 90, flags, length, vec![0x1f; 40])]);
                assert!(
                    matches!(ptx_of(&damaged), Err(ImageError::Damaged(_))),
                    "{flags} {length}"
                );
            }
        }
        // A fatbin that claims to be longer than memory.
        let mut long = fatbin(&[good()]);
        for total in [u64::MAX, u64::MAX - 16, 1 << 46, 1 << 62] {
            long[8..16].copy_from_slice(&total.to_le_bytes());
            // SAFETY: `long` outlives the call.
            let image = unsafe { In::new(long.as_ptr()) };
            assert!(matches!(texts(image), Err(ImageError::Damaged(_))));
        }
    }

    #[test]
    fn pointers_to_nothing_are_refused() {
        let mut wrapper = WRAPPER.to_le_bytes().to_vec();
        wrapper.extend([1, 0, 0, 0]);
        wrapper.extend([8u64, 8].map(u64::to_le_bytes).as_flattened());
        for version in [1, 2] {
            wrapper[4] = version;
            // SAFETY: every address is checked before it is read.
            assert!(texts(unsafe { In::new(wrapper.as_ptr()) }).is_err());
        }
        for nowhere in [8usize, 0xdead_0000_0000] {
            // SAFETY: the address is not mapped, so it is never read.
            assert!(texts(unsafe { In::new(std::ptr::without_provenance(nowhere)) }).is_err());
        }
    }

    #[test]
    fn files_are_read_no_further_than_they_are_long() {
        let whole = fatbin(&[(1, 90, 0, 0, b".version a".to_vec())]);
        assert_eq!(texts_of_file(&whole), Ok(vec![".version a".to_owned()]));
        for length in 0..whole.len() {
            assert!(texts_of_file(&whole[..length]).is_err(), "{length} bytes");
        }
        assert_eq!(texts_of_file(b".version a"), Ok(vec![".version a".to_owned()]));
        let elf = texts_of_file(&ELF.to_le_bytes());
        assert_eq!(elf, Err(ImageError::MachineCode(Vec::new())));
    }
}
