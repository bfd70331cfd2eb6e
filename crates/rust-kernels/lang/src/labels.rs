//! Jumps and labels, with the groups of copies that are in flight where they meet.

use crate::builder::Builder;
use crate::frames::Line;
use crate::value::Register;
use lanework_ptx::{Guard, Instruction, Operand};

impl Builder {
    /// A jump to `label`.
    pub fn jump(&mut self, label: &str) {
        self.emit("bra.uni", vec![Operand::from(label)]);
        if !self.dead {
            self.used_labels.insert(label.to_owned());
            self.leave_for(label);
        }
        self.dead = true;
    }

    /// A jump to `label` where `predicate` is set (or clear, when `negated`).
    pub fn jump_if(&mut self, predicate: Register, negated: bool, label: &str) {
        let mut instruction = self.located(Instruction::new("bra", vec![Operand::from(label)]));
        instruction.guard = Some(Guard { register: predicate.name(), negated });
        if !self.dead {
            self.used_labels.insert(label.to_owned());
            self.leave_for(label);
        }
        self.push(Line::Op { instruction, dest: None, pure: false });
    }

    /// Places `label` here if anything jumps to it.
    pub fn place(&mut self, label: &str) {
        if self.used_labels.contains(label) {
            if !self.flight.arrive(label, self.dead) {
                self.disagreement();
            }
            self.dead = false;
            self.lines.push(Line::Label(label.to_owned()));
        }
    }

    /// Places `label` here for jumps that come later, as at the head of a loop.
    pub fn place_always(&mut self, label: &str) {
        self.leave_for(label);
        self.push(Line::Label(label.to_owned()));
    }

    /// Notes which copies are in flight where `label` is.
    fn leave_for(&mut self, label: &str) {
        if !self.flight.leave(label) {
            self.disagreement();
        }
    }

    fn disagreement(&mut self) {
        self.error(
            "not every path to here has the same groups of copies in flight",
            "commit and wait equally often in each iteration and in each branch: commit outside of \
             `if`, since an empty group costs nothing, and fill the first stages in an `#[unroll]` loop",
        );
    }
}
