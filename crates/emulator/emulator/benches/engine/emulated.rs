//! The emulator as a subject: one device per number of workers, shared by its modes.

use crate::cases::{Case, Traffic};
use crate::job::{Argument, Job};
use crate::machine::Machine;
use crate::measure::{Candidate, Engine, Label, Subject};
use lanework_emulator::sanitize::Checks;
use lanework_emulator::{
    Counters, CountingObserver, Emulator, Instrument, LaunchConfig, NullObserver, Options, Outcome,
    Program,
};
use lanework_ptx::Module;
use std::rc::Rc;
use std::sync::Arc;

/// The kernel in three modes: plain and counting, with one worker and, if there are two cores, with two; and checked, which
/// always uses one worker.
pub fn subjects(case: &'static Case, job: &Job, machine: &Machine) -> Vec<Candidate> {
    let mut subjects = Vec::new();
    for workers in machine.workers() {
        let device = Device::set_up(case, job, workers, None).map(Rc::new);
        for engine in [Engine::Plain, Engine::Counting] {
            let subject = device
                .clone()
                .map(|device| Box::new(Emulated { device, engine }) as Box<dyn Subject>);
            subjects.push((Label { engine, workers }, subject));
        }
    }
    let device = Device::set_up(case, job, 1, Some(Checks::default())).map(Rc::new);
    let engine = Engine::Checked;
    let subject = device.map(|device| Box::new(Emulated { device, engine }) as Box<dyn Subject>);
    subjects.push((Label { engine, workers: 1 }, subject));
    subjects
}

/// An emulated device that holds the kernel and its buffers.
struct Device {
    case: &'static Case,
    emulator: Emulator,
    program: Arc<Program>,
    arguments: Vec<Vec<u8>>,
    output: u64,
    output_bytes: usize,
    lane_instructions: u64,
}

impl Device {
    fn set_up(
        case: &'static Case,
        job: &Job,
        workers: usize,
        checks: Option<Checks>,
    ) -> Result<Device, String> {
        let module = Module::parse(case.ptx).map_err(|error| format!("cannot parse: {error}"))?;
        let emulator =
            Emulator::new(Options { workers: Some(workers), checks, ..Options::default() });
        let program = emulator.load(&module).map_err(|error| format!("cannot load: {error}"))?;
        let mut addresses = Vec::new();
        for buffer in &job.buffers {
            let address =
                emulator.allocate(buffer.contents.len() as u64, buffer.name).map_err(text)?;
            emulator.write(address, &buffer.contents).map_err(text)?;
            addresses.push(address);
        }
        let arguments = job.arguments.iter().map(|argument| match argument {
            Argument::Int(value) => value.to_le_bytes().to_vec(),
            Argument::Float(value) => value.to_le_bytes().to_vec(),
            Argument::Buffer(index) => addresses[*index].to_le_bytes().to_vec(),
        });
        Ok(Device {
            case,
            program,
            arguments: arguments.collect(),
            output: addresses[job.output()],
            output_bytes: job.buffers[job.output()].contents.len(),
            lane_instructions: job.lane_instructions,
            emulator,
        })
    }

    fn launch<I: Instrument>(&self, observer: &mut I) -> Result<Outcome, String> {
        let launch = LaunchConfig::new(self.case.name, self.case.grid, self.case.block);
        let arguments: Vec<&[u8]> = self.arguments.iter().map(Vec::as_slice).collect();
        self.emulator.launch(&self.program, &launch, &arguments, observer).map_err(text)
    }

    /// All kernels of the benchmark are correct: a report is an error.
    fn check(&self) -> Result<Outcome, String> {
        let launch = LaunchConfig::new(self.case.name, self.case.grid, self.case.block);
        let arguments: Vec<&[u8]> = self.arguments.iter().map(Vec::as_slice).collect();
        let checked = self.emulator.check(&self.program, &launch, &arguments).map_err(text)?;
        match (checked.fault, checked.reports.first()) {
            (Some(fault), _) => Err(text(fault)),
            (None, Some(report)) => Err(format!("a false alarm: {}", report.message)),
            (None, None) => Ok(checked.outcome),
        }
    }
}

struct Emulated {
    device: Rc<Device>,
    engine: Engine,
}

impl Subject for Emulated {
    fn run(&mut self) -> Result<(), String> {
        let expected = self.device.lane_instructions;
        if self.engine == Engine::Counting {
            let mut observer = CountingObserver::default();
            self.device.launch(&mut observer)?;
            let counters = observer.total();
            check_count("the counters", counters.lane_instructions, expected)?;
            return self.device.case.traffic.map_or(Ok(()), |traffic| check(&traffic, &counters));
        }
        let outcome = match self.engine {
            Engine::Checked => self.device.check()?,
            _ => self.device.launch(&mut NullObserver)?,
        };
        check_count("the outcome", outcome.lane_instructions, expected)
    }

    fn write_output(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.device.emulator.write(self.device.output, bytes).map_err(text)
    }

    fn read_output(&mut self) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0; self.device.output_bytes];
        self.device.emulator.read(self.device.output, &mut bytes).map_err(text)?;
        Ok(bytes)
    }
}

/// The rate is meaningless if the emulator did not execute the instructions of the PTX.
fn check_count(whose: &str, counted: u64, expected: u64) -> Result<(), String> {
    if counted == expected {
        return Ok(());
    }
    Err(format!(
        "wrong count: {whose} tells of {counted} lane instructions, the PTX has {expected}"
    ))
}

fn check(traffic: &Traffic, counters: &Counters) -> Result<(), String> {
    let conflicts = counters.shared_load.bank_conflicts + counters.shared_store.bank_conflicts;
    let (load, store) = (counters.global_load, counters.global_store);
    if load.sectors as f64 == traffic.load_sectors * load.requests as f64
        && store.sectors as f64 == traffic.store_sectors * store.requests as f64
        && conflicts == traffic.bank_conflicts
    {
        return Ok(());
    }
    Err(format!(
        "wrong counters: {} load and {} store sectors per request and {conflicts} bank conflicts, \
         should be {}, {} and {}",
        load.sectors_per_request(),
        store.sectors_per_request(),
        traffic.load_sectors,
        traffic.store_sectors,
        traffic.bank_conflicts
    ))
}

/// The first line of an error.
fn text(error: impl std::fmt::Display) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}
