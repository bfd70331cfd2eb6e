//! `tcgen05.mma`: products of whole tiles, whose results stay in tensor memory.
//!
//! Sums are formed as an H200's tensor cores do ([`crate::instructions::matrix::sum`]), with 25 bits below the largest term for
//! all types of A and B. That is an assumption, taken from published measurements of Blackwell.

#[cfg(test)]
mod tests;

use crate::instructions::access::site::Region;
use crate::instructions::matrix::group::operands::Descriptor;
use crate::instructions::matrix::multiply::encode;
use crate::instructions::matrix::narrow::{self, AccumulatorTile, NarrowFactors, TileFactors};
use crate::instructions::matrix::sum::{
    Adder, Round, SIDE, Term, Terms, add_group, add_special, rounded,
};
use crate::instructions::matrix::tile::is_finite;
use crate::instructions::tensor_memory::access::{FirstOperand, Product};
use crate::instructions::tensor_memory::element::{Element, Row, factor, scaled};
use crate::instructions::tensor_memory::memory::{DataPath, Place, TensorMemory};
use crate::instructions::tensor_memory::product::Metadata;
use crate::machine::context::best_tier;
use lanework_ptx_ir::opcode::matrix::ElementType;
use std::ops::Range;
use std::sync::OnceLock;

/// Maximum columns of A.
const MOST_K: usize = 128;
/// Maximum columns of an A whose products are added in f32.
const NARROW_K: usize = 64;

impl Product {
    /// Computes the product.
    ///
    /// # Errors
    /// The rank of a block, and an address that cannot be read in its shared memory.
    ///
    /// # Safety
    /// The blocks' shared memory is live.
    pub unsafe fn compute(
        &self,
        shared: &[Region],
        memories: &mut [TensorMemory],
    ) -> Result<(), (usize, u64)> {
        let mut b = Vec::new();
        for rank in &self.ranks {
            // SAFETY: the region belongs to a block of the cluster, which is live, as this function requires.
            let rows = unsafe { self.b.read(&shared[*rank], self.rows_of_b()) };
            b.extend(rows.map_err(|at| (*rank, at))?);
        }
        for (row, zero) in b.iter_mut().zip(self.zero) {
            if zero {
                *row = [0; 64];
            }
        }
        let path = self.path();
        for (index, rank) in self.ranks.iter().enumerate() {
            let stored = match self.a {
                FirstOperand::Tensor(_) => Vec::new(),
                FirstOperand::Shared(rows) => {
                    // SAFETY: the region belongs to a block of the cluster, which is live, as this function requires.
                    let rows = unsafe { rows.read(&shared[*rank], 0..path.rows()) };
                    rows.map_err(|at| (*rank, at))?
                }
            };
            let kept = &self.kept[4 * index..][..4];
            let memory = &mut memories[*rank];
            if self.shape.d == ElementType::S32 {
                self.integers(memory, &stored, &b, kept);
                continue;
            }
            static TIER: OnceLock<usize> = OnceLock::new();
            match *TIER.get_or_init(best_tier) {
                // SAFETY: without AVX2, nothing is required of the host.
                0 => unsafe { self.floats::<false>(memory, &stored, &b, kept) },
                // SAFETY: `best_tier` found AVX2, FMA and F16C on this host, which is an x86-64.
                _ => unsafe { self.floats_256(memory, &stored, &b, kept) },
            }
        }
        Ok(())
    }

