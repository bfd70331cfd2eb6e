//! Pictures as SVG.

use super::access::{bank_rows, bank_wavefronts, caption, cost, ranges, sector_lines};
use super::activity::{Picture, moments, strips};
use lanework_sim::{Space, Touch};
use std::fmt::Write;

/// Width of the drawing.
const WIDTH: usize = 880;
/// Where grids start, and how wide they are.
const LEFT: usize = 112;
const GRID: usize = 704;
/// Height of a row, and of a cell in it.
const ROW: usize = 20;
const CELL: usize = 18;
/// Lines of memory that are drawn.
const LINES: usize = 64;

const INK: &str = "#1f2328";
const FAINT: &str = "#6e7781";
const EMPTY: &str = "#f3f4f6";
const GOOD: &str = "#1a7f37";
const BAD: &str = "#cf222e";
/// Bytes that lanes use, and bytes that are fetched but unused.
const USED: &str = "#79b8ff";
const WASTED: &str = "#ffe3dc";

/// A drawing that grows downwards.
struct Canvas {
    body: String,
    y: usize,
    /// Rectangles by colour, and labels by colour, where there will be one shape for each colour.
    merged: Option<Merged>,
}

/// Paths of rectangles and texts of labels, by colour, in the order in which colours first came.
#[derive(Default)]
struct Merged {
    paths: Vec<(String, String)>,
    labels: Vec<(String, String)>,
}

/// The part for a colour.
fn of<'a>(parts: &'a mut Vec<(String, String)>, colour: &str) -> &'a mut String {
    let known = parts.iter().position(|(known, _)| known == colour);
    let at = known.unwrap_or_else(|| {
        parts.push((colour.to_owned(), String::new()));
        parts.len() - 1
    });
    &mut parts[at].1
}

/// How a text is set.
struct Style {
    size: usize,
    fill: &'static str,
    more: &'static str,
}

const TITLE: Style = Style { size: 17, fill: INK, more: " font-weight='600'" };
const CODE: Style = Style { size: 13, fill: INK, more: " font-family='ui-monospace, monospace'" };
const HEADING: Style = Style { size: 13, fill: INK, more: " font-weight='600'" };
const NOTE: Style = Style { size: 11, fill: FAINT, more: "" };

impl Canvas {
    /// A line of text at the left.
    fn line(&mut self, text: &str, style: &Style) {
        self.y += style.size + 9;
        self.text(16, self.y, text, style);
    }

    fn text(&mut self, x: usize, y: usize, text: &str, style: &Style) {
        let Style { size, fill, more } = style;
        let text = escaped(text);
        let _ = writeln!(
            self.body,
            "<text x='{x}' y='{y}' font-size='{size}' fill='{fill}'{more}>{text}</text>"
        );
    }

    fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str) {
        if let Some(merged) = &mut self.merged {
            if !matches!(fill, "none" | "white") {
                let short = |value: f64| (10.0 * value).round() / 10.0;
                let (x, y, w, h) = (short(x), short(y), short(width), short(height));
                let _ = write!(of(&mut merged.paths, fill), "M{x} {y}h{w}v{h}h-{w}z");
            }
            return;
        }
        let _ = writeln!(
            self.body,
            "<rect x='{x:.1}' y='{y:.1}' width='{width:.1}' height='{height:.1}' rx='2' \
             fill='{fill}'/>"
        );
    }

    /// A cell of the row, with its label.
    fn cell(&mut self, (x, width): (usize, usize), fill: &str, label: &str, ink: &str) {
        self.rect((x as f64, self.y as f64), (width as f64, CELL as f64), fill);
        if !label.is_empty() {
            let (x, y) = (x + width / 2, self.y + 13);
            if let Some(merged) = &mut self.merged {
                let label = escaped(label);
                let _ = write!(of(&mut merged.labels, ink), "<text x='{x}' y='{y}'>{label}</text>");
                return;
            }
            let _ = writeln!(
                self.body,
                "<text x='{x}' y='{y}' font-size='10' text-anchor='middle' fill='{ink}'>{}</text>",
                escaped(label)
            );
        }
    }

    /// What the row is, at its left.
    fn label(&mut self, text: &str) {
        let (x, y) = (LEFT - 10, self.y + 13);
        let _ = writeln!(
            self.body,
            "<text x='{x}' y='{y}' font-size='11' text-anchor='end' fill='{FAINT}'>{}</text>",
            escaped(text)
        );
    }

    /// A coloured square with its meaning, from `x` on; returns where the next may start.
    fn key(&mut self, x: usize, fill: &str, meaning: &str) -> usize {
        self.rect((x as f64, self.y as f64), (12.0, 12.0), fill);
        self.text(x + 18, self.y + 10, meaning, &NOTE);
        x + 18 + 6 * meaning.len() + 24
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The picture as a drawing.
pub fn svg(picture: &Picture) -> String {
    let mut canvas = Canvas { body: String::new(), y: 10, merged: None };
    canvas.line(&picture.title, &TITLE);
    canvas.line(&picture.code, &CODE);
    for touch in &picture.touches {
        canvas.y += 10;
        canvas.line(&caption(touch), &HEADING);
        let cost = cost(touch);
        let fill = if cost.optimal { GOOD } else { BAD };
        canvas.line(&cost.text, &Style { size: 13, fill, more: "" });
        canvas.y += 10;
        match touch.space {
            Space::Shared => {
                banks(&mut canvas, touch, LINES);
                more(&mut canvas, bank_rows(touch).len(), "rows");
                bank_keys(&mut canvas);
            }
            Space::Local => {}
            Space::Global | Space::Constant => {
                sectors(&mut canvas, touch, LINES);
                more(&mut canvas, sector_lines(touch).len(), "lines");
                sector_keys(&mut canvas);
            }
        }
    }
    divergence(&mut canvas, picture);
    let height = canvas.y + 24;
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height}' width='{WIDTH}' \
         height='{height}' font-family='system-ui, sans-serif'>\n\
         <rect width='100%' height='100%' fill='white'/>\n{}</svg>\n",
        canvas.body
    )
}

