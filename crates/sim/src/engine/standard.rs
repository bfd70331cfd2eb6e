//! Launches under the two standard observers, compiled here once rather than in every crate that
//! launches.

use crate::{
    CountingObserver, Emulator, Fault, LaunchConfig, Outcome, Program, Quiet, Trace, Tracer, Wanted,
};

impl Emulator {
    /// Runs a kernel with nobody watching.
    ///
    /// # Errors
    /// As [`Emulator::launch`].
    pub fn run(
        &self,
        program: &Program,
        launch: &LaunchConfig<'_>,
        arguments: &[&[u8]],
    ) -> Result<Outcome, Fault> {
        self.launch(program, launch, arguments, &mut Quiet)
    }

    /// Runs a kernel and counts what it does.
    ///
    /// # Errors
    /// As [`Emulator::launch`].
    pub fn count(
        &self,
        program: &Program,
        launch: &LaunchConfig<'_>,
        arguments: &[&[u8]],
    ) -> Result<(Outcome, CountingObserver), Fault> {
        let mut counting = CountingObserver::default();
        let outcome = self.launch(program, launch, arguments, &mut counting)?;
        Ok((outcome, counting))
    }

    /// Runs a kernel and keeps what it did, step by step.
    ///
    /// # Errors
    /// As [`Emulator::launch`].
    pub fn trace(
        &self,
        program: &Program,
        launch: &LaunchConfig<'_>,
        arguments: &[&[u8]],
        wanted: Wanted,
    ) -> Result<(Outcome, Trace), Fault> {
        let mut tracer = Tracer::new(wanted);
        let outcome = self.launch(program, launch, arguments, &mut tracer)?;
        Ok((outcome, tracer.trace))
    }
}
