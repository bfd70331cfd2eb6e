//! The memory of one run: arguments in random order, with canaries and random gaps between them.

use crate::problems::problem::{Argument, Problem};
use crate::task::{Role, Task};
use crate::verdict::Reason;
use lanework_runtime::emulator::{Emulator, MemoryError};
use rand::{Rng, RngCore, rngs::StdRng, seq::SliceRandom};

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
