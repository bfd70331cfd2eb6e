//! Copies of tensor tiles by the tensor memory accelerator (PTX manual, "cp.async.bulk.tensor"): loads that signal an
//! mbarrier, stores and reductions that a thread waits for in bulk groups, and prefetches. Elements outside of the tensor
//! are read as zero (or as the map says) and not written.

use super::coordinates::{TileAt, vector};
use super::handle::handle;
use super::mbarrier::{Signal, word};
use super::part::{IntoPart, Part};
use super::remote::needs_cluster;
use crate::builder::Builder;
use crate::current::{here, with};
use crate::definition::{Parameter, ParameterKind, Tile};
use crate::number::Element;
use crate::value::{Index, Value};
use crate::var::{IntoVar, Var};
use lanework_ptx::{Address, AddressBase, Operand, ScalarType, StateSpace, Swizzle, Variable};
use std::marker::PhantomData;

/// A tensor that is copied by tiles: a parameter `x: &TensorMap<T, R>`, or `y: &TensorMapMut<T, R>`, which is `WRITTEN`.
///
/// ```
/// # use lanework::prelude::*;
/// /// Adds 1 to each element, tile by tile.
/// #[kernel(block = 64)]
/// fn example(x: &TensorMap<f32, 2>, y: &TensorMapMut<f32, 2>) {
///     let tile = shared::<f32>([8, 8]);
///     let full = mbarrier(1);
///     let filled = full.waiter();
///     let at = (block_idx.y * 8, block_idx.x * 8); // row, column
///     if thread_idx.x == 0 {
///         full.arrive_expect(tile.bytes());
///         x.load(&tile, at, &full);
///     }
///     filled.wait();
///     let (row, column) = (thread_idx.x / 8, thread_idx.x % 8);
///     tile[[row, column]] = tile[[row, column]] + 1.0;
///     fence_proxy_async_shared();
///     sync_threads();
///     if thread_idx.x == 0 {
///         y.store(&tile, at);
///         bulk_commit();
///         bulk_wait_read(0);
///     }
/// }
///
/// # let device = Device::emulator().sanitized();
/// let x = device.upload(&[1.0f32; 20 * 12])?;
/// let mut y = device.zeros::<f32>(20 * 12)?;
/// let tiles = Tiles::new([20, 12], [8, 8]); // what lies outside is read as 0 and not written
/// let (from, to) = (TensorMap::new(&x, &tiles)?, TensorMapMut::new(&mut y, &tiles)?);
/// example(&from, &to).grid((2, 3)).block(64).launch(&device)?;
/// assert_eq!(y.download()?, [2.0; 20 * 12]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
pub struct TensorTiles<T, const R: usize, const WRITTEN: bool> {
    map: Map,
    element: PhantomData<fn() -> T>,
}

handle!(TensorTiles<T>[R: usize, WRITTEN: bool]);

/// A tensor that the kernel writes.
#[diagnostic::on_unimplemented(
    message = "this tensor is only read",
    label = "not written by this kernel",
    note = "declare the parameter as `&TensorMapMut<T, R>`, and make its map by `TensorMapMut::new(&mut buffer, ..)`"
)]
pub trait WrittenTensor {}

impl<T, const R: usize> WrittenTensor for TensorTiles<T, R, true> {}

/// A parameter that is a tensor map, with what copies by it are given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Map {
    /// Its number among the kernel's parameters.
    parameter: usize,
    address: Value,
    /// The blocks that get the tile, by their bits.
    blocks: Option<Value>,
    policy: Option<Value>,
}

/// Declares the parameter `name: &TensorMap<T, R>` or `&TensorMapMut<T, R>`.
pub fn tensor_tiles<T: Element, const R: usize, const WRITTEN: bool>(
    name: &'static str,
) -> TensorTiles<T, R, WRITTEN> {
    TensorTiles { map: Map::parameter::<T>(name, R, WRITTEN), element: PhantomData }
}

macro_rules! reductions {
    ($($name:ident $op:literal $doc:literal;)*) => {$(
        #[doc = $doc]
        #[track_caller]
        pub fn $name<const D: usize>(self, from: impl IntoPart<T, D>, at: impl TileAt<R>)
        where
            Self: WrittenTensor,
        {
            here();
            self.map.store(from.into_part(), &at.coordinates(), Some($op));
        }
    )*};
}

/// The low half of a word.
fn half(b: &mut Builder, word: Value) -> Value {
    match word {
        Value::Constant(bits) => Value::Constant(u64::from(bits as u16)),
        word => b.pure("cvt.u16.u32", ScalarType::B16, &[(word, ScalarType::U32)]),
    }
}

