//! Names of memory in findings: an allocation by the variable that holds it or by the call that made it, and by its number and
//! size; or host memory.

use crate::interface::caller::Caller;
use crate::interface::interpreted::name_of;
use crate::memory::allocations::AllocationKind;
use crate::state::driver;
use lanework::Error;
use lanework::emulator::SourceLocation;
use lanework::emulator::sanitize::source_file;
use lanework::tool::MemoryOrigin;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the program calls CUDA's runtime, whose calls are then named instead of the driver's.
static CALLS_RUNTIME: AtomicBool = AtomicBool::new(false);

/// Names memory by calls of CUDA's runtime: for programs from source, whose headers call the driver.
pub fn name_runtime_calls() {
    CALLS_RUNTIME.store(true, Ordering::Relaxed);
}

fn calls_runtime() -> bool {
    CALLS_RUNTIME.load(Ordering::Relaxed)
}

/// A fault with the memory named by the program's call and by the size that it asked for: the GPU maps whole units.
pub fn in_words_of_program(mut error: Error) -> Error {
    let Error::Fault(fault) = &mut error else { return error };
    let Some(near) = &mut fault.allocation else { return error };
    let Some(kind) = AllocationKind::of_call(&near.name) else { return error };
    let name = match calls_runtime() {
        true => kind.runtime_call(),
        false => kind.call(),
    };
    let size = format!("`{}` is {} bytes", near.name, near.bytes);
    let named = driver().ok().and_then(|driver| driver.allocations().named(near.address));
    let asked = match named.map(|named| named.bytes).filter(|asked| *asked != near.bytes) {
        None => format!("the memory of `{name}` has {} bytes", near.bytes),
        Some(asked) => {
            format!("`{name}` was asked for {asked} bytes, and the GPU maps {}", near.bytes)
        }
    };
    fault.message = fault.message.replace(&size, &asked).replace(&near.name, name);
    near.name = name.to_owned();
    error
}

/// Enables names of memory in findings.
pub fn start() {
    lanework::tool::describe_memory(describe);
}

/// Describes the memory at an address: an allocation, or, if `host` is set, memory of the host.
fn describe(address: u64, host: bool) -> Option<MemoryOrigin> {
    let driver = driver().ok()?;
    let named = driver.allocations().named(address);
    let Some(named) = named else {
        // The emulator has reserved the addresses between allocations.
        let of_host = host && !driver.device.is_of_device(address);
        let text = of_host.then(|| host_memory(address)).flatten()?;
        return Some(MemoryOrigin { name: None, text, bytes: 0, pitch: None, is_host: true });
    };
    let (bytes, number, kind) = (named.bytes, named.id, named.kind.name());
    let maker = named.site.map(|site| site.caller());
    let name = maker.as_ref().and_then(|maker| name(maker, named.kind, number));
    let name = name.or_else(|| calls_runtime().then(|| named.kind.runtime_call().to_owned()));
    let made = maker.and_then(|maker| call_at(&maker, "allocated"));
    let ended = named.freed.as_ref().map(|site| call_at(&site.caller(), "freed"));
    let since = if ended == Some(None) { ", freed since" } else { "" };
    let mut text = format!("allocation {number}: {bytes} bytes of {kind} memory{since}");
    text.extend(made.map(|made| format!("; {made}")));
    text.extend(ended.flatten().map(|ended| format!("; freed by {ended}")));
    Some(MemoryOrigin { name, text, bytes: named.bytes, pitch: named.pitch, is_host: false })
}

/// The variable that allocation `number` was made for, or the runtime's call that made it.
fn name(maker: &Caller, kind: AllocationKind, number: u64) -> Option<String> {
    let call = maker.runtime.as_deref().map(name_of);
    let written = maker.location.as_ref().and_then(statement);
    let earlier = || earlier_on_line(maker, number);
    let variable = written.and_then(|text| variable(&text, call.unwrap_or(kind.call()), earlier));
    variable.or_else(|| call.map(str::to_owned))
}

