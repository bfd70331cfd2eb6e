//! The cluster between two scheduler passes, which instruments may inspect and steer.

use crate::assemble::code::Code;
use crate::assemble::shape::form_bytes;
use crate::block::executor::ClusterExecutor;
use crate::block::worker::{ScheduledSplit, State, Worker};
use crate::instrument::cluster_view::{
    ClusterView, LanesAt, PendingBarrier, Progress, WarpSnapshot,
};
use crate::machine::Stop;
use crate::machine::divergence::WarpSplit;
use crate::machine::slot::{NO_SLOT, OFFSET, Slot};
use crate::memory::guest;
use lanework_ptx_ir::kernel::{Kernel, Reg};
use std::collections::HashMap;

/// Appends the state of a split as numbers.
fn add_split(to: &mut Vec<u64>, split: &WarpSplit) {
    to.extend([
        split.mask.into(),
        split.at as u64,
        split.reconvergence_pc.into(),
        split.stack.len() as u64,
    ]);
    for entry in &split.stack {
        to.extend([entry.pc, entry.mask, entry.reconvergence_pc].map(u64::from));
    }
}

/// A copy of the bytes of a block's own buffer.
fn bytes_at(from: *mut u8, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    // SAFETY: the callers give a buffer of their block of this size, which the executor owns. No warp runs now.
    unsafe { guest::read_bytes(from, &mut bytes) };
    bytes
}

impl Worker<'_> {
    /// The code that a warp runs.
    fn code_of(&self, w: usize) -> &Code {
        match self.warps[w].widened {
            true => self.assembled.wide(),
            false => &self.assembled.code,
        }
    }

    fn snapshot(&self, w: usize, kept: &[bool]) -> WarpSnapshot {
        let warp = &self.warps[w];
        let code = self.code_of(w);
        // SAFETY: `regs` points to `register_bytes` bytes of the code that the warp runs: `Worker::new` and
        // `Worker::widen` made the file for it. No handler runs now.
        let file = unsafe { std::slice::from_raw_parts(warp.regs, code.register_bytes) };
        let mut registers = Vec::new();
        let placed = code.reserved.iter().map(|(slot, form)| (slot & OFFSET, form_bytes(*form)));
        let sizes: HashMap<Slot, usize> = placed.collect();
        for (slot, _) in
            code.slots.iter().zip(kept).filter(|(slot, kept)| **kept && **slot != NO_SLOT)
        {
            let at = slot & OFFSET;
            let bytes = sizes.get(&at).copied().unwrap_or(0);
            registers.extend_from_slice(file.get(at as usize..at as usize + bytes).unwrap_or(&[]));
        }
        let (state, barrier) = match self.states[w] {
            State::Ready => (0, 0),
            State::Plain(barrier) => (1, barrier),
            State::Waiting(barrier) => (2, barrier),
            State::Polling => (3, 0),
            State::Done => (4, 0),
        };
        let mut control = vec![state, barrier as u64, warp.live.into()];
        add_split(&mut control, &warp.current_split());
        for ScheduledSplit { split, waits, .. } in &self.splits[w] {
            control.extend(waits.numbers());
            add_split(&mut control, split);
        }
        WarpSnapshot { control, registers }
    }

    /// The live lanes of a warp by place.
    fn lanes_at(&self, w: usize) -> Vec<LanesAt> {
        let (warp, code) = (&self.warps[w], self.code_of(w));
        if self.states[w] == State::Done {
            return Vec::new();
        }
        let instruction = |pc: u32| code.origin_of.get(pc as usize).copied().unwrap_or(0);
        let mut found = Vec::new();
        let mut left = warp.live;
        let mut add = |lanes: u32, pc: u32, executing: bool| {
            let mask = lanes & left;
            left &= !mask;
            if mask != 0 {
                found.push(LanesAt { mask, instruction: instruction(pc), executing });
            }
        };
        add(warp.mask, warp.pc(warp.stopped_at), true);
        for entry in warp.stack[..warp.depth].iter().rev() {
            add(entry.mask, entry.pc, false);
        }
        for ScheduledSplit { split, .. } in &self.splits[w] {
            add(split.mask, warp.pc(split.at), false);
            for entry in split.stack.iter().rev() {
                add(entry.mask, entry.pc, false);
            }
        }
        found
    }

    /// The barriers at which warps wait.
    fn pending_barriers(&self) -> Vec<PendingBarrier> {
        let one = |number: usize| {
            let waits = |state: &State| matches!(state, State::Plain(at) | State::Waiting(at) if *at == number);
            let states = self.states.iter().enumerate();
            let warps: Vec<usize> =
                states.filter(|(_, state)| waits(state)).map(|(w, _)| w).collect();
            let barrier = &self.barriers[number];
            let arrived = barrier.arrived.max(warps.len() as u32);
            PendingBarrier { number, warps, arrived, threads: barrier.threads }
        };
        let all = (0..self.barriers.len()).map(one);
        all.filter(|barrier| barrier.arrived > 0).collect()
    }

    /// Diverged warps: some of their lanes wait on the reconvergence stack.
    fn diverged(&self) -> Vec<usize> {
        let has_pending = |w: &usize| {
            let warp = &self.warps[*w];
            self.states[*w] == State::Ready && !warp.independent && warp.mask != warp.live
        };
        (0..self.warps.len()).filter(has_pending).collect()
    }
}

