//! Reads and checks the operands of `tcgen05.mma`, and queues the product.

use crate::fault::{FaultKind, RawFault};
use crate::instructions::asynchrony::Plan;
use crate::instructions::asynchrony::shared::{lanes, words};
use crate::instructions::tensor_memory::access::{FirstOperand, Product};
use crate::instructions::tensor_memory::descriptor::InstructionDescriptor;
use crate::instructions::tensor_memory::element::Element;
use crate::instructions::tensor_memory::memory::{DataPath, Place, TensorMemory};
use crate::instructions::tensor_memory::multiply::{SharedRows, zero_columns};
use crate::instructions::tensor_memory::queue::QueuedOperation;
use crate::instructions::tensor_memory::{
    check_columns, cluster, descriptor, issue, misuse, ranks, tell_reads,
};
use crate::instrument::event::Wants;
use crate::machine::lanes::fetch_cold;
use crate::machine::slot::Lanes;
use crate::machine::{Op, Warp};
use lanework_ptx_ir::opcode::tensor_memory::{MultiplyKind, TmemMultiply};
use std::ops::Range;

/// Queues the product of each executing lane.
///
/// # Safety
/// The plan's slots are registers of the warp, whose context is live.
pub unsafe fn start_products(
    op: &Op,
    warp: &mut Warp,
    plan: &Plan,
    this: TmemMultiply,
) -> Result<bool, RawFault> {
    // SAFETY: the plan's slots are registers of this warp, and its context and cluster are live, as this function
    // requires. The product reads memory only when it is performed.
    unsafe {
        let all: Vec<Lanes<u32>> = (0..plan.src.len())
            .map(|i| match i {
                4 => Lanes([0; 32]),
                _ => words(warp, plan, i),
            })
            .collect();
        let wide = |i: usize| -> Lanes<u64> { fetch_cold(warp, plan.src[i]) };
        let (of_a, of_b) = (wide(1), wide(2));
        let masks = this.column_mask().map(wide);
        let counts: Lanes<bool> = fetch_cold(warp, plan.src[4]);
        for lane in lanes(warp.mask) {
            let i = lane as usize;
            let word = |at: usize| all[at].0[i];
            let wrong = |why: String| misuse(lane, why);
            let shape = InstructionDescriptor::read(word(3), &this).map_err(wrong)?;
            let ranks = ranks(warp, lane, this.pair)?;
            let k = this.k();
            let b = descriptor::read(of_b.0[i], shape.across[1]).map_err(wrong)?;
            let b = SharedRows::new(b, shape.across[1], shape.b, k);
            let a = match this.a_in_tensor_memory {
                true => FirstOperand::Tensor(Place::from_address(word(1))),
                false => {
                    let a = descriptor::read(of_a.0[i], shape.across[0]).map_err(wrong)?;
                    FirstOperand::Shared(SharedRows::new(
                        a,
                        shape.across[0],
                        shape.a,
                        this.kind.k(),
                    ))
                }
            };
            check_swizzles(&shape, &a, &b).map_err(wrong)?;
            let (zero, shift) = match &masks {
                None => ([false; 256], 0),
                Some(masks) => zero_columns(masks.0[i], shape.m, shape.n).map_err(wrong)?,
            };
            let mut kept = [0; 8];
            for (at, kept) in kept.iter_mut().enumerate().take(this.kept_lanes) {
                *kept = word(this.lane_words() + at);
            }
            let product = Product {
                this,
                shape,
                d: Place::from_address(word(0)),
                a,
                b,
                metadata: this.metadata().map(|at| {
                    let base = Place::of_factor(word(at));
                    // The selector chooses one of two columns, for kinds that need one.
                    Place { column: base.column + (word(3) & 3), ..base }
                }),
                scales: this.scales().map(|at| at.map(|at| Place::of_factor(word(at)))),
                kept,
                zero,
                shift,
                counts: counts.0[i],
                ranks,
            };
            let uses = check_product(warp, lane, &product, word(3))?;
            let mut reads = vec![(product.b, product.rows_of_b())];
            if let FirstOperand::Shared(rows) = product.a {
                reads.push((rows, 0..product.path().rows()));
            }
            tell_reads(op, warp, lane, &product.ranks, &reads);
            if product.counts {
                tell_unwritten(op, warp, lane, &product);
            }
            issue(op, warp, lane, QueuedOperation::Multiply(Box::new(product)), uses);
        }
        Ok(true)
    }
}

/// Reports a product that adds to columns that were never written, and that no operation issued before it will
/// write.
///
/// # Safety
/// A running handler was given the operation and the warp: as for [`Body::run`](crate::machine::context::Body::run).
unsafe fn tell_unwritten(op: &Op, warp: &Warp, lane: u32, product: &Product) {
    // SAFETY: the context and its cluster outlive the warp's run, as this function requires.
    unsafe {
        let instruction = (*warp.context).place(warp, op).instruction;
        let cluster = cluster(warp);
        let Some(instrument) = (*warp.context).instrument(Wants::INITIALIZED) else { return };
        let (path, columns) = (product.path(), product.columns());
        let first = product.d.column;
        for rank in &product.ranks {
            let memory = &cluster.tensor_memory[*rank];
            let cells = (0..path.rows()).flat_map(|row| {
                (0..path.parts()).map(move |part| product.d.lane + path.lane(row, part))
            });
            let mut cells = cells.flat_map(|lane| (0..columns).map(move |c| (lane, first + c)));
            let pending = cluster.tensor_work.of(*rank, first..first + columns).is_some();
            if !pending && cells.all(|(lane, column)| !memory.is_written(lane, column)) {
                return instrument.tensor_unwritten(warp, (lane, instruction), (first, columns));
            }
        }
    }
}

