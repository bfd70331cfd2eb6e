//! A drawing that grows downwards: its colours, texts, rows and cells.

use std::fmt::Write;

/// Width of the drawing.
pub(super) const WIDTH: usize = 880;
/// Where grids start, and how wide they are.
pub(super) const LEFT: usize = 112;
pub(super) const GRID: usize = 704;
/// Height of a row, and of a cell in it.
pub(super) const ROW: usize = 20;
pub(super) const CELL: usize = 18;
/// Lines of memory that are drawn.
pub(super) const LINES: usize = 64;

pub(super) const INK: &str = "#1f2328";
pub(super) const FAINT: &str = "#6e7781";
pub(super) const EMPTY: &str = "#f3f4f6";
pub(super) const GOOD: &str = "#1a7f37";
pub(super) const BAD: &str = "#cf222e";
/// Bytes that lanes use, and bytes that are fetched but unused.
pub(super) const USED: &str = "#79b8ff";
pub(super) const WASTED: &str = "#ffe3dc";

/// A drawing that grows downwards.
pub(super) struct Canvas {
    pub(super) body: String,
    pub(super) y: usize,
    /// Rectangles by colour, and labels by colour, where there will be one shape for each colour.
    pub(super) merged: Option<Merged>,
}

/// Paths of rectangles and texts of labels, by colour, in the order in which colours first came.
#[derive(Default)]
pub(super) struct Merged {
    pub(super) paths: Vec<(String, String)>,
    pub(super) labels: Vec<(String, String)>,
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
pub(super) struct Style {
    pub(super) size: usize,
    pub(super) fill: &'static str,
    pub(super) more: &'static str,
}

pub(super) const TITLE: Style = Style { size: 17, fill: INK, more: " font-weight='600'" };
pub(super) const CODE: Style =
    Style { size: 13, fill: INK, more: " font-family='ui-monospace, monospace'" };
pub(super) const HEADING: Style = Style { size: 13, fill: INK, more: " font-weight='600'" };
pub(super) const NOTE: Style = Style { size: 11, fill: FAINT, more: "" };

impl Canvas {
    /// A line of text at the left.
    pub(super) fn line(&mut self, text: &str, style: &Style) {
        self.y += style.size + 9;
        self.text(16, self.y, text, style);
    }

    /// A text at a place.
    pub(super) fn text(&mut self, x: usize, y: usize, text: &str, style: &Style) {
        let Style { size, fill, more } = style;
        let text = escaped(text);
        let _ = writeln!(
            self.body,
            "<text x='{x}' y='{y}' font-size='{size}' fill='{fill}'{more}>{text}</text>"
        );
    }

    /// A rectangle.
    pub(super) fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str) {
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
    pub(super) fn cell(&mut self, (x, width): (usize, usize), fill: &str, label: &str, ink: &str) {
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
    pub(super) fn label(&mut self, text: &str) {
        let (x, y) = (LEFT - 10, self.y + 13);
        let _ = writeln!(
            self.body,
            "<text x='{x}' y='{y}' font-size='11' text-anchor='end' fill='{FAINT}'>{}</text>",
            escaped(text)
        );
    }

    /// A coloured square with its meaning, from `x` on; returns where the next may start.
    pub(super) fn key(&mut self, x: usize, fill: &str, meaning: &str) -> usize {
        self.rect((x as f64, self.y as f64), (12.0, 12.0), fill);
        self.text(x + 18, self.y + 10, meaning, &NOTE);
        x + 18 + 6 * meaning.len() + 24
    }
}

/// A text as SVG takes it.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
