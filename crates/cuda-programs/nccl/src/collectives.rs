//! Executes the calls: reads the input from the device, exchanges data with the other ranks, and writes the output.
//!
//! Reductions combine elements in rank order. Integers wrap; sums and products of 16-bit and 8-bit floats are computed in
//! f32 and rounded once.

use crate::mesh::{Mesh, explain, stop, timeout};
use crate::{Result, Status, refuse};
use half::{bf16, f16};
use lanework_numbers::{NumberType, SmallFloat};
use lanework_ranks::link::Part;
use lanework_ranks::mesh::Fault;
use lanework_ranks::signature::{CallKind, Names, Reduction, Signature, element_name};
use lanework_ranks::{all_reduce, exchange, reduce};
use lanework_standin::{Memory, write};
use std::ops::Range;
use std::sync::Arc;

/// One rank's part of a call.
#[derive(Clone, Debug)]
pub struct Work {
    pub kind: CallKind,
    pub element: NumberType,
    pub count: usize,
    pub send: usize,
    pub receive: usize,
    /// The peer of a message, and whether this rank sends.
    pub message: Option<(usize, bool)>,
    /// Factor of the input, on a device or on the host.
    pub factor: Option<Factor>,
}

/// The factor of a rank's input.
#[derive(Clone, Debug)]
pub enum Factor {
    Host(Vec<u8>),
    Device(Memory),
}

impl Work {
    /// A collective.
    pub fn new(
        kind: CallKind,
        element: NumberType,
        count: usize,
        (send, receive): (usize, usize),
    ) -> Work {
        Work { kind, element, count, send, receive, message: None, factor: None }
    }

    /// Whether the call only sends, which never waits.
    pub fn only_sends(&self) -> bool {
        matches!(self.message, Some((_, true)))
    }

    /// The memory that this rank reads and writes.
    fn memory(&self, rank: usize, size: usize) -> Result<(Option<Memory>, Option<Memory>)> {
        let bytes = |times: usize| -> Result<usize> {
            match self
                .count
                .checked_mul(self.element.bytes())
                .and_then(|bytes| bytes.checked_mul(times))
            {
                Some(bytes) => Ok(bytes),
                None => refuse(
                    Status::InvalidArgument,
                    format!("{} elements exceed any memory", self.count),
                ),
            }
        };
        let (one, all) = (bytes(1)?, bytes(size)?);
        let at_root = |root: u32| root as usize == rank;
        let (send, receive) = match self.kind {
            CallKind::AllReduce(_) => (Some(one), Some(one)),
            CallKind::Reduce(_, root) => (Some(one), at_root(root).then_some(one)),
            CallKind::ReduceScatter(_) => (Some(all), Some(one)),
            CallKind::Broadcast(root) => (at_root(root).then_some(one), Some(one)),
            CallKind::AllGather => (Some(one), Some(all)),
            CallKind::AllToAll => (Some(all), Some(all)),
            CallKind::Gather(root) => (Some(one), at_root(root).then_some(all)),
            CallKind::Scatter(root) => (at_root(root).then_some(all), Some(one)),
            CallKind::Message => {
                (self.only_sends().then_some(one), (!self.only_sends()).then_some(one))
            }
            CallKind::Split | CallKind::Receipt | CallKind::Barrier => (None, None),
        };
        let at = |at: usize| move |bytes| Memory { at, bytes };
        Ok((send.map(at(self.send)), receive.map(at(self.receive))))
    }
}

/// Runs one call of this rank, in the context of its device; returns when the result is stored.
///
/// # Errors
/// If memory is not allocated, ranks disagree, or a rank is missing. This rank is then stopped.
pub fn run(mesh: &mut Mesh, work: &Work) -> Result {
    run_or_fail(mesh, work).map_err(|failure| stop(mesh, failure))
}

