//! Slices as values: in variables, and in fields of `#[device]` structs. The address and the length are in registers.

use crate::data::convert::{To, Valued};
use crate::data::handles::{Memory, MovedSlice, PlacedSlice, Slice, SliceMut};
use crate::data::leaves::{Data, Kind, Leaf, Part, Parts, Places};
use crate::data::operations;
use crate::data::place::{Place, Space};
use crate::data::variable::{Exclusive, IntoVariable, Loan, Receive, Target, lend, new_variable};
use crate::emit::current::{here, with};
use crate::scalar::var::{Mut, Read, Var};
use lanework_ptx::ScalarType;

impl<T: Data> Data for &'static [T] {
    type Of<K: Kind> = K::Slice<T>;
    fn leaves(offset: u64, out: &mut Vec<Leaf>) {
        out.extend([0, 8].map(|at| Leaf { ty: ScalarType::U64, offset: offset + at, flag: None }));
    }
    fn bits(self, out: &mut Vec<u64>) {
        with(|b| {
            b.error(
                "a slice of the host cannot be a part of a constant",
                "copy the table into an array: `const TABLE: [u32; 4] = [..];`",
            );
        });
        out.extend([0, 0]);
    }
    fn build<K: Kind>(parts: &mut Parts<'_>) -> K::Slice<T> {
        let base = parts.next();
        K::slice(base, parts.next())
    }
    fn parts<K: Kind>(value: K::Slice<T>, out: &mut Vec<Part>) {
        out.extend(K::slice_parts(value));
    }
}

impl<T: Data> To<&'static [T]> for Slice<T> {
    fn to(self) -> Slice<T> {
        self
    }
}

impl<T: Data> Valued for Slice<T> {
    type Value = &'static [T];
    // The debugger shows buffers, not slices.
    const IN_MEMORY: bool = true;
}

impl<T: Data> To<&'static [T]> for SliceMut<T> {
    fn to(self) -> Slice<T> {
        Slice::new(self.memory)
    }
}

impl<T: Data> To<&'static [T]> for MovedSlice<Slice<T>> {
    fn to(self) -> Slice<T> {
        Read::view(self)
    }
}

impl<T: Data> Valued for MovedSlice<Slice<T>> {
    type Value = &'static [T];
    const IN_MEMORY: bool = true;
}

impl<T: Data> Target for MovedSlice<Slice<T>> {
    type Value = &'static [T];
    #[track_caller]
    fn set(self, value: Slice<T>) {
        self.move_to(value.memory, self.first.memory.space);
    }
}

impl<T: Data> Exclusive<&'static [T]> for MovedSlice<Slice<T>> {
    fn enter(self) -> (Self, Loan<&'static [T]>) {
        lend::<&'static [T]>(self)
    }
}

impl<S> MovedSlice<S> {
    /// Sets the address and the length.
    #[track_caller]
    pub(crate) fn move_to(self, to: Memory, space: Space) {
        here();
        if to.space != space {
            with(|b| {
                b.error(
                    "this variable holds a slice of another memory",
                    "use one variable for slices of buffers and another for slices of the thread's arrays",
                );
            });
        }
        // The new ends may depend on the old ones.
        let [base, length] = [to.base, to.length].map(|value| Read::copy(Var::<u64>::new(value)));
        self.base.assign(base);
        self.length.assign(length);
    }
}

impl<T> IntoVariable for Slice<T> {
    type Variable = MovedSlice<Self>;
    #[track_caller]
    fn into_variable(self) -> MovedSlice<Self> {
        let [base, length] = [self.memory.base, self.memory.length]
            .map(|value| new_variable(Var::<u64>::new(value)));
        MovedSlice { base, length, first: self }
    }
}

impl<T> IntoVariable for SliceMut<T> {
    type Variable = MovedSlice<Self>;
    #[track_caller]
    fn into_variable(self) -> MovedSlice<Self> {
        let [base, length] = [self.memory.base, self.memory.length]
            .map(|value| new_variable(Var::<u64>::new(value)));
        MovedSlice { base, length, first: self }
    }
}

macro_rules! moved {
    ($($slice:ident)*) => {$(
        impl<T> Read for MovedSlice<$slice<T>> {
            type Value = $slice<T>;
            fn view(self) -> $slice<T> {
                let (base, length) = (self.base.view().value, self.length.view().value);
                $slice::new(Memory { base, length, ..self.first.memory })
            }
            #[track_caller]
            fn copy(self) -> $slice<T> {
                let copied = |value: Mut<u64>| Read::copy(value).value;
                let (base, length) = (copied(self.base), copied(self.length));
                $slice::new(Memory { base, length, ..self.first.memory })
            }
        }
    )*};
}

moved!(Slice SliceMut);

impl<P: Read<Value = Var<u64>>, T> PlacedSlice<P, T> {
    /// The slice.
    #[track_caller]
    fn slice(self) -> Slice<T> {
        let (base, length) = (self.base.view().value, self.length.view().value);
        Slice::new(Memory { base, length, name: "slice", space: Space::Global })
    }
}

impl<P: Read<Value = Var<u64>>, T: Data> To<&'static [T]> for PlacedSlice<P, T> {
    #[track_caller]
    fn to(self) -> Slice<T> {
        self.slice()
    }
}

impl<P: Read<Value = Var<u64>>, T: Data> Valued for PlacedSlice<P, T> {
    type Value = &'static [T];
    const IN_MEMORY: bool = true;
}

impl<P: Read<Value = Var<u64>>, T: Data> Read for PlacedSlice<P, T> {
    type Value = Slice<T>;
    #[track_caller]
    fn view(self) -> Slice<T> {
        self.slice()
    }
    #[track_caller]
    fn copy(self) -> Slice<T> {
        self.slice()
    }
}

impl<P: Read<Value = Var<u64>>, T: Data> Receive for PlacedSlice<P, T> {
    type Receiver = Slice<T>;
    #[track_caller]
    fn receive(self) -> Slice<T> {
        self.slice()
    }
}

impl<T: Data> Target for PlacedSlice<Place<u64>, T> {
    type Value = &'static [T];
    #[track_caller]
    fn set(self, value: Slice<T>) {
        operations::set::<&'static [T], Places>(self, value);
    }
}

impl<T: Data> Exclusive<&'static [T]> for PlacedSlice<Place<u64>, T> {
    #[track_caller]
    fn enter(self) -> (MovedSlice<Slice<T>>, Loan<&'static [T]>) {
        crate::data::variable::borrow::<&'static [T]>(self)
    }
}
