//! The subject of a proof and a timing: one engine, set up to run one kernel.

use crate::job::Job;

/// An engine, how it watches, and with how many threads, in the table's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    /// The engine and its mode.
    pub engine: Engine,
    /// Host threads.
    pub workers: usize,
}

/// The engines and modes compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Engine {
    /// The emulator with no observer.
    Plain,
    /// The emulator with a profiler's counters.
    Counting,
    /// The emulator with every access checked.
    Checked,
    /// `PoCL`: OpenCL C compiled to native code.
    Pocl,
}

impl Engine {
    /// Its name in the table and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Plain => "plain",
            Engine::Counting => "counting",
            Engine::Checked => "checked",
            Engine::Pocl => "PoCL",
        }
    }
}

/// A kernel ready to run again and again. Errors say what went wrong.
pub trait Subject {
    /// Runs the kernel to its end: this is what is timed.
    fn run(&mut self) -> Result<(), String>;
    /// Overwrites the output buffer.
    fn write_output(&mut self, bytes: &[u8]) -> Result<(), String>;
    /// The bytes of the output buffer.
    fn read_output(&mut self) -> Result<Vec<u8>, String>;
}

/// A subject, or why it could not be set up.
pub type Candidate = (Label, Result<Box<dyn Subject>, String>);

/// Poisons the output, runs the kernel once and holds what it wrote against the reference.
pub fn prove(subject: &mut dyn Subject, job: &Job) -> Result<(), String> {
    subject.write_output(&job.buffers[job.output()].contents)?;
    subject.run()?;
    job.check(&subject.read_output()?)
}
