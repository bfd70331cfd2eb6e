//! The flow graph of a kernel: basic blocks, where diverged lanes meet again, and liveness.

use crate::ir::kernel::{Action, Kernel, Src};

/// A basic block: instructions `start..end` and its successors.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// First instruction.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// The block after it in the text, if control can fall through.
    pub next: Option<usize>,
    /// The block that its branch goes to.
    pub target: Option<usize>,
}

impl Block {
    fn successors(&self) -> impl Iterator<Item = usize> {
        self.next.into_iter().chain(self.target)
    }
}

/// A set of small numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// An empty set of numbers below `len`.
    pub fn new(len: usize) -> Bits {
        Bits(vec![0; len.div_ceil(64)])
    }
    /// Adds a number.
    pub fn insert(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }
    /// Removes a number.
    pub fn remove(&mut self, i: usize) {
        self.0[i / 64] &= !(1 << (i % 64));
    }
    /// Whether a number is in the set.
    pub fn contains(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 != 0
    }
    /// Adds all of another set.
    pub fn add(&mut self, other: &Bits) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a |= b;
        }
    }
    /// Keeps what another set has too.
    pub fn keep(&mut self, other: &Bits) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a &= b;
        }
    }
    /// The numbers in the set.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(word, bits)| {
            let mut rest = *bits;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as usize;
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    word * 64 + bit
                })
            })
        })
    }
}

/// The flow graph.
pub struct Flow {
    /// Blocks in the order of the text.
    pub blocks: Vec<Block>,
    /// Where lanes that part at the end of a block meet again.
    pub meet: Vec<Option<usize>>,
    /// Registers that are read before they are written from the start of each block on.
    pub live_in: Vec<Bits>,
}

impl Flow {
    /// The flow graph of a kernel.
    pub fn of(kernel: &Kernel) -> Flow {
        let blocks = blocks(kernel);
        let meet = meeting_points(kernel, &blocks);
        let live_in = liveness(kernel, &blocks);
        Flow { blocks, meet, live_in }
    }

    /// Registers that are read after the end of a block before they are written, of `registers` in
    /// all.
    pub fn live_out(&self, block: usize, registers: usize) -> Bits {
        let mut live = Bits::new(registers);
        for next in self.blocks[block].successors() {
            live.add(&self.live_in[next]);
        }
        live
    }

    /// Registers written in blocks that `from` reaches without passing `until`.
    pub fn written_between(&self, kernel: &Kernel, from: usize, until: Option<usize>) -> Bits {
        let mut written = Bits::new(kernel.registers.len());
        if Some(from) == until {
            return written;
        }
        let mut seen = vec![false; self.blocks.len()];
        seen[from] = true;
        let mut work = vec![from];
        while let Some(b) = work.pop() {
            let block = &self.blocks[b];
            for inst in &kernel.insts[block.start..block.end] {
                for dst in inst.dst.iter().flatten() {
                    written.insert(*dst as usize);
                }
            }
            for s in block.successors() {
                if Some(s) != until && !seen[s] {
                    seen[s] = true;
                    work.push(s);
                }
            }
        }
        written
    }
}

fn ends(action: &Action) -> bool {
    matches!(action, Action::Branch(_) | Action::Exit | Action::Return | Action::Trap)
}

fn blocks(kernel: &Kernel) -> Vec<Block> {
    let count = kernel.insts.len();
    let mut leads = vec![false; count + 1];
    leads[0] = true;
    for label in &kernel.labels {
        leads[*label] = true;
    }
    for (i, inst) in kernel.insts.iter().enumerate() {
        if ends(&inst.action) {
            leads[i + 1] = true;
        }
    }
    let mut block_of = vec![0; count];
    let mut blocks: Vec<Block> = Vec::new();
    for i in 0..count {
        if leads[i] {
            blocks.push(Block { start: i, end: i, ..Block::default() });
        }
        let last = blocks.len() - 1;
        block_of[i] = last;
        blocks[last].end = i + 1;
    }
    let number = blocks.len();
    for (b, block) in blocks.iter_mut().enumerate() {
        let inst = &kernel.insts[block.end - 1];
        let falls = match inst.action {
            Action::Branch(label) => {
                block.target = block_of.get(kernel.labels[label as usize]).copied();
                inst.guard.is_some()
            }
            Action::Exit | Action::Return | Action::Trap => false,
            _ => true,
        };
        block.next = (falls && b + 1 < number).then_some(b + 1);
    }
    blocks
}