/// The grid of one access alone, of at most `most` rows: its sectors or its banks, with no words but those of
/// the hardware; `None` for an access to local memory, which has neither.
pub fn grid(touch: &Touch, most: usize) -> Option<String> {
    let mut canvas = Canvas { body: String::new(), y: 2, merged: Some(Merged::default()) };
    let rows = match touch.space {
        Space::Shared => {
            banks(&mut canvas, touch, most);
            bank_rows(touch).len()
        }
        Space::Local => return None,
        Space::Global | Space::Constant => {
            sectors(&mut canvas, touch, most);
            sector_lines(touch).len()
        }
    };
    let height = canvas.y;
    let Merged { paths, labels } = canvas.merged.take().unwrap_or_default();
    let mut body = String::new();
    for (fill, path) in paths {
        let _ = write!(body, "<path fill='{fill}' d='{path}'/>");
    }
    for (fill, texts) in labels {
        let _ = write!(body, "<g font-size='10' text-anchor='middle' fill='{fill}'>{texts}</g>");
    }
    body.push_str(&canvas.body);
    Some(format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {} {height}' role='img' \
         aria-label='{}: {rows} x 128 B'>{}</svg>",
        LEFT + GRID + 8,
        escaped(&caption(touch)),
        body
    ))
}

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
fn sectors(canvas: &mut Canvas, touch: &Touch, most: usize) {
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

/// Says how many lines of memory are not drawn.
fn more(canvas: &mut Canvas, lines: usize, what: &str) {
    if lines > LINES {
        canvas.line(&format!("and {} more {what}", lines - LINES), &NOTE);
        canvas.y += 6;
    }
}

/// What the colours of sectors mean.
fn sector_keys(canvas: &mut Canvas) {
    let x = canvas.key(LEFT, USED, "bytes that lanes use, with the lanes' numbers");
    let x = canvas.key(x, WASTED, "fetched but unused");
    canvas.key(x, EMPTY, "sectors not accessed; a row is 128 bytes");
    canvas.y += 14;
}

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
fn banks(canvas: &mut Canvas, touch: &Touch, most: usize) {
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
fn bank_keys(canvas: &mut Canvas) {
    let x = canvas.key(
        LEFT,
        heat(1),
        "one wavefront; the number is the lane, 4x is four lanes at one word",
    );
    canvas.key(x, heat(16), "a bank conflict");
    canvas.y += 14;
}

/// The active lanes of each warp over time.
fn divergence(canvas: &mut Canvas, picture: &Picture) {
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
    use super::runs;

    #[test]
    fn bytes_in_use_are_drawn_in_runs() {
        assert_eq!(runs(0), []);
        assert_eq!(runs(u32::MAX), [(0, 32)]);
        assert_eq!(runs(0b1111_0000_0110), [(1, 2), (8, 4)]);
        assert_eq!(runs(1 << 31), [(31, 1)]);
    }
}
