//! Breakpoints and watchpoints: where and on which condition a run stops, and the search for the next or the last stop.

use crate::code::{CodeLine, CodePlace};
use crate::data::evaluate::{Evaluator, MemoryPlace, ThreadPlace};
use crate::data::parse::Expression;
use crate::data::scope::LaunchScope;
use crate::session::live::LiveMachine;
use crate::timeline::{StepAt, Visitor};
use lanework_engine::event::Space;
use std::collections::HashMap;
use std::sync::Arc;

/// A breakpoint or a watchpoint.
#[derive(Clone, Debug)]
pub struct Breakpoint {
    /// Its number, from 1.
    pub number: u32,
    /// Where it stops.
    pub kind: BreakpointKind,
    /// The condition: stops only for a thread for which it holds.
    pub condition: Option<Expression>,
    /// The breakpoint as the user wrote it.
    pub text: String,
    /// Whether it is enabled.
    pub enabled: bool,
}

/// Where a breakpoint stops.
#[derive(Clone, Debug)]
pub enum BreakpointKind {
    /// When a warp arrives at a line.
    Line(CodeLine),
    /// After a step that changed these bytes.
    Change(Watched),
    /// Before a step, for a thread.
    Step(u64, u32),
    /// Before an instruction whose PTX name starts so.
    Instruction(String),
}

/// Watched bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    /// The address of the first byte.
    pub place: MemoryPlace,
    /// The number of bytes.
    pub bytes: u64,
    /// The block and thread that own the shared or local memory.
    pub owner: (u64, u32),
}

impl Watched {
    /// The bytes, if the warp of a step can see them.
    pub fn read(&self, at: &StepAt<'_>) -> Option<Vec<u8>> {
        let (block, thread) = self.owner;
        let visible = match self.place.space {
            Space::Global | Space::Constant => true,
            Space::Shared => at.place.block == block,
            Space::Local => at.place.block == block && at.place.warp == thread / 32,
        };
        let mut bytes = vec![0; self.bytes as usize];
        let machine = LiveMachine(at.view);
        let MemoryPlace { space, address } = self.place;
        use crate::data::evaluate::Machine;
        (visible && machine.read(space, thread % 32, address, &mut bytes)).then_some(bytes)
    }
}

/// A stop at a breakpoint.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The step before which the run stops.
    pub step: u64,
    /// The breakpoint's number.
    pub number: u32,
    /// The first active thread for which the condition holds; without a condition, the first active thread.
    pub thread: u32,
    /// The error, if the condition could not be evaluated.
    pub error: Option<String>,
}

/// The current line of each warp.
#[derive(Default)]
pub struct WarpLines(HashMap<(u64, u32), (CodePlace, u32)>);

impl WarpLines {
    /// Sets the line of a warp that is about to execute an instruction that no jump reaches: the warp has executed the one
    /// before it.
    pub fn set(&mut self, scope: &LaunchScope, warp: (u64, u32), instruction: u32) {
        let before = instruction.checked_sub(1);
        let place = before.and_then(|before| Some((scope.code.place(before)?, before)));
        if let Some(place) = place {
            self.0.insert(warp, place);
        }
    }

    /// Records a step. Returns its place if the warp arrives at the line with this step: from another line or call, or
    /// by a backward jump.
    pub fn arrival(&mut self, scope: &LaunchScope, at: &StepAt<'_>) -> Option<LineArrival> {
        let instruction = at.place.instruction;
        let place = scope.code.place(instruction)?;
        let before = self.0.insert((at.place.block, at.place.warp), (place, instruction));
        let (arrives, returns) = match before {
            Some((known, last)) => {
                let returns = known.depth > place.depth && scope.code.calls_from(last, place);
                (known != place || instruction <= last, returns)
            }
            None => (true, false),
        };
        arrives.then_some(LineArrival { place, returns })
    }
}

/// The arrival of a warp at a line.
#[derive(Clone, Copy, Debug)]
pub struct LineArrival {
    /// The line and its calls.
    pub place: CodePlace,
    /// Whether the warp returns from a call that this line made: it has been at the line before.
    pub returns: bool,
}

/// Searches a run for a stop: the first one at or after `from`, or the last one before `until`.
pub struct BreakpointSearch {
    pub(super) scope: Arc<LaunchScope>,
    pub(super) breakpoints: Vec<Breakpoint>,
    pub(super) from: u64,
    pub(super) until: u64,
    /// Whether to find the last stop.
    pub(super) last: bool,
    /// The first step that it sees.
    pub(super) first: u64,
    pub(super) lines: WarpLines,
    /// The bytes of each watchpoint at the previous step.
    pub(super) values: HashMap<u32, Vec<u8>>,
    pub(super) hit: Option<Hit>,
}

impl BreakpointSearch {
    /// The thread for which a breakpoint stops at a step.
    fn stops(&self, breakpoint: &Breakpoint, at: &StepAt<'_>) -> Option<(u32, Option<String>)> {
        if let BreakpointKind::Step(_, thread) = breakpoint.kind {
            return Some((thread, None));
        }
        let lanes = (0..32).filter(|lane| at.mask >> lane & 1 != 0);
        let mut threads = lanes.map(|lane| at.place.warp * 32 + lane);
        let Some(condition) = &breakpoint.condition else {
            return threads.next().map(|thread| (thread, None));
        };
        let machine = LiveMachine(at.view);
        threads.find_map(|thread| {
            let place =
                ThreadPlace { block: at.place.block, thread, instruction: at.place.instruction };
            let evaluator = Evaluator { scope: &self.scope, machine: &machine, at: place };
            match evaluator.holds_now(condition) {
                Ok(true) => Some((thread, None)),
                Ok(false) => None,
                Err(why) => Some((thread, Some(why))),
            }
        })
    }
}

impl Visitor for BreakpointSearch {
    fn step(&mut self, at: &StepAt<'_>) -> bool {
        if at.step >= self.until {
            return true;
        }
        // The first step of a cluster is always seen.
        if at.step < self.first {
            return false;
        }
        let arrival = self.lines.arrival(&self.scope, at);
        for index in 0..self.breakpoints.len() {
            let breakpoint = &self.breakpoints[index];
            let number = breakpoint.number;
            let reached = match &breakpoint.kind {
                BreakpointKind::Line(line) => {
                    arrival.is_some_and(|at| at.place.line == *line && !at.returns)
                }
                BreakpointKind::Change(watched) => match watched.read(at) {
                    Some(now) => {
                        let before = self.values.insert(number, now.clone());
                        before.is_some_and(|before| before != now)
                    }
                    None => false,
                },
                BreakpointKind::Step(step, _) => at.step == *step,
                BreakpointKind::Instruction(name) => {
                    self.scope.code.name(at.place.instruction).starts_with(name)
                }
            };
            if !reached || at.step < self.from {
                continue;
            }
            if let Some((thread, error)) = self.stops(&self.breakpoints[index], at) {
                self.hit = Some(Hit { step: at.step, number, thread, error });
                if !self.last {
                    return true;
                }
            }
        }
        false
    }
    fn first_step(&self) -> u64 {
        self.first
    }
}
