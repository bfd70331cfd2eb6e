//! Copies to the host of device memory that nothing has written.
//!
//! A copy is reported only if nothing has written any of its bytes. A copy with some written bytes is common and right:
//! structures with padding, rows with their padding, buffers that are larger than their contents. What the program does
//! with the bytes on the host is unknown. After another finding nothing is reported, because the missing write may follow
//! from it. Nor is memory with several addresses, or after the process has exported memory to others.

use crate::interface::failures;
use crate::memory::allocations::AllocationKind;
use crate::memory::shared_pages;
use crate::memory::transfer::{Copy3D, CopySide};
use crate::memory::virtual_memory::is_reserved;
use crate::state::driver;
use lanework::emulator::sanitize::ReportKind;
use std::sync::atomic::Ordering;

/// Bytes of a row that are looked up at once.
const AT_ONCE: usize = 4096;

/// Reports a copy to the host if nothing has written any of its bytes.
pub fn check(copy: &Copy3D) {
    let Ok(driver) = driver() else { return };
    let Copy3D { from, to, width, height, depth } = copy;
    let first = |side: &CopySide| side.row(*width, *height, (0, 0)).ok();
    let (Some(start), Some(target)) = (first(from), first(to)) else { return };
    let of_kind = |address| driver.kind_of_memory(address);
    let from_device = matches!(of_kind(start), Some(AllocationKind::Device))
        && !is_reserved(start)
        && !driver.is_imported(start)
        && !shared_pages::ANY_EXPORTED.load(Ordering::Relaxed);
    let is_host =
        !matches!(of_kind(target), Some(AllocationKind::Device | AllocationKind::Managed))
            && driver.device.allocation_at(target).is_none_or(|_| of_kind(target).is_some());
    if !from_device || !is_host || copy.bytes() == 0 || !lanework::tool::checks(&driver.device) {
        return;
    }
    let rows = (0..*depth).flat_map(|z| (0..*height).map(move |y| (y, z)));
    let mut parts = rows.flat_map(|place| {
        let row = from.row(*width, *height, place).unwrap_or(0);
        (0..*width).step_by(AT_ONCE).map(move |at| (row + at as u64, (width - at).min(AT_ONCE)))
    });
    let is_unwritten = |(at, bytes): (u64, usize)| {
        driver.device.unwritten_at(at, bytes as u64) == [(0, bytes as u64)]
    };
    if !parts.all(is_unwritten) || lanework::tool::has_findings() {
        return;
    }
    let bytes = copy.bytes();
    let Some((name, at, _)) = lanework::tool::allocation(&driver.device, start) else { return };
    let place = format!("{name}+{}", start - at);
    let message = format!(
        "uninitialized copy to the host: nothing has written any of its {bytes} bytes at {place}"
    );
    let help = "let a kernel, a copy or `cudaMemset` write the memory first: check that the kernel ran, and that it got this pointer";
    failures::misuse_of_memory(ReportKind::Uninitialized, message, help, start);
}
