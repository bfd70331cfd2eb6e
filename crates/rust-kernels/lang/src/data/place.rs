//! Places: the address of an element in global or shared memory, computed from a base and an index, and loads and stores of it.

use crate::emit::arithmetic::{Operation, binary};
use crate::emit::builder::Builder;
use crate::emit::current::with;
use crate::emit::value::{Index, Value, memory_type};
use crate::scalar::number::Number;
use crate::scalar::var::{IntoVar, Scalar, Var};
use lanework_ptx::{Operand, ScalarType};
use std::marker::PhantomData;

/// The state space of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Global memory.
    Global,
    /// Shared memory.
    Shared,
    /// Shared memory of a block of the cluster.
    Cluster,
    /// A thread's local memory.
    Local,
    /// Constant memory.
    Const,
}

impl Space {
    /// The state space's qualifier in an instruction.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Cluster => "shared::cluster",
            Space::Local => "local",
            Space::Const => "const",
        }
    }
}

/// The base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// A register.
    Register(Value),
    /// A variable, by its index in the builder's symbols.
    Symbol(usize),
}

/// One element's place in memory: `&x[i]` or `&mut tile[[y, x]]` in a kernel.
///
/// ```
/// # use lanework::prelude::*;
/// use lanework::lang::{Place, ReadPlace};
/// /// `&x[i]` is a place that is read, `&mut y[i]` one that is written, as pointers are in CUDA C++.
/// #[device]
/// fn shift(from: ReadPlace<f32>, to: Place<f32>) {
///     to.add(2).store(from.load() + from.add(1).load() + to.load());
/// }
///
/// #[kernel]
/// fn example(x: &[f32], y: &mut [f32]) {
///     let i = thread_idx.x;
///     shift(&x[i], &mut y[i]);
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&[1.0f32, 2.0, 4.0])?;
/// # let mut y = device.upload(&[10.0f32, 20.0, 0.0, 0.0])?;
/// # example(&x, &mut y).grid(1).block(2).launch(&device)?;
/// assert_eq!(y.download()?, [10.0, 20.0, 13.0, 26.0]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
pub struct Place<T> {
    pub(crate) space: Space,
    pub(crate) base: Base,
    pub(crate) offset: i64,
    element: PhantomData<fn() -> T>,
}

crate::scalar::var::copied!([T] Place<T>);

impl<T> Place<T> {
    pub(crate) fn new(space: Space, base: Base, offset: i64) -> Self {
        Place { space, base, offset, element: PhantomData }
    }

    /// The address as an operand in brackets.
    pub(crate) fn operand(self, b: &mut Builder) -> Operand {
        let base = match self.base {
            Base::Register(value) => match b.operand(value, ScalarType::U64) {
                Operand::Name(name) => name,
                other => other.to_string(),
            },
            Base::Symbol(symbol) => b.symbols[symbol].clone(),
        };
        Operand::address(base, self.offset)
    }

    /// The address in a register: 64 bits in global memory, 32 in shared memory.
    pub(crate) fn address(self, b: &mut Builder) -> Value {
        let ty = match self.space {
            Space::Shared | Space::Cluster => ScalarType::U32,
            Space::Global | Space::Local | Space::Const => ScalarType::U64,
        };
        let base = match self.base {
            Base::Register(value) => value,
            Base::Symbol(symbol) if ty == ScalarType::U64 => b.wide_address(symbol),
            Base::Symbol(symbol) => b.symbol_address(symbol),
        };
        let offset = crate::emit::value::wrap(self.offset.into(), ty);
        binary(b, Operation::Add, ty, base, Value::Constant(offset))
    }
}

/// One element's place in memory that may only be read: `&x[i]` of a parameter `x: &[T]`.
#[derive(Debug)]
pub struct ReadPlace<T> {
    pub(crate) place: Place<T>,
}

crate::scalar::var::copied!([T] ReadPlace<T>);

impl<T> From<Place<T>> for ReadPlace<T> {
    fn from(place: Place<T>) -> Self {
        ReadPlace { place }
    }
}

impl<T: Number> ReadPlace<T> {
    /// The place `count` elements further on.
    ///
    /// The offset is folded into the instruction and is not bounds-checked.
    #[allow(clippy::should_implement_trait)]
    pub fn add(self, count: impl crate::scalar::number::Extent) -> ReadPlace<T> {
        ReadPlace { place: self.place.add(count) }
    }

    /// Reads the element.
    #[track_caller]
    pub fn load(self) -> Var<T> {
        self.place.load()
    }
}

impl<T: Number> Place<T> {
    /// The place `count` elements further on.
    ///
    /// The offset is folded into the instruction and is not bounds-checked.
    #[allow(clippy::should_implement_trait)]
    pub fn add(self, count: impl crate::scalar::number::Extent) -> Place<T> {
        let bytes = count.extent().map_or(0, |n| n as i64 * i64::from(T::SCALAR.size()));
        Place { offset: self.offset + bytes, ..self }
    }

    /// Reads the element.
    #[track_caller]
    pub fn load(self) -> Var<T> {
        crate::emit::current::here();
        self.load_with("")
    }

    /// Writes the element.
    #[track_caller]
    pub fn store(self, value: impl IntoVar<T>) {
        crate::emit::current::here();
        let value = value.into_var();
        with(|b| {
            b.before_store(self.space);
            let name = format!("st.{}.{}", self.space.word(), memory_type(T::SCALAR).name());
            let operands = vec![self.operand(b), b.operand(value.value, T::SCALAR)];
            b.emit(&name, operands);
        });
    }

