//! Copies out of pitched allocations (`cudaMallocPitch`) with other rows than the allocation's.
//!
//! Such a copy is allowed, because it stays in the allocation. But if it also reads bytes that nothing has written, as the
//! padding after each row, the pitch or the size is wrong. Copies of whole rows with their padding, of every second row, or of
//! memory that the program uses without rows are not reported.

use crate::interface::failures;
use crate::memory::allocations::PitchedRows;
use crate::memory::transfer::Copy3D;
use crate::state::driver;
use lanework::emulator::sanitize::ReportKind;

/// Reports a copy that reads unwritten bytes of a pitched allocation because it has other rows.
pub fn check(copy: &Copy3D) {
    let Ok(driver) = driver() else { return };
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
    if !wrong || !lanework::tool::checks(&driver.device) {
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
