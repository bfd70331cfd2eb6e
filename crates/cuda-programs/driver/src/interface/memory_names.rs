//! Names of memory in findings: an allocation by its number, size and call, or host memory.

use crate::interface::caller::Caller;
use crate::interface::interpreted::name_of;
use crate::state::driver;
use lanework::tool::MemoryOrigin;
use std::ops::Range;

/// Enables names of memory in findings.
pub fn start() {
    lanework::tool::describe_memory(describe);
}

/// Describes the memory at an address: an allocation, or, if `host` is set, memory of the host.
fn describe(address: u64, host: bool) -> Option<MemoryOrigin> {
    let named = driver().ok()?.allocations().named(address);
    let Some(named) = named else {
        let text = host.then(|| host_memory(address)).flatten()?;
        return Some(MemoryOrigin { text, pitch: None, is_host: true });
    };
    let (bytes, number, kind) = (named.bytes, named.id, named.kind.name());
    let made = named.site.and_then(|site| call_at(&site.caller(), "allocated"));
    let ended = named.freed.as_ref().map(|site| call_at(&site.caller(), "freed"));
    let since = if ended == Some(None) { ", freed since" } else { "" };
    let mut text = format!("allocation {number}: {bytes} bytes of {kind} memory{since}");
    text.extend(made.map(|made| format!("; {made}")));
    text.extend(ended.flatten().map(|ended| format!("; freed by {ended}")));
    Some(MemoryOrigin { text, pitch: named.pitch, is_host: false })
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

/// Describes host memory by the process's memory map.
pub fn host_memory(address: u64) -> Option<String> {
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
