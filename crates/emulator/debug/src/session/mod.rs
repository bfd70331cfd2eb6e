//! A debugging session: the recorded launch, the current step and thread, breakpoints, and commands that move between
//! steps.

pub mod breakpoints;
pub mod findings;
pub mod history;
mod live;
pub mod marks;
pub mod matrices;
pub mod mbarriers;
mod moves;
pub mod stepping;
mod stopped;

use crate::code::{CodeLine, CodeMap, InlinedNames};
use crate::data::evaluate::{EvaluatedValue, Evaluator, MemoryPlace, ThreadPlace};
use crate::data::parse::{Expression, parse};
use crate::data::registers::register_names;
use crate::data::scope::{LaunchScope, ModuleVariable, SourceNames};
use crate::data::types::DataType;
use crate::timeline::{DebugTarget, Moment, Timeline};
use breakpoints::{Breakpoint, BreakpointKind, Watched};
use history::{HistoryEntry, HistoryKind, HistorySearch, LastStep};
use lanework_emulator::sanitize::Report;
use lanework_emulator::{Fault, Place, Schedule};
use lanework_engine::event::Space;
use lanework_ptx::Module;
use lanework_ptx_ir::module::statics;
use std::collections::VecDeque;
use std::sync::Arc;
use stopped::StoppedMachine;

/// Why the session stopped at the current step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The launch is at its first step.
    Start,
    /// A command went to this step.
    Moved,
    /// A step ended.
    Stepped,
    /// A breakpoint or watchpoint, by its number.
    Breakpoint(u32),
    /// The thread exits with this instruction.
    ThreadEnds,
    /// The launch faulted.
    Fault,
    /// The launch has ended.
    End,
}

/// Options of a session.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// The order of time slices.
    pub schedule: Schedule,
    /// Maximum bytes of snapshots, in addition to the memory before the launch.
    pub budget: u64,
    /// The name of the PTX text, for modules without line information.
    pub text_name: String,
}

/// The default of [`SessionOptions::budget`].
pub const BUDGET: u64 = 64 << 20;

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions {
            schedule: Schedule::InOrder,
            budget: BUDGET,
            text_name: "the PTX text".to_owned(),
        }
    }
}

/// A session.
pub struct Session<'a> {
    timeline: Timeline<'a>,
    scope: Arc<LaunchScope>,
    budget: u64,
    step: u64,
    at: Option<(Place, u32)>,
    moment: Option<Moment>,
    reason: StopReason,
    /// The current block and thread.
    focus: (u64, u32),
    /// The selected call of the thread, from the innermost one.
    frame: usize,
    breakpoints: Vec<Breakpoint>,
    last_number: u32,
    findings: Option<Vec<Report>>,
    /// The breakpoints at findings: their numbers, and the findings' indices.
    at_findings: Vec<(u32, usize)>,
}

/// Maximum number of history lines.
const MOST_HISTORY: usize = 1024;

