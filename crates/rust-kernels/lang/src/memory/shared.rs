//! Shared memory: arrays of up to three dimensions that the threads of a block share.

use crate::data::leaves::{Data, leaves};
use crate::data::names;
use crate::data::operations::stored_type;
use crate::data::place::{Base, Place, Space};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::named;
use crate::emit::value::{Index, Value, integer};
use crate::memory::registers::{IntoShape, checked_shape};
use crate::scalar::number::Extent;
use crate::scalar::var::by_name;
use lanework_abi::IndexKind;
use lanework_ptx::{Linkage, ScalarType, StateSpace, Variable};
use std::marker::PhantomData;

/// An array in shared memory with `D` dimensions, outermost first.
///
/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn column_sum(tile: Shared<f32, 2>, column: u32) -> f32 {
///     let mut sum = 0.0;
///     #[unroll]
///     for row in 0..tile.shape()[0] {
///         sum += tile[[row, column]];
///     }
///     sum
/// }
///
/// #[kernel(block = 4)]
/// fn example(x: &[f32], out: &mut [f32]) {
///     let (t, tile) = (thread_idx.x, shared::<f32>([4, 4]));
///     // Four elements of a row in one access, then two and two.
///     tile.store4((t, 0), x.load4(4 * t));
///     sync_threads();
///     out[t] = column_sum(tile, t);
///     let [a, b] = tile.load2((t, 0));
///     tile.store2((t, 2), [a, b]);
///     let [c, d] = tile.load_vec::<2>((t, 2));
///     tile.store_vec((t, 0), [d, c]);
///     let [e, ..] = tile.load4((t, 0));
///     out[4 + t] = e + tile.len() as f32;
/// }
/// # let device = Device::emulator();
/// # let x: Vec<f32> = (0..16).map(|v| v as f32).collect();
/// # let x = device.upload(&x)?;
/// # let mut out = device.zeros::<f32>(8)?;
/// # example(&x, &mut out).grid(1).block(4).launch(&device)?;
/// assert_eq!(out.download()?, [24.0, 28.0, 32.0, 36.0, 17.0, 21.0, 25.0, 29.0]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
pub struct Shared<T, const D: usize = 1> {
    pub(crate) symbol: usize,
    /// Byte offset from the symbol, for arrays in dynamic shared memory.
    pub(crate) start: i64,
    pub(crate) dims: [u32; D],
    element: PhantomData<fn() -> T>,
}

by_name!([T, const D: usize] Shared<T, D>);

/// An array in shared memory whose size is known while the kernel is staged.
///
/// `shared::<f32>(256)` has one dimension, `shared::<f32>([T, T + 1])` two. It is aligned to 16
/// bytes and uninitialized.
#[track_caller]
pub fn shared<T: Data, const D: usize>(shape: impl IntoShape<D>) -> Shared<T, D> {
    here();
    let array = with(|b| {
        let dims = checked_shape(b, shape);
        let hint = b.take_hint("shared_array");
        let name = b.unique(&crate::emit::value::identifier(hint));
        // A struct is stored as bytes.
        let leaves = leaves::<T>();
        let bytes = match leaves.as_slice() {
            [leaf] => (stored_type(leaf.ty), None),
            _ => (ScalarType::B8, Some(Some(T::size()))),
        };
        let extents = dims.iter().map(|extent| Some(u64::from(*extent)));
        b.variables.push(Variable {
            align: Some(align_of::<T>().max(16) as u32),
            dims: extents.chain(bytes.1).collect(),
            ..Variable::new(StateSpace::Shared, bytes.0, &name)
        });
        b.symbols.push(name);
        Shared { symbol: b.symbols.len() - 1, start: 0, dims, element: PhantomData }
    });
    record::<T, D>(&array);
    array
}

/// Records the type of an array for the debugger.
fn record<T: Data, const D: usize>(array: &Shared<T, D>) {
    if let Some(name) = with(|b| b.named.is_some().then(|| b.symbols[array.symbol].clone())) {
        names::record("shared", &name, &named::array_type(&T::described(), &array.dims));
    }
}

/// The name of the dynamic shared memory array.
const DYNAMIC: &str = "dynamic_shared";

/// An array in dynamic shared memory, whose size the launch sets.
///
/// Several such arrays in one kernel are consecutive, each aligned to 16 bytes; the launch must
/// request the bytes of all of them.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32], #[constant] threads: u32) {
///     let tile = shared_dynamic::<u32>(threads);
///     tile[thread_idx.x] = thread_idx.x;
///     sync_threads();
///     out[thread_idx.x] = tile[threads - 1 - thread_idx.x];
/// }
/// # let device = Device::emulator();
/// # let mut out = device.zeros::<u32>(4)?;
/// // The launch requests the bytes.
/// example(&mut out, 4).grid(1).block(4).shared_bytes(16).launch(&device)?;
/// assert_eq!(out.download()?, [3, 2, 1, 0]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn shared_dynamic<T: Data, const D: usize>(shape: impl IntoShape<D>) -> Shared<T, D> {
    here();
    let (array, name) = with(|b| {
        let dims = checked_shape(b, shape);
        let elements: u64 = dims.iter().map(|extent| u64::from(*extent)).product();
        let (symbol, start) = dynamic_bytes(b, elements * T::size(), 16);
        let array = Shared { symbol, start: start as i64, dims, element: PhantomData };
        (array, b.take_hint(DYNAMIC))
    });
    let array: Shared<T, D> = array;
    let place = format!("{name}\t{DYNAMIC}\t{}", array.start);
    names::record("dynamic", &place, &named::array_type(&T::described(), &array.dims));
    array
}

