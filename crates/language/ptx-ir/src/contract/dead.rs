//! Instructions that only compute what nothing reads.

use crate::kernel::Kernel;

/// By instruction: whether it only computes what nothing reads; `writes` counts the writers of each register.
pub(super) fn dead(kernel: &Kernel, writes: &[u32]) -> Vec<bool> {
    let mut reads = vec![0u32; kernel.registers.len()];
    let mut writer = vec![None; kernel.registers.len()];
    for (i, inst) in kernel.insts.iter().enumerate() {
        inst.reads().for_each(|r| reads[r as usize] += 1);
        inst.writes().for_each(|r| writer[r as usize] = Some(i));
    }
    let mut dead = vec![false; kernel.insts.len()];
    let unread = |reads: &[u32], r: usize| reads[r] == 0 && writes[r] == 1;
    let mut pending: Vec<usize> =
        (0..reads.len()).filter(|r| unread(&reads, *r)).filter_map(|r| writer[r]).collect();
    while let Some(i) = pending.pop() {
        let inst = &kernel.insts[i];
        if dead[i] || !inst.is_alu() {
            continue;
        }
        dead[i] = true;
        for r in inst.reads().map(|r| r as usize) {
            reads[r] -= 1;
            if unread(&reads, r) {
                pending.extend(writer[r]);
            }
        }
    }
    dead
}
