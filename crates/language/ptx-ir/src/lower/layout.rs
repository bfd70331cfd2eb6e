//! Layout of variables in shared and local memory.
//!
//! For checked runs, gaps separate variables, so an out-of-range index does not land in the next variable.

use crate::kernel::{Kernel, Operand, PlacedVariable};
use lanework_ptx::{Linkage, StateSpace, Variable};

/// Bytes of shared memory that are reserved for CUDA's libraries.
const RESERVED_SHARED: u32 = 1024;
/// Bytes left free between variables.
pub const GAP: u32 = 1024;
/// The gap in local memory once it exceeds `WIDE_GAPS` bytes.
const NARROW_GAP: u32 = 32;
const WIDE_GAPS: u32 = 16 << 10;

/// The layout of a kernel's variables so far.
pub struct VariableLayout {
    /// Whether gaps separate variables.
    gaps: bool,
    /// Bytes of shared memory without gaps.
    packed_shared: u32,
    /// The alignment of dynamic shared memory: the largest declared, at least 16.
    dynamic_alignment: u32,
}

impl VariableLayout {
    /// An empty layout; `gaps` separates variables.
    pub fn new(gaps: bool) -> VariableLayout {
        VariableLayout { gaps, packed_shared: 0, dynamic_alignment: 16 }
    }

    /// Places a variable in shared memory; returns its address.
    pub fn shared(&mut self, kernel: &mut Kernel, variable: &Variable) -> Operand {
        let open = variable.dims.iter().any(Option::is_none);
        if variable.linkage == Linkage::Extern && (open || variable.size() == 0) {
            kernel.dynamic_shared.get_or_insert_with(|| readable(&variable.name));
            let align = variable.alignment().clamp(1, 1024);
            self.dynamic_alignment = self.dynamic_alignment.max(align);
            return Operand::DynamicShared(0);
        }
        let align = variable.alignment().clamp(1, 1024);
        let bytes = variable.size().min(1 << 31) as u32;
        let offset = self.place(kernel.static_shared, align, GAP);
        kernel.static_shared = offset.saturating_add(bytes);
        let packed = self.packed_shared.min(1 << 30).next_multiple_of(align);
        self.packed_shared = packed.saturating_add(bytes);
        let name = readable(&variable.name);
        kernel.shared_variables.push(PlacedVariable { name, offset, bytes });
        Operand::Const(u64::from(offset))
    }

    /// The offset of a variable after `end` bytes of others and a gap.
    fn place(&self, end: u32, align: u32, gap: u32) -> u32 {
        let gap = if self.gaps && end > 0 { gap } else { 0 };
        (end.min(1 << 30) + gap).next_multiple_of(align)
    }

    /// Places a variable in local memory; returns its address.
    pub fn local(&self, kernel: &mut Kernel, variable: &Variable) -> Operand {
        let align = variable.alignment().clamp(1, 1024);
        // Debug code has thousands of variables once its calls are inlined, and each thread has its
        // own copy of all. So call parameters, which are not indexed, get no gap, and gaps become
        // narrow after the first `WIDE_GAPS` bytes.
        let gap = match variable.space {
            StateSpace::Param => 0,
            _ if kernel.local_bytes < WIDE_GAPS => GAP,
            _ => NARROW_GAP,
        };
        let offset = self.place(kernel.local_bytes, align, gap);
        let bytes = variable.size().min(1 << 31) as u32;
        kernel.local_bytes = offset.saturating_add(bytes);
        let name = variable.name.clone();
        kernel.local_variables.push(PlacedVariable { name, offset, bytes });
        Operand::Const(u64::from(offset))
    }

    /// Places the shared memory that is reserved for CUDA's libraries; it is not part of what the kernel declares.
    pub fn reserved(&self, kernel: &mut Kernel) -> u32 {
        let offset = self.place(kernel.static_shared, 128, GAP);
        kernel.static_shared = offset.saturating_add(RESERVED_SHARED);
        let name = "the shared memory of CUDA's libraries".to_owned();
        kernel.shared_variables.push(PlacedVariable { name, offset, bytes: RESERVED_SHARED });
        offset
    }

    /// Ends static shared memory, where dynamic shared memory starts.
    pub fn finish(&self, kernel: &mut Kernel) {
        kernel.declared_shared = self.packed_shared;
        let gap = if self.gaps && kernel.static_shared > 0 { GAP } else { 0 };
        let end = kernel.static_shared.saturating_add(gap);
        kernel.static_shared = end.next_multiple_of(self.dynamic_alignment);
    }
}

/// The source name of a variable: the last part of a mangled local name such as `_ZZ6kernelE4tile`, the part of
/// `__local_depot0$sums` after its number, or else the C++ name with its namespaces.
pub fn readable(name: &str) -> String {
    if let Some((_, name)) =
        name.strip_prefix("__local_depot").and_then(|rest| rest.split_once('$'))
    {
        return name.to_owned();
    }
    let last = name.strip_prefix("_ZZ").and_then(|rest| {
        rest.match_indices('E').rev().find_map(|(at, _)| {
            let digits: String = rest[at + 1..].chars().take_while(char::is_ascii_digit).collect();
            let start = at + 1 + digits.len();
            rest.get(start..start + digits.parse::<usize>().ok()?)
        })
    });
    last.map_or_else(|| crate::cpp_names::readable(name).into_owned(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn names_of_variables_are_those_of_the_source() {
        let names = [
            ("_ZZ6kernelE4tile", "tile"),
            ("_ZZN3app1kEPiE5cache", "cache"),
            ("_ZN3app5tableE", "app::table"),
            ("_ZN3app4PoolIfE5usersE", "app::Pool<float>::users"),
            ("__local_depot12$sums", "sums"),
            ("__local_depot0", "__local_depot0"),
            ("counter", "counter"),
        ];
        for (mangled, wanted) in names {
            assert_eq!(readable(mangled), wanted);
        }
    }
}
