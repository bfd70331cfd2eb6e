//! The kernel of sm_90a: one warp loads tiles by TMA into a ring of stages, two warpgroups multiply them by `wgmma` and store the results
//! by TMA while the next tile's stages are loaded; blocks are persistent.
//!
//! A block's tile has 128 rows and `COLUMNS` columns. Blocks of a cluster that share rows of A load a part of them each, for all of
//! them (multicast), and so with columns of B. A stage holds 128 bytes of every row along K. What lies beyond a matrix's edges is read as
//! zero and not written, so that no extent has to be a multiple of a tile's.

use super::super::finish::{Finish, Sum, result};
use super::order::{Order, place};
use super::stored::Stored;
use lanework::Element;
use lanework::lang::tensor_cores::{GroupProduct, MatrixElement};
use lanework::prelude::*;

/// Rows of a block's tile of results.
pub const ROWS: u32 = 128;
/// Rows of a warpgroup's.
const GROUP: u32 = 64;
/// Rows of a warp's.
const WARP: u32 = 16;
/// Bytes of a part, 64 rows of 128.
const PART_BYTES: u32 = GROUP * 128;
/// Shared memory that a block may have for stages and parts, less what aligning them may take.
const MOST_BYTES: u32 = 226 * 1024;

/// Columns of sums that blocks which divide K exchange at a time.
const SHARE: u32 = 32;

/// How results leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// By TMA, through shared memory.
    Tma,
    /// From registers, two of a row at a time.
    Pairs,
    /// From registers, each by itself.
    Single,
}

/// What of a product is constant in its kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Whether elements along K are adjacent in memory, in A and in B.
    pub along_k: (bool, bool),
    /// Blocks of a cluster, by rows and by columns of tiles.
    pub cluster: (u32, u32),
    /// Blocks of a cluster that have a part of K each, of one tile; the cluster has no others then.
    pub split: u32,
    pub stages: u32,
    pub order: Order,
    pub store: Store,
    /// After how many stages sums are added to others and begin anew: tensor cores sum products of 8-bit floats with fewer bits than an
    /// f32 has. 0 for never.
    pub promote: u32,
    /// Columns of a tile.
    pub columns: u32,
    /// Parts of results on their way to memory at a time, for each warp.
    pub parts: u32,
    /// Whether it begins before the launch before it has ended.
    pub overlapped: bool,
}

impl Form {
    /// Blocks of a cluster.
    pub fn blocks(self) -> u32 {
        self.cluster.0 * self.cluster.1 * self.split
    }

    /// Blocks that a block's stages are filled together with, itself among them.
    fn neighbours(self) -> u32 {
        self.cluster.0 + self.cluster.1 - 1
    }

    /// Whether blocks load for each other.
    fn shares(self) -> bool {
        self.cluster.0 * self.cluster.1 > 1
    }

    /// Bytes of a stage.
    fn stage_bytes(self) -> u32 {
        (ROWS + self.columns) * 128
    }

    /// Stages of A that are stored with K adjacent, or else the others.
    fn stages_if(self, so: bool) -> u32 {
        if so { self.stages } else { 0 }
    }

    /// Sums of a thread that another block gives to this one.
    fn given(self) -> u32 {
        if self.split > 1 {
            self.columns.div_ceil(SHARE).div_ceil(self.split) * SHARE / 2
        } else {
            0
        }
    }

    /// Bytes of shared memory beside the stages.
    fn other_bytes(self) -> u32 {
        let parts = if self.store == Store::Tma { 2 * self.parts * PART_BYTES } else { 0 };
        parts + (self.split - 1) * self.given() * 256 * 4
    }

    /// The same with as many stages as fit, at most as many as it says, or eight.
    pub fn filled(self) -> Form {
        let room = MOST_BYTES - self.other_bytes();
        let most = if self.stages == 0 { 8 } else { self.stages };
        Form { stages: (room / self.stage_bytes()).min(most), ..self }
    }

    /// Dynamic shared memory of a block.
    pub fn shared_bytes(self) -> u32 {
        self.stages * self.stage_bytes() + self.other_bytes()
    }
}

/// `c = finish(a * b)`, as [`Form`] says how matrices lie. `DEPTH` elements have 128 bytes, and `WIDE` elements of the results have;
/// `HALF` is half of `COLUMNS`.
#[kernel(block = 384, cluster = form.blocks(), max_registers = 168)]
pub fn product<
    T: GroupProduct<U, D>,
    U: MatrixElement,
    D: MatrixElement<Storage = D> + Element,
    S: Sum + MatrixElement<Storage = S>,
    O: Stored<S>,
    const DEPTH: u32,
    const COLUMNS: u32,
    const HALF: u32,
    const WIDE: u32,
