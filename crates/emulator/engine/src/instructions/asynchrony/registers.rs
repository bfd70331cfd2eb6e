//! Reallocation of registers between warps (`setmaxnreg`): a block has the registers that its threads were launched with;
//! a warp that requests more waits until other warps have released theirs. A warp does not release its registers when it
//! ends.

/// The registers of a block that no warp holds, counted per lane.
#[derive(Clone, Debug, Default)]
pub struct RegisterPool {
    /// Registers per thread at launch, if the kernel states it.
    launched: Option<u32>,
    free: u32,
    /// Registers that each thread of a warp holds; 0 until `setmaxnreg` changes it.
    of_warp: Vec<u32>,
}

impl RegisterPool {
    /// The pool of a block whose threads are launched with this many registers.
    pub fn new(launched: Option<u32>) -> RegisterPool {
        RegisterPool { launched, ..RegisterPool::default() }
    }

    /// Registers per thread at launch, if the kernel states it.
    pub fn launched(&self) -> Option<u32> {
        self.launched
    }

    /// Restores the state at a block's start.
    pub fn reset(&mut self) {
        self.free = 0;
        self.of_warp.clear();
    }

    /// Registers that no warp holds, per lane.
    pub fn free(&self) -> u32 {
        self.free
    }

    /// Changes a warp to `count` registers per thread; `false` if not enough are available yet.
    ///
    /// # Errors
    /// The reason if the change is invalid.
    pub fn change(&mut self, warp: usize, count: u32, more: bool) -> Result<bool, String> {
        let Some(launched) = self.launched else {
            return match more {
                false => Ok(true),
                true => Err("the kernel does not declare its registers per thread (`.maxnreg`), so a GPU waits forever \
                             for more of them"
                    .to_owned()),
            };
        };
        if self.of_warp.len() <= warp {
            self.of_warp.resize(warp + 1, 0);
        }
        let held = match self.of_warp[warp] {
            0 => launched,
            held => held,
        };
        match (more, count.cmp(&held)) {
            (true, std::cmp::Ordering::Less) => {
                return Err(format!(
                    "`setmaxnreg.inc` to {count} registers of a warp that has {held}"
                ));
            }
            (false, std::cmp::Ordering::Greater) => {
                return Err(format!(
                    "`setmaxnreg.dec` to {count} registers of a warp that has {held}"
                ));
            }
            (true, _) if count - held > self.free => return Ok(false),
            (true, _) => self.free -= count - held,
            (false, _) => self.free += held - count,
        }
        self.of_warp[warp] = count;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use crate::instructions::asynchrony::registers::RegisterPool;

    #[test]
    fn released_registers_go_to_other_warps() {
        let mut pool = RegisterPool::new(Some(128));
        assert_eq!(pool.change(1, 200, true), Ok(false), "none is free");
        assert_eq!(pool.change(0, 40, false), Ok(true));
        assert_eq!(pool.change(1, 224, true), Ok(false), "88 are free, 96 wanted");
        assert_eq!(pool.change(1, 216, true), Ok(true));
        assert_eq!(pool.change(1, 216, true), Ok(true), "no change");
        assert!(pool.change(1, 128, true).is_err(), "fewer by inc");
        assert!(pool.change(0, 48, false).is_err(), "more by dec");
        pool.reset();
        assert_eq!(pool.change(1, 136, true), Ok(false), "as at the start");
    }
}
