//! Draws pictures as SVG: the sectors or banks of accesses as grids, and the active lanes of warps over time.

use super::access::{
    Picture, bank_rows, bank_wavefronts, caption, cost, grouped, moments, ranges, repeated,
    sector_lines, strips,
};
use super::drawing::{Anchor, BAD, Drawing, FAINT, GOOD, INK, escaped, n};
use lanework_emulator::{Space, TracedAccess};
use std::fmt::Write;

/// Draws a picture.
pub fn svg(picture: &Picture) -> String {
    let mut canvas = Canvas { drawing: Drawing::new(WIDTH), y: 36.0, merged: None };
    canvas.drawing.bold((MARGIN, canvas.y), 17, &picture.title);
    canvas.y += 22.0;
    canvas.drawing.code((MARGIN, canvas.y), 13, Anchor::Start, &picture.code);
    for (touch, count) in grouped(&picture.touches) {
        canvas.y += 10.0;
        canvas.heading(&caption(touch));
        if let Some(repeated) = repeated(count) {
            canvas.y += 22.0;
            canvas.drawing.text((MARGIN, canvas.y), 13, Anchor::Start, INK, &repeated);
        }
        let cost = cost(touch);
        canvas.y += 22.0;
        let fill = if cost.optimal { GOOD } else { BAD };
        canvas.drawing.text((MARGIN, canvas.y), 13, Anchor::Start, fill, &cost.text);
        canvas.y += 10.0;
        match touch.space {
            Space::Shared => {
                canvas.banks(touch, LINES);
                canvas.more(bank_rows(touch).len(), "rows");
                canvas.keys(&[
                    (
                        heat(1),
                        "one wavefront; the number is the lane, 4x is four lanes at one word",
                    ),
                    (heat(16), "a bank conflict"),
                ]);
            }
            Space::Local => {}
            Space::Global | Space::Constant => {
                canvas.sectors(touch, LINES);
                canvas.more(sector_lines(touch).len(), "lines");
                canvas.keys(&[
                    (USED, "bytes that lanes use, with the lanes' numbers"),
                    (WASTED, "fetched but unused"),
                    (UNUSED, "sectors not accessed; a row is 128 bytes"),
                ]);
            }
        }
    }
    canvas.activity(picture);
    canvas.drawing.finish(canvas.y + 24.0)
}

/// Draws only the grid of one access: its sectors or its banks, in at most `most` rows, labeled with
/// hardware terms only. Returns `None` for local memory, which has neither.
pub fn grid(touch: &TracedAccess, most: usize) -> Option<String> {
    let mut canvas =
        Canvas { drawing: Drawing::new(WIDTH), y: 2.0, merged: Some(Merged::default()) };
    let rows = match touch.space {
        Space::Shared => {
            canvas.banks(touch, most);
            bank_rows(touch).len()
        }
        Space::Local => return None,
        Space::Global | Space::Constant => {
            canvas.sectors(touch, most);
            sector_lines(touch).len()
        }
    };
    let (width, height) = (LEFT + GRID + 8.0, canvas.y);
    let what = escaped(&caption(touch));
    let Merged { paths, labels, banks, digits, rows: names } =
        canvas.merged.take().unwrap_or_default();
    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' role='img' \
         aria-label='{what}: {rows} x 128 B'>"
    );
    for (fill, path) in paths {
        let _ = write!(svg, "<path fill='{fill}' d='{path}'/>");
    }
    for (color, runs) in banks {
        let path: String = runs.iter().map(BankRun::path).collect();
        let _ = write!(
            svg,
            "<path stroke='{color}' stroke-width='{CELL}' stroke-dasharray='{} {GAP}' d='{path}'/>",
            BANK - GAP
        );
    }
    for (fill, rows) in digits {
        let texts: String = rows.iter().map(Digits::text).collect();
        let _ = write!(svg, "<g font-size='10' text-anchor='middle' fill='{fill}'>{texts}</g>");
    }
    for (fill, texts) in labels {
        let _ = write!(svg, "<g font-size='10' text-anchor='middle' fill='{fill}'>{texts}</g>");
    }
    let _ = write!(svg, "<g font-size='11' text-anchor='end' fill='{FAINT}'>{names}</g>");
    Some(svg + &canvas.drawing.body + "</svg>")
}

/// Width of the drawing, and its margin.
const WIDTH: f64 = 880.0;
const MARGIN: f64 = 16.0;
/// Left edge and width of grids.
const LEFT: f64 = 112.0;
const GRID: f64 = 704.0;
/// Height of a row, and of a cell in it.
const ROW: f64 = 20.0;
const CELL: f64 = 18.0;
/// Gap between cells.
const GAP: f64 = 2.0;
/// Width of a bank with its gap.
const BANK: f64 = GRID / 32.0;
/// Width of a column of time.
const COLUMN: f64 = 11.0;
/// Maximum number of memory lines drawn.
const LINES: usize = 64;

