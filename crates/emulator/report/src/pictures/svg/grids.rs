//! The banks of an access to shared memory as a grid.
//!
//! The sectors of an access to global memory as a grid.
//!
//! The active lanes of warps over time.

use crate::pictures::access::{bank_rows, bank_wavefronts, ranges, sector_lines};
use crate::pictures::activity::{Picture, moments, strips};
use crate::pictures::svg::{
    CELL, Canvas, EMPTY, FAINT, GRID, HEADING, INK, LEFT, NOTE, ROW, USED, WASTED,
};
use lanework_emulator::TracedAccess;

/// The color of a bank with this many wavefronts.
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

/// Draws a grid of 32 banks with the lane at each word, and the wavefronts of each bank.
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

/// Legend of the bank colors.
pub(super) fn bank_keys(canvas: &mut Canvas) {
    let x = canvas.key(
        LEFT,
        heat(1),
        "one wavefront; the number is the lane, 4x is four lanes at one word",
    );
    canvas.key(x, heat(16), "a bank conflict");
    canvas.y += 14;
}

/// The runs of set bits, as first bit and length.
fn runs(bits: u32) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < 32 {
        let rest = bits >> at;
        if rest == 0 {
            break;
        }
        let first = at + rest.trailing_zeros();
        let length = (bits >> first).trailing_ones();
        found.push((first, length));
        at = first + length;
    }
    found
}

/// Draws a row for each line of 128 bytes: its sectors, the bytes used in them, and the lanes that
/// use them.
pub(super) fn sectors(canvas: &mut Canvas, touch: &TracedAccess, most: usize) {
    let lines = sector_lines(touch);
    let first = lines.keys().next().copied().unwrap_or(0);
    let width = GRID / 4;
    for (line, cells) in lines.iter().take(most) {
        canvas.label(&format!("{:+} B", u128::from(line - first) * 128));
        for (i, cell) in cells.iter().enumerate() {
            let x = LEFT + width * i;
            let fill = if cell.lanes.is_empty() { EMPTY } else { WASTED };
            canvas.cell((x, width - 2), fill, "", INK);
            let byte = (width - 2) as f64 / 32.0;
            for (from, length) in runs(cell.bytes) {
                let at = (x as f64 + byte * f64::from(from), canvas.y as f64);
                canvas.rect(at, (byte * f64::from(length), CELL as f64), USED);
            }
            let range = ranges(&cell.lanes);
            let label =
                if range.len() > 24 { format!("{} lanes", cell.lanes.len()) } else { range };
            canvas.cell((x, width - 2), "none", &label, INK);
        }
        canvas.y += ROW;
    }
    canvas.y += 8;
}

/// Legend of the sector colors.
pub(super) fn sector_keys(canvas: &mut Canvas) {
    let x = canvas.key(LEFT, USED, "bytes that lanes use, with the lanes' numbers");
    let x = canvas.key(x, WASTED, "fetched but unused");
    canvas.key(x, EMPTY, "sectors not accessed; a row is 128 bytes");
    canvas.y += 14;
}

/// Draws the active lanes of each warp over time.
pub(super) fn divergence(canvas: &mut Canvas, picture: &Picture) {
    canvas.y += 10;
    canvas.line("active lanes over time, from the first instruction to the last", &HEADING);
    canvas.y += 10;
    let (strips, more) = strips(&picture.steps);
    let column = |of: usize| 11 * of;
    for strip in &strips {
        canvas.label(&strip.name());
        let width = column(strip.means.len()) as f64;
        canvas.rect((LEFT as f64, canvas.y as f64), (width, CELL as f64), EMPTY);
        for (i, mean) in strip.means.iter().enumerate().filter(|(_, mean)| **mean > 0.0) {
            let height = CELL as f64 * mean / 32.0;
            let at = ((LEFT + column(i)) as f64, (canvas.y + CELL) as f64 - height);
            canvas.rect(at, (10.0, height), if *mean < 32.0 { "#ff8a65" } else { USED });
        }
        let said = format!("{} instr.", strip.instructions);
        canvas.text(LEFT + column(strip.means.len()) + 8, canvas.y + 13, &said, &NOTE);
        canvas.y += ROW;
    }
    let moments = moments(picture);
    canvas.label("the line");
    for (i, _) in moments.iter().enumerate().filter(|(_, here)| **here) {
        let at = ((LEFT + column(i)) as f64, (canvas.y + 4) as f64);
        canvas.rect(at, (10.0, 5.0), INK);
    }
    canvas.y += ROW;
    if more > 0 {
        canvas.line(&format!("and {more} more warps"), &NOTE);
        canvas.y += 6;
    }
    let x = canvas.key(LEFT, USED, "all 32 lanes");
    canvas.key(x, "#ff8a65", "some lanes, as many as the bar is high");
    canvas.y += 14;
}

#[cfg(test)]
mod tests {
    use crate::pictures::svg::grids::runs;

    #[test]
    fn bytes_in_use_are_drawn_in_runs() {
        assert_eq!(runs(0), []);
        assert_eq!(runs(u32::MAX), [(0, 32)]);
        assert_eq!(runs(0b1111_0000_0110), [(1, 2), (8, 4)]);
        assert_eq!(runs(1 << 31), [(31, 1)]);
    }
}
