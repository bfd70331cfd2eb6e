//! `vprintf`: C formatting of device arguments.

use crate::fault::{FaultKind, RawFault};
use crate::machine::context::{Body, Context, fault};
use crate::machine::lanes::{Sink, Source};
use crate::machine::slot::{BITS, Lanes};
use crate::machine::{Op, Warp};
use crate::memory::guest;
use lanework_numbers::c_text;
use lanework_ptx_ir::kernel::MemorySpace;

/// Longest format or string that is printed.
const LONGEST: u64 = 1 << 16;

/// `vprintf(b, c) -> a`, lane after lane.
pub struct Print;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for Print {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; memory is
        // read through checked accesses.
        unsafe {
            let (formats, arguments) = (u64::fetch(warp, op.b), u64::fetch(warp, op.c));
            let mut results = Lanes([0u32; 32]);
            for lane in 0..32u32 {
                let i = lane as usize;
                if warp.mask & BITS[i] == 0 {
                    continue;
                }
                let context = &mut *warp.context;
                let reader = Reader { context, warp: warp.index, lane };
                match format(&reader, formats.0[i], arguments.0[i]) {
                    Ok((text, count)) => {
                        context.printed.push_str(&text);
                        results.0[i] = count;
                    }
                    Err(address) => {
                        let raw = RawFault {
                            kind: FaultKind::OutOfBounds,
                            lane,
                            address: Some(address),
                            bytes: 1,
                            space: MemorySpace::Generic,
                            access: Some(crate::instrument::event::AccessKind::Load),
                            note: String::new(),
                        };
                        return fault(warp, op, raw);
                    }
                }
            }
            u32::put(warp, op.a, results);
            op.leave()
        }
    }
}

/// The texts at three addresses of the first active lane, for an assertion; empty if one cannot be read.
///
/// # Safety
/// The slots hold 64-bit values of the warp's register file.
pub unsafe fn texts(warp: &mut Warp, slots: [u32; 3]) -> Vec<String> {
    let lane = warp.mask.trailing_zeros() & 31;
    // SAFETY: the slots are the warp's (contract of this function), and its context lives as long as it runs.
    let (addresses, context) =
        unsafe { (slots.map(|slot| u64::fetch(warp, slot).0[lane as usize]), &*warp.context) };
    let reader = Reader { context, warp: warp.index, lane };
    let texts = addresses.iter().map(|address| reader.text(*address, LONGEST).ok());
    let texts: Option<Vec<Vec<u8>>> = texts.collect();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    texts.unwrap_or_default().into_iter().map(text).collect()
}

/// Reads guest memory as one lane sees it.
struct Reader<'a> {
    context: &'a Context,
    warp: u32,
    lane: u32,
}

impl Reader<'_> {
    fn bytes<const N: usize>(&self, address: u64) -> Result<[u8; N], u64> {
        let host =
            self.context.lane_host(MemorySpace::Generic, self.warp, self.lane, address, N as u64);
        match host {
            Some(host) => {
                let mut bytes = [0; N];
                // SAFETY: `lane_host` checked the range.
                unsafe { guest::read_bytes(host, &mut bytes) };
                Ok(bytes)
            }
            None => Err(address),
        }
    }

    fn text(&self, address: u64, most: u64) -> Result<Vec<u8>, u64> {
        let mut text = Vec::new();
        for i in 0..most.min(LONGEST) {
            match self.bytes::<1>(address.wrapping_add(i))?[0] {
                0 => break,
                byte => text.push(byte),
            }
        }
        Ok(text)
    }
}

/// The text and the number of arguments used.
fn format(reader: &Reader<'_>, format: u64, arguments: u64) -> Result<(String, u32), u64> {
    let read = |address, bytes| match bytes {
        8 => Ok(u64::from_le_bytes(reader.bytes::<8>(address)?)),
        _ => Ok(u64::from(u32::from_le_bytes(reader.bytes::<4>(address)?))),
    };
    let (text, used) =
        c_text::format(&reader.text(format, LONGEST)?, arguments, &read, &|at, most| {
            reader.text(at, most)
        })?;
    Ok((String::from_utf8_lossy(&text).into_owned(), used))
}
