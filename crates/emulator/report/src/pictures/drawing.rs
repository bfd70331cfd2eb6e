//! Draws SVG: rectangles, lines, arrows and texts, in the common colors of all pictures.

use std::fmt::{Display, Write};

/// Color of lines and texts.
pub const INK: &str = "#1f2328";
/// Color of notes and labels.
pub const FAINT: &str = "#6e7781";
/// Fill of unused cells.
pub const EMPTY: &str = "#eef0f3";
/// Color of an optimal cost.
pub const GOOD: &str = "#1a7f37";
/// Color of a cost above the optimum.
pub const BAD: &str = "#cf222e";
/// Fill colors of different things: blue, orange, green, violet.
pub const FILLS: [&str; 4] = ["#79b8ff", "#ffb37a", "#8fdaa2", "#d2b6f5"];

/// A position or a size, in pixels.
pub type Pair = (f64, f64);

/// Alignment of a text relative to its position.
#[derive(Clone, Copy)]
pub enum Anchor {
    /// The text begins at the position.
    Start,
    /// The text is centered at the position.
    Middle,
    /// The text ends at the position.
    End,
}

/// A drawing of a fixed width.
pub struct Drawing {
    width: f64,
    pub(super) body: String,
}

/// Font size of notes.
const NOTE: u32 = 12;

/// Approximate width of a note.
fn width(text: &str) -> f64 {
    text.chars().map(|c| if c.is_ascii() { 6.6 } else { 12.0 }).sum()
}

/// Formats a coordinate with at most one decimal.
pub(super) fn n(x: f64) -> impl Display {
    (x * 10.0).round() / 10.0
}

/// Escapes the markup characters of a text.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

impl Drawing {
    /// Creates an empty drawing.
    pub fn new(width: f64) -> Drawing {
        Drawing { width, body: String::new() }
    }

    /// Draws a rectangle, given its upper left corner and its size.
    pub fn rect(&mut self, (x, y): Pair, (width, height): Pair, fill: &str) {
        let _ = writeln!(
            self.body,
            "<rect x='{}' y='{}' width='{}' height='{}' rx='2' fill='{fill}'/>",
            n(x),
            n(y),
            n(width),
            n(height)
        );
    }

    /// Draws a filled circle.
    pub fn circle(&mut self, (x, y): Pair, radius: f64, fill: &str) {
        let _ = writeln!(
            self.body,
            "<circle cx='{}' cy='{}' r='{}' fill='{fill}'/>",
            n(x),
            n(y),
            n(radius)
        );
    }

    /// Draws a thin line.
    pub fn line(&mut self, (x, y): Pair, (u, v): Pair, stroke: &str) {
        let _ = writeln!(
            self.body,
            "<line x1='{}' y1='{}' x2='{}' y2='{}' stroke='{stroke}' stroke-width='1.2'/>",
            n(x),
            n(y),
            n(u),
            n(v)
        );
    }

    /// Draws an arrow.
    pub fn arrow(&mut self, from: Pair, to: Pair, stroke: &str) {
        self.line(from, to, stroke);
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy).max(1e-9);
        let (dx, dy) = (dx / length, dy / length);
        let corner = |side: f64| {
            let (x, y) = (to.0 - 6.0 * dx + side * 3.0 * dy, to.1 - 6.0 * dy - side * 3.0 * dx);
            format!("{},{}", n(x), n(y))
        };
        let _ = writeln!(
            self.body,
            "<polygon points='{},{} {} {}' fill='{stroke}'/>",
            n(to.0),
            n(to.1),
            corner(1.0),
            corner(-1.0)
        );
    }

    /// Draws a text; `at` is on its baseline.
    pub fn text(&mut self, at: Pair, size: u32, anchor: Anchor, fill: &str, text: &str) {
        self.set(at, size, anchor, fill, "", text);
    }

    /// Draws a heading.
    pub fn title(&mut self, at: Pair, text: &str) {
        self.bold(at, 14, text);
    }

    /// Draws a bold text.
    pub fn bold(&mut self, at: Pair, size: u32, text: &str) {
        self.set(at, size, Anchor::Start, INK, " font-weight='600'", text);
    }

    /// Draws a line of code.
    pub fn code(&mut self, at: Pair, size: u32, anchor: Anchor, text: &str) {
        self.set(at, size, anchor, INK, " font-family='ui-monospace, monospace'", text);
    }

    /// Draws faint lines of text as wide as the drawing; returns the y coordinate below them.
    pub fn note(&mut self, (x, y): Pair, text: &str) -> f64 {
        let room = self.width - x - 16.0;
        let (mut line, mut y) = (String::new(), y);
        for part in text.split_inclusive([' ', '，', '。', '；']) {
            if width(&line) + width(part.trim_end()) > room && !line.is_empty() {
                self.text((x, y), NOTE, Anchor::Start, FAINT, line.trim_end());
                line.clear();
                y += 17.0;
            }
            line += part;
        }
        self.text((x, y), NOTE, Anchor::Start, FAINT, line.trim_end());
        y + 14.0
    }

    fn set(&mut self, (x, y): Pair, size: u32, anchor: Anchor, fill: &str, more: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor='middle'",
            Anchor::End => " text-anchor='end'",
        };
        let text = escaped(text);
        let _ = writeln!(
            self.body,
            "<text x='{}' y='{}' font-size='{size}' fill='{fill}'{anchor}{more}>{text}</text>",
            n(x),
            n(y)
        );
    }

    /// Embeds another drawing at a position, scaled to a width; returns its height.
    pub fn nested(&mut self, (x, y): Pair, width: f64, svg: &str) -> f64 {
        let view = svg.split("viewBox='0 0 ").nth(1).and_then(|rest| rest.split('\'').next());
        let mut sizes =
            view.unwrap_or("1 1").split(' ').filter_map(|size| size.parse::<f64>().ok());
        let (wide, high) = (sizes.next().unwrap_or(1.0), sizes.next().unwrap_or(1.0));
        let height = width * high / wide;
        let placed =
            format!("<svg x='{}' y='{}' width='{}' height='{}'", n(x), n(y), n(width), n(height));
        let svg = svg.trim_end().replacen("<svg xmlns='http://www.w3.org/2000/svg'", &placed, 1);
        let _ = writeln!(self.body, "{svg}");
        height
    }

    /// Returns the SVG text of the drawing, with this height.
    pub fn finish(self, height: f64) -> String {
        let (width, height) = (n(self.width), n(height));
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' height='{height}' \
             font-family='system-ui, sans-serif'>\n<rect width='100%' height='100%' fill='white'/>\n{}</svg>\n",
            self.body
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_is_whole_and_escapes_its_texts() {
        let mut drawing = Drawing::new(100.0);
        drawing.text((1.0, 2.25), 12, Anchor::Middle, INK, "a < b & c");
        drawing.arrow((0.0, 0.0), (10.0, 0.0), INK);
        let inner = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 50 20'><g/></svg>";
        assert!((drawing.nested((0.0, 0.0), 100.0, inner) - 40.0).abs() < 1e-9);
        let below = drawing.note((16.0, 20.0), "a note of more than one line");
        assert!(below > 40.0, "{below}");
        let svg = drawing.finish(50.0);
        assert!(svg.contains("y='2.3'") && svg.contains("a &lt; b &amp; c"), "{svg}");
        assert!(svg.contains("10,0 4,-3 4,3"), "{svg}");
        assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count());
    }
}
