//! The all-varying form of a kernel beside its first form.

use super::operations::{NAMES, operand};
use super::{Violation, violation};
use crate::assemble::Code;
use crate::shape::OperandKind;
use crate::site::Site;
use lanework_ptx_ir::kernel::Kernel;

/// Checks that the all-varying form corresponds to the first one, so that a warp can go on in it at the
/// operation where it stopped, with its reconvergence stack.
///
/// # Errors
/// The first violation.
pub fn verify_wide(kernel: &Kernel, code: &Code, wide: &Code) -> Result<(), Violation> {
    let wrong = |operation: Option<usize>, what: &str| {
        let what = format!("the all-varying form does not correspond: {what}");
        violation(kernel, wide, operation, what)
    };
    if code.ops.len() != wide.ops.len() {
        return Err(wrong(None, "another number of operations"));
    }
    if code.origin_of != wide.origin_of {
        return Err(wrong(None, "other origins"));
    }
    if code.sites.len() != wide.sites.len() {
        return Err(wrong(None, "another number of sites"));
    }
    if code.runs != wide.runs || code.visits != wide.visits {
        return Err(wrong(None, "other basic blocks"));
    }
    let sites = code.sites.len() * size_of::<Site>();
    for (at, (one, other)) in code.ops.iter().zip(&wide.ops).enumerate() {
        let (first, second) = (&code.shapes[at], &wide.shapes[at]);
        if first.flow != second.flow {
            return Err(wrong(Some(at), "it goes on elsewhere"));
        }
        for (i, (a, b)) in first.operands.iter().zip(&second.operands).enumerate() {
            let (from, to) = (operand(one, i), operand(other, i));
            let agree = match (a, b) {
                (
                    OperandKind::Register(_) | OperandKind::Number,
                    OperandKind::Register(_) | OperandKind::Number,
                ) => true,
                (OperandKind::Site(_), OperandKind::Site(_)) => {
                    from as usize + sites == to as usize
                }
                _ => a == b && from == to,
            };
            if !agree {
                return Err(wrong(Some(at), &format!("operand {}", NAMES[i])));
            }
        }
    }
    Ok(())
}
