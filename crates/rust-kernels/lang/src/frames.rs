//! What the builder holds of a kernel that is being staged: its lines, and the loops, calls and captured blocks around the
//! place that they are appended to.

use crate::value::{Register, Value};
use lanework_ptx::{Instruction, ScalarType, Statement};
use std::collections::HashMap;

/// One line of the body.
#[derive(Clone, Debug)]
pub(crate) enum Line {
    /// An instruction; `pure` when it only computes its first operand from the others.
    Op { instruction: Instruction, dest: Option<Register>, pure: bool },
    /// A label.
    Label(String),
    /// Any other statement.
    Statement(Statement),
}

/// A pure computation: its name and inputs, mutable ones with the version that was read.
pub(crate) type Computation = (String, Vec<(Value, u64)>);

/// The value numbers of one structured scope.
pub(crate) type Scope = HashMap<Computation, Value>;

/// An enclosing loop.
pub(crate) struct LoopFrame {
    /// `'name` in the source.
    pub name: Option<&'static str>,
    /// The target label of `break`.
    pub exit: String,
    /// The target label of `continue`.
    pub next: String,
}

/// A loop that is being staged.
pub(crate) struct Repeat {
    /// The label at its start.
    pub head: String,
    /// The label at its end.
    pub exit: String,
    /// What a `for` counts.
    pub count: Option<Count>,
}

/// The counter of a `for`.
pub(crate) struct Count {
    pub counter: Register,
    pub ty: ScalarType,
    /// The bound, and whether it is included.
    pub to: Value,
    pub inclusive: bool,
    pub step: Value,
}

/// An enclosing `#[device]` call.
pub(crate) struct CallFrame {
    /// The target label of `return`.
    pub exit: String,
    /// Loops outside the call, which its body cannot leave.
    pub loops: Vec<LoopFrame>,
}

/// A captured block.
pub(crate) struct Captured {
    pub lines: Vec<Line>,
    /// Whether control cannot reach their end.
    pub dead: bool,
    pub scope: Scope,
    /// The groups of copies in flight at their end.
    pub groups: Vec<u32>,
}

/// What a capture interrupted: the lines staged before it, whether control could not reach their end, and the groups of
/// copies in flight there.
pub(crate) struct Interrupted {
    pub lines: Vec<Line>,
    pub dead: bool,
    pub groups: Vec<u32>,
}

/// The branches of an `if` with `else` that is being staged, each until it is placed.
pub(crate) struct Branches {
    pub first: Option<Captured>,
    pub second: Option<Captured>,
    /// Where the second branch begins, and where the `if` ends.
    pub labels: Option<(String, String)>,
}
