//! Operands of products in shared memory: chunks of 16 bytes.

use super::super::access::check::AccessCheck;
use super::super::kinds::ReportKind;
use super::super::position::LaneAt;
use super::super::reports::{Finding, outside_of};

/// Bytes that are read together.
const CHUNK: u64 = 16;

/// The chunks that lie in the block's variables, put together where they lie side by side in one; others are
/// reported.
pub fn operand_runs(access: &mut AccessCheck, at: LaneAt, chunks: &[u64]) -> Vec<(u64, u64)> {
    let (mut inside, mut hint) = (Vec::with_capacity(chunks.len()), 0);
    for chunk in chunks {
        match access.bounds.shared.holds(*chunk, CHUNK, &mut hint) {
            true => inside.push(*chunk),
            false => outside(access, at, *chunk),
        }
    }
    runs(inside, |start, bytes| access.bounds.shared.holds(start, bytes, &mut hint))
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

/// Chunks as runs of bytes, each of which is `whole`.
fn runs(mut chunks: Vec<u64>, mut whole: impl FnMut(u64, u64) -> bool) -> Vec<(u64, u64)> {
    chunks.sort_unstable();
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for chunk in chunks {
        match runs.last_mut() {
            Some((start, bytes))
                if *start + *bytes >= chunk && whole(*start, chunk + CHUNK - *start) =>
            {
                *bytes = chunk + CHUNK - *start;
            }
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
        let all = |chunks| runs(chunks, |_, _| true);
        assert_eq!(all(vec![64, 32, 48, 128, 32]), [(32, 48), (128, 16)]);
        assert_eq!(all(Vec::new()), []);
    }

    #[test]
    fn no_run_reaches_from_one_variable_to_the_next() {
        let border = |start: u64, bytes: u64| start >= 64 || start + bytes <= 64;
        assert_eq!(runs(vec![32, 48, 64, 80], border), [(32, 32), (64, 32)]);
    }
}
