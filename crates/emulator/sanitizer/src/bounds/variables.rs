//! Variables in shared and local memory by offset.

use lanework_engine::fault::NearAllocation;
use lanework_ptx_ir::kernel::Placed;

/// Variables, and where they lie.
pub struct Variables {
    list: Vec<(u64, u64, String)>,
}

impl Variables {
    /// These variables and what `more` adds.
    pub fn new(placed: &[Placed], more: Option<(u64, u64, String)>) -> Variables {
        let of = |p: &Placed| (u64::from(p.offset), u64::from(p.bytes), p.name.clone());
        Variables { list: placed.iter().map(of).chain(more).collect() }
    }

    /// Whether these bytes lie in one variable, or nothing is known of variables; `hint` is the number
    /// of the variable that they are likely in, and becomes that of the one that they are in.
    #[inline(always)]
    pub fn holds(&self, offset: u64, bytes: u64, hint: &mut u32) -> bool {
        let inside = |(start, size, _): &(u64, u64, String)| {
            offset >= *start && bytes <= *size && offset - start <= size - bytes
        };
        if self.list.get(*hint as usize).is_some_and(inside) || self.list.is_empty() {
            return true;
        }
        let found = self.list.iter().position(inside);
        *hint = found.map_or(*hint, |found| found as u32);
        found.is_some()
    }

    /// First byte and size of the variable of this number; of nothing, if there is none.
    #[inline(always)]
    pub fn extent(&self, number: usize) -> (u64, u64) {
        self.list.get(number).map_or((0, 0), |(start, size, _)| (*start, *size))
    }

    /// The variable nearest to some bytes.
    pub fn nearest(&self, offset: u64, bytes: u64) -> Option<NearAllocation> {
        let near = |(start, size, name): &(u64, u64, String)| NearAllocation {
            name: name.clone(),
            address: *start,
            bytes: *size,
            offset: offset.wrapping_sub(*start) as i64,
            distance: if offset >= *start {
                offset.saturating_sub(start + size)
            } else {
                start.saturating_sub(offset.saturating_add(bytes))
            },
        };
        self.list.iter().map(near).min_by_key(|near| near.distance)
    }
}
