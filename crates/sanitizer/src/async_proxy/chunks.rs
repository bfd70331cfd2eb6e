//! Operands of products in shared memory: chunks of 16 bytes.

use super::super::access::check::AccessCheck;
use super::super::kinds::ReportKind;
use super::super::position::LaneAt;
use super::super::reports::{Finding, outside_of};

/// Bytes that are read together.
const CHUNK: u64 = 16;

/// The chunks that lie in the block's variables; others are reported.
pub fn inside(access: &mut AccessCheck, at: LaneAt, chunks: &[u64]) -> Vec<u64> {
    let (mut inside, mut hint) = (Vec::with_capacity(chunks.len()), 0);
    for chunk in chunks {
        match access.bounds.shared.holds(*chunk, CHUNK, &mut hint) {
            true => inside.push(*chunk),
            false => outside(access, at, *chunk),
        }
    }
    inside
}

#[cold]
fn outside(access: &mut AccessCheck, at: LaneAt, offset: u64) {
    let (who, bounds) = (access.position.actor(at), &access.bounds);
    access.reports.add(ReportKind::OutOfBounds, who, None, |_| {
        let near = bounds.shared.nearest(offset, CHUNK);
        let what = outside_of(near.as_ref(), offset);
        Finding {
            message: format!(
                "out-of-bounds shared read: {CHUNK} bytes of a product's operand {what}"
            ),
            help:
                "see that the descriptor's start, leading and stride offsets stay inside the tile",
            address: Some(offset),
            size: CHUNK,
            allocation: near,
        }
    });
}

/// Chunks as runs of bytes.
pub fn runs(mut chunks: Vec<u64>) -> Vec<(u64, u64)> {
    chunks.sort_unstable();
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for chunk in chunks {
        match runs.last_mut() {
            Some((start, bytes)) if *start + *bytes >= chunk => *bytes = chunk + CHUNK - *start,
            _ => runs.push((chunk, CHUNK)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_side_by_side_are_one_run() {
        assert_eq!(runs(vec![64, 32, 48, 128, 32]), [(32, 48), (128, 16)]);
        assert_eq!(runs(Vec::new()), []);
    }
}
