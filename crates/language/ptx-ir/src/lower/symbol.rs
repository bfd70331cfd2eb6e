//! What names stand for while a function is lowered.

use crate::kernel::*;

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Symbol {
    /// A register.
    Register(Reg),
    /// A label.
    Label(Label),
    /// The labels that an indexed branch chooses from.
    Targets(Vec<Label>),
    /// A variable in a space, by address in that space.
    Variable(MemorySpace, Operand),
    /// A variable in a frame on the call stack: the register of the frame's base, and the offset. Looked
    /// up, it is a [`Symbol::Variable`].
    Framed(Reg, u32),
    /// A register of 128 bits: its low and its high half.
    Quad([Reg; 2]),
    /// A vector register of so many elements; each is a register of its own.
    Vector(u8),
}
