//! The sectors of an access to global memory as a grid.

use super::super::access::{ranges, sector_lines};
use super::canvas::{CELL, Canvas, EMPTY, GRID, INK, LEFT, ROW, USED, WASTED};
use lanework_emulator::TracedAccess;

/// The runs of bits that are set, as first bit and length.
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

/// A row for each line of 128 bytes: its sectors, the bytes used in them, and the lanes that use them.
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

/// What the colours of sectors mean.
pub(super) fn sector_keys(canvas: &mut Canvas) {
    let x = canvas.key(LEFT, USED, "bytes that lanes use, with the lanes' numbers");
    let x = canvas.key(x, WASTED, "fetched but unused");
    canvas.key(x, EMPTY, "sectors not accessed; a row is 128 bytes");
    canvas.y += 14;
}

#[cfg(test)]
mod tests {
    use super::runs;

    #[test]
    fn bytes_in_use_are_drawn_in_runs() {
        assert_eq!(runs(0), []);
        assert_eq!(runs(u32::MAX), [(0, 32)]);
        assert_eq!(runs(0b1111_0000_0110), [(1, 2), (8, 4)]);
        assert_eq!(runs(1 << 31), [(31, 1)]);
    }
}
