//! What is told of an address that cannot be accessed, or of bytes that nothing has written: the allocation that lies nearest.

use super::{Memory, NULL_PAGE};
use crate::fault::NearAllocation;

/// Why an address cannot be accessed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadAddress {
    /// In the null page.
    Null,
    /// In an allocation that was freed.
    Freed(NearAllocation),
    /// In no allocation; the nearest one below, if there is one.
    Outside(Option<NearAllocation>),
}

impl Memory {
    /// The first of some bytes of one allocation that nothing has written, as far as that is followed.
    pub fn unwritten(&self, address: u64, bytes: u64) -> Option<NearAllocation> {
        let (start, allocation) = self.find(address)?;
        let (written, offset) = (allocation.written.as_ref()?, address - start);
        if written.has(offset, bytes) {
            return None;
        }
        let gap = (offset..offset + bytes).find(|at| !written.has(*at, 1))?;
        self.nearest(start + gap, 1)
    }

    /// The live allocation nearest to an access.
    pub fn nearest(&self, address: u64, bytes: u64) -> Option<NearAllocation> {
        let before = self.live.range(..=address).next_back();
        let after = self.live.range(address..).next();
        before
            .into_iter()
            .chain(after)
            .map(|(start, a)| near(&a.name, *start, a.bytes, address, bytes))
            .min_by_key(|n| n.distance)
    }

    /// Why an access is bad; call it for bad ones only.
    pub fn diagnose(&self, address: u64, bytes: u64) -> BadAddress {
        if address < NULL_PAGE {
            return BadAddress::Null;
        }
        let freed =
            self.freed.iter().rev().find(|(start, size, _)| {
                address >= *start && address < start.saturating_add(*size)
            });
        match freed {
            Some((start, size, name)) => {
                BadAddress::Freed(near(name, *start, *size, address, bytes))
            }
            None => BadAddress::Outside(self.nearest(address, bytes)),
        }
    }
}

fn near(name: &str, start: u64, size: u64, address: u64, bytes: u64) -> NearAllocation {
    let distance = if address >= start {
        address.saturating_sub(start + size)
    } else {
        start.saturating_sub(address.saturating_add(bytes))
    };
    NearAllocation {
        name: name.to_owned(),
        address: start,
        bytes: size,
        offset: address.wrapping_sub(start) as i64,
        distance,
    }
}
