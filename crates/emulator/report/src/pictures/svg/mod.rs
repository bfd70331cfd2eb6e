//! Pictures as SVG.
//!
//! A drawing that grows downwards: its colors, texts, rows and cells.

mod grids;

use crate::pictures::access::{bank_rows, caption, cost, sector_lines};
use crate::pictures::activity::Picture;
use crate::pictures::svg::grids::{bank_keys, banks, divergence, sector_keys, sectors};
use lanework_emulator::{Space, TracedAccess};
use std::fmt::Write;

/// Draws the picture.
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

/// Draws only the grid of one access, with at most `most` rows: its sectors or its banks, labeled
/// only with hardware terms; `None` for local memory, which has neither.
pub fn grid(touch: &TracedAccess, most: usize) -> Option<String> {
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

/// States how many lines of memory are not drawn.
fn more(canvas: &mut Canvas, lines: usize, what: &str) {
    if lines > LINES {
        canvas.line(&format!("and {} more {what}", lines - LINES), &NOTE);
        canvas.y += 6;
    }
}

/// Width of the drawing.
pub(super) const WIDTH: usize = 880;
/// Left edge and width of grids.
pub(super) const LEFT: usize = 112;
pub(super) const GRID: usize = 704;
/// Height of a row, and of a cell in it.
pub(super) const ROW: usize = 20;
pub(super) const CELL: usize = 18;
/// Maximum number of memory lines drawn.
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
    /// Rectangles and labels by color, if each color becomes one shape.
    pub(super) merged: Option<Merged>,
}

/// Paths of rectangles and texts of labels, by color, in order of first use.
#[derive(Default)]
pub(super) struct Merged {
    pub(super) paths: Vec<(String, String)>,
    pub(super) labels: Vec<(String, String)>,
}

/// The entry of a color.
fn of<'a>(parts: &'a mut Vec<(String, String)>, color: &str) -> &'a mut String {
    let known = parts.iter().position(|(known, _)| known == color);
    let at = known.unwrap_or_else(|| {
        parts.push((color.to_owned(), String::new()));
        parts.len() - 1
    });
    &mut parts[at].1
}

/// The style of a text.
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
    /// Draws a line of text at the left.
    pub(super) fn line(&mut self, text: &str, style: &Style) {
        self.y += style.size + 9;
        self.text(16, self.y, text, style);
    }

    /// Draws a text at a position.
    pub(super) fn text(&mut self, x: usize, y: usize, text: &str, style: &Style) {
        let Style { size, fill, more } = style;
        let text = escaped(text);
        let _ = writeln!(
            self.body,
            "<text x='{x}' y='{y}' font-size='{size}' fill='{fill}'{more}>{text}</text>"
        );
    }

    /// Draws a rectangle.
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

    /// Draws a cell of the row, with its label.
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

    /// Labels the row at its left.
    pub(super) fn label(&mut self, text: &str) {
        let (x, y) = (LEFT - 10, self.y + 13);
        let _ = writeln!(
            self.body,
            "<text x='{x}' y='{y}' font-size='11' text-anchor='end' fill='{FAINT}'>{}</text>",
            escaped(text)
        );
    }

    /// Draws a colored square with its meaning at `x`; returns the position of the next.
    pub(super) fn key(&mut self, x: usize, fill: &str, meaning: &str) -> usize {
        self.rect((x as f64, self.y as f64), (12.0, 12.0), fill);
        self.text(x + 18, self.y + 10, meaning, &NOTE);
        x + 18 + 6 * meaning.len() + 24
    }
}

/// Escapes text for SVG.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
