//! Names of memory in findings: the parameter through which a kernel received it, the element, and what the driver knows of its
//! origin.

use cpp_demangle::Symbol;
use lanework_emulator::sanitize::{Report, ReportKind};
use lanework_emulator::{NearAllocation, Program};
use std::sync::OnceLock;

/// Maximum distance in bytes of an address from the allocation that a finding names.
const FAR: u64 = 1 << 16;

/// Where memory comes from.
pub struct MemoryOrigin {
    /// The variable that the program allocated it for, or the call that allocated it; `None` if unknown.
    pub name: Option<String>,
    /// The allocation, and the call that made it; or the memory of the host.
    pub text: String,
    /// The bytes that the program asked for; 0 for memory of the host.
    pub bytes: u64,
    /// Bytes from one row to the next, if it was allocated in rows.
    pub pitch: Option<usize>,
    /// Whether it is memory of the host that kernels cannot access.
    pub is_host: bool,
}

/// Describes the allocation at an address, or, if asked, memory of the host there.
type Describe = fn(u64, bool) -> Option<MemoryOrigin>;

static DESCRIBE: OnceLock<Describe> = OnceLock::new();

/// Sets the function that tells findings where their memory was allocated.
pub fn describe_memory(describe: Describe) {
    let _ = DESCRIBE.set(describe);
}

/// The name that a program's source gives the memory at an address, which the driver called `known`: by its own call, if the
/// driver allocated it.
pub(super) fn name_in_source(address: u64, known: &str) -> Option<String> {
    let describe = DESCRIBE.get().filter(|_| is_of_driver(known))?;
    describe(address, false)?.name
}

/// The name that a program's source gives the memory at an address, and the bytes that it asked for, if the driver, which rounds sizes
/// up, allocated it as `known`.
pub(super) fn asked_in_source(address: u64, known: &str) -> Option<(String, u64)> {
    let describe = DESCRIBE.get().filter(|_| is_of_driver(known))?;
    let origin = describe(address, false).filter(|origin| origin.bytes > 0)?;
    Some((origin.name.unwrap_or_else(|| known.to_owned()), origin.bytes))
}

/// Whether the name of an allocation is a call of the driver.
fn is_of_driver(name: &str) -> bool {
    name.starts_with("cuMem")
}

/// A text with another name for memory.
fn renamed(text: &str, from: &str, to: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut renamed, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(from) {
        let (before, after) = (&rest[..at], &rest[at + from.len()..]);
        let is_whole = !before.ends_with(is_word) && !after.starts_with(is_word);
        renamed.push_str(before);
        renamed.push_str(if is_whole { to } else { from });
        rest = after;
    }
    renamed + rest
}

/// Adds to a finding where its memory was allocated, and calls the memory as the program's source does.
pub(super) fn name_memory(report: &mut Report) {
    let Some(describe) = DESCRIBE.get() else { return };
    let near = report.allocation.as_ref().filter(|near| near.distance <= FAR);
    let address = near.map(|near| near.address).or(report.address);
    // A variable of a module is neither an allocation nor memory of the host.
    let host = near.is_none();
    let parameter = std::mem::take(&mut report.allocated);
    let origin = address.and_then(|address| describe(address, host));
    if let (ReportKind::OutOfBounds, Some(pitch)) =
        (report.kind, origin.as_ref().and_then(|origin| origin.pitch))
    {
        report.help = format!(
            "count the pitch in bytes: the rows of this memory are {pitch} bytes apart, so row `y` of `p` starts at `(char *)p + y * {pitch}`; if it is computed so, guard the access so that its index stays inside the buffer"
        );
    }
    if report.kind == ReportKind::OutOfBounds
        && origin.as_ref().is_some_and(|origin| origin.is_host)
    {
        report.help = "pass an address of device memory: allocate it (`cudaMalloc`) and copy the data there (`cudaMemcpy`); pointers inside a copied structure must be addresses of the device, too, and an object with virtual functions must be constructed in a kernel".to_owned();
    }
    let name = origin.as_ref().and_then(|origin| origin.name.as_deref());
    if let (Some(near), Some(name)) = (&mut report.allocation, name)
        && is_of_driver(&near.name)
    {
        report.message = renamed(&report.message, &near.name, name);
        near.name = name.to_owned();
    }
    // An address far from all memory: the message names the nearest allocation.
    if let Some(far) = report.allocation.as_mut().filter(|near| near.distance > FAR)
        && is_of_driver(&far.name)
        && let Some(name) = describe(far.address, false).and_then(|origin| origin.name)
    {
        report.message = renamed(&report.message, &far.name, &name);
        far.name = name;
    }
    let memory = origin.map(|origin| origin.text).unwrap_or_default();
    report.allocated = match parameter.is_empty() || memory.is_empty() {
        true => memory,
        false => format!("{parameter}: {memory}"),
    };
}

