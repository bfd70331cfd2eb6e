//! Instructions on tensor memory, one by one.

use super::super::plan::Plan;
use super::super::shared::{everywhere, lanes, owner, raw, shared, shared_addresses, words};
use super::access::{load, store, whole};
use super::address::Place;
use super::allocation::{allocate, free, relinquish};
use super::descriptor;
use super::element::Element;
use super::instruction_descriptor::InstructionDescriptor;
use super::layout::DataPath;
use super::move_rows::SHIFTED;
use super::multiply::zero_columns;
use super::operands::SharedRows;
use super::pair::{cluster, pair_of};
use super::place::{check_columns, misuse};
use super::queue::{Arrival, What, Work};
use super::tasks::{FirstOperand, Product, RowCopy, RowShift};
use crate::asynchrony::mbarrier::Mbarrier;
use crate::fault::{FaultKind, RawFault};
use crate::hook::Wants;
use crate::lanes::fetch_cold;
use crate::machine::{Op, Warp};
use crate::slot::Lanes;
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::opcode::asynchrony::At;
use lanework_ptx_ir::opcode::tensor_memory::{CopyLanes, TmemCopy, TmemMultiply, TmemOp};
use std::ops::Range;

/// Runs an instruction; `false` when the warp waits.
///
/// # Safety
/// The plan's slots are registers of the warp, whose context is live.
pub unsafe fn run(op: &Op, warp: &mut Warp, plan: &Plan, this: TmemOp) -> Result<bool, RawFault> {
    // SAFETY: by the caller.
    unsafe {
        match this {
            TmemOp::Allocate { pair, to } => allocate(op, warp, plan, pair, to),
            TmemOp::Free { pair } => free(warp, plan, pair),
            TmemOp::Relinquish => relinquish(warp),
            TmemOp::Load(movement) => load(warp, plan, &movement),
            TmemOp::Store(movement) => store(warp, plan, &movement),
            // Loads and stores are done when they are issued.
            TmemOp::Wait { .. } => whole(warp).map(|()| true),
            TmemOp::Commit { barrier, multicast } => commit(op, warp, plan, barrier, multicast),
            TmemOp::Copy(copy) => start_copies(op, warp, plan, copy),
            TmemOp::Shift { pair } => start_shifts(op, warp, plan, pair),
            TmemOp::Multiply(product) => start_products(op, warp, plan, product),
        }
    }
}

/// What a warp that waits waits for, in words.
///
/// # Safety
/// As for [`run`].
pub unsafe fn describe(warp: &Warp, plan: &Plan, this: TmemOp) -> String {
    match this {
        TmemOp::Allocate { pair, .. } | TmemOp::Free { pair } => {
            // SAFETY: by the caller.
            unsafe { super::allocation::describe(warp, plan, pair) }
        }
        _ => "tensor memory".to_owned(),
    }
}

/// The blocks that an instruction of one thread is for.
unsafe fn ranks(warp: &Warp, lane: u32, pair: bool) -> Result<Vec<usize>, RawFault> {
    // SAFETY: by the caller.
    unsafe {
        match pair {
            true => pair_of(warp, lane).map(Vec::from),
            false => Ok(vec![(*warp.context).rank as usize]),
        }
    }
}

/// Puts something in the queue.
unsafe fn issue(op: &Op, warp: &Warp, lane: u32, what: What, columns: Vec<Range<u32>>) {
    // SAFETY: by the caller.
    unsafe {
        let place = (*warp.context).place(warp, op);
        let cluster = cluster(warp);
        cluster.changes += 1;
        cluster.tensor_work.push(Work { what, columns, owner: owner(warp, lane), place });
    }
}

/// Tells the instrument which chunks of its block's shared memory a thread's instruction reads by the asynchronous
/// proxy.
unsafe fn tell_reads(
    op: &Op,
    warp: &Warp,
    lane: u32,
    ranks: &[usize],
    rows: &[(SharedRows, Range<usize>)],
) {
    // SAFETY: by the caller.
    unsafe {
        let instruction = (*warp.context).place(warp, op).instruction;
        let regions = &cluster(warp).shared;
        let Some(instrument) = (*warp.context).instrument(Wants::COPIES) else { return };
        for rank in ranks {
            let chunks: Vec<u64> =
                rows.iter().flat_map(|(of, rows)| of.chunks(rows.clone())).collect();
            // What lies outside is a fault of the instruction itself.
            let inside = chunks.iter().all(|at| at + 16 <= regions[*rank].bytes);
            if inside {
                instrument.tensor_reads(warp, (lane, instruction), *rank as u32, &chunks);
            }
        }
    }
}

