//! Reasons for unsupported constructs: errors print them with the remedy, and the page
//! `docs/src/en/rust.md` lists them.

/// The error's text: the refused construct, the reason, and an alternative.
pub fn explained(message: &str, help: &str) -> String {
    let why = reason(message).unwrap_or("the kernel language gives it no meaning");
    format!("{message}\n  = note: {why}\n  = help: {help}")
}

/// The reason for a message.
fn reason(message: &str) -> Option<&'static str> {
    let known = WHY.iter().chain(REASONS).find(|(known, _)| is_like(message, known));
    known.map(|(_, why)| *why)
}

/// Whether a message is `pattern`, in which `{name}` stands for anything.
fn is_like(message: &str, pattern: &str) -> bool {
    let named =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let hole = pattern.match_indices('{').find_map(|(at, _)| {
        let end = at + pattern[at..].find('}')?;
        named(&pattern[at + 1..end]).then_some((at, end))
    });
    let Some((at, end)) = hole else { return message == pattern };
    let (before, after) = (&pattern[..at], &pattern[end + 1..]);
    let Some(rest) = message.strip_prefix(before) else { return false };
    (0..=rest.len()).any(|skip| rest.get(skip..).is_some_and(|tail| is_like(tail, after)))
}

/// Rust that the kernel language does not support: the error's message and the reason.
#[rustfmt::skip]
pub const WHY: &[(&str, &str)] = &[
    ("string literals are not supported in a kernel", "a string is a byte sequence of varying length; a kernel has only values of fixed size and slices of them"),
    ("a string cannot be passed to a kernel", "device memory holds numbers and structs of them, and a `str` promises UTF-8 that nothing on the device checks"),
    ("a kernel has no values of `Result`", "a thread has no caller that could read an error; an `Option` carries the same information"),
    ("kernels are not asynchronous", "threads of a GPU wait at barriers and for memory, not for futures"),
    ("a kernel returns no value", "a launch runs many threads, and each would return a value"),
    ("a kernel is not `async`", "a launch is already asynchronous: a stream orders it, and the host waits by a call"),
    ("a kernel cannot declare lifetimes", "the borrows of a kernel's parameters last as long as its launch"),
    ("a kernel is not marked `unsafe`", "bounds checks and the checking emulator find its errors; only a launch without checks is unsafe"),
    ("a kernel is a free function", "a launch has arguments and no receiver"),
    ("this type cannot be a kernel parameter", "the host's pointers, boxes and trait objects mean nothing on the device"),
    ("a #[device] struct cannot hold a reference", "a reference is an address of the host; slices reach the device as parameters, with their length"),
    ("a packed struct cannot be a #[device] struct", "the GPU loads and stores a scalar only at a multiple of its size"),
    ("only `const`, `use` and `type` may be declared inside a kernel", "the code that the attribute generates outside the function cannot name an item inside it"),
    ("a pattern in a kernel binds values", "a thread's values are registers, which have no address"),
    ("a kernel can only take mutable references to names, fields and elements", "a thread's values are registers, which have no address: a reference names a variable or a place in memory"),
    ("an operator of a #[device] struct takes values", "a thread's values are registers: `&a` and `a` are the same"),
    ("only functions called by name are supported in a kernel", "every call is inlined while the kernel is staged, so the function has to be known then"),
];

mod reasons;
#[cfg(test)]
mod tests;

use reasons::REASONS;
