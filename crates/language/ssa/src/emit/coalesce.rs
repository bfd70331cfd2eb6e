//! Removes copies between registers that are never live at the same time, orders the copies that remain, and removes
//! blocks that are then empty.
//!
//! Algorithm: aggressive coalescing on an interference graph (Chaitin et al., "Register Allocation via Coloring", 1981),
//! restricted to registers that occur in copies. Copies in deep loops are merged first.

use super::machine::*;
use crate::analysis::{FastMap, FastSet};
use crate::ir::BlockId;

/// Merges registers and expands parallel copies into `mov`.
pub(super) fn coalesce(function: &mut MachineFunction) {
    let mut copies: Vec<(u32, VirtualRegister, VirtualRegister)> = Vec::new();
    for block in &function.blocks {
        for instruction in &block.code {
            if let MachineBody::Copies(list) = &instruction.body {
                for (to, from) in list {
                    if let MachineOperand::Register(from) = from {
                        copies.push((block.depth, *to, *from));
                    }
                }
            }
        }
    }
    copies.sort_by_key(|(depth, ..)| std::cmp::Reverse(*depth));
    let mut tracked: FastMap<VirtualRegister, usize> = FastMap::default();
    for (_, to, from) in &copies {
        for register in [to, from] {
            let next = tracked.len();
            tracked.entry(*register).or_insert(next);
        }
    }
    let mut graph = interference(function, &tracked);
    let mut parent: Vec<usize> = (0..tracked.len()).collect();
    let mut merged: Vec<VirtualRegister> = vec![VirtualRegister(0); tracked.len()];
    for (register, index) in &tracked {
        merged[*index] = *register;
    }
    for (_, to, from) in &copies {
        let (a, b) = (find(&parent, tracked[to]), find(&parent, tracked[from]));
        let class = |r: &VirtualRegister| function.registers[r.0 as usize];
        if a == b || graph[a].contains(&b) || class(to) != class(from) {
            continue;
        }
        parent[b] = a;
        for other in std::mem::take(&mut graph[b]) {
            graph[other].remove(&b);
            graph[other].insert(a);
            graph[a].insert(other);
        }
    }
    for block in &mut function.blocks {
        let rename = &mut |register: &mut VirtualRegister| {
            if let Some(index) = tracked.get(register) {
                *register = merged[find(&parent, *index)];
            }
        };
        for instruction in &mut block.code {
            instruction.body.rename(rename);
        }
        if let MachineEnd::Branch(condition, ..) = &mut block.end {
            rename(condition);
        }
    }
    for block in &mut function.blocks {
        for instruction in std::mem::take(&mut block.code) {
            let MachineBody::Copies(list) = instruction.body else {
                block.code.push(instruction);
                continue;
            };
            for (to, from) in sequence(list, &mut function.registers) {
                let name = format!("mov.{}", function.registers[to.0 as usize].suffix());
                let operands = vec![MachineOperand::Register(to), from];
                let body = MachineBody::Operation { name, operands, defines: true };
                block.code.push(MachineInstruction { body, position: instruction.position });
            }
        }
    }
}

/// Removes blocks that only jump to another block.
pub(super) fn skip_empty_blocks(function: &mut MachineFunction) {
    let onward: FastMap<BlockId, BlockId> = function
        .blocks
        .iter()
        .skip(1)
        .filter_map(|block| match block.end {
            MachineEnd::Jump(target) if block.code.is_empty() && target != block.id => {
                Some((block.id, target))
            }
            _ => None,
        })
        .collect();
    let target = |mut block: BlockId| {
        // A cycle of empty blocks is an endless loop.
        for _ in 0..onward.len() {
            match onward.get(&block) {
                Some(next) => block = *next,
                None => break,
            }
        }
        block
    };
    for block in &mut function.blocks {
        match &mut block.end {
            MachineEnd::Jump(next) => *next = target(*next),
            MachineEnd::Branch(_, yes, no) => (*yes, *no) = (target(*yes), target(*no)),
            MachineEnd::Stop(_) => {}
        }
    }
    let mut reached: FastSet<BlockId> = FastSet::default();
    for block in &function.blocks {
        match block.end {
            MachineEnd::Jump(next) => reached.extend([next]),
            MachineEnd::Branch(_, yes, no) => reached.extend([yes, no]),
            MachineEnd::Stop(_) => {}
        }
    }
    let mut index = 0;
    function.blocks.retain(|block| {
        index += 1;
        index == 1 || reached.contains(&block.id)
    });
}

fn find(parent: &[usize], mut index: usize) -> usize {
    while parent[index] != index {
        index = parent[index];
    }
    index
}

