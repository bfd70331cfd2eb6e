//! The kernel of sm_90a: one warp loads tiles by TMA into a ring of stages, eight multiply them, each 32 or 64 rows by 32 columns.
//!
//! A tile lies in shared memory in rows of 64 bytes, eight elements along k or across it as the factor has them adjacent, whose
//! 16-byte chunks are exchanged by two bits of the row's number (TMA's swizzle of 64 bytes). In which order the products of eight k are
//! added up is free, as long as A and B agree: lane `q` of a group of four takes k of 0, 1, 4 and 5, and two more in the second
//! half, so that the lanes of a load meet different banks in both layouts.

use super::super::finish::{Finish, finished};
use lanework::prelude::*;

/// Threads of a block: two warpgroups that multiply, one that loads.
pub const THREADS: u32 = 384;
/// Warps that multiply.
const WARPS: u32 = 8;
/// Elements of a row in shared memory, and k of a product.
pub const WIDTH: u32 = 8;
/// Columns of results of a warp.
const COLUMNS: u32 = 32;
/// Shared memory of a block's stages.
const MOST_BYTES: u32 = 192 * 1024;

/// What of a kernel is constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Rows and columns of a block's tile of results.
    pub tile: (u32, u32),
    /// Whether elements along k are adjacent, of A and of B.
    pub along: (bool, bool),
    /// Whether two adjacent results are one access.
    pub paired: bool,
}

impl Form {
    /// Warps beside each other.
    const fn across(self) -> u32 {
        self.tile.1 / COLUMNS
    }

    /// Products of 16 rows, one below the other, of a warp.
    const fn tall(self) -> u32 {
        self.tile.0 * self.across() / WARPS / 16
    }

    /// Columns of the factors in a stage: few long stages, where a stage of 16 has as much to multiply for half of the results.
    pub const fn depth(self) -> u32 {
        if self.tile.1 > 64 { 32 } else { 16 }
    }

    /// Stages of the ring.
    pub const fn stages(self) -> u32 {
        MOST_BYTES / self.stage_bytes()
    }

    /// Elements before the stages of B.
    const fn first_b(self) -> u32 {
        self.stages() * self.tile.0 * self.depth()
    }

    const fn stage_bytes(self) -> u32 {
        8 * self.depth() * (self.tile.0 + self.tile.1)
    }

    /// Dynamic shared memory of a block.
    pub const fn shared_bytes(self) -> u32 {
        self.stages() * self.stage_bytes()
    }
}

/// Tiles of a stage as TMA brings them, each of rows of `WIDTH` elements: all lines for eight k, or all k for eight lines.
const fn boxes(lines: u32, depth: u32, along: bool) -> u32 {
    if along { depth / WIDTH } else { lines / WIDTH }
}

/// Rows of such a tile.
const fn height(lines: u32, depth: u32, along: bool) -> u32 {
    if along { lines } else { depth }
}

/// Elements from the first of a stage to this lane's of a line, for both halves of eight k.
#[device]
fn begin(line: u32, #[constant] depth: u32, #[constant] along: bool) -> [u32; 2] {
    let q = thread_idx.x % 4;
    let mut places = [0u32; 2];
    #[unroll]
    for half in 0..2u32 {
        let pair = q / 2 * 2 + half; // k / 2
        places[half] = if along {
            line * WIDTH + (pair ^ (line / 2 % 4)) * 2 + q % 2
        } else {
            let k = pair * 2 + q % 2;
            (line / WIDTH * depth + k) * WIDTH + ((line % WIDTH / 2) ^ pair) * 2 + line % 2
        };
    }
    places
}

/// A warp's fragments of A for eight k of a stage, the first or the last ones.
#[device]
fn fragments_a(
    x: Shared<f64, 1>,
    stage: u32,
    places: [u32; 2],
    #[constant] eight: u32,
    #[constant] form: Form,
) -> [[f64; 4]; 4] {
    let mut fragments = [[0.0f64; 4]; 4];
    #[unroll]
    for e in 0..2u32 {
        let at = stage * const { form.tile.0 * form.depth() } + places[e];
        #[unroll]
        for i in 0..const { form.tall() } {
            #[unroll]
            for low in 0..2u32 {
                let further = const {
                    further(eight, 16 * i + 8 * low, form.tile.0, form.depth(), form.along.0)
                };
                fragments[i][2 * e + low] = x[at + further];
            }
        }
    }
    fragments
}

