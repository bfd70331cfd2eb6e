//! Runs a candidate on the emulator and checks all memory that it could have changed. Its arguments are in random order,
//! with canaries and random gaps between them.
//!
//! Each candidate has its own emulator, whose address space contains its variables, its arguments, and a canary
//! before and after each argument. No reference shares that emulator. Checked runs use the sanitizer, which places
//! allocations 2^36 bytes apart and tracks undefined memory; plain runs use a random schedule and poison outputs with
//! random patterns.

use crate::problems::problem::{Argument, Problem};
use crate::task::{Allowance, Role, Shape, Task};
use crate::verdict::Reason;
use lanework_runtime::emulator::sanitize::{Checks, Level, ReportKind};
use lanework_runtime::emulator::{
    Blocks, Emulator, Fault, FaultKind, LaunchConfig, MemoryError, Options, Program, Schedule,
};
use lanework_runtime::ptx::Module;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, RngCore, SeedableRng};
use std::sync::Arc;

/// How to run a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Every access checked.
    Checked,
    /// Unchecked, in an order drawn from this seed.
    Plain(u64),
}

/// A module loaded on an emulator.
pub struct Bench<'a> {
    task: &'a Task,
    emulator: Emulator,
    program: Arc<Program>,
    mode: Mode,
    random: StdRng,
    /// Sanitizer warnings and the candidate's printed output.
    pub notes: Vec<String>,
}

/// The results of a run: the bytes of each output, by parameter number.
pub type Results = Vec<(usize, Vec<u8>)>;

/// Emulator memory available to a candidate in addition to its arguments.
const SPARE_MEMORY: u64 = 256 << 20;

/// Initial value of the emulator's memory.
const FRESH: u8 = 0xCD;

