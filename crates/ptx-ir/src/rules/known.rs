//! Instructions of the manual that the emulator does not run, by their beginnings: an entry with one is
//! refused by its name, not as a word that PTX does not have.

/// One row: the beginning of a name, what it is, and the targets that have it.
pub struct Known {
    /// The opcode and its first modifiers.
    pub name: &'static str,
    /// What it does.
    pub what: &'static str,
    /// The targets.
    pub targets: &'static str,
}

const fn known(name: &'static str, what: &'static str, targets: &'static str) -> Known {
    Known { name, what, targets }
}

/// Where tensor memory is.
const TENSOR: &str = "sm_100a, sm_103a and sm_110a";

/// The table, in the manual's order.
pub static KNOWN: &[Known] = &[
    known("multimem.cp.async.bulk", "a bulk copy to a multicast object", "sm_90"),
    known("multimem.cp.reduce.async.bulk", "a bulk reduction to a multicast object", "sm_90"),
    known("tcgen05.alloc", "allocates columns of tensor memory", TENSOR),
    known("tcgen05.dealloc", "frees columns of tensor memory", TENSOR),
    known("tcgen05.relinquish_alloc_permit", "gives up allocating tensor memory", TENSOR),
    known("tcgen05.ld.red", "loads from tensor memory and reduces", "sm_103a"),
    known("tcgen05.ld", "loads from tensor memory to registers", TENSOR),
    known("tcgen05.st", "stores registers to tensor memory", TENSOR),
    known("tcgen05.wait", "waits for loads or stores of tensor memory", TENSOR),
    known("tcgen05.cp", "copies shared memory to tensor memory", TENSOR),
    known("tcgen05.shift", "shifts rows of tensor memory", TENSOR),
    known("tcgen05.mma.ws.sp", "a weight-stationary product with a sparse matrix", TENSOR),
    known("tcgen05.mma.ws", "a weight-stationary matrix product", TENSOR),
    known("tcgen05.mma.sp", "a matrix product with a sparse matrix", TENSOR),
    known("tcgen05.mma", "a matrix product in tensor memory", TENSOR),
    known("tcgen05.commit", "lets an mbarrier follow products and copies", TENSOR),
    known("tcgen05.fence", "orders tensor memory against other synchronisation", TENSOR),
];

/// The row of an instruction, by its whole name.
pub fn row_of(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|row| {
        let rest = name.strip_prefix(row.name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ':']))
    })
}