impl<'a> Session<'a> {
    /// Records a launch of a kernel of `module`, and stops at its first step.
    ///
    /// # Errors
    /// If the launch does not fit the device or the kernel.
    pub fn new(
        target: DebugTarget<'a>,
        module: &Module,
        names: SourceNames,
        options: SessionOptions,
    ) -> Result<Session<'a>, Fault> {
        let SessionOptions { schedule, budget, text_name } = options;
        let timeline = Timeline::record(target, schedule, budget)?;
        let scope = Arc::new(scope_of(&target, module, names, &text_name)?);
        let mut session = Session {
            timeline,
            scope,
            budget,
            step: 0,
            at: None,
            moment: None,
            reason: StopReason::Start,
            focus: (0, 0),
            frame: 0,
            breakpoints: Vec::new(),
            last_number: 0,
            findings: None,
            at_findings: Vec::new(),
        };
        session.go_to(0, StopReason::Start)?;
        Ok(session)
    }

    /// The recorded launch.
    pub fn timeline(&self) -> &Timeline<'a> {
        &self.timeline
    }

    /// The names of the launch.
    pub fn scope(&self) -> &Arc<LaunchScope> {
        &self.scope
    }

    /// The current step.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The instruction and the lanes of the current step; at the end of the launch, of the last step.
    pub fn at(&self) -> Option<(Place, u32)> {
        self.at
    }

    /// The state of the current cluster; `None` at the end of a launch.
    pub fn moment(&self) -> Option<&Moment> {
        self.moment.as_ref()
    }

    /// Why the session stopped here.
    pub fn reason(&self) -> &StopReason {
        &self.reason
    }

    /// The current block and thread, by their linear indices.
    pub fn focus(&self) -> (u64, u32) {
        self.focus
    }

    /// Selects a thread.
    ///
    /// # Errors
    /// If the block or the thread does not exist.
    pub fn select(&mut self, block: u64, thread: u32) -> Result<(), String> {
        let count = |shape: [u32; 3]| shape.iter().map(|extent| u64::from(*extent)).product();
        let (blocks, threads): (u64, u64) = (count(self.scope.grid), count(self.scope.block));
        if block >= blocks {
            return Err(format!("there is no block {block}; the grid has {blocks}"));
        }
        if u64::from(thread) >= threads {
            return Err(format!("there is no thread {thread}; a block has {threads}"));
        }
        self.focus_thread((block, thread));
        Ok(())
    }

    fn focus_thread(&mut self, focus: (u64, u32)) {
        (self.focus, self.frame) = (focus, 0);
    }

    /// The current thread and its next instruction; if another call than the innermost one is selected, an instruction of
    /// that call.
    pub fn place(&self) -> ThreadPlace {
        let place = self.place_of(self.focus.0, self.focus.1);
        let instruction = self.scope.code.frame_instruction(place.instruction, self.frame);
        ThreadPlace { instruction, ..place }
    }

    /// A thread and its next instruction.
    pub fn place_of(&self, block: u64, thread: u32) -> ThreadPlace {
        let own = self.at.filter(|(place, mask)| {
            let own = place.block == block && place.warp == thread / 32;
            own && mask >> (thread % 32) & 1 != 0
        });
        let state = || {
            let warp = self.moment.as_ref()?.block(block)?.warp_of(thread)?;
            Some(warp.lane(thread % 32)?.instruction)
        };
        let here = own.map(|(place, _)| place.instruction).or_else(state);
        let instruction = here.or(self.at.map(|(place, _)| place.instruction)).unwrap_or(0);
        ThreadPlace { block, thread, instruction }
    }

    /// The selected call of the thread; 0 is the innermost one.
    pub fn frame(&self) -> usize {
        self.frame
    }

    /// Selects a call of the thread, whose values are then shown.
    ///
    /// # Errors
    /// If the thread has fewer calls.
    pub fn select_frame(&mut self, frame: usize) -> Result<(), String> {
        let place = self.place_of(self.focus.0, self.focus.1);
        let count = self.scope.code.frames(place.instruction).len();
        if frame >= count {
            return Err(format!("there is no call {frame}; `bt` lists calls 0 to {}", count - 1));
        }
        self.frame = frame;
        Ok(())
    }

    /// Changes the order of time slices: records the launch again, and goes to its start.
    ///
    /// # Errors
    /// If the launch cannot be recorded.
    pub fn set_order(&mut self, schedule: Schedule) -> Result<(), Fault> {
        // The new recording needs the memory before the launch.
        self.timeline.restore()?;
        let (control, target) = (Arc::clone(self.timeline.control()), self.timeline.target());
        self.timeline = Timeline::record_under(control, target, schedule, self.budget)?;
        self.find_findings_again()?;
        self.go_to(0, StopReason::Start)
    }

    /// Adds a breakpoint; returns its number.
    pub fn add_breakpoint(
        &mut self,
        kind: BreakpointKind,
        condition: Option<Expression>,
        text: String,
    ) -> u32 {
        self.last_number += 1;
        let number = self.last_number;
        self.breakpoints.push(Breakpoint { number, kind, condition, text, enabled: true });
        number
    }

    /// The breakpoints.
    pub fn breakpoints(&self) -> &[Breakpoint] {
        &self.breakpoints
    }

    /// Removes a breakpoint; returns whether it existed.
    pub fn remove_breakpoint(&mut self, number: u32) -> bool {
        let before = self.breakpoints.len();
        self.breakpoints.retain(|breakpoint| breakpoint.number != number);
        self.breakpoints.len() < before
    }

    /// The line that a position of a breakpoint names: `12`, `k.cu:12`, or a function.
    ///
    /// # Errors
    /// If there is no code there.
    pub fn find_line(&self, text: &str) -> Result<CodeLine, String> {
        let code = &self.scope.code;
        let (file, line) = match text.rsplit_once(':') {
            Some((file, line)) if line.parse::<u32>().is_ok() => (code.find_file(file)?, line),
            _ => (code.main_file().unwrap_or(0), text),
        };
        let Ok(line) = line.parse::<u32>() else {
            return code.first_line(text).ok_or_else(|| {
                format!(
                    "`{text}` is neither a line like 12 or k.cu:12 nor a function of the kernel"
                )
            });
        };
        let wanted = CodeLine { file, line };
        code.line_with_code(wanted).ok_or_else(|| {
            format!("{} has no code of this kernel from line {line} on", code.file(file))
        })
    }

    /// Evaluates an expression for the current thread.
    ///
    /// # Errors
    /// If the text is not an expression, or the expression has no value here.
    pub fn evaluate(&self, text: &str) -> Result<EvaluatedValue, String> {
        self.evaluate_for(&parse(text)?, self.place())
    }

    /// Evaluates an expression for a thread.
    ///
    /// # Errors
    /// As [`Session::evaluate`].
    pub fn evaluate_for(
        &self,
        expression: &Expression,
        at: ThreadPlace,
    ) -> Result<EvaluatedValue, String> {
        let machine = self.machine(at);
        Evaluator { scope: &self.scope, machine: &machine, at }.value(expression)
    }

    fn machine(&self, at: ThreadPlace) -> StoppedMachine<'_> {
        StoppedMachine {
            device: self.timeline.target().emulator,
            block: self.moment.as_ref().and_then(|moment| moment.block(at.block)),
            warp: at.thread / 32,
        }
    }

    /// The bytes of memory that an expression names, for a watchpoint or a history.
    ///
    /// # Errors
    /// If the expression has no value, or is not in memory.
    pub fn watched(&self, text: &str) -> Result<(Watched, DataType), String> {
        let value = self.evaluate(text)?;
        let what =
            "is not in memory: name an element such as x[3], a shared array or a local variable";
        let place = value.place.ok_or_else(|| format!("`{text}` {what}"))?;
        let bytes = value.ty.bytes();
        Ok((Watched { place, bytes, owner: self.focus }, value.ty))
    }

    /// The last accesses to bytes before the current step, oldest first.
    ///
    /// # Errors
    /// If the launch cannot be replayed.
    pub fn history(
        &self,
        watched: Watched,
        kind: HistoryKind,
        most: usize,
    ) -> Result<Vec<HistoryEntry>, Fault> {
        let most = most.clamp(1, MOST_HISTORY);
        let mut found: VecDeque<HistoryEntry> = VecDeque::new();
        let mut until = self.step;
        let starts = self.timeline.replay_starts();
        for from in starts.into_iter().rev().filter(|from| *from < self.step || *from == 0) {
            let search = HistorySearch::new(watched, kind, until, most);
            let (mut search, _) = self.timeline.replay(from, search)?;
            if let Some(mut entry) = search.pending.take() {
                // At the end of the launch, memory already has the effect of the last step.
                entry.after = self.bytes_now(watched.place, watched.bytes);
                search.keep(entry);
            }
            for entry in search.entries.into_iter().rev() {
                found.push_front(entry);
            }
            if found.len() >= most {
                break;
            }
            until = from;
        }
        // Restore the memory of the current step for later commands.
        self.timeline.go_to(self.step)?;
        let surplus = found.len().saturating_sub(most);
        Ok(found.into_iter().skip(surplus).collect())
    }

    fn bytes_now(&self, place: MemoryPlace, count: u64) -> Option<Vec<u8>> {
        let mut bytes = vec![0; count as usize];
        let global = matches!(place.space, Space::Global | Space::Constant);
        let device = self.timeline.target().emulator;
        (global && device.read(place.address, &mut bytes).is_ok()).then_some(bytes)
    }

    /// The last step of the current thread up to the current step.
    ///
    /// # Errors
    /// If the launch cannot be replayed.
    pub fn last_step(&self) -> Result<LastStep, Fault> {
        let search = LastStep {
            focus: self.focus,
            until: self.step.saturating_add(1),
            last: None,
            exited: false,
            without: None,
        };
        let start = self.timeline.block_start(self.focus.0).unwrap_or(0);
        let (found, _) = self.timeline.replay(start.min(self.step), search)?;
        self.timeline.go_to(self.step)?;
        Ok(found)
    }
}

