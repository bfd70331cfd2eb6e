//! A sum of squares as a problem: the numbers on a device and the buffers for their sums.

use super::clock::Cycles;
use super::summand::Summand;
use lanework::{Buffer, Device, Error, Result};

/// Default number of threads per block.
pub const THREADS: u32 = 256;
/// Blocks of the rungs with a fixed grid.
pub const BLOCKS: u32 = 32;
/// Maximum number of elements, which keeps 32-bit indices from overflowing.
pub const LONGEST: usize = 1 << 31;

/// Numbers on a device, and the buffers for the kernels' results.
pub struct Numbers<E: Summand> {
    /// The numbers.
    pub src: Buffer<E>,
    /// Threads of a block, for the rungs without a fixed number.
    pub threads: u32,
    /// The sums that a kernel leaves to the host, which add up to the result.
    pub sums: Buffer<E::Sum>,
    /// The clock at the start and at the end of each block, in cycles of its multiprocessor.
    pub clocks: Buffer<u64>,
    /// The sums of blocks, where the last block to finish adds them.
    pub blocks: Buffer<E::Sum>,
    /// The number of finished blocks; 0 before and after each run.
    pub ticket: Buffer<u32>,
    /// Sums of blocks with a flag each; 0 before and after each run.
    pub words: Buffer<u64>,
}

impl<E: Summand> Numbers<E> {
    /// Uploads `src`; rungs without a fixed block size use blocks of `threads` threads.
    ///
    /// # Errors
    /// If there are more than [`LONGEST`] numbers, a block cannot have that many threads, or the device has too
    /// little memory for the numbers.
    pub fn new(device: &Device, src: &[E], threads: u32) -> Result<Self> {
        let most = device.info().max_threads_per_block;
        if threads == 0 || threads > most {
            let why = format!("a block of {threads} threads, the limits are 1 to {most}");
            return Err(refuse(why, "use a block of 256 threads"));
        }
        if src.len() > LONGEST {
            let why = format!("{} numbers, the limit is {LONGEST}", src.len());
            return Err(refuse(why, "sum the squares in parts, and add the parts"));
        }
        let mut on_device = device.uninit_named(src.len(), "src")?;
        on_device.upload(src)?;
        Ok(Numbers {
            src: on_device,
            threads,
            sums: device.uninit_named(0, "sums")?,
            clocks: device.uninit_named(0, "clocks")?,
            blocks: device.uninit_named(0, "blocks")?,
            ticket: device.zeros(1)?,
            words: device.zeros(0)?,
        })
    }

    /// Bytes that must be read: each number once.
    pub fn bytes(&self) -> u64 {
        self.src.bytes()
    }

    /// Arithmetic operations: a product and a sum for each number.
    pub fn operations(&self) -> u64 {
        2 * self.src.len() as u64
    }

    /// Fills the result buffers with a poison value (NaN for floats) to detect missing writes.
    ///
    /// # Errors
    /// When the device fails.
    pub fn poison(&mut self) -> Result<()> {
        self.sums.fill_bytes(0xFF)?;
        self.blocks.fill_bytes(0xFF)?;
        self.clocks.fill_bytes(0xFF)?;
        self.words.fill_bytes(0)?;
        self.ticket.fill_bytes(0)
    }

    /// The result: fetches the kernel's sums and adds them up. This is the host's part of the work.
    ///
    /// # Errors
    /// Any error of the launches before.
    pub fn add_up(&self) -> Result<E::Sum> {
        Ok(E::add_up(self.sums.download()?.into_iter()))
    }

    /// The time of the last run by the clocks of the multiprocessors.
    ///
    /// # Errors
    /// Any error of the launches before.
    pub fn cycles(&self) -> Result<Cycles> {
        Ok(Cycles::of(&self.clocks.download()?))
    }

    /// Allocates the clocks of `blocks` blocks and `sums` sums, poisoned when new.
    pub(super) fn make_room(&mut self, device: &Device, blocks: u32, sums: u32) -> Result<()> {
        if self.sums.len() != sums as usize {
            self.sums = device.uninit_named(sums as usize, "sums")?;
            self.sums.fill_bytes(0xFF)?;
        }
        if self.clocks.len() != 2 * blocks as usize {
            self.clocks = device.uninit_named(2 * blocks as usize, "clocks")?;
            self.clocks.fill_bytes(0xFF)?;
            self.blocks = device.uninit_named(blocks as usize, "blocks")?;
            self.blocks.fill_bytes(0xFF)?;
        }
        Ok(())
    }

    /// Allocates the words that blocks announce.
    pub(super) fn make_words(&mut self, device: &Device, words: u32) -> Result<()> {
        if self.words.len() != words as usize {
            self.words = device.zeros(words as usize)?;
        }
        Ok(())
    }

    /// The threads per block of a halving tree.
    ///
    /// # Errors
    /// If they are not a power of two, or fewer than a warp.
    pub(super) fn threads_by_halves(&self) -> Result<u32> {
        let threads = self.threads;
        if threads.is_power_of_two() && threads >= 32 {
            return Ok(threads);
        }
        let why = format!("a block of {threads} threads cannot be halved down to a warp");
        Err(refuse(why, "use 32, 64, 128, 256, 512 or 1024 threads"))
    }
}

/// The error of an invalid problem.
fn refuse(why: String, help: &str) -> Error {
    Error::Launch { kernel: "sum-squares".to_owned(), why, help: help.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_threads_and_blocks_that_have_no_halves_are_refused() {
        let emulator = Device::emulator();
        for threads in [0, 1025] {
            let error = Numbers::new(&emulator, &[1.0f32], threads).err().expect("refused");
            assert!(error.to_string().contains("the limits are 1 to 1024"), "{error}");
        }
        let numbers = Numbers::new(&emulator, &[1.0f32], 48).unwrap();
        let error = numbers.threads_by_halves().expect_err("refused");
        assert!(error.to_string().contains("cannot be halved down to a warp"), "{error}");
    }
}
