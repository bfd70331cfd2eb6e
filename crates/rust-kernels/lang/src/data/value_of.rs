//! How the runtime takes values of Rust's own types whose parts are scalars: `Option` and `Ordering`.

/// The implementations for the host's type and for its parts of any kind.
macro_rules! value_of {
    ([$($generics:tt)*] [$($t:ident),*] $host:ty, $of:ident) => {
        impl<$($generics)*> $crate::data::To<$host> for $host {
            fn to(self) -> $of<Values, $($t),*> {
                $crate::data::constant::<$host>(self)
            }
        }

        impl<$($generics)*> $crate::data::Valued for $host {
            type Value = $host;
        }

        impl<$($generics)*> $crate::var::Read for $host {
            type Value = $host;
            fn view(self) -> Self {
                self
            }
            fn copy(self) -> Self {
                self
            }
        }

        impl<$($generics)*> $crate::data::Receive for $host {
            type Receiver = $of<Values, $($t),*>;
            fn receive(self) -> Self::Receiver {
                $crate::data::constant::<$host>(self)
            }
        }

        impl<$($generics)*> $crate::variable::IntoVariable for $host {
            type Variable = $of<Variables, $($t),*>;
            fn into_variable(self) -> Self::Variable {
                $crate::variable::new_variable(self)
            }
        }

        impl<K: Kind, $($generics)*> $crate::data::To<$host> for $of<K, $($t),*> {
            #[track_caller]
            fn to(self) -> $of<Values, $($t),*> {
                $crate::data::read_view::<$host, K>(self)
            }
        }

        impl<K: Kind, $($generics)*> $crate::data::Valued for $of<K, $($t),*> {
            type Value = $host;
        }

        impl<K: Kind, $($generics)*> $crate::var::Read for $of<K, $($t),*> {
            type Value = $of<Values, $($t),*>;
            #[track_caller]
            fn view(self) -> Self::Value {
                $crate::data::read_view::<$host, K>(self)
            }
            #[track_caller]
            fn copy(self) -> Self::Value {
                $crate::data::read_copy::<$host, K>(self)
            }
        }

        impl<K: Kind, $($generics)*> $crate::data::Receive for $of<K, $($t),*> {
            type Receiver = $of<Values, $($t),*>;
            #[track_caller]
            fn receive(self) -> Self::Receiver {
                $crate::data::read_view::<$host, K>(self)
            }
        }

        impl<K: Kind, $($generics)*> $crate::variable::IntoVariable for $of<K, $($t),*> {
            type Variable = $of<Variables, $($t),*>;
            fn into_variable(self) -> Self::Variable {
                $crate::variable::new_variable(self)
            }
        }

        $crate::data::value_of!(@assigned [$($generics)*] [$($t),*] $host, $of, Variables lend);
        $crate::data::value_of!(@assigned [$($generics)*] [$($t),*] $host, $of, Places borrow);
    };
    (@assigned [$($generics:tt)*] [$($t:ident),*] $host:ty, $of:ident, $kind:ident $enter:ident) => {
        impl<$($generics)*> $crate::data::Target for $of<$kind, $($t),*> {
            type Value = $host;
            #[track_caller]
            fn set(self, value: $of<Values, $($t),*>) {
                $crate::data::set::<$host, $kind>(self, value);
            }
        }

        impl<$($generics)*> $crate::data::Exclusive<$host> for $of<$kind, $($t),*> {
            #[track_caller]
            fn enter(self) -> ($of<Variables, $($t),*>, $crate::data::Loan<$host>) {
                $crate::data::$enter::<$host>(self)
            }
        }
    };
}

pub(crate) use value_of;