/// Adds to each finding that names memory the parameter through which the launch received that memory.
pub(super) fn name_parameters(
    found: &mut [Report],
    program: &Program,
    entry: &str,
    arguments: &[&[u8]],
) {
    if found.is_empty() {
        return;
    }
    let Some(kernel) = program.kernel(entry) else { return };
    let signature = signature(entry);
    for report in found {
        let passed = passed_through(report, arguments);
        if let Some((index, parameter)) =
            passed.and_then(|index| Some((index, kernel.parameters.get(index)?)))
        {
            let parameter = parameter_text(&signature, &parameter.name, index);
            let ty = types(&signature).get(index).copied().unwrap_or_default();
            let of_type = element_text(report, ty);
            let near = report.allocation.as_ref().filter(|_| of_type.is_some());
            if let Some(advice) = near.and_then(|near| bytes_for_elements(near, ty, arguments)) {
                report.help = advice;
            }
            match of_type {
                Some(element) => report.allocated = format!("{parameter}, {element}"),
                // Without an allocation, the memory's name says which parameter it is.
                None if DESCRIBE.get().is_some() => report.allocated = parameter,
                None => {}
            }
        }
    }
}

/// The argument through which a kernel got the memory of an access: a pointer to the allocation, or to host memory shortly before the
/// address. Of several, the last one that is not beyond the address.
fn passed_through(report: &Report, arguments: &[&[u8]]) -> Option<usize> {
    /// Maximum distance in bytes of an access from a pointer to host memory, whose size is not known.
    const OF_HOST: u64 = 1 << 24;
    let near = report.allocation.as_ref().filter(|near| near.distance <= FAR);
    let at = report.address.or(near.map(|near| near.address))?;
    let value = |argument: &&[u8]| {
        let bytes = argument.first_chunk().filter(|_| argument.len() == 8)?;
        Some(u64::from_le_bytes(*bytes))
    };
    let pointers = arguments.iter().enumerate();
    let pointers = pointers.filter_map(|(index, argument)| Some((index, value(argument)?)));
    let pointers: Vec<(usize, u64)> = match near {
        Some(near) => {
            pointers.filter(|(_, value)| value.wrapping_sub(near.address) < near.bytes).collect()
        }
        None => {
            pointers.filter(|(_, value)| *value != 0 && at.wrapping_sub(*value) < OF_HOST).collect()
        }
    };
    let before = pointers.iter().filter(|(_, value)| *value <= at);
    // Of equal pointers, the first one.
    let last = before.reduce(|best, one| if one.1 > best.1 { one } else { best });
    last.or(pointers.iter().min_by_key(|(_, value)| *value)).map(|(index, _)| *index)
}

/// The signature of a mangled C++ function; empty for other names.
fn signature(entry: &str) -> String {
    /// No compiler emits longer names, and reading takes memory.
    const LONGEST: usize = 1 << 16;
    if !entry.starts_with("_Z") || entry.len() > LONGEST {
        return String::new();
    }
    Symbol::new(entry).ok().and_then(|name| name.demangle().ok()).unwrap_or_default()
}