/// By tracked register: the registers that hold another value while it is live.
fn interference(
    function: &MachineFunction,
    tracked: &FastMap<VirtualRegister, usize>,
) -> Vec<FastSet<usize>> {
    let mut graph = vec![FastSet::default(); tracked.len()];
    let live_out = live_out(function, tracked);
    for (block, live) in function.blocks.iter().zip(live_out) {
        let mut live: FastSet<usize> = live;
        if let MachineEnd::Branch(condition, ..) = &block.end {
            live.extend(tracked.get(condition));
        }
        for instruction in block.code.iter().rev() {
            let mut defined = Vec::new();
            instruction.body.definitions(&mut |register| defined.extend(tracked.get(&register)));
            for to in &defined {
                // The source of a copy has the same value as its destination.
                let source = match &instruction.body {
                    MachineBody::Copies(list) => list.iter().find_map(|(d, from)| match from {
                        MachineOperand::Register(from) if tracked.get(d) == Some(to) => {
                            tracked.get(from).copied()
                        }
                        _ => None,
                    }),
                    _ => None,
                };
                for other in live.iter().chain(&defined) {
                    if other != to && Some(*other) != source {
                        graph[*to].insert(*other);
                        graph[*other].insert(*to);
                    }
                }
            }
            defined.iter().for_each(|register| {
                live.remove(register);
            });
            instruction.body.uses(&mut |register| live.extend(tracked.get(&register)));
        }
    }
    graph
}

/// By block: the tracked registers that are live at its end.
fn live_out(
    function: &MachineFunction,
    tracked: &FastMap<VirtualRegister, usize>,
) -> Vec<FastSet<usize>> {
    let position: FastMap<BlockId, usize> =
        function.blocks.iter().enumerate().map(|(index, block)| (block.id, index)).collect();
    let mut live_in: Vec<FastSet<usize>> = vec![FastSet::default(); function.blocks.len()];
    let mut result = live_in.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for (index, block) in function.blocks.iter().enumerate().rev() {
            let mut live = FastSet::default();
            let targets = match &block.end {
                MachineEnd::Jump(target) => vec![*target],
                MachineEnd::Branch(_, yes, no) => vec![*yes, *no],
                MachineEnd::Stop(_) => vec![],
            };
            for target in targets {
                live.extend(&live_in[position[&target]]);
            }
            result[index] = live.clone();
            if let MachineEnd::Branch(condition, ..) = &block.end {
                live.extend(tracked.get(condition));
            }
            for instruction in block.code.iter().rev() {
                instruction.body.definitions(&mut |register| {
                    if let Some(register) = tracked.get(&register) {
                        live.remove(register);
                    }
                });
                instruction.body.uses(&mut |register| live.extend(tracked.get(&register)));
            }
            if live != live_in[index] {
                live_in[index] = live;
                changed = true;
            }
        }
    }
    result
}

/// Orders parallel copies so that executing them one by one has the same effect.
fn sequence(
    mut copies: Vec<(VirtualRegister, MachineOperand)>,
    registers: &mut Vec<RegisterClass>,
) -> Vec<(VirtualRegister, MachineOperand)> {
    let mut ordered = Vec::new();
    copies.retain(|(to, from)| *from != MachineOperand::Register(*to));
    while !copies.is_empty() {
        let is_read = |to: VirtualRegister, copies: &[(VirtualRegister, MachineOperand)]| {
            copies.iter().any(|(_, from)| *from == MachineOperand::Register(to))
        };
        if let Some(free) = copies.iter().position(|(to, _)| !is_read(*to, &copies)) {
            ordered.push(copies.remove(free));
            continue;
        }
        // Only cycles remain: save one value in another register.
        let (to, _) = copies[0];
        registers.push(registers[to.0 as usize]);
        let aside = VirtualRegister(registers.len() as u32 - 1);
        ordered.push((aside, MachineOperand::Register(to)));
        for (_, from) in &mut copies {
            if *from == MachineOperand::Register(to) {
                *from = MachineOperand::Register(aside);
            }
        }
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_of_copies_needs_one_more_register() {
        let mut registers = vec![RegisterClass::Bits32; 3];
        let [a, b, c] = [0, 1, 2].map(VirtualRegister);
        let from = |register| MachineOperand::Register(register);
        // a and b are exchanged, and c gets the old a.
        let ordered = sequence(vec![(a, from(b)), (b, from(a)), (c, from(a))], &mut registers);
        let mut values = [10, 20, 30, 0];
        for (to, source) in ordered {
            let MachineOperand::Register(source) = source else { panic!("a literal") };
            values[to.0 as usize] = values[source.0 as usize];
        }
        assert_eq!(values[..3], [20, 10, 10]);
        assert_eq!(registers.len(), 4);
    }
}
