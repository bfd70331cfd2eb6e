//! Captured blocks: lines staged before it is known how they will be placed, as a branch target, as
//! straight-line code or as one guarded jump.

use crate::builder::{Builder, Line, Scope};
use crate::current::with;
use lanework_ptx::Instruction;

/// A captured block.
pub(crate) struct Captured {
    pub lines: Vec<Line>,
    /// Whether control cannot reach their end.
    pub dead: bool,
    scope: Scope,
    /// The groups of copies in flight at their end.
    groups: Vec<u32>,
}

/// A block of at most this many pure instructions is computed unconditionally (if-conversion): that
/// costs less than a branch.
const CHEAP: usize = 4;

impl Captured {
    /// Whether there are few instructions, none with side effects or memory accesses.
    pub fn is_cheap(&self) -> bool {
        !self.dead
            && self.lines.len() <= CHEAP
            && self.lines.iter().all(|line| matches!(line, Line::Op { pure: true, .. }))
    }

    /// The instruction, if the block is a single unguarded jump or return.
    pub fn only_jump(&self) -> Option<&Instruction> {
        match self.lines.as_slice() {
            [Line::Op { instruction, .. }]
                if instruction.guard.is_none()
                    && matches!(instruction.opcode.as_str(), "bra" | "ret" | "exit") =>
            {
                Some(instruction)
            }
            _ => None,
        }
    }
}

/// Stages `f` into a captured block.
pub(crate) fn captured<R>(f: impl FnOnce() -> R) -> (R, Captured) {
    let outer = begin_capture();
    let result = f();
    (result, end_capture(outer))
}

/// Starts a capture: takes the lines staged so far out of the builder, and returns them with
/// whether control could not reach their end.
fn begin_capture() -> (Vec<Line>, bool, Vec<u32>) {
    with(|b| {
        b.enter();
        (std::mem::take(&mut b.lines), b.dead, b.flight.groups())
    })
}

/// Ends a capture: restores what [`begin_capture`] returned, and returns the lines staged since.
fn end_capture((outer, was_dead, groups): (Vec<Line>, bool, Vec<u32>)) -> Captured {
    with(|b| {
        let lines = std::mem::replace(&mut b.lines, outer);
        let dead = std::mem::replace(&mut b.dead, was_dead);
        let groups = b.flight.replace(groups);
        Captured { lines, dead, scope: b.leave(), groups }
    })
}

impl Builder {
    /// Appends a captured block that may be skipped: its value numbers are forgotten.
    pub fn append(&mut self, captured: Captured) {
        if !self.dead {
            self.lines.extend(captured.lines);
            self.flight.replace(captured.groups);
            self.dead = captured.dead;
        }
    }

    /// Appends a captured block that always runs: its value numbers are kept.
    pub fn append_kept(&mut self, captured: Captured) {
        let scope = captured.scope.clone();
        self.append(captured);
        self.keep(scope);
    }
}