impl<'a> Bench<'a> {
    /// Loads a module.
    ///
    /// # Errors
    /// If the emulator does not support the module.
    pub fn new(
        task: &'a Task,
        module: &Module,
        mode: Mode,
        seed: u64,
        budget: (u64, u64),
    ) -> Result<Bench<'a>, Reason> {
        let (bytes, instructions) = budget;
        let mut options = Options {
            total_instructions: Some(task.limits.instructions.unwrap_or(instructions)),
            time_limit: Some(task.limits.launch),
            ..Options::default()
        };
        // The canaries of 40 arguments fit the spare memory.
        options.limits.memory = bytes.saturating_mul(3).saturating_add(SPARE_MEMORY);
        match mode {
            Mode::Checked => options.checks = Some(Checks::default()),
            Mode::Plain(seed) => options.schedule = Schedule::Seeded(seed),
        }
        let emulator = Emulator::new(options);
        let program =
            emulator.load(module).map_err(|error| Reason::new("ptx", error.to_string()))?;
        let random = StdRng::seed_from_u64(seed);
        Ok(Bench { task, emulator, program, mode, random, notes: Vec::new() })
    }

    /// Runs a problem once, in its own buffers.
    ///
    /// # Errors
    /// The first rule that the run broke.
    pub fn run(&mut self, problem: &Problem, shape: Shape) -> Result<Results, Reason> {
        let buffers = Allocator {
            emulator: &self.emulator,
            task: self.task,
            poisons: self.mode != Mode::Checked,
            random: &mut self.random,
        }
        .allocate(problem)?;
        let variables = self.variables();
        let before: Vec<Vec<u8>> =
            variables.iter().map(|(at, bytes, _)| self.read(*at, *bytes)).collect();
        let ran = self.launch(problem, shape, &buffers);
        let found = ran
            .and_then(|()| self.results(problem, &buffers))
            .and_then(|results| self.check_variables(&variables, &before).map(|()| results));
        for buffer in &buffers {
            // The buffer is a live allocation of this emulator, so freeing it cannot fail.
            let _ = self.emulator.free(buffer.address);
        }
        found
    }

    fn launch(
        &mut self,
        problem: &Problem,
        shape: Shape,
        buffers: &[DeviceBuffer],
    ) -> Result<(), Reason> {
        let address = |number: usize| {
            let found = buffers.iter().find(|buffer| buffer.contents == Contents::Argument(number));
            found.map_or(0, |buffer| buffer.address).to_le_bytes().to_vec()
        };
        let argument = |(number, one): (usize, &Argument)| match one {
            Argument::Array { .. } => address(number),
            Argument::Scalar { bytes, .. } => bytes.clone(),
        };
        let arguments: Vec<Vec<u8>> = problem.arguments.iter().enumerate().map(argument).collect();
        let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
        let config = LaunchConfig {
            entry: &self.task.entry,
            grid: shape.grid.to_array(),
            block: shape.block.to_array(),
            dynamic_shared: shape.dynamic_shared,
            blocks: Blocks::All,
            cluster: shape.cluster.map(lanework_runtime::Dim3::to_array),
            cooperative: shape.cooperative,
        };
        if self.mode != Mode::Checked {
            let outcome = self.emulator.run(&self.program, &config, &arguments);
            return outcome.map(drop).map_err(of_fault);
        }
        let checked = self.emulator.check(&self.program, &config, &arguments).map_err(of_fault)?;
        let is_error = |kind: ReportKind| {
            ReportKind::TABLE.iter().any(|row| row.kind == kind && row.level == Level::Error)
        };
        for report in &checked.reports {
            if is_error(report.kind) {
                let kind = match report.kind {
                    ReportKind::Deadlock => "endless",
                    other => other.name(),
                };
                let mut reason = Reason::new(kind, report.message.clone());
                reason.place = match &report.location {
                    Some(at) => Some(at.to_string()),
                    None if report.text_line > 0 => {
                        Some(format!("line {} of the PTX", report.text_line))
                    }
                    None => None,
                };
                return Err(reason);
            }
            let note = format!("{}: {}", report.kind.name(), report.message);
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        checked.fault.map_or(Ok(()), |fault| Err(of_fault(fault)))
    }

    /// Checks the memory that must not change, and reads the results.
    fn results(&self, problem: &Problem, buffers: &[DeviceBuffer]) -> Result<Results, Reason> {
        let mut results = Vec::new();
        for buffer in buffers {
            let number = match buffer.contents {
                Contents::Argument(number) => number,
                Contents::Canary => {
                    let now = self.read(buffer.address, buffer.before.len() as u64);
                    if now != buffer.before {
                        return Err(Reason::new("canary", "it wrote outside of the buffers"));
                    }
                    continue;
                }
            };
            let argument = &problem.arguments[number];
            let (Argument::Array { role, .. }, bytes) = (argument, argument.bytes()) else {
                continue;
            };
            let name = &self.task.parameters[number].name;
            let now = self.read(buffer.address, bytes);
            match role {
                Role::In => {
                    if let Some(at) =
                        now.iter().zip(&buffer.before).position(|(now, was)| now != was)
                    {
                        let element = at / self.task.parameters[number].element.bytes();
                        let why = format!("it wrote to the input `{name}`, at element {element}");
                        return Err(Reason::new("input-changed", why));
                    }
                }
                Role::Scratch => {}
                Role::Out if bytes > 0 => {
                    self.check_written(name, number, buffer, &now)?;
                    results.push((number, now));
                }
                Role::Out | Role::InOut => results.push((number, now)),
            }
        }
        results.sort_by_key(|(number, _)| *number);
        Ok(results)
    }

    /// Checks that the kernel wrote the whole output, as far as the emulator can tell.
    fn check_written(
        &self,
        name: &str,
        number: usize,
        buffer: &DeviceBuffer,
        now: &[u8],
    ) -> Result<(), Reason> {
        if self.mode == Mode::Checked {
            let gap = self.emulator.memory().unwritten(buffer.address, now.len() as u64);
            let Some(gap) = gap else { return Ok(()) };
            if now.iter().all(|byte| *byte == FRESH) {
                let why = format!("the launch wrote nothing to the output `{name}`");
                return Err(Reason::new("nothing-written", why));
            }
            let element = gap.offset.max(0) as usize / self.task.parameters[number].element.bytes();
            let why = format!("the launch did not write element {element} of the output `{name}`");
            return Err(Reason::new("not-written", why));
        }
        // Eight bytes do not match the expected result by chance.
        if now.len() >= 8 && now == buffer.before && now.iter().any(|byte| *byte != 0) {
            let why = format!("the launch wrote nothing to the output `{name}`");
            return Err(Reason::new("nothing-written", why));
        }
        Ok(())
    }

    /// The module's variables: address, bytes and name.
    fn variables(&self) -> Vec<(u64, u64, String)> {
        let memory = self.emulator.memory();
        let own = memory.live().filter(|(_, one)| one.of_module);
        own.map(|(at, one)| (at, one.bytes, one.name.clone())).collect()
    }

    /// Checks that the module's variables are unchanged.
    fn check_variables(
        &mut self,
        variables: &[(u64, u64, String)],
        before: &[Vec<u8>],
    ) -> Result<(), Reason> {
        for ((at, bytes, name), before) in variables.iter().zip(before) {
            if self.read(*at, *bytes) == *before {
                continue;
            }
            let why = format!("the launch changed the variable `{name}`");
            if !self.task.allows(Allowance::State) {
                return Err(Reason::new("state", why));
            }
            if !self.notes.contains(&why) {
                self.notes.push(why);
            }
        }
        Ok(())
    }

    fn read(&self, address: u64, bytes: u64) -> Vec<u8> {
        let mut host = vec![0; bytes as usize];
        // This bench owns the allocation, so the read cannot fail.
        let _ = self.emulator.read(address, &mut host);
        host
    }
}