fn run_or_fail(mesh: &mut Mesh, work: &Work) -> Result {
    let (rank, size) = (mesh.rank, mesh.size());
    let &Work { kind, element, count, .. } = work;
    mesh.settings.timeout = timeout();
    let sequence = mesh.counters.next(work.message);
    let own = Signature { sequence, kind, element: number(element), count: count as u64 };
    let (send, receive) = work.memory(rank, size)?;
    let of = |what: &str| format!("the {what} of {}", own.words(Names::Nccl));
    if let Some(receive) = &receive {
        receive.check(&of("output"))?;
    }
    let mut input = match &send {
        Some(send) => send.read(&of("input"))?,
        None => Vec::new(),
    };
    if let Some(factor) = &work.factor {
        let factor = match factor {
            Factor::Host(bytes) => bytes.clone(),
            Factor::Device(memory) => memory.read("the scalar of ncclRedOpCreatePreMulSum")?,
        };
        scale(element, &mut input, &factor);
    }
    let input = Arc::new(input);
    let moved = match work.message {
        Some((peer, true)) => {
            let part = Part::of(&input, 0..input.len());
            mesh.post(peer, own, part).map(|()| Vec::new())
        }
        Some((peer, false)) => mesh.take(peer, &own, &[peer]).map(|part| vec![part]),
        None => collective(mesh, &own, element, &input),
    };
    let parts = moved.map_err(|fault| explain(mesh, fault))?;
    let Some(receive) = receive else { return Ok(()) };
    if parts.iter().map(|part| part.bytes().len()).sum::<usize>() != receive.bytes {
        return refuse(
            Status::Internal,
            format!("{} of rank {rank} got data of another length", own.words(Names::Nccl)),
        );
    }
    let mut offset = 0;
    for part in parts {
        write(receive.at + offset, part.bytes(), &of("output"))?;
        offset += part.bytes().len();
    }
    Ok(())
}

/// The parts of a collective's output, in order; empty if this rank has no output.
fn collective(
    mesh: &mut Mesh,
    own: &Signature,
    element: NumberType,
    input: &Arc<Vec<u8>>,
) -> std::result::Result<Vec<Part>, Fault> {
    let (rank, whole) = (mesh.rank, 0..input.len());
    let one = own.count as usize * element.bytes();
    let nth = |rank: usize| rank * one..(rank + 1) * one;
    let only = |root: u32, range: &Range<usize>, to: usize| {
        if to == root as usize { range.clone() } else { 0..0 }
    };
    match own.kind {
        CallKind::AllReduce(reduction) => {
            let combine = |parts: &[&[u8]]| combine(element, reduction, parts);
            all_reduce(mesh, own, input, element.bytes(), &combine)
        }
        CallKind::ReduceScatter(reduction) => {
            let combine = |parts: &[&[u8]]| combine(element, reduction, parts);
            Ok(vec![Part::whole(reduce(mesh, own, input, nth, &combine)?)])
        }
        CallKind::Reduce(reduction, root) => {
            let combine = |parts: &[&[u8]]| combine(element, reduction, parts);
            let combined = reduce(mesh, own, input, |to| only(root, &whole, to), &combine)?;
            Ok(if root as usize == rank { vec![Part::whole(combined)] } else { Vec::new() })
        }
        CallKind::Broadcast(root) | CallKind::Scatter(root) => {
            let is_root = root as usize == rank;
            let scatters = matches!(own.kind, CallKind::Scatter(_));
            let part = |to: usize| match (is_root, scatters) {
                (false, _) => 0..0,
                (true, false) => whole.clone(),
                (true, true) => nth(to),
            };
            let mut parts = exchange(mesh, own, input, part)?;
            Ok(vec![parts.swap_remove(root as usize)])
        }
        CallKind::AllGather => exchange(mesh, own, input, |_| whole.clone()),
        CallKind::AllToAll => exchange(mesh, own, input, nth),
        CallKind::Gather(root) => {
            let parts = exchange(mesh, own, input, |to| only(root, &whole, to))?;
            Ok(if root as usize == rank { parts } else { Vec::new() })
        }
        CallKind::Message | CallKind::Receipt | CallKind::Split | CallKind::Barrier => {
            Ok(Vec::new())
        }
    }
}

/// The type of an `ncclDataType_t`.
///
/// # Errors
/// If the code is unknown.
pub fn element(code: i32) -> Result<NumberType> {
    match usize::try_from(code).ok().and_then(|code| NumberType::NCCL.get(code)) {
        Some(element) => Ok(*element),
        None => refuse(Status::InvalidArgument, format!("{code} is not an ncclDataType_t")),
    }
}

/// The number of an element type (`ncclDataType_t`).
pub fn number(element: NumberType) -> u8 {
    NumberType::NCCL.iter().position(|of| *of == element).map_or(u8::MAX, |number| number as u8)
}

/// The name of an element type in messages.
pub fn name(element: NumberType) -> &'static str {
    element_name(number(element))
}

