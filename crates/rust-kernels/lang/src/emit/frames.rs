//! The builder's state of a kernel being staged: its lines; the enclosing loops, calls and captured blocks; local memory for arrays
//! of variables; inputs of the kernel's first and last instructions; and the groups of asynchronous copies in flight.
//!
//! A thread waits for copies by number: "all but the latest n groups". The builder tracks the groups that are
//! committed and not yet waited for, in order, and computes the number. The order must be the same on every path to a
//! label: a forward dataflow whose meet is equality, as a verifier of stack machines checks the stack's shape.

use crate::emit::value::{Index, Register, Value};
use lanework_ptx::{Instruction, Location, ScalarType, Statement};
use std::collections::HashMap;

/// One line of the body.
#[derive(Clone, Debug)]
pub(crate) enum Line {
    /// An instruction; `pure` if it only computes its first operand from the others.
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

/// An enclosing loop, or a block with a label.
pub(crate) struct LoopFrame {
    /// `'name` in the source.
    pub name: Option<&'static str>,
    /// The target label of `break`.
    pub exit: String,
    /// The target label of `continue`; `None` for a block, which only a `break` with its name leaves.
    pub next: Option<String>,
}

/// A loop that is being staged.
pub(crate) struct Repeat {
    /// The label at its start.
    pub head: String,
    /// The label at its end.
    pub exit: String,
    /// The counter of a `for`.
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
    /// The function and the position of the call, in a kernel that is staged for the debugger.
    pub site: Option<(&'static str, Location)>,
}

/// A captured block.
pub(crate) struct Captured {
    pub lines: Vec<Line>,
    /// Whether control cannot reach the end of the lines.
    pub dead: bool,
    pub scope: Scope,
    /// The groups of copies in flight at the end of the lines.
    pub groups: Vec<u32>,
}

/// State saved by a capture: the lines staged before it, whether control could not reach their end, and the groups of
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
    /// Labels of the second branch and of the end of the `if`.
    pub labels: Option<(String, String)>,
}

/// The arrays of a kernel that are indexed at run time.
#[derive(Default)]
pub(crate) struct Locals {
    /// The location of every variable that is in local memory: block, offset and type.
    pub homes: HashMap<Register, (usize, u64, ScalarType)>,
    /// The blocks of local memory that hold variables.
    pub blocks: Vec<Block>,
    /// The registers that hold the addresses of symbols.
    pub addresses: HashMap<usize, Register>,
    /// Bytes of constant memory in use.
    pub constant_bytes: u64,
}

/// A block of local memory.
pub(crate) struct Block {
    /// Its index in the builder's symbols.
    pub symbol: usize,
    /// Its bytes.
    pub bytes: u64,
    /// The block that its variables were moved to, and their offset in it.
    pub moved: Option<(usize, u64)>,
}

/// mbarriers that the kernel's first instructions initialize.
#[derive(Clone, Debug)]
pub(crate) struct BarrierSetup {
    /// The array of barriers, by its index in the builder's symbols.
    pub symbol: usize,
    /// The number of barriers.
    pub number: u32,
    /// Arrivals that complete a phase.
    pub arrivals: Value,
    pub position: Option<Location>,
}

/// A role that changes its number of registers per thread.
#[derive(Clone, Debug)]
pub(crate) struct MovedRegisters {
    /// The role's first warp.
    pub first: u32,
    pub warps: u32,
    /// The new number of registers per thread.
    pub count: u32,
    /// File, line and column.
    pub source: (String, u32, u32),
}

/// A failed bounds check's branch to the code that reports it.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// The target of the jump if the check fails.
    pub label: String,
    /// The check's number, from 1.
    pub site: usize,
    pub index: Index,
    pub length: Value,
}

/// The groups in flight, oldest first, each by its pipeline; and those at labels.
#[derive(Debug, Default)]
pub(crate) struct Flight {
    groups: Vec<u32>,
    labels: HashMap<String, Vec<u32>>,
    pipelines: u32,
}

impl Flight {
    /// A new pipeline's number.
    pub fn pipeline(&mut self) -> u32 {
        self.pipelines += 1;
        self.pipelines
    }

    /// Groups of a pipeline in flight.
    pub fn outstanding(&self, pipeline: u32) -> usize {
        self.groups.iter().filter(|group| **group == pipeline).count()
    }

    /// Records that a group of a pipeline is committed.
    pub fn commit(&mut self, pipeline: u32) {
        self.groups.push(pipeline);
    }

    /// Records a wait for the pipeline's oldest group, and returns how many later groups may stay in flight. `None` if the pipeline
    /// has no group in flight.
    pub fn wait(&mut self, pipeline: u32) -> Option<usize> {
        let at = self.groups.iter().position(|group| *group == pipeline)?;
        let later = self.groups.len() - 1 - at;
        self.groups.remove(at);
        Some(later)
    }

    /// Records a wait for all groups.
    pub fn wait_all(&mut self) {
        self.groups.clear();
    }

    /// Records a jump to a label or a loop's head. Returns whether its groups match the groups of the other jumps to
    /// it.
    pub fn leave(&mut self, label: &str) -> bool {
        if self.pipelines == 0 {
            return true;
        }
        match self.labels.get(label) {
            Some(there) => *there == self.groups,
            None => {
                self.labels.insert(label.to_owned(), self.groups.clone());
                true
            }
        }
    }

    /// Records that control reaches a label, from the preceding line as well unless that is `dead`. Returns whether the groups
    /// match the groups of the jumps to the label.
    pub fn arrive(&mut self, label: &str, dead: bool) -> bool {
        match self.labels.get(label) {
            Some(there) if dead => {
                self.groups.clone_from(there);
                true
            }
            Some(there) => *there == self.groups,
            None => true,
        }
    }

    /// The groups in flight, for a captured block.
    pub fn groups(&self) -> Vec<u32> {
        self.groups.clone()
    }

    /// Sets the groups in flight, and returns the previous ones.
    pub fn replace(&mut self, groups: Vec<u32>) -> Vec<u32> {
        std::mem::replace(&mut self.groups, groups)
    }
}

#[cfg(test)]
mod tests {
    use crate::emit::frames::Flight;

    #[test]
    fn a_wait_counts_the_groups_of_every_pipeline() {
        let mut flight = Flight::default();
        let (x, y) = (flight.pipeline(), flight.pipeline());
        for group in [x, y, x, y] {
            flight.commit(group);
        }
        assert_eq!((flight.wait(x), flight.wait(x), flight.wait(x)), (Some(3), Some(1), None));
        assert_eq!((flight.outstanding(y), flight.wait(y)), (2, Some(1)));
    }

    #[test]
    fn paths_that_disagree_are_seen() {
        let mut flight = Flight::default();
        let x = flight.pipeline();
        assert!(flight.leave("end"));
        flight.commit(x);
        assert!(!flight.arrive("end", false) && !flight.leave("end"));
        assert!(flight.arrive("end", true));
        assert_eq!(flight.outstanding(x), 0);
    }
}