/// Bytes of a problem's arrays, and the warp instructions that one launch may execute.
pub fn budget(problem: &Problem) -> (u64, u64) {
    /// Warp instructions allowed per launch, and per element.
    const ANY: u64 = 1 << 22;
    const EACH: u64 = 1 << 12;
    let bytes: u64 = problem.arguments.iter().map(Argument::bytes).sum();
    let elements = problem.arguments.iter().map(|one| match one {
        Argument::Array { shape, .. } => shape.iter().product(),
        Argument::Scalar { .. } => 1,
    });
    (bytes, ANY + EACH * elements.sum::<u64>())
}

fn of_fault(fault: Fault) -> Reason {
    let kind = match fault.kind {
        FaultKind::InstructionLimit | FaultKind::TimeLimit | FaultKind::Deadlock => "endless",
        FaultKind::LimitExceeded => "launch",
        FaultKind::Unsupported => "ptx",
        FaultKind::OutOfBounds | FaultKind::Null => "out-of-bounds",
        FaultKind::Misaligned => "misaligned",
        _ => "fault",
    };
    let mut reason = Reason::new(kind, fault.message);
    reason.place = match &fault.location {
        Some(at) => Some(at.to_string()),
        None if fault.text_line > 0 => Some(format!("line {} of the PTX", fault.text_line)),
        None => None,
    };
    reason
}

/// A buffer of one run.
pub struct DeviceBuffer {
    /// Its device address.
    pub address: u64,
    /// Its contents before the launch; empty if undefined.
    pub before: Vec<u8>,
    /// Purpose of the buffer.
    pub contents: Contents,
}

/// Purpose of a buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Contents {
    /// Words that candidates must not change.
    Canary,
    /// The argument with this parameter number.
    Argument(usize),
}

/// Allocates the buffers of a run.
pub struct Allocator<'a> {
    /// The emulator to allocate on.
    pub emulator: &'a Emulator,
    /// The task.
    pub task: &'a Task,
    /// Whether undefined memory is filled with a random pattern.
    pub poisons: bool,
    /// Source of random numbers.
    pub random: &'a mut StdRng,
}

impl Allocator<'_> {
    /// Allocates arguments and canaries in random order, with random gaps.
    pub fn allocate(&mut self, problem: &Problem) -> Result<Vec<DeviceBuffer>, Reason> {
        let arrays = problem.arguments.iter().enumerate();
        let mut order: Vec<usize> = arrays
            .filter(|(_, one)| matches!(one, Argument::Array { .. }))
            .map(|(at, _)| at)
            .collect();
        order.shuffle(self.random);
        let mut buffers = Vec::new();
        let no_memory = |error: MemoryError| Reason::new("fault", error.to_string());
        for number in order {
            let Argument::Array { role, before, .. } = &problem.arguments[number] else { continue };
            let bytes = problem.arguments[number].bytes();
            let name = &self.task.parameters[number].name;
            let gap = self.random.random_range(1..256);
            buffers.push(self.canary(gap).map_err(no_memory)?);
            let address = self.emulator.allocate(bytes.max(1), name).map_err(no_memory)?;
            let undefined = matches!(role, Role::Out | Role::Scratch);
            let before = match (undefined, self.poisons) {
                (false, _) => before.clone(),
                (true, true) => self.poison(bytes as usize),
                (true, false) => Vec::new(),
            };
            if !before.is_empty() {
                self.emulator.write(address, &before).map_err(no_memory)?;
            }
            buffers.push(DeviceBuffer { address, before, contents: Contents::Argument(number) });
        }
        buffers.push(self.canary(16).map_err(no_memory)?);
        Ok(buffers)
    }

    fn canary(&mut self, words: usize) -> Result<DeviceBuffer, MemoryError> {
        let mut before = vec![0; words * 4];
        self.random.fill_bytes(&mut before);
        let address = self.emulator.allocate(before.len() as u64, "canary")?;
        self.emulator.write(address, &before)?;
        Ok(DeviceBuffer { address, before, contents: Contents::Canary })
    }

    /// A plausible pattern for undefined memory.
    fn poison(&mut self, bytes: usize) -> Vec<u8> {
        let mut pattern = vec![0; bytes];
        match self.random.random_range(0..4) {
            0 => pattern.fill(0xff),
            1 => {}
            2 => self.random.fill_bytes(&mut pattern),
            _ => {
                let number = self.random.random_range(-4f32..4.0).to_le_bytes();
                pattern.iter_mut().zip(number.iter().cycle()).for_each(|(to, from)| *to = *from);
            }
        }
        pattern
    }
}
