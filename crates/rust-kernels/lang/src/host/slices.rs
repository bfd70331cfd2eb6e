//! Loads and stores of several adjacent elements, on ordinary slices.

use super::index::HostIndex;

macro_rules! loads {
    ($($name:ident $count:literal;)*) => {
        /// Reads of several adjacent elements.
        pub trait SliceLoads<T> {
            $(
                /// That many elements from `i` on.
                fn $name(&self, i: impl HostIndex) -> [T; $count];
            )*
            /// `N` elements from `i` on.
            fn load_vec<const N: usize>(&self, i: impl HostIndex) -> [T; N];
            /// `N` elements from `i` on.
            fn load_vec_nc<const N: usize>(&self, i: impl HostIndex) -> [T; N];
        }

        impl<T: Copy> SliceLoads<T> for [T] {
            $(
                #[track_caller]
                fn $name(&self, i: impl HostIndex) -> [T; $count] {
                    self.load_vec(i)
                }
            )*
            #[track_caller]
            fn load_vec<const N: usize>(&self, i: impl HostIndex) -> [T; N] {
                let first = i.index();
                std::array::from_fn(|k| self[first + k])
            }
            #[track_caller]
            fn load_vec_nc<const N: usize>(&self, i: impl HostIndex) -> [T; N] {
                self.load_vec(i)
            }
        }
    };
}

loads! {
    load2 2;
    load4 4;
    load2_nc 2;
    load4_nc 4;
}

/// Writes of several adjacent elements.
pub trait SliceStores<T> {
    /// Two elements from `i` on.
    fn store2(&mut self, i: impl HostIndex, values: [T; 2]);
    /// Four elements from `i` on.
    fn store4(&mut self, i: impl HostIndex, values: [T; 4]);
    /// `N` elements from `i` on.
    fn store_vec<const N: usize>(&mut self, i: impl HostIndex, values: [T; N]);
}

impl<T: Copy> SliceStores<T> for [T] {
    #[track_caller]
    fn store2(&mut self, i: impl HostIndex, values: [T; 2]) {
        self.store_vec(i, values);
    }
    #[track_caller]
    fn store4(&mut self, i: impl HostIndex, values: [T; 4]) {
        self.store_vec(i, values);
    }
    #[track_caller]
    fn store_vec<const N: usize>(&mut self, i: impl HostIndex, values: [T; N]) {
        let first = i.index();
        self[first..first + N].copy_from_slice(&values);
    }
}