/// Reserves bytes of dynamic shared memory, aligned to `align`. Returns the array's symbol and the offset.
pub(crate) fn dynamic_bytes(b: &mut Builder, bytes: u64, align: u32) -> (usize, u64) {
    let start = b.dynamic_shared.next_multiple_of(align.into());
    b.dynamic_shared = start + bytes.next_multiple_of(16);
    let symbol = b.symbols.iter().position(|s| s == DYNAMIC).unwrap_or_else(|| {
        b.globals.push(Variable {
            linkage: Linkage::Extern,
            align: Some(16),
            dims: vec![None],
            ..Variable::new(StateSpace::Shared, ScalarType::B8, DYNAMIC)
        });
        b.symbols.push(DYNAMIC.to_owned());
        b.symbols.len() - 1
    });
    if let Some(array) = b.globals.iter_mut().find(|global| global.name == DYNAMIC) {
        array.align = array.align.max(Some(align));
    }
    (symbol, start)
}

impl<T: Data, const D: usize> Shared<T, D> {
    /// The extents, outermost first.
    pub fn shape(&self) -> [u32; D] {
        self.dims
    }

    /// The number of elements.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> u32 {
        self.dims.iter().product()
    }

    /// The elements from `first` on as an array of another shape, to reuse the bytes of one array for several purposes. A barrier must
    /// separate the uses.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// /// Writes rows and reads columns, in memory that held other data before.
    /// #[kernel(block = 16)]
    /// fn example(out: &mut [u32]) {
    ///     let (t, memory) = (thread_idx.x, shared_dynamic::<u32>(32));
    ///     memory[t + 16] = t;
    ///     sync_threads();
    ///     let mine = memory[31 - t];
    ///     sync_threads();
    ///     let tile = memory.region(8, [4, 4]);
    ///     tile[[t / 4, t % 4]] = mine;
    ///     sync_threads();
    ///     out[t] = tile[[t % 4, t / 4]];
    /// }
    /// # let device = Device::emulator().sanitized();
    /// # let mut out = device.zeros::<u32>(16)?;
    /// example(&mut out).grid(1).block(16).shared_bytes(128).launch(&device)?;
    /// assert_eq!(out.download()?[..5], [15, 11, 7, 3, 14]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn region<const E: usize>(
        self,
        first: impl Extent,
        shape: impl IntoShape<E>,
    ) -> Shared<T, E> {
        here();
        with(|b| {
            let dims = checked_shape(b, shape);
            let elements: u64 = dims.iter().map(|extent| u64::from(*extent)).product();
            let first = first.extent().map(|first| first as u64);
            let Some(first) = first.filter(|first| first + elements <= u64::from(self.len()))
            else {
                b.error(
                    format!(
                        "a region of {elements} elements does not lie within an array of {}",
                        self.len()
                    ),
                    "give a first element and a shape whose elements the array has",
                );
                return Shared {
                    symbol: self.symbol,
                    start: self.start,
                    dims,
                    element: PhantomData,
                };
            };
            let start = self.start + (first * T::size()) as i64;
            Shared { symbol: self.symbol, start, dims, element: PhantomData }
        })
    }

    /// The array's name.
    pub(crate) fn name(&self) -> String {
        with(|b| b.symbols[self.symbol].clone())
    }

    /// The place of an element, after a check that `count` elements of the last axis are in range.
    pub(crate) fn place(&self, index: [Index; D], count: u32) -> Place<T> {
        with(|b| {
            let name = b.symbols[self.symbol].clone();
            for (axis, (index, extent)) in index.into_iter().zip(self.dims).enumerate() {
                let index = match axis + 1 == D && count > 1 {
                    true => index.plus(b, u64::from(count) - 1),
                    false => index,
                };
                let extent = Value::Constant(extent.into());
                b.check(index, extent, &name, IndexKind::SharedAxis(axis as u8));
            }
            let first = Place::new(Space::Shared, Base::Symbol(self.symbol), self.start);
            element_place(b, first, &self.dims, &index)
        })
    }
}

