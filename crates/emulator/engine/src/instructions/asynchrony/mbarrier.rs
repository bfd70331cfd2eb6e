//! The mbarrier object: 64 bits in shared memory that count arrivals and bytes of a phase.
//!
//! PTX leaves the layout open; ours is, from the lowest bit: 20 bits of arrivals still pending in this
//! phase, 20 bits of arrivals expected in each phase, 21 bits of the transaction count in two's
//! complement, the mark `01` that distinguishes it from memory without an mbarrier (neither zeros nor
//! 0xCD bytes have it), and the phase's parity. `mbarrier.arrive` returns the object as it was before
//! the arrival.

/// Maximum arrivals that a phase can expect, and maximum bytes either way.
pub const MOST: u32 = (1 << 20) - 1;

const EXPECTED: u32 = 20;
const BYTES: u32 = 40;
const MARK: u32 = 61;
const PHASE: u32 = 63;

/// An mbarrier object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mbarrier {
    /// Arrivals that this phase waits for.
    pub pending: u32,
    /// Arrivals that the next phase will wait for.
    pub expected: u32,
    /// Announced bytes minus completed bytes.
    pub bytes: i32,
    /// The parity of the current phase.
    pub parity: bool,
}

/// Describes the misuse of an mbarrier.
pub type Misuse = String;

impl Mbarrier {
    /// A new mbarrier that expects `count` arrivals in each phase.
    ///
    /// # Errors
    /// When the count is out of range.
    pub fn new(count: u32) -> Result<Mbarrier, Misuse> {
        if count == 0 || count > MOST {
            return Err(format!("an mbarrier expects 1 to {MOST} arrivals, not {count}"));
        }
        Ok(Mbarrier { pending: count, expected: count, bytes: 0, parity: false })
    }

    /// From its bits in memory or in a state; `None` if they are not an mbarrier.
    pub fn from_bits(bits: u64) -> Option<Mbarrier> {
        (bits >> MARK & 3 == 1).then_some(Mbarrier {
            pending: bits as u32 & MOST,
            expected: (bits >> EXPECTED) as u32 & MOST,
            bytes: (bits >> BYTES << 11) as u32 as i32 >> 11,
            parity: bits >> PHASE != 0,
        })
    }

    /// Its bits.
    pub fn bits(self) -> u64 {
        u64::from(self.pending)
            | u64::from(self.expected) << EXPECTED
            | u64::from(self.bytes as u32 & 0x1f_ffff) << BYTES
            | 1 << MARK
            | u64::from(self.parity) << PHASE
    }

    /// Starts the next phase if this one is complete.
    fn turn(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.parity = !self.parity;
            self.pending = self.expected;
        }
    }

    /// Performs `count` arrivals.
    ///
    /// # Errors
    /// When fewer are pending.
    pub fn arrive(&mut self, count: u32) -> Result<(), Misuse> {
        if count == 0 || count > self.pending {
            return Err(format!("{count} arrivals, but only {} are pending", self.pending));
        }
        self.pending -= count;
        self.turn();
        Ok(())
    }

    /// Performs `count` arrivals that later phases do not expect.
    ///
    /// # Errors
    /// When fewer are pending.
    pub fn drop_out(&mut self, count: u32) -> Result<(), Misuse> {
        if count > self.expected {
            return Err(format!(
                "{count} arrivals drop out, but only {} are expected",
                self.expected
            ));
        }
        self.expected -= count;
        self.arrive(count)
    }

    /// Adds an arrival to this phase, for a copy that will make it.
    ///
    /// # Errors
    /// When too many are pending.
    pub fn expect_arrival(&mut self) -> Result<(), Misuse> {
        if self.pending == MOST {
            return Err(format!("more than {MOST} arrivals are pending"));
        }
        self.pending += 1;
        Ok(())
    }

    /// Announces bytes.
    ///
    /// # Errors
    /// If the count leaves its range.
    pub fn expect_bytes(&mut self, bytes: u32) -> Result<(), Misuse> {
        self.count(i64::from(bytes))
    }

    /// Completes bytes.
    ///
    /// # Errors
    /// If the count leaves its range.
    pub fn complete_bytes(&mut self, bytes: u32) -> Result<(), Misuse> {
        self.count(-i64::from(bytes))?;
        self.turn();
        Ok(())
    }

    fn count(&mut self, by: i64) -> Result<(), Misuse> {
        let bytes = i64::from(self.bytes) + by;
        if bytes.unsigned_abs() > u64::from(MOST) {
            return Err(format!("the transaction count becomes {bytes}, its limit is {MOST}"));
        }
        self.bytes = bytes as i32;
        Ok(())
    }
}

impl std::fmt::Display for Mbarrier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parity = u8::from(self.parity);
        let (pending, expected) = (self.pending, self.expected);
        write!(f, "phase of parity {parity}, {pending} of {expected} arrivals pending, ")?;
        write!(f, "{} bytes outstanding", self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use crate::instructions::asynchrony::mbarrier::*;

    #[test]
    fn the_bits_hold_every_count_at_its_limits() {
        for pending in [0, 1, MOST] {
            for bytes in [0, 1, -1, MOST as i32, -(MOST as i32)] {
                for parity in [false, true] {
                    let this = Mbarrier { pending, expected: MOST, bytes, parity };
                    assert_eq!(Mbarrier::from_bits(this.bits()), Some(this));
                }
            }
        }
        for nothing in [0, u64::MAX, 0xCDCD_CDCD_CDCD_CDCD] {
            assert_eq!(Mbarrier::from_bits(nothing), None);
        }
    }

    #[test]
    fn a_phase_ends_with_its_last_arrival_and_its_last_byte() {
        let mut this = Mbarrier::new(2).expect("in range");
        this.arrive(1).expect("pending");
        this.expect_bytes(64).expect("in range");
        this.arrive(1).expect("pending");
        assert!(!this.parity && this.pending == 0, "64 bytes are out");
        assert!(this.arrive(1).is_err(), "nobody else may arrive");
        this.complete_bytes(48).expect("in range");
        assert!(!this.parity);
        this.complete_bytes(16).expect("in range");
        assert_eq!(this, Mbarrier { parity: true, ..Mbarrier::new(2).expect("in range") });
    }

    #[test]
    fn bytes_may_come_before_they_are_announced() {
        let mut this = Mbarrier::new(1).expect("in range");
        this.complete_bytes(32).expect("in range");
        assert_eq!((this.bytes, this.parity), (-32, false));
        this.expect_bytes(32).expect("in range");
        this.arrive(1).expect("pending");
        assert!(this.parity);
    }

    #[test]
    fn dropped_threads_are_not_expected_again() {
        let mut this = Mbarrier::new(3).expect("in range");
        this.drop_out(1).expect("pending");
        this.arrive(2).expect("pending");
        assert_eq!((this.parity, this.pending, this.expected), (true, 2, 2));
    }

    #[test]
    fn counts_out_of_range_are_refused() {
        assert!(Mbarrier::new(0).is_err() && Mbarrier::new(MOST + 1).is_err());
        let mut this = Mbarrier::new(1).expect("in range");
        this.expect_bytes(MOST).expect("in range");
        assert!(this.expect_bytes(1).is_err());
        assert!(this.drop_out(2).is_err());
    }
}