/// How many allocations before allocation `number` the same line made in a row; `None` if they are too many to look up.
fn earlier_on_line(maker: &Caller, number: u64) -> Option<usize> {
    const MOST: usize = 64;
    let place = maker.location.as_ref()?;
    let before = (1..number).rev();
    let on_line = before.take(MOST + 1).take_while(|number| {
        let driver = driver().ok();
        let site = driver.and_then(|driver| driver.allocations().site_of(*number));
        site.is_some_and(|site| site.caller().location.as_ref() == Some(place))
    });
    Some(on_line.count()).filter(|count| *count <= MOST)
}

/// The text of a source line and of the next two, over which a call may extend.
fn statement(at: &SourceLocation) -> Option<String> {
    let text = source_file(&at.file)?;
    let lines = text.lines().skip((at.line as usize).checked_sub(1)?).take(3);
    Some(lines.collect::<Vec<_>>().join("\n"))
}

/// The variable whose address is the first argument of a call: `d` for `cudaMalloc((void **)&d, n)`. If the first line has
/// several such calls, which all run one after another, `earlier` tells how many calls the line has made before; else `None`.
fn variable(text: &str, call: &str, earlier: impl Fn() -> Option<usize>) -> Option<String> {
    /// Longer expressions do not help a reader.
    const LONGEST: usize = 40;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let calls = text.match_indices(call).filter_map(|(at, _)| {
        let (before, rest) = (&text[..at], text[at + call.len()..].trim_start());
        let is_whole = !before.ends_with(is_word);
        // Explicit template arguments: `cudaMalloc<float>(&d, n)`.
        let rest = match rest.starts_with('<') {
            true => rest.split_once('>').map_or(rest, |(_, rest)| rest.trim_start()),
            false => rest,
        };
        Some((before.contains('\n'), rest.strip_prefix('(').filter(|_| is_whole)?))
    });
    let calls: Vec<(bool, &str)> = calls.collect();
    let on_first: Vec<&str> = calls.iter().filter(|one| !one.0).map(|one| one.1).collect();
    let argument = match (on_first.as_slice(), calls.as_slice()) {
        ([only], _) | ([], [(_, only)]) => first_argument(only)?,
        ([_, _, ..], _) if runs_in_order(text.lines().next()?) => {
            first_argument(on_first[earlier()? % on_first.len()])?
        }
        _ => return None,
    };
    let variable = without_cast(argument).strip_prefix('&')?;
    let name: String = variable.chars().filter(|c| !c.is_whitespace()).collect();
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| is_word(c) || ".->[]:".contains(c))
        && name.len() <= LONGEST;
    is_name.then_some(name)
}

/// Whether a line has no part that may be left out or repeated.
fn runs_in_order(line: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut words = line.split(|c| !is_word(c));
    !words.any(|word| matches!(word, "if" | "else" | "for" | "while" | "do" | "switch" | "case"))
        && !["?", "&&", "||"].iter().any(|part| line.contains(part))
}

/// The text up to the comma or the parenthesis that ends a first argument.
fn first_argument(text: &str) -> Option<&str> {
    let mut depth = 0usize;
    let end = text.find(|c| match c {
        '(' | '[' => {
            depth += 1;
            false
        }
        ')' | ']' if depth > 0 => {
            depth -= 1;
            false
        }
        ',' | ')' => depth == 0,
        _ => false,
    })?;
    Some(text[..end].trim())
}

/// An expression without a cast around it.
fn without_cast(text: &str) -> &str {
    let named = ["reinterpret_cast", "static_cast"].iter().find_map(|cast| text.strip_prefix(cast));
    if let Some(inner) = named.and_then(|rest| rest.split_once(">(")) {
        return inner.1.strip_suffix(')').unwrap_or(inner.1).trim();
    }
    let inner = text.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    match inner {
        Some((ty, rest)) if ty.contains('*') => rest.trim(),
        _ => text,
    }
}

/// The call and its place, if the program's function or line is known.
fn call_at(caller: &Caller, otherwise: &str) -> Option<String> {
    let call = match &caller.runtime {
        Some(call) => format!("`{}`", name_of(call)),
        None => otherwise.to_owned(),
    };
    match (caller.function.as_str(), &caller.location) {
        ("", _) => None,
        (function, None) => Some(format!("{call} in `{function}`")),
        (function, Some(at)) => Some(format!("{call} in `{function}` at {at}")),
    }
}

/// Describes an object of interpreted host code.
static HOST_OBJECTS: OnceLock<fn(u64) -> Option<String>> = OnceLock::new();