/// The names of a launch: source names and PTX registers.
fn scope_of(
    target: &DebugTarget<'_>,
    module: &Module,
    mut names: SourceNames,
    text_name: &str,
) -> Result<LaunchScope, Fault> {
    let entry = target.config.entry;
    let unknown = || {
        let kind = lanework_emulator::FaultKind::BadArguments;
        Fault::before_launch(kind, entry, format!("the module has no entry `{entry}`"), "")
    };
    let kernel = target.program.kernel(entry).ok_or_else(unknown)?;
    module.entry(entry).ok_or_else(unknown)?;
    // Numba passes an array as several parameters. A checked Rust kernel has one more than its source.
    if names.parameters.len() + 1 < kernel.parameters.len() {
        names.parameters.clear();
    }
    let typed = |name: &str, bytes: u64| {
        let known = names.arrays.iter().find(|(of, _)| of == name).map(|(_, ty)| ty.clone());
        known.unwrap_or_else(|| DataType::Array(Arc::new(DataType::Bits(4)), bytes / 4))
    };
    let placed = statics(module);
    let variables = placed.iter().filter_map(|placed| {
        let name = placed.variable.name.clone();
        let (address, bytes) = target.program.variable(&placed.key)?;
        let ty = typed(&name, bytes);
        Some(ModuleVariable { name, address, ty })
    });
    let variables: Vec<ModuleVariable> = variables.collect();
    let gaps = target.emulator.options().checks.is_some();
    let registers = register_names(target.program, module, entry, gaps);
    let code = CodeMap::new(kernel, text_name, &InlinedNames::of_module(module));
    Ok(LaunchScope::new(
        (Arc::clone(kernel), code),
        (target.config.grid, target.config.block),
        names,
        (variables, &registers),
        target.arguments,
    ))
}
