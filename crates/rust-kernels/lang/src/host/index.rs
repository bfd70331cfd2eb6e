//! Indices of any integer type.

/// An integer that indexes on the host, of any type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot index an array",
    label = "expected an integer"
)]
pub trait HostIndex: Copy {
    /// The index.
    fn index(self) -> usize;
}

macro_rules! host_indices {
    ($($t:ty)*) => {$(
        impl HostIndex for $t {
            #[track_caller]
            #[inline]
            fn index(self) -> usize {
                match usize::try_from(self) {
                    Ok(index) => index,
                    Err(_) => panic!("index {self} is out of range: it is negative or too large"),
                }
            }
        }
    )*};
}

host_indices!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

/// An index of any integer type as Rust takes it.
#[track_caller]
#[inline]
pub fn index(i: impl HostIndex) -> usize {
    i.index()
}
