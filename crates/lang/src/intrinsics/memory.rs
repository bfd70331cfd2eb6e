//! Loads and stores with a say in caching.

use crate::builder::here;
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

/// Reads `&x[i]` from memory itself every time, as a lock or a flag needs (`ld.volatile`).
#[track_caller]
pub fn load_volatile<T: Element>(place: impl Into<ReadPlace<T>>) -> Var<T> {
    here();
    place.into().place.load_volatile()
}