    /// # Safety
    /// The host has AVX2.
    #[cfg_attr(
        target_arch = "x86_64",
        target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")
    )]
    unsafe fn floats_256(&self, to: &mut TensorMemory, a: &[Row], b: &[Row], kept: &[u32]) {
        // SAFETY: the host has AVX2, as this function requires.
        unsafe { self.floats::<{ cfg!(target_arch = "x86_64") }>(to, a, b, kept) }
    }

    /// Row `row` of A as the columns of a part see it, and the bits of its metadata.
    fn row_of_a(
        &self,
        memory: &TensorMemory,
        stored: &[Row],
        (row, part): (usize, usize),
    ) -> (Row, Metadata) {
        let lane = |at: Place| at.lane + self.path().lane(row, part);
        let bytes = match self.a {
            FirstOperand::Tensor(at) => tensor_row(memory, lane(at), at),
            FirstOperand::Shared(_) => stored[row],
        };
        let metadata = match self.metadata {
            None => Metadata::default(),
            Some(at) => Metadata::load(self.this.kind, memory, at, self.path().lane(row, part)),
        };
        (bytes, metadata)
    }

    /// The scale factor of a block of 16 or 32 elements of a row of A or B, for the lanes of a quarter.
    fn factor(
        &self,
        memory: &TensorMemory,
        of: usize,
        row: usize,
        block: usize,
        quarter: u32,
    ) -> Term {
        let Some(at) = self.scales.map(|scales| scales[of]) else { return Term::default() };
        let word = memory.word(32 * quarter + row as u32 % 32, at.column + row as u32 / 32);
        let byte = self.shape.factor_bytes[of] + block;
        factor(self.shape.powers, word.to_le_bytes()[byte % 4])
    }

    /// Whether the product writes the row in this lane.
    fn writes(&self, kept: &[u32], lane: u32) -> bool {
        kept[lane as usize / 32 % 4] >> (lane % 32) & 1 == 0
    }

    /// # Safety
    /// With `AVX2`, the host has it.
    #[inline(always)]
    unsafe fn floats<const AVX2: bool>(
        &self,
        to: &mut TensorMemory,
        stored: &[Row],
        b: &[Row],
        kept: &[u32],
    ) {
        // SAFETY: the host has AVX2 if `AVX2`, as this function requires.
        match unsafe { self.narrow_floats::<AVX2>(to, stored, b) } {
            Some(results) => self.store(to, &results, kept),
            None => self.any_floats(to, stored, b, kept),
        }
    }

    /// The way in which sums are formed.
    fn adder(&self) -> Adder {
        let group = match self.this.kind.k() {
            8 => 8,
            16 => 16,
            _ => 32,
        } * if self.this.sparse { 2 } else { 1 };
        let halves = self.shape.d == ElementType::F16;
        let round = if halves { Round::Half } else { Round::Single };
        Adder { group, kept: 25, round, apart: false }
    }

    /// The results, if all products are added in f32: for each part, eight columns and eight rows.
    ///
    /// # Safety
    /// With `AVX2`, the host has it.
    #[inline(always)]
    unsafe fn narrow_floats<const AVX2: bool>(
        &self,
        memory: &TensorMemory,
        stored: &[Row],
        b: &[Row],
    ) -> Option<Vec<AccumulatorTile>> {
        let (k, path, shape) = (self.this.k(), self.path(), &self.shape);
        let columns = shape.n / path.parts();
        let whole = columns.is_multiple_of(SIDE) && k.is_multiple_of(SIDE) && k <= NARROW_K;
        if self.this.factors > 0 || self.this.halvings > 0 || !whole {
            return None;
        }
        let in_tensor_memory = matches!(self.a, FirstOperand::Tensor(_));
        let (adder, rows) = (self.adder(), path.rows());
        let least = adder.least() as f32;
        let mut of_b = NarrowFactors::<{ SIDE * NARROW_K }>::EMPTY;
        let mut of_a = Vec::with_capacity(rows / SIDE);
        let mut results = Vec::with_capacity(path.parts() * rows * columns / (SIDE * SIDE));
        for part in 0..path.parts() {
            of_a.clear();
            for first in (0..rows).step_by(SIDE) {
                let mut eight = NarrowFactors::<{ SIDE * NARROW_K }>::EMPTY;
                for line in 0..SIDE {
                    let (bytes, metadata) = self.row_of_a(memory, stored, (first + line, part));
                    for at in 0..self.this.kind.k() {
                        let term = shape.a.term(shape.a.at(&bytes, at, in_tensor_memory));
                        let term = if shape.negated { term.negated() } else { term };
                        let place = if self.this.sparse { metadata.column(at) } else { at };
                        eight.set(line * k + place.min(k - 1), term)?;
                    }
                }
                of_a.push(eight);
            }
            for first in (0..columns).step_by(SIDE) {
                for (j, row) in b[part * columns + first..][..SIDE].iter().enumerate() {
                    for at in 0..k {
                        of_b.set(at * SIDE + j, shape.b.term(shape.b.at(row, at, false)))?;
                    }
                }
                let [value, power] = [&of_b.value, &of_b.power].map(|of| of.as_chunks().0);
                for (eight, a) in of_a.iter().enumerate() {
                    let mut tile = [[0.0; SIDE]; SIDE];
                    for (line, row) in tile.iter_mut().enumerate().filter(|_| self.counts) {
                        let lane = self.d.lane + path.lane(eight * SIDE + line, part);
                        for (j, c) in row.iter_mut().enumerate() {
                            let word = memory.word(lane, self.d.column + (first + j) as u32);
                            *c = narrow::value(shape.d, word);
                        }
                    }
                    let factors = TileFactors { a: [&a.value, &a.power], b: [value, power], k };
                    if !is_finite(&tile) {
                        return None;
                    }
                    // SAFETY: the host has AVX2 if `AVX2`, as this function requires.
                    if !unsafe { factors.add_to::<AVX2>(&mut tile, adder, least) } {
                        return None;
                    }
                    results.push(tile);
                }
            }
        }
        Some(results)
    }

    /// Writes the results that [`narrow_floats`](Product::narrow_floats) returns.
    fn store(&self, to: &mut TensorMemory, results: &[AccumulatorTile], kept: &[u32]) {
        let path = self.path();
        let (rows, columns) = (path.rows() / SIDE, self.columns() as usize / SIDE);
        for (i, tile) in results.iter().enumerate() {
            let (part, block, eight) = (i / rows / columns, i / rows % columns, i % rows);
            for (line, row) in tile.iter().enumerate() {
                let lane = self.d.lane + path.lane(eight * SIDE + line, part);
                if !self.writes(kept, lane) {
                    continue;
                }
                for (j, value) in row.iter().enumerate() {
                    let column = self.d.column + (block * SIDE + j) as u32;
                    to.put(lane, column, encode(self.shape.d, f64::from(*value)) as u32);
                }
            }
        }
    }

    #[inline(always)]
    fn any_floats(&self, to: &mut TensorMemory, stored: &[Row], b: &[Row], kept: &[u32]) {
        let (k, path, shape) = (self.this.k(), self.path(), &self.shape);
        let in_tensor_memory = matches!(self.a, FirstOperand::Tensor(_));
        let (halves, adder) = (shape.d == ElementType::F16, self.adder());
        let sign = if shape.negated { -1.0 } else { 1.0 };
        let scale_of_d = f64::from(1u32 << self.this.halvings).recip();
        let (columns, factors) = (shape.n / path.parts(), self.this.factors);
        let dense = b.iter().map(|row| {
            let at = |k| shape.b.term(shape.b.at(row, k, false));
            (0..k).map(at).collect::<Vec<Term>>()
        });
        let dense: Vec<Vec<Term>> = dense.collect();
        for part in 0..path.parts() {
            let mut rows = Vec::with_capacity(path.rows());
            for row in 0..path.rows() {
                let (bytes, metadata) = self.row_of_a(to, stored, (row, part));
                let mut terms = [Term::ABSENT; MOST_K];
                let quarter = (path.lane(row, part) / 32) % 4;
                for at in 0..self.this.kind.k() {
                    let number = shape.a.term(shape.a.at(&bytes, at, in_tensor_memory));
                    let mut term = Term { value: number.value * sign, power: number.power };
                    let place = if self.this.sparse { metadata.column(at) } else { at };
                    if factors > 0 {
                        let factor = self.factor(to, 0, row, place * factors / k, quarter);
                        term = scaled(term, factor);
                    }
                    terms[place.min(MOST_K - 1)] = term;
                }
                rows.push(terms);
            }
            for first in (0..columns).step_by(SIDE) {
                let width = SIDE.min(columns - first);
                let of_b = &dense[part * columns + first..][..width];
                let (mut b, mut b_special) = ([Terms::default(); MOST_K], false);
                let mut quarter = None;
                for (row, terms) in rows.iter().enumerate() {
                    let lane = path.lane(row, part);
                    let at = self.d.lane + lane;
                    if !self.writes(kept, at) {
                        continue;
                    }
                    // Each quarter of the lanes has its own copy of B's factors.
                    if quarter.is_none() || factors > 0 && quarter != Some(lane / 32 % 4) {
                        quarter = Some(lane / 32 % 4);
                        b_special = false;
                        for (j, column) in of_b.iter().enumerate() {
                            let n = match path {
                                DataPath::Two => first + j,
                                _ => part * columns + first + j,
                            };
                            for (at, term) in column.iter().enumerate() {
                                let term = match factors {
                                    0 => *term,
                                    _ => {
                                        let block = at * factors / k;
                                        scaled(*term, self.factor(to, 1, n, block, lane / 32 % 4))
                                    }
                                };
                                b_special |= !term.value.is_finite();
                                b[at].set(j, term);
                            }
                        }
                    }
                    let mut special = b_special;
                    special |= terms[..k].iter().any(|term| !term.value.is_finite());
                    let mut sum = Terms::default();
                    let column = |j: usize| self.d.column + (first + j) as u32;
                    if self.counts {
                        for j in 0..width {
                            let word = u64::from(to.word(at, column(j)));
                            let number = if halves { ElementType::F16 } else { ElementType::F32 };
                            let term = Term::decode(number, word);
                            special |= !term.value.is_finite();
                            let value = term.value * scale_of_d;
                            sum.set(j, Term { value, power: term.power * scale_of_d });
                        }
                    }
                    for from in (0..k).step_by(adder.group.min(k)) {
                        let end = (from + adder.group).min(k);
                        let (a, b) = (&terms[from..end], &b[from..end]);
                        let exact = match special {
                            true => add_special(adder.kept, a, b, &sum),
                            false => add_group(adder.kept, a, b, &sum),
                        };
                        for j in 0..SIDE {
                            let term = Term::new(rounded(adder.round, exact[j]), adder.least());
                            special |= !term.value.is_finite();
                            sum.set(j, term);
                        }
                    }
                    for j in 0..width {
                        to.put(at, column(j), encode(shape.d, sum.value[j]) as u32);
                    }
                }
            }
        }
    }

    fn integers(&self, to: &mut TensorMemory, stored: &[Row], b: &[Row], kept: &[u32]) {
        let (k, path, shape) = (self.this.k(), self.path(), &self.shape);
        let columns = shape.n / path.parts();
        let dense = b.iter().map(|row| {
            let at = |k| shape.b.integer(shape.b.at(row, k, false));
            (0..k).map(at).collect::<Vec<i32>>()
        });
        let dense: Vec<Vec<i32>> = dense.collect();
        for (part, of_b) in dense.chunks(columns).enumerate() {
            for row in 0..path.rows() {
                let at = self.d.lane + path.lane(row, part);
                if !self.writes(kept, at) {
                    continue;
                }
                let (bytes, metadata) = self.row_of_a(to, stored, (row, part));
                let mut terms = [0; MOST_K];
                for at in 0..self.this.kind.k() {
                    let place = if self.this.sparse { metadata.column(at) } else { at };
                    terms[place.min(MOST_K - 1)] = shape.a.integer(shape.a.at(&bytes, at, false));
                }
                for (n, of_b) in of_b.iter().enumerate() {
                    let column = self.d.column + n as u32;
                    let sum: i32 = of_b.iter().zip(&terms).map(|(b, a)| a * b).sum();
                    let c = if self.counts { to.word(at, column) as i32 } else { 0 };
                    let sum = match shape.saturate {
                        true => c.saturating_add(sum),
                        false => c.wrapping_add(sum),
                    };
                    to.put(at, column, sum as u32);
                }
            }
        }
    }
}

