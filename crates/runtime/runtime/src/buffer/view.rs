//! Views: parts of buffers that kernels may read or write.

use crate::{Device, Storable};
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};

/// A part of a buffer that a kernel may read.
///
/// ```
/// use lanework::prelude::*;
///
/// #[kernel]
/// fn add(x: &[u32], y: &mut [u32]) {
///     y[thread_idx.x] += x[thread_idx.x];
/// }
///
/// let device = Device::best();
/// let x = device.upload(&[1u32, 2, 3, 4])?;
/// let mut y = device.zeros::<u32>(4)?;
/// let rest: lanework::ViewMut<u32> = y.view_mut(..2);
/// add(x.view(2..), rest).grid(1).block(2).launch(&device)?;
/// assert_eq!(y.download()?, [3, 4, 0, 0]);
///
/// // A part of a part, and the same bytes as another type.
/// let last = x.view(..).part(2..).cast::<[u16; 2]>();
/// assert_eq!((last.len(), last.is_empty(), last.address()), (2, false, x.address() + 8));
/// // SAFETY: `x` is alive and unchanged.
/// let long: lanework::View<'static, u32> = unsafe { x.view(..).unbound() };
/// add(long, &mut y).grid(1).block(2).launch(&device)?;
/// // SAFETY: the two halves do not overlap.
/// let (low, high) = unsafe { (y.view_shared(..2), y.view_shared(2..)) };
/// add(lanework::View::from(low), high).grid(1).block(2).launch(&device)?;
///
/// // For a parameter that a kernel does not read with these arguments, and memory that one reads and writes.
/// assert!(lanework::View::<u32>::nothing(&device).is_empty());
/// let whole = y.view_mut(..2);
/// // SAFETY: each thread reads only the elements that it writes.
/// let again = lanework::View::from(unsafe { whole.again() });
/// add(again, whole).grid(1).block(2).launch(&device)?;
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct View<'a, T: Storable> {
    pub(crate) device: u64,
    pub(crate) address: u64,
    pub(crate) length: usize,
    pub(crate) buffer: PhantomData<&'a [T]>,
}

/// A part of a buffer that a kernel may write.
///
/// See [`View`] for an example.
#[derive(Debug)]
pub struct ViewMut<'a, T: Storable> {
    pub(crate) device: u64,
    pub(crate) address: u64,
    pub(crate) length: usize,
    pub(crate) buffer: PhantomData<&'a mut [T]>,
}

/// Methods of both kinds of view.
macro_rules! parts {
    ($($name:ident)*) => {$(
        impl<'a, T: Storable> $name<'a, T> {
            /// Number of elements.
            pub fn len(&self) -> usize {
                self.length
            }

            /// Whether it has no elements.
            pub fn is_empty(&self) -> bool {
                self.length == 0
            }

            /// Device address of the first element.
            pub fn address(&self) -> u64 {
                self.address
            }

            /// An empty view on a device, for a parameter that a kernel does not use.
            pub fn nothing(device: &Device) -> $name<'static, T> {
                $name { device: device.identity(), address: 0, length: 0, buffer: PhantomData }
            }

            /// A part of this part.
            ///
            /// # Panics
            /// If the range reaches past the end.
            #[track_caller]
            pub fn part(self, range: impl RangeBounds<usize>) -> $name<'a, T> {
                let (address, length) = part::<T>(self.address, self.length, range);
                $name { address, length, ..self }
            }

            /// The same bytes as elements of another type.
            ///
            /// # Panics
            /// If the bytes are not whole elements of `U`, or not aligned for it.
            #[track_caller]
            pub fn cast<U: Storable>(self) -> $name<'a, U> {
                let bytes = self.length * size_of::<T>();
                let whole = bytes.is_multiple_of(size_of::<U>());
                let aligned = self.address.is_multiple_of(align_of::<U>() as u64);
                assert!(whole && aligned, "{bytes} bytes at {:#x} are not whole elements of {} bytes", self.address, size_of::<U>());
                let length = bytes / size_of::<U>();
                $name { device: self.device, address: self.address, length, buffer: PhantomData }
            }

            /// The same memory with a lifetime that the caller chooses.
            ///
            /// # Safety
            /// The buffer must be alive for `'b` and while launches that use this view run. Memory written through it
            /// must not be used through other views at the same time.
            pub unsafe fn unbound<'b>(self) -> $name<'b, T> {
                $name { device: self.device, address: self.address, length: self.length, buffer: PhantomData }
            }
        }
    )*};
}

parts! {
    View ViewMut
}

impl<'a, T: Storable> ViewMut<'a, T> {
    /// A second view of the same memory.
    ///
    /// # Safety
    /// Memory that one view writes must not be used through another view at the same time.
    pub unsafe fn again(&self) -> ViewMut<'a, T> {
        ViewMut { ..*self }
    }
}

impl<'a, T: Storable> View<'a, T> {
    /// The same memory as a writable view.
    ///
    /// # Safety
    /// As [`Buffer::view_shared`](crate::Buffer::view_shared).
    pub(crate) unsafe fn writable(self) -> ViewMut<'a, T> {
        let View { device, address, length, .. } = self;
        ViewMut { device, address, length, buffer: PhantomData }
    }
}

impl<'a, T: Storable> From<ViewMut<'a, T>> for View<'a, T> {
    fn from(view: ViewMut<'a, T>) -> View<'a, T> {
        View {
            device: view.device,
            address: view.address,
            length: view.length,
            buffer: PhantomData,
        }
    }
}

/// Address and length of a range of `length` elements at `address`.
#[track_caller]
pub(super) fn part<T>(address: u64, length: usize, range: impl RangeBounds<usize>) -> (u64, usize) {
    let start = match range.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&before) => before + 1,
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last + 1,
        Bound::Excluded(&end) => end,
        Bound::Unbounded => length,
    };
    assert!(
        start <= end && end <= length,
        "range {start}..{end} is not within a buffer of {length} elements"
    );
    (address + start as u64 * size_of::<T>() as u64, end - start)
}
