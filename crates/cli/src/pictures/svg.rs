//! Pictures as SVG.

use super::{Picture, bank_rows, caption, ranges, sector_lines, strips, words_by_bank};
use lanework::sim::{Space, Touch};
use std::fmt::Write;

/// Width of the drawing.
const WIDTH: usize = 760;
/// Height of a row.
const ROW: usize = 18;
/// Where grids start.
const LEFT: usize = 90;
/// Lines of memory that are drawn.
const LINES: usize = 64;

/// A drawing that grows downwards.
struct Canvas {
    body: String,
    y: usize,
}

impl Canvas {
    fn line(&mut self, text: &str, size: usize) {
        self.y += size + 8;
        let y = self.y;
        let text = escaped(text);
        let _ = writeln!(self.body, "<text x='10' y='{y}' font-size='{size}'>{text}</text>");
    }

    fn cell(&mut self, (x, width): (usize, usize), fill: &str, label: &str) {
        let y = self.y;
        let height = ROW - 2;
        let _ = writeln!(
            self.body,
            "<rect x='{x}' y='{y}' width='{width}' height='{height}' fill='{fill}' stroke='#999'/>"
        );
        if !label.is_empty() {
            let (x, y) = (x + width / 2, y + 12);
            let _ = writeln!(
                self.body,
                "<text x='{x}' y='{y}' font-size='9' text-anchor='middle'>{}</text>",
                escaped(label)
            );
        }
    }

    fn label(&mut self, text: &str) {
        let y = self.y + 12;
        let x = LEFT - 8;
        let text = escaped(text);
        let _ = writeln!(
            self.body,
            "<text x='{x}' y='{y}' font-size='10' text-anchor='end'>{text}</text>"
        );
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The picture as a drawing.
pub fn svg(picture: &Picture) -> String {
    let mut canvas = Canvas { body: String::new(), y: 0 };
    canvas.line(&picture.title, 15);
    canvas.line(&picture.code, 11);
    for touch in &picture.touches {
        canvas.line(&caption(touch), 12);
        canvas.y += 8;
        match touch.space {
            Space::Shared => banks(&mut canvas, touch),
            _ => sectors(&mut canvas, touch),
        }
    }
    divergence(&mut canvas, picture);
    let height = canvas.y + 20;
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{height}' \
         font-family='sans-serif'>\n<rect width='100%' height='100%' fill='white'/>\n{}</svg>\n",
        canvas.body
    )
}

fn sectors(canvas: &mut Canvas, touch: &Touch) {
    let lines = sector_lines(touch);
    let first = lines.keys().next().copied().unwrap_or(0);
    for (line, cells) in lines.iter().take(LINES) {
        canvas.label(&format!("{:+} B", (line - first) * 128));
        for (i, lanes) in cells.iter().enumerate() {
            let fill = if lanes.is_empty() { "#f4f4f4" } else { "#9ecae1" };
            canvas.cell((LEFT + 160 * i, 158), fill, &ranges(lanes));
        }
        canvas.y += ROW;
    }
}

fn banks(canvas: &mut Canvas, touch: &Touch) {
    let rows = bank_rows(touch);
    let words = words_by_bank(&rows);
    for (row, cells) in rows.iter().take(LINES) {
        canvas.label(&format!("{} B", row * 128));
        for (bank, lanes) in cells.iter().enumerate() {
            let fill = match (lanes.is_empty(), words[bank]) {
                (true, _) => "#f4f4f4",
                (false, 1) => "#a1d99b",
                (false, _) => "#fc9272",
            };
            let label = match lanes.as_slice() {
                [] => String::new(),
                [lane] => lane.to_string(),
                [..] => format!("{}x", lanes.len()),
            };
            canvas.cell((LEFT + 20 * bank, 19), fill, &label);
        }
        canvas.y += ROW;
    }
    canvas.label("words");
    for (bank, count) in words.iter().enumerate() {
        let fill = if *count > 1 { "#fc9272" } else { "#ffffff" };
        canvas.cell((LEFT + 20 * bank, 19), fill, &count.to_string());
    }
    canvas.y += ROW;
}

fn divergence(canvas: &mut Canvas, picture: &Picture) {
    canvas.line("active lanes of the block's warps over time: dark is 32", 12);
    canvas.y += 8;
    for (warp, count, means) in strips(&picture.steps) {
        canvas.label(&format!("warp {warp}"));
        for (column, mean) in means.iter().enumerate() {
            let light = 255 - (mean * 6.0) as usize;
            let fill = format!("rgb({light},{light},255)");
            canvas.cell((LEFT + 10 * column, 10), &fill, "");
        }
        let _ = count;
        canvas.y += ROW;
    }
}