/// The columns of B that are zero, and the number of columns by which B is shifted (PTX manual, "Zero-Column Mask
/// Descriptor"; the spans as its examples use them).
///
/// # Errors
/// A message, if B is shifted too far.
pub fn zero_columns(bits: u64, m: usize, n: usize) -> Result<([bool; 256], usize), String> {
    let shift = (bits >> 56 & 63) as usize;
    let most = if m == 32 { 16 } else { 32 };
    if shift > most {
        return Err(format!("the zero-column mask shifts B by {shift} columns, more than {most}"));
    }
    let mut zero = [false; 256];
    if bits >> 39 & 1 == 0 {
        return Ok((zero, shift));
    }
    let (skipped, used) = ((bits >> 40 & 0xff) as usize + 1, (bits >> 48 & 0xff) as usize + 1);
    let parts = (128 / m.max(32)).max(1);
    let width = n / parts;
    for (column, zero) in zero.iter_mut().enumerate().take(n) {
        let part = column / width;
        let start = (bits >> (8 * part) & 0xff) as usize;
        let starts_zero = bits >> (32 + part) & 1 != 0;
        let at = (column % width + start) % (skipped + used);
        *zero = if starts_zero { at < skipped } else { at >= used };
    }
    Ok((zero, shift))
}

/// Rows in shared memory.
#[derive(Clone, Copy)]
pub struct SharedRows {
    /// Where they are.
    pub descriptor: Descriptor,
    /// Whether M or N is contiguous.
    pub across: bool,
    /// Bytes of a row along K.
    pub bytes: usize,
    /// Bytes of an element.
    pub element: usize,
}