impl Map {
    pub(super) fn parameter<T: Element>(name: &'static str, rank: usize, mutable: bool) -> Map {
        with(|b| {
            let kind = ParameterKind::TensorMap { element: T::SCALAR, rank, mutable, tile: None };
            b.parameters.push(Parameter { name: name.to_owned(), kind });
            let symbol = b.unique(&crate::identifier::identifier(name));
            b.entry_parameters.push(Variable {
                align: Some(64),
                dims: vec![Some(128)],
                ..Variable::new(StateSpace::Param, ScalarType::B8, &symbol)
            });
            let [place, address] = std::array::from_fn(|_| b.register(ScalarType::U64, false));
            let operands = vec![Operand::Name(place.name()), Operand::Name(symbol)];
            b.at_top("mov.b64", place, operands);
            let operands = vec![Operand::Name(address.name()), Operand::Name(place.name())];
            b.at_top("cvta.param.u64", address, operands);
            let parameter = b.parameters.len() - 1;
            Map { parameter, address: Value::Register(address), blocks: None, policy: None }
        })
    }

    /// `[map, {x, y}]`.
    fn place(self, b: &mut Builder, coordinates: Operand) -> Operand {
        let base = match b.operand(self.address, ScalarType::U64) {
            Operand::Name(name) => name,
            other => other.to_string(),
        };
        let extra = vec![coordinates];
        Operand::Address(Address { base: AddressBase::Name(base), offset: 0, extra })
    }

    /// Notes the tile's shape, which the launch compares with the map's, and refuses a second one.
    fn uses<T: Element, const D: usize>(self, b: &mut Builder, part: &Part<T, D>) {
        self.uses_of(b, part, &part.dims);
    }

    /// The same of a copy whose tile has this shape.
    fn uses_of<T: Element, const D: usize>(self, b: &mut Builder, part: &Part<T, D>, dims: &[u32]) {
        part.align(b, 128);
        let shape = dims.iter().copied().filter(|extent| *extent != 1);
        let wanted = Tile::new(shape, part.swizzle, T::SCALAR.size());
        let parameter = &mut b.parameters[self.parameter];
        let ParameterKind::TensorMap { tile, .. } = &mut parameter.kind else { return };
        match tile {
            None => *tile = wanted,
            Some(tile) if Some(*tile) != wanted => {
                let (name, first) = (parameter.name.clone(), tile.to_string());
                let second = wanted.map_or_else(String::new, |tile| tile.to_string());
                b.error(
                    format!("tiles of `{name}` are {first} elsewhere in this kernel, here {second}"),
                    "a tensor map has one shape of tile and one swizzle: pass a second map of the same buffer for the other",
                );
            }
            Some(_) => {}
        }
    }

    /// Starts to fetch the map itself.
    pub(super) fn prefetch(self) {
        with(|b| {
            let Operand::Name(base) = b.operand(self.address, ScalarType::U64) else { return };
            b.emit("prefetch.tensormap", vec![Operand::address(base, 0)]);
        });
    }

    fn words(self) -> String {
        let multicast = if self.blocks.is_some() { ".multicast::cluster" } else { "" };
        let hint = if self.policy.is_some() { ".L2::cache_hint" } else { "" };
        format!("{multicast}{hint}")
    }

    /// The operands of the words.
    fn tail(self, b: &mut Builder, operands: &mut Vec<Operand>) {
        if let Some(blocks) = self.blocks {
            let half = half(b, blocks);
            operands.push(b.operand(half, ScalarType::B16));
        }
        if let Some(policy) = self.policy {
            operands.push(b.operand(policy, ScalarType::B64));
        }
    }

    /// Copies for `blocks` of the cluster.
    pub(super) fn multicast(self, blocks: Value) -> Map {
        with(|b| needs_cluster(b, "multicast"));
        Map { blocks: Some(blocks), ..self }
    }

    /// Copies with a policy of the L2 cache.
    pub(super) fn with_policy(self, policy: Value) -> Map {
        Map { policy: Some(policy), ..self }
    }