/// The place of an element of an array of shape `dims`, unchecked.
///
/// Shared addresses are 32-bit and wrap as index arithmetic does, so the constant summand of every index moves into the
/// instruction's immediate offset.
pub(crate) fn element_place<T: Data>(
    b: &mut Builder,
    array: Place<T>,
    dims: &[u32],
    index: &[Index],
) -> Place<T> {
    let mut offset = array.offset;
    let mut address = match array.base {
        Base::Register(value) => Some(value),
        Base::Symbol(_) => None,
    };
    let mut stride = T::size() as i64;
    let strides: Vec<i64> = dims
        .iter()
        .rev()
        .map(|extent| {
            let this = stride;
            stride *= i64::from(*extent);
            this
        })
        .collect();
    let ty = ScalarType::U32;
    for (index, stride) in index.iter().zip(strides.into_iter().rev()) {
        let (value, constant) = match index.value {
            Value::Constant(bits) => (None, integer(bits, index.ty) as i64),
            value => {
                let (value, constant) = b.split_sum(value);
                (Some(value), constant)
            }
        };
        offset += constant * stride;
        if let Some(value) = value {
            let word = match index.ty.size() {
                8 => b.pure("cvt.u32.u64", ty, &[(value, ScalarType::U64)]),
                _ => value,
            };
            let base = match (address, array.base) {
                (Some(address), _) => address,
                (None, Base::Symbol(symbol)) => b.symbol_address(symbol),
                (None, Base::Register(value)) => value,
            };
            let scale = Value::Constant(stride as u64);
            let inputs = [(word, ty), (scale, ty), (base, ty)];
            address = Some(b.pure("mad.lo.u32", ty, &inputs));
        }
    }
    Place::new(array.space, address.map_or(array.base, Base::Register), offset)
}

/// `shared::<[[T; N]; M]>()`: an array of arrays in shared memory.
#[track_caller]
pub fn shared_value<T: Data>() -> T::Of<crate::data::leaves::Places> {
    let whole = shared::<T, 1>(1);
    crate::data::operations::place::<T, crate::data::leaves::Places>(
        whole.place(
            [crate::emit::value::Index { value: Value::Constant(0), ty: ScalarType::U32 }],
            1,
        ),
    )
}
