//! Alignment of `wmma` matrices and of the distance between their rows.
//!
//! *Rules.* The CUDA programming guide requires pointers at multiples of 32 bytes and leading
//! dimensions of 16 bytes. The PTX manual requires each row at a multiple of a lane's fragment,
//! which may be smaller. This check accepts what satisfies either. A GPU faults only if the loads
//! of the compiled code happen to be misaligned, but the code is wrong in any case.

use crate::access::AccessCheck;
use crate::access::position::LaneAt;
use crate::findings::kinds::ReportKind;
use crate::findings::{Finding, place, verb};
use lanework_engine::event::MatrixTile;
use lanework_engine::machine::Warp;

/// Maximum required alignment of the start in bytes.
const START: u64 = 32;
/// Maximum required alignment of the row distance in bytes.
const PITCH: u64 = 16;

/// Reports a misaligned matrix.
pub fn check_alignment(
    access: &mut AccessCheck,
    warp: &Warp,
    instruction: u32,
    tile: &MatrixTile<'_>,
) {
    let (start, pitch) = (tile.fragment.min(START), tile.fragment.min(PITCH));
    let off = (0..32).find(|lane| !tile.base[*lane].is_multiple_of(start));
    let uneven = !tile.pitch.is_multiple_of(8 * pitch);
    if off.is_none() && !uneven {
        return;
    }
    let lane = off.unwrap_or(0);
    let who = LaneAt { warp: warp.index, lane: lane as u32, instruction };
    let (who, at) = (access.position.thread_at(who), tile.base[lane]);
    let bounds = &access.bounds;
    access.reports.add(ReportKind::Misaligned, who, None, |_| {
        let near = bounds.nearest(tile.space, at);
        let name = place(near.as_ref(), at);
        let verb = verb(tile.kind);
        let (message, help) = match off {
            Some(_) => (
                format!("misaligned matrix: `wmma` {verb} at {name}, not a multiple of {start} bytes"),
                "declare the array `__align__(32)`, and let each tile start at a multiple of that",
            ),
            None => (
                format!(
                    "misaligned matrix: `wmma` {verb} at {name} of rows {} bytes apart, not a multiple of {pitch}",
                    tile.pitch / 8
                ),
                "let the leading dimension be a multiple of 8 halves or 4 floats",
            ),
        };
        Finding { message, help: help.into(), address: Some(at), size: tile.fragment, allocation: near, race: None }
    });
}
