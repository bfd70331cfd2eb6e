//! Captured blocks: lines staged before it is known how they will be placed, as a branch target, as
//! straight-line code or as one guarded jump.

use crate::builder::Builder;
use crate::frames::{Captured, Interrupted, Line};
use lanework_ptx::Instruction;

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

impl Builder {
    /// Starts a capture. Captures nest: the builder keeps what they interrupted, so that the generic functions that
    /// kernels instantiate hold nothing that has to be dropped.
    pub fn begin_capture(&mut self) {
        self.enter();
        let interrupted = Interrupted {
            lines: std::mem::take(&mut self.lines),
            dead: self.dead,
            groups: self.flight.groups(),
        };
        self.interrupted.push(interrupted);
    }

    /// Ends the innermost capture, and returns the lines staged since it began.
    pub fn end_capture(&mut self) -> Captured {
        let outer = self.interrupted.pop().expect("begun before");
        let lines = std::mem::replace(&mut self.lines, outer.lines);
        let dead = std::mem::replace(&mut self.dead, outer.dead);
        let groups = self.flight.replace(outer.groups);
        Captured { lines, dead, scope: self.leave(), groups }
    }

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
