//! Launches on a device: checked against its limits, then run by its workers.

use super::Device;
use crate::attached::Instrumentation;
use crate::check;
use crate::fault::Fault;
use crate::hook::Wants;
use crate::instrument::Instrument;
use crate::launch::{LaunchConfig, Outcome};
use crate::program::Program;
use crate::schedule::{Job, Ran};
use crate::workspace::Workspace;

impl Device {
    /// Runs a kernel to its end, or to a fault. `arguments` are the bytes of each PTX parameter,
    /// little-endian.
    ///
    /// # Errors
    /// When the launch does not fit the device or the kernel.
    pub fn run_with<I: Instrument>(
        &self,
        program: &Program,
        launch: &LaunchConfig<'_>,
        arguments: &[&[u8]],
        instrument: &mut I,
    ) -> Result<Ran, Fault> {
        let kernel = check::kernel(program, launch.entry)?;
        check::limits(kernel, launch, self.limits())?;
        check::cluster(kernel, launch)?;
        let parameters = check::parameters(kernel, arguments)?;
        let instrumentation = Instrumentation::of(instrument);
        let assembled = program
            .assembled(launch.entry, launch.block, &instrumentation, self.options.all_varying)
            .ok_or_else(|| check::unknown(program, launch.entry))?;
        check::registers(kernel, launch, assembled.code.register_bytes)?;
        let workspace = match launch.cooperative {
            true => {
                check::cooperative(&assembled, launch, self.limits())?;
                Some(Workspace::new(&self.memory, &self.workspaces, launch.entry)?)
            }
            false => None,
        };
        let address = workspace.as_ref().map_or(0, |workspace| workspace.address);
        let memory = self.memory();
        let job = Job::new(&assembled, &memory, launch, (&parameters, address), &self.options);
        let ran = job.run(instrument, self.workers, || self.pool());
        if !instrumentation.wants.any(Wants::INITIALISED) {
            memory.take_as_written();
        }
        // The workspace is freed under the lock.
        drop(memory);
        Ok(ran)
    }

    /// Runs a kernel to its end. `arguments` are the bytes of each PTX parameter, little-endian.
    ///
    /// # Errors
    /// When the launch does not fit the device or the kernel, or the kernel faults. Memory then holds
    /// whatever had been written.
    pub fn launch<I: Instrument>(
        &self,
        program: &Program,
        launch: &LaunchConfig<'_>,
        arguments: &[&[u8]],
        instrument: &mut I,
    ) -> Result<Outcome, Fault> {
        let ran = self.run_with(program, launch, arguments, instrument)?;
        ran.fault.map_or(Ok(ran.outcome), Err)
    }

    /// The pool of workers beside the caller's thread; made on first use.
    fn pool(&self) -> Option<&rayon_core::ThreadPool> {
        self.pool
            .get_or_init(|| {
                let builder = rayon_core::ThreadPoolBuilder::new().num_threads(self.workers - 1);
                builder.thread_name(|i| format!("lanework-sim-{i}")).build().ok()
            })
            .as_ref()
    }
}
