//! Pictures as SVG.

use super::access::{bank_rows, caption, cost, sector_lines};
use super::activity::Picture;
use banks::{bank_keys, banks};
use canvas::{
    BAD, CODE, Canvas, GOOD, GRID, HEADING, LEFT, LINES, Merged, NOTE, Style, TITLE, WIDTH, escaped,
};
use divergence::divergence;
use lanework_emulator::{Space, TracedAccess};
use sectors::{sector_keys, sectors};
use std::fmt::Write;

mod banks;
mod canvas;
mod divergence;
mod sectors;

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

/// Says how many lines of memory are not drawn.
fn more(canvas: &mut Canvas, lines: usize, what: &str) {
    if lines > LINES {
        canvas.line(&format!("and {} more {what}", lines - LINES), &NOTE);
        canvas.y += 6;
    }
}