impl SharedRows {
    /// The rows of an operand whose elements are of a type, `k` in a row.
    pub fn new(descriptor: Descriptor, across: bool, element: Element, k: usize) -> SharedRows {
        let bytes = match element {
            Element::PackedE2m1 => k / 2,
            _ => k * element.container(),
        };
        SharedRows { descriptor, across, bytes, element: element.container() }
    }

    /// The addresses of the chunks of 16 bytes that rows consist of.
    pub fn chunks(&self, rows: Range<usize>) -> Vec<u64> {
        let mut found = Vec::new();
        if self.across {
            let per = 16 / self.element;
            let first = rows.start / per;
            let last = rows.end.div_ceil(per);
            for k in 0..self.bytes / self.element {
                let of_k = |part| self.descriptor.across_k(k as u64, part as u64);
                found.extend((first..last).map(of_k));
            }
        } else {
            for row in rows {
                let of_row = |part| self.descriptor.along_k(row as u64, part as u64);
                found.extend((0..self.bytes / 16).map(of_row));
            }
        }
        found
    }

    /// Reads rows.
    ///
    /// # Errors
    /// The address of 16 bytes that are not in shared memory.
    ///
    /// # Safety
    /// The region is live.
    pub unsafe fn read(&self, shared: &Region, rows: Range<usize>) -> Result<Vec<Row>, u64> {
        let chunk = |address: u64| -> Result<[u8; 16], u64> {
            if !shared.holds(shared.start + address, shared.start + address, 16) {
                return Err(address);
            }
            // SAFETY: the chunk is inside the region, which is live: `read` requires it.
            Ok(unsafe { shared.host.add(address as usize).cast::<[u8; 16]>().read() })
        };
        let first = rows.start;
        let mut found: Vec<Row> = vec![[0; 64]; rows.len()];
        if !self.across {
            for (i, row) in found.iter_mut().enumerate() {
                for part in 0..self.bytes / 16 {
                    let address = self.descriptor.along_k((first + i) as u64, part as u64);
                    row[16 * part..][..16].copy_from_slice(&chunk(address)?);
                }
            }
            return Ok(found);
        }
        let (per, size) = (16 / self.element, self.element);
        for k in 0..self.bytes / size {
            let mut last = None;
            for (i, row) in found.iter_mut().enumerate() {
                let at = first + i;
                let bytes = match last {
                    Some((part, bytes)) if part == at / per => bytes,
                    _ => chunk(self.descriptor.across_k(k as u64, (at / per) as u64))?,
                };
                last = Some((at / per, bytes));
                row[k * size..][..size].copy_from_slice(&bytes[at % per * size..][..size]);
            }
        }
        Ok(found)
    }
}

/// One row of A in tensor memory: 32 bytes in eight columns.
pub fn tensor_row(memory: &TensorMemory, lane: u32, at: Place) -> Row {
    let mut row: Row = [0; 64];
    for column in 0..8 {
        let word = memory.word(lane, at.column + column);
        row[4 * column as usize..][..4].copy_from_slice(&word.to_le_bytes());
    }
    row
}
