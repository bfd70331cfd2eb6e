//! Mixed-radix numbers: decomposes the index of a thread or block into axis indices.
//!
//! Divisions by extents that are unknown at compile time become multiplications (Granlund and Montgomery, "Division by invariant
//! integers using multiplication", 1994): for n < 2^31, n / d = (mulhi(n, m) + n) >> s with s = ceil(log2 d) and m = floor(2^32
//! (2^s - d) / d) + 1.

use lanework::prelude::*;

/// An axis: its extent, division constants, and its strides in the source and in the output.
#[device]
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Digit {
    pub extent: u32,
    pub magic: u32,
    pub shift: u32,
    /// Unused.
    pub reserved: u32,
    pub from: u64,
    pub to: u64,
}

impl Digit {
    /// An axis of 1 to 2^31 elements.
    pub(super) fn new(extent: u32, from: u64, to: u64) -> Digit {
        let shift = extent.next_power_of_two().trailing_zeros();
        let beyond = (1u64 << shift) - u64::from(extent);
        let magic = ((beyond << 32) / u64::from(extent) + 1) as u32;
        Digit { extent, magic, shift, reserved: 0, from, to }
    }
}

/// `n / digit.extent`, for an `n` under 2^31.
#[device]
pub(super) fn quotient(n: u32, digit: Digit) -> u32 {
    (mul_hi(n, digit.magic) + n) >> digit.shift
}

/// The offsets in source and output of unit `unit` of `total`; `digits` are the axes, innermost first.
#[device]
pub(super) fn places(
    unit: usize,
    total: usize,
    digits: [Digit; 8],
    #[constant] axes: u32,
) -> (usize, usize) {
    let (mut from, mut to) = (0usize, 0usize);
    let mut rest = unit;
    #[unroll]
    for i in 0..axes {
        let digit = digits[i];
        let mut index = rest;
        if i + 1 < axes {
            let next = if total < 1 << 31 {
                quotient(rest as u32, digit) as usize
            } else {
                rest / digit.extent as usize
            };
            index = rest - next * digit.extent as usize;
            rest = next;
        }
        from += index * digit.from as usize;
        to += index * digit.to as usize;
    }
    (from, to)
}

/// Decomposes block number `block`: its first two digits count parts of a matrix, and the `outer` digits after them give the
/// matrix's offsets in source and output.
#[device]
pub(super) fn part_of(
    block: u32,
    digits: [Digit; 8],
    #[constant] outer: u32,
) -> ((u32, u32), (usize, usize)) {
    let columns = quotient(block, digits[0]);
    let first = block - columns * digits[0].extent;
    let mut rest = quotient(columns, digits[1]);
    let second = columns - rest * digits[1].extent;
    let (mut from, mut to) = (0usize, 0usize);
    #[unroll]
    for i in 0..outer {
        let digit = digits[2 + i];
        let next = quotient(rest, digit);
        let index = (rest - next * digit.extent) as usize;
        from += index * digit.from as usize;
        to += index * digit.to as usize;
        rest = next;
    }
    ((first, second), (from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_those_of_division() {
        let edges = [
            1u32,
            2,
            3,
            5,
            7,
            10,
            63,
            64,
            65,
            641,
            65_535,
            65_536,
            65_537,
            1 << 30,
            (1 << 31) - 1,
            1 << 31,
        ];
        for d in edges {
            let digit = Digit::new(d, 0, 0);
            for n in edges
                .iter()
                .flat_map(|n| [n - 1, *n, n.wrapping_mul(d), n.wrapping_mul(d).wrapping_sub(1)])
            {
                let n = n % (1 << 31);
                assert_eq!(quotient(n, digit), n / d, "{n} / {d}");
            }
        }
    }
}
