//! What every handle of this folder is for the macros: a plain value that may be named, copied and bound with `let mut`.

/// Makes a type a handle: copied by name, bound with `let` or `let mut`.
macro_rules! handle {
    ($name:ident $(<$($generic:ident $(: $bound:ident)?),*>)? $([$($constant:ident: $of:ty),*])?) => {
        impl<$($($generic $(: $bound)?,)*)? $($(const $constant: $of),*)?> Clone
            for $name<$($($generic,)*)? $($($constant),*)?>
        {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<$($($generic $(: $bound)?,)*)? $($(const $constant: $of),*)?> Copy
            for $name<$($($generic,)*)? $($($constant),*)?>
        {
        }

        impl<$($($generic $(: $bound)?,)*)? $($(const $constant: $of),*)?> $crate::rt::Read
            for $name<$($($generic,)*)? $($($constant),*)?>
        {
            type Value = Self;
            fn view(self) -> Self {
                self
            }
            fn copy(self) -> Self {
                self
            }
        }

        impl<$($($generic $(: $bound)?,)*)? $($(const $constant: $of),*)?> $crate::rt::IntoVariable
            for $name<$($($generic,)*)? $($($constant),*)?>
        {
            type Variable = Self;
            fn into_variable(self) -> Self {
                self
            }
        }

        impl<$($($generic $(: $bound)?,)*)? $($(const $constant: $of),*)?> $crate::data::Functions
            for $name<$($($generic,)*)? $($($constant),*)?>
        {
            type Of = Self;
        }
    };
}

pub(crate) use handle;
