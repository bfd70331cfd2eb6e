//! Control flow: the blocks of a function and the jumps between them.

use super::translate::Translator;
use crate::code::Op;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use cranelift_frontend::Switch;
use std::collections::HashSet;

impl Translator<'_> {
    /// Finds the reachable blocks and counts their edges.
    pub fn find_blocks(&mut self, first: usize) -> Option<Vec<usize>> {
        let mut leaders: HashSet<usize> = HashSet::from([first]);
        for at in 0..self.code.ops.len() {
            leaders.extend(self.targets(at).0);
        }
        let (mut work, mut order) = (vec![first], Vec::new());
        self.blocks.insert(first, (self.b.create_block(), 1));
        while let Some(start) = work.pop() {
            order.push(start);
            let mut at = start;
            loop {
                let (targets, ends) = self.targets(at);
                let next = at + 1;
                let mut edges = targets;
                let falls = !ends && leaders.contains(&next);
                edges.extend(falls.then_some(next));
                for target in edges {
                    if target >= self.code.ops.len() {
                        return None;
                    }
                    if let Some((_, count)) = self.blocks.get_mut(&target) {
                        *count += 1;
                        continue;
                    }
                    self.blocks.insert(target, (self.b.create_block(), 1));
                    work.push(target);
                }
                if ends || falls {
                    break;
                }
                at = next;
                self.code.ops.get(at)?;
            }
        }
        order.sort_unstable();
        Some(order)
    }

    /// The targets of a jump, including the operation after a conditional jump. True if the operation ends its block.
    pub fn targets(&self, at: usize) -> (Vec<usize>, bool) {
        match self.code.ops[at] {
            Op::Jump { to } => (vec![to as usize], true),
            Op::Branch { to, .. }
            | Op::JumpEqual { to, .. }
            | Op::JumpNotEqual { to, .. }
            | Op::JumpLessUnsigned { to, .. }
            | Op::JumpLessSigned { to, .. }
            | Op::JumpLessEqualSigned { to, .. } => (vec![to as usize, at + 1], true),
            Op::Switch { index, .. } => {
                let (cases, default) = &self.code.switches[index as usize];
                let cases = cases.iter().map(|(_, to)| *to as usize);
                let all: HashSet<usize> = cases.chain([*default as usize]).collect();
                (all.into_iter().collect(), true)
            }
            Op::Return { .. } | Op::Trap => (Vec::new(), true),
            _ => (Vec::new(), false),
        }
    }

    /// The block at a position, as the target of a jump from here.
    pub fn edge(&mut self, to: usize) -> Option<Block> {
        Some(self.blocks.get(&to)?.0)
    }

    /// Records that a jump to a position was added, and seals the block after its last jump.
    pub fn sealed(&mut self, to: usize) {
        if let Some((block, edges)) = self.blocks.get_mut(&to) {
            *edges -= 1;
            if *edges == 0 {
                self.b.seal_block(*block);
            }
        }
    }

    pub fn branch(&mut self, condition: Value, to: u32) -> Option<()> {
        let (yes, no) = (self.edge(to as usize)?, self.edge(self.at + 1)?);
        self.b.ins().brif(condition, yes, &[], no, &[]);
        self.sealed(to as usize);
        self.sealed(self.at + 1);
        Some(())
    }

    pub fn switch(&mut self, a: u32, index: usize) -> Option<()> {
        let (cases, default) = &self.code.switches[index];
        let value = self.get64(a);
        let mut switch = Switch::new();
        for (case, to) in cases {
            let target = self.edge(*to as usize)?;
            if !switch.entries().contains_key(&u128::from(*case)) {
                switch.set_entry(u128::from(*case), target);
            }
        }
        let otherwise = self.edge(*default as usize)?;
        switch.emit(&mut self.b, value, otherwise);
        for to in self.targets(self.at).0 {
            self.sealed(to);
        }
        Some(())
    }
}
