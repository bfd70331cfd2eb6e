//! Fragments as values in kernels: naming, assignment, indexing, and passing to and from device
//! functions.

use crate::data::variable::{AssignTo, IntoVariable, Receive};
use crate::emit::current::{here, with};
use crate::emit::value::Value;
use crate::flow::call::{ReturnAs, Returned};
use crate::memory::registers::{Get, Put};
use crate::scalar::number::Extent;
use crate::scalar::var::{IntoVar, Read, Var};
use crate::tensor_cores::element::{MatrixElement, put};
use crate::tensor_cores::fragment::{Fragment, Role};
use lanework_ptx::ScalarType;

impl<P: Role, T: MatrixElement, const R: u32, const C: u32> crate::data::convert::Functions
    for Fragment<P, T, R, C>
{
    type Of = Self;
}

impl<P: Role, T: MatrixElement, const R: u32, const C: u32> Read for Fragment<P, T, R, C> {
    type Value = Self;
    fn view(self) -> Self {
        self
    }
    fn copy(self) -> Self {
        if !self.is_variable() {
            return self;
        }
        with(|b| {
            let copy = Self::declare_of(b, false, self.width());
            for (to, from) in copy.registers().into_iter().zip(self.registers()) {
                put(b, to, Value::Register(from), T::REGISTER);
            }
            copy
        })
    }
}

impl<P: Role, T: MatrixElement, const R: u32, const C: u32> Receive for Fragment<P, T, R, C> {
    type Receiver = Self;
    fn receive(self) -> Self {
        self
    }
}

impl<P: Role, T: MatrixElement, const R: u32, const C: u32> IntoVariable for Fragment<P, T, R, C> {
    type Variable = Self;
    fn into_variable(self) -> Self {
        let variable = with(|b| Self::declare_of(b, true, self.width()));
        AssignTo::<Self>::assign_to(self, variable);
        variable
    }
}

impl<P: Role, T: MatrixElement, const R: u32, const C: u32> AssignTo<Fragment<P, T, R, C>>
    for Fragment<P, T, R, C>
{
    #[track_caller]
    fn assign_to(self, variable: Self) {
        here();
        with(|b| {
            for (to, from) in variable.registers().into_iter().zip(self.registers()) {
                put(b, to, Value::Register(from), T::REGISTER);
            }
        });
    }
}

impl<P: Role, T: MatrixElement, const R: u32, const C: u32> Returned for Fragment<P, T, R, C> {
    type Handle = Self;
    fn declare() -> Self {
        with(|b| Self::declare(b, false))
    }
    fn assign(out: Self, value: Self) {
        AssignTo::<Self>::assign_to(value, out);
    }
}

impl<P: Role, T: MatrixElement, const R: u32, const C: u32> ReturnAs<Fragment<P, T, R, C>>
    for Fragment<P, T, R, C>
{
    fn handle(self) -> Option<Self> {
        Some(self)
    }
}

impl<P: Role, T: MatrixElement, const R: u32, const C: u32> Fragment<P, T, R, C> {
    /// The bits of this lane's register `i`, which must be known while the kernel is staged. With 16-bit elements, the low half is
    /// element `2 * i`, the high half `2 * i + 1`.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// use half::f16;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let sums = FragmentC::<f32, 16, 8>::fill(1.0).to::<f16>();
    ///     out[thread_idx.x] = sums.word(1);
    /// }
    /// # let device = Device::emulator();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example(&mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?, [0x3c00_3c00; 32]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn word(self, i: impl Extent) -> Var<u32> {
        here();
        let registers = self.registers();
        let register =
            i.extent().and_then(|i| registers.get(i)).filter(|_| T::REGISTER.size() == 4);
        Var::new(with(|b| match register {
            Some(register) => {
                let word = b.register(ScalarType::U32, false);
                put(b, word, Value::Register(*register), T::REGISTER);
                Value::Register(word)
            }
            None => {
                b.error(
                    format!(
                        "this is not a 4-byte register of the fragment: a lane has {} registers of {} bytes",
                        registers.len(),
                        T::REGISTER.size()
                    ),
                    "use a constant index below their number, and a fragment whose registers have 4 bytes",
                );
                Value::Constant(0)
            }
        }))
    }
}

impl<P: Role, T: MatrixElement, const R: u32, const C: u32, I: Extent> Get<I>
    for Fragment<P, T, R, C>
{
    type Output = Var<T::Storage>;

    #[track_caller]
    fn get(&self, index: I) -> Var<T::Storage> {
        here();
        let i = self.checked(index.extent());
        self.element(i)
    }
}

impl<P, T, const R: u32, const C: u32, I, V> Put<I, V> for Fragment<P, T, R, C>
where
    P: Role,
    T: MatrixElement,
    I: Extent,
    V: IntoVar<T::Storage>,
{
    #[track_caller]
    fn put(&self, index: I, value: V) {
        here();
        let i = self.checked(index.extent());
        with(|b| self.check_variable(b, "this assignment"));
        self.set_element(i, value.into_var().value);
    }
}
