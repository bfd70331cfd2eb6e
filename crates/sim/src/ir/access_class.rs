//! LSU access classes: how the load/store unit treats an access, as far as its cost depends on it.
//!
//! What ptxas makes of an instruction decides the class: atomics that memory itself has, loops of
//! compare-and-swap, loads that are vectorised, rows of matrices.

/// How shared memory serves an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AccessClass {
    /// A load.
    #[default]
    Load,
    /// A store.
    Store,
    /// Rows of 16 bytes of a matrix.
    Rows,
    /// An atomic that the memory itself has: those on 32-bit integers, and exchanges.
    Atomic,
    /// Compare-and-swap, which takes each pass twice.
    CompareAndSwap,
    /// Any other atomic: a loop of a load and a compare-and-swap.
    Loop,
    /// A compare-and-swap of 16 bits: a load of the word around them, and a compare-and-swap of it.
    SwapOfHalf,
    /// Any other atomic on 16 bits: the same, until each lane has won.
    LoopOfHalf,
    /// An atomic on 32-bit integers of which one lane does what all of them ask for.
    OneLane,
    /// The same where all lanes are active; else all of them.
    OneOfAll,
    /// An addition of 1 whose result nobody wants: lanes of one word share a pass.
    Increment,
    /// The first of the atomics on a vector of so many elements, counted for all of them.
    First(u8),
    /// What another one is counted for.
    Rest,
    /// A load by a generic address.
    Generic,
    /// The first of loads that are joined into one of so many bytes; the others are [`AccessClass::Rest`].
    Joined(u8),
    /// An asynchronous copy's write.
    Copy,
}

impl AccessClass {
    /// How an atomic is served, by its name in PTX.
    pub fn of_atomic(name: &str, bytes: u32) -> AccessClass {
        let has = |part: &str| name.split('.').any(|found| found == part);
        let integer = bytes == 4 && !name.contains(".f") && !name.contains(".bf");
        match name {
            _ if has("cas") && bytes == 2 => AccessClass::SwapOfHalf,
            _ if has("cas") => AccessClass::CompareAndSwap,
            _ if bytes == 2 => AccessClass::LoopOfHalf,
            _ if has("exch") || integer => AccessClass::Atomic,
            _ => AccessClass::Loop,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_atomic_is_served_by_its_name() {
        assert_eq!(AccessClass::of_atomic("atom.shared.add.u32", 4), AccessClass::Atomic);
        assert_eq!(AccessClass::of_atomic("red.shared.add.f32", 4), AccessClass::Loop);
        assert_eq!(AccessClass::of_atomic("atom.shared.cas.b64", 8), AccessClass::CompareAndSwap);
        assert_eq!(AccessClass::of_atomic("atom.shared.exch.b64", 8), AccessClass::Atomic);
        assert_eq!(AccessClass::of_atomic("atom.shared.add.noftz.bf16x2", 4), AccessClass::Loop);
        assert_eq!(AccessClass::of_atomic("atom.shared.max.u64", 8), AccessClass::Loop);
    }
}
