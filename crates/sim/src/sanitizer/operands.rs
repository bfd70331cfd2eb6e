//! What `wgmma` reads of shared memory: by the asynchronous proxy, from when it is issued until its group
//! has been waited for.
//!
//! Each warp is taken to read its rows of A and all of B. Its lanes execute the product together, so
//! that what they wrote before comes before it; the fence between the proxies and what orders it with
//! other warps are the program's to do.

use super::checker::Checker;
use super::copies::site;
use super::findings::named;
use super::order::{self, Tag};
use super::report::{Report, ReportKind};
use crate::engine::event::AccessKind;
use crate::engine::op::Warp;
use lanework_ptx_ir::kernel::MemorySpace;

/// Bytes that are read together.
const CHUNK: u64 = 16;

/// Shared memory that a warp's product is reading.
pub struct Reading {
    group: u32,
    offset: u64,
    bytes: u64,
    tag: Tag,
}

impl Checker {
    /// A warp's product reads these chunks of its block's shared memory.
    pub fn product_reads(&mut self, warp: &Warp, instruction: u32, chunks: &[u64]) {
        self.order.warp_sync(warp.index as usize, u32::MAX, warp.live);
        let group = self.products.next_group(self.slot(warp.index));
        let (mut inside, mut hint) = (Vec::with_capacity(chunks.len()), 0);
        for chunk in chunks {
            match self.shared_names.holds(*chunk, CHUNK, &mut hint) {
                true => inside.push(*chunk),
                false => self.operand_outside(warp, instruction, *chunk),
            }
        }
        for (offset, bytes) in runs(inside) {
            self.unfenced(warp, 0, instruction, (offset, bytes));
            let load = site(MemorySpace::Shared, AccessKind::Load, 1);
            self.stretch(warp, (0, instruction), &load, offset, bytes);
            let tag = order::tag(self.order.segment_of(warp.index), instruction);
            self.tag_readers(offset, bytes, Some(tag), tag | order::ASYNC);
            let reading = Reading { group, offset, bytes, tag };
            let w = self.slot(warp.index);
            self.products.reading[w].push(reading);
        }
    }

    /// A warp has waited for its groups up to this one: nothing of theirs is being read any more, by
    /// none of its warpgroup. Whoever comes after the wait of one of the four comes after what all read.
    pub(super) fn products_have_read(&mut self, w: usize, done: u32) {
        let first = self.slot(w as u32 & !3);
        let (end, agent) = (self.slot(0) + self.warps, self.order.product_agent(w));
        let mut past = Vec::new();
        for reading in &mut self.products.reading[first..(first + 4).min(end)] {
            past.extend(reading.extract_if(.., |this| this.group <= done));
        }
        if !past.is_empty() {
            let segment = self.order.agent_segment(agent, (self.block, w as u32));
            for this in past {
                let tag = order::tag(segment, order::instruction(this.tag));
                let flying = this.tag | order::ASYNC;
                self.tag_readers(this.offset, this.bytes, Some(flying), tag);
            }
            let row = self.order.agent_row(agent);
            order::join(&mut self.products.have_read[first], &row);
        }
        let row = std::mem::take(&mut self.products.have_read[first]);
        self.order.take_over(w, &row);
        self.products.have_read[first] = row;
    }

    #[cold]
    fn operand_outside(&mut self, warp: &Warp, instruction: u32, offset: u64) {
        let kind = ReportKind::OutOfBounds;
        if self.again(kind, instruction, 0) {
            return;
        }
        let near = self.shared_names.nearest(offset, CHUNK);
        let what = near.as_ref().map_or(format!("at offset {offset}"), |near| {
            format!("at {}, `{}` is {} bytes", named(near), near.name, near.bytes)
        });
        let report = Report {
            message: format!(
                "out-of-bounds shared read: {CHUNK} bytes of a product's operand {what}"
            ),
            help:
                "see that the descriptor's start, leading and stride offsets stay inside the tile"
                    .to_owned(),
            address: Some(offset),
            size: CHUNK as u32,
            allocation: near,
            ..self.new_report(kind, warp.index, 0, instruction)
        };
        self.keep(instruction, 0, report);
    }
}

/// Chunks as runs of bytes.
fn runs(mut chunks: Vec<u64>) -> Vec<(u64, u64)> {
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