/// The same of B.
#[device]
fn fragments_b(
    x: Shared<f64, 1>,
    stage: u32,
    places: [u32; 2],
    #[constant] eight: u32,
    #[constant] form: Form,
) -> [[f64; 2]; 4] {
    let mut fragments = [[0.0f64; 2]; 4];
    #[unroll]
    for e in 0..2u32 {
        let at = form.first_b() + stage * const { form.tile.1 * form.depth() } + places[e];
        #[unroll]
        for j in 0..4u32 {
            let further = const { further(eight, 8 * j, form.tile.1, form.depth(), form.along.1) };
            fragments[j][e] = x[at + further];
        }
    }
    fragments
}

/// Elements to that of a line `down` further, a multiple of eight, and `eight` times eight k further.
const fn further(eight: u32, down: u32, lines: u32, depth: u32, along: bool) -> u32 {
    if along { (eight * lines + down) * WIDTH } else { down * depth + eight * WIDTH * WIDTH }
}

/// Rows of tiles whose blocks start before those of the next column of tiles: what they share stays in the L2 cache.
const TOGETHER: u32 = 16;

/// The row and the column of tiles of tile `tile`, of `down` rows and `across` columns of them.
#[device]
fn corner(tile: u32, down: u32, across: u32) -> (u32, u32) {
    let first = tile / (TOGETHER * across) * TOGETHER;
    let height = (down - first).min(TOGETHER);
    let within = tile % (TOGETHER * across);
    (first + within % height, within / height)
}