>(
    a: &TensorMap<T::Storage, 3>,
    b: &TensorMap<U::Storage, 3>,
    c: &TensorMapMut<O, 3>,
    out: &mut [O],
    before: &[O],
    bias: &[S],
    scale_a: &[f32],
    scale_b: &[f32],
    extents: [u32; 4],
    batch_steps: [u32; 2],
    strides_c: [u64; 3],
    alpha: S,
    beta: S,
    #[constant] form: Form,
    #[constant] finish: Finish,
) {
    // Of each factor, one of the two arrays has no tiles.
    let a_by_rows = SharedTiles::<T, ROWS, DEPTH>::dynamic(form.stages_if(form.along_k.0));
    let a_by_columns = SharedTiles::<T, DEPTH, ROWS>::dynamic(form.stages_if(!form.along_k.0));
    let b_by_columns = SharedTiles::<U, COLUMNS, DEPTH>::dynamic(form.stages_if(form.along_k.1));
    let b_by_rows = SharedTiles::<U, DEPTH, COLUMNS>::dynamic(form.stages_if(!form.along_k.1));
    let parts = SharedTiles::<O, GROUP, WIDE>::dynamic(if form.store == Store::Tma {
        2 * form.parts
    } else {
        0
    });
    // What the other blocks of a divided K have summed, by block, element and thread.
    let given = shared_dynamic::<D>(if form.split > 1 {
        [form.split - 1, form.given(), 256]
    } else {
        [1, 1, 4]
    });
    // A stage is empty when both warpgroups of every block that it is filled together with have read it.
    let ring = pipeline(form.stages, 1, 2 * form.neighbours());
    let [math, load] = warp_roles([8, 4]);
    let [batches, m, n, k] = extents;
    let (down, across) = (m.div_ceil(form.cluster.0 * ROWS), n.div_ceil(form.cluster.1 * COLUMNS));
    let tiles = down * across * batches;
    let all_steps = k.div_ceil(DEPTH);
    let (first, step_by) = (block_idx.x / form.blocks(), grid_dim.x / form.blocks());
    // This block's row and column in its cluster.
    let rank = if form.blocks() > 1 { cluster_rank() } else { 0 };
    let (rank_row, rank_column) =
        (rank / form.split % form.cluster.0, rank / form.split / form.cluster.0);
    // This block's part of K.
    let per_block = if form.split > 1 { all_steps.div_ceil(form.split) } else { all_steps };
    let first_step = if form.split > 1 { (rank * per_block).min(all_steps) } else { 0 };
    let steps = if form.split > 1 { per_block.min(all_steps - first_step) } else { all_steps };
    if thread_idx.x == 0 {
        a.prefetch_map();
        b.prefetch_map();
    }
    if form.overlapped {
        launch_dependents();
        wait_for_dependencies();
    }
    if load.active() {
        load.give_registers(40);
        if load.thread() == 0 {
            let producer = ring.producer();
            for tile in (first..tiles).step_by(step_by) {
                let batch = tile / (down * across);
                let (row, column) = place(tile % (down * across), down, across, form.order);
                let row = (row * form.cluster.0 + rank_row) * ROWS;
                let column = (column * form.cluster.1 + rank_column) * COLUMNS;
                let (batch_a, batch_b) = (batch * batch_steps[0], batch * batch_steps[1]);
                for step in 0..steps {
                    let stage = producer.acquire_for(form.stage_bytes());
                    let depth = (first_step + step) * DEPTH;
                    if form.along_k.0 {
                        let tile = a_by_rows[stage.index];
                        if form.cluster.1 == 1 {
                            a.load(tile, (batch_a, row, depth), stage);
                        } else {
                            let half = tile.rows::<GROUP>(rank_column * GROUP);
                            let sharing = (1 + (1u32 << form.cluster.0)) << rank_row;
                            let at = (batch_a, row + rank_column * GROUP, depth);
                            a.multicast(sharing).load(half, at, stage);
                        }
                    } else {
                        let tile = a_by_columns[stage.index];
                        if form.cluster.1 == 1 {
                            #[unroll]
                            for i in 0..ROWS / DEPTH {
                                let at = (batch_a, depth, row + i * DEPTH);
                                a.load(tile.panel::<DEPTH>(i), at, stage);
                            }
                        } else {
                            let sharing = (1 + (1u32 << form.cluster.0)) << rank_row;
                            let at = (batch_a, depth, row + rank_column * DEPTH);
                            a.multicast(sharing).load(tile.panel::<DEPTH>(rank_column), at, stage);
                        }
                    }
                    if form.along_k.1 {
                        let tile = b_by_columns[stage.index];
                        if form.cluster.0 == 1 {
                            b.load(tile, (batch_b, column, depth), stage);
                        } else {
                            let line = rank_row * HALF;
                            let sharing =
                                ((1u32 << form.cluster.0) - 1) << (rank_column * form.cluster.0);
                            b.multicast(sharing).load(
                                tile.rows::<HALF>(line),
                                (batch_b, column + line, depth),
                                stage,
                            );
                        }
                    } else {
                        let tile = b_by_rows[stage.index];
                        let panels = COLUMNS / DEPTH / form.cluster.0;
                        #[unroll]
                        for i in 0..panels {
                            let panel = rank_row * panels + i;
                            let at = (batch_b, depth, column + panel * DEPTH);
                            if form.cluster.0 == 1 {
                                b.load(tile.panel::<DEPTH>(panel), at, stage);
                            } else {
                                let sharing = ((1u32 << form.cluster.0) - 1)
                                    << (rank_column * form.cluster.0);
                                b.multicast(sharing).load(tile.panel::<DEPTH>(panel), at, stage);
                            }
                        }
                    }
                }
            }
        }
    }
    if form.split > 1 && load.active() {
        cluster_sync();
    }
    if math.active() {
        math.take_registers(232);
        let consumer = ring.consumer();
        let (group, within) = (math.thread() / 128, math.thread() % 128);
        let (warp, lane) = (within / 32, within % 32);
        // The thread that releases a stage to the block of its number, where that one fills it.
        let beside = within < form.blocks()
            && (within % form.cluster.0 == rank_row || within / form.cluster.0 == rank_column);
        for tile in (first..tiles).step_by(step_by) {
            let batch = tile / (down * across);
            let (row, column) = place(tile % (down * across), down, across, form.order);
            let row = (row * form.cluster.0 + rank_row) * ROWS + group * GROUP;
            let column = (column * form.cluster.1 + rank_column) * COLUMNS;
            let mut sums = Accumulator::<D, COLUMNS>::zero();
            let mut total = FragmentC::<D, GROUP, COLUMNS>::zero();
            for step in 0..steps {
                let stage = consumer.wait();
                if form.along_k.0 && form.along_k.1 {
                    let left = a_by_rows[stage.index].rows::<GROUP>(group * GROUP);
                    sums.multiply(left, b_by_columns[stage.index].t());
                } else if form.along_k.0 {
                    let left = a_by_rows[stage.index].rows::<GROUP>(group * GROUP);
                    sums.multiply(left, b_by_rows[stage.index]);
                } else if form.along_k.1 {
                    let left = O::half::<T, DEPTH>(a_by_columns[stage.index], group);
                    sums.multiply(left.t(), b_by_columns[stage.index].t());
                } else {
                    let left = O::half::<T, DEPTH>(a_by_columns[stage.index], group);
                    sums.multiply(left.t(), b_by_rows[stage.index]);
                }
                if form.promote > 0 {
                    if step % form.promote == form.promote - 1 {
                        let part = sums.finish();
                        #[unroll]
                        for i in 0..FragmentC::<D, GROUP, COLUMNS>::ELEMENTS {
                            total[i] = total[i] + part[i];
                        }
                        sums = Accumulator::zero();
                    }
                }
                // The products of the stage before are done: it may be filled again.
                sums.wait(1);
                if step > 0 || tile != first {
                    if !form.shares() {
                        if within == 0 {
                            consumer.release_previous();
                        }
                    } else if beside {
                        consumer.release_previous_to(within);
                    }
                }
            }
            let mut results = sums.finish();
            if form.promote > 0 {
                #[unroll]
                for i in 0..FragmentC::<D, GROUP, COLUMNS>::ELEMENTS {
                    results[i] = results[i] + total[i];
                }
            }
            if form.split > 1 {
                // Each block gives the others their columns, and adds up its own in the order of the blocks.
                #[unroll]
                for i in 0..COLUMNS / SHARE {
                    let owner = const { i % form.split };
                    if rank != owner {
                        let slot = if rank < owner { rank } else { rank - 1 };
                        let there = given.of_block(owner);
                        let share = results.columns::<SHARE>(i);
                        #[unroll]
                        for e in 0..SHARE / 2 {
                            there[[slot, i / form.split * (SHARE / 2) + e, math.thread()]] =
                                share[e];
                        }
                    }
                }
                cluster_sync();
            }
            #[unroll]
            for i in 0..COLUMNS / WIDE {
                let raw = results.columns::<WIDE>(i);
                if form.split == 1 {
                    let mut part = FragmentC::<S, GROUP, WIDE>::zero();
                    #[unroll]
                    for e in 0..FragmentC::<S, GROUP, WIDE>::ELEMENTS {
                        let (y, x) = part.position(e);
                        let at = (row + y, column + i * WIDE + x);
                        part[e] = result(
                            raw[e] as S,
                            (before, batch, strides_c),
                            at,
                            (m, n),
                            (alpha, beta),
                            bias,
                            (scale_a, scale_b),
                            finish,
                        );
                    }
                    if form.store == Store::Tma {
                        // Each warp stores its 16 rows by itself, and waits for no other.
                        let tile = parts[form.parts * group + i % form.parts];
                        if lane == 0 {
                            bulk_wait_read(const { form.parts - 1 }); // what left from here before has been read
                        }
                        sync_warp(FULL_MASK);
                        O::place(part, tile);
                        fence_proxy_async_shared();
                        sync_warp(FULL_MASK);
                        if lane == 0 {
                            let of_warp = tile.rows::<WARP>(warp * WARP);
                            c.store(of_warp, (batch, row + warp * WARP, column + i * WIDE));
                            bulk_commit();
                        }
                    } else {
                        #[unroll]
                        for e in (0..FragmentC::<S, GROUP, WIDE>::ELEMENTS).step_by(2) {
                            let (y, x) = part.position(e);
                            let at = (row + y, column + i * WIDE + x);
                            stored(
                                out,
                                batch,
                                at,
                                extents,
                                strides_c,
                                [part[e] as O, part[e + 1] as O],
                                form.store,
                            );
                        }
                    }
                }
            }
            if form.split > 1 {
                #[unroll]
                for i in 0..COLUMNS / SHARE {
                    let owner = const { i % form.split };
                    if rank == owner {
                        let share = results.columns::<SHARE>(i);
                        #[unroll]
                        for e in (0..SHARE / 2).step_by(2) {
                            let (y, x) = share.position(e);
                            let at = (row + y, column + i * SHARE + x);
                            let next = (row + y, column + i * SHARE + x + 1);
                            let mut pair = [share[e], share[e + 1]];
                            let mut summed = [D::ZERO; 2];
                            #[unroll]
                            for block in 0..form.split {
                                #[unroll]
                                for side in 0..2 {
                                    if block == owner {
                                        summed[side] = summed[side] + pair[side];
                                    } else {
                                        let slot = if block < owner { block } else { block - 1 };
                                        let index = i / form.split * (SHARE / 2) + e + side;
                                        summed[side] =
                                            summed[side] + given[[slot, index, math.thread()]];
                                    }
                                }
                            }
                            pair = summed;
                            let low = result(
                                pair[0] as S,
                                (before, batch, strides_c),
                                at,
                                (m, n),
                                (alpha, beta),
                                bias,
                                (scale_a, scale_b),
                                finish,
                            );
                            let high = result(
                                pair[1] as S,
                                (before, batch, strides_c),
                                next,
                                (m, n),
                                (alpha, beta),
                                bias,
                                (scale_a, scale_b),
                                finish,
                            );
                            stored(
                                out,
                                batch,
                                at,
                                extents,
                                strides_c,
                                [low as O, high as O],
                                form.store,
                            );
                        }
                    }
                }
            }
        }
        if form.store == Store::Tma && lane == 0 {
            bulk_wait(0);
        }
    }
    if form.shares() {
        cluster_sync(); // no block leaves while another one arrives at its barriers
    }
}

/// Stores two results side by side in a row, where they are inside.
#[device]
fn stored<O: Element>(
    out: &mut [O],
    batch: u32,
    at: (u32, u32),
    extents: [u32; 4],
    strides: [u64; 3],
    values: [O; 2],
    #[constant] store: Store,
) {
    let (y, x) = at;
    let place = batch as u64 * strides[0] + y as u64 * strides[1] + x as u64 * strides[2];
    if y < extents[1] {
        if store == Store::Pairs {
            if x + 1 < extents[2] {
                out.store2(place, values);
            } else if x < extents[2] {
                out[place] = values[0];
            }
        } else {
            if x < extents[2] {
                out[place] = values[0];
            }
            if x + 1 < extents[2] {
                out[place + strides[2]] = values[1];
            }
        }
    }
}