/// Immediate post-dominators. A kernel may have several ends: the normal one (`ret`, the last in the
/// text) is the way that lanes reconverge towards; lanes bound for another end never come back, so
/// ways that lead only there are left out of the question.
fn meeting_points(kernel: &Kernel, blocks: &[Block]) -> Vec<Option<usize>> {
    let number = blocks.len();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); number];
    for (b, block) in blocks.iter().enumerate() {
        for s in block.successors() {
            before[s].push(b);
        }
    }
    let rank = |b: usize| match kernel.insts[blocks[b].end - 1].action {
        Action::Return => 0,
        Action::Exit => 1,
        Action::Trap => 2,
        _ => 3,
    };
    let mut ends: Vec<usize> =
        (0..number).filter(|b| blocks[*b].next.is_none() && blocks[*b].target.is_none()).collect();
    ends.sort_by_key(|b| (rank(*b), std::cmp::Reverse(*b)));
    let mut meet: Vec<Option<usize>> = vec![None; number];
    let mut done = vec![false; number];
    for root in ends {
        if done[root] {
            continue;
        }
        let order = postorder_backwards(root, &before, &mut done);
        // `position` counts from the root outwards; a block's post-dominators come before it.
        let mut position = vec![usize::MAX; number];
        for (i, b) in order.iter().rev().enumerate() {
            position[*b] = i;
        }
        meet[root] = Some(root);
        let mut changed = true;
        while changed {
            changed = false;
            for &b in order.iter().rev().skip(1) {
                let mut found: Option<usize> = None;
                for s in blocks[b].successors() {
                    if position[s] == usize::MAX || meet[s].is_none() {
                        continue;
                    }
                    found = Some(match found {
                        None => s,
                        Some(mut a) => {
                            let mut c = s;
                            while a != c {
                                while position[a] > position[c] {
                                    a = meet[a].unwrap_or(root);
                                }
                                while position[c] > position[a] {
                                    c = meet[c].unwrap_or(root);
                                }
                            }
                            a
                        }
                    });
                }
                if found.is_some() && meet[b] != found {
                    meet[b] = found;
                    changed = true;
                }
            }
        }
        meet[root] = None;
    }
    meet
}

/// The blocks from which `root` can be reached, in postorder of a walk against the edges.
fn postorder_backwards(root: usize, before: &[Vec<usize>], done: &mut [bool]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut stack = vec![(root, 0)];
    done[root] = true;
    while let Some((b, i)) = stack.pop() {
        if let Some(&p) = before[b].get(i) {
            stack.push((b, i + 1));
            if !done[p] {
                done[p] = true;
                stack.push((p, 0));
            }
        } else {
            order.push(b);
        }
    }
    order
}

fn liveness(kernel: &Kernel, blocks: &[Block]) -> Vec<Bits> {
    let registers = kernel.registers.len();
    let mut reads = vec![Bits::new(registers); blocks.len()];
    let mut writes = vec![Bits::new(registers); blocks.len()];
    for (b, block) in blocks.iter().enumerate() {
        for inst in &kernel.insts[block.start..block.end] {
            let guard = inst.guard.map(|(r, _)| Src::Reg(r));
            for src in inst.src.iter().chain(&guard) {
                if let Src::Reg(r) = src
                    && !writes[b].contains(*r as usize)
                {
                    reads[b].insert(*r as usize);
                }
            }
            for dst in inst.dst.iter().flatten() {
                if inst.guard.is_none() {
                    writes[b].insert(*dst as usize);
                } else if !writes[b].contains(*dst as usize) {
                    // A guarded write keeps the old value of some lanes.
                    reads[b].insert(*dst as usize);
                }
            }
        }
    }
    let mut live_in = reads.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..blocks.len()).rev() {
            let mut live = Bits::new(registers);
            for s in blocks[b].successors() {
                live.add(&live_in[s]);
            }
            for r in writes[b].iter() {
                live.remove(r);
            }
            live.add(&reads[b]);
            if live != live_in[b] {
                live_in[b] = live;
                changed = true;
            }
        }
    }
    live_in
}