/// The built-in reductions, in the order of NCCL's numbers.
pub const BUILT_IN: [Reduction; 5] =
    [Reduction::Sum, Reduction::Prod, Reduction::Max, Reduction::Min, Reduction::Avg];

/// Reading, combining and writing elements.
trait Number: Copy {
    /// The type in which they are combined.
    type Wide: Copy;
    const BYTES: usize;
    fn read(from: &[u8]) -> Self::Wide;
    fn write(value: Self::Wide, to: &mut [u8]);
    fn sum(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    fn product(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    fn max(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    fn min(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    fn over(a: Self::Wide, count: usize) -> Self::Wide;
}

fn array<const N: usize>(from: &[u8]) -> [u8; N] {
    from.try_into().unwrap_or([0; N])
}

macro_rules! integers {
    ($($type:ident)*) => {$(
        impl Number for $type {
            type Wide = $type;
            const BYTES: usize = size_of::<$type>();
            fn read(from: &[u8]) -> $type { $type::from_le_bytes(array(from)) }
            fn write(value: $type, to: &mut [u8]) { to.copy_from_slice(&value.to_le_bytes()) }
            fn sum(a: $type, b: $type) -> $type { a.wrapping_add(b) }
            fn product(a: $type, b: $type) -> $type { a.wrapping_mul(b) }
            fn max(a: $type, b: $type) -> $type { Ord::max(a, b) }
            fn min(a: $type, b: $type) -> $type { Ord::min(a, b) }
            // The number of ranks may exceed 8 bits.
            fn over(a: $type, count: usize) -> $type { (i128::from(a) / count as i128) as $type }
        }
    )*};
}

macro_rules! floats {
    ($($type:ident $wide:ident $bytes:literal $read:expr, $write:expr;)*) => {$(
        impl Number for $type {
            type Wide = $wide;
            const BYTES: usize = $bytes;
            fn read(from: &[u8]) -> $wide { $read(array::<$bytes>(from)) }
            fn write(value: $wide, to: &mut [u8]) { to.copy_from_slice(&$write(value)) }
            fn sum(a: $wide, b: $wide) -> $wide { a + b }
            fn product(a: $wide, b: $wide) -> $wide { a * b }
            fn max(a: $wide, b: $wide) -> $wide { a.max(b) }
            fn min(a: $wide, b: $wide) -> $wide { a.min(b) }
            fn over(a: $wide, count: usize) -> $wide { a / count as $wide }
        }
    )*};
}

/// The 8-bit formats as types.
#[derive(Clone, Copy)]
struct E4m3;

#[derive(Clone, Copy)]
struct E5m2;

integers! { i8 u8 i32 u32 i64 u64 }

floats! {
    f16 f32 2 |bytes| f16::from_le_bytes(bytes).to_f32(), |value| f16::from_f32(value).to_le_bytes();
    bf16 f32 2 |bytes| bf16::from_le_bytes(bytes).to_f32(), |value| bf16::from_f32(value).to_le_bytes();
    f32 f32 4 f32::from_le_bytes, f32::to_le_bytes;
    f64 f64 8 f64::from_le_bytes, f64::to_le_bytes;
    E4m3 f32 1 |[bits]: [u8; 1]| SmallFloat::E4M3.decode(bits), |value| [SmallFloat::E4M3.encode(value)];
    E5m2 f32 1 |[bits]: [u8; 1]| SmallFloat::E5M2.decode(bits), |value| [SmallFloat::E5M2.encode(value)];
}

/// Calls a function for the type of an element.
macro_rules! by_type {
    ($element:expr, $function:ident($($argument:expr),*)) => {
        match $element {
            NumberType::I8 => $function::<i8>($($argument),*),
            NumberType::U8 => $function::<u8>($($argument),*),
            NumberType::I32 => $function::<i32>($($argument),*),
            NumberType::U32 => $function::<u32>($($argument),*),
            NumberType::I64 => $function::<i64>($($argument),*),
            NumberType::U64 => $function::<u64>($($argument),*),
            NumberType::F16 => $function::<f16>($($argument),*),
            NumberType::F32 => $function::<f32>($($argument),*),
            NumberType::F64 => $function::<f64>($($argument),*),
            NumberType::Bf16 => $function::<bf16>($($argument),*),
            NumberType::E4m3 => $function::<E4m3>($($argument),*),
            NumberType::E5m2 => $function::<E5m2>($($argument),*),
            // `element` refuses the others.
            _ => unreachable!("NCCL has no such type"),
        }
    };
}

/// Combines the parts of the ranks, which all have the same length, in rank order.
pub fn combine(element: NumberType, reduction: Reduction, parts: &[&[u8]]) -> Vec<u8> {
    by_type!(element, combine_as(reduction, parts))
}

fn combine_as<T: Number>(reduction: Reduction, parts: &[&[u8]]) -> Vec<u8> {
    let Some((first, others)) = parts.split_first() else { return Vec::new() };
    let mut wide: Vec<T::Wide> = first.chunks_exact(T::BYTES).map(T::read).collect();
    fn fold<T: Number>(
        wide: &mut [T::Wide],
        other: &[u8],
        with: impl Fn(T::Wide, T::Wide) -> T::Wide,
    ) {
        for (value, bytes) in wide.iter_mut().zip(other.chunks_exact(T::BYTES)) {
            *value = with(*value, T::read(bytes));
        }
    }
    for other in others {
        match reduction {
            Reduction::Sum | Reduction::Avg | Reduction::PreMulSum => {
                fold::<T>(&mut wide, other, T::sum)
            }
            Reduction::Prod => fold::<T>(&mut wide, other, T::product),
            Reduction::Max => fold::<T>(&mut wide, other, T::max),
            Reduction::Min => fold::<T>(&mut wide, other, T::min),
        }
    }
    if reduction == Reduction::Avg {
        wide.iter_mut().for_each(|value| *value = T::over(*value, parts.len()));
    }
    let mut result = vec![0; first.len()];
    for (value, bytes) in wide.into_iter().zip(result.chunks_exact_mut(T::BYTES)) {
        T::write(value, bytes);
    }
    result
}

/// Multiplies elements by a number of their type.
pub fn scale(element: NumberType, data: &mut [u8], by: &[u8]) {
    by_type!(element, scale_as(data, by));
}

fn scale_as<T: Number>(data: &mut [u8], by: &[u8]) {
    let by = T::read(by);
    for bytes in data.chunks_exact_mut(T::BYTES) {
        let value = T::product(by, T::read(bytes));
        T::write(value, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<const N: usize>(
        reduction: Reduction,
        element: NumberType,
        parts: [[u8; N]; 3],
    ) -> Vec<u8> {
        combine(element, reduction, &parts.each_ref().map(|part| &part[..]))
    }

    #[test]
    fn parts_are_combined_in_rank_order() {
        let floats = [1e8f32, 1.0, -1e8].map(f32::to_le_bytes);
        assert_eq!(of(Reduction::Sum, NumberType::F32, floats), 0f32.to_le_bytes());
        let floats = [1e8f32, -1e8, 1.0].map(f32::to_le_bytes);
        assert_eq!(of(Reduction::Sum, NumberType::F32, floats), 1f32.to_le_bytes());
        let nan = [f32::NAN, 2.0, -3.0].map(f32::to_le_bytes);
        assert_eq!(of(Reduction::Min, NumberType::F32, nan), (-3f32).to_le_bytes());
    }

    #[test]
    fn integers_wrap_and_averages_truncate() {
        let bytes = [100i8, 100, 3].map(i8::to_le_bytes);
        assert_eq!(of(Reduction::Sum, NumberType::I8, bytes), (-53i8).to_le_bytes());
        assert_eq!(of(Reduction::Prod, NumberType::I8, bytes), 48i8.to_le_bytes());
        assert_eq!(of(Reduction::Max, NumberType::I8, bytes), 100i8.to_le_bytes());
        let longs = [-7i64, 1, -2].map(i64::to_le_bytes);
        assert_eq!(of(Reduction::Avg, NumberType::I64, longs), (-2i64).to_le_bytes());
    }

    #[test]
    fn short_floats_are_rounded_once() {
        // 2048 + 1 + 1 would be 2048 if each sum were rounded to f16.
        let halves = [2048f32, 1.0, 1.0].map(|value| f16::from_f32(value).to_le_bytes());
        assert_eq!(
            of(Reduction::Sum, NumberType::F16, halves),
            f16::from_f32(2050.0).to_le_bytes()
        );
        let eighths = [1f32, 2.0, 3.0].map(|value| [SmallFloat::E5M2.encode(value)]);
        assert_eq!(of(Reduction::Avg, NumberType::E5m2, eighths), [SmallFloat::E5M2.encode(2.0)]);
    }
}
