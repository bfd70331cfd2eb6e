//! Enums with data in kernels: the number of the variant, then the fields of all variants, in registers or in a thread's
//! local memory.
//!
//! Rust does not say how such an enum lies in memory, so buffers hold none, and one in local memory lies as this file
//! says: each field at the next multiple of 8 bytes.

use super::{Data, Leaf, leaves};
use lanework_ptx::ScalarType;

/// A field: the number of its variant, its bytes, and what appends its leaves.
pub type VariantField = (u64, u64, fn(u64, &mut Vec<Leaf>));

/// Bytes that the number takes, so that every field is aligned.
const NUMBER: u64 = 8;

/// The bytes of an enum whose fields have these sizes.
pub fn variants_size(fields: &[u64]) -> u64 {
    NUMBER + fields.iter().map(|size| size.next_multiple_of(8)).sum::<u64>()
}

/// Appends the leaves of an enum at `offset`.
pub fn variants_leaves(offset: u64, fields: &[VariantField], out: &mut Vec<Leaf>) {
    let tag = out.len();
    out.push(Leaf { ty: ScalarType::U32, offset, flag: None });
    let mut at = offset + NUMBER;
    for (variant, size, append) in fields {
        let first = out.len();
        append(at, out);
        for leaf in &mut out[first..] {
            leaf.flag.get_or_insert((tag, *variant));
        }
        at += size.next_multiple_of(8);
    }
}

/// Appends the bits of a field whose variant it is not.
pub fn no_bits<T: Data>(out: &mut Vec<u64>) {
    out.extend(leaves::<T>().iter().map(|_| 0));
}