impl ClusterView for ClusterExecutor<'_> {
    fn kernel(&self) -> &Kernel {
        &self.blocks[0].assembled.kernel
    }

    fn blocks(&self) -> usize {
        self.blocks.len()
    }

    fn runs(&self, rank: usize) -> bool {
        self.cluster.running[rank]
    }

    fn warps(&self) -> usize {
        self.blocks[0].warps.len()
    }

    fn progress(&self, rank: usize, warp: usize) -> Progress {
        match self.blocks[rank].states[warp] {
            State::Ready => Progress::Ready,
            State::Plain(_) | State::Waiting(_) => Progress::Blocked,
            State::Polling => Progress::Polling,
            State::Done => Progress::Done,
        }
    }

    fn instruction(&self, rank: usize, warp: usize) -> u32 {
        let block = &self.blocks[rank];
        let pc = block.warps[warp].pc(block.warps[warp].stopped_at) as usize;
        block.assembled.code.origin_of.get(pc).copied().unwrap_or(0)
    }

    fn mask(&self, rank: usize, warp: usize) -> u32 {
        self.blocks[rank].warps[warp].mask
    }

    fn instructions(&self, rank: usize, warp: usize) -> Vec<u32> {
        let block = &self.blocks[rank];
        let (this, code) = (&block.warps[warp], block.code_of(warp));
        let splits = block.splits[warp].iter().map(|one| one.split.at);
        let places = splits.chain([this.stopped_at]).map(|at| this.pc(at) as usize);
        places.filter_map(|pc| code.origin_of.get(pc).copied()).collect()
    }

    fn snapshot(&self, rank: usize, warp: usize, registers: &[bool]) -> WarpSnapshot {
        self.blocks[rank].snapshot(warp, registers)
    }

    fn block(&self, rank: usize) -> u64 {
        self.blocks[rank].context.block
    }

    fn lanes(&self, rank: usize, warp: usize) -> Vec<LanesAt> {
        self.blocks[rank].lanes_at(warp)
    }

    fn register(&self, rank: usize, warp: usize, register: Reg) -> Option<[u64; 32]> {
        self.blocks[rank].warps[warp].register(register)
    }

    fn shared(&self, rank: usize) -> Vec<u8> {
        let region = self.blocks[rank].context.shared;
        bytes_at(region.host, region.bytes as usize)
    }

    fn local(&self, rank: usize, warp: usize) -> Vec<u8> {
        let context = &self.blocks[rank].context;
        let bytes = context.local_bytes as usize * 32;
        bytes_at(context.local.wrapping_add(warp * bytes), bytes)
    }

    fn barriers(&self, rank: usize) -> Vec<PendingBarrier> {
        self.blocks[rank].pending_barriers()
    }

    fn text(&self) -> String {
        self.blocks.iter().map(|block| block.context.printed.as_str()).collect()
    }

    fn changes(&self) -> u64 {
        self.cluster.changes
    }

    fn printed(&self) -> usize {
        self.blocks.iter().map(|block| block.context.printed.len()).sum()
    }

    fn take_yielded(&mut self) -> bool {
        self.blocks.iter_mut().fold(false, |any, block| {
            let yielded = std::mem::take(&mut block.yielded);
            any | yielded
        })
    }

    fn set_time_slice(&mut self, instructions: Option<u64>) {
        self.blocks.iter_mut().for_each(|block| block.slice_override = instructions);
    }

    fn advance_clock(&mut self, by: u64) {
        for block in &mut self.blocks {
            block.context.clock_ahead = block.context.clock_ahead.wrapping_add(by);
        }
    }

    fn end_polls(&mut self) {
        for block in &mut self.blocks {
            for (warp, state) in block.warps.iter_mut().zip(&block.states) {
                warp.poll_expires |= *state == State::Polling;
            }
        }
    }

    fn split_diverged(&mut self) -> bool {
        let mut any = false;
        for block in &mut self.blocks {
            for w in block.diverged() {
                (block.seen_spinning, any) = (true, true);
                block.split_warp(w, Stop::Yield);
            }
        }
        any
    }
}