    /// Reads the element with a volatile load.
    pub(crate) fn load_volatile(self) -> Var<T> {
        Var::new(with(|b| {
            let ty = memory_type(T::SCALAR);
            let name = format!("ld.volatile.{}.{}", self.space.word(), ty.name());
            let address = self.operand(b);
            b.emit_to(&name, T::SCALAR, vec![address])
        }))
    }

    /// Reads the element with qualifiers such as `.nc` after the state space.
    pub(crate) fn load_with(self, words: &str) -> Var<T> {
        Var::new(with(|b| {
            let ty = memory_type(T::SCALAR);
            let name = format!("ld.{}{words}.{}", self.space.word(), ty.name());
            let address = self.operand(b);
            b.emit_to(&name, T::SCALAR, vec![address])
        }))
    }

    /// Reads `N` adjacent elements with one instruction.
    pub(crate) fn load_vector<const N: usize>(self, words: &str) -> [Var<T>; N] {
        self.load_vector_of("", words)
    }

    /// As [`load_vector`](Self::load_vector), with qualifiers before the state space, such as `volatile.`, and after it.
    pub(crate) fn load_vector_of<const N: usize>(self, before: &str, words: &str) -> [Var<T>; N] {
        with(|b| {
            vector_width::<T>(b, N);
            let ty = memory_type(T::SCALAR);
            let registers: [_; N] = std::array::from_fn(|_| b.register(T::SCALAR, false));
            let elements = registers.iter().map(|r| Operand::Name(r.name())).collect();
            let name = format!("ld.{before}{}{words}.v{N}.{}", self.space.word(), ty.name());
            let operands = vec![Operand::Vector(elements), self.operand(b)];
            b.emit(&name, operands);
            registers.map(|r| Var::new(Value::Register(r)))
        })
    }

    /// Writes `N` adjacent elements with one instruction.
    pub(crate) fn store_vector<const N: usize>(self, words: &str, values: [Var<T>; N]) {
        with(|b| {
            b.before_store(self.space);
            vector_width::<T>(b, N);
            let ty = memory_type(T::SCALAR);
            let elements = values.iter().map(|v| b.operand(v.value, T::SCALAR)).collect();
            let name = format!("st.{}{words}.v{N}.{}", self.space.word(), ty.name());
            let operands = vec![self.operand(b), Operand::Vector(elements)];
            b.emit(&name, operands);
        });
    }
}

impl Builder {
    /// Called before a store: a store to local memory may change any variable, and a store to constant memory is an error.
    pub fn before_store(&mut self, space: Space) {
        match space {
            Space::Local => self.forget_variables(),
            Space::Const => self.error(
                "an element of a constant cannot be assigned",
                "copy the array into a variable first: `let mut a = TABLE;`",
            ),
            _ => {}
        }
    }
}

/// Rejects vectors wider than one access.
fn vector_width<T: Scalar>(b: &mut Builder, count: usize) {
    let bytes = count * T::SCALAR.size() as usize;
    if bytes > 16 {
        b.error(
            format!("one access moves at most 16 bytes, this one moves {bytes}"),
            "load or store fewer elements at a time",
        );
    }
}

/// The place of element `index`, of `size` bytes each, after a 64-bit `base` in global memory.
pub(crate) fn global_place<T>(b: &mut Builder, base: Value, index: Index, size: i64) -> Place<T> {
    if let Some(known) = index.known() {
        return Place::new(Space::Global, Base::Register(base), known as i64 * size);
    }
    let scale = Value::Constant(size as u64);
    let (wide, narrow) = match index.ty.is_signed() {
        true => ("mad.wide.s32", ScalarType::S32),
        false => ("mad.wide.u32", ScalarType::U32),
    };
    let long = ScalarType::S64;
    let (address, constant) = if index.ty.size() == 8 {
        // 64-bit index arithmetic wraps as addresses do, so a constant summand moves into the
        // instruction's immediate offset.
        let (variable, constant) = b.split_sum(index.value);
        let inputs = [(variable, long), (scale, long), (base, long)];
        (b.pure("mad.lo.s64", ScalarType::U64, &inputs), constant)
    } else {
        // A 32-bit sum may wrap where the 64-bit address would not, so its constant stays in the
        // register.
        let inputs = [(index.value, narrow), (scale, narrow), (base, long)];
        (b.pure(wide, ScalarType::U64, &inputs), 0)
    };
    Place::new(Space::Global, Base::Register(address), constant.wrapping_mul(size))
}

/// The place `index` times `stride` bytes after a place.
pub(crate) fn stepped<T, U>(
    b: &mut Builder,
    from: Place<T>,
    index: Index,
    stride: i64,
) -> Place<U> {
    let Place { space, base, offset, .. } = from;
    if let Some(known) = index.known() {
        return Place::new(space, base, offset + known as i64 * stride);
    }
    let base = match base {
        Base::Register(value) => value,
        Base::Symbol(symbol) => match space {
            Space::Shared | Space::Cluster => b.symbol_address(symbol),
            Space::Global | Space::Local | Space::Const => b.wide_address(symbol),
        },
    };
    match space {
        Space::Global | Space::Local | Space::Const => {
            let place = global_place::<U>(b, base, index, stride);
            Place::new(space, place.base, offset + place.offset)
        }
        _ => {
            let ty = ScalarType::U32;
            let (value, constant) = b.split_sum(index.value);
            let word = match index.ty.size() {
                8 => b.pure("cvt.u32.u64", ty, &[(value, ScalarType::U64)]),
                _ => value,
            };
            let scale = Value::Constant(stride as u64);
            let address = b.pure("mad.lo.u32", ty, &[(word, ty), (scale, ty), (base, ty)]);
            Place::new(space, Base::Register(address), offset + constant * stride)
        }
    }
}