    /// Copies a tile, or with `offsets` pixels.
    pub(super) fn load<T: Element, const D: usize>(
        self,
        part: Part<T, D>,
        at: &[Index],
        offsets: Option<&[Index]>,
        signal: impl Signal,
    ) {
        with(|b| {
            self.uses(b, &part);
            let name = format!(
                "cp.async.bulk.tensor.{}d.shared::cluster.global.{}.mbarrier::complete_tx::bytes{}",
                at.len(),
                if offsets.is_some() { "im2col" } else { "tile" },
                self.words()
            );
            let coordinates = vector(b, at);
            let mut operands = vec![
                part.first.operand(b),
                self.place(b, coordinates),
                signal.barrier().place.operand(b),
            ];
            if let Some(offsets) = offsets {
                let mut list = Vec::new();
                for offset in offsets.iter().rev() {
                    let word = word(b, *offset);
                    let half = half(b, word);
                    list.push(b.operand(half, ScalarType::B16));
                }
                operands.push(Operand::Vector(list));
            }
            self.tail(b, &mut operands);
            b.emit(&name, operands);
        });
    }

    /// Copies four rows, whose map has tiles of one.
    pub(super) fn gather<T: Element>(self, part: Part<T, 2>, at: &[Index], signal: impl Signal) {
        with(|b| {
            self.uses_of(b, &part, &part.dims[1..]);
            let name = format!(
                "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes{}",
                self.words()
            );
            let places = vector(b, at);
            let mut operands = vec![
                part.first.operand(b),
                self.place(b, places),
                signal.barrier().place.operand(b),
            ];
            self.tail(b, &mut operands);
            b.emit(&name, operands);
        });
    }

    /// Copies four rows out.
    pub(super) fn scatter<T: Element>(self, part: Part<T, 2>, at: &[Index]) {
        with(|b| {
            self.uses_of(b, &part, &part.dims[1..]);
            let name = format!(
                "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group{}",
                self.words()
            );
            let places = vector(b, at);
            let mut operands = vec![self.place(b, places), part.first.operand(b)];
            self.tail(b, &mut operands);
            b.emit(&name, operands);
        });
    }

    fn store<T: Element, const D: usize>(
        self,
        part: Part<T, D>,
        at: &[Index],
        reduction: Option<&str>,
    ) {
        with(|b| {
            self.uses(b, &part);
            let (verb, op) = match reduction {
                Some(op) => ("cp.reduce", format!(".{op}")),
                None => ("cp", String::new()),
            };
            let name = format!(
                "{verb}.async.bulk.tensor.{}d.global.shared::cta{op}.tile.bulk_group{}",
                at.len(),
                self.words()
            );
            let coordinates = vector(b, at);
            let mut operands = vec![self.place(b, coordinates), part.first.operand(b)];
            self.tail(b, &mut operands);
            b.emit(&name, operands);
        });
    }
}

impl<T: Element, const R: usize, const WRITTEN: bool> TensorTiles<T, R, WRITTEN> {
    pub(super) fn map(self) -> Map {
        self.map
    }

    /// Starts to copy the tile at `at` into shared memory; `signal` is told of its bytes (`cp.async.bulk.tensor`).
    #[track_caller]
    pub fn load<const D: usize>(
        self,
        to: impl IntoPart<T, D>,
        at: impl TileAt<R>,
        signal: impl Signal,
    ) {
        here();
        self.map.load(to.into_part(), &at.coordinates(), None, signal);
    }

    /// [`load`](Self::load) by untyped coordinates.
    pub(crate) fn load_part(self, to: Part<T, 2>, at: &[Index; R], signal: impl Signal) {
        self.map.load(to, at, None, signal);
    }

    /// [`store`](Self::store) by untyped coordinates.
    pub(crate) fn store_part(self, from: Part<T, 2>, at: &[Index; R]) {
        self.map.store(from, at, None);
    }