/// A parameter by its name in the source, or by its number and type.
fn parameter_text(kernel: &str, name: &str, index: usize) -> String {
    // NVIDIA's compiler and LLVM number parameters.
    if !name.ends_with(&format!("_param_{index}")) {
        return format!("parameter `{name}`");
    }
    match types(kernel).get(index) {
        Some(of) => format!("parameter {} (`{of}`)", index + 1),
        None => format!("parameter {}", index + 1),
    }
}

/// The element that an access out of bounds names, by the type of its pointer.
fn element_text(report: &Report, pointer: &str) -> Option<String> {
    let near = report.allocation.as_ref().filter(|near| near.distance <= FAR)?;
    let size = size_of(pointee(pointer)?)?;
    let is_whole = near.offset % size == 0 && near.bytes >= size as u64;
    let index = (report.kind == ReportKind::OutOfBounds && is_whole).then(|| near.offset / size)?;
    Some(format!("element {index} (0 to {} exist)", near.bytes / size as u64 - 1))
}

/// Advice if the kernel gets the number of bytes of its memory as a number: it was probably meant to be a number of elements.
fn bytes_for_elements(near: &NearAllocation, pointer: &str, arguments: &[&[u8]]) -> Option<String> {
    let of = pointee(pointer)?;
    let value = |argument: &&[u8]| match argument.len() {
        4 => argument.first_chunk().map(|bytes| u64::from(u32::from_le_bytes(*bytes))),
        8 => argument.first_chunk().map(|bytes| u64::from_le_bytes(*bytes)),
        _ => None,
    };
    let is_given = arguments.iter().filter_map(value).any(|value| value == near.bytes);
    let beyond = near.offset >= 0 && size_of(of)? > 1;
    (is_given && beyond).then(|| {
        format!(
            "allocate {n} * sizeof({of}) bytes if the memory is to hold {n} elements: it has {n} bytes; else guard the access so that its index stays inside the buffer",
            n = near.bytes
        )
    })
}

/// The type that a pointer points to, without qualifiers.
fn pointee(pointer: &str) -> Option<&str> {
    let of = pointer.strip_suffix(" const").unwrap_or(pointer).strip_suffix('*')?.trim_end();
    Some(of.trim_end_matches(" const").trim_end_matches(" volatile"))
}

/// The size of a type in bytes, if it is a number or a vector of numbers.
fn size_of(ty: &str) -> Option<i64> {
    Some(match ty {
        "bool" | "char" | "signed char" | "unsigned char" => 1,
        "short" | "unsigned short" | "__half" | "__nv_bfloat16" => 2,
        "int" | "unsigned int" | "float" => 4,
        "long" | "unsigned long" | "long long" | "unsigned long long" | "double" | "float2"
        | "int2" | "uint2" => 8,
        "float4" | "int4" | "uint4" | "double2" => 16,
        _ => return None,
    })
}