/// Describes host memory by this function, where it knows the object.
pub fn describe_host_objects(describe: fn(u64) -> Option<String>) {
    let _ = HOST_OBJECTS.set(describe);
}

/// Describes host memory: an object of interpreted host code, or by the process's memory map.
pub fn host_memory(address: u64) -> Option<String> {
    if let Some(what) = HOST_OBJECTS.get().and_then(|describe| describe(address)) {
        return Some(format!("{address:#x} is memory of the host: {what}"));
    }
    let map = std::fs::read_to_string("/proc/self/maps").ok()?;
    let what = match name_in(&map, address)? {
        "[stack]" => "the program's stack".to_owned(),
        "[heap]" => "the program's heap".to_owned(),
        "" => "memory that the program mapped, such as a large block of `malloc`".to_owned(),
        file => format!("a variable of {file}"),
    };
    Some(format!("{address:#x} is memory of the host: {what}"))
}

/// The name of the mapping that holds an address.
fn name_in(map: &str, address: u64) -> Option<&str> {
    map.lines().find_map(|line| {
        let mut words = line.splitn(6, ' ');
        let (start, end) = words.next()?.split_once('-')?;
        let hex = |text| u64::from_str_radix(text, 16).ok();
        let range: Range<u64> = hex(start)?..hex(end)?;
        let readable = words.next()?.starts_with('r');
        (range.contains(&address) && readable).then(|| words.nth(3).unwrap_or("").trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allocation_is_called_like_its_variable() {
        let named = |text: &str| variable(text, "cudaMalloc", || None);
        for (text, name) in [
            ("    cudaMalloc(&d, n * sizeof(float));", Some("d")),
            ("CHECK(cudaMalloc((void **)&d_in, size(n, 4)));", Some("d_in")),
            ("cudaMalloc(reinterpret_cast<void**>(&x), 4);", Some("x")),
            ("cudaMalloc<float>(&this->rows[i], 4);", Some("this->rows[i]")),
            ("cudaMalloc(\n    &y,\n    4);", Some("y")),
            ("cudaMalloc(&a, 4);\ncudaMalloc(&b, 4);", Some("a")),
            // Which of the two calls it was is not known here.
            ("cudaMalloc(&a, 4); cudaMalloc(&b, 4);", None),
            ("cudaMalloc(to, bytes);", None),
            ("my_cudaMalloc(&a, 4);", None),
            ("cudaMallocHost(&a, 4);", None),
            ("cudaMalloc(&a", None),
        ] {
            assert_eq!(named(text).as_deref(), name, "{text}");
        }
    }

    #[test]
    fn several_calls_on_a_line_are_told_apart_by_their_number() {
        let two = "cudaMalloc(&a, 4); cudaMalloc(&b, 4);";
        for (text, earlier, name) in [
            (two, Some(0), Some("a")),
            (two, Some(1), Some("b")),
            // The line runs again.
            (two, Some(2), Some("a")),
            (two, None, None),
            ("if (x) cudaMalloc(&a, 4); else cudaMalloc(&b, 4);", Some(1), None),
            ("cudaMalloc(&a, 4) || cudaMalloc(&b, 4);", Some(1), None),
        ] {
            assert_eq!(variable(text, "cudaMalloc", || earlier).as_deref(), name, "{text}");
        }
    }

    #[test]
    fn the_map_names_the_memory_of_the_host() {
        let map = "00400000-00500000 r-xp 00000000 08:01 131 /usr/bin/a b\n\
                   7f0000000000-7f0000100000 rw-p 00000000 00:00 0 \n\
                   7f0000200000-7f0000300000 ---p 00000000 00:00 0 \n\
                   7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                          [stack]\n";
        assert_eq!(name_in(map, 0x7ffd_0000_1000), Some("[stack]"));
        assert_eq!(name_in(map, 0x40_1000), Some("/usr/bin/a b"));
        assert_eq!(name_in(map, 0x7f00_0000_0000), Some(""));
        assert_eq!(name_in(map, 0x7f00_0020_0000), None, "not accessible");
        assert_eq!(name_in(map, 0x10), None);
        let local = 0u8;
        let here = host_memory(&raw const local as u64).expect("mapped");
        assert!(here.contains("memory of the host"), "{here}");
    }
}
