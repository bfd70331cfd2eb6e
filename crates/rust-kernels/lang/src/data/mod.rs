//! The values of the kernel language: scalars, and tuples, arrays, `#[device]` structs and enums of
//! them.
//!
//! A value is a sequence of scalars, its *leaves*, each with a type and an offset in memory. A type
//! says how to take its leaves apart and put them together ([`Data`]); what is done with them
//! (registers, moves, selections, loads, stores, parameters) is written once, on the leaves
//! (`operations`). What a leaf is while staging is the value's [`Kind`]: a handle, a variable, or
//! a place in memory.

mod convert;
mod deferred;
mod exclusive;
mod kind;
mod leaves;
mod matching;
mod memory;
pub(crate) mod operations;
mod option;
mod option_methods;
mod ordering;
mod parameter;
mod receive;
mod tags;
mod target;
mod tuples;
mod value_of;
mod variants;

pub use convert::{Functions, NoPadding, To, Valued, blank, host, is_data, keep, lift, rest};
pub use deferred::{Deferred, deferred};
pub use exclusive::{Exclusive, Loan, borrow, give_back, lend};
pub use kind::{Handle, Places, ReadPlaces, Values, Variables};
pub use leaves::{Data, Kind, Leaf, Part, Parts, laid_out};
pub(crate) use leaves::{Item, leaves};
pub use matching::{
    HostOfAny, HostOfValue, Leaves, PassAny, PassValue, Passed, Scrutinee, any, check, must_leave,
    perhaps,
};
pub use memory::{At, Element, ReceivePlace, ReceiveValue, at};
pub use operations::{constant, read_copy, read_view, set};
pub use option::{OptionOf, Optional, is_none, is_some, payload, some};
pub use ordering::OrderingOf;
pub use parameter::{bytes, value_parameter};
pub use receive::{Receive, receive};
pub use tags::{ordered, same};
pub use target::Target;
pub(crate) use value_of::value_of;
pub use variants::{no_bits, variants_leaves, variants_size};
