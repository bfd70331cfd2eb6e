//! Copies of device memory that nothing has written: to the host, and with other rows than a pitched allocation's.
//!
//! A copy to the host is reported only if nothing has written any of its bytes. A copy with some written bytes is common
//! and right: structures with padding, rows with their padding, buffers that are larger than their contents. What the
//! program does with the bytes on the host is unknown. Nothing is reported after another finding, because the missing
//! write may follow from it, nor of memory with several addresses, nor after the process has exported memory. If only the
//! end of a copy in one piece is unwritten, the grid may be too small: that is a note.
//!
//! A copy out of a pitched allocation (`cudaMallocPitch`) with other rows than the allocation's is allowed, because it
//! stays in the allocation. But if it also reads bytes that nothing has written, as the padding after each row, the pitch
//! or the size is wrong. Copies of whole rows with their padding, of every second row, or of memory that the program uses
//! without rows are not reported.
//!
//! Also reports a copy in one piece whose source and target overlap, which CUDA does not allow. A copy of memory onto itself
//! is not reported: it changes nothing.

use crate::interface::failures;
use crate::memory::allocations::{AllocationKind, PitchedRows};
use crate::memory::shared_pages;
use crate::memory::transfer::{Copy3D, CopySide};
use crate::memory::virtual_memory::is_reserved;
use crate::state::{Driver, driver};
use lanework::emulator::sanitize::ReportKind;
use std::sync::atomic::Ordering;

/// Bytes of a row that are looked up at once.
const AT_ONCE: usize = 4096;

/// Reports a copy that reads what nothing has written, or what it writes itself.
pub fn check(copy: &Copy3D) {
    let Ok(driver) = driver() else { return };
    if lanework::tool::checks(&driver.device) {
        check_overlap(driver, copy);
        check_rows(driver, copy);
        check_all(driver, copy);
    }
}

/// Reports a copy in one piece whose source and target overlap.
fn check_overlap(driver: &Driver, copy: &Copy3D) {
    let Copy3D { from, to, width, height, depth } = copy;
    let first = |side: &CopySide| side.row(*width, *height, (0, 0)).ok();
    let (Some(source), Some(target)) = (first(from), first(to)) else { return };
    let apart = source.abs_diff(target);
    if height * depth != 1 || apart == 0 || apart >= *width as u64 {
        return;
    }
    let Some((name, at, _)) = lanework::tool::allocation(&driver.device, source) else { return };
    let (place, shared) = (format!("{name}+{}", source - at), *width as u64 - apart);
    let message = format!(
        "overlapping copy: {width} bytes at {place}; {shared} bytes are in the source and in the target, and are read and written in no fixed order"
    );
    let help = "copy through another buffer, or in parts that do not overlap";
    failures::misuse_of_memory(ReportKind::Race, message, help, source);
}

/// Reports a copy to the host if nothing has written any of its bytes.
fn check_all(driver: &Driver, copy: &Copy3D) {
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
    if !from_device || !is_host || copy.bytes() == 0 {
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
    let none_written = parts.all(is_unwritten);
    if lanework::tool::has_findings() {
        return;
    }
    let bytes = copy.bytes();
    let Some((name, at, _)) = lanework::tool::allocation(&driver.device, start) else { return };
    let place = format!("{name}+{}", start - at);
    if !none_written {
        if height * depth == 1
            && let [(first, last)] = driver.device.unwritten_at(start, *width as u64)[..]
            && first + last == *width as u64
        {
            lanework::tool::note(format!(
                "a copy to the host takes {bytes} bytes at {place}, and nothing has written the last {last} of them: the grid may be too small"
            ));
        }
        return;
    }
    let message = format!(
        "uninitialized copy to the host: nothing has written any of its {bytes} bytes at {place}"
    );
    let help = "let a kernel, a copy or `cudaMemset` write the memory first: check that the kernel ran, and that it got this pointer";
    failures::misuse_of_memory(ReportKind::Uninitialized, message, help, start);
}

/// Reports a copy that reads unwritten bytes of a pitched allocation because it has other rows.
fn check_rows(driver: &Driver, copy: &Copy3D) {
    let Copy3D { from, width, height, depth, .. } = copy;
    let row = |place| from.row(*width, *height, place).ok();
    let Some(first) = row((0, 0)) else { return };
    let found = driver.allocations().find(first).and_then(|(start, one)| Some((start, one.rows?)));
    let Some((start, PitchedRows { width: used, pitch })) = found else { return };
    let apart = row((1, 0)).map_or(0, |next| (next - first) as usize);
    let many = height * depth > 1;
    let wrong = match many {
        true => !apart.is_multiple_of(pitch),
        // Runs over the end of a row, and ends neither at the end of a row nor at the end of its padding.
        false => {
            let end = (first - start) as usize % pitch + width;
            end > pitch && !end.is_multiple_of(pitch) && end % pitch != used
        }
    };
    if !wrong {
        return;
    }
    let rows = (0..*depth).flat_map(|z| (0..*height).filter_map(move |y| row((y, z))));
    let mut gaps = rows.filter_map(|row| {
        let runs = driver.device.unwritten_at(row, *width as u64);
        runs.first().map(|(at, bytes)| (row + at - start, *bytes))
    });
    let Some((gap, bytes)) = gaps.next() else { return };
    let taken = match many {
        true => format!("its rows are {apart} bytes apart"),
        false => format!("it takes {width} bytes in one piece"),
    };
    let message = format!(
        "a copy reads bytes of a pitched allocation that were never written, {bytes} of them {gap} bytes after its start: {taken}, but the rows of the allocation are {pitch} bytes apart, and {used} bytes of each are used"
    );
    let help = "copy with `cudaMemcpy2D`, and pass the pitch that `cudaMallocPitch` gave for this allocation";
    failures::misuse(ReportKind::Uninitialized, message, help);
}