/// Transposed 32-bit elements need the swizzle of 32-byte units, which no other element may use.
fn check_swizzles(
    shape: &InstructionDescriptor,
    a: &FirstOperand,
    b: &SharedRows,
) -> Result<(), String> {
    let of_a = match a {
        FirstOperand::Shared(rows) => Some((rows, shape.a)),
        FirstOperand::Tensor(_) => None,
    };
    for (rows, element) in of_a.into_iter().chain([(b, shape.b)]) {
        let by32 = rows.descriptor.swizzle == lanework_ptx::Swizzle::B128By32;
        if rows.across && (element == Element::Tf32) != by32 {
            return Err(
                "a transposed matrix of tf32 needs the swizzle of 128 bytes in units of 32, which no other has"
                    .to_owned(),
            );
        }
    }
    Ok(())
}

/// Checks the positions of a product's matrices in tensor memory; returns the columns that it uses.
///
/// # Safety
/// The warp runs a handler: as for [`Body::run`](crate::machine::context::Body::run).
unsafe fn check_product(
    warp: &Warp,
    lane: u32,
    product: &Product,
    bits: u32,
) -> Result<Vec<Range<u32>>, RawFault> {
    let path = product.path();
    let mut matrices = vec![(product.d, product.columns(), "D")];
    if let FirstOperand::Tensor(at) = product.a {
        matrices.push((at, 8, "A"));
    }
    let full = |place: Place| Place { lane: 0, ..place };
    for (at, _, name) in &matrices {
        if !path.starts_at(at.lane) {
            let note = format!(
                "{name} starts at lane {} of tensor memory, where M = {} has it at lane 0{}",
                at.lane,
                product.shape.m,
                if path == DataPath::Half { " or 16" } else { "" }
            );
            return Err(misuse(lane, note));
        }
        if at.lane != product.d.lane {
            return Err(misuse(
                lane,
                "A and D start at different lanes of tensor memory".to_owned(),
            ));
        }
    }
    if let Some(at) = product.metadata {
        let most = if product.this.kind.k() <= 16 { 1 } else { 0 };
        if path != DataPath::Full || bits & 3 > most {
            let note = "the layout of the metadata of a sparse A for fewer than 128 rows in a block, or for this sparsity selector, is not emulated";
            return Err(RawFault { kind: FaultKind::Unsupported, ..misuse(lane, note) });
        }
        let columns = if product.this.kind.k() <= 16 { 1 } else { 2 };
        matrices.push((full(at), columns, "the metadata"));
    }
    if let Some([a, b]) = product.scales {
        let rows_of_b = product.columns();
        matrices.push((full(a), (path.rows() as u32).div_ceil(32), "the scale factors of A"));
        matrices.push((full(b), rows_of_b.div_ceil(32), "the scale factors of B"));
    }
    for rank in &product.ranks {
        for (at, columns, name) in &matrices {
            // SAFETY: the context and its cluster outlive the warp's run, as this function requires; `ranks` are
            // those of its blocks.
            let memory = unsafe { &cluster(warp).tensor_memory[*rank] };
            check_columns(memory, lane, full(*at), (1, *columns), name)?;
        }
    }
    Ok(matrices.iter().map(|(at, columns, _)| at.column..at.column + columns).collect())
}

/// The metadata of one row.
#[derive(Clone, Copy, Default)]
pub struct Metadata {
    /// Four bits for each chunk of the row, lowest first.
    bits: u64,
    /// Elements of a chunk.
    chunk: usize,
}

impl Metadata {
    /// The metadata of the row in a lane.
    pub fn load(kind: MultiplyKind, memory: &TensorMemory, at: Place, lane: u32) -> Metadata {
        let word = |lane: u32, column| u64::from(memory.word(at.lane + lane, at.column + column));
        let chunk = match kind {
            MultiplyKind::Tf32 => 2,
            MultiplyKind::Mxf4 | MultiplyKind::Mxf4nvf4 => 8,
            _ => 4,
        };
        let bits = match kind {
            // Eight lanes have the first halves of 16 rows, the next eight the second halves: the lower rows in
            // the lower half words.
            MultiplyKind::F16 | MultiplyKind::Tf32 => {
                let (first, upper) = (lane / 16 * 16 + lane % 8, lane / 8 % 2);
                let half = |lane| word(lane, 0) >> (16 * upper) & 0xffff;
                half(first) | half(first + 8) << 16
            }
            _ => word(lane, 0) | word(lane, 1) << 32,
        };
        Metadata { bits, chunk }
    }

    /// The column of stored element `at`.
    pub fn column(&self, at: usize) -> usize {
        let kept = (self.chunk / 2).max(1);
        let (number, within) = (at / kept, at % kept);
        let nibble = self.bits >> (4 * number % 64) & 15;
        let index = |i: usize| (nibble >> (2 * i) & 3) as usize;
        self.chunk * number
            + match self.chunk {
                // One of two, encoded as a pair of halves.
                2 => index(0) / 2,
                4 => index(within),
                // Pairs stay together.
                _ => 2 * index(within / 2) + within % 2,
            }
    }
}
