//! Binary format of records: variable-length little-endian numbers; texts and lists start with their length.
//!
//! One macro, [`fields`], lists a struct's fields and generates both the writer and the reader, so they cannot
//! disagree.

use lanework_emulator::sanitize::{
    AccessPair, CodeLocation, Distance, OtherAccess, Report, ReportKind,
};
use lanework_emulator::{
    AccessKind, Counters, Fault, FaultKind, NearAllocation, Origin, Place, SourceLocation, Space,
    TracedAccess,
};
use lanework_report::{CacheRecord, InstructionProfile, Resources};

/// A value that can be written to a record and read back.
pub(super) trait Field: Sized {
    /// Appends the value.
    fn put(&self, to: &mut Vec<u8>);
    /// Reads a value from the front; `None` if it is incomplete or invalid.
    fn take(from: &mut &[u8]) -> Option<Self>;
    /// Appends the values of a list.
    fn put_list(list: &[Self], to: &mut Vec<u8>) {
        list.iter().for_each(|value| value.put(to));
    }
    /// Reads the values of a list.
    fn take_list(from: &mut &[u8], length: usize) -> Option<Vec<Self>> {
        (0..length).map(|_| Self::take(from)).collect()
    }
}

impl Field for u64 {
    fn put(&self, to: &mut Vec<u8>) {
        let mut rest = *self;
        while rest >= 0x80 {
            to.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        to.push(rest as u8);
    }

    fn take(from: &mut &[u8]) -> Option<u64> {
        let mut value = 0u64;
        for place in 0..10 {
            let (byte, rest) = from.split_first()?;
            *from = rest;
            value |= u64::from(byte & 0x7F) << (7 * place);
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }
}

/// Implements [`Field`] for numbers, which are written as `u64`.
macro_rules! number {
    ($($kind:ty)*) => { $(
        impl Field for $kind {
            fn put(&self, to: &mut Vec<u8>) {
                (*self as u64).put(to);
            }
            fn take(from: &mut &[u8]) -> Option<$kind> {
                Some(u64::take(from)? as $kind)
            }
        }
    )* };
}
number! { u32 i64 usize }

/// A list of bytes is copied as a whole.
impl Field for u8 {
    fn put(&self, to: &mut Vec<u8>) {
        to.push(*self);
    }
    fn take(from: &mut &[u8]) -> Option<u8> {
        let (byte, rest) = from.split_first()?;
        *from = rest;
        Some(*byte)
    }
    fn put_list(list: &[u8], to: &mut Vec<u8>) {
        to.extend_from_slice(list);
    }
    fn take_list(from: &mut &[u8], length: usize) -> Option<Vec<u8>> {
        let (bytes, rest) = from.split_at_checked(length)?;
        *from = rest;
        Some(bytes.to_vec())
    }
}

impl Field for bool {
    fn put(&self, to: &mut Vec<u8>) {
        to.push(u8::from(*self));
    }
    fn take(from: &mut &[u8]) -> Option<bool> {
        Some(u8::take(from)? != 0)
    }
}

impl Field for Distance {
    fn put(&self, to: &mut Vec<u8>) {
        to.push(*self as u8);
    }
    fn take(from: &mut &[u8]) -> Option<Distance> {
        use Distance::{Cluster, Grid, Lanes, Warps};
        [Lanes, Warps, Cluster, Grid].get(usize::from(u8::take(from)?)).copied()
    }
}

impl Field for String {
    fn put(&self, to: &mut Vec<u8>) {
        self.len().put(to);
        to.extend_from_slice(self.as_bytes());
    }
    fn take(from: &mut &[u8]) -> Option<String> {
        let length = usize::take(from)?;
        let (text, rest) = from.split_at_checked(length)?;
        *from = rest;
        String::from_utf8(text.to_vec()).ok()
    }
}

impl<T: Field> Field for Option<T> {
    fn put(&self, to: &mut Vec<u8>) {
        self.is_some().put(to);
        self.iter().for_each(|value| value.put(to));
    }
    fn take(from: &mut &[u8]) -> Option<Option<T>> {
        match bool::take(from)? {
            true => Some(Some(T::take(from)?)),
            false => Some(None),
        }
    }
}

impl<T: Field> Field for Vec<T> {
    fn put(&self, to: &mut Vec<u8>) {
        self.len().put(to);
        T::put_list(self, to);
    }
    fn take(from: &mut &[u8]) -> Option<Vec<T>> {
        let length = usize::take(from)?;
        // Every element has at least one byte, so a wrong length cannot allocate much memory.
        (length <= from.len()).then_some(())?;
        T::take_list(from, length)
    }
}

impl<T: Field> Field for Box<T> {
    fn put(&self, to: &mut Vec<u8>) {
        (**self).put(to);
    }
    fn take(from: &mut &[u8]) -> Option<Box<T>> {
        T::take(from).map(Box::new)
    }
}

impl<A: Field, B: Field> Field for (A, B) {
    fn put(&self, to: &mut Vec<u8>) {
        self.0.put(to);
        self.1.put(to);
    }
    fn take(from: &mut &[u8]) -> Option<(A, B)> {
        Some((A::take(from)?, B::take(from)?))
    }
}

impl<T: Field + Copy + Default, const N: usize> Field for [T; N] {
    fn put(&self, to: &mut Vec<u8>) {
        self.iter().for_each(|value| value.put(to));
    }
    fn take(from: &mut &[u8]) -> Option<[T; N]> {
        let mut values = [T::default(); N];
        for value in &mut values {
            *value = T::take(from)?;
        }
        Some(values)
    }
}

/// Implements [`Field`] for a struct; lists all of its fields in the order of writing.
macro_rules! fields {
    ($($name:ty { $($field:ident),* $(,)? })*) => { $(
        impl $crate::tool::codec::Field for $name {
            fn put(&self, to: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $($crate::tool::codec::Field::put($field, to);)*
            }
            fn take(from: &mut &[u8]) -> Option<Self> {
                $(let $field = $crate::tool::codec::Field::take(from)?;)*
                Some(Self { $($field),* })
            }
        }
    )* };
}
pub(super) use fields;

fields! {
    SourceLocation { file, line, column }
    NearAllocation { name, address, bytes, offset, distance }
    CodeLocation { location, text_line }
    AccessPair { access, other, in_next_iteration }
    OtherAccess { location, text_line, callers, instruction, block, thread }
    Report {
        kind, message, location, text_line, callers, instruction, kernel, block, thread, address,
        size, allocation, other, distance, also, allocated, help, count, counted,
    }
    Fault {
        kind, message, location, text_file, text_line, callers, instruction, kernel, block, thread, address,
        size, allocation, help,
    }
    InstructionProfile { origin, counters }
    Resources { registers, local_bytes, estimated, static_shared }
    CacheRecord {
        gpu, blocks, l1_bytes, l1_sectors, l1_hits, l2_bytes, l2_sectors, l2_hits, memory_bytes,
    }
    Place { instruction, block, warp }
    TracedAccess { place, space, kind, bytes, mask, addresses }
}

impl Field for Origin {
    fn put(&self, to: &mut Vec<u8>) {
        let Origin { name, location, text_line, callers } = self;
        name.put(to);
        location.put(to);
        text_line.put(to);
        callers.to_vec().put(to);
    }
    fn take(from: &mut &[u8]) -> Option<Origin> {
        Some(Origin {
            name: Field::take(from)?,
            location: Field::take(from)?,
            text_line: Field::take(from)?,
            callers: Vec::take(from)?.into(),
        })
    }
}

/// Writes only nonzero counters, by their indices in the table.
impl Field for Counters {
    fn put(&self, to: &mut Vec<u8>) {
        let all = self.each();
        let each = all.iter().enumerate().map(|(index, (_, value))| (index as u64, *value));
        each.filter(|(_, value)| *value != 0).collect::<Vec<_>>().put(to);
    }
    fn take(from: &mut &[u8]) -> Option<Counters> {
        let mut counters = Counters::default();
        for (index, value) in Vec::<(u64, u64)>::take(from)? {
            *counters.each_mut().into_iter().nth(index as usize)? = value;
        }
        Some(counters)
    }
}

/// Implements [`Field`] for values that are written as their names.
macro_rules! named {
    ($($name:ty: $text:expr, $find:expr;)*) => { $(
        impl Field for $name {
            fn put(&self, to: &mut Vec<u8>) {
                let text: fn(&$name) -> &'static str = $text;
                text(self).to_owned().put(to);
            }
            fn take(from: &mut &[u8]) -> Option<$name> {
                let find: fn(&str) -> Option<$name> = $find;
                find(&String::take(from)?)
            }
        }
    )* };
}
named! {
    ReportKind: |kind| kind.name(), ReportKind::named;
    FaultKind: |kind| kind.name(), FaultKind::named;
    Space: |space| space.name(), |name| Space::ALL.into_iter().find(|one| one.name() == name);
    AccessKind: |kind| kind.name(),
        |name| AccessKind::ALL.into_iter().find(|one| one.name() == name);
}