/// Colors of bytes that lanes use, of bytes that are fetched but unused, and of sectors and banks that are not accessed.
const USED: &str = "#79b8ff";
const WASTED: &str = "#ffe3dc";
const UNUSED: &str = "#f3f4f6";
/// Color of columns of time in which some lanes are inactive.
const PARTIAL: &str = "#ff8a65";

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

/// A drawing that grows downward.
struct Canvas {
    drawing: Drawing,
    y: f64,
    /// Rectangles and labels by color, if the rectangles of a color become one element of the
    /// picture, and its labels another.
    merged: Option<Merged>,
}

/// Paths of rectangles and texts of labels, by color, in order of first use.
#[derive(Default)]
struct Merged {
    paths: Vec<(String, String)>,
    labels: Vec<(String, String)>,
    /// Adjacent banks of one color, as dashed lines.
    banks: Vec<(String, Vec<BankRun>)>,
    /// The labels of the banks of one row, as one text.
    digits: Vec<(String, Vec<Digits>)>,
    /// The names of the rows.
    rows: String,
}

/// Adjacent banks of one color in a row.
struct BankRun {
    first: usize,
    count: usize,
    y: f64,
}

impl BankRun {
    fn path(&self) -> String {
        let (x, length) = (LEFT + BANK * self.first as f64, BANK * self.count as f64 - GAP);
        format!("M{} {}h{}", n(x), n(self.y + CELL / 2.0), n(length))
    }
}

/// Labels in one row: each character has a position of its own.
struct Digits {
    y: f64,
    places: String,
    text: String,
}

impl Digits {
    fn text(&self) -> String {
        format!("<text x='{}' y='{}'>{}</text>", self.places.trim_end(), n(self.y), self.text)
    }
}

/// The entry of a color, added if missing.
fn of_color<'a, T: Default>(parts: &'a mut Vec<(String, T)>, color: &str) -> &'a mut T {
    let known = parts.iter().position(|(known, _)| known == color);
    let at = known.unwrap_or_else(|| {
        parts.push((color.to_owned(), T::default()));
        parts.len() - 1
    });
    &mut parts[at].1
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

impl Canvas {
    /// Draws a bold line of text.
    fn heading(&mut self, text: &str) {
        self.y += 22.0;
        self.drawing.bold((MARGIN, self.y), 13, text);
    }

