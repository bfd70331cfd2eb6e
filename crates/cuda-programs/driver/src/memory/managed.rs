//! Managed memory: advice and prefetches. Host and devices can access all memory, so advice changes only the results
//! of queries. It is tracked per page.

use crate::api::api;
use crate::memory::allocations::AllocationKind;
use crate::pointers::*;
use crate::state::{Driver, Handle, driver, lock};
use crate::status::{Result, Status};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_void;
use std::sync::Mutex;

const PAGE: u64 = 4096;
/// Device numbers for the host and for no device.
const HOST: i32 = -1;
const NOWHERE: i32 = -2;

/// Advice in effect for a page.
#[derive(Clone, PartialEq, Eq)]
struct Page {
    read_mostly: bool,
    preferred: i32,
    users: BTreeSet<i32>,
    prefetched: i32,
}

impl Default for Page {
    fn default() -> Page {
        Page { read_mostly: false, preferred: NOWHERE, users: BTreeSet::new(), prefetched: NOWHERE }
    }
}

/// Advice or a prefetch on a range of pages.
struct Advice {
    start: u64,
    end: u64,
    /// Number of the advice (`CUmem_advise`); 0 for a prefetch.
    what: i32,
    device: i32,
}

/// Advice per allocation id, in call order.
static ADVICE: Mutex<BTreeMap<u64, Vec<Advice>>> = Mutex::new(BTreeMap::new());

impl Page {
    fn apply(&mut self, advice: &Advice) {
        match advice.what {
            0 => self.prefetched = advice.device,
            1 | 2 => self.read_mostly = advice.what == 1,
            3 => self.preferred = advice.device,
            4 => self.preferred = NOWHERE,
            5 => drop(self.users.insert(advice.device)),
            _ => drop(self.users.remove(&advice.device)),
        }
    }
}

/// Decodes a `CUmemLocation` passed as one word.
pub fn device_of(location: u64) -> Result<i32> {
    match location as u32 {
        1 if (location >> 32) as i32 >= 0 => Ok((location >> 32) as i32),
        1 => Err(Status::InvalidDevice),
        2..=4 => Ok(HOST),
        _ => Err(Status::InvalidValue),
    }
}

impl Driver {
    /// Id of the managed allocation that contains a range.
    fn managed(&self, address: u64, bytes: usize) -> Result<u64> {
        match self.allocations().find(address) {
            Some((start, found))
                if matches!(found.kind, AllocationKind::Managed | AllocationKind::Registered)
                    && bytes > 0
                    && bytes as u64 <= found.bytes - (address - start) =>
            {
                Ok(found.id)
            }
            _ => Err(Status::InvalidValue),
        }
    }

    /// Records advice on a range.
    fn record_advice(&self, address: u64, bytes: usize, what: i32, device: i32) -> Result {
        self.context()?;
        if device >= 0 && self.gpu(device).is_err() || device < HOST {
            return Err(Status::InvalidDevice);
        }
        let id = self.managed(address, bytes)?;
        let advice = Advice { start: address, end: address + bytes as u64, what, device };
        lock(&ADVICE).entry(id).or_default().push(advice);
        Ok(())
    }

    /// The distinct states of a range's pages.
    fn pages(&self, address: u64, bytes: usize) -> Result<Vec<Page>> {
        let id = self.managed(address, bytes)?;
        let all = lock(&ADVICE);
        let given = all.get(&id).map_or(&[][..], |given| given);
        let pages = (address / PAGE..(address + bytes as u64).div_ceil(PAGE)).map(|page| {
            let mut state = Page::default();
            let touches =
                |advice: &&Advice| advice.start < (page + 1) * PAGE && page * PAGE < advice.end;
            given.iter().filter(touches).for_each(|advice| state.apply(advice));
            state
        });
        let mut pages: Vec<Page> = pages.collect();
        pages.dedup();
        Ok(pages)
    }
}

/// Applies advice (`CUmem_advise`) to a range.
fn advise(address: u64, bytes: usize, advice: i32, device: Result<i32>) -> Result {
    // This kind of advice ignores the device.
    let device = match device {
        Err(Status::InvalidValue) => return Err(Status::InvalidValue),
        _ if matches!(advice, 1 | 2 | 4) => HOST,
        device => device.map_err(|_| Status::InvalidValue)?,
    };
    if device >= 0 && driver()?.gpu(device).is_err() {
        return Err(Status::InvalidValue);
    }
    match advice {
        1..=6 => driver()?.record_advice(address, bytes, advice, device),
        _ => Err(Status::InvalidValue),
    }
}

