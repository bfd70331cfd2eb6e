//! A tensor map as a parameter, the instructions that use it, and coordinates of tiles: one to five integers, outermost first, like
//! indices of arrays.

use crate::asynchrony::mbarrier::{Signal, word};
use crate::asynchrony::part::Part;
use crate::asynchrony::remote::needs_cluster;
use crate::emit::builder::Builder;
use crate::emit::current::with;
use crate::emit::value::{Index, Value};
use crate::scalar::number::{Element, IndexValue};
use lanework_abi::{Parameter, ParameterKind, Tile};
use lanework_ptx::{Address, AddressBase, Operand, ScalarType, StateSpace, Variable};

/// A parameter that is a tensor map, with the options of copies through it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Map {
    /// Its number among the kernel's parameters.
    parameter: usize,
    address: Value,
    /// Bit mask of the blocks that receive the tile.
    blocks: Option<Value>,
    policy: Option<Value>,
}

impl Map {
    pub(crate) fn parameter<T: Element>(name: &'static str, rank: usize, mutable: bool) -> Map {
        with(|b| {
            let kind = ParameterKind::TensorMap { element: T::SCALAR, rank, mutable, tile: None };
            b.parameters.push(Parameter { name: name.to_owned(), kind });
            let symbol = b.unique(&crate::emit::value::identifier(name));
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

    /// Records the tile's shape, which the launch compares with the map's, and rejects a second shape.
    fn uses<T: Element, const D: usize>(self, b: &mut Builder, part: &Part<T, D>) {
        self.uses_of(b, part, &part.dims);
    }

    /// As [`uses`](Self::uses), for a copy whose tile has this shape.
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
    pub(crate) fn prefetch(self) {
        with(|b| {
            let Operand::Name(base) = b.operand(self.address, ScalarType::U64) else { return };
            b.emit("prefetch.tensormap", vec![Operand::address(base, 0)]);
        });
    }

    /// The instruction's modifiers for the copies' options.
    fn modifiers(self) -> String {
        let multicast = if self.blocks.is_some() { ".multicast::cluster" } else { "" };
        let hint = if self.policy.is_some() { ".L2::cache_hint" } else { "" };
        format!("{multicast}{hint}")
    }

    /// The operands of the modifiers.
    fn modifier_operands(self, b: &mut Builder, operands: &mut Vec<Operand>) {
        if let Some(blocks) = self.blocks {
            let half = half(b, blocks);
            operands.push(b.operand(half, ScalarType::B16));
        }
        if let Some(policy) = self.policy {
            operands.push(b.operand(policy, ScalarType::B64));
        }
    }

    /// Copies with multicast to `blocks` of the cluster.
    pub(crate) fn multicast(self, blocks: Value) -> Map {
        with(|b| needs_cluster(b, "multicast"));
        Map { blocks: Some(blocks), ..self }
    }

    /// Copies with a policy of the L2 cache.
    pub(crate) fn with_policy(self, policy: Value) -> Map {
        Map { policy: Some(policy), ..self }
    }

    /// Loads a tile, or pixels if `offsets` are given.
    pub(crate) fn load<T: Element, const D: usize>(
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
                self.modifiers()
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
            self.modifier_operands(b, &mut operands);
            b.emit(&name, operands);
        });
    }

    /// Loads four rows; the map's tile is one row.
    pub(crate) fn gather<T: Element>(self, part: Part<T, 2>, at: &[Index], signal: impl Signal) {
        with(|b| {
            self.uses_of(b, &part, &part.dims[1..]);
            let name = format!(
                "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes{}",
                self.modifiers()
            );
            let places = vector(b, at);
            let mut operands = vec![
                part.first.operand(b),
                self.place(b, places),
                signal.barrier().place.operand(b),
            ];
            self.modifier_operands(b, &mut operands);
            b.emit(&name, operands);
        });
    }

    /// Stores four rows.
    pub(crate) fn scatter<T: Element>(self, part: Part<T, 2>, at: &[Index]) {
        with(|b| {
            self.uses_of(b, &part, &part.dims[1..]);
            let name = format!(
                "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group{}",
                self.modifiers()
            );
            let places = vector(b, at);
            let mut operands = vec![self.place(b, places), part.first.operand(b)];
            self.modifier_operands(b, &mut operands);
            b.emit(&name, operands);
        });
    }

    /// Stores a tile, or reduces it with the elements in global memory.
    pub(crate) fn store<T: Element, const D: usize>(
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
                self.modifiers()
            );
            let coordinates = vector(b, at);
            let mut operands = vec![self.place(b, coordinates), part.first.operand(b)];
            self.modifier_operands(b, &mut operands);
            b.emit(&name, operands);
        });
    }

    /// Starts to fetch a tile into the L2 cache.
    pub(crate) fn prefetch_tile(self, at: &[Index]) {
        with(|b| {
            let hint = if self.policy.is_some() { ".L2::cache_hint" } else { "" };
            let coordinates = vector(b, at);
            let mut operands = vec![self.place(b, coordinates)];
            if let Some(policy) = self.policy {
                operands.push(b.operand(policy, ScalarType::B64));
            }
            let rank = at.len();
            b.emit(
                &format!("cp.async.bulk.prefetch.tensor.{rank}d.L2.global.tile{hint}"),
                operands,
            );
        });
    }
}

/// The low half of a word.
fn half(b: &mut Builder, word: Value) -> Value {
    match word {
        Value::Constant(bits) => Value::Constant(u64::from(bits as u16)),
        word => b.pure("cvt.u16.u32", ScalarType::B16, &[(word, ScalarType::U32)]),
    }
}

/// The coordinates of a tile's first element in a tensor of `R` dimensions, outermost first: `(row, column)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not place a tile in a tensor of {R} dimensions",
    label = "expected {R} integers",
    note = "write a tuple of as many integers as the tensor map has dimensions, outermost first: `(row, column)`"
)]
pub trait TileAt<const R: usize>: Copy {
    /// The integers.
    #[doc(hidden)]
    fn coordinates(self) -> [Index; R];
}

impl<I: IndexValue> TileAt<1> for I {
    fn coordinates(self) -> [Index; 1] {
        [self.parts()]
    }
}

impl<I: IndexValue, const R: usize> TileAt<R> for [I; R] {
    fn coordinates(self) -> [Index; R] {
        self.map(IndexValue::parts)
    }
}

macro_rules! tuples {
    ($($count:literal: $($i:ident $axis:tt)*;)*) => {$(
        impl<$($i: IndexValue),*> TileAt<$count> for ($($i,)*) {
            fn coordinates(self) -> [Index; $count] {
                [$(self.$axis.parts()),*]
            }
        }
    )*};
}

tuples! {
    1: A 0;
    2: A 0 B 1;
    3: A 0 B 1 C 2;
    4: A 0 B 1 C 2 D 3;
    5: A 0 B 1 C 2 D 3 E 4;
}

/// The coordinates as PTX lists them: the fastest-varying first.
pub(crate) fn vector(b: &mut Builder, at: &[Index]) -> Operand {
    let mut list = Vec::with_capacity(at.len());
    for index in at.iter().rev() {
        let value = word(b, *index);
        list.push(b.operand(value, ScalarType::S32));
    }
    Operand::Vector(list)
}