/// The types of the parameters of a readable C++ function.
fn types(function: &str) -> Vec<&str> {
    let Some(inside) = function.strip_suffix(')') else { return Vec::new() };
    let (mut depth, mut end, mut found) = (0, inside.len(), Vec::new());
    for (at, what) in inside.char_indices().rev() {
        match what {
            ')' | '>' | ']' => depth += 1,
            '(' if depth == 0 => {
                found.push(inside[at + 1..end].trim());
                found.reverse();
                return found;
            }
            '(' | '<' | '[' => depth -= 1,
            ',' if depth == 0 => {
                found.push(inside[at + 1..end].trim());
                end = at;
            }
            _ => {}
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_out_of_bounds_names_the_element() {
        let report = |kind, offset: i64| Report {
            allocation: Some(NearAllocation {
                name: "d".to_owned(),
                address: 1 << 40,
                bytes: 4000,
                offset,
                distance: 0,
            }),
            ..Report::new(kind)
        };
        let text = |offset, ty| element_text(&report(ReportKind::OutOfBounds, offset), ty);
        assert_eq!(text(4000, "float const*").as_deref(), Some("element 1000 (0 to 999 exist)"));
        assert_eq!(text(-8, "double*").as_deref(), Some("element -1 (0 to 499 exist)"));
        assert_eq!(text(4002, "float*"), None, "between two elements");
        assert_eq!((text(4000, "Particle*"), text(4000, "float")), (None, None));
        assert_eq!(element_text(&report(ReportKind::Race, 0), "float*"), None);
    }

    #[test]
    fn memory_is_passed_by_the_nearest_pointer_before_it() {
        let near = |distance| NearAllocation {
            name: "d".to_owned(),
            address: 1 << 40,
            bytes: 4000,
            offset: 0,
            distance,
        };
        let at = |address: u64, distance| Report {
            address: Some(address),
            allocation: Some(near(distance)),
            ..Report::new(ReportKind::OutOfBounds)
        };
        let given = [5, (1 << 40) + 400, 1 << 40, (1 << 40) + 400, 0x7fc9_7800_62a0_u64];
        let given: Vec<[u8; 8]> = given.iter().map(|value| value.to_le_bytes()).collect();
        let given: Vec<&[u8]> = given.iter().map(<[u8; 8]>::as_slice).collect();
        let passed = |report: Report| passed_through(&report, &given);
        assert_eq!(passed(at((1 << 40) + 404, 0)), Some(1), "two pointers to one allocation");
        assert_eq!(passed(at((1 << 40) + 4, 0)), Some(2));
        assert_eq!(passed(at((1 << 40) - 4, 4)), Some(2), "before the allocation");
        // The nearest allocation has nothing to do with an address of the host.
        assert_eq!(passed(at(0x7fc9_7800_62a4, 1 << 45)), Some(4));
        assert_eq!(passed(at(0x7000_0000_0000, 1 << 45)), None);
    }

    #[test]
    fn memory_with_as_many_bytes_as_elements_lacks_sizeof() {
        let near = NearAllocation {
            name: "d".to_owned(),
            address: 1 << 40,
            bytes: 1000,
            offset: 1000,
            distance: 0,
        };
        let n = |n: u32| n.to_le_bytes();
        let advice = |given: u32, ty| bytes_for_elements(&near, ty, &[&[0; 8], &n(given)]);
        assert!(advice(1000, "float*").is_some_and(|text| text.contains("1000 * sizeof(float)")));
        assert_eq!((advice(250, "float*"), advice(1000, "char*")), (None, None));
    }

    #[test]
    fn only_whole_names_are_replaced() {
        let text = "at cuMemAlloc+4, `cuMemAlloc` is 4 bytes; cuMemAllocHost";
        let expected = "at d+4, `d` is 4 bytes; cuMemAllocHost";
        assert_eq!(renamed(text, "cuMemAlloc", "d"), expected);
    }

    #[test]
    fn a_parameter_has_its_name_or_its_number_and_type() {
        let kernel =
            "void sum<float, 4>(float const*, Pair<int, int>, float (*)(int, int), unsigned int*)";
        let text = |name: &str, index| parameter_text(kernel, name, index);
        assert_eq!(text("_Z3sum_param_0", 0), "parameter 1 (`float const*`)");
        assert_eq!(text("_Z3sum_param_1", 1), "parameter 2 (`Pair<int, int>`)");
        assert_eq!(text("_Z3sum_param_3", 3), "parameter 4 (`unsigned int*`)");
        assert_eq!(text("out", 3), "parameter `out`");
        assert_eq!(parameter_text("", "sum_param_2", 2), "parameter 3");
        assert_eq!(types(&signature("_Z5countPiPKf")), ["int*", "float const*"]);
        assert_eq!(signature("count"), "");
    }
}
