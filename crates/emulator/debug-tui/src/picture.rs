//! A drawn screen as SVG, for the documentation.

use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::style::{Color, Modifier};
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// Width and height of a cell, and the margin, in pixels.
const CELL: (f64, f64) = (8.4, 18.0);
const MARGIN: f64 = 10.0;
const INK: &str = "#1f2328";
const PAPER: &str = "#ffffff";

/// The color of a terminal's color, on white paper.
fn color(color: Color) -> &'static str {
    match color {
        Color::DarkGray => "#6e7781",
        Color::Cyan => "#0b7285",
        Color::Yellow => "#9a6700",
        Color::Magenta => "#8250df",
        Color::Red => "#cf222e",
        _ => INK,
    }
}

/// The style of a cell: its color, and whether it is bold, reversed, underlined.
fn style(cell: &Cell) -> (&'static str, bool, bool, bool) {
    let has = |modifier: Modifier| cell.modifier.contains(modifier);
    (color(cell.fg), has(Modifier::BOLD), has(Modifier::REVERSED), has(Modifier::UNDERLINED))
}

/// Escapes the markup characters of a text.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The screen as SVG.
pub fn svg(buffer: &Buffer) -> String {
    let area = buffer.area;
    let (wide, high) = CELL;
    let width = (f64::from(area.width) * wide + 2.0 * MARGIN).ceil();
    let height = (f64::from(area.height) * high + 2.0 * MARGIN).ceil();
    let mut out = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' height='{height}' \
         font-family='ui-monospace, Menlo, Consolas, monospace' font-size='14'>\n\
         <rect width='100%' height='100%' rx='6' fill='{PAPER}' stroke='#d0d7de'/>\n"
    );
    for y in area.top()..area.bottom() {
        for (from, to) in runs(buffer, y, |cell| style(cell).2) {
            let look = style(&buffer[(from, y)]);
            if look.2 {
                paper(&mut out, (from, y), to, look.0);
            }
        }
        // Fonts differ in the width of Chinese characters, so each run of them has its own place.
        let is_wide = |cell: &Cell| cell.symbol().width() > 1;
        for (from, to) in runs(buffer, y, |cell| (style(cell), is_wide(cell))) {
            let (mut text, mut x) = (String::new(), from);
            while x < to {
                let symbol = buffer[(x, y)].symbol();
                text.push_str(symbol);
                x += symbol.width().max(1) as u16;
            }
            letters(&mut out, (from, y), style(&buffer[(from, y)]), &text);
        }
    }
    out.push_str("</svg>\n");
    out
}

/// The runs of cells of a row with the same property: first column, and column after the last. A wide character takes two
/// cells, and the second one is blank.
fn runs<P: PartialEq>(buffer: &Buffer, y: u16, of: impl Fn(&Cell) -> P) -> Vec<(u16, u16)> {
    let mut found: Vec<(u16, u16)> = Vec::new();
    let mut x = buffer.area.left();
    while x < buffer.area.right() {
        let cell = &buffer[(x, y)];
        let next = (x + cell.symbol().width().max(1) as u16).min(buffer.area.right());
        match found.last_mut() {
            Some((from, to)) if of(&buffer[(*from, y)]) == of(cell) => *to = next,
            _ => found.push((x, next)),
        }
        x = next;
    }
    found
}

/// Fills the cells `x..end` of a row.
fn paper(out: &mut String, (x, y): (u16, u16), end: u16, fill: &str) {
    let (wide, high) = CELL;
    let (left, top) = (MARGIN + f64::from(x) * wide, MARGIN + f64::from(y) * high);
    let length = f64::from(end - x) * wide;
    let _ = writeln!(
        out,
        "<rect x='{left:.1}' y='{top:.1}' width='{length:.1}' height='{high}' fill='{fill}'/>"
    );
}

/// Writes a text from a cell on.
fn letters(
    out: &mut String,
    (x, y): (u16, u16),
    (ink, bold, reversed, underlined): (&str, bool, bool, bool),
    text: &str,
) {
    if text.trim().is_empty() {
        return;
    }
    let (wide, high) = CELL;
    // Blanks at the ends need no text.
    let blanks = text.len() - text.trim_start().len();
    let text = text.trim();
    let left = MARGIN + (f64::from(x) + blanks as f64) * wide;
    let baseline = MARGIN + f64::from(y) * high + 13.5;
    let ink = if reversed { PAPER } else { ink };
    let length = text.width() as f64 * wide;
    let weight = if bold { " font-weight='600'" } else { "" };
    let line = if underlined { " text-decoration='underline'" } else { "" };
    let _ = writeln!(
        out,
        "<text x='{left:.1}' y='{baseline:.1}' textLength='{length:.1}' lengthAdjust='spacingAndGlyphs' fill='{ink}'{weight}{line} \
         xml:space='preserve'>{}</text>",
        escaped(text)
    );
}