    /// Draws a rectangle.
    fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str) {
        match &mut self.merged {
            None => self.drawing.rect((x, y), (width, height), fill),
            Some(_) if matches!(fill, "none" | "white") => {}
            Some(merged) => {
                let (x, y, w, h) = (n(x), n(y), n(width), n(height));
                let _ = write!(of_color(&mut merged.paths, fill), "M{x} {y}h{w}v{h}h-{w}z");
            }
        }
    }

    /// Draws a cell of the row, with its label.
    fn cell(&mut self, (x, width): (f64, f64), fill: &str, label: &str, ink: &str) {
        self.rect((x, self.y), (width, CELL), fill);
        if label.is_empty() {
            return;
        }
        let (x, y) = ((x + width / 2.0).floor(), self.y + 13.0);
        match &mut self.merged {
            None => self.drawing.text((x, y), 10, Anchor::Middle, ink, label),
            Some(merged) => {
                let label = escaped(label);
                let text = of_color(&mut merged.labels, ink);
                let _ = write!(text, "<text x='{x}' y='{y}'>{label}</text>");
            }
        }
    }

    /// Draws a bank of the row, with its label.
    fn bank(&mut self, bank: usize, fill: &str, label: &str, ink: &str) {
        /// Width of a digit.
        const DIGIT: f64 = 6.0;
        let (x, y) = (LEFT + BANK * bank as f64, self.y);
        let Some(merged) = &mut self.merged else {
            return self.cell((x, BANK - GAP), fill, label, ink);
        };
        if fill != "white" {
            let runs = of_color(&mut merged.banks, fill);
            match runs.last_mut().filter(|run| run.y == y && run.first + run.count == bank) {
                Some(run) => run.count += 1,
                None => runs.push(BankRun { first: bank, count: 1, y }),
            }
        }
        if label.is_empty() {
            return;
        }
        let rows = of_color(&mut merged.digits, ink);
        let at = y + 13.0;
        if rows.last().is_none_or(|row| row.y != at) {
            rows.push(Digits { y: at, places: String::new(), text: String::new() });
        }
        let Some(row) = rows.last_mut() else { return };
        let middle = x + (BANK - GAP) / 2.0;
        let before = (label.len() as f64 - 1.0) / 2.0;
        for (index, digit) in label.chars().enumerate() {
            let place = middle + DIGIT * (index as f64 - before);
            let _ = write!(row.places, "{} ", n(place));
            row.text.push(digit);
        }
    }

    /// Labels the row at its left.
    fn label(&mut self, text: &str) {
        if let Some(merged) = &mut self.merged {
            let (x, y) = (n(LEFT - 10.0), n(self.y + 13.0));
            let _ = write!(merged.rows, "<text x='{x}' y='{y}'>{}</text>", escaped(text));
            return;
        }
        self.drawing.text((LEFT - 10.0, self.y + 13.0), 11, Anchor::End, FAINT, text);
    }

    /// Writes the number of omitted memory lines.
    fn more(&mut self, lines: usize, what: &str) {
        if lines > LINES {
            self.note(&format!("and {} more {what}", lines - LINES));
        }
    }

    /// Draws a faint line of text.
    fn note(&mut self, text: &str) {
        self.y += 20.0;
        self.drawing.text((MARGIN, self.y), 11, Anchor::Start, FAINT, text);
        self.y += 6.0;
    }

    /// Draws a legend of colored squares.
    fn keys(&mut self, keys: &[(&str, &str)]) {
        let mut x = LEFT;
        for (fill, meaning) in keys {
            self.drawing.rect((x, self.y), (12.0, 12.0), fill);
            let at = (x + 18.0, self.y + 10.0);
            self.drawing.text(at, 11, Anchor::Start, FAINT, meaning);
            x += 42.0 + 6.0 * meaning.len() as f64;
        }
        self.y += 14.0;
    }

    /// Draws a grid of 32 banks with the lane at each word, and the wavefronts of each bank.
    fn banks(&mut self, touch: &TracedAccess, most: usize) {
        let wavefronts = bank_wavefronts(touch);
        let ink = |count: usize| if count > 8 { "white" } else { INK };
        self.label("bank");
        let step = if self.merged.is_some() { 4 } else { 1 };
        for bank in (0..32).step_by(step) {
            self.bank(bank, "white", &bank.to_string(), FAINT);
        }
        self.y += ROW;
        for (row, cells) in bank_rows(touch).iter().take(most) {
            self.label(&format!("{} B", u128::from(*row) * 128));
            for (bank, lanes) in cells.iter().enumerate() {
                let fill = if lanes.is_empty() { UNUSED } else { heat(wavefronts[bank]) };
                let label = match lanes.as_slice() {
                    [] => String::new(),
                    [lane] => lane.to_string(),
                    [..] => format!("{}x", lanes.len()),
                };
                self.bank(bank, fill, &label, ink(wavefronts[bank]));
            }
            self.y += ROW;
        }
        self.y += 4.0;
        self.label("wavefronts");
        for (bank, count) in wavefronts.iter().enumerate().filter(|(_, count)| **count > 0) {
            self.bank(bank, heat(*count), &count.to_string(), ink(*count));
        }
        self.y += ROW + 8.0;
    }

    /// Draws a row for each line of 128 bytes: its sectors, the bytes used in them, and the lanes that
    /// use them.
    fn sectors(&mut self, touch: &TracedAccess, most: usize) {
        let lines = sector_lines(touch);
        let first = lines.keys().next().copied().unwrap_or(0);
        let width = GRID / 4.0 - GAP;
        for (line, cells) in lines.iter().take(most) {
            self.label(&format!("{:+} B", u128::from(line - first) * 128));
            for (i, cell) in cells.iter().enumerate() {
                let x = LEFT + (width + GAP) * i as f64;
                let fill = if cell.lanes.is_empty() { UNUSED } else { WASTED };
                self.cell((x, width), fill, "", INK);
                let byte = width / 32.0;
                for (from, length) in runs(cell.bytes) {
                    let at = (x + byte * f64::from(from), self.y);
                    self.rect(at, (byte * f64::from(length), CELL), USED);
                }
                let range = ranges(&cell.lanes);
                let label =
                    if range.len() > 24 { format!("{} lanes", cell.lanes.len()) } else { range };
                self.cell((x, width), "none", &label, INK);
            }
            self.y += ROW;
        }
        self.y += 8.0;
    }

    /// Draws the active lanes of each warp over time.
    fn activity(&mut self, picture: &Picture) {
        self.y += 10.0;
        self.heading("active lanes over time, from the first instruction to the last");
        self.y += 10.0;
        let (strips, more) = strips(&picture.steps);
        let column = |index: usize| LEFT + COLUMN * index as f64;
        for strip in &strips {
            self.label(&strip.name());
            let end = column(strip.means.len());
            self.rect((LEFT, self.y), (end - LEFT, CELL), UNUSED);
            for (i, mean) in strip.means.iter().enumerate().filter(|(_, mean)| **mean > 0.0) {
                let height = CELL * mean / 32.0;
                let fill = if *mean < 32.0 { PARTIAL } else { USED };
                self.rect((column(i), self.y + CELL - height), (COLUMN - 1.0, height), fill);
            }
            let said = format!("{} instr.", strip.instructions);
            self.drawing.text((end + 8.0, self.y + 13.0), 11, Anchor::Start, FAINT, &said);
            self.y += ROW;
        }
        self.label("the line");
        for (i, _) in moments(picture).iter().enumerate().filter(|(_, here)| **here) {
            self.rect((column(i), self.y + 4.0), (COLUMN - 1.0, 5.0), INK);
        }
        self.y += ROW;
        if more > 0 {
            self.note(&format!("and {more} more warps"));
        }
        self.keys(&[(USED, "all 32 lanes"), (PARTIAL, "some lanes (bar height: how many)")]);
    }
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