    /// Starts to fetch the tile at `at` into the L2 cache.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// /// Scales tiles in place, fetches the next one ahead, and keeps the lines in L2.
    /// #[kernel(block = 64)]
    /// fn example(x: &TensorMapMut<f32, 2>) {
    ///     let tile = shared::<f32>([8, 8]);
    ///     let full = mbarrier(1);
    ///     let filled = full.waiter();
    ///     let kept = l2_policy(Evict::Last, 1.0);
    ///     for row in 0..2u32 {
    ///         if thread_idx.x == 0 {
    ///             x.prefetch_map();
    ///             full.arrive_expect(tile.bytes());
    ///             x.with_policy(kept).load(&tile, (8 * row, 0), &full);
    ///             x.prefetch((8 * row + 8, 0));
    ///         }
    ///         filled.wait();
    ///         let (row_of, column) = (thread_idx.x / 8, thread_idx.x % 8);
    ///         tile[[row_of, column]] *= 2.0;
    ///         fence_proxy_async_shared();
    ///         sync_threads();
    ///         if thread_idx.x == 0 {
    ///             x.store(&tile, (8 * row, 0));
    ///             bulk_commit();
    ///             bulk_wait(0);
    ///         }
    ///         sync_threads();
    ///     }
    /// }
    /// # let device = Device::emulator();
    /// # let mut x = device.upload(&[1.0f32; 128])?;
    /// example(&TensorMapMut::new(&mut x, &Tiles::new([16, 8], [8, 8]))?).grid(1).block(64).launch(&device)?;
    /// assert_eq!(x.download()?, [2.0; 128]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn prefetch(self, at: impl TileAt<R>) {
        here();
        with(|b| {
            let hint = if self.map.policy.is_some() { ".L2::cache_hint" } else { "" };
            let coordinates = vector(b, &at.coordinates());
            let mut operands = vec![self.map.place(b, coordinates)];
            if let Some(policy) = self.map.policy {
                operands.push(b.operand(policy, ScalarType::B64));
            }
            b.emit(&format!("cp.async.bulk.prefetch.tensor.{R}d.L2.global.tile{hint}"), operands);
        });
    }

    /// Starts to fetch the map itself (`prefetch.tensormap`).
    #[track_caller]
    pub fn prefetch_map(self) {
        here();
        self.map.prefetch();
    }

    /// Copies with this policy of the L2 cache; see [`l2_policy`](crate::prelude::l2_policy).
    #[must_use]
    pub fn with_policy(self, policy: Var<u64>) -> Self {
        Self { map: self.map.with_policy(policy.value), ..self }
    }

    /// Loads give the tile to every block of the cluster whose bit is set, each at the same place of its shared memory, and
    /// signal the barrier at the same place.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// /// The first block of a cluster loads for both.
    /// #[kernel(block = 32, cluster = 2)]
    /// fn example(x: &TensorMap<u32, 1>, out: &mut [u32]) {
    ///     let tile = shared::<u32>(32);
    ///     let full = mbarrier(1);
    ///     let filled = full.waiter();
    ///     if thread_idx.x == 0 {
    ///         full.arrive_expect(tile.bytes());
    ///         if cluster_rank() == 0 {
    ///             x.multicast(0b11).load(&tile, 32 * cluster_idx.x, &full);
    ///         }
    ///     }
    ///     filled.wait();
    ///     out[32 * block_idx.x + thread_idx.x] = tile[thread_idx.x];
    /// }
    /// # let device = Device::emulator().sanitized();
    /// # let x = device.upload(&(0..64).collect::<Vec<u32>>())?;
    /// # let mut out = device.zeros::<u32>(128)?;
    /// # let map = TensorMap::new(&x, &Tiles::new([64], [32]))?;
    /// # example(&map, &mut out).grid(4).block(32).launch(&device)?;
    /// let first: Vec<u32> = (0..32).collect();
    /// assert_eq!(out.download()?[..64], [&first[..], &first[..]].concat());
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn multicast(self, blocks: impl IntoVar<u32>) -> Self {
        here();
        Self { map: self.map.multicast(blocks.into_var().value), ..self }
    }

    /// Starts to copy a tile from shared memory to `at`; the thread waits for it by
    /// [`bulk_wait`](crate::prelude::bulk_wait).
    #[track_caller]
    pub fn store<const D: usize>(self, from: impl IntoPart<T, D>, at: impl TileAt<R>)
    where
        Self: WrittenTensor,
    {
        here();
        self.map.store(from.into_part(), &at.coordinates(), None);
    }

    reductions! {
        reduce_add "add" "Starts to add a tile to what is there (`cp.reduce.async.bulk.tensor`).";
        reduce_min "min" "Starts to take the minima of a tile and what is there.";
        reduce_max "max" "Starts to take the maxima of a tile and what is there.";
        reduce_and "and" "Starts to `&` a tile with what is there.";
        reduce_or "or" "Starts to `|` a tile with what is there.";
        reduce_xor "xor" "Starts to `^` a tile with what is there.";
    }
}

/// A tile as written in messages.
impl std::fmt::Display for Tile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shape: Vec<_> = self.shape().iter().map(u32::to_string).collect();
        write!(f, "{}", if shape.is_empty() { "1".to_owned() } else { shape.join(" x ") })?;
        match self.swizzle {
            Swizzle::None => write!(f, " without a swizzle"),
            swizzle => write!(f, " with the swizzle {swizzle:?}"),
        }
    }
}