/// Words of a range attribute (`CUmem_range_attribute`), up to `room`.
fn attribute(address: u64, bytes: usize, kind: i32, room: usize) -> Result<Vec<i32>> {
    let pages = driver()?.pages(address, bytes)?;
    let common = |of: fn(&Page) -> i32| match &pages[..] {
        [first, rest @ ..] if rest.iter().all(|page| of(page) == of(first)) => of(first),
        _ => NOWHERE,
    };
    let kind_of = |device: i32| match device {
        HOST => 2,
        NOWHERE => 0,
        _ => 1,
    };
    let (preferred, prefetched) = (common(|page| page.preferred), common(|page| page.prefetched));
    let one = match kind {
        1 => i32::from(pages.iter().all(|page| page.read_mostly)),
        2 => preferred,
        3 => {
            let users = |page: &Page| page.users.clone();
            let mut all = pages.iter().map(users).reduce(|a, b| &a & &b).unwrap_or_default();
            // Devices first, then the host.
            let host = all.remove(&HOST).then_some(HOST);
            let mut words: Vec<i32> = all.into_iter().chain(host).take(room).collect();
            words.resize(room, NOWHERE);
            return Ok(words);
        }
        4 => prefetched,
        5 => kind_of(preferred),
        6 => {
            if preferred == HOST {
                0
            } else {
                preferred
            }
        }
        7 => kind_of(prefetched),
        8 => {
            if prefetched == HOST {
                0
            } else {
                prefetched
            }
        }
        _ => return Err(Status::InvalidValue),
    };
    if room == 1 { Ok(vec![one]) } else { Err(Status::InvalidValue) }
}

/// Stores an attribute.
///
/// # Safety
/// `to` is null (which is refused), or has `size` bytes.
unsafe fn store_attribute(
    to: *mut c_void,
    size: usize,
    kind: i32,
    address: u64,
    bytes: usize,
) -> Result {
    if size == 0 || !size.is_multiple_of(4) {
        return Err(Status::InvalidValue);
    }
    for (index, word) in attribute(address, bytes, kind, size / 4)?.into_iter().enumerate() {
        // SAFETY: `to` has `size / 4` words (contract of this function), and as many are stored.
        unsafe { Out::<i32>::new(to.cast()).at(index) }.store(word)?;
    }
    Ok(())
}

/// Prefetches a range in stream order.
pub fn prefetch(address: u64, bytes: usize, device: Result<i32>, stream: Handle) -> Result {
    let driver = driver()?;
    driver.stream(stream)?;
    driver.check_uncaptured(stream)?;
    driver.record_advice(address, bytes, 0, device?)
}

api! {
    fn cuMemAdvise(address: u64, bytes: usize, advice: i32, device: i32) {
        // Only the preferred location (3) reports an unknown device as such.
        if advice == 3 && device >= 0 {
            driver()?.gpu(device)?;
        }
        advise(address, bytes, advice, Ok(device))
    }

    fn cuMemAdvise_v2(address: u64, bytes: usize, advice: i32, location: u64) {
        // Access can be granted to (5) or removed from (6) the whole host, but not a NUMA node of it.
        if matches!(advice, 5 | 6) && matches!(location as u32, 3 | 4) {
            return Err(Status::InvalidValue);
        }
        advise(address, bytes, advice, device_of(location))
    }

    fn cuMemPrefetchAsync(address: u64, bytes: usize, device: i32, stream: Handle) {
        prefetch(address, bytes, Ok(device), stream)
    }

    fn cuMemPrefetchAsync_v2(address: u64, bytes: usize, location: u64, flags: u32, stream: Handle) {
        if flags != 0 {
            return Err(Status::InvalidValue);
        }
        prefetch(address, bytes, device_of(location), stream)
    }

    fn cuMemRangeGetAttribute(to: *mut c_void, size: usize, kind: i32, address: u64, bytes: usize) {
        // SAFETY: the caller passed `to` with `size` bytes.
        unsafe { store_attribute(to, size, kind, address, bytes) }
    }

    fn cuMemRangeGetAttributes(to: In<'_, *mut c_void>, sizes: In<'_, usize>, kinds: In<'_, i32>, count: usize, address: u64, bytes: usize) {
        let (to, sizes, kinds) = (to.list(count)?, sizes.list(count)?, kinds.list(count)?);
        for ((to, size), kind) in to.into_iter().zip(sizes).zip(kinds) {
            // SAFETY: the caller passed `to` with `size` bytes.
            unsafe { store_attribute(to, size, kind, address, bytes) }?;
        }
        Ok(())
    }
}
