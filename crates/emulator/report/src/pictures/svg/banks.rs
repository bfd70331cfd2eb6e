//! The banks of an access to shared memory as a grid.

use super::super::access::{bank_rows, bank_wavefronts};
use super::canvas::{Canvas, EMPTY, FAINT, GRID, INK, LEFT, ROW};
use lanework_emulator::TracedAccess;

/// The colour of a bank with this many wavefronts.
fn heat(wavefronts: usize) -> &'static str {
    match wavefronts {
        0 | 1 => "#a6e3b4",
        2 => "#ffd8a8",
        3..=4 => "#ffb37a",
        5..=8 => "#ff8a65",
        9..=16 => "#f0605a",
        _ => "#d6394c",
    }
}

/// A grid of 32 banks with the lane at each word, and the wavefronts of each bank.
pub(super) fn banks(canvas: &mut Canvas, touch: &TracedAccess, most: usize) {
    let rows = bank_rows(touch);
    let wavefronts = bank_wavefronts(touch);
    let width = GRID / 32;
    let ink = |count: usize| if count > 8 { "white" } else { INK };
    canvas.label("bank");
    for bank in 0..32 {
        canvas.cell((LEFT + width * bank, width - 2), "white", &bank.to_string(), FAINT);
    }
    canvas.y += ROW;
    for (row, cells) in rows.iter().take(most) {
        canvas.label(&format!("{} B", u128::from(*row) * 128));
        for (bank, lanes) in cells.iter().enumerate() {
            let fill = if lanes.is_empty() { EMPTY } else { heat(wavefronts[bank]) };
            let label = match lanes.as_slice() {
                [] => String::new(),
                [lane] => lane.to_string(),
                [..] => format!("{}x", lanes.len()),
            };
            canvas.cell((LEFT + width * bank, width - 2), fill, &label, ink(wavefronts[bank]));
        }
        canvas.y += ROW;
    }
    canvas.y += 4;
    canvas.label("wavefronts");
    for (bank, count) in wavefronts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let place = (LEFT + width * bank, width - 2);
        canvas.cell(place, heat(*count), &count.to_string(), ink(*count));
    }
    canvas.y += ROW + 8;
}

/// What the colours of banks mean.
pub(super) fn bank_keys(canvas: &mut Canvas) {
    let x = canvas.key(
        LEFT,
        heat(1),
        "one wavefront; the number is the lane, 4x is four lanes at one word",
    );
    canvas.key(x, heat(16), "a bank conflict");
    canvas.y += 14;
}
