//! Loads with cache operators, and addresses.

use crate::current::{here, with};
use crate::memory::ReadPlace;
use crate::scalar::Element;
use crate::var::Var;

/// Reads `&x[i]` through the read-only cache (`ld.global.nc`): no thread may write the element
/// while the kernel runs.
#[track_caller]
pub fn load_nc<T: Element>(place: impl Into<ReadPlace<T>>) -> Var<T> {
    here();
    let place = place.into().place;
    match place.space {
        crate::memory::Space::Global => place.load_with(".nc"),
        crate::memory::Space::Shared => place.load_with(""),
    }
}

/// Reads `&x[i]` from memory at every call, as polling a lock or a flag requires (`ld.volatile`).
#[track_caller]
pub fn load_volatile<T: Element>(place: impl Into<ReadPlace<T>>) -> Var<T> {
    here();
    place.into().place.load_volatile()
}

/// The address of `&x[i]` within its state space (global or shared), for instructions that take an
/// address in a register.
#[track_caller]
pub fn address_of<T: Element>(place: impl Into<ReadPlace<T>>) -> Var<u64> {
    here();
    let place = place.into().place;
    match place.space {
        crate::memory::Space::Global => Var::new(with(|b| place.address(b))),
        crate::memory::Space::Shared => {
            crate::cast::Cast::cast(Var::<u32>::new(with(|b| place.address(b))))
        }
    }
}