/// The product, a tile of results per block.
#[kernel(block = THREADS, max_registers = 168)]
#[allow(clippy::too_many_arguments)]
pub fn fetched(
    a: &TensorMap<f64, 3>,
    b: &TensorMap<f64, 3>,
    c: &mut [f64],
    bias: &[f64],
    scale_a: &[f32],
    scale_b: &[f32],
    extents: [u32; 3],
    batch_steps: [u32; 2],
    strides_c: [u64; 3],
    alpha: f64,
    beta: f64,
    #[constant] form: Form,
    #[constant] finish: Finish,
) {
    let (rows, columns) = const { form.tile };
    let (along_a, along_b) = const { form.along };
    let tiles = shared_dynamic::<f64>(const { form.shared_bytes() / 8 });
    let depth = const { form.depth() };
    let (boxes_a, boxes_b) =
        const { (boxes(rows, depth, along_a), boxes(columns, depth, along_b)) };
    let stages = const { form.stages() };
    let of_a =
        tiles.region(0u32, const { [stages * boxes_a, height(rows, depth, along_a), WIDTH] });
    let of_b = tiles.region(
        form.first_b(),
        const { [stages * boxes_b, height(columns, depth, along_b), WIDTH] },
    );
    let ring = pipeline(const { form.stages() }, 1, WARPS);
    let [math, load] = warp_roles([8, 4]);
    let [m, n, k] = extents;
    let (down, across) = (m.div_ceil(rows), n.div_ceil(columns));
    let batch = block_idx.x / (down * across);
    let (top, left) = corner(block_idx.x % (down * across), down, across);
    let (top, left) = (top * rows, left * columns);
    let steps = k.div_ceil(depth);
    if load.active() {
        load.give_registers(40);
        if load.thread() == 0 {
            let producer = ring.producer();
            let (batch_a, batch_b) = (batch * batch_steps[0], batch * batch_steps[1]);
            for step in 0..steps {
                let stage = producer.acquire_for(const { form.stage_bytes() });
                let from = step * depth;
                #[unroll]
                for i in 0..boxes_a {
                    let part = of_a.swizzled(Swizzle::B64).slab(stage.index * boxes_a + i);
                    if along_a {
                        a.load(part, (batch_a, top, from + i * WIDTH), stage);
                    } else {
                        a.load(part, (batch_a, from, top + i * WIDTH), stage);
                    }
                }
                #[unroll]
                for i in 0..boxes_b {
                    let part = of_b.swizzled(Swizzle::B64).slab(stage.index * boxes_b + i);
                    if along_b {
                        b.load(part, (batch_b, left, from + i * WIDTH), stage);
                    } else {
                        b.load(part, (batch_b, from, left + i * WIDTH), stage);
                    }
                }
            }
        }
    }
    if math.active() {
        math.take_registers(232);
        let consumer = ring.consumer();
        let (warp, lane) = (math.thread() / 32, math.thread() % 32);
        let row = warp / const { form.across() } * const { 16 * form.tall() } + lane / 4;
        let column = warp % const { form.across() } * COLUMNS + lane / 4;
        let places_a = begin(row, depth, along_a);
        let places_b = begin(column, depth, along_b);
        // Of four products below each other as many are used as a warp has; the others are no registers.
        let mut sums = [[FragmentC::<f64, 16, 8>::zero(); 4]; 4];
        // Fragments of eight k each: one is multiplied while the other one is loaded.
        let mut stage = consumer.wait().index;
        let mut of_lines = [fragments_a(tiles, stage, places_a, 0u32, form); 2];
        let mut of_columns = [fragments_b(tiles, stage, places_b, 0u32, form); 2];
        for step in 0..steps {
            #[unroll]
            for eight in 0..depth / WIDTH {
                let (now, next) = const { (eight % 2, (eight + 1) % 2) };
                if eight + 1 < const { depth / WIDTH } {
                    of_lines[next] = fragments_a(tiles, stage, places_a, eight + 1, form);
                    of_columns[next] = fragments_b(tiles, stage, places_b, eight + 1, form);
                } else if step + 1 < steps {
                    stage = consumer.wait().index;
                    // Every lane has loaded what the stage before held.
                    sync_warp(FULL_MASK);
                    if lane == 0 {
                        consumer.release_previous();
                    }
                    of_lines[next] = fragments_a(tiles, stage, places_a, 0u32, form);
                    of_columns[next] = fragments_b(tiles, stage, places_b, 0u32, form);
                }
                // Along one row and back along the next, so that products after each other share a factor.
                #[unroll]
                for i in 0..const { form.tall() } {
                    #[unroll]
                    for j in 0..4u32 {
                        let j = if i % 2 == 0 { j } else { 3 - j };
                        let mut left = FragmentA::<f64, 16, 8>::zero();
                        let mut right = FragmentB::<f64, 8, 8>::zero();
                        #[unroll]
                        for e in 0..4u32 {
                            left[e] = of_lines[now][i][e];
                        }
                        #[unroll]
                        for e in 0..2u32 {
                            right[e] = of_columns[now][j][e];
                        }
                        sums[i][j].mma(left, right);
                    }
                }
            }
        }
        #[unroll]
        for i in 0..const { form.tall() } {
            #[unroll]
            for j in 0..4u32 {
                #[unroll]
                for half in 0..2u32 {
                    let y = top + row + 16 * i + 8 * half;
                    let x = left + column - lane / 4 + 8 * j + lane % 4 * 2;
                    let at = batch as u64 * strides_c[0]
                        + y as u64 * strides_c[1]
                        + x as u64 * strides_c[2];
                    let mut values = [0.0f64; 2];
                    #[unroll]
                    for e in 0..2u32 {
                        if y < m && x + e < n {
                            let mut before = 0.0f64;
                            if finish.reads_c {
                                before = c[at + e as u64 * strides_c[2]];
                            }
                            values[e] = finished(
                                sums[i][j][2 * half + e],
                                before,
                                (y, x + e),
                                (alpha, beta),
                                bias,
                                (scale_a, scale_b),
                                finish,
                            );
                        }
                    }
                    if y < m && x < n {
                        if form.paired && x + 1 < n {
                            c.store2(at, values);
                        } else {
                            c[at] = values[0];
                            if x + 1 < n {
                                c[at + strides_c[2]] = values[1];
                            }
                        }
                    }
                }
            }
        }
    }
}