/// `tcgen05.commit`.
unsafe fn commit(
    op: &Op,
    warp: &mut Warp,
    plan: &Plan,
    barrier: At,
    multicast: bool,
) -> Result<bool, RawFault> {
    // SAFETY: slots are valid by the assembler; every place is checked.
    unsafe {
        let address = shared_addresses(warp, plan.src[0], barrier);
        let mask = words(warp, plan, 1);
        for lane in lanes(warp.mask) {
            let i = lane as usize;
            let at = address.0[i];
            let targets: Vec<u64> = match multicast {
                true => everywhere(at, mask.0[i]).collect(),
                false => vec![at],
            };
            let mut arrivals = Vec::new();
            for at in targets {
                let place = shared(warp, lane, at, 8, 8, "mbarrier")?;
                if Mbarrier::from_bits(place.host.cast::<u64>().read()).is_none() {
                    let note = format!(
                        "mbarrier at shared address {at:#x}: it is not initialised; run `mbarrier.init` and a barrier first"
                    );
                    let place = (MemorySpace::Shared, at, 8);
                    return Err(raw(FaultKind::NoMbarrier, lane, place, note));
                }
                let arrival = Arrival { host: place.host, rank: place.rank, offset: place.offset };
                arrivals.push(arrival);
            }
            let instruction = (*warp.context).place(warp, op).instruction;
            if let Some(instrument) = (*warp.context).instrument(Wants::COPIES) {
                let of: Vec<(u32, u64)> = arrivals.iter().map(|a| (a.rank, a.offset)).collect();
                instrument.tensor_commit(warp, (lane, instruction), &of);
            }
            issue(op, warp, lane, What::Commit(arrivals), Vec::new());
        }
        Ok(true)
    }
}

/// `tcgen05.cp`.
unsafe fn start_copies(
    op: &Op,
    warp: &mut Warp,
    plan: &Plan,
    this: TmemCopy,
) -> Result<bool, RawFault> {
    // SAFETY: slots are valid by the assembler; every place is checked.
    unsafe {
        let addresses = words(warp, plan, 0);
        let descriptors: Lanes<u64> = fetch_cold(warp, plan.src[1]);
        for lane in lanes(warp.mask) {
            let i = lane as usize;
            let ranks = ranks(warp, lane, this.pair)?;
            let to = Place::of(addresses.0[i]);
            let descriptor =
                descriptor::read(descriptors.0[i], false).map_err(|why| misuse(lane, why))?;
            let columns = this.bits / 32;
            let reach = match this.to {
                CopyLanes::Apart => 97,
                _ => 128,
            };
            for rank in &ranks {
                let memory = &cluster(warp).tensor_memory[*rank];
                check_columns(memory, lane, to, (reach, columns), "a copy from shared memory")?;
            }
            let from =
                SharedRows { descriptor, across: false, bytes: this.bits as usize / 8, element: 1 };
            tell_reads(op, warp, lane, &ranks, &[(from, 0..this.rows as usize)]);
            let uses = Vec::from_iter(std::iter::once(to.column..to.column + columns));
            let what = What::Copy(RowCopy { this, to, from, ranks });
            issue(op, warp, lane, what, uses);
        }
        Ok(true)
    }
}

/// `tcgen05.shift`.
unsafe fn start_shifts(
    op: &Op,
    warp: &mut Warp,
    plan: &Plan,
    pair: bool,
) -> Result<bool, RawFault> {
    // SAFETY: slots are valid by the assembler; every place is checked.
    unsafe {
        let addresses = words(warp, plan, 0);
        for lane in lanes(warp.mask) {
            let at = Place::of(addresses.0[lane as usize]);
            if !at.lane.is_multiple_of(32) {
                let note = format!(
                    "lane {} of tensor memory: a shift starts at a multiple of 32",
                    at.lane
                );
                return Err(misuse(lane, note));
            }
            let ranks = ranks(warp, lane, pair)?;
            for rank in &ranks {
                let memory = &cluster(warp).tensor_memory[*rank];
                check_columns(memory, lane, at, (32, SHIFTED), "a shift")?;
            }
            let uses = Vec::from_iter(std::iter::once(at.column..at.column + SHIFTED));
            issue(op, warp, lane, What::Shift(RowShift { at, ranks }), uses);
        }
        Ok(true)
    }
}

/// `tcgen05.mma`.
unsafe fn start_products(
    op: &Op,
    warp: &mut Warp,
    plan: &Plan,
    this: TmemMultiply,
) -> Result<bool, RawFault> {
    // SAFETY: slots are valid by the assembler; every place is checked.
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
            let b = SharedRows::of(b, shape.across[1], shape.b, k);
            let a = match this.a_in_tensor_memory {
                true => FirstOperand::Tensor(Place::of(word(1))),
                false => {
                    let a = descriptor::read(of_a.0[i], shape.across[0]).map_err(wrong)?;
                    FirstOperand::Shared(SharedRows::of(a, shape.across[0], shape.a, this.kind.k()))
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
                d: Place::of(word(0)),
                a,
                b,
                metadata: this.metadata().map(|at| {
                    let base = Place::of_factor(word(at));
                    // The selector says which of two columns, of kinds that need one.
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
            issue(op, warp, lane, What::Multiply(Box::new(product)), uses);
        }
        Ok(true)
    }
}

/// Tells the instrument of a product that adds to columns of which nothing has been written, nor will be by what was
/// issued before.
unsafe fn tell_unwritten(op: &Op, warp: &Warp, lane: u32, product: &Product) {
    // SAFETY: by the caller.
    unsafe {
        let instruction = (*warp.context).place(warp, op).instruction;
        let cluster = cluster(warp);
        let Some(instrument) = (*warp.context).instrument(Wants::INITIALISED) else { return };
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

/// Transposed elements of 32 bits need the swizzle of units of 32 bytes, which others cannot have.
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

/// Checks where a product's matrices lie in tensor memory; the columns that it uses.
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
            // SAFETY: by the caller.
            let memory = unsafe { &cluster(warp).tensor_memory[*rank] };
            check_columns(memory, lane, full(*at), (1, *columns), name)?;
        }
    }
    Ok(matrices.iter().map(|(at, columns, _)| at.column..at.column + columns).collect())
}
