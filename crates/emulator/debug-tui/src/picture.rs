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
        let mut x = area.left();
        while x < area.right() {
            let first = &buffer[(x, y)];
            let look = style(first);
            let (mut text, mut end) = (String::new(), x);
            // A run of cells of one style; a wide character takes two cells, and the second one is blank.
            while end < area.right() && style(&buffer[(end, y)]) == look {
                let symbol = buffer[(end, y)].symbol();
                text.push_str(symbol);
                end += symbol.width().max(1) as u16;
                if symbol.width() > 1 {
                    // Fonts differ in the width of such characters: each run of them has its own place.
                    break;
                }
            }
            run(&mut out, (x, y), end.min(area.right()), look, &text);
            x = end.max(x + 1);
        }
    }
    out.push_str("</svg>\n");
    out
}

/// Draws the cells `x..end` of a row.
fn run(
    out: &mut String,
    (x, y): (u16, u16),
    end: u16,
    (ink, bold, reversed, underlined): (&str, bool, bool, bool),
    text: &str,
) {
    let (wide, high) = CELL;
    let left = MARGIN + f64::from(x) * wide;
    let top = MARGIN + f64::from(y) * high;
    let length = f64::from(end - x) * wide;
    if reversed {
        let _ = writeln!(
            out,
            "<rect x='{left:.1}' y='{top:.1}' width='{length:.1}' height='{high}' fill='{ink}'/>"
        );
    }
    if text.trim().is_empty() {
        return;
    }
    // Blanks at the ends need no text.
    let blanks = text.len() - text.trim_start().len();
    let (left, text) = (left + blanks as f64 * wide, text.trim());
    let ink = if reversed { PAPER } else { ink };
    let length = text.width() as f64 * wide;
    let weight = if bold { " font-weight='600'" } else { "" };
    let line = if underlined { " text-decoration='underline'" } else { "" };
    let baseline = top + 13.5;
    let _ = writeln!(
        out,
        "<text x='{left:.1}' y='{baseline:.1}' textLength='{length:.1}' lengthAdjust='spacingAndGlyphs' fill='{ink}'{weight}{line} \
         xml:space='preserve'>{}</text>",
        escaped(text)
    );
}
