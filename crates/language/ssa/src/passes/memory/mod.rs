//! Memory passes: stack slots, memory copies, and address spaces.

mod copies;
mod slots;
mod spaces;

pub(super) use copies::lower_copies;
pub(super) use slots::promote_slots;
pub(super) use spaces::infer_spaces;
